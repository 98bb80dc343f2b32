//! A legal position of Chess960, small enough to copy for every move.
//!
//! The board is a set of bitboards. Queens are in two of them, `bishops_and_queens` and `rooks_and_queens`: slider
//! attacks need them there, and two sets hold the information of three. Castling rights are the set of rooks that may
//! still castle. A right is lost by removing the squares that a move touches, wherever king and rooks started.

use std::fmt;

use super::attacks::{self, HYPERBOLA, Sliders};
use super::bitboard::Bitboard;
use super::square::{Color, Role, Square};

/// A legal position. It is created from a [`Setup`](super::Setup), which is validated, or by making moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    pub(crate) pawns: Bitboard,
    pub(crate) knights: Bitboard,
    pub(crate) bishops_and_queens: Bitboard,
    pub(crate) rooks_and_queens: Bitboard,
    pub(crate) kings: Bitboard,
    pub(crate) white: Bitboard,
    pub(crate) black: Bitboard,
    /// The rooks that may still castle.
    pub(crate) castling: Bitboard,
    /// The square that a pawn has just passed with a double push, if an en passant capture there is legal.
    pub(crate) en_passant: Option<Square>,
    pub(crate) turn: Color,
    pub(crate) halfmove_clock: u16,
    pub(crate) fullmove_number: u16,
}

impl Board {
    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The square on which an en passant capture is legal, if there is one.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// The rooks that may still castle.
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The move number of the FEN: 1 in the initial position, increased after each move of Black.
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The squares with a piece of either colour.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.white | self.black
    }

    /// All pieces of a colour.
    pub fn pieces_of(&self, color: Color) -> Bitboard {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// All pieces of a role, of both colours.
    pub fn with_role(&self, role: Role) -> Bitboard {
        match role {
            Role::Pawn => self.pawns,
            Role::Knight => self.knights,
            Role::Bishop => self.bishops_and_queens & !self.rooks_and_queens,
            Role::Rook => self.rooks_and_queens & !self.bishops_and_queens,
            Role::Queen => self.bishops_and_queens & self.rooks_and_queens,
            Role::King => self.kings,
        }
    }

    /// The square of the king of a colour.
    pub fn king_of(&self, color: Color) -> Square {
        (self.kings & self.pieces_of(color)).first()
    }

    /// The piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<(Color, Role)> {
        let color = Color::BOTH
            .into_iter()
            .find(|&color| self.pieces_of(color).has(square))?;
        let role = Role::ALL
            .into_iter()
            .find(|&role| self.with_role(role).has(square))?;
        Some((color, role))
    }

    /// The enemy pieces that give check to the side to move.
    pub fn checkers(&self) -> Bitboard {
        let king = self.king_of(self.turn);
        match self.turn {
            Color::White => self.attackers::<true>(HYPERBOLA, king, self.occupied()),
            Color::Black => self.attackers::<false>(HYPERBOLA, king, self.occupied()),
        }
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.checkers().any()
    }

    /// The position with the colours swapped and the board flipped vertically. It has the same move tree. (A board
    /// that is mirrored horizontally has not, because of castling.)
    pub fn flipped(&self) -> Board {
        let flip = |squares: Bitboard| Bitboard(squares.0.swap_bytes());
        Board {
            pawns: flip(self.pawns),
            knights: flip(self.knights),
            bishops_and_queens: flip(self.bishops_and_queens),
            rooks_and_queens: flip(self.rooks_and_queens),
            kings: flip(self.kings),
            white: flip(self.black),
            black: flip(self.white),
            castling: flip(self.castling),
            en_passant: self.en_passant.map(Square::flipped),
            turn: !self.turn,
            ..*self
        }
    }

    /// The pieces of side `WHITE`.
    #[inline(always)]
    pub(crate) fn own<const WHITE: bool>(&self) -> Bitboard {
        if WHITE { self.white } else { self.black }
    }

    /// The enemy pieces of side `WHITE`.
    #[inline(always)]
    pub(crate) fn enemy<const WHITE: bool>(&self) -> Bitboard {
        if WHITE { self.black } else { self.white }
    }

    /// The enemy pieces of side `WHITE` that attack a square, given the occupied squares.
    #[inline(always)]
    pub(crate) fn attackers<const WHITE: bool>(
        &self,
        sliders: impl Sliders,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let attackers = attacks::pawn::<WHITE>(square) & self.pawns
            | attacks::knight(square) & self.knights
            | attacks::king(square) & self.kings
            | sliders.bishop(square, occupied) & self.bishops_and_queens
            | sliders.rook(square, occupied) & self.rooks_and_queens;
        attackers & self.enemy::<WHITE>()
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.x_fen())
    }
}
