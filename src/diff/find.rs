//! Compares two counters on many positions until they disagree.

use std::sync::{Mutex, MutexGuard};

use rayon::prelude::*;

use super::{CounterPair, Disagreement, PairOutcome};
use crate::chess::Board;
use crate::generator::{CountRequest, CounterError, MoveLineBuf, ensure_working};
use crate::perft::CountOptions;
use crate::run::Cancel;

/// How [`find`] compares.
#[derive(Clone, Copy)]
pub struct DiffOptions<'a> {
    /// Counts of 1, 2, … up to this many plies are compared.
    pub depth: u32,
    /// Ends the comparison early.
    pub cancel: &'a Cancel,
    /// Called from any thread.
    pub progress: Option<&'a (dyn Fn(DiffEvent) + Sync)>,
}

impl Default for DiffOptions<'_> {
    /// To depth 3.
    fn default() -> Self {
        DiffOptions {
            depth: 3,
            cancel: Cancel::NEVER,
            progress: None,
        }
    }
}

/// A step of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffEvent {
    /// All positions are now compared at this depth.
    DepthStarted(u32),
    /// The counters agree about another position at this depth.
    PositionDone,
}

/// The result of a comparison.
#[derive(Debug)]
pub enum DiffReport {
    /// The counters agree about every position that both accept.
    Agree {
        /// The number of positions that both accept.
        positions: usize,
        /// The sequences of the full depth in these positions.
        nodes: u128,
        /// The positions that one of them does not accept, by index.
        refused: Vec<Refusal>,
    },
    /// They disagree.
    Disagree {
        /// The index of the first position with a difference at this depth.
        index: usize,
        /// The depth.
        depth: u32,
        /// The disagreement, traced to its cause.
        disagreement: Box<Disagreement>,
    },
    /// They disagreed about a position, but agreed when asked again: one of them does not always give the same answer.
    Inconsistent {
        /// The index of the position.
        index: usize,
        /// The depth of the first answer.
        depth: u32,
    },
}

/// A position that a counter does not accept.
#[derive(Debug)]
pub struct Refusal {
    /// The index of the position.
    pub index: usize,
    /// What the counter said.
    pub error: CounterError,
}

/// Compares two counters on all positions at depth 1, then at depth 2, and so on, and locates the first disagreement.
/// The positions are spread over the threads of the current rayon pool. A counter that fails on one of them and on the
/// simplest positions is [unusable](CounterError::Unusable).
///
/// ```
/// use ninesixty::chess::Board;
/// use ninesixty::diff::{self, CounterPair, DiffOptions, DiffReport};
/// use ninesixty::generator::{Own, Shakmaty};
/// use ninesixty::start::StartId;
///
/// let pair = CounterPair { a: &Own, b: &Shakmaty };
/// let starts = [Board::from_start(StartId::CLASSICAL)];
/// let report = diff::find(&pair, &starts, &DiffOptions::default())?;
/// assert!(matches!(report, DiffReport::Agree { nodes: 8_902, .. }));
/// # Ok::<(), ninesixty::generator::CounterError>(())
/// ```
pub fn find(
    pair: &CounterPair,
    positions: &[Board],
    options: &DiffOptions,
) -> Result<DiffReport, CounterError> {
    let lines: Vec<MoveLineBuf> = positions.iter().map(|&board| board.into()).collect();
    find_after_lines(pair, &lines, options)
}

/// The same for the positions after lines, whose moves the counters make themselves. A line that is read from a FEN
/// [keeps the en passant square](MoveLineBuf).
pub fn find_after_lines(
    pair: &CounterPair,
    positions: &[MoveLineBuf],
    options: &DiffOptions,
) -> Result<DiffReport, CounterError> {
    let comparison = Comparison {
        pair,
        positions,
        progress: options.progress,
        request: CountRequest {
            options: CountOptions {
                cancel: options.cancel,
                ..CountOptions::default()
            },
            ..CountRequest::default()
        },
        refused: Mutex::default(),
    };
    let mut nodes = 0;
    for depth in 1..=options.depth {
        match comparison.at_depth(depth)? {
            AtDepth::Agree(sum) => nodes = sum,
            AtDepth::Disagree(index) => return comparison.locate(index, depth),
            AtDepth::Fail(index) => {
                ensure_working(pair.a, options.cancel)?;
                ensure_working(pair.b, options.cancel)?;
                return comparison.locate(index, depth);
            }
        }
    }
    let mut refused = comparison.refused.into_inner().expect(NO_PANIC);
    refused.sort_by_key(|refusal| refusal.index);
    Ok(DiffReport::Agree {
        positions: positions.len() - refused.len(),
        nodes,
        refused,
    })
}

struct Comparison<'a> {
    pair: &'a CounterPair<'a>,
    positions: &'a [MoveLineBuf],
    progress: Option<&'a (dyn Fn(DiffEvent) + Sync)>,
    request: CountRequest<'a>,
    refused: Mutex<Vec<Refusal>>,
}

/// The result of comparing all positions at one depth.
enum AtDepth {
    /// The sum of the counts.
    Agree(u128),
    /// The index of the first position with a difference.
    Disagree(usize),
    /// The index of the first position with a difference, which is that a counter fails.
    Fail(usize),
}

const NO_PANIC: &str = "nothing panics while it holds the lock";

impl Comparison<'_> {
    fn at_depth(&self, depth: u32) -> Result<AtDepth, CounterError> {
        self.report(DiffEvent::DepthStarted(depth));
        let nodes = Mutex::new(0_u128);
        let compare = |(index, position): (usize, &MoveLineBuf)| {
            if self.is_refused(index) {
                return None;
            }
            match self.pair.compare(&position.as_line(), depth, &self.request) {
                Ok(PairOutcome::Agree(count)) => {
                    let mut nodes = nodes.lock().expect(NO_PANIC);
                    *nodes = nodes.saturating_add(count);
                    self.report(DiffEvent::PositionDone);
                    None
                }
                Ok(PairOutcome::Refused(error)) => {
                    self.refused().push(Refusal { index, error });
                    None
                }
                Ok(PairOutcome::Differ(_)) => Some(Ok(AtDepth::Disagree(index))),
                Ok(PairOutcome::Failed(_)) => Some(Ok(AtDepth::Fail(index))),
                Err(error) => Some(Err(error)),
            }
        };
        let indexed = self.positions.par_iter().with_max_len(1).enumerate();
        Ok(match indexed.find_map_first(compare).transpose()? {
            Some(difference) => difference,
            None => AtDepth::Agree(nodes.into_inner().expect(NO_PANIC)),
        })
    }

    fn locate(&self, index: usize, depth: u32) -> Result<DiffReport, CounterError> {
        let line = self.positions[index].as_line();
        let disagreement = self.pair.locate(&line, depth, &self.request)?;
        Ok(match disagreement {
            Some(disagreement) => DiffReport::Disagree {
                index,
                depth,
                disagreement: Box::new(disagreement),
            },
            None => DiffReport::Inconsistent { index, depth },
        })
    }

    fn report(&self, event: DiffEvent) {
        if let Some(progress) = self.progress {
            progress(event);
        }
    }

    fn refused(&self) -> MutexGuard<'_, Vec<Refusal>> {
        self.refused.lock().expect(NO_PANIC)
    }

    fn is_refused(&self, index: usize) -> bool {
        self.refused().iter().any(|refusal| refusal.index == index)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

    use super::*;
    use crate::diff::Cause;
    use crate::generator::{Branches, Counter, Cozy, MoveLine, Own, Profile};

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    /// Our own generator with castling left out, as often as `lies` says.
    struct NoCastling {
        lies: AtomicU32,
    }

    impl Counter for NoCastling {
        fn name(&self) -> &str {
            "no castling"
        }

        fn profile(&self, cancel: &Cancel) -> Result<Profile, CounterError> {
            Own.profile(cancel)
        }

        fn branches(
            &self,
            line: &MoveLine,
            depth: u32,
            request: &CountRequest,
        ) -> Result<Branches, CounterError> {
            let mut branches = Own.branches(line, depth, request)?;
            let lies = |lies: u32| lies.checked_sub(1);
            let lies = self
                .lies
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, lies);
            if lies.is_ok() {
                branches.retain(|(mv, _)| mv != "e1h1" && mv != "e1a1");
            }
            Ok(branches)
        }
    }

    #[test]
    fn the_first_disagreement_is_located_in_its_position() {
        let wrong = NoCastling {
            lies: AtomicU32::new(u32::MAX),
        };
        let pair = CounterPair { a: &Own, b: &wrong };
        let positions = [board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), board(KIWIPETE)];
        let report = find(&pair, &positions, &DiffOptions::default()).unwrap();
        let DiffReport::Disagree {
            index: 1,
            depth: 1,
            disagreement,
        } = report
        else {
            panic!("{report:?}");
        };
        assert!(disagreement.path.is_empty());
        let Cause::Moves(difference) = &disagreement.cause else {
            panic!("{disagreement:?}");
        };
        assert_eq!(difference.only_a.len(), 1, "{difference:?}");
        assert_eq!(disagreement.reproduction.board.occupied().count(), 3);
    }

    #[test]
    fn an_answer_that_changes_is_inconsistent() {
        let wrong = NoCastling {
            lies: AtomicU32::new(1),
        };
        let pair = CounterPair { a: &Own, b: &wrong };
        let report = find(&pair, &[board(KIWIPETE)], &DiffOptions::default()).unwrap();
        let inconsistent = DiffReport::Inconsistent { index: 0, depth: 1 };
        assert_eq!(format!("{report:?}"), format!("{inconsistent:?}"));
    }

    #[test]
    fn a_refused_position_is_left_out_and_reported() {
        // cozy-chess does not accept the en passant square: the double push cannot have been the last move if the queen
        // gives check through the pawn's old square.
        let refused = board("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1");
        let positions = [refused, board(KIWIPETE)];
        let pair = CounterPair { a: &Own, b: &Cozy };
        let events = AtomicUsize::new(0);
        let progress = |_| {
            events.fetch_add(1, Ordering::Relaxed);
        };
        let options = DiffOptions {
            depth: 2,
            progress: Some(&progress),
            ..DiffOptions::default()
        };
        let report = find(&pair, &positions, &options).unwrap();
        let DiffReport::Agree {
            positions: 1,
            nodes: 2_039,
            refused,
        } = report
        else {
            panic!("{report:?}");
        };
        assert_eq!(refused[0].index, 0);
        assert_eq!(events.into_inner(), 4, "two depths, one position each");
    }

    #[test]
    fn a_cancelled_comparison_is_an_error() {
        let cancel = Cancel::new();
        cancel.cancel();
        let options = DiffOptions {
            cancel: &cancel,
            ..DiffOptions::default()
        };
        let pair = CounterPair { a: &Own, b: &Cozy };
        let error = find(&pair, &[board(KIWIPETE)], &options).unwrap_err();
        assert!(matches!(error, CounterError::Count(_)), "{error}");
    }
}
