//! Ledgers of any job: the one place that knows every verb that keeps one.

use std::path::PathBuf;

use serde::Deserialize;

use super::game::Rules;
use super::{PerftError, PerftJob, SearchError, SearchJob, StatsError, StatsJob};
use crate::run::{Identity, LedgerError, MergeError, Merged, merge, read_identity};
use crate::{chess, zchess};

/// What ledgers hold, by the job they are of.
#[derive(Debug)]
pub enum AnyMerged {
    /// Perft of chess positions.
    Perft(Merged<PerftJob<chess::Board>>),
    /// Perft of Z-Chess positions.
    Zchess(Merged<PerftJob<zchess::Board>>),
    /// Searches.
    Search(Merged<SearchJob>),
    /// Statistics.
    Stats(Merged<StatsJob>),
}

/// Why ledgers cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum AnyMergeError {
    /// There is nothing to merge.
    #[error("there is nothing to merge")]
    NoLedger,
    /// The first ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A verb of another version.
    #[error("these are ledgers of `{0}`, which this version cannot merge")]
    UnknownVerb(String),
    /// Ledgers of perft.
    #[error(transparent)]
    Perft(#[from] MergeError<PerftError>),
    /// Ledgers of searches.
    #[error(transparent)]
    Search(#[from] MergeError<SearchError>),
    /// Ledgers of statistics.
    #[error(transparent)]
    Stats(#[from] MergeError<StatsError>),
}

/// Merges ledgers of one job, whichever it is.
pub fn merge_ledgers(paths: &[PathBuf]) -> Result<AnyMerged, AnyMergeError> {
    let first = paths.first().ok_or(AnyMergeError::NoLedger)?;
    let identity = read_identity(first)?;
    Ok(match identity.verb() {
        "perft" => match rules_of(&identity) {
            Rules::Chess960 => AnyMerged::Perft(merge(paths)?),
            Rules::Zchess => AnyMerged::Zchess(merge(paths)?),
        },
        "search" => AnyMerged::Search(merge(paths)?),
        "stats" => AnyMerged::Stats(merge(paths)?),
        verb => return Err(AnyMergeError::UnknownVerb(verb.to_owned())),
    })
}

/// The game of a perft ledger. If its settings make no sense, merging it says so.
fn rules_of(identity: &Identity) -> Rules {
    #[derive(Deserialize)]
    struct Settings {
        rules: Rules,
    }
    let settings = serde_json::from_str(identity.settings());
    settings.map_or(Rules::Chess960, |settings: Settings| settings.rules)
}
