//! Perft of many positions: move sequences, distinct positions, or sequences by the kind of their last move.

mod check;
mod table;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::decimal;
use super::game::{Game, NamedPosition, Rules};
use super::positions::Positions;
use crate::chess::Breakdown;
use crate::perft::{CountError, CountOptions, Helpers, Merger, Sharing, unmerged};
use crate::run::{Env, Job, Plan, ResultFiles, Task, TaskError};

pub use check::{Check, CheckMismatch, CheckOptions, check};

/// What is counted for each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PerftKind {
    /// Move sequences.
    Nodes,
    /// Distinct positions after each ply.
    Unique,
    /// Move sequences by the kind of their last move.
    Breakdown,
}

/// The number of plies to count: 1 to [`MOST`](Depth::MOST).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub struct Depth(u32);

/// A depth that is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("depth {0} is not between 1 and {most}", most = Depth::MOST)]
pub struct DepthError(u32);

impl Depth {
    /// The deepest count that can be asked for, far beyond what can be computed.
    pub const MOST: u32 = 20;
}

impl TryFrom<u32> for Depth {
    type Error = DepthError;

    fn try_from(plies: u32) -> Result<Depth, DepthError> {
        if (1..=Depth::MOST).contains(&plies) {
            Ok(Depth(plies))
        } else {
            Err(DepthError(plies))
        }
    }
}

impl From<Depth> for u32 {
    fn from(depth: Depth) -> u32 {
        depth.0
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Counts the move trees of positions, one task per position.
///
/// ```
/// use ninesixty::chess::Board;
/// use ninesixty::job::{PerftJob, PerftKind, Positions};
/// use ninesixty::run::{Cancel, Outcome, RunOptions, execute};
///
/// let job: PerftJob<Board> = PerftJob::new(Positions::starts("0,518")?, PerftKind::Nodes, 4.try_into()?);
/// let outcome = execute(&job, &RunOptions::default(), Cancel::NEVER, &|_| ())?;
/// let Outcome::Complete(complete) = outcome else { unreachable!("it is never cancelled") };
/// let deepest: Vec<u128> = complete.report.rows.iter().map(|row| row.nodes()[3]).collect();
/// assert_eq!(deepest, [201_143, 197_281]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PerftJob<G: Game> {
    /// The positions, a row each.
    pub positions: Positions<G>,
    /// What to count.
    pub kind: PerftKind,
    /// How deep to count; all depths from 1 on are counted.
    pub depth: Depth,
    /// The order in which positions are kept in memory. Counts do not depend on it.
    #[serde(skip, default = "default_seed")]
    pub seed: u64,
}

/// The seed where none is chosen.
pub const DEFAULT_SEED: u64 = 960;

fn default_seed() -> u64 {
    DEFAULT_SEED
}

/// What decides the counts of a position.
#[derive(Serialize)]
pub struct PerftSettings {
    rules: Rules,
    kind: PerftKind,
    depth: Depth,
}

/// The counts of one position, from depth 1 on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PerftCounts {
    /// Move sequences.
    #[serde(with = "decimal")]
    Nodes(Vec<u128>),
    /// Distinct positions.
    #[serde(with = "decimal")]
    Unique(Vec<u128>),
    /// Move sequences by the kind of their last move.
    Breakdown(Vec<Breakdown>),
}

/// The rows of a perft table.
#[derive(Clone, Debug)]
pub struct PerftReport<G> {
    /// In the order of the job's positions.
    pub rows: Vec<PerftRow<G>>,
}

/// A position and its counts.
#[derive(Clone, Debug)]
pub struct PerftRow<G> {
    /// The position.
    pub position: NamedPosition<G>,
    /// Its counts.
    pub counts: PerftCounts,
}

impl<G> PerftRow<G> {
    /// The number of sequences, or of distinct positions, by depth from 1 on.
    pub fn nodes(&self) -> Vec<u128> {
        match &self.counts {
            PerftCounts::Nodes(counts) | PerftCounts::Unique(counts) => counts.clone(),
            PerftCounts::Breakdown(found) => found.iter().map(|at| at.nodes.into()).collect(),
        }
    }
}

/// Why a position was not counted.
#[derive(Debug, thiserror::Error)]
pub enum PerftError {
    /// The count failed.
    #[error(transparent)]
    Count(#[from] CountError),
    /// The game has no breakdown.
    #[error("moves of {0} are not broken down by kind")]
    NoBreakdown(Rules),
    /// A ledger's line holds something else than these counts.
    #[error("the ledger's result is not a count of every depth from 1 to {0}")]
    Misfit(Depth),
}

impl<G: Game> PerftJob<G> {
    /// Plans to count positions.
    pub fn new(positions: Positions<G>, kind: PerftKind, depth: Depth) -> PerftJob<G> {
        PerftJob {
            positions,
            kind,
            depth,
            seed: DEFAULT_SEED,
        }
    }

    fn count(
        &self,
        board: &G,
        merger: Option<&mut Merger<G>>,
        options: &CountOptions,
    ) -> Result<PerftCounts, PerftError> {
        let depths = 1..=self.depth.0;
        match self.kind {
            PerftKind::Nodes => {
                let mut merger = merger;
                let nodes = depths.map(|depth| match &mut merger {
                    Some(merger) => merger.perft(board, depth, options),
                    None => unmerged(board, depth, options),
                });
                Ok(PerftCounts::Nodes(nodes.collect::<Result<_, _>>()?))
            }
            PerftKind::Unique => {
                let mut small = Merger::new(SMALL_BYTES, self.seed);
                let merger = merger.unwrap_or(&mut small);
                let unique = merger.unique(board, self.depth.0, options.cancel)?;
                Ok(PerftCounts::Unique(
                    unique.into_iter().map(u128::from).collect(),
                ))
            }
            PerftKind::Breakdown => {
                let breakdown = G::BREAKDOWN.ok_or(PerftError::NoBreakdown(G::RULES))?;
                let found = depths.map(|depth| breakdown(board, depth, options));
                Ok(PerftCounts::Breakdown(found.collect::<Result<_, _>>()?))
            }
        }
    }

    fn fits(&self, counts: &PerftCounts) -> bool {
        let (kind, depths) = match counts {
            PerftCounts::Nodes(counts) => (PerftKind::Nodes, counts.len()),
            PerftCounts::Unique(counts) => (PerftKind::Unique, counts.len()),
            PerftCounts::Breakdown(found) => (PerftKind::Breakdown, found.len()),
        };
        kind == self.kind && depths == self.depth.0 as usize
    }
}

/// The memory for counting distinct positions where merging is off.
const SMALL_BYTES: usize = 1 << 30;

impl<G: Game> Job for PerftJob<G> {
    const VERB: &'static str = "perft";
    const RESULTS: u32 = 1;

    type Settings = PerftSettings;
    type Output = PerftCounts;
    type Shared = ();
    /// Memory for merging transpositions, unless that is off.
    type Worker = Option<Merger<G>>;
    type Sum = Vec<(usize, PerftCounts)>;
    type Report = PerftReport<G>;
    type Error = PerftError;

    fn settings(&self) -> PerftSettings {
        PerftSettings {
            rules: G::RULES,
            kind: self.kind,
            depth: self.depth,
        }
    }

    /// The number of sequences of two plies tells well enough which trees are large.
    fn plan(&self) -> Plan {
        let rows = self.positions.iter().map(|row| {
            let NamedPosition { name, board, .. } = row;
            (board.tree_id(), name.clone(), board.perft(2))
        });
        rows.collect()
    }

    fn union(&self, other: &PerftJob<G>) -> PerftJob<G> {
        PerftJob {
            positions: self.positions.union(&other.positions),
            ..self.clone()
        }
    }

    fn start(&self) {}

    fn worker(&self, env: &Env) -> Option<Merger<G>> {
        env.worker_bytes()
            .map(|bytes| Merger::new(bytes, self.seed))
    }

    fn run(
        &self,
        (): &(),
        merger: &mut Option<Merger<G>>,
        task: &Task,
        env: &Env,
    ) -> Result<PerftCounts, TaskError<PerftError>> {
        let board = &self.positions.row(task.first_row()).board;
        let are_idle = || env.has_idle_threads();
        let options = CountOptions {
            sharing: Sharing::Helped(Helpers {
                pool: env.pool(),
                are_idle: &are_idle,
            }),
            cancel: env.cancel(),
        };
        match self.count(board, merger.as_mut(), &options) {
            Ok(counts) => Ok(counts),
            Err(PerftError::Count(CountError::Cancelled)) => Err(TaskError::Cancelled),
            Err(error) => Err(TaskError::Fatal(error)),
        }
    }

    fn absorb(
        &self,
        sum: &mut Vec<(usize, PerftCounts)>,
        task: &Task,
        output: PerftCounts,
        _: Option<&ResultFiles>,
    ) -> Result<(), PerftError> {
        if !self.fits(&output) {
            return Err(PerftError::Misfit(self.depth));
        }
        sum.push((task.index(), output));
        Ok(())
    }

    fn finish(&self, plan: &Plan, sum: Vec<(usize, PerftCounts)>) -> PerftReport<G> {
        let counts = plan.outputs_by_row(sum);
        let rows = self.positions.iter().zip(counts);
        let rows = rows.filter_map(|(position, counts)| {
            Some(PerftRow {
                position: position.clone(),
                counts: counts?,
            })
        });
        PerftReport {
            rows: rows.collect(),
        }
    }
}
