//! Games from PGN files of any size.
//!
//! [`for_each_game`] visits the games of a file, plain or compressed, in order:
//!
//! ```
//! use std::path::Path;
//!
//! use ninesixty::pgn;
//!
//! let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pgn/mainz-2009.pgn");
//! let games = pgn::for_each_game(&path, |game| {
//!     println!("{} - {} {}", game.white(), game.black(), game.result());
//! })?;
//! assert_eq!(games, 20);
//! # Ok::<(), pgn::ReadError>(())
//! ```
//!
//! A [`GameReader`] reads on many threads. [`Source`] splits the text into spans that threads read independently. A plain
//! file is mapped, if the caller agrees, and a thread visits the games that begin in its range of the map in place
//! (`visit`). The text of a stream arrives in pieces (`splitter`), and the games that cross the edges of its spans are
//! stitched together (`stitcher`). The games are the same wherever the edges are.
//! The tags of a [`RawGame`] are read before its moves, so that a game that is filtered out costs next to nothing.
//! [`Tokens`] yields the moves as they are written, and [`StartResolver`] finds the start that a game began from. Games
//! that are not written as programs write them are read by [pgn-reader](https://docs.rs/pgn-reader) instead.
//!
//! All input is untrusted. A file that another process changes meanwhile is an error at the end. Until then nothing breaks:
//! the text of a mapped file may change at any moment, and the parser does not rely on it for more than a result
//! (`map_guard` says how, and what happens to a file that becomes shorter).

mod boundary;
mod buffer;
mod bytes;
mod careful;
mod error;
mod foreign_text;
mod game_reader;
mod game_start;
mod map_guard;
mod movetext;
mod ratio;
mod raw_game;
mod read_full;
mod result;
mod san_text;
mod source;
mod span_queue;
mod splitter;
mod stitcher;
mod tags;
mod visit;
mod zstd_frames;

pub(crate) use careful::{CarefulGame, UnknownToken};
pub use error::ReadError;
pub use foreign_text::ForeignText;
pub use game_reader::{GameReader, ReadBuffers, SpanOffsets, for_each_game};
pub use game_start::{FenRights, GameStart, GameStartError, StartResolver};
pub(crate) use movetext::{
    Castled, count_rest, find_castling, find_result, has_unterminated_comment,
};
pub use movetext::{Token, Tokens, count_plies};
pub use raw_game::{GameMovesError, GameOffset, RawGame};
pub(crate) use result::standard_result;
pub use source::{Compression, Source, SourceOptions};
pub use tags::Tags;
