//! The number of replies to plain moves of one piece, from what was computed before the first move.

use crate::chess::attacks::{self, Sliders};
use crate::chess::count::BulkCount;
use crate::chess::masks;
use crate::chess::{Bitboard, Board, Role, Square};

use super::checks::ChecksAndPins;
use super::dependencies::Dependencies;
use super::king::{self, KingDanger};
use super::null_move::NullMoveReplies;
use super::vacated::VacatedReplies;

/// Everything that is computed once per position.
#[derive(Clone, Copy)]
pub struct TwoPlyContext<'a, const WHITE: bool, const ENEMY: bool> {
    pub board: &'a Board,
    pub null_move: &'a NullMoveReplies,
    /// The squares that a piece of ours cannot leave without changing the replies of enemy sliders and pawns.
    pub origin_dependencies: Bitboard,
    pub checks: &'a ChecksAndPins,
    /// The squares on which the moves of the enemy king depend.
    pub king_dependencies: &'a Dependencies,
    /// The squares on which the moves of the enemy king, checks or pins depend.
    pub all_dependencies: &'a Dependencies,
    /// The enemy pieces whose capture changes the moves of the enemy king.
    pub captures_affecting_king: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> TwoPlyContext<'_, WHITE, ENEMY> {
    /// The number of replies, summed over plain moves of one piece.
    #[inline(always)]
    pub fn replies(
        &self,
        sliders: impl Sliders,
        role: Role,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let ChecksAndPins {
            pins,
            pinners_and_discoverers,
            ..
        } = *self.checks;
        let check_squares = self.checks.check_squares::<ENEMY>(role);
        let (non_checking, checking) = if pinners_and_discoverers.has(from) {
            // A piece that stays on its ray to the king still pins the same piece or still blocks its own slider. A
            // capture is made instead, as a pinned piece may recapture along the ray.
            let along_ray = targets & self.checks.ray_through(from) & !self.board.own::<ENEMY>();
            (along_ray & !check_squares, Bitboard::EMPTY)
        } else {
            let off_pins = targets & !pins;
            (off_pins & !check_squares, off_pins & check_squares)
        };
        let king_dependencies = self.king_dependencies.of_role(role);
        let king_affected = if king_dependencies.has(from) {
            non_checking
        } else {
            non_checking & (king_dependencies | self.captures_affecting_king)
        };
        let mut total = 0;
        if non_checking.any() {
            total = self.replies_with_same_king_moves(sliders, role, from, non_checking);
        }
        if king_affected.any() {
            total += self.king_moves(sliders, role, from, king_affected);
            total -= u64::from(king_affected.count()) * self.null_move.king_moves;
        }
        if checking.any() {
            total += self.evasions(sliders, role, from, checking);
        }
        for to in targets ^ non_checking ^ checking {
            total += self
                .replies_by_making_move(sliders, &self.board.after_plain::<WHITE>(role, from, to));
        }
        total
    }

    /// The number of replies, summed over plain moves of one piece that neither give check nor affect an existing
    /// pin. The king moves are taken to be those after a null move.
    #[inline(always)]
    fn replies_with_same_king_moves(
        &self,
        sliders: impl Sliders,
        role: Role,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        if self.origin_dependencies.has(from) {
            let vacated = self.null_move.vacate::<ENEMY>(sliders, self.board, from);
            self.replies_after_vacating(sliders, &vacated, role, from, targets)
        } else {
            let unchanged = self.null_move.unchanged();
            self.replies_after_vacating(sliders, &unchanged, role, from, targets)
        }
    }

    #[inline(always)]
    fn replies_after_vacating(
        &self,
        sliders: impl Sliders,
        vacated: &VacatedReplies,
        role: Role,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let captures = targets & self.board.own::<ENEMY>();
        let mut total = vacated.after_quiet_moves::<ENEMY>(targets & !captures)
            + vacated.after_captures::<WHITE, ENEMY>(sliders, self.board, from, captures);
        let pinning = if self.checks.pinners_and_discoverers.has(from) {
            Bitboard::EMPTY
        } else {
            targets & self.checks.pin_squares(role)
        };
        for to in pinning {
            let pinned = self.checks.only_blocker(self.board, to);
            let off_ray = !self.checks.ray_through(to);
            total -= vacated.moves_of_piece::<WHITE, ENEMY>(self.board, from, pinned, off_ray);
        }
        total
    }

    /// The number of moves of the enemy king, summed over plain moves of one piece that affect neither checks nor
    /// existing pins.
    #[inline(always)]
    fn king_moves(
        &self,
        sliders: impl Sliders,
        role: Role,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let mut total = 0;
        let mut remaining = targets;
        for to in self.only_adding_attacks(role, from, targets) {
            let attacked = self.attacked_from(sliders, role, from, to);
            if (attacked & self.king_dependencies.castling_paths).is_empty() {
                let lost = (attacked & self.null_move.king_steps).count();
                total += self.null_move.king_moves - u64::from(lost);
                remaining ^= to.bit();
            }
        }
        if role == Role::Pawn {
            for to in remaining {
                total +=
                    king::king_moves_after_pawn_move::<WHITE, ENEMY>(sliders, self.board, from, to);
            }
        } else if remaining.any() {
            let danger = self.king_danger(sliders, role, from);
            total += danger.king_moves(sliders, self.king_dependencies, remaining);
        }
        total
    }

    /// The number of check evasions, summed over plain moves of one piece that give check and change no pin.
    #[inline(always)]
    fn evasions(&self, sliders: impl Sliders, role: Role, from: Square, targets: Bitboard) -> u64 {
        let mut total = 0;
        let only_adding_attacks = self.only_adding_attacks(role, from, targets);
        for to in only_adding_attacks {
            let attacked = self.attacked_from(sliders, role, from, to);
            total += u64::from((self.null_move.king_steps & !attacked).count());
        }
        let remaining = targets ^ only_adding_attacks;
        if remaining.any() {
            let danger = self.king_danger(sliders, role, from);
            for to in remaining {
                total += danger.king_steps_after(sliders, to);
            }
        }
        for to in targets {
            let ray = self.checks.ray_to(to);
            total += self
                .null_move
                .evasions_without_king::<ENEMY>(sliders, self.board, from, to, ray);
        }
        total
    }

    /// The targets of a piece for which the only change around the enemy king are the attacks of the piece from there.
    #[inline(always)]
    fn only_adding_attacks(&self, role: Role, from: Square, targets: Bitboard) -> Bitboard {
        if self.king_dependencies.of_role(role).has(from) {
            Bitboard::EMPTY
        } else {
            targets & !self.king_blocking_squares(role)
        }
    }

    /// The squares that a piece attacks from its target square. The enemy king is removed: it does not block attacks on
    /// the squares behind it.
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
    fn king_danger(
        &self,
        sliders: impl Sliders,
        role: Role,
        from: Square,
    ) -> KingDanger<'_, WHITE, ENEMY> {
        let blocking_squares = self.king_blocking_squares(role);
        KingDanger::without_mover(sliders, self.board, blocking_squares, role, from)
    }

    /// The squares on which a piece of ours would block a line that matters to the enemy king, or capture or pin a
    /// piece that matters to it. A pin matters because a pinned castling rook does not protect the king's path: it
    /// leaves its square when castling.
    #[inline(always)]
    fn king_blocking_squares(&self, role: Role) -> Bitboard {
        self.king_dependencies.all | self.captures_affecting_king | self.checks.pin_squares(role)
    }

    /// The number of replies in the position after a move.
    #[inline(always)]
    pub fn replies_by_making_move(&self, sliders: impl Sliders, after: &Board) -> u64 {
        sliders.call(BulkCount::<ENEMY>(after))
    }
}
