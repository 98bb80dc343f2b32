//! Our own rules of Chess960.
//!
//! A FEN or a start walks in and becomes a [`Board`], which is always a legal position; legal moves and
//! the boards after them walk out. Everything here works for classical chess and for double starts too,
//! as they are Chess960 with other squares for kings and rooks.

pub mod attacks;
mod bitboard;
mod board;
pub(crate) mod castling;
mod fen;
pub mod key;
pub(crate) mod masks;
pub(crate) mod moves;
mod notation;
mod pack;
mod play;
pub mod random;
mod san;
mod setup;
mod square;

pub use bitboard::Bitboard;
pub use board::Board;
pub use fen::{FenError, Field, man_letter};
pub use key::{Key, Keys};
pub use moves::{Move, MoveKind};
pub use notation::MoveError;
pub use pack::Packed;
pub use setup::{Setup, SetupError};
pub use square::{Color, Role, Square, SquareError};
