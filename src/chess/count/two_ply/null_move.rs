//! The enemy's replies to a null move, piece by piece.

use crate::chess::attacks::{self, Sliders};
use crate::chess::masks::Masks;
use crate::chess::moves::{self, PawnReach, Visitor};
use crate::chess::{Bitboard, Board, Role, Square};

use super::slider_moves::SliderMoves;

/// The legal moves of the enemy if we made a null move.
pub struct NullMoveReplies {
    pub total: u64,
    /// The part of the total that are king moves, castling included.
    pub king_moves: u64,
    /// The targets of king moves, castling excluded.
    pub king_steps: Bitboard,
    pub sliders: SliderMoves,
    pub pawns: PawnReach,
    pub double_pushes: Bitboard,
    /// Squares on which the arrival of a piece of ours changes the number of pawn moves.
    pub pawn_arrivals: Bitboard,
    /// Squares on which the departure of a piece of ours changes the number of pawn moves.
    pub pawn_departures: Bitboard,
    pub pinned: Bitboard,
}

impl NullMoveReplies {
    /// No replies yet. As a [`Visitor`] of the enemy's moves it collects them.
    #[inline(always)]
    pub fn none<const ENEMY: bool>(board: &Board, masks: &Masks) -> NullMoveReplies {
        let pawns = PawnReach::of::<ENEMY>(board, masks);
        let double_pushes = pawns.double_pushes::<ENEMY>(!board.occupied());
        let pawn_arrivals = pawns.ahead | pawns.towards_a | pawns.towards_h | double_pushes;
        let two_ahead = (pawns.ahead & !board.occupied()).shifted(moves::forward::<ENEMY>());
        NullMoveReplies {
            total: 0,
            king_moves: 0,
            king_steps: Bitboard::EMPTY,
            sliders: SliderMoves::none(),
            pawns,
            double_pushes,
            pawn_arrivals,
            pawn_departures: pawn_arrivals | two_ahead,
            pinned: masks.orthogonal_pins | masks.diagonal_pins,
        }
    }

    /// The squares on which a piece of ours blocks an enemy slider or pawn, or is attacked by an enemy pawn. The
    /// replies of these pieces change if it leaves.
    #[inline(always)]
    pub fn origin_dependencies(&self) -> Bitboard {
        self.sliders.targets | self.pawn_departures
    }

    /// The number of moves that a pawn has to a square, if that is among its targets.
    #[inline(always)]
    pub fn pawn_moves_to<const ENEMY: bool>(&self, square: Square, targets: Bitboard) -> u64 {
        let promotes = PawnReach::last_rank::<ENEMY>().has(square);
        let moves = if promotes { 4 } else { 1 };
        moves * u64::from(targets.has(square))
    }

    /// The number of check evasions by pieces other than the king, after our piece on `from` has moved to `to` and
    /// gives check along `ray`: unpinned pieces capture the checker or block the check.
    #[inline(always)]
    pub fn evasions_without_king<const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
        to: Square,
        ray: Bitboard,
    ) -> u64 {
        let occupied = board.occupied() ^ from.bit() | to.bit();
        let unpinned = board.own::<ENEMY>() & !(self.pinned | to.bit());
        let mut count = self.pawn_evasions::<ENEMY>(occupied, to, ray);
        for square in ray {
            let pieces = attacks::knight(square) & board.knights
                | sliders.bishop(square, occupied) & board.bishops_and_queens
                | sliders.rook(square, occupied) & board.rooks_and_queens;
            count += (pieces & unpinned).count();
        }
        u64::from(count)
    }

    #[inline(always)]
    fn pawn_evasions<const ENEMY: bool>(
        &self,
        occupied: Bitboard,
        to: Square,
        ray: Bitboard,
    ) -> u32 {
        let forward = moves::forward::<ENEMY>();
        // A pawn that was captured cannot block.
        let ahead = self.pawns.ahead & !to.bit().shifted(forward);
        let double_pushes = PawnReach {
            ahead,
            ..self.pawns
        }
        .double_pushes::<ENEMY>(!occupied);
        let mut count = (double_pushes & ray).count();
        let checker = to.bit();
        for targets in [
            ahead & !occupied & ray,
            self.pawns.towards_a & checker,
            self.pawns.towards_h & checker,
        ] {
            count += targets.count() + 3 * (targets & PawnReach::last_rank::<ENEMY>()).count();
        }
        count
    }
}

impl Visitor for NullMoveReplies {
    #[inline(always)]
    fn piece(&mut self, role: Role, _: Square, targets: Bitboard) {
        let count = u64::from(targets.count());
        self.total += count;
        if role == Role::King {
            self.king_moves += count;
            self.king_steps = targets;
        }
    }

    #[inline(always)]
    fn diagonal(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.orthogonal(role, from, targets);
        self.sliders.end_diagonals();
    }

    #[inline(always)]
    fn orthogonal(&mut self, role: Role, from: Square, targets: Bitboard) {
        if targets.any() {
            self.piece(role, from, targets);
            self.sliders.push(from, targets);
        }
    }

    #[inline(always)]
    fn pawns(&mut self, _: i8, targets: Bitboard) {
        self.total += u64::from(targets.count());
    }

    #[inline(always)]
    fn double_pushes(&mut self, _: i8, targets: Bitboard) {
        self.total += u64::from(targets.count());
    }

    #[inline(always)]
    fn promotions(&mut self, _: i8, targets: Bitboard) {
        self.total += Role::PROMOTIONS.len() as u64 * u64::from(targets.count());
    }

    #[inline(always)]
    fn en_passant(&mut self, _: Square, _: Square) {
        unreachable!("a null move allows no en passant");
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.total += 1;
        self.king_moves += 1;
    }
}
