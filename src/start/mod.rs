//! The 960 starts of Chess960: numbering, notation, castling and selection.
//!
//! A start is identified by its [`StartId`] or its [`BackRank`]. Both are validated when they are created, so the
//! rest of the crate need not check them again. They are parsed from what a user types: a number, a back rank in the
//! piece letters of several languages, a pattern, or a [`Selection`] of many starts. The module also has what can be
//! said about a start before the first move: its number by formula and by table, its mirror image, how each side
//! castles, and how to draw a start with dice or a random number generator.
//!
//! It knows nothing of boards, moves or files on disk, and depends on no other module of the crate.

mod back_rank;
mod castling;
mod dice;
mod double;
mod file;
mod id;
mod king_table;
mod letters;
mod pattern;
mod placing;
mod sample;
mod scharnagl;
mod selection;

pub use back_rank::{BackRank, BackRankError, Piece};
pub use castling::{Castling, CastlingMethod, CastlingSide, PieceMove};
pub use dice::{DicePiece, DiceRecord, DiceThrow, Die, DieError};
pub use double::{
    DoubleNumberError, DoubleNumbering, DoubleStart, DoubleStartError, UnknownNumbering,
};
pub use file::File;
pub use id::{StartId, StartIdError};
pub use king_table::KingTableEntry;
pub use letters::{Letters, LettersError, UnknownLanguage, UnknownLetter};
pub use pattern::{Pattern, PatternError};
pub use sample::{Sample, SampleError};
pub use selection::{Selection, SelectionError, SelectionFault};
