//! A legal position of Z-Chess, small enough to copy for every move.
//!
//! Castling rights are the set of rooks that may still castle, so that a right is lost by clearing the circles
//! that a move touches.

use std::fmt;

use super::circle::{Circle, Circles};
use super::geometry::geometry;
use super::safety;
use crate::chess::{Color, Role};

/// A legal position. It is read from its text, which is checked, or made by playing moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// By role, of both colours.
    pub(super) pieces: [Circles; 6],
    pub(super) white: Circles,
    pub(super) black: Circles,
    /// The rooks that may still castle.
    pub(super) castling: Circles,
    pub(super) turn: Color,
}

/// Why pieces on circles are not a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("{color} has {count} kings, not one")]
    Kings { color: Color, count: u32 },
    #[error("a pawn stands on {0}, where no pawn can stand")]
    PawnOnEdge(Circle),
    #[error("{color} has {count} pawns, more than eight")]
    Pawns { color: Color, count: u32 },
    #[error(
        "{color} has {promoted} pieces that must have been promoted, but only {missing} pawns are gone"
    )]
    Promoted {
        color: Color,
        promoted: u32,
        missing: u32,
    },
    #[error("{waiting} is in check, but it is {turn} to move", waiting = !*turn)]
    WaitingKingInCheck { turn: Color },
    #[error("castling with {rook} needs {color}'s rook there and the king on {king}")]
    Castling {
        color: Color,
        rook: Circle,
        king: Circle,
    },
}

impl Board {
    /// The text of the position in which a game begins.
    pub const START: &'static str = "rnbqkqbnr/pppppppp/9/8/9/8/9/PPPPPPPP/RNBQKQBNR w LRlr";

    /// The position in which a game begins.
    pub fn start() -> Board {
        Board::START.parse().expect("the start is a legal position")
    }

    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The rooks that may still castle.
    pub fn castling_rooks(&self) -> Circles {
        self.castling
    }

    #[inline(always)]
    pub fn occupied(&self) -> Circles {
        self.white | self.black
    }

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

    pub fn king_of(&self, color: Color) -> Circle {
        (self.with_role(Role::King) & self.pieces_of(color)).first()
    }

    pub fn piece_at(&self, circle: Circle) -> Option<(Color, Role)> {
        let color = Color::BOTH
            .into_iter()
            .find(|&color| self.pieces_of(color).has(circle))?;
        let role = Role::ALL
            .into_iter()
            .find(|&role| self.with_role(role).has(circle))?;
        Some((color, role))
    }

    pub fn is_check(&self) -> bool {
        self.is_in_check(self.turn)
    }

    /// Whether nobody can mate any more, whatever the players do: both kings are alone. Any other piece can help
    /// to a mate, a single knight or bishop in a corner of the board.
    pub fn is_dead(&self) -> bool {
        self.occupied() == self.with_role(Role::King)
    }

    fn is_in_check(&self, color: Color) -> bool {
        let king = self.king_of(color);
        let enemies = self.pieces_of(!color);
        safety::is_attacked(geometry(), self, !color, king, self.occupied(), enemies)
    }

    /// The board if these pieces can stand like this.
    pub(super) fn checked(self) -> Result<Board, SetupError> {
        for color in Color::BOTH {
            self.check_pieces(color)?;
            self.check_castling(color)?;
        }
        if self.is_in_check(!self.turn) {
            return Err(SetupError::WaitingKingInCheck { turn: self.turn });
        }
        Ok(self)
    }

    fn check_pieces(&self, color: Color) -> Result<(), SetupError> {
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

    fn check_castling(&self, color: Color) -> Result<(), SetupError> {
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

/// The row, 0 or 8, on which this player's pieces start.
pub(super) const fn home_row(color: Color) -> u8 {
    match color {
        Color::White => 0,
        Color::Black => Circle::ROWS - 1,
    }
}

/// The circle with an odd number on this player's home row.
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
