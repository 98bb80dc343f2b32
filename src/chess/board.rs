//! A legal position of Chess960, small enough to copy for every move.
//!
//! Queens stand in two sets, with the bishops as `bishops_and_queens` and with the rooks as `rooks_and_queens`: whoever
//! asks about a line wants them there, and two sets say what three would. Castling rights are the set of
//! rooks that may still castle, so that a right is lost by clearing the squares a move touches, wherever
//! king and rooks started.

use std::fmt;

use crate::start::{BackRank, DoubleStart, StartId};

use super::attacks::{self, HYPERBOLA, Sliders};
use super::bitboard::Bitboard;
use super::setup::Setup;
use super::square::{Color, Role, Square};

/// A legal position. It is made from a [`Setup`], which checks it, or by playing moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    pub(crate) pawns: Bitboard,
    pub(crate) knights: Bitboard,
    /// Bishops and queens.
    pub(crate) bishops_and_queens: Bitboard,
    /// Rooks and queens.
    pub(crate) rooks_and_queens: Bitboard,
    pub(crate) kings: Bitboard,
    pub(crate) white: Bitboard,
    pub(crate) black: Bitboard,
    /// The rooks that may still castle.
    pub(crate) castling: Bitboard,
    /// The square a pawn has just passed over, if an en passant capture there is legal.
    pub(crate) en_passant: Option<Square>,
    pub(crate) turn: Color,
    pub(crate) halfmove_clock: u16,
    pub(crate) fullmove_number: u16,
}

impl Board {
    /// The position in which a game from this start begins.
    pub fn from_start(start: StartId) -> Board {
        Board::from_double_start(DoubleStart {
            white: start,
            black: start,
        })
    }

    /// The position in which a game begins with White's and Black's pieces shuffled on their own.
    pub fn from_double_start(start: DoubleStart) -> Board {
        let mut setup = Setup::empty();
        for (color, id) in [(Color::White, start.white), (Color::Black, start.black)] {
            let home = color.home_rank();
            let pawn_rank = home.abs_diff(1);
            for (file, piece) in (0..).zip(BackRank::from(id).pieces()) {
                let role = Role::from(piece);
                setup.place(color, role, Square::at(file, home));
                setup.place(color, Role::Pawn, Square::at(file, pawn_rank));
                if role == Role::Rook {
                    setup.castling_rooks |= Square::at(file, home).bit();
                }
            }
        }
        Board::try_from(setup).expect("every start is a legal position")
    }

    /// The start that this position is, if it is one with all its castling rights.
    pub fn double_start(&self) -> Option<DoubleStart> {
        let [white, black] = Color::BOTH.map(|color| self.back_rank(color));
        let start = DoubleStart {
            white: white?.id(),
            black: black?.id(),
        };
        let begun = Board {
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number,
            ..Board::from_double_start(start)
        };
        (*self == begun).then_some(start)
    }

    fn back_rank(&self, color: Color) -> Option<BackRank> {
        use crate::start::Piece;
        let mut pieces = [Piece::King; 8];
        for (file, piece) in (0..).zip(&mut pieces) {
            *piece = match self.piece_at(Square::at(file, color.home_rank()))?.1 {
                Role::Pawn => return None,
                Role::Knight => Piece::Knight,
                Role::Bishop => Piece::Bishop,
                Role::Rook => Piece::Rook,
                Role::Queen => Piece::Queen,
                Role::King => Piece::King,
            };
        }
        BackRank::try_from(pieces).ok()
    }

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

    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.white | self.black
    }

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

    pub fn king_of(&self, color: Color) -> Square {
        (self.kings & self.pieces_of(color)).first()
    }

    pub fn piece_at(&self, square: Square) -> Option<(Color, Role)> {
        let color = Color::BOTH
            .into_iter()
            .find(|&color| self.pieces_of(color).has(square))?;
        let role = Role::ALL
            .into_iter()
            .find(|&role| self.with_role(role).has(square))?;
        Some((color, role))
    }

    /// The pieces that give check.
    pub fn checkers(&self) -> Bitboard {
        let king = self.king_of(self.turn);
        match self.turn {
            Color::White => self.attackers::<true>(HYPERBOLA, king, self.occupied()),
            Color::Black => self.attackers::<false>(HYPERBOLA, king, self.occupied()),
        }
    }

    pub fn is_check(&self) -> bool {
        self.checkers().any()
    }

    /// The position with White and Black exchanged and the board turned round between them. It has the
    /// same move tree; a position mirrored from left to right has not, because of castling.
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

    #[inline(always)]
    pub(crate) fn own<const WHITE: bool>(&self) -> Bitboard {
        if WHITE { self.white } else { self.black }
    }

    #[inline(always)]
    pub(crate) fn enemy<const WHITE: bool>(&self) -> Bitboard {
        if WHITE { self.black } else { self.white }
    }

    /// The enemies of the player `WHITE` that attack a square, with `occupied` standing in the way.
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
