//! Games out of PGN databases of any size.
//!
//! In walks a file, plain or compressed, or standard input; out walk its games, one by one, on as many threads as are
//! given to it. A [`Source`] cuts the text into spans that threads read on their own; what hangs over the edges of
//! a span is stitched together again, and the games are the same wherever the edges fell. [`Tags`] are read before a
//! move is looked at, so that a game nobody asked for costs next to nothing; a [`Walk`] gives the moves as they are
//! written, and [`Origins`] tell from which start a game began, or why from none.
//!
//! Everything in here came from somebody else's file. Bytes are copied before they are looked at, so a file that
//! changes meanwhile can change a number, which is noticed, but cannot pull the ground from under a parser.

mod cut;
mod error;
mod frames;
mod movetext;
mod origin;
mod reading;
mod seams;
mod shelf;
mod source;
mod tags;

pub use error::ReadError;
pub use movetext::{Castled, Item, Walk, castles, last_token, length, unfinished_comment};
pub use origin::{Origin, Origins, Refusal, Rights};
pub use reading::{Place, Places, Reading, Scratch, Unread};
pub use source::{Compression, Source};
pub use tags::Tags;
