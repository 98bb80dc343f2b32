//! The last two plies at once: for each of our moves the number of the enemy's replies, mostly without
//! playing the move.
//!
//! Most moves leave the enemy nearly the same replies as if we had passed. So the replies to a pass are
//! counted once, piece by piece (`Replies`), and a plain move from `f` to `t` is charged only for what it
//! changes. With our king not in check that is exact, because:
//!
//! - The enemy's knights reach the same squares: whether a target is empty or holds a piece of ours is one
//!   move either way. The same holds for his sliders, but those that see `f` now look further, and those
//!   that see an empty `t` lose what lies beyond.
//! - His pawns gain captures on `t` and pushes over `f`, and lose captures on `f` and pushes over `t`.
//! - If `t` held a piece of his, he loses that piece's moves, and each piece that guarded it gains a capture.
//!   No line is opened or closed, as the square is occupied before and after.
//! - Whether his king may step to a square or cross it in castling depends on whether we attack it. That
//!   changes only if the moved piece attacks the square from `f` or from `t`, or if `f` or `t` lies on a line
//!   between the square and a slider of ours. Besides, castling needs a vacant corridor.
//! - Checks and pins change only on the lines to his king, where few things can happen (`Checks`). A piece whom
//!   we pin loses his moves off the line. If we give check, what is left are his king's steps and the moves of
//!   pieces who are not pinned to a square of the line from the checking piece to the king.
//! - Castling changes nothing if nobody reaches, crosses or watches any of its four squares.
//!
//! Moves after which the moves of his king may be others are known beforehand (`Watch`), and those moves are
//! then found from what we attack (`Threats`). Played and counted in full are only moves that end a pin or
//! uncover something, promotions, en passant and double pushes that allow it, and castling that somebody
//! notices. All others are counted in sets: a piece lifted from `f` gives a new total (`Lifted`), the pawns'
//! changes are sizes of intersections, and only targets that a slider sees, or where something is taken, are
//! looked at one by one.

mod checks;
mod dependencies;
mod king;
mod replies;

use crate::chess::attacks::{self, SliderKernel, Sliders};
use crate::chess::castling;
use crate::chess::masks::{self, Masks};
use crate::chess::moves::{self, Visitor};
use crate::chess::{Bitboard, Board, Role, Square};

use super::Leaves;
use checks::Checks;
use dependencies::{Watch, kings_pieces};
use king::Threats;
use replies::{Lifted, Replies};

/// The number of pairs of a move of the player `WHITE`, whose turn it is, and a reply.
#[inline(always)]
pub(super) fn count_replies<const WHITE: bool>(sliders: impl Sliders, board: &Board) -> u64 {
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
        return super::count_below::<WHITE>(sliders, board, 2);
    }
    let enemy_masks = Masks::of::<ENEMY>(board);
    let mut pass = Replies::none::<ENEMY>(board, &enemy_masks);
    moves::visit_moves_within::<ENEMY>(board, sliders, &enemy_masks, &mut pass);
    if pass.sliders.is_overfull() {
        return super::count_below::<WHITE>(sliders, board, 2);
    }
    let checks = Checks::of::<WHITE, ENEMY>(sliders, board, &enemy_masks);
    let on_king = Watch::on_king_moves::<WHITE, ENEMY>(sliders, board);
    let scene = Scene::<WHITE, ENEMY> {
        board,
        pass: &pass,
        felt: pass.sliders.slid | pass.pawn_blocks,
        checks: &checks,
        on_king: &on_king,
        on_either: &on_king.with_checks::<ENEMY>(&checks),
        kings_pieces: kings_pieces::<ENEMY>(board),
    };
    let mut counting = Counting {
        sliders,
        scene,
        total: 0,
    };
    moves::visit_moves_within::<WHITE>(board, sliders, &masks, &mut counting);
    moves::visit_en_passant::<WHITE>(board, sliders, &mut counting);
    counting.total
}

/// Everything that is known before our first move is looked at.
#[derive(Clone, Copy)]
struct Scene<'a, const WHITE: bool, const ENEMY: bool> {
    board: &'a Board,
    pass: &'a Replies,
    /// Where a piece of ours must stand for the replies to change when it leaves.
    felt: Bitboard,
    checks: &'a Checks,
    on_king: &'a Watch,
    /// What is watched on checks, pins or the enemy's king's moves.
    on_either: &'a Watch,
    kings_pieces: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> Scene<'_, WHITE, ENEMY> {
    /// The sum of the replies to plain moves of one piece.
    #[inline(always)]
    fn replies(&self, sliders: impl Sliders, role: Role, from: Square, targets: Bitboard) -> u64 {
        let Checks { pins, held, .. } = *self.checks;
        let checking = self.checks.given_from::<ENEMY>(role);
        let (unplayed, evaded) = if held.has(from) {
            // Who stays on the line goes on to pin the same piece, or to stand in the way. If he takes something, a
            // pinned piece may retake.
            let staying = targets & self.checks.line_through(from) & !self.board.own::<ENEMY>();
            (staying & !checking, Bitboard::EMPTY)
        } else {
            let tame = targets & !pins;
            (tame & !checking, tame & checking)
        };
        let on_king = self.on_king.by(role);
        let king_differs = if on_king.has(from) {
            unplayed
        } else {
            unplayed & (on_king | self.kings_pieces)
        };
        let mut total = 0;
        if unplayed.any() {
            total = self.unplayed(sliders, role, from, unplayed);
        }
        if king_differs.any() {
            total += self.king_moves(sliders, role, from, king_differs);
            total -= u64::from(king_differs.count()) * self.pass.king;
        }
        if evaded.any() {
            total += self.evasions(sliders, role, from, evaded);
        }
        for to in targets ^ unplayed ^ evaded {
            total += self.played(sliders, &self.board.after_plain::<WHITE>(role, from, to));
        }
        total
    }

    /// The sum of the replies to plain moves of one piece that neither give check nor touch a pin, the enemy's
    /// king's moves taken for the same as after a pass.
    #[inline(always)]
    fn unplayed(&self, sliders: impl Sliders, role: Role, from: Square, targets: Bitboard) -> u64 {
        if self.felt.has(from) {
            let lifted = self.pass.lifted::<ENEMY>(sliders, self.board, from);
            self.with_lifted(sliders, &lifted, role, from, targets)
        } else {
            self.with_lifted(sliders, &self.pass.unfelt(), role, from, targets)
        }
    }

    #[inline(always)]
    fn with_lifted(
        &self,
        sliders: impl Sliders,
        lifted: &Lifted,
        role: Role,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let taken = targets & self.board.own::<ENEMY>();
        let mut total = lifted.after_entering::<ENEMY>(targets & !taken)
            + lifted.after_taking::<WHITE, ENEMY>(sliders, self.board, from, taken);
        let pinning = if self.checks.held.has(from) {
            Bitboard::EMPTY
        } else {
            targets & self.checks.pinned_from(role)
        };
        for to in pinning {
            let pinned = self.checks.only_piece_before(self.board, to);
            let elsewhere = !self.checks.line_through(to);
            total -= lifted.moves_of::<WHITE, ENEMY>(self.board, from, pinned, elsewhere);
        }
        total
    }

    /// The sum of the moves of the enemy's king after plain moves of one piece that do not touch checks or pins.
    #[inline(always)]
    fn king_moves(
        &self,
        sliders: impl Sliders,
        role: Role,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let mut total = 0;
        let mut looked_at = targets;
        for to in self.only_attacking(role, from, targets) {
            let attacked = self.attacked_from(sliders, role, from, to);
            if (attacked & self.on_king.castling_paths).is_empty() {
                let lost = (attacked & self.pass.king_steps).count();
                total += self.pass.king - u64::from(lost);
                looked_at ^= to.bit();
            }
        }
        if role == Role::Pawn {
            for to in looked_at {
                total += king::moves_after_pawn::<WHITE, ENEMY>(sliders, self.board, from, to);
            }
        } else if looked_at.any() {
            let threats = self.threats_without(sliders, role, from);
            total += threats.king_moves(sliders, self.on_king, looked_at);
        }
        total
    }

    /// The sum of the replies to plain moves of one piece that give check themselves and change no pin.
    #[inline(always)]
    fn evasions(&self, sliders: impl Sliders, role: Role, from: Square, targets: Bitboard) -> u64 {
        let mut total = 0;
        let only_attacking = self.only_attacking(role, from, targets);
        for to in only_attacking {
            let attacked = self.attacked_from(sliders, role, from, to);
            total += u64::from((self.pass.king_steps & !attacked).count());
        }
        let looked_at = targets ^ only_attacking;
        if looked_at.any() {
            let threats = self.threats_without(sliders, role, from);
            for to in looked_at {
                total += threats.steps_after(sliders, to);
            }
        }
        for to in targets {
            let line = self.checks.line_to(to);
            total += self
                .pass
                .rescues::<ENEMY>(sliders, self.board, from, to, line);
        }
        total
    }

    /// Those of a piece's targets for which all that changes around the enemy's king is what it attacks from there.
    #[inline(always)]
    fn only_attacking(&self, role: Role, from: Square, targets: Bitboard) -> Bitboard {
        if self.on_king.by(role).has(from) {
            Bitboard::EMPTY
        } else {
            targets & !self.kings_lines(role)
        }
    }

    /// What a piece attacks from its new square, through the enemy's king.
    #[inline(always)]
    fn attacked_from(
        &self,
        sliders: impl Sliders,
        role: Role,
        from: Square,
        to: Square,
    ) -> Bitboard {
        let king = masks::king::<ENEMY>(self.board);
        let occupied = self.board.occupied() ^ from.bit() ^ king.bit();
        attacks::of_piece::<WHITE>(sliders, role, to, occupied)
    }

    #[inline(always)]
    fn threats_without(
        &self,
        sliders: impl Sliders,
        role: Role,
        from: Square,
    ) -> Threats<'_, WHITE, ENEMY> {
        Threats::without(sliders, self.board, self.kings_lines(role), role, from)
    }

    /// Where a piece of ours would be in the way of something that matters to the enemy's king, or take it, or pin it.
    /// A pinned rook does not shield the squares that the king crosses in castling, as it is lifted then.
    #[inline(always)]
    fn kings_lines(&self, role: Role) -> Bitboard {
        self.on_king.all | self.kings_pieces | self.checks.pinned_from(role)
    }

    /// The replies in the position after a move.
    #[inline(always)]
    fn played(&self, sliders: impl Sliders, after: &Board) -> u64 {
        sliders.call(Leaves::<ENEMY>(after))
    }
}

/// Adds up the replies to each of our moves.
struct Counting<'a, S, const WHITE: bool, const ENEMY: bool> {
    sliders: S,
    scene: Scene<'a, WHITE, ENEMY>,
    total: u64,
}

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> Counting<'_, S, WHITE, ENEMY> {
    #[inline(always)]
    fn add_played(&mut self, after: &Board) {
        self.total += self.scene.played(self.sliders, after);
    }

    /// Pawns go to the targets, each from the square `step` before it, and no en passant comes of it.
    #[inline(always)]
    fn pawn_moves(&mut self, step: i8, targets: Bitboard) {
        let Scene {
            board,
            pass,
            felt,
            on_either,
            ..
        } = self.scene;
        let watched = on_either.by(Role::Pawn);
        let eventful = board.own::<ENEMY>() | watched | (watched | felt).shifted(step);
        self.total += pass.unfelt().after_entering::<ENEMY>(targets & !eventful);
        let targets = targets & eventful;
        if targets.any() {
            self.total += self.sliders.call(EventfulPawns {
                scene: &self.scene,
                step,
                targets,
            });
        }
    }
}

impl<S: Sliders, const WHITE: bool, const ENEMY: bool> Visitor for Counting<'_, S, WHITE, ENEMY> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        if targets.is_empty() {
            return;
        }
        let Scene {
            board,
            pass,
            felt,
            on_either,
            ..
        } = self.scene;
        let watched = on_either.by(role);
        let left = from.bit() & (watched | felt);
        let entered = targets & (watched | board.own::<ENEMY>());
        self.total += if (left | entered).is_empty() {
            pass.unfelt().after_entering::<ENEMY>(targets)
        } else {
            self.sliders.call(Eventful {
                scene: &self.scene,
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
        let board = self.scene.board;
        let capturers = board.pawns & board.own::<ENEMY>();
        let beside = (capturers & !Bitboard::FILE_A).shifted(-1)
            | (capturers & !Bitboard::FILE_H).shifted(1);
        for to in targets & beside {
            let from = to.offset(-2 * step);
            self.add_played(&board.after_double_push::<WHITE>(self.sliders, from, to));
        }
        self.pawns(2 * step, targets & !beside);
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        let board = self.scene.board;
        for to in targets {
            for role in Role::PROMOTIONS {
                self.add_played(&board.after_promotion::<WHITE>(role, to.offset(-step), to));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.add_played(&self.scene.board.after_en_passant::<WHITE>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        let Scene {
            board,
            pass,
            felt,
            on_either,
            ..
        } = self.scene;
        let (king_to, rook_to) = castling::destinations::<WHITE>(king, rook);
        let touched = king.bit() | rook.bit() | king_to.bit() | rook_to.bit();
        let noticed = felt | on_either.by(Role::Queen) | on_either.by(Role::King);
        if (touched & noticed).is_empty() {
            self.total += pass.total;
        } else {
            self.add_played(&board.after_castling::<WHITE>(king, rook));
        }
    }
}

/// Plain moves of one piece of ours, some of which take something, or are felt or watched by the enemy.
struct Eventful<'a, const WHITE: bool, const ENEMY: bool> {
    scene: &'a Scene<'a, WHITE, ENEMY>,
    role: Role,
    from: Square,
    targets: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> SliderKernel for Eventful<'_, WHITE, ENEMY> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        let scene = self.scene;
        scene.replies(sliders, self.role, self.from, self.targets)
    }
}

/// Plain moves of pawns of ours, each from the square `step` before its target, that take something, or are felt
/// or watched by the enemy.
struct EventfulPawns<'a, const WHITE: bool, const ENEMY: bool> {
    scene: &'a Scene<'a, WHITE, ENEMY>,
    step: i8,
    targets: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> SliderKernel for EventfulPawns<'_, WHITE, ENEMY> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        let mut total = 0;
        for to in self.targets {
            let from = to.offset(-self.step);
            total += self.scene.replies(sliders, Role::Pawn, from, to.bit());
        }
        total
    }
}
