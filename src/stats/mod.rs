//! Opening statistics per start.
//!
//! In walk games out of PGN databases; out walk sums, for every start: how often it was played, with what results, by
//! whom, which first moves, how both sides castled. [`count_file`] reads one file with as many threads as it is given.
//! A [`Filter`] says which games count, a [`Tally`] adds them up, a [`Tree`] keeps the openings, and
//! [`Comparison`] says which differences between starts are more than chance.
//!
//! All sums are of whole numbers and can be made in any order: however a database is cut into files, files into
//! spans, and spans given to threads, the numbers are the same.

mod comparison;
mod count;
mod facts;
mod filter;
mod lines;
mod played;
mod settings;
mod tally;
mod tree;

pub use comparison::{Comparison, FEWEST_GAMES, Interval, Noise};
pub use count::{CountFileError, Counted, FileOptions, count_file};
pub use facts::{Date, DateError, Outcome, Speed, Termination, UnknownName};
pub use filter::{Filter, RatingOf, StartSet};
pub use played::Played;
pub use settings::{Rejection, SeenGames, StatsSettings};
pub use tally::{Measure, Rejected, StartTally, Summary, Tally};
pub use tree::{Branch, Tree, TreeError};
