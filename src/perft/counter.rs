//! The one seam that all generators share: something that can be asked for counts.

use crate::chess::Board;

use super::CountError;

/// A generator asked for counts: ours, a library's, or anybody's.
pub trait Counter: Send + Sync {
    fn name(&self) -> &str;

    /// The number of legal move sequences of `depth` plies.
    fn perft(&self, board: &Board, depth: u32) -> Result<u128, CounterError>;

    /// Each first move, as UCI, and the number of sequences of `depth` plies that begin with it, in the
    /// order of the moves' names.
    fn divide(&self, board: &Board, depth: u32) -> Result<Vec<(String, u128)>, CounterError>;
}

/// Why a counter could not count.
#[derive(Debug, thiserror::Error)]
pub enum CounterError {
    #[error("{counter} refuses the position {fen}: {reason}")]
    Refused {
        counter: String,
        fen: String,
        reason: String,
    },
    #[error(transparent)]
    Count(#[from] CountError),
}
