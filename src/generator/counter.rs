//! The interface that all move generators share: [`Counter`].

use std::error::Error;
use std::fmt;

use super::move_line::MoveLine;
use crate::chess::Board;
use crate::perft::{CountError, CountOptions};
use crate::run::Cancel;

/// A move generator that can be asked for counts: our own, a library's, or another program.
pub trait Counter: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &str;

    /// What it is and what it can do. A program is started to find out. By default that of a library about which nothing
    /// but its name is known.
    fn profile(&self, _cancel: &Cancel) -> Result<Profile, CounterError> {
        Ok(Profile {
            identity: self.name().to_owned(),
            protocol: "calls",
            methods: None,
            uses_hash: None,
            supports_chess960: true,
            host: CounterHost::ThisProcess,
        })
    }

    /// Every move after a line, in UCI notation, with the number of sequences of `depth` plies that begin with it,
    /// sorted by move.
    fn branches(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<Branches, CounterError>;

    /// The number of legal move sequences of `depth` plies. By default the sum of the branches.
    fn count(
        &self,
        board: &Board,
        depth: u32,
        request: &CountRequest,
    ) -> Result<u128, CounterError> {
        if depth == 0 {
            return Ok(1);
        }
        sum(&self.branches(&MoveLine::at(board), depth, request)?)
    }

    /// The number of legal move sequences of `depth` plies after a line. The counter makes the moves of the line itself.
    fn count_after(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<u128, CounterError> {
        if line.moves.is_empty() || depth == 0 {
            return self.count(line.board, depth, request);
        }
        sum(&self.branches(line, depth, request)?)
    }

    /// The number of legal move sequences of `depth` plies, counted in the fastest way.
    fn perft(&self, board: &Board, depth: u32) -> Result<u128, CounterError> {
        self.count(board, depth, &CountRequest::default())
    }

    /// Every legal move, in UCI notation, with the number of sequences of `depth` plies that begin with it, sorted by
    /// move.
    fn divide(&self, board: &Board, depth: u32) -> Result<Branches, CounterError> {
        self.branches(&MoveLine::at(board), depth, &CountRequest::default())
    }
}

/// First moves and their counts.
pub type Branches = Vec<(String, u128)>;

fn sum(branches: &Branches) -> Result<u128, CounterError> {
    let mut nodes = branches.iter().map(|&(_, nodes)| nodes);
    let sum = nodes.try_fold(0, u128::checked_add);
    Ok(sum.ok_or(CountError::TooLarge)?)
}

/// What a counter is and what it can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name and version, as far as they are known.
    pub identity: String,
    /// How it is asked for a count, such as `go perft N`.
    pub protocol: &'static str,
    /// The methods that it supports, slowest first; `None` if that is unknown.
    pub methods: Option<&'static [CountMethod]>,
    /// Whether it stores counted positions in a hash table; `None` if that is unknown.
    pub uses_hash: Option<bool>,
    /// Whether it knows the castling rules of Chess960.
    pub supports_chess960: bool,
    /// Where it runs.
    pub host: CounterHost,
}

/// Where a counter runs, which decides what its time includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterHost {
    /// In this process: the time is that of the count.
    ThisProcess,
    /// In a child process that stays: the time includes the exchange of lines, but no start.
    ChildProcess,
    /// In a new child process for every count: the time includes its start.
    ProcessPerCount,
}

/// How the last plies are counted. A later method makes fewer moves for the same count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CountMethod {
    /// Every move is made.
    EveryMove,
    /// Bulk counting: the moves of the last ply are counted and not made.
    Bulk,
    /// The moves of the last two plies are counted and not made.
    TwoPly,
}

impl fmt::Display for CountMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CountMethod::EveryMove => "every move made",
            CountMethod::Bulk => "last ply counted (bulk)",
            CountMethod::TwoPly => "last two plies counted",
        })
    }
}

/// How to count. The default is the fastest method, on the calling thread, to the end.
///
/// A counter that does not support the method uses the fastest one that it has below it. A program counts in its own
/// way, whatever the method.
#[derive(Clone, Copy)]
pub struct CountRequest<'a> {
    /// How the last plies are counted.
    pub method: CountMethod,
    /// [`Sharing`](crate::perft::Sharing) concerns only counters that can use more than one thread.
    pub options: CountOptions<'a>,
}

impl Default for CountRequest<'_> {
    fn default() -> Self {
        CountRequest {
            method: CountMethod::TwoPly,
            options: CountOptions::default(),
        }
    }
}

/// Why a counter could not count.
#[derive(Debug, thiserror::Error)]
pub enum CounterError {
    /// It does not accept the position.
    #[error("{counter} refuses the position {fen}: {reason}")]
    Refused {
        /// The name of the counter.
        counter: String,
        /// The position.
        fen: String,
        /// Why it does not accept it.
        reason: String,
    },
    /// It crashed, hung, or its answer makes no sense.
    #[error("{counter} fails on the position {fen}")]
    Failed {
        /// The name of the counter.
        counter: String,
        /// The position.
        fen: String,
        /// What went wrong.
        source: Box<dyn Error + Send + Sync>,
    },
    /// It cannot be used at all.
    #[error("{counter} cannot be used")]
    Unusable {
        /// The name of the counter.
        counter: String,
        /// Why it cannot be used.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The count was cancelled or is too large.
    #[error(transparent)]
    Count(#[from] CountError),
}

impl CounterError {
    /// Whether the error says something about the position. Any other error ends the work: the counter cannot be used at
    /// all, or the count was cancelled.
    pub fn is_about_position(&self) -> bool {
        matches!(
            self,
            CounterError::Refused { .. } | CounterError::Failed { .. }
        )
    }

    /// The message, followed by those of the underlying errors.
    pub fn message_with_sources(&self) -> String {
        let mut message = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            message += &format!(": {error}");
            source = error.source();
        }
        message
    }
}
