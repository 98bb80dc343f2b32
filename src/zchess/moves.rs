//! Legal move generation.
//!
//! The generator passes sets of target circles to a [`Visitor`]: a counter adds up their sizes, a move list collector
//! splits them into single moves. Moves of a piece that may expose its king are tested one by one, as a rook that turns
//! can pin a piece in ways that are not a line.

use super::board::{Board, home, home_row};
use super::circle::{Circle, Circles};
use super::geometry::{Geometry, geometry};
use super::safety::{KingSafety, is_attacked};
use crate::chess::{Color, Role};

/// A legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A piece moves, and captures an enemy piece on the target.
    Plain {
        /// The origin.
        from: Circle,
        /// The target.
        to: Circle,
    },
    /// A pawn moves to the last row, with or without a capture, and becomes a piece of this role.
    Promotion {
        /// The origin.
        from: Circle,
        /// The target.
        to: Circle,
        /// The role after the move.
        role: Role,
    },
    /// King and rook move at once.
    Castling(Wing),
}

/// The wing to which a king castles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wing {
    /// Towards number 1.
    Left,
    /// Towards number 17.
    Right,
}

impl Wing {
    /// Both wings, from left to right.
    pub const BOTH: [Wing; 2] = [Wing::Left, Wing::Right];

    /// The letter of the wing in the castling notation.
    pub const fn letter(self) -> char {
        match self {
            Wing::Left => 'L',
            Wing::Right => 'R',
        }
    }

    /// The numbers of the rook's circle, the circle that the king crosses (which is the rook's destination), the king's
    /// destination, and the circle next to the rook.
    const fn numbers(self) -> [u8; 4] {
        match self {
            Wing::Left => [1, 7, 5, 3],
            Wing::Right => [17, 11, 13, 15],
        }
    }
}

/// The circles of a castling move.
pub(super) struct CastlingCircles {
    pub king: Circle,
    pub rook: Circle,
    /// The circle that the king crosses, which is the rook's destination.
    pub crossed: Circle,
    pub king_to: Circle,
    between: Circles,
}

impl CastlingCircles {
    #[inline(always)]
    pub const fn of(color: Color, wing: Wing) -> CastlingCircles {
        let [rook, crossed, king_to, next_to_rook] = wing.numbers();
        let [rook, crossed, king_to, next_to_rook] = [
            home(color, rook),
            home(color, crossed),
            home(color, king_to),
            home(color, next_to_rook),
        ];
        CastlingCircles {
            king: home(color, 9),
            rook,
            crossed,
            king_to,
            between: Circles(crossed.bit().0 | king_to.bit().0 | next_to_rook.bit().0),
        }
    }
}

/// Receives the legal moves of a position.
pub(crate) trait Visitor {
    /// A piece other than a pawn moves from a circle to any of the targets.
    fn piece(&mut self, role: Role, from: Circle, targets: Circles);
    /// Pawns move to the targets without promoting, each from the circle `step` bits before its target.
    fn pawns(&mut self, step: i8, targets: Circles);
    /// Pawns move to the targets and promote to any of four roles, each from the circle `step` bits before its target.
    fn promotions(&mut self, step: i8, targets: Circles);
    /// The king castles.
    fn castling(&mut self, wing: Wing);
}

impl Board {
    /// Calls `visit` with every legal move.
    pub fn for_each_move(&self, visit: impl FnMut(Move)) {
        let mut collector = MoveCollector(visit);
        match self.turn {
            Color::White => visit_moves::<true>(self, &mut collector),
            Color::Black => visit_moves::<false>(self, &mut collector),
        }
    }

    /// The legal moves, in no particular order.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.for_each_move(|mv| moves.push(mv));
        moves
    }

    /// The pieces of side `WHITE`, and those of its enemy.
    #[inline(always)]
    pub(super) fn sides<const WHITE: bool>(&self) -> (Circles, Circles) {
        if WHITE {
            (self.white, self.black)
        } else {
            (self.black, self.white)
        }
    }
}

/// Passes every legal move of side `WHITE`, which is to move, to the visitor.
#[inline(always)]
pub(crate) fn visit_moves<const WHITE: bool>(board: &Board, visitor: &mut impl Visitor) {
    let geometry = geometry();
    let (own, enemies) = board.sides::<WHITE>();
    let king = (board.with_role(Role::King) & own).first();
    let safety = KingSafety::of::<WHITE>(geometry, board, king);
    let generator = MoveGenerator::<WHITE> {
        geometry,
        board,
        own,
        enemies,
        occupied: own | enemies,
        king,
        to_test: if safety.is_check {
            own
        } else {
            safety.blockers
        },
    };
    generator.visit_pieces(visitor);
    generator.visit_pawns(visitor);
    generator.visit_king(visitor);
    if !safety.is_check {
        generator.visit_castling(visitor);
    }
}

/// The number of legal moves of side `WHITE`, which is to move (bulk counting).
#[inline(always)]
pub(crate) fn count_moves<const WHITE: bool>(board: &Board) -> u64 {
    let mut counter = BulkCounter(0);
    visit_moves::<WHITE>(board, &mut counter);
    u64::from(counter.0)
}

/// The move generator of a position with side `WHITE` to move.
struct MoveGenerator<'a, const WHITE: bool> {
    geometry: &'a Geometry,
    board: &'a Board,
    own: Circles,
    enemies: Circles,
    occupied: Circles,
    king: Circle,
    /// The pieces whose moves may leave the king in check and are tested one by one.
    to_test: Circles,
}

impl<const WHITE: bool> MoveGenerator<'_, WHITE> {
    const OWN: Color = if WHITE { Color::White } else { Color::Black };
    const ENEMY: Color = if WHITE { Color::Black } else { Color::White };

    /// The two forward steps of a pawn, in bits.
    const PAWN_STEPS: [i8; 2] = if WHITE { [10, 9] } else { [-10, -9] };

    #[inline(always)]
    fn visit_pieces(&self, visitor: &mut impl Visitor) {
        let MoveGenerator {
            geometry, occupied, ..
        } = self;
        self.visit_role(visitor, Role::Knight, |from| geometry.knight(from));
        self.visit_role(visitor, Role::Bishop, |from| {
            geometry.bishop(from, *occupied)
        });
        self.visit_role(visitor, Role::Rook, |from| geometry.rook(from, *occupied));
        self.visit_role(visitor, Role::Queen, |from| geometry.queen(from, *occupied));
    }

    #[inline(always)]
    fn visit_role(
        &self,
        visitor: &mut impl Visitor,
        role: Role,
        reach: impl Fn(Circle) -> Circles,
    ) {
        for from in self.board.with_role(role) & self.own {
            let targets = reach(from) & !self.own;
            visitor.piece(role, from, self.legal(from, targets));
        }
    }

    /// Pawns move and capture alike, to any circle diagonally ahead without a piece of their own. Those that need no
    /// test are generated as a set.
    #[inline(always)]
    fn visit_pawns(&self, visitor: &mut impl Visitor) {
        let pawns = self.board.with_role(Role::Pawn) & self.own;
        let free = pawns & !self.to_test;
        let last_row = Circles::row(home_row(Self::ENEMY));
        for step in Self::PAWN_STEPS {
            let targets = free.shifted(step) & !self.own;
            visitor.pawns(step, targets & !last_row);
            visitor.promotions(step, targets & last_row);
            visitor.pawns(2 * step, self.double_steps(free, step));
        }
        for from in pawns & self.to_test {
            let pawn = from.bit();
            for step in Self::PAWN_STEPS {
                let targets = self.legal(from, pawn.shifted(step) & !self.own);
                visitor.pawns(step, targets & !last_row);
                visitor.promotions(step, targets & last_row);
                visitor.pawns(2 * step, self.legal(from, self.double_steps(pawn, step)));
            }
        }
    }

    #[inline(always)]
    fn double_steps(&self, pawns: Circles, step: i8) -> Circles {
        let start_row = Circles::row(home_row(Self::OWN).abs_diff(1));
        let passed = (pawns & start_row).shifted(step) & !self.occupied;
        passed.shifted(step) & !self.occupied
    }

    #[inline(always)]
    fn visit_king(&self, visitor: &mut impl Visitor) {
        let targets = self.geometry.king(self.king) & !self.own;
        let targets = targets.filter(|&to| self.is_safe_step(to)).collect();
        visitor.piece(Role::King, self.king, targets);
    }

    /// Whether the king may step to a circle next to it.
    #[inline(always)]
    fn is_safe_step(&self, to: Circle) -> bool {
        !self.is_king_attacked(to, self.occupied ^ self.king.bit(), to)
    }

    /// Generates castling. The king must not be in check.
    #[inline(always)]
    fn visit_castling(&self, visitor: &mut impl Visitor) {
        if (self.board.castling & self.own).is_empty() {
            return;
        }
        for wing in Wing::BOTH {
            let castling = CastlingCircles::of(Self::OWN, wing);
            let is_open = self.board.castling.has(castling.rook)
                && (castling.between & self.occupied).is_empty();
            if is_open && self.is_safe_castling(&castling) {
                visitor.castling(wing);
            }
        }
    }

    fn is_safe_castling(&self, castling: &CastlingCircles) -> bool {
        let moved = castling.king.bit() | castling.rook.bit();
        let after = self.occupied ^ moved | castling.crossed.bit() | castling.king_to.bit();
        self.is_safe_step(castling.crossed)
            && !self.is_king_attacked(castling.king_to, after, castling.king_to)
    }

    /// The targets to which a piece may move without leaving its king in check.
    #[inline(always)]
    fn legal(&self, from: Circle, targets: Circles) -> Circles {
        if self.to_test.has(from) {
            self.tested(from, targets)
        } else {
            targets
        }
    }

    /// Tests each target with the occupancy after the move. What a rook uncovers on its first leg does not matter.
    fn tested(&self, from: Circle, targets: Circles) -> Circles {
        let is_safe = |&to: &Circle| {
            let occupied = self.occupied ^ from.bit() | to.bit();
            !self.is_king_attacked(self.king, occupied, to)
        };
        targets.filter(is_safe).collect()
    }

    /// Whether the king would be attacked on a circle, with an enemy piece on `captured`, if there is one, removed.
    #[inline(always)]
    fn is_king_attacked(&self, king: Circle, occupied: Circles, captured: Circle) -> bool {
        let enemies = self.enemies & !captured.bit();
        is_attacked(
            self.geometry,
            self.board,
            Self::ENEMY,
            king,
            occupied,
            enemies,
        )
    }
}

/// A visitor that adds up the sizes of the target sets.
struct BulkCounter(u32);

impl Visitor for BulkCounter {
    #[inline(always)]
    fn piece(&mut self, _: Role, _: Circle, targets: Circles) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn pawns(&mut self, _: i8, targets: Circles) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn promotions(&mut self, _: i8, targets: Circles) {
        self.0 += Role::PROMOTIONS.len() as u32 * targets.count();
    }

    #[inline(always)]
    fn castling(&mut self, _: Wing) {
        self.0 += 1;
    }
}

/// A move list collector: a visitor that splits the target sets into single [`Move`]s.
struct MoveCollector<F>(F);

impl<F: FnMut(Move)> Visitor for MoveCollector<F> {
    fn piece(&mut self, _: Role, from: Circle, targets: Circles) {
        for to in targets {
            (self.0)(Move::Plain { from, to });
        }
    }

    fn pawns(&mut self, step: i8, targets: Circles) {
        for to in targets {
            let from = to.offset(-step);
            (self.0)(Move::Plain { from, to });
        }
    }

    fn promotions(&mut self, step: i8, targets: Circles) {
        for to in targets {
            let from = to.offset(-step);
            for role in Role::PROMOTIONS {
                (self.0)(Move::Promotion { from, to, role });
            }
        }
    }

    fn castling(&mut self, wing: Wing) {
        (self.0)(Move::Castling(wing));
    }
}
