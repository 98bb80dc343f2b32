//! The legal moves of a position, handed to a visitor piece by piece.
//!
//! A visitor gets the circles that a piece may go to as a set: whoever counts adds up their numbers, whoever
//! plays goes through them.

use super::board::{Board, home, home_row};
use super::circle::{Circle, Circles};
use super::geometry::{Geometry, geometry};
use super::safety::{Safety, is_attacked};
use crate::chess::{Color, Role};

/// A legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    Plain {
        from: Circle,
        to: Circle,
    },
    Promotion {
        from: Circle,
        to: Circle,
        role: Role,
    },
    Castling(Side),
}

/// Where to one castles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Towards number 1.
    Left,
    /// Towards number 17.
    Right,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The letter in the name of castling.
    pub const fn letter(self) -> char {
        match self {
            Side::Left => 'L',
            Side::Right => 'R',
        }
    }

    /// Where the rook comes from, where the king crosses and the rook goes, where the king goes, and the
    /// circle beside the rook's.
    const fn numbers(self) -> [u8; 4] {
        match self {
            Side::Left => [1, 7, 5, 3],
            Side::Right => [17, 11, 13, 15],
        }
    }
}

/// The circles that castling touches.
pub(super) struct Castling {
    pub king: Circle,
    pub rook: Circle,
    /// Where the king passes and the rook ends.
    pub crossed: Circle,
    pub king_to: Circle,
    between: Circles,
}

impl Castling {
    #[inline(always)]
    pub const fn of(color: Color, side: Side) -> Castling {
        let [rook, crossed, king_to, beside_rook] = side.numbers();
        let [rook, crossed, king_to, beside_rook] = [
            home(color, rook),
            home(color, crossed),
            home(color, king_to),
            home(color, beside_rook),
        ];
        Castling {
            king: home(color, 9),
            rook,
            crossed,
            king_to,
            between: Circles(crossed.bit().0 | king_to.bit().0 | beside_rook.bit().0),
        }
    }
}

/// Takes legal moves.
pub(crate) trait Visitor {
    /// A piece that is no pawn, from one circle to each of these.
    fn piece(&mut self, role: Role, from: Circle, targets: Circles);
    /// Pawns to each of these circles, by so many bits.
    fn pawns(&mut self, step: i8, targets: Circles);
    /// The same, but each becomes one of four pieces.
    fn promotions(&mut self, step: i8, targets: Circles);
    fn castling(&mut self, side: Side);
}

impl Board {
    pub fn for_each_move(&self, visit: impl FnMut(Move)) {
        let mut listing = Listing(visit);
        match self.turn {
            Color::White => visit_moves::<true>(self, &mut listing),
            Color::Black => visit_moves::<false>(self, &mut listing),
        }
    }

    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.for_each_move(|mv| moves.push(mv));
        moves
    }

    /// The pieces of the player `WHITE`, and the others.
    #[inline(always)]
    pub(super) fn sides<const WHITE: bool>(&self) -> (Circles, Circles) {
        if WHITE {
            (self.white, self.black)
        } else {
            (self.black, self.white)
        }
    }
}

/// Hands all legal moves of the player `WHITE`, whose turn it is, to the visitor.
#[inline(always)]
pub(crate) fn visit_moves<const WHITE: bool>(board: &Board, visitor: &mut impl Visitor) {
    let geometry = geometry();
    let (own, enemies) = board.sides::<WHITE>();
    let king = (board.with_role(Role::King) & own).first();
    let safety = Safety::of::<WHITE>(geometry, board, king);
    let moving = Moving::<WHITE> {
        geometry,
        board,
        own,
        enemies,
        occupied: own | enemies,
        king,
        tried: if safety.is_check { own } else { safety.shields },
    };
    moving.visit_pieces(visitor);
    moving.visit_pawns(visitor);
    moving.visit_king(visitor);
    if !safety.is_check {
        moving.visit_castling(visitor);
    }
}

/// The number of legal moves of the player `WHITE`, whose turn it is.
#[inline(always)]
pub(crate) fn count_moves<const WHITE: bool>(board: &Board) -> u64 {
    let mut counting = Counting(0);
    visit_moves::<WHITE>(board, &mut counting);
    u64::from(counting.0)
}

/// The moves of a position that is looked at.
struct Moving<'a, const WHITE: bool> {
    geometry: &'a Geometry,
    board: &'a Board,
    own: Circles,
    enemies: Circles,
    occupied: Circles,
    king: Circle,
    /// The pieces whose moves may leave the king attacked, and have to be tried.
    tried: Circles,
}

impl<const WHITE: bool> Moving<'_, WHITE> {
    const OWN: Color = if WHITE { Color::White } else { Color::Black };
    const ENEMY: Color = if WHITE { Color::Black } else { Color::White };

    /// The two steps of a pawn forward, in bits.
    const PAWN_STEPS: [i8; 2] = if WHITE { [10, 9] } else { [-10, -9] };

    #[inline(always)]
    fn visit_pieces(&self, visitor: &mut impl Visitor) {
        let Moving {
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

    /// Pawns move and capture alike, onto any circle ahead where no piece of their own stands. Those that are not
    /// to be tried move all at once.
    #[inline(always)]
    fn visit_pawns(&self, visitor: &mut impl Visitor) {
        let pawns = self.board.with_role(Role::Pawn) & self.own;
        let free = pawns & !self.tried;
        let last_row = Circles::row(home_row(Self::ENEMY));
        for step in Self::PAWN_STEPS {
            let targets = free.shifted(step) & !self.own;
            visitor.pawns(step, targets & !last_row);
            visitor.promotions(step, targets & last_row);
            visitor.pawns(2 * step, self.double_steps(free, step));
        }
        for from in pawns & self.tried {
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

    /// Whether the king may go to a circle beside it.
    #[inline(always)]
    fn is_safe_step(&self, to: Circle) -> bool {
        !self.is_king_attacked(to, self.occupied ^ self.king.bit(), to)
    }

    /// Castling, if the king is not in check.
    #[inline(always)]
    fn visit_castling(&self, visitor: &mut impl Visitor) {
        if (self.board.castling & self.own).is_empty() {
            return;
        }
        for side in Side::BOTH {
            let castling = Castling::of(Self::OWN, side);
            let is_open = self.board.castling.has(castling.rook)
                && (castling.between & self.occupied).is_empty();
            if is_open && self.is_safe_castling(&castling) {
                visitor.castling(side);
            }
        }
    }

    fn is_safe_castling(&self, castling: &Castling) -> bool {
        let moved = castling.king.bit() | castling.rook.bit();
        let after = self.occupied ^ moved | castling.crossed.bit() | castling.king_to.bit();
        self.is_safe_step(castling.crossed)
            && !self.is_king_attacked(castling.king_to, after, castling.king_to)
    }

    /// The targets that a piece may go to without leaving its king attacked.
    #[inline(always)]
    fn legal(&self, from: Circle, targets: Circles) -> Circles {
        if self.tried.has(from) {
            self.without_exposure(from, targets)
        } else {
            targets
        }
    }

    /// Only where everybody stands in the end counts, not what a rook uncovers on its first leg.
    fn without_exposure(&self, from: Circle, targets: Circles) -> Circles {
        let is_safe = |&to: &Circle| {
            let occupied = self.occupied ^ from.bit() | to.bit();
            !self.is_king_attacked(self.king, occupied, to)
        };
        targets.filter(is_safe).collect()
    }

    /// Whether the king would be attacked on a circle after a capture on another, or none if nobody was there.
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

struct Counting(u32);

impl Visitor for Counting {
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
    fn castling(&mut self, _: Side) {
        self.0 += 1;
    }
}

/// Hands on the moves one by one.
struct Listing<F>(F);

impl<F: FnMut(Move)> Visitor for Listing<F> {
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

    fn castling(&mut self, side: Side) {
        (self.0)(Move::Castling(side));
    }
}
