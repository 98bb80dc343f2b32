//! The enemy's replies if we could pass, man by man, and what becomes of them when a man of ours leaves a
//! square, enters one or takes something there.

use crate::chess::attacks::{self, Sliders};
use crate::chess::masks::Masks;
use crate::chess::moves::{self, PawnReach, Visitor};
use crate::chess::{Bitboard, Board, Role, Square};

use super::super::Machine;

/// What the enemy can reply, with one and the same set of our men standing where they stand.
#[derive(Clone)]
pub struct Replies {
    total: u64,
    /// The part of the total that is moves of the king, castling included.
    pub king: u64,
    pub sliders: SliderMoves,
    /// Squares that sliders reach.
    pub slid: Bitboard,
    pawns: PawnReach,
    double_pushes: Bitboard,
    /// Where pawns notice that a man of ours arrives.
    pawn_zone: Bitboard,
    /// Where pawns notice that a man of ours leaves.
    pub pawn_blocks: Bitboard,
    pinned: Bitboard,
}

impl Replies {
    /// The replies if we could pass.
    #[inline(always)]
    pub fn to_pass<const ENEMY: bool>(machine: impl Machine, board: &Board) -> Replies {
        let masks = Masks::of::<ENEMY>(board);
        let pawns = PawnReach::of::<ENEMY>(board, &masks);
        let double_pushes = pawns.double_pushes::<ENEMY>(!board.occupied());
        let pawn_zone = pawns.ahead | pawns.towards_a | pawns.towards_h | double_pushes;
        let two_ahead = (pawns.ahead & !board.occupied()).shifted(moves::forward::<ENEMY>());
        let mut replies = Replies {
            total: 0,
            king: 0,
            sliders: SliderMoves::none(),
            slid: Bitboard::EMPTY,
            pawns,
            double_pushes,
            pawn_zone,
            pawn_blocks: pawn_zone | two_ahead,
            pinned: masks.straight_pins | masks.diagonal_pins,
        };
        moves::visit_moves_within::<ENEMY>(board, machine, &masks, &mut replies);
        replies.total += replies.king;
        replies
    }

    /// The replies with our man on `from` lifted off the board.
    #[inline(always)]
    pub fn lifted<const WHITE: bool, const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
    ) -> Replies {
        let occupied = board.occupied() ^ from.bit();
        let mut lifted = self.clone();
        if self.slid.has(from) {
            lifted.look_past::<ENEMY>(sliders, board, from, occupied);
        }
        if self.pawn_blocks.has(from) {
            let own = board.own::<WHITE>();
            lifted.double_pushes = self.pawns.double_pushes::<ENEMY>(!occupied);
            lifted.pawn_zone |= lifted.double_pushes;
            lifted.total -= self.count_pawns::<ENEMY>(board.occupied(), own);
            lifted.total += lifted.count_pawns::<ENEMY>(occupied, own ^ from.bit());
        }
        lifted
    }

    /// Lets the sliders that reach `square` look past it, now that it is no longer occupied.
    #[inline(always)]
    fn look_past<const ENEMY: bool>(
        &mut self,
        sliders: impl Sliders,
        board: &Board,
        square: Square,
        occupied: Bitboard,
    ) {
        for index in 0..self.sliders.len {
            let (from, moves) = self.sliders.entries[index];
            if moves.has(square) {
                let reach = if index < self.sliders.diagonals {
                    sliders.bishop(from, occupied)
                } else {
                    sliders.rook(from, occupied)
                };
                let further = reach & !board.own::<ENEMY>();
                self.sliders.entries[index].1 = further;
                self.slid |= further;
                self.total += u64::from(further.count()) - u64::from(moves.count());
            }
        }
    }

    #[inline(always)]
    fn count_pawns<const ENEMY: bool>(&self, occupied: Bitboard, prey: Bitboard) -> u64 {
        let PawnReach {
            ahead,
            towards_a,
            towards_h,
        } = self.pawns;
        let mut count = self.double_pushes.count();
        for targets in [ahead & !occupied, towards_a & prey, towards_h & prey] {
            count += targets.count() + 3 * (targets & PawnReach::last_rank::<ENEMY>()).count();
        }
        u64::from(count)
    }

    /// The sum of the replies if a man of ours, not on the board now, were put on each of these empty
    /// squares in turn.
    #[inline(always)]
    pub fn after_entering<const ENEMY: bool>(&self, targets: Bitboard) -> u64 {
        let mut total = u64::from(targets.count()) * self.total;
        if (targets & self.pawn_zone).any() {
            total = total.wrapping_add_signed(self.change_of_pawns::<ENEMY>(targets));
        }
        for target in targets & self.slid {
            total -= self.sliders.lost_beyond(target);
        }
        total
    }

    #[inline(always)]
    fn change_of_pawns<const ENEMY: bool>(&self, targets: Bitboard) -> i64 {
        let PawnReach {
            ahead,
            towards_a,
            towards_h,
        } = self.pawns;
        let passed = self.double_pushes.shifted(-moves::forward::<ENEMY>());
        let last_rank = targets & PawnReach::last_rank::<ENEMY>();
        let count = |targets: Bitboard, squares: Bitboard| i64::from((targets & squares).count());
        let gained = count(targets, towards_a) + count(targets, towards_h);
        let lost =
            count(targets, ahead) + count(targets, self.double_pushes) + count(targets, passed);
        let promotions =
            count(last_rank, towards_a) + count(last_rank, towards_h) - count(last_rank, ahead);
        gained - lost + 3 * promotions
    }

    /// The sum of the replies if a man of ours, lifted from `from`, took the enemy's man on each of these
    /// squares in turn; none of them is pinned, and the king does not retake.
    #[inline(always)]
    pub fn after_taking<const WHITE: bool, const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let mut total = u64::from(targets.count()) * self.total;
        for target in targets {
            total += self.guards::<ENEMY>(sliders, board, from, target);
            total -= self.moves_of::<WHITE, ENEMY>(board, from, target);
        }
        total
    }

    /// How many captures the enemy's men, but for the king, have on a square where one of them stands.
    #[inline(always)]
    fn guards<const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
        target: Square,
    ) -> u64 {
        let occupied = board.occupied() ^ from.bit();
        let guards = attacks::knight(target) & board.knights
            | sliders.bishop(target, occupied) & board.diagonals
            | sliders.rook(target, occupied) & board.straights;
        let pieces = guards & board.own::<ENEMY>() & !self.pinned;
        let pawns = u64::from(self.pawns.towards_a.has(target))
            + u64::from(self.pawns.towards_h.has(target));
        let promotions = if PawnReach::last_rank::<ENEMY>().has(target) {
            4
        } else {
            1
        };
        u64::from(pieces.count()) + promotions * pawns
    }

    /// How many moves the enemy's man on a square has; he is not pinned and not the king.
    #[inline(always)]
    fn moves_of<const WHITE: bool, const ENEMY: bool>(
        &self,
        board: &Board,
        from: Square,
        square: Square,
    ) -> u64 {
        if board.pawns.has(square) {
            let prey = board.own::<WHITE>() ^ from.bit();
            let free = !(board.occupied() ^ from.bit());
            let push = square.bit().shifted(moves::forward::<ENEMY>()) & free;
            let double_push = push.shifted(moves::forward::<ENEMY>()) & self.double_pushes;
            let targets = push | attacks::pawn::<ENEMY>(square) & prey;
            let promotions = targets & PawnReach::last_rank::<ENEMY>();
            u64::from(targets.count() + double_push.count() + 3 * promotions.count())
        } else if board.knights.has(square) {
            u64::from((attacks::knight(square) & !board.own::<ENEMY>()).count())
        } else {
            self.sliders.count_from(square)
        }
    }
}

impl Visitor for Replies {
    #[inline(always)]
    fn piece(&mut self, role: Role, _: Square, targets: Bitboard) {
        let count = u64::from(targets.count());
        if role == Role::King {
            self.king += count;
        } else {
            self.total += count;
        }
    }

    #[inline(always)]
    fn diagonal(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.straight(role, from, targets);
        self.sliders.diagonals += 1;
    }

    #[inline(always)]
    fn straight(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.piece(role, from, targets);
        self.slid |= targets;
        self.sliders.push(from, targets);
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
        unreachable!("after a pass there is no en passant");
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.king += 1;
    }
}

/// The moves of each slider: first those along diagonals, then those along straight lines. A queen has both.
#[derive(Clone)]
pub struct SliderMoves {
    diagonals: usize,
    len: usize,
    entries: [(Square, Bitboard); SliderMoves::ROOM],
}

impl SliderMoves {
    /// Room for the sliders of a game's beginning, with one more queen, which counts twice.
    const ROOM: usize = 8;

    #[inline(always)]
    fn none() -> SliderMoves {
        SliderMoves {
            diagonals: 0,
            len: 0,
            entries: [(Square::from_index(0), Bitboard::EMPTY); SliderMoves::ROOM],
        }
    }

    #[inline(always)]
    pub fn is_overfull(&self) -> bool {
        self.len > SliderMoves::ROOM
    }

    #[inline(always)]
    fn push(&mut self, from: Square, moves: Bitboard) {
        if let Some(entry) = self.entries.get_mut(self.len) {
            *entry = (from, moves);
        }
        self.len += 1;
    }

    /// How many moves the slider on this square has.
    #[inline(always)]
    fn count_from(&self, square: Square) -> u64 {
        let mut count = 0;
        for &(from, moves) in &self.entries[..self.len] {
            if from == square {
                count += u64::from(moves.count());
            }
        }
        count
    }

    /// How many moves beyond this square are lost if it is blocked.
    #[inline(always)]
    fn lost_beyond(&self, square: Square) -> u64 {
        let mut lost = 0;
        for &(from, moves) in &self.entries[..self.len] {
            lost += u64::from((moves & attacks::beyond(from, square)).count());
        }
        lost
    }
}
