//! The last two plies at once: for each of our moves the number of the enemy's replies, mostly without
//! playing the move.
//!
//! Most moves leave the enemy nearly the same replies as if we had passed. So the replies to a pass are
//! counted once, man by man ([`Replies`]), and a plain move from `f` to `t` is charged only for what it
//! changes. With our king not in check that is exact, because:
//!
//! - The enemy's knights reach the same squares: whether a target is empty or holds a man of ours is one
//!   move either way. The same holds for his sliders, but those that see `f` now look further, and those
//!   that see an empty `t` lose what lies beyond.
//! - His pawns gain captures on `t` and pushes over `f`, and lose captures on `f` and pushes over `t`.
//! - If `t` held a man of his, he loses that man's moves, and each man that guarded it gains a capture.
//!   No line is opened or closed, as the square is occupied before and after.
//! - Whether his king may step to a square or cross it in castling depends on whether we attack it. That
//!   changes only if the moved man attacks the square from `f` or from `t`, or if `f` or `t` lies on a line
//!   between the square and a slider of ours. Besides, castling needs a vacant corridor.
//! - Checks and pins change only in the same two ways, seen from his king, through at most one man.
//!
//! The squares of the last two points are known beforehand ([`Watch`]). Moves that touch the former have
//! the king's moves counted again; moves that touch the latter are played and counted in full, as are
//! promotions, castling, en passant and double pushes that allow it. All others are counted in sets: a man
//! lifted from `f` gives a new total, the pawns' changes are sizes of intersections, and only targets that
//! a slider sees, or where something is taken, are looked at one by one.

use crate::chess::attacks::{self, Sliders};
use crate::chess::castling::{self, Corridor};
use crate::chess::masks::{self, Masks};
use crate::chess::moves::{self, PawnReach, Visitor};
use crate::chess::{Bitboard, Board, Role, Square};

use super::{Leaves, Machine, Task};

/// The number of pairs of a move of the player `WHITE`, whose turn it is, and a reply.
#[inline(always)]
pub(super) fn count_replies<const WHITE: bool>(machine: impl Machine, board: &Board) -> u64 {
    if WHITE {
        count::<true, false>(machine, board)
    } else {
        count::<false, true>(machine, board)
    }
}

#[inline(always)]
fn count<const WHITE: bool, const ENEMY: bool>(machine: impl Machine, board: &Board) -> u64 {
    let masks = Masks::of::<WHITE>(board);
    if masks.checkers.any() {
        return super::count_below::<WHITE>(machine, board, 2);
    }
    let pass = Replies::to_pass::<ENEMY>(machine, board);
    if pass.sliders.is_overfull() {
        return super::count_below::<WHITE>(machine, board, 2);
    }
    let on_check = Watch::on_check::<WHITE, ENEMY>(machine, board);
    let on_king = Watch::on_king_moves::<WHITE, ENEMY>(machine, board);
    let scene = Scene::<WHITE, ENEMY> {
        board,
        pass: &pass,
        felt: pass.slid | pass.pawn_blocks,
        on_check: &on_check,
        on_king: &on_king,
        on_either: &on_check.and(&on_king),
        kings_men: kings_men::<ENEMY>(board),
    };
    let mut counting = Counting {
        machine,
        scene,
        total: 0,
    };
    moves::visit_moves_within::<WHITE>(board, machine, &masks, &mut counting);
    if let Some(target) = board.en_passant() {
        for from in moves::en_passant_captures::<WHITE>(board, machine, target) {
            counting.en_passant(from, target);
        }
    }
    counting.total
}

/// The enemy's men whose capture changes the moves of his king: he may retake, or no longer castle.
#[inline(always)]
fn kings_men<const ENEMY: bool>(board: &Board) -> Bitboard {
    let near_king = attacks::king(masks::king::<ENEMY>(board));
    (near_king | board.castling) & board.own::<ENEMY>()
}

/// The squares that our moves must neither leave nor enter for something about the enemy's king to stay
/// as it is, by who moves.
struct Watch {
    all: Bitboard,
    pawns: Bitboard,
    knights: Bitboard,
    /// Bishops and queens.
    diagonals: Bitboard,
    /// Rooks and queens.
    straights: Bitboard,
    king: Bitboard,
}

impl Watch {
    #[inline(always)]
    fn nothing() -> Watch {
        Watch {
            all: Bitboard::EMPTY,
            pawns: Bitboard::EMPTY,
            knights: Bitboard::EMPTY,
            diagonals: Bitboard::EMPTY,
            straights: Bitboard::EMPTY,
            king: Bitboard::EMPTY,
        }
    }

    /// Whether he is in check, and what we pin. A pin is a check through one man, so the lines from his
    /// king are followed through the first man on them.
    #[inline(always)]
    fn on_check<const WHITE: bool, const ENEMY: bool>(
        sliders: impl Sliders,
        board: &Board,
    ) -> Watch {
        let mut watch = Watch::nothing();
        let king = masks::king::<ENEMY>(board);
        let occupied = board.occupied();
        let diagonal = sliders.bishop(king, occupied & !sliders.bishop(king, occupied));
        let straight = sliders.rook(king, occupied & !sliders.rook(king, occupied));
        watch.add::<WHITE, ENEMY>(board, king, diagonal, straight);
        watch
    }

    /// Where he may step, and whether he may castle.
    #[inline(always)]
    fn on_king_moves<const WHITE: bool, const ENEMY: bool>(
        sliders: impl Sliders,
        board: &Board,
    ) -> Watch {
        let mut watch = Watch::nothing();
        let king = masks::king::<ENEMY>(board);
        let lifted = board.occupied() ^ king.bit();
        for square in attacks::king(king) & !board.own::<ENEMY>() {
            watch.add_square::<WHITE, ENEMY>(sliders, board, square, lifted);
        }
        for rook in board.castling & board.own::<ENEMY>() {
            let Corridor { vacant, king_path } = castling::corridor::<ENEMY>(king, rook);
            // A man of the enemy's own in the way stays there, or gives way to ours.
            if (vacant & board.own::<ENEMY>()).is_empty() {
                watch.all |= vacant;
                for square in king_path {
                    watch.add_square::<WHITE, ENEMY>(sliders, board, square, lifted ^ rook.bit());
                }
            }
        }
        watch
    }

    /// The squares that decide whether we attack this square.
    #[inline(always)]
    fn add_square<const WHITE: bool, const ENEMY: bool>(
        &mut self,
        sliders: impl Sliders,
        board: &Board,
        square: Square,
        occupied: Bitboard,
    ) {
        let diagonal = sliders.bishop(square, occupied);
        let straight = sliders.rook(square, occupied);
        self.add::<WHITE, ENEMY>(board, square, diagonal, straight);
    }

    #[inline(always)]
    fn add<const WHITE: bool, const ENEMY: bool>(
        &mut self,
        board: &Board,
        square: Square,
        diagonal: Bitboard,
        straight: Bitboard,
    ) {
        let own = board.own::<WHITE>();
        self.pawns |= attacks::pawn::<ENEMY>(square);
        self.knights |= attacks::knight(square);
        self.king |= attacks::king(square);
        self.diagonals |= diagonal;
        self.straights |= straight;
        for slider in attacks::bishop_rays(square) & board.diagonals & own {
            self.all |= attacks::between(square, slider) & diagonal;
        }
        for slider in attacks::rook_rays(square) & board.straights & own {
            self.all |= attacks::between(square, slider) & straight;
        }
    }

    /// What either of the two watches.
    #[inline(always)]
    fn and(&self, other: &Watch) -> Watch {
        Watch {
            all: self.all | other.all,
            pawns: self.pawns | other.pawns,
            knights: self.knights | other.knights,
            diagonals: self.diagonals | other.diagonals,
            straights: self.straights | other.straights,
            king: self.king | other.king,
        }
    }

    #[inline(always)]
    fn by(&self, role: Role) -> Bitboard {
        self.all
            | match role {
                Role::Pawn => self.pawns,
                Role::Knight => self.knights,
                Role::Bishop => self.diagonals,
                Role::Rook => self.straights,
                Role::Queen => self.diagonals | self.straights,
                Role::King => self.king,
            }
    }
}

/// What the enemy can reply, with one and the same set of our men standing where they stand.
#[derive(Clone)]
struct Replies {
    total: u64,
    /// The part of the total that is moves of the king, castling included.
    king: u64,
    sliders: SliderMoves,
    /// Squares that sliders reach.
    slid: Bitboard,
    pawns: PawnReach,
    double_pushes: Bitboard,
    /// Where pawns notice that a man of ours arrives.
    pawn_zone: Bitboard,
    /// Where pawns notice that a man of ours leaves.
    pawn_blocks: Bitboard,
    pinned: Bitboard,
}

impl Replies {
    /// The replies if we could pass.
    #[inline(always)]
    fn to_pass<const ENEMY: bool>(machine: impl Machine, board: &Board) -> Replies {
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
    fn lifted<const WHITE: bool, const ENEMY: bool>(
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
    fn after_entering<const ENEMY: bool>(&self, targets: Bitboard) -> u64 {
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
    fn after_taking<const WHITE: bool, const ENEMY: bool>(
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
struct SliderMoves {
    diagonals: usize,
    len: usize,
    entries: [(Square, Bitboard); SliderMoves::ROOM],
}

impl SliderMoves {
    /// Room for the sliders of a game's beginning, two more queens' worth included.
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
    fn is_overfull(&self) -> bool {
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

/// Everything that is known before our first move is looked at.
#[derive(Clone, Copy)]
struct Scene<'a, const WHITE: bool, const ENEMY: bool> {
    board: &'a Board,
    pass: &'a Replies,
    /// Where a man of ours must stand for the replies to change when it leaves.
    felt: Bitboard,
    on_check: &'a Watch,
    on_king: &'a Watch,
    on_either: &'a Watch,
    kings_men: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> Scene<'_, WHITE, ENEMY> {
    /// The sum of the replies to plain moves of one man that touch nothing watched on check, the enemy's
    /// king's moves taken for the same as after a pass.
    #[inline(always)]
    fn unplayed(&self, sliders: impl Sliders, from: Square, targets: Bitboard) -> u64 {
        if self.felt.has(from) {
            let lifted = self.pass.lifted::<WHITE, ENEMY>(sliders, self.board, from);
            self.with_lifted(sliders, &lifted, from, targets)
        } else {
            self.with_lifted(sliders, self.pass, from, targets)
        }
    }

    #[inline(always)]
    fn with_lifted(
        &self,
        sliders: impl Sliders,
        lifted: &Replies,
        from: Square,
        targets: Bitboard,
    ) -> u64 {
        let taken = targets & self.board.own::<ENEMY>();
        lifted.after_entering::<ENEMY>(targets & !taken)
            + lifted.after_taking::<WHITE, ENEMY>(sliders, self.board, from, taken)
    }

    /// The replies in the position after a move.
    #[inline(always)]
    fn played(&self, machine: impl Machine, after: &Board) -> u64 {
        machine.call(Leaves::<ENEMY>(after))
    }

    /// What to add to the replies to a move for which the enemy's king was thought to have the same moves as
    /// after a pass. It may be less than nothing, so sums of it wrap.
    #[inline(always)]
    fn correction_of_king(&self, machine: impl Machine, after: &Board) -> u64 {
        let king = machine.call(KingMoves::<ENEMY>(after));
        king.wrapping_sub(self.pass.king)
    }
}

/// Adds up the replies to each of our moves.
struct Counting<'a, M, const WHITE: bool, const ENEMY: bool> {
    machine: M,
    scene: Scene<'a, WHITE, ENEMY>,
    total: u64,
}

impl<M: Machine, const WHITE: bool, const ENEMY: bool> Counting<'_, M, WHITE, ENEMY> {
    #[inline(always)]
    fn add_played(&mut self, after: &Board) {
        self.total += self.scene.played(self.machine, after);
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
        self.total += pass.after_entering::<ENEMY>(targets & !eventful);
        for to in targets & eventful {
            self.total += self.machine.call(Eventful {
                scene: &self.scene,
                role: Role::Pawn,
                from: to.offset(-step),
                targets: to.bit(),
            });
        }
    }
}

impl<M: Machine, const WHITE: bool, const ENEMY: bool> Visitor for Counting<'_, M, WHITE, ENEMY> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
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
            pass.after_entering::<ENEMY>(targets)
        } else {
            self.machine.call(Eventful {
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
            self.add_played(&board.after_double_push::<WHITE>(self.machine, from, to));
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
        self.add_played(&self.scene.board.after_castling::<WHITE>(king, rook));
    }
}

/// Plain moves of one man of ours, some of which take something, or are felt or watched by the enemy.
struct Eventful<'a, const WHITE: bool, const ENEMY: bool> {
    scene: &'a Scene<'a, WHITE, ENEMY>,
    role: Role,
    from: Square,
    targets: Bitboard,
}

impl<const WHITE: bool, const ENEMY: bool> Task for Eventful<'_, WHITE, ENEMY> {
    type Output = u64;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> u64 {
        let Eventful {
            scene,
            role,
            from,
            targets,
        } = self;
        let on_check = scene.on_check.by(role);
        let on_king = scene.on_king.by(role);
        let unplayed = if on_check.has(from) {
            Bitboard::EMPTY
        } else {
            targets & !on_check
        };
        let king_differs = if on_king.has(from) {
            unplayed
        } else {
            unplayed & (on_king | scene.kings_men)
        };
        let mut total = 0;
        if unplayed.any() {
            total = scene.unplayed(machine, from, unplayed);
        }
        for to in king_differs {
            let after = scene.board.after_plain::<WHITE>(role, from, to);
            total = total.wrapping_add(scene.correction_of_king(machine, &after));
        }
        for to in targets & !unplayed {
            let after = scene.board.after_plain::<WHITE>(role, from, to);
            total += scene.played(machine, &after);
        }
        total
    }
}

/// The moves of the king of the player `WHITE`, castling included.
struct KingMoves<'a, const WHITE: bool>(&'a Board);

impl<const WHITE: bool> Task for KingMoves<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> u64 {
        moves::count_king_moves::<WHITE>(self.0, machine)
    }
}
