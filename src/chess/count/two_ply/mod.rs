//! The last two plies counted together: for each of our moves the number of legal replies, mostly without making the
//! move.
//!
//! Most moves leave the enemy nearly the same replies as a null move would. So the replies to a null move are generated
//! once and kept piece by piece (`NullMoveReplies`), and a move adds or subtracts only what it changes. This applies if
//! we are not in check (a null move would then be illegal) and the enemy does not have more sliders than `SliderMoves`
//! holds. Otherwise every move is made.
//!
//! # Why the count is exact
//!
//! Consider a plain move of ours from `f` to `t` (no promotion, castling or en passant). Each kind of reply changes
//! in a known way:
//!
//! - **Knights.** An enemy knight reaches the same squares: a target is one move, whether it is empty or has a piece of
//!   ours on it.
//! - **Sliders.** The same holds for sliders, but a slider that attacks `f` now continues behind it (an x-ray through
//!   the vacated square), and a slider that attacks an empty `t` is blocked there and loses what is behind it.
//! - **Pawns.** They gain captures on `t` and pushes to and over `f`; they lose captures on `f` and pushes to and
//!   over `t`.
//! - **Captures.** If `t` had an enemy piece, its moves are gone and every defender of `t` gains a recapture. No line
//!   opens or closes at `t`, because the square is occupied before and after.
//! - **King.** Whether the enemy king may step to a square, or cross it when castling, depends on whether we attack
//!   that square. This changes only if the moved piece attacks the square from `f` or from `t`, or if `f` or `t` is
//!   between the square and a slider of ours. Castling also needs an empty corridor between king and rook.
//! - **Pins and checks.** They change only on the rays through the enemy king, in the few ways that `ChecksAndPins`
//!   lists. A piece that we pin loses its moves off the ray. If the moved piece gives check, the replies are the
//!   check evasions: king steps to squares that we do not attack, captures of the checker, and blocks between checker
//!   and king by pieces that are not pinned.
//!
//! Our own castling moves change nothing if none of their four squares matters in one of these ways.
//!
//! # How it is fast
//!
//! `Dependencies` has the squares that matter to the enemy king. A piece of ours that neither leaves nor enters one of
//! them, captures nothing and uncovers no slider or pawn has all its moves counted as one set (`VacatedReplies`): the
//! pawn changes are sizes of intersections, and only targets that block a slider are processed one by one. If the king
//! is affected, its moves are recomputed from what we attack (`KingDanger`).
//!
//! Only these moves are made and their replies counted in bulk: moves that end a pin, discover a check or a pin, or
//! enter the line of a pin, capturing the pinned piece or not; promotions; en passant captures and double pushes next to an enemy pawn; castling that
//! affects the enemy's replies.

mod checks;
mod context;
mod dependencies;
mod king;
mod null_move;
mod slider_moves;
mod vacated;

use crate::chess::attacks::{SliderKernel, Sliders};
use crate::chess::castling;
use crate::chess::masks::Masks;
use crate::chess::moves::{self, Visitor};
use crate::chess::{Bitboard, Board, Role, Square};

use checks::ChecksAndPins;
use context::TwoPlyContext;
use dependencies::{Dependencies, captures_affecting_king};
use null_move::NullMoveReplies;

/// Perft of depth 2, with side `WHITE` to move.
#[inline(always)]
pub(super) fn count_two_plies<const WHITE: bool>(sliders: impl Sliders, board: &Board) -> u64 {
    if WHITE {
        count::<true, false>(sliders, board)
    } else {
        count::<false, true>(sliders, board)
    }
}

#[inline(always)]
fn count<const WHITE: bool, const ENEMY: bool>(sliders: impl Sliders, board: &Board) -> u64 {
    let masks = Masks::of::<WHITE>(board);
    if masks.checkers.any() {
        return super::count_by_making_moves::<WHITE>(sliders, board, 2);
    }
    let enemy_masks = Masks::of::<ENEMY>(board);
    let mut null_move = NullMoveReplies::none::<ENEMY>(board, &enemy_masks);
    moves::visit_moves_within::<ENEMY>(board, sliders, &enemy_masks, &mut null_move);
    if null_move.sliders.has_overflowed() {
        return super::count_by_making_moves::<WHITE>(sliders, board, 2);
    }
    let checks = ChecksAndPins::of::<WHITE, ENEMY>(sliders, board, &enemy_masks);
    let king_dependencies = Dependencies::of_king_moves::<WHITE, ENEMY>(sliders, board);
    let context = TwoPlyContext::<WHITE, ENEMY> {
        board,
        null_move: &null_move,
        origin_dependencies: null_move.origin_dependencies(),
        checks: &checks,
        king_dependencies: &king_dependencies,
        all_dependencies: &king_dependencies.with_checks_and_pins::<ENEMY>(&checks),
        captures_affecting_king: captures_affecting_king::<ENEMY>(board),
    };
    let mut counter = TwoPlyCounter {
        sliders,
        context,
        total: 0,
    };
    moves::visit_moves_within::<WHITE>(board, sliders, &masks, &mut counter);
    moves::visit_en_passant::<WHITE>(board, sliders, &mut counter);
    counter.total
}

/// A visitor of our moves that adds up the numbers of replies.
struct TwoPlyCounter<'a, S, const WHITE: bool, const ENEMY: bool> {
    sliders: S,
    context: TwoPlyContext<'a, WHITE, ENEMY>,
    total: u64,
}

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> TwoPlyCounter<'_, S, WHITE, ENEMY> {
    #[inline(always)]
    fn add_by_making_move(&mut self, after: &Board) {
        self.total += self.context.replies_by_making_move(self.sliders, after);
    }

    /// Pawns move to the targets, each from the square `step` before it. None of the moves allows en passant.
    #[inline(always)]
    fn pawn_moves(&mut self, step: i8, targets: Bitboard) {
        let TwoPlyContext {
            board,
            null_move,
            origin_dependencies,
            all_dependencies,
            ..
        } = self.context;
        let dependencies = all_dependencies.of_role(Role::Pawn);
        let dependent = board.own::<ENEMY>()
            | dependencies
            | (dependencies | origin_dependencies).shifted(step);
        self.total += null_move
            .unchanged()
            .after_quiet_moves::<ENEMY>(targets & !dependent);
        let targets = targets & dependent;
        if targets.any() {
            self.total += self.sliders.call(DependentPawnMoves {
                context: &self.context,
                step,
                targets,
            });
        }
    }
}

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> Visitor
    for TwoPlyCounter<'_, S, WHITE, ENEMY>
{
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        if targets.is_empty() {
            return;
        }
        let TwoPlyContext {
            board,
            null_move,
            origin_dependencies,
            all_dependencies,
            ..
        } = self.context;
        let dependencies = all_dependencies.of_role(role);
        let left = from.bit() & (dependencies | origin_dependencies);
        let entered = targets & (dependencies | board.own::<ENEMY>());
        self.total += if (left | entered).is_empty() {
            null_move.unchanged().after_quiet_moves::<ENEMY>(targets)
        } else {
            self.sliders.call(DependentMoves {
                context: &self.context,
                role,
                from,
                targets,
            })
        };
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        if targets.any() {
            self.pawn_moves(step, targets);
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        let board = self.context.board;
        let enemy_pawns = board.pawns & board.own::<ENEMY>();
        let next_to_pawn = (enemy_pawns & !Bitboard::FILE_A).shifted(-1)
            | (enemy_pawns & !Bitboard::FILE_H).shifted(1);
        for to in targets & next_to_pawn {
            let from = to.offset(-2 * step);
            self.add_by_making_move(&board.after_double_push::<WHITE>(self.sliders, from, to));
        }
        self.pawns(2 * step, targets & !next_to_pawn);
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        let board = self.context.board;
        for to in targets {
            for role in Role::PROMOTIONS {
                let from = to.offset(-step);
                self.add_by_making_move(&board.after_promotion::<WHITE>(role, from, to));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.add_by_making_move(&self.context.board.after_en_passant::<WHITE>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        let TwoPlyContext {
            board,
            null_move,
            origin_dependencies,
            all_dependencies,
            ..
        } = self.context;
        let (king_to, rook_to) = castling::destinations::<WHITE>(king, rook);
        let touched = king.bit() | rook.bit() | king_to.bit() | rook_to.bit();
        let dependencies = origin_dependencies
            | all_dependencies.of_role(Role::Queen)
            | all_dependencies.of_role(Role::King);
        if (touched & dependencies).is_empty() {
            self.total += null_move.total;
        } else {
            self.add_by_making_move(&board.after_castling::<WHITE>(king, rook));
        }
    }
}

/// Plain moves of one piece of ours, at least one of which captures a piece or touches a dependency.
struct DependentMoves<'a, const WHITE: bool, const ENEMY: bool> {
    context: &'a TwoPlyContext<'a, WHITE, ENEMY>,
    role: Role,
    from: Square,
    targets: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> SliderKernel for DependentMoves<'_, WHITE, ENEMY> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        let context = self.context;
        context.replies(sliders, self.role, self.from, self.targets)
    }
}

/// Plain moves of our pawns, each from the square `step` before its target, that capture a piece or touch a dependency.
struct DependentPawnMoves<'a, const WHITE: bool, const ENEMY: bool> {
    context: &'a TwoPlyContext<'a, WHITE, ENEMY>,
    step: i8,
    targets: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> SliderKernel for DependentPawnMoves<'_, WHITE, ENEMY> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        let mut total = 0;
        for to in self.targets {
            let from = to.offset(-self.step);
            total += self.context.replies(sliders, Role::Pawn, from, to.bit());
        }
        total
    }
}
