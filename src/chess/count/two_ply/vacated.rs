//! The enemy's replies after a piece of ours has left its square, before it is placed on another one: what our move
//! changes at its origin, and then at its target.

use crate::chess::attacks::{self, Sliders};
use crate::chess::moves::{self, PawnReach};
use crate::chess::{Bitboard, Board, Square};

use super::null_move::NullMoveReplies;

/// The replies to a null move with one of our pieces removed from the board, as the difference from
/// [`NullMoveReplies`]. The king moves are taken to be unchanged.
pub struct VacatedReplies<'a> {
    null_move: &'a NullMoveReplies,
    total: u64,
    double_pushes: Bitboard,
    pawn_arrivals: Bitboard,
    origin: Square,
    /// The x-rays: squares that sliders reach through the origin. In each direction they belong to one slider.
    xrays: Bitboard,
    /// The sliders that reach them.
    xray_sliders: Bitboard,
    /// The squares between these sliders and the origin.
    xray_paths: Bitboard,
}

impl NullMoveReplies {
    /// The replies after our piece on `from` has left its square.
    #[inline(always)]
    pub fn vacate<const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
    ) -> VacatedReplies<'_> {
        VacatedReplies::of::<ENEMY>(self, sliders, board, from)
    }

    /// The replies after a piece of ours has left a square that is not among the origin dependencies.
    #[inline(always)]
    pub fn unchanged(&self) -> VacatedReplies<'_> {
        VacatedReplies::unchanged(self)
    }
}

impl<'a> VacatedReplies<'a> {
    /// The replies if the departure of the piece changes none of them.
    #[inline(always)]
    pub fn unchanged(null_move: &'a NullMoveReplies) -> Self {
        VacatedReplies {
            null_move,
            total: null_move.total,
            double_pushes: null_move.double_pushes,
            pawn_arrivals: null_move.pawn_arrivals,
            origin: Square::from_index(0),
            xrays: Bitboard::EMPTY,
            xray_paths: Bitboard::EMPTY,
            xray_sliders: Bitboard::EMPTY,
        }
    }

    /// The replies with our piece on `origin` removed.
    #[inline(always)]
    pub fn of<const ENEMY: bool>(
        null_move: &'a NullMoveReplies,
        sliders: impl Sliders,
        board: &Board,
        origin: Square,
    ) -> Self {
        let occupied = board.occupied() ^ origin.bit();
        let mut vacated = VacatedReplies::unchanged(null_move);
        if null_move.sliders.targets.has(origin) {
            vacated.origin = origin;
            vacated.add_xrays(sliders, occupied, board.own::<ENEMY>());
        }
        if null_move.pawn_departures.has(origin) {
            let pawns = null_move.pawns;
            vacated.double_pushes = pawns.double_pushes::<ENEMY>(!occupied);
            vacated.pawn_arrivals |= vacated.double_pushes;
            let gained = null_move.pawn_moves_to::<ENEMY>(origin, pawns.ahead)
                + u64::from(vacated.double_pushes.count());
            let lost = null_move.pawn_moves_to::<ENEMY>(origin, pawns.towards_a)
                + null_move.pawn_moves_to::<ENEMY>(origin, pawns.towards_h)
                + u64::from(null_move.double_pushes.count());
            vacated.total = vacated.total + gained - lost;
        }
        vacated
    }

    /// Adds the moves of sliders through the origin, which is no longer occupied.
    #[inline(always)]
    fn add_xrays(&mut self, sliders: impl Sliders, occupied: Bitboard, theirs: Bitboard) {
        let moves = &self.null_move.sliders;
        let diagonal_len = moves.diagonal_len();
        for (index, &(slider, targets)) in moves.entries().iter().enumerate() {
            if targets.has(self.origin) {
                let attacked = if index < diagonal_len {
                    sliders.bishop(slider, occupied)
                } else {
                    sliders.rook(slider, occupied)
                };
                self.xrays |= attacked & attacks::beyond(slider, self.origin) & !theirs;
                self.xray_sliders |= slider.bit();
                self.xray_paths |= attacks::between(slider, self.origin);
            }
        }
        self.total += u64::from(self.xrays.count());
    }

    /// The number of replies, summed over quiet moves of the piece to each of these squares.
    #[inline(always)]
    pub fn after_quiet_moves<const ENEMY: bool>(&self, targets: Bitboard) -> u64 {
        let mut total = u64::from(targets.count()) * self.total;
        if (targets & self.pawn_arrivals).any() {
            total = total.wrapping_add_signed(self.pawn_move_difference::<ENEMY>(targets));
        }
        let sliders = &self.null_move.sliders;
        for target in targets & sliders.blockable {
            total -= u64::from(sliders.cut_off_by_blocker(target));
        }
        for target in targets & self.xrays {
            total -= u64::from((self.xrays & attacks::beyond(self.origin, target)).count());
        }
        for target in targets & self.xray_paths {
            total -= u64::from((self.xrays & attacks::beyond(target, self.origin)).count());
        }
        total
    }

    /// The pawn moves that the arrival of a piece of ours adds or takes away, summed over these squares.
    #[inline(always)]
    fn pawn_move_difference<const ENEMY: bool>(&self, targets: Bitboard) -> i64 {
        let PawnReach {
            ahead,
            towards_a,
            towards_h,
        } = self.null_move.pawns;
        let passed = self.double_pushes.shifted(-moves::forward::<ENEMY>());
        let last_rank = targets & PawnReach::last_rank::<ENEMY>();
        let count = |targets: Bitboard, squares: Bitboard| i64::from((targets & squares).count());
        let gained = count(targets, towards_a) + count(targets, towards_h);
        let lost =
            count(targets, ahead) + count(targets, self.double_pushes) + count(targets, passed);
        if last_rank.is_empty() {
            return gained - lost;
        }
        let promotions =
            count(last_rank, towards_a) + count(last_rank, towards_h) - count(last_rank, ahead);
        gained - lost + 3 * promotions
    }

    /// The number of replies, summed over captures by the piece from `from` on each of these squares. No captured
    /// piece is pinned, and recaptures by the king are not counted.
    #[inline(always)]
    pub fn after_captures<const WHITE: bool, const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let mut total = u64::from(targets.count()) * self.total;
        for target in targets {
            total += self.recaptures::<ENEMY>(sliders, board, from, target);
            total -= self.moves_of_piece::<WHITE, ENEMY>(board, from, target, Bitboard::ALL);
        }
        total
    }

    /// The number of recaptures on a square by enemy pieces other than the king: one for each unpinned piece that
    /// defends it.
    #[inline(always)]
    fn recaptures<const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
        target: Square,
    ) -> u64 {
        let occupied = board.occupied() ^ from.bit();
        let attackers = attacks::knight(target) & board.knights
            | sliders.bishop(target, occupied) & board.bishops_and_queens
            | sliders.rook(target, occupied) & board.rooks_and_queens;
        let NullMoveReplies { pawns, pinned, .. } = self.null_move;
        let defenders = attackers & board.own::<ENEMY>() & !*pinned;
        u64::from(defenders.count())
            + self
                .null_move
                .pawn_moves_to::<ENEMY>(target, pawns.towards_a)
            + self
                .null_move
                .pawn_moves_to::<ENEMY>(target, pawns.towards_h)
    }

    /// The number of moves of the enemy piece on a square to some squares. It is neither pinned nor the king.
    #[inline(always)]
    pub fn moves_of_piece<const WHITE: bool, const ENEMY: bool>(
        &self,
        board: &Board,
        from: Square,
        square: Square,
        targets: Bitboard,
    ) -> u64 {
        if board.pawns.has(square) {
            let victims = board.own::<WHITE>() ^ from.bit();
            let empty = !(board.occupied() ^ from.bit());
            let push = square.bit().shifted(moves::forward::<ENEMY>()) & empty;
            let double_push = push.shifted(moves::forward::<ENEMY>()) & self.double_pushes;
            let captures = attacks::pawn::<ENEMY>(square) & victims;
            let targets = targets & (push | double_push | captures);
            let promotions = targets & PawnReach::last_rank::<ENEMY>();
            u64::from(targets.count() + 3 * promotions.count())
        } else if board.knights.has(square) {
            u64::from((attacks::knight(square) & !board.own::<ENEMY>() & targets).count())
        } else {
            let xrays = if self.xray_sliders.has(square) {
                self.xrays & attacks::beyond(square, self.origin)
            } else {
                Bitboard::EMPTY
            };
            let sliders = &self.null_move.sliders;
            sliders.count_moves(square, targets) + u64::from((xrays & targets).count())
        }
    }
}
