//! The rules of Chess960: board representation, move generation, FEN, notation and fast perft.
//!
//! A [`Board`] is always a legal position. It is created from a FEN, a [`Setup`] or a start, generates its legal
//! [`Move`]s and makes them. Classical chess and double starts are covered as well: they are Chess960 with other
//! squares for kings and rooks.

pub(crate) mod attacks;
pub(crate) mod bit_ops;
mod bitboard;
mod board;
mod breakdown;
pub(crate) mod castling;
pub mod count;
mod diagram;
mod fen;
pub(crate) mod masks;
pub(crate) mod moves;
mod notation;
mod pack;
mod packed_move;
mod play;
mod position;
pub mod random;
mod san;
mod serialize;
mod setup;
mod square;
mod start_position;
mod zobrist;

pub use bitboard::Bitboard;
pub use board::Board;
pub use breakdown::{Breakdown, breakdown, breakdown_at};
pub use diagram::figurine;
pub(crate) use fen::piece_letter;
pub use fen::{FenError, Field};
pub use moves::{Move, MoveKind};
pub use notation::MoveError;
pub use pack::Packed;
pub(crate) use packed_move::PackedMove;
pub use setup::{Setup, SetupError};
pub use square::{Color, Role, Square, SquareError};
pub use zobrist::{Zobrist, ZobristKey};
