//! What the moves of the last ply are: captures, castles, checks, mates and the rest, as the well-known
//! tables of perft results list them.
//!
//! A board and a depth walk in, a [`Breakdown`] walks out. The plies above the last are played. In the
//! last one the moves are told apart in sets: a piece gives check where it stands on a square from which
//! its kind attacks the king, or where it leaves a line on which it alone stood between the king and a
//! slider. Only moves that give check are played, to see whether they mate, and the few that touch more
//! than two squares or change the piece.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use super::attacks::{self, AnySliders, SliderKernel, Sliders};
use super::castling;
use super::count::Leaves;
use super::masks::{self, CheckSquares};
use super::moves::{self, Visitor};
use super::{Bitboard, Board, Color, Role, Square};
use crate::cpu::Level;
use crate::perft::{CountError, Sharing, in_pieces};

/// How many of the counted sequences end with a move of each kind. A move can be of several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Breakdown {
    pub nodes: u64,
    /// En passant included.
    pub captures: u64,
    pub en_passant: u64,
    pub castles: u64,
    pub promotions: u64,
    /// All checks: discovered ones, double ones and mates included.
    pub checks: u64,
    /// Checks by one piece that did not move itself. Castling moves king and rook.
    pub discovered_checks: u64,
    /// Checks by two pieces at once.
    pub double_checks: u64,
    pub mates: u64,
}

/// What kinds of moves the legal sequences of `depth` plies end with.
///
/// ```
/// use ninesixty::chess::{Board, breakdown};
/// use ninesixty::perft::Sharing;
/// use ninesixty::start::StartId;
///
/// let start = Board::from_start(StartId::CLASSICAL);
/// let found = breakdown(&start, 4, Sharing::Alone, &|| false)?;
/// assert_eq!((found.nodes, found.captures, found.checks, found.mates), (197_281, 1_576, 469, 8));
/// # Ok::<(), ninesixty::perft::CountError>(())
/// ```
pub fn breakdown(
    board: &Board,
    depth: u32,
    sharing: Sharing,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Breakdown, CountError> {
    breakdown_at(Level::best(), board, depth, sharing, is_stopped)
}

/// [`breakdown`] compiled for one of the instruction sets that this machine supports.
pub fn breakdown_at(
    level: Level,
    board: &Board,
    depth: u32,
    sharing: Sharing,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Breakdown, CountError> {
    let sliders = AnySliders::for_level(level);
    let count = |board: &Board, depth| {
        let mut total = Breakdown::default();
        add_below(sliders, board, depth, &mut total);
        total
    };
    in_pieces(board, depth, sharing, is_stopped, &count, &|a, b| Ok(a + b))
}

fn add_below(sliders: AnySliders, board: &Board, depth: u32, total: &mut Breakdown) {
    match (depth, board.turn()) {
        (0, _) => total.nodes += 1,
        (1, Color::White) => sliders.call(LastPly::<true, false> { board, total }),
        (1, Color::Black) => sliders.call(LastPly::<false, true> { board, total }),
        _ => board.for_each_move(|mv| add_below(sliders, &board.play(mv), depth - 1, total)),
    }
}

/// The moves of the player `WHITE` in a position, to be added to a total.
struct LastPly<'a, const WHITE: bool, const ENEMY: bool> {
    board: &'a Board,
    total: &'a mut Breakdown,
}

impl<const WHITE: bool, const ENEMY: bool> SliderKernel for LastPly<'_, WHITE, ENEMY> {
    type Output = ();

    #[inline(always)]
    fn run(self, sliders: impl Sliders) {
        let board = self.board;
        let king = masks::king::<ENEMY>(board);
        let mut sorting = Sorting::<_, WHITE, ENEMY> {
            sliders,
            board,
            king,
            checks: CheckSquares::around(king, sliders, board.occupied()),
            discoverers: masks::discoverers::<WHITE>(board, king),
            found: Breakdown::default(),
        };
        moves::visit_moves::<WHITE>(board, sliders, &mut sorting);
        *self.total += sorting.found;
    }
}

/// Takes the moves of the player `WHITE` and finds out what they are.
struct Sorting<'a, S, const WHITE: bool, const ENEMY: bool> {
    sliders: S,
    board: &'a Board,
    /// The enemy's.
    king: Square,
    /// Where our pieces give check. What moves along a line never uncovers more of the same line: it would have
    /// given check already.
    checks: CheckSquares,
    discoverers: Bitboard,
    found: Breakdown,
}

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> Sorting<'_, S, WHITE, ENEMY> {
    #[inline(always)]
    fn add(&mut self, targets: Bitboard) {
        self.found.nodes += u64::from(targets.count());
        self.found.captures += u64::from((targets & self.board.enemy::<WHITE>()).count());
    }

    /// The targets with which a piece on `from` gives check by getting out of the way.
    #[inline(always)]
    fn uncovering(&self, from: Square, targets: Bitboard) -> Bitboard {
        if self.discoverers.has(from) {
            targets & !(attacks::between(self.king, from) | attacks::beyond(self.king, from))
        } else {
            Bitboard::EMPTY
        }
    }

    /// The same for pawns that come from `step` before each target.
    #[inline(always)]
    fn uncovering_pawns(&self, step: i8, targets: Bitboard) -> Bitboard {
        let mut uncovering = Bitboard::EMPTY;
        for from in self.discoverers & self.board.pawns & targets.shifted(-step) {
            uncovering |= self.uncovering(from, from.offset(step).bit());
        }
        uncovering
    }

    /// Adds the checks among moves: those that go where the piece attacks the king, and those that uncover
    /// another. One move uncovers at most one piece, as it leaves one square.
    #[inline(always)]
    fn add_checks(
        &mut self,
        direct: Bitboard,
        uncovering: Bitboard,
        after: impl Fn(&Self, Square) -> Board,
    ) {
        let checks = direct | uncovering;
        if checks.any() {
            self.found.checks += u64::from(checks.count());
            self.found.discovered_checks += u64::from((uncovering & !direct).count());
            self.found.double_checks += u64::from((uncovering & direct).count());
            for to in checks {
                self.add_if_mate(&after(self, to));
            }
        }
    }

    #[inline(always)]
    fn add_if_mate(&mut self, after: &Board) {
        let answers = self.sliders.call(Leaves::<ENEMY>(after));
        self.found.mates += u64::from(answers == 0);
    }

    /// Adds the check, if there is one, after a move that the sets do not tell about. The moved pieces stand
    /// on `moved`.
    #[inline(always)]
    fn add_check_after(&mut self, after: &Board, moved: Bitboard) {
        let checkers = after.attackers::<ENEMY>(self.sliders, self.king, after.occupied());
        if checkers.any() {
            self.found.checks += 1;
            if checkers.has_several() {
                self.found.double_checks += 1;
            } else if (checkers & moved).is_empty() {
                self.found.discovered_checks += 1;
            }
            self.add_if_mate(after);
        }
    }
}

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> Visitor for Sorting<'_, S, WHITE, ENEMY> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.add(targets);
        let direct = targets & self.checks.of::<ENEMY>(role);
        let uncovering = self.uncovering(from, targets);
        self.add_checks(direct, uncovering, |sorting, to| {
            sorting.board.after_plain::<WHITE>(role, from, to)
        });
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        self.add(targets);
        let direct = targets & self.checks.of::<ENEMY>(Role::Pawn);
        let uncovering = self.uncovering_pawns(step, targets);
        self.add_checks(direct, uncovering, |sorting, to| {
            let from = to.offset(-step);
            sorting.board.after_plain::<WHITE>(Role::Pawn, from, to)
        });
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        self.add(targets);
        let direct = targets & self.checks.of::<ENEMY>(Role::Pawn);
        let uncovering = self.uncovering_pawns(2 * step, targets);
        self.add_checks(direct, uncovering, |sorting, to| {
            let from = to.offset(-2 * step);
            sorting
                .board
                .after_double_push::<WHITE>(sorting.sliders, from, to)
        });
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.add(to.bit());
                self.found.promotions += 1;
                let from = to.offset(-step);
                let after = self.board.after_promotion::<WHITE>(role, from, to);
                self.add_check_after(&after, to.bit());
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.found.nodes += 1;
        self.found.captures += 1;
        self.found.en_passant += 1;
        let after = self.board.after_en_passant::<WHITE>(from, to);
        self.add_check_after(&after, to.bit());
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.found.nodes += 1;
        self.found.castles += 1;
        let after = self.board.after_castling::<WHITE>(king, rook);
        let (_, rook_to) = castling::destinations::<WHITE>(king, rook);
        self.add_check_after(&after, rook_to.bit());
    }
}

impl AddAssign for Breakdown {
    #[inline(always)]
    fn add_assign(&mut self, other: Breakdown) {
        self.nodes += other.nodes;
        self.captures += other.captures;
        self.en_passant += other.en_passant;
        self.castles += other.castles;
        self.promotions += other.promotions;
        self.checks += other.checks;
        self.discovered_checks += other.discovered_checks;
        self.double_checks += other.double_checks;
        self.mates += other.mates;
    }
}

impl Add for Breakdown {
    type Output = Breakdown;

    fn add(mut self, other: Breakdown) -> Breakdown {
        self += other;
        self
    }
}

impl Sum for Breakdown {
    fn sum<I: Iterator<Item = Breakdown>>(breakdowns: I) -> Breakdown {
        breakdowns.fold(Breakdown::default(), Add::add)
    }
}
