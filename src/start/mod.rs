//! The 960 starts of Chess960: their names, their rules, and the ways to pick among them.
//!
//! What a user typed walks in: a number, a back rank in the letters of five languages, a pattern, a
//! whole [`Selection`]. [`StartId`]s and [`BackRank`]s walk out, and both are always one of the 960,
//! so no other room has to check again. Around them stand the facts that hold before a move is
//! made: the number by formula and by table, the mirror image, how each side castles, and how dice
//! or a random number generator choose a start.
//!
//! The room knows nothing of boards, moves or files on disk, and uses no other room.

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
pub use castling::{Castling, CastlingMethod, CastlingSide, Journey};
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
