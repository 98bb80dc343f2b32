//! Our own rules of Chess960.
//!
//! A FEN or a start walks in and becomes a [`Board`], which is always a legal position; legal moves and
//! the boards after them walk out. Everything here works for classical chess and for double starts too,
//! as they are Chess960 with other squares for kings and rooks.

pub mod attacks;
mod bitboard;
mod board;
mod breakdown;
pub(crate) mod castling;
pub mod count;
mod fen;
pub(crate) mod masks;
pub(crate) mod moves;
mod notation;
mod pack;
mod play;
mod position;
pub mod random;
mod san;
mod setup;
mod square;
pub mod zobrist;

pub use bitboard::Bitboard;
pub use board::Board;
pub use breakdown::{Breakdown, breakdown, breakdown_at};
pub use fen::{FenError, Field, piece_letter};
pub use moves::{Move, MoveKind};
pub use notation::MoveError;
pub use pack::Packed;
pub use setup::{Setup, SetupError};
pub use square::{Color, Role, Square, SquareError};
pub use zobrist::{Zobrist, ZobristKey};
