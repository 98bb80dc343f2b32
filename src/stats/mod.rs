//! Opening statistics per start, counted from PGN files.
//!
//! [`count_file`] reads one file on several threads and returns, for every start, how often it was played, the results,
//! the first moves, and how both sides castled. A [`Filter`] selects the games, a [`Tally`] holds the sums, an
//! [`OpeningTree`] holds the moves of the openings, and a [`StartComparison`] tests which differences between starts
//! are more than chance.
//!
//! All sums are integers and can be added in any order. The results do not depend on how a database is split into files,
//! or how a file is split between threads.

#![warn(missing_docs)]

mod comparison;
mod count;
mod filter;
mod fold_hash;
mod group;
mod line_cache;
mod line_record;
mod move_tally;
mod opening_tree;
mod settings;
mod tag_values;
mod tally;
mod tree_moves;

pub use comparison::{
    ConfidenceInterval, Entropy, HomogeneityTest, MIN_GAMES_TO_COMPARE, StartComparison,
};
pub use count::{CountFileError, CountedFile, FileOptions, count_file};
pub use filter::{Filter, RatingOf, StartSet};
pub use group::{Group, GroupBy, GroupByError, GroupError, GroupKeys};
pub use move_tally::MoveTally;
pub use opening_tree::{OpeningTree, TreeError, TreeMemory};
pub use settings::{Rejection, SeenGames, StatsSettings, TextReader};
pub use tag_values::{Date, DateError, GameOutcome, Speed, Termination, Title, UnknownName};
pub use tally::{Metric, Rejected, StartTally, Summary, Tally};
pub use tree_moves::{MoveCount, TreeMove, TreeOptions};
