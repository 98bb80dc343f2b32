//! A legal position of Z-Chess, small enough to copy for every move.
//!
//! Castling rights are the set of rooks that may still castle. A right is lost by removing the circles that a move
//! touches.

use std::fmt;

use super::circle::{Circle, Circles};
use crate::chess::{Color, Role};

/// A legal position. It is parsed from text, which is validated, or created by making moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// The pieces of both colours, indexed by role.
    pub(super) pieces: [Circles; 6],
    pub(super) white: Circles,
    pub(super) black: Circles,
    /// The rooks that may still castle.
    pub(super) castling: Circles,
    pub(super) turn: Color,
}

/// Why a placement of pieces is not a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A side has not exactly one king.
    #[error("{color} has {count} kings, not one")]
    Kings {
        /// The side.
        color: Color,
        /// How many kings it has.
        count: u32,
    },
    /// There is a pawn on the first or last row.
    #[error("there is a pawn on {0}, but pawns cannot be on the first or last row")]
    PawnOnEdge(Circle),
    /// A side has more than eight pawns.
    #[error("{color} has {count} pawns, more than eight")]
    Pawns {
        /// The side.
        color: Color,
        /// How many pawns it has.
        count: u32,
    },
    /// A side has more promoted pieces than missing pawns.
    #[error(
        "{color} has at least {promoted} promoted pieces, but only {missing} pawns are missing"
    )]
    Promoted {
        /// The side.
        color: Color,
        /// The least number of its promoted pieces.
        promoted: u32,
        /// How many of its pawns are missing.
        missing: u32,
    },
    /// The side that is not to move is in check.
    #[error("{waiting} is in check, but it is {turn} to move", waiting = !*turn)]
    WaitingKingInCheck {
        /// The side to move.
        turn: Color,
    },
    /// There is a castling right, but king or rook are not on their start circles.
    #[error("castling with {rook} needs {color}'s rook there and the king on {king}")]
    Castling {
        /// The side.
        color: Color,
        /// The circle of the rook.
        rook: Circle,
        /// The circle of its king.
        king: Circle,
    },
}

impl Board {
    /// The text of the initial position.
    pub const START: &'static str = "rnbqkqbnr/pppppppp/9/8/9/8/9/PPPPPPPP/RNBQKQBNR w LRlr";

    /// The initial position.
    pub fn start() -> Board {
        Board::START.parse().expect("the start is a legal position")
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The rooks that may still castle.
    pub fn castling_rooks(&self) -> Circles {
        self.castling
    }

    /// The circles with a piece of either colour.
    #[inline(always)]
    pub fn occupied(&self) -> Circles {
        self.white | self.black
    }

    /// All pieces of a colour.
    #[inline(always)]
    pub fn pieces_of(&self, color: Color) -> Circles {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// All pieces of a role, of both colours.
    #[inline(always)]
    pub fn with_role(&self, role: Role) -> Circles {
        self.pieces[role as usize]
    }

    /// The circle of the king of a colour.
    pub fn king_of(&self, color: Color) -> Circle {
        (self.with_role(Role::King) & self.pieces_of(color)).first()
    }

    /// The piece on a circle.
    pub fn piece_at(&self, circle: Circle) -> Option<(Color, Role)> {
        let color = Color::BOTH
            .into_iter()
            .find(|&color| self.pieces_of(color).has(circle))?;
        let role = Role::ALL
            .into_iter()
            .find(|&role| self.with_role(role).has(circle))?;
        Some((color, role))
    }

    /// Whether the position is dead: no sequence of legal moves leads to mate, because both kings are alone. With any
    /// other piece a mate is possible; a single knight or bishop can mate a king in a corner.
    pub fn is_dead(&self) -> bool {
        self.occupied() == self.with_role(Role::King)
    }

    /// The board if the position is legal.
    pub(super) fn validated(self) -> Result<Board, SetupError> {
        for color in Color::BOTH {
            self.validate_pieces(color)?;
            self.validate_castling(color)?;
        }
        if self.is_in_check(!self.turn) {
            return Err(SetupError::WaitingKingInCheck { turn: self.turn });
        }
        Ok(self)
    }

    fn validate_pieces(&self, color: Color) -> Result<(), SetupError> {
        let pieces = |role| self.with_role(role) & self.pieces_of(color);
        let (kings, pawns) = (pieces(Role::King).count(), pieces(Role::Pawn).count());
        if kings != 1 {
            return Err(SetupError::Kings {
                color,
                count: kings,
            });
        }
        let edge = Circles::row(0) | Circles::row(Circle::ROWS - 1);
        if let Some(circle) = (pieces(Role::Pawn) & edge).next() {
            return Err(SetupError::PawnOnEdge(circle));
        }
        let Some(missing) = 8_u32.checked_sub(pawns) else {
            return Err(SetupError::Pawns {
                color,
                count: pawns,
            });
        };
        let promoted = Role::PROMOTIONS
            .map(|role| pieces(role).count().saturating_sub(2))
            .iter()
            .sum();
        if promoted > missing {
            return Err(SetupError::Promoted {
                color,
                promoted,
                missing,
            });
        }
        Ok(())
    }

    fn validate_castling(&self, color: Color) -> Result<(), SetupError> {
        let king = home(color, 9);
        let own = self.pieces_of(color);
        let may_castle = self.castling & Circles::row(home_row(color));
        for rook in may_castle {
            let is_home = self.with_role(Role::King).has(king) && own.has(king);
            if !is_home || !(self.with_role(Role::Rook) & own).has(rook) {
                return Err(SetupError::Castling { color, rook, king });
            }
        }
        Ok(())
    }
}

/// The home row of a side, 0 or 8.
pub(super) const fn home_row(color: Color) -> u8 {
    match color {
        Color::White => 0,
        Color::Black => Circle::ROWS - 1,
    }
}

/// The circle with this odd number on a side's home row.
pub(super) const fn home(color: Color, number: u8) -> Circle {
    match Circle::at(home_row(color), number) {
        Some(circle) => circle,
        None => panic!("home rows have the odd numbers 1 to 17"),
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}
