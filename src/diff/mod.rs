//! Differential testing of two move generators.
//!
//! [`find`] compares two counters on many positions, depth by depth, and reports the first [`Disagreement`]: the moves
//! that lead to it, its [`Cause`], and the smallest position that reproduces it. [`explain`] says which rule a wrong move
//! breaks.
//!
//! To locate the cause, both counters are asked for the counts of every first move, and the first move with different
//! counts is followed until the moves themselves differ. Moves are compared before counts: two wrong moves can add up to
//! a right count. Both counters are asked with the moves of the path, and not only with the position at its end, because
//! the error may be in making a move, for example in keeping a castling right whose rook was captured.

mod descend;
mod explain;
mod find;
mod minimize;

pub use explain::{Explanation, Illegality, explain};
pub use find::{DiffEvent, DiffOptions, DiffReport, Refusal, find, find_after_lines};

use crate::chess::{Board, Move};
use crate::generator::{Branches, CountRequest, Counter, CounterError, MoveLine};

/// Two counters that should agree.
#[derive(Clone, Copy)]
pub struct CounterPair<'a> {
    /// The first counter, A.
    pub a: &'a dyn Counter,
    /// The second counter, B.
    pub b: &'a dyn Counter,
}

/// The result of asking both counters the same question.
#[derive(Debug)]
pub enum PairOutcome {
    /// The same moves with the same counts, which add up to this.
    Agree(u128),
    /// They give different moves or counts.
    Differ(BranchDifference),
    /// One of them does not accept the position.
    Refused(CounterError),
    /// One of them crashed, hung or printed nonsense.
    Failed(CounterError),
}

/// The difference between two sets of branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchDifference {
    /// Moves that only A has.
    pub only_a: Vec<String>,
    /// Moves that only B has.
    pub only_b: Vec<String>,
    /// Moves that both have with different counts: the move, A's count, B's count.
    pub counts: Vec<(String, u128, u128)>,
}

/// A disagreement, traced to its cause.
#[derive(Debug)]
pub struct Disagreement {
    /// The moves from the compared position to the one where the cause lies.
    pub path: Vec<Move>,
    /// What they disagree about.
    pub cause: Cause,
    /// The smallest position found that shows the same.
    pub reproduction: Reproduction,
}

/// A position, and moves to play from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproduction {
    /// The position to begin with.
    pub board: Board,
    /// The moves to play from it.
    pub moves: Vec<Move>,
}

/// What two counters disagree about.
#[derive(Debug)]
pub enum Cause {
    /// The legal moves. The difference is that of the reproduction.
    Moves(BranchDifference),
    /// The number of sequences of `depth` plies, although they agree about every position below. One of them makes or
    /// unmakes a move wrongly, or its hash table returns a wrong count.
    Counts {
        /// The depth at which they differ.
        depth: u32,
        /// The moves whose counts differ.
        difference: BranchDifference,
    },
    /// One of them fails when it counts `depth` plies.
    Failure {
        /// The depth of the count.
        depth: u32,
        /// How it fails.
        error: CounterError,
    },
}

impl CounterPair<'_> {
    /// Asks both counters. An `Err` says nothing about the position: a counter cannot be used at all, or the comparison
    /// was cancelled.
    pub fn compare(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<PairOutcome, CounterError> {
        let mut answers = Vec::with_capacity(2);
        for counter in [self.a, self.b] {
            match counter.branches(line, depth, request) {
                Ok(branches) => answers.push(branches),
                Err(error @ CounterError::Refused { .. }) => {
                    return Ok(PairOutcome::Refused(error));
                }
                Err(error @ CounterError::Failed { .. }) => return Ok(PairOutcome::Failed(error)),
                Err(error) => return Err(error),
            }
        }
        let difference = BranchDifference::between(&answers[0], &answers[1]);
        Ok(if difference == BranchDifference::default() {
            let nodes = answers[0].iter().map(|&(_, nodes)| nodes);
            PairOutcome::Agree(nodes.fold(0, u128::saturating_add))
        } else {
            PairOutcome::Differ(difference)
        })
    }

    /// Traces a disagreement about the position after a line to its cause; `None` if the counters agree at this depth.
    pub fn locate(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<Option<Disagreement>, CounterError> {
        let Some((moves, cause)) = descend::descend(self, line, depth, request)? else {
            return Ok(None);
        };
        let (reproduction, cause) = minimize::minimize(self, line.board, &moves, cause, request)?;
        Ok(Some(Disagreement {
            path: moves[line.moves.len()..].to_vec(),
            cause,
            reproduction,
        }))
    }
}

impl BranchDifference {
    fn between(a: &Branches, b: &Branches) -> BranchDifference {
        let missing_in = |there: &Branches, here: &Branches| {
            let moves = here.iter().map(|(mv, _)| mv);
            moves
                .filter(|mv| there.iter().all(|(other, _)| other != *mv))
                .cloned()
                .collect()
        };
        let count_in_b = |mv: &str| {
            b.iter()
                .find(|(other, _)| other == mv)
                .map(|&(_, nodes)| nodes)
        };
        let counts = a.iter().filter_map(|(mv, in_a)| {
            let in_b = count_in_b(mv).filter(|in_b| in_b != in_a)?;
            Some((mv.clone(), *in_a, in_b))
        });
        BranchDifference {
            only_a: missing_in(b, a),
            only_b: missing_in(a, b),
            counts: counts.collect(),
        }
    }

    /// Whether the moves differ, and not only their counts.
    pub fn has_different_moves(&self) -> bool {
        !self.only_a.is_empty() || !self.only_b.is_empty()
    }
}

impl Reproduction {
    /// The position and the moves as a line.
    pub fn line(&self) -> MoveLine<'_> {
        MoveLine {
            board: &self.board,
            moves: &self.moves,
        }
    }
}
