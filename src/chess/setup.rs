//! A position as somebody set it up, before anything was checked.
//!
//! A [`Setup`] walks in from a FEN or from a program that edits positions; a [`Board`] walks out, or the
//! reason why no game of Chess960 can stand like this.

use super::bitboard::Bitboard;
use super::board::Board;
use super::moves;
use super::square::{Color, Role, Square};

/// An unchecked position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    pieces: [Option<(Color, Role)>; 64],
    pub turn: Color,
    pub castling_rooks: Bitboard,
    pub en_passant: Option<Square>,
    pub halfmove_clock: u16,
    pub fullmove_number: u16,
}

/// Why a setup is not a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("{color} has {count} kings, not one")]
    Kings { color: Color, count: usize },
    #[error("a pawn stands on {0}, where no pawn can stand")]
    PawnOnEdge(Square),
    #[error("{color} has {count} pawns, more than eight")]
    Pawns { color: Color, count: usize },
    #[error("{color} has {count} pieces, more than sixteen")]
    Pieces { color: Color, count: usize },
    #[error(
        "{color} has {promoted} pieces that must have been promoted, but only {missing} pawns are gone"
    )]
    Promoted {
        color: Color,
        promoted: usize,
        missing: usize,
    },
    #[error("{waiting} is in check, but it is {turn} to move", waiting = !*turn)]
    WaitingKingInCheck { turn: Color },
    #[error("castling with {0} needs a rook there")]
    NoCastlingRook(Square),
    #[error("castling with {rook} needs {color}'s king on the same rank, but it stands on {king}")]
    CastlingKing {
        color: Color,
        king: Square,
        rook: Square,
    },
    #[error("{color} may castle with two rooks on the same side of the king")]
    CastlingTwice { color: Color },
    #[error("en passant on {0} is not on the rank that the enemy's pawns pass over")]
    EnPassantRank(Square),
    #[error(
        "en passant on {0} needs the pawn that has just passed over it, and both squares behind it empty"
    )]
    EnPassantPawn(Square),
}

impl Setup {
    /// No pieces, White to move, move 1.
    pub fn empty() -> Setup {
        Setup {
            pieces: [None; 64],
            turn: Color::White,
            castling_rooks: Bitboard::EMPTY,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    pub fn place(&mut self, color: Color, role: Role, square: Square) {
        self.pieces[square.index()] = Some((color, role));
    }

    pub fn remove(&mut self, square: Square) {
        self.pieces[square.index()] = None;
    }

    pub fn piece_at(&self, square: Square) -> Option<(Color, Role)> {
        self.pieces[square.index()]
    }

    /// The squares on which this player has a piece of this role.
    pub fn squares_of(&self, color: Color, role: Role) -> Bitboard {
        Square::all()
            .filter(|&square| self.piece_at(square) == Some((color, role)))
            .collect()
    }

    fn pieces_of(&self, color: Color) -> Bitboard {
        Role::ALL.into_iter().fold(Bitboard::EMPTY, |pieces, role| {
            pieces | self.squares_of(color, role)
        })
    }

    fn with_roles(&self, roles: &[Role]) -> Bitboard {
        Square::all()
            .filter(|&square| {
                self.piece_at(square)
                    .is_some_and(|(_, role)| roles.contains(&role))
            })
            .collect()
    }
}

impl From<&Board> for Setup {
    fn from(board: &Board) -> Setup {
        let mut pieces = [None; 64];
        for square in Square::all() {
            pieces[square.index()] = board.piece_at(square);
        }
        Setup {
            pieces,
            turn: board.turn,
            castling_rooks: board.castling,
            en_passant: board.en_passant,
            halfmove_clock: board.halfmove_clock,
            fullmove_number: board.fullmove_number,
        }
    }
}

impl TryFrom<Setup> for Board {
    type Error = SetupError;

    /// Checks the setup. An en passant square on which no capture is legal is left out of the board.
    fn try_from(setup: Setup) -> Result<Board, SetupError> {
        for color in Color::BOTH {
            check_pieces(&setup, color)?;
            check_castling(&setup, color)?;
        }
        if let Some(square) = setup.en_passant {
            check_en_passant(&setup, square)?;
        }
        let mut board = Board {
            pawns: setup.with_roles(&[Role::Pawn]),
            knights: setup.with_roles(&[Role::Knight]),
            bishops_and_queens: setup.with_roles(&[Role::Bishop, Role::Queen]),
            rooks_and_queens: setup.with_roles(&[Role::Rook, Role::Queen]),
            kings: setup.with_roles(&[Role::King]),
            white: setup.pieces_of(Color::White),
            black: setup.pieces_of(Color::Black),
            castling: setup.castling_rooks,
            en_passant: None,
            turn: !setup.turn,
            halfmove_clock: setup.halfmove_clock,
            fullmove_number: setup.fullmove_number,
        };
        if board.is_check() {
            return Err(SetupError::WaitingKingInCheck { turn: setup.turn });
        }
        board.turn = setup.turn;
        board.en_passant = setup
            .en_passant
            .filter(|&square| moves::can_capture_en_passant(&board, square));
        Ok(board)
    }
}

fn check_pieces(setup: &Setup, color: Color) -> Result<(), SetupError> {
    let count = |role| setup.squares_of(color, role).count() as usize;
    let (kings, pawns) = (count(Role::King), count(Role::Pawn));
    if kings != 1 {
        return Err(SetupError::Kings {
            color,
            count: kings,
        });
    }
    let edge = Bitboard::rank(0) | Bitboard::rank(7);
    if let Some(square) = (setup.squares_of(color, Role::Pawn) & edge).next() {
        return Err(SetupError::PawnOnEdge(square));
    }
    if pawns > 8 {
        return Err(SetupError::Pawns {
            color,
            count: pawns,
        });
    }
    let pieces = setup.pieces_of(color).count() as usize;
    if pieces > 16 {
        return Err(SetupError::Pieces {
            color,
            count: pieces,
        });
    }
    // Two bishops on one colour are let through: published suites hold shuffles that begin so.
    let promoted = count(Role::Queen).saturating_sub(1)
        + count(Role::Rook).saturating_sub(2)
        + count(Role::Knight).saturating_sub(2)
        + count(Role::Bishop).saturating_sub(2);
    if promoted > 8 - pawns {
        return Err(SetupError::Promoted {
            color,
            promoted,
            missing: 8 - pawns,
        });
    }
    Ok(())
}

fn check_castling(setup: &Setup, color: Color) -> Result<(), SetupError> {
    let castling = setup.castling_rooks & Bitboard::rank(color.home_rank());
    let king = setup.squares_of(color, Role::King).first();
    for rook in castling {
        if setup.piece_at(rook) != Some((color, Role::Rook)) {
            return Err(SetupError::NoCastlingRook(rook));
        }
        if king.rank() != rook.rank() {
            return Err(SetupError::CastlingKing { color, king, rook });
        }
    }
    let on_h_side = castling.filter(|rook| rook.file() > king.file()).count();
    if on_h_side > 1 || castling.count() as usize - on_h_side > 1 {
        return Err(SetupError::CastlingTwice { color });
    }
    let between_homes = !(Bitboard::rank(0) | Bitboard::rank(7));
    match (setup.castling_rooks & between_homes).next() {
        Some(square) => Err(SetupError::NoCastlingRook(square)),
        None => Ok(()),
    }
}

fn check_en_passant(setup: &Setup, square: Square) -> Result<(), SetupError> {
    let (rank, forward) = match setup.turn {
        Color::White => (5, -8),
        Color::Black => (2, 8),
    };
    if square.rank() != rank {
        return Err(SetupError::EnPassantRank(square));
    }
    let pawn = square.offset(forward);
    let origin = square.offset(-forward);
    let passed = setup.piece_at(pawn) == Some((!setup.turn, Role::Pawn))
        && setup.piece_at(square).is_none()
        && setup.piece_at(origin).is_none();
    if passed {
        Ok(())
    } else {
        Err(SetupError::EnPassantPawn(square))
    }
}
