//! An unvalidated position.
//!
//! A [`Setup`] is built from a FEN or piece by piece. Converting it to a [`Board`] validates it: the result is a legal
//! position of Chess960, or the reason why there is none.

use super::bitboard::Bitboard;
use super::board::Board;
use super::moves;
use super::square::{Color, Role, Square};

/// An unvalidated position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The squares of each role, and of each colour. A square is in one of each or in none.
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    /// The side to move.
    pub turn: Color,
    /// The rooks that may still castle.
    pub castling_rooks: Bitboard,
    /// The square that a pawn has just passed with a double push.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the move.
    pub fullmove_number: u16,
}

/// Why a setup is not a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A side has not exactly one king.
    #[error("{color} has {count} kings, not one")]
    Kings {
        /// The side.
        color: Color,
        /// How many kings it has.
        count: usize,
    },
    /// There is a pawn on the first or last rank.
    #[error("there is a pawn on {0}, but pawns cannot be on the first or last rank")]
    PawnOnEdge(Square),
    /// A side has more than eight pawns.
    #[error("{color} has {count} pawns, more than eight")]
    Pawns {
        /// The side.
        color: Color,
        /// How many pawns it has.
        count: usize,
    },
    /// A side has more than sixteen pieces.
    #[error("{color} has {count} pieces, more than sixteen")]
    Pieces {
        /// The side.
        color: Color,
        /// How many pieces it has.
        count: usize,
    },
    /// A side has more promoted pieces than missing pawns.
    #[error(
        "{color} has at least {promoted} promoted pieces, but only {missing} pawns are missing"
    )]
    Promoted {
        /// The side.
        color: Color,
        /// The least number of its promoted pieces.
        promoted: usize,
        /// How many of its pawns are missing.
        missing: usize,
    },
    /// The side that is not to move is in check.
    #[error("{waiting} is in check, but it is {turn} to move", waiting = !*turn)]
    WaitingKingInCheck {
        /// The side to move.
        turn: Color,
    },
    /// There is a castling right without its rook.
    #[error("castling with {0} needs a rook there")]
    NoCastlingRook(Square),
    /// There is a castling right, but the king is not on the home rank.
    #[error("castling with {rook} needs {color}'s king on the same rank, but it is on {king}")]
    CastlingKing {
        /// The side.
        color: Color,
        /// The square of its king.
        king: Square,
        /// The square of the rook that it may castle with.
        rook: Square,
    },
    /// There are two castling rights on the same side of the king.
    #[error("{color} may castle with two rooks on the same side of the king")]
    CastlingTwice {
        /// The side.
        color: Color,
    },
    /// The en passant square is on the wrong rank.
    #[error("en passant on {0} is not on the rank that enemy pawns pass with a double push")]
    EnPassantRank(Square),
    /// No pawn can just have passed the en passant square.
    #[error(
        "en passant on {0} needs the pawn that has just passed it, and both squares behind that pawn empty"
    )]
    EnPassantPawn(Square),
}

impl Setup {
    /// No pieces, White to move, move 1.
    pub fn empty() -> Setup {
        Setup {
            roles: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            turn: Color::White,
            castling_rooks: Bitboard::EMPTY,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    /// Puts a piece on a square, replacing what was there.
    pub fn place(&mut self, color: Color, role: Role, square: Square) {
        self.remove(square);
        self.roles[role as usize] |= square.bit();
        self.colors[color as usize] |= square.bit();
    }

    /// Empties a square.
    pub fn remove(&mut self, square: Square) {
        for squares in self.roles.iter_mut().chain(&mut self.colors) {
            *squares &= !square.bit();
        }
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

    /// The squares of the pieces of a colour and role.
    pub fn squares_of(&self, color: Color, role: Role) -> Bitboard {
        self.pieces_of(color) & self.with_role(role)
    }

    fn pieces_of(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    fn with_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize]
    }
}

impl From<&Board> for Setup {
    fn from(board: &Board) -> Setup {
        let mut setup = Setup {
            turn: board.turn,
            castling_rooks: board.castling,
            en_passant: board.en_passant,
            halfmove_clock: board.halfmove_clock,
            fullmove_number: board.fullmove_number,
            ..Setup::empty()
        };
        for square in board.occupied() {
            if let Some((color, role)) = board.piece_at(square) {
                setup.place(color, role, square);
            }
        }
        setup
    }
}

impl TryFrom<Setup> for Board {
    type Error = SetupError;

    /// Validates the setup. The board has an en passant square only if a capture there is legal.
    fn try_from(setup: Setup) -> Result<Board, SetupError> {
        for color in Color::BOTH {
            check_pieces(&setup, color)?;
            check_castling(&setup, color)?;
        }
        if let Some(square) = setup.en_passant {
            check_en_passant(&setup, square)?;
        }
        let mut board = Board {
            pawns: setup.with_role(Role::Pawn),
            knights: setup.with_role(Role::Knight),
            bishops_and_queens: setup.with_role(Role::Bishop) | setup.with_role(Role::Queen),
            rooks_and_queens: setup.with_role(Role::Rook) | setup.with_role(Role::Queen),
            kings: setup.with_role(Role::King),
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
    // Two bishops on squares of the same colour are allowed: published test suites have such initial positions.
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
    let other_ranks = !(Bitboard::rank(0) | Bitboard::rank(7));
    match (setup.castling_rooks & other_ranks).next() {
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
