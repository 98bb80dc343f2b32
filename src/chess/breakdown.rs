//! Perft broken down by the kinds of moves on the last ply: captures, castling, checks, mates and the others that the
//! well-known tables of perft results list.
//!
//! The plies before the last are made. On the last ply, moves are classified as sets of target squares: a piece gives a
//! direct check from a check square of its role, and a discovered check by leaving the line between the king and a
//! slider if it was the only piece there. The moves that are made are those that give check, to detect mate, and
//! promotions, en passant captures and castling, which the sets do not cover.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::attacks::{self, AnySliders, SliderKernel, Sliders};
use super::castling;
use super::count::BulkCount;
use super::masks::{self, CheckSquares};
use super::moves::{self, Visitor};
use super::{Bitboard, Board, Color, Role, Square};
use crate::cpu::Level;
use crate::perft::{CountError, CountOptions, sum_subtrees};

/// The number of move sequences whose last move is of each kind. A move can be of several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Breakdown {
    /// All move sequences, that is perft.
    pub nodes: u64,
    /// Captures, en passant included.
    pub captures: u64,
    /// En passant captures.
    pub en_passant: u64,
    /// Castling moves.
    pub castles: u64,
    /// Promotions, each of the four pieces counted.
    pub promotions: u64,
    /// All checks, including discovered checks, double checks and mates.
    pub checks: u64,
    /// Checks by one piece that did not move itself. Castling moves king and rook.
    pub discovered_checks: u64,
    /// Checks by two pieces at once.
    pub double_checks: u64,
    /// Checkmates.
    pub mates: u64,
}

/// The legal move sequences of `depth` plies, broken down by the kinds of their last moves.
///
/// ```
/// use ninesixty::chess::{Board, breakdown};
/// use ninesixty::perft::CountOptions;
/// use ninesixty::start::StartId;
///
/// let start = Board::from_start(StartId::CLASSICAL);
/// let found = breakdown(&start, 4, &CountOptions::default())?;
/// assert_eq!((found.nodes, found.captures, found.checks, found.mates), (197_281, 1_576, 469, 8));
/// # Ok::<(), ninesixty::perft::CountError>(())
/// ```
pub fn breakdown(
    board: &Board,
    depth: u32,
    options: &CountOptions,
) -> Result<Breakdown, CountError> {
    breakdown_at(Level::best(), board, depth, options)
}

/// [`breakdown`] compiled for one of the instruction sets that this machine supports.
pub fn breakdown_at(
    level: Level,
    board: &Board,
    depth: u32,
    options: &CountOptions,
) -> Result<Breakdown, CountError> {
    let sliders = AnySliders::for_level(level);
    let count = |board: &Board, depth| {
        let mut total = Breakdown::default();
        add_breakdown(sliders, board, depth, &mut total);
        total
    };
    sum_subtrees(board, depth, options, &count, &|a, b| Ok(a + b))
}

fn add_breakdown(sliders: AnySliders, board: &Board, depth: u32, total: &mut Breakdown) {
    match (depth, board.turn()) {
        (0, _) => total.nodes += 1,
        (1, Color::White) => sliders.call(LastPly::<true, false> { board, total }),
        (1, Color::Black) => sliders.call(LastPly::<false, true> { board, total }),
        _ => board.for_each_move(|mv| add_breakdown(sliders, &board.play(mv), depth - 1, total)),
    }
}

/// Adds the moves of side `WHITE` in a position to a total.
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
        let mut classifier = MoveClassifier::<_, WHITE, ENEMY> {
            sliders,
            board,
            king,
            checks: CheckSquares::around(king, sliders, board.occupied()),
            discoverers: masks::discoverers::<WHITE>(board, king),
            found: Breakdown::default(),
        };
        moves::visit_moves::<WHITE>(board, sliders, &mut classifier);
        *self.total += classifier.found;
    }
}

/// A visitor that classifies the moves of side `WHITE`.
struct MoveClassifier<'a, S, const WHITE: bool, const ENEMY: bool> {
    sliders: S,
    board: &'a Board,
    /// The square of the enemy king.
    king: Square,
    /// The squares from which our pieces give check, with the occupancy before the move. They hold after it too: a
    /// slider that moves along a line to the king would have given check before.
    checks: CheckSquares,
    /// Our pieces that give a discovered check by leaving their line.
    discoverers: Bitboard,
    found: Breakdown,
}

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> MoveClassifier<'_, S, WHITE, ENEMY> {
    #[inline(always)]
    fn add(&mut self, targets: Bitboard) {
        self.found.nodes += u64::from(targets.count());
        self.found.captures += u64::from((targets & self.board.enemy::<WHITE>()).count());
    }

    /// The targets with which a piece on `from` gives a discovered check.
    #[inline(always)]
    fn discovering(&self, from: Square, targets: Bitboard) -> Bitboard {
        if self.discoverers.has(from) {
            targets & !(attacks::between(self.king, from) | attacks::beyond(self.king, from))
        } else {
            Bitboard::EMPTY
        }
    }

    /// The targets with which pawns give a discovered check, each coming from the square `step` before its target.
    #[inline(always)]
    fn discovering_pawns(&self, step: i8, targets: Bitboard) -> Bitboard {
        let mut discovering = Bitboard::EMPTY;
        for from in self.discoverers & self.board.pawns & targets.shifted(-step) {
            discovering |= self.discovering(from, from.offset(step).bit());
        }
        discovering
    }

    /// Adds the checks among some moves, given the targets of direct checks and those of discovered checks. A move
    /// discovers at most one checker, as it leaves one square.
    #[inline(always)]
    fn add_checks(
        &mut self,
        direct: Bitboard,
        discovering: Bitboard,
        after: impl Fn(&Self, Square) -> Board,
    ) {
        let checks = direct | discovering;
        if checks.any() {
            self.found.checks += u64::from(checks.count());
            self.found.discovered_checks += u64::from((discovering & !direct).count());
            self.found.double_checks += u64::from((discovering & direct).count());
            for to in checks {
                self.add_if_mate(&after(self, to));
            }
        }
    }

    #[inline(always)]
    fn add_if_mate(&mut self, after: &Board) {
        let evasions = self.sliders.call(BulkCount::<ENEMY>(after));
        self.found.mates += u64::from(evasions == 0);
    }

    /// Adds the check, if there is one, in the position after a move that is not covered by the sets. The moved piece
    /// that may give check is on `moved`.
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

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> Visitor
    for MoveClassifier<'_, S, WHITE, ENEMY>
{
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.add(targets);
        let direct = targets & self.checks.of::<ENEMY>(role);
        let discovering = self.discovering(from, targets);
        self.add_checks(direct, discovering, |classifier, to| {
            classifier.board.after_plain::<WHITE>(role, from, to)
        });
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        self.add(targets);
        let direct = targets & self.checks.of::<ENEMY>(Role::Pawn);
        let discovering = self.discovering_pawns(step, targets);
        self.add_checks(direct, discovering, |classifier, to| {
            let from = to.offset(-step);
            classifier.board.after_plain::<WHITE>(Role::Pawn, from, to)
        });
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        self.add(targets);
        let direct = targets & self.checks.of::<ENEMY>(Role::Pawn);
        let discovering = self.discovering_pawns(2 * step, targets);
        self.add_checks(direct, discovering, |classifier, to| {
            let from = to.offset(-2 * step);
            classifier
                .board
                .after_double_push::<WHITE>(classifier.sliders, from, to)
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
