//! Two counters laid beside each other until the move is found about which they disagree.
//!
//! In walks a position that both count; out walks a [`Finding`]: the moves that lead to the place where the
//! two know different moves, and the smallest position that still shows it, or the position on which one of them
//! fails. The walk asks both for the counts of every first move, goes down the first one that differs, and ends where
//! the moves themselves are others. It compares names before counts: two wrong moves can make a right sum.
//!
//! A disagreement may be about the position at the end of the walk or about the way there, as when a generator
//! forgets that a captured rook cannot castle any more. So both are asked with the moves of the walk, and a finding
//! keeps as many of the last ones as it takes.

mod descend;
mod explain;
mod shrink;

pub use explain::explain;

use crate::chess::{Board, Move};
use crate::generator::{Ask, Branches, Counter, CounterError, Line};

/// Two counters that should agree.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    pub a: &'a dyn Counter,
    pub b: &'a dyn Counter,
}

/// What came of asking both the same.
#[derive(Debug)]
pub enum Outcome {
    /// The same moves with the same counts, so many sequences in all.
    Agree(u128),
    Differ(Difference),
    /// One of them does not take the position.
    Refused(CounterError),
    /// One of them crashed, hung or talked nonsense.
    Failed(CounterError),
}

/// Two sets of branches that are not the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub only_a: Vec<String>,
    pub only_b: Vec<String>,
    /// Moves that both know, with their different counts.
    pub counts: Vec<(String, u128, u128)>,
}

/// A disagreement, followed to where it comes from.
#[derive(Debug)]
pub struct Finding {
    /// The moves from the position that was asked about to where the two disagree.
    pub path: Vec<Move>,
    pub fault: Fault,
    /// The smallest position that was found to show the same, and the moves to play from it.
    pub smallest: Scene,
}

/// A position and the moves that are played from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    pub board: Board,
    pub moves: Vec<Move>,
}

/// What two counters disagree about.
#[derive(Debug)]
pub enum Fault {
    /// The legal moves. The difference is that of the smallest position.
    Moves(Difference),
    /// The number of sequences of so many plies, though each agrees with the other about every position below: the
    /// way in which one of them makes or takes back moves is wrong, or it remembers wrongly.
    Counts { depth: u32, difference: Difference },
    /// One of them fails when it counts so many plies.
    Failure { depth: u32, error: CounterError },
}

impl Pair<'_> {
    /// Asks both. An error is one that says nothing about the position: a counter cannot be used, or is to stop.
    pub fn compare(&self, line: &Line, depth: u32, ask: &Ask) -> Result<Outcome, CounterError> {
        let mut answers = Vec::with_capacity(2);
        for counter in [self.a, self.b] {
            match counter.branches(line, depth, ask) {
                Ok(branches) => answers.push(branches),
                Err(error @ CounterError::Refused { .. }) => return Ok(Outcome::Refused(error)),
                Err(error @ CounterError::Failed { .. }) => return Ok(Outcome::Failed(error)),
                Err(error) => return Err(error),
            }
        }
        let difference = Difference::between(&answers[0], &answers[1]);
        Ok(if difference == Difference::default() {
            let nodes = answers[0].iter().map(|&(_, nodes)| nodes);
            Outcome::Agree(nodes.fold(0, u128::saturating_add))
        } else {
            Outcome::Differ(difference)
        })
    }

    /// Follows the disagreement about this position at this depth to where it comes from; `None` if there is none.
    pub fn pin_down(
        &self,
        board: &Board,
        depth: u32,
        ask: &Ask,
    ) -> Result<Option<Finding>, CounterError> {
        let Some(trail) = descend::follow(self, board, depth, ask)? else {
            return Ok(None);
        };
        let descend::Trail { path, fault } = trail;
        let (smallest, fault) = shrink::shrink(self, board, &path, fault, ask)?;
        Ok(Some(Finding {
            path,
            fault,
            smallest,
        }))
    }
}

impl Difference {
    fn between(a: &Branches, b: &Branches) -> Difference {
        let missing_in = |there: &Branches, here: &Branches| {
            let names = here.iter().map(|(name, _)| name);
            names
                .filter(|name| there.iter().all(|(other, _)| other != *name))
                .cloned()
                .collect()
        };
        let count_in_b = |name: &str| {
            b.iter()
                .find(|(other, _)| other == name)
                .map(|&(_, nodes)| nodes)
        };
        let counts = a.iter().filter_map(|(name, in_a)| {
            let in_b = count_in_b(name).filter(|in_b| in_b != in_a)?;
            Some((name.clone(), *in_a, in_b))
        });
        Difference {
            only_a: missing_in(b, a),
            only_b: missing_in(a, b),
            counts: counts.collect(),
        }
    }

    /// Whether the moves themselves are others, whatever their counts.
    pub fn is_of_moves(&self) -> bool {
        !self.only_a.is_empty() || !self.only_b.is_empty()
    }
}

impl Scene {
    pub fn line(&self) -> Line<'_> {
        Line {
            board: &self.board,
            moves: &self.moves,
        }
    }
}
