//! The enemy's replies if we could pass, piece by piece, and what becomes of them when a piece of ours leaves a
//! square, enters one or takes something there.

use std::cell::Cell;

use crate::chess::attacks::{self, Sliders};
use crate::chess::masks::Masks;
use crate::chess::moves::{self, PawnReach, Visitor};
use crate::chess::{Bitboard, Board, Role, Square};

/// What the enemy can reply, with our pieces standing where they stand.
pub struct Replies {
    pub total: u64,
    /// The part of the total that is moves of the king, castling included.
    pub king: u64,
    /// Where the king can step.
    pub king_steps: Bitboard,
    pub sliders: SliderMoves,
    pawns: PawnReach,
    double_pushes: Bitboard,
    /// Where pawns notice that a piece of ours arrives.
    pawn_zone: Bitboard,
    /// Where pawns notice that a piece of ours leaves.
    pub pawn_blocks: Bitboard,
    pinned: Bitboard,
}

impl Replies {
    /// No replies yet: those to a pass are what it is told of the enemy's moves.
    #[inline(always)]
    pub fn none<const ENEMY: bool>(board: &Board, masks: &Masks) -> Replies {
        let pawns = PawnReach::of::<ENEMY>(board, masks);
        let double_pushes = pawns.double_pushes::<ENEMY>(!board.occupied());
        let pawn_zone = pawns.ahead | pawns.towards_a | pawns.towards_h | double_pushes;
        let two_ahead = (pawns.ahead & !board.occupied()).shifted(moves::forward::<ENEMY>());
        Replies {
            total: 0,
            king: 0,
            king_steps: Bitboard::EMPTY,
            sliders: SliderMoves::none(),
            pawns,
            double_pushes,
            pawn_zone,
            pawn_blocks: pawn_zone | two_ahead,
            pinned: masks.straight_pins | masks.diagonal_pins,
        }
    }

    /// The same replies, seen as those with a piece of ours lifted that none of them feels.
    #[inline(always)]
    pub fn unfelt(&self) -> Lifted<'_> {
        Lifted {
            pass: self,
            total: self.total,
            double_pushes: self.double_pushes,
            pawn_zone: self.pawn_zone,
            from: Square::from_index(0),
            gained: Bitboard::EMPTY,
            passed: Bitboard::EMPTY,
            gainers: Bitboard::EMPTY,
        }
    }

    /// The replies with our piece on `from` lifted off the board.
    #[inline(always)]
    pub fn lifted<const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
    ) -> Lifted<'_> {
        let occupied = board.occupied() ^ from.bit();
        let mut lifted = self.unfelt();
        if self.sliders.slid.has(from) {
            lifted.from = from;
            lifted.look_past(sliders, occupied, board.own::<ENEMY>());
        }
        if self.pawn_blocks.has(from) {
            lifted.double_pushes = self.pawns.double_pushes::<ENEMY>(!occupied);
            lifted.pawn_zone |= lifted.double_pushes;
            let gained = self.pawns_onto::<ENEMY>(from, self.pawns.ahead)
                + u64::from(lifted.double_pushes.count());
            let lost = self.pawns_onto::<ENEMY>(from, self.pawns.towards_a)
                + self.pawns_onto::<ENEMY>(from, self.pawns.towards_h)
                + u64::from(self.double_pushes.count());
            lifted.total = lifted.total + gained - lost;
        }
        lifted
    }

    /// How many moves a pawn has to a square if it is among those it reaches.
    #[inline(always)]
    fn pawns_onto<const ENEMY: bool>(&self, square: Square, reached: Bitboard) -> u64 {
        let promotions = PawnReach::last_rank::<ENEMY>().has(square);
        let moves = if promotions { 4 } else { 1 };
        moves * u64::from(reached.has(square))
    }

    /// How many replies, but for those of the king, end the check that our piece gives when it goes from one
    /// square to another: a piece who is not pinned takes it, or steps between.
    #[inline(always)]
    pub fn rescues<const ENEMY: bool>(
        &self,
        sliders: impl Sliders,
        board: &Board,
        from: Square,
        to: Square,
        line: Bitboard,
    ) -> u64 {
        let occupied = board.occupied() ^ from.bit() | to.bit();
        let unpinned = board.own::<ENEMY>() & !(self.pinned | to.bit());
        let mut count = self.pawn_rescues::<ENEMY>(occupied, to, line);
        for square in line {
            let pieces = attacks::knight(square) & board.knights
                | sliders.bishop(square, occupied) & board.bishops_and_queens
                | sliders.rook(square, occupied) & board.rooks_and_queens;
            count += (pieces & unpinned).count();
        }
        u64::from(count)
    }

    #[inline(always)]
    fn pawn_rescues<const ENEMY: bool>(
        &self,
        occupied: Bitboard,
        to: Square,
        line: Bitboard,
    ) -> u32 {
        let forward = moves::forward::<ENEMY>();
        // If a pawn was taken, it does not step between.
        let ahead = self.pawns.ahead & !to.bit().shifted(forward);
        let double_pushes = PawnReach {
            ahead,
            ..self.pawns
        }
        .double_pushes::<ENEMY>(!occupied);
        let mut count = (double_pushes & line).count();
        let taken = to.bit();
        for targets in [
            ahead & !occupied & line,
            self.pawns.towards_a & taken,
            self.pawns.towards_h & taken,
        ] {
            count += targets.count() + 3 * (targets & PawnReach::last_rank::<ENEMY>()).count();
        }
        count
    }
}

/// The replies with one piece of ours lifted off the board, told by what differs from those to a pass.
pub struct Lifted<'a> {
    pass: &'a Replies,
    total: u64,
    double_pushes: Bitboard,
    pawn_zone: Bitboard,
    from: Square,
    /// What sliders reach beyond `from`; in each direction it is one of them.
    gained: Bitboard,
    /// The sliders that do, and the squares between them and `from`.
    gainers: Bitboard,
    passed: Bitboard,
}

impl Lifted<'_> {
    /// Lets the sliders that reach `from` look past it, now that it is no longer occupied.
    #[inline(always)]
    fn look_past(&mut self, sliders: impl Sliders, occupied: Bitboard, own: Bitboard) {
        let SliderMoves { diagonals, .. } = self.pass.sliders;
        for (index, &(slider, moves)) in self.pass.sliders.entries().iter().enumerate() {
            if moves.has(self.from) {
                let reach = if index < diagonals {
                    sliders.bishop(slider, occupied)
                } else {
                    sliders.rook(slider, occupied)
                };
                self.gained |= reach & attacks::beyond(slider, self.from) & !own;
                self.gainers |= slider.bit();
                self.passed |= attacks::between(slider, self.from);
            }
        }
        self.total += u64::from(self.gained.count());
    }

    /// The sum of the replies if the piece of ours came down on each of these empty squares in turn.
    #[inline(always)]
    pub fn after_entering<const ENEMY: bool>(&self, targets: Bitboard) -> u64 {
        let mut total = u64::from(targets.count()) * self.total;
        if (targets & self.pawn_zone).any() {
            total = total.wrapping_add_signed(self.change_of_pawns::<ENEMY>(targets));
        }
        for target in targets & self.pass.sliders.long {
            total -= u64::from(self.pass.sliders.lost_beyond(target));
        }
        for target in targets & self.gained {
            total -= u64::from((self.gained & attacks::beyond(self.from, target)).count());
        }
        for target in targets & self.passed {
            total -= u64::from((self.gained & attacks::beyond(target, self.from)).count());
        }
        total
    }

    #[inline(always)]
    fn change_of_pawns<const ENEMY: bool>(&self, targets: Bitboard) -> i64 {
        let PawnReach {
            ahead,
            towards_a,
            towards_h,
        } = self.pass.pawns;
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

    /// The sum of the replies if the piece of ours, lifted from `from`, took the enemy's piece on each of these
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
            total -= self.moves_of::<WHITE, ENEMY>(board, from, target, Bitboard::ALL);
        }
        total
    }

    /// How many captures the enemy's pieces, but for the king, have on a square where one of them stands.
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
            | sliders.bishop(target, occupied) & board.bishops_and_queens
            | sliders.rook(target, occupied) & board.rooks_and_queens;
        let pieces = guards & board.own::<ENEMY>() & !self.pass.pinned;
        u64::from(pieces.count())
            + self
                .pass
                .pawns_onto::<ENEMY>(target, self.pass.pawns.towards_a)
            + self
                .pass
                .pawns_onto::<ENEMY>(target, self.pass.pawns.towards_h)
    }

    /// How many moves the enemy's piece on a square has to some others; he is not pinned and not the king.
    #[inline(always)]
    pub fn moves_of<const WHITE: bool, const ENEMY: bool>(
        &self,
        board: &Board,
        from: Square,
        square: Square,
        targets: Bitboard,
    ) -> u64 {
        if board.pawns.has(square) {
            let prey = board.own::<WHITE>() ^ from.bit();
            let free = !(board.occupied() ^ from.bit());
            let push = square.bit().shifted(moves::forward::<ENEMY>()) & free;
            let double_push = push.shifted(moves::forward::<ENEMY>()) & self.double_pushes;
            let targets = targets & (push | double_push | attacks::pawn::<ENEMY>(square) & prey);
            let promotions = targets & PawnReach::last_rank::<ENEMY>();
            u64::from(targets.count() + 3 * promotions.count())
        } else if board.knights.has(square) {
            u64::from((attacks::knight(square) & !board.own::<ENEMY>() & targets).count())
        } else {
            let gained = if self.gainers.has(square) {
                self.gained & attacks::beyond(square, self.from)
            } else {
                Bitboard::EMPTY
            };
            self.pass.sliders.count_from(square, targets) + u64::from((gained & targets).count())
        }
    }
}

impl Visitor for Replies {
    #[inline(always)]
    fn piece(&mut self, role: Role, _: Square, targets: Bitboard) {
        let count = u64::from(targets.count());
        self.total += count;
        if role == Role::King {
            self.king += count;
            self.king_steps = targets;
        }
    }

    #[inline(always)]
    fn diagonal(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.straight(role, from, targets);
        self.sliders.diagonals = self.sliders.len;
    }

    #[inline(always)]
    fn straight(&mut self, role: Role, from: Square, targets: Bitboard) {
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
        unreachable!("after a pass there is no en passant");
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.total += 1;
        self.king += 1;
    }
}

/// The moves of each slider: first those along diagonals, then those along straight lines. A queen has both.
pub struct SliderMoves {
    diagonals: usize,
    len: usize,
    entries: [(Square, Bitboard); SliderMoves::ROOM],
    /// Squares that sliders reach.
    pub slid: Bitboard,
    /// Squares that sliders reach who have more than one move.
    long: Bitboard,
    /// How many moves lie beyond each square. In many positions nobody asks, so it is found out when somebody
    /// does.
    lost: Cell<[u8; 64]>,
    is_lost_known: Cell<bool>,
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
            slid: Bitboard::EMPTY,
            long: Bitboard::EMPTY,
            lost: Cell::new([0; 64]),
            is_lost_known: Cell::new(false),
        }
    }

    #[inline(always)]
    pub fn is_overfull(&self) -> bool {
        self.len > SliderMoves::ROOM
    }

    #[inline(always)]
    fn entries(&self) -> &[(Square, Bitboard)] {
        &self.entries[..self.len]
    }

    #[inline(always)]
    fn push(&mut self, from: Square, moves: Bitboard) {
        if let Some(entry) = self.entries.get_mut(self.len) {
            *entry = (from, moves);
        }
        self.len += 1;
        self.slid |= moves;
        if moves.has_several() {
            self.long |= moves;
        }
    }

    /// How many moves the slider on this square has to some others.
    #[inline(always)]
    fn count_from(&self, square: Square, targets: Bitboard) -> u64 {
        let mut count = 0;
        for &(from, moves) in self.entries() {
            if from == square {
                count += u64::from((moves & targets).count());
            }
        }
        count
    }

    /// How many moves are lost if this square is blocked.
    #[inline(always)]
    fn lost_beyond(&self, square: Square) -> u8 {
        let lost = self.lost.as_array_of_cells();
        if !self.is_lost_known.get() {
            for &(from, moves) in self.entries() {
                for square in moves {
                    let cell = &lost[square.index()];
                    cell.set(cell.get() + (moves & attacks::beyond(from, square)).count() as u8);
                }
            }
            self.is_lost_known.set(true);
        }
        lost[square.index()].get()
    }
}
