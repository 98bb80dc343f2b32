//! Batch jobs, the front door of the library.
//!
//! A job is a value: [`PerftJob`], [`SearchJob`] or [`StatsJob`]. [`run::execute`](crate::run::execute) runs it on all cores,
//! with a ledger or without, and gives a typed report; the job turns the report into a
//! [`Table`](crate::table::Table). [`merge_ledgers`] puts ledgers together whatever job they are of.

mod any;
mod decimal;
mod game;
mod perft;
mod positions;
mod search;
mod stats;

pub use any::{AnyMergeError, AnyMerged, merge_ledgers};
pub use game::{BreakdownFn, Game, NamedPosition, NamingColumn, Rules, StartsError};
pub use perft::{
    Check, CheckMismatch, CheckOptions, DEFAULT_SEED, Depth, DepthError, PerftCounts, PerftError,
    PerftJob, PerftKind, PerftReport, PerftRow, PerftSettings, check,
};
pub use positions::{PositionSource, Positions, PositionsError, naming_columns};
pub use search::{
    CompareError, EngineIdentity, EngineSpec, ScoreComparison, ScorePair, ScoredPosition,
    SearchError, SearchJob, SearchReport, SearchRow, SearchSettings, SearchWorker, compare_scores,
    compare_table, read_scores,
};
pub use stats::{FileStats, InputError, PgnInput, StatsError, StatsJob, StatsReport, find_inputs};
