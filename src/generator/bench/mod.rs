//! Times counters against each other.
//!
//! [`bench()`] lets every counter count every [`BenchCase`] once as a warm-up and then in rounds in which all take turns, so
//! that a busy moment of the machine affects all alike. Every count is checked in every round. A counter that supports
//! several [`CountMethod`]s is timed with each of them, and the [`BenchReport`] compares only counts by the same method:
//! a method that makes fewer moves is faster for that reason alone.

mod cases;
mod report;
mod times;

pub use cases::standard_cases;
pub use report::{BenchReport, BenchRow, BenchWarning, Contender, MeasuredCase, Relative};

use std::time::{Duration, Instant};

use super::{CountMethod, CountRequest, Counter, CounterError};
use crate::chess::Board;
use crate::perft::CountOptions;
use crate::run::Cancel;

/// A position to count to a depth.
#[derive(Clone, Debug)]
pub struct BenchCase {
    /// The name of the position in the report.
    pub name: String,
    /// The position.
    pub board: Board,
    /// The depth of the count.
    pub depth: u32,
    /// The right count, if it is known. Otherwise the first counter's is taken for right.
    pub nodes: Option<u128>,
}

/// How [`bench()`] measures.
#[derive(Clone, Copy)]
pub struct BenchOptions<'a> {
    /// The number of rounds. Without one, rounds are added until all medians are known to one percent.
    pub rounds: Option<u32>,
    /// Without a number of rounds: no new round is started after this time.
    pub time_limit: Duration,
    /// Ends the measurement early.
    pub cancel: &'a Cancel,
    /// Called after every round.
    pub progress: Option<&'a dyn Fn()>,
}

impl Default for BenchOptions<'_> {
    /// For up to a minute, until the medians are steady.
    fn default() -> Self {
        BenchOptions {
            rounds: None,
            time_limit: Duration::from_secs(60),
            cancel: Cancel::NEVER,
            progress: None,
        }
    }
}

/// Why there are no times.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A counter does not accept a position, fails, or was cancelled.
    #[error(transparent)]
    Counter(#[from] CounterError),
    /// A counter gives a wrong count, so its time means nothing.
    #[error(
        "{counter} counts {found} sequences of {depth} plies in {fen}, but {reference} is {expected}"
    )]
    WrongCount {
        /// The name of the counter.
        counter: String,
        /// The position.
        fen: String,
        /// The depth of the count.
        depth: u32,
        /// What it counted.
        found: u128,
        /// The right count.
        expected: u128,
        /// Where the expected count is from.
        reference: String,
    },
    /// There is nothing to measure.
    #[error("a benchmark needs at least one position and one generator")]
    Empty,
}

/// Without a number of rounds, at least this many are timed.
const MIN_ROUNDS: usize = 5;
/// Without a number of rounds, no more are added when the medians are known to this fraction of themselves.
const STEADY_UNCERTAINTY: f64 = 0.01;

/// Times every counter on every case, on the calling thread.
///
/// ```
/// use ninesixty::generator::bench::{BenchOptions, bench, standard_cases};
/// use ninesixty::generator::{Cozy, Own};
///
/// let options = BenchOptions { rounds: Some(3), ..BenchOptions::default() };
/// let report = bench(&standard_cases(Some(2)), &[&Own, &Cozy], &options)?;
/// assert_eq!(report.rounds(), 3);
/// # Ok::<(), ninesixty::generator::bench::BenchError>(())
/// ```
pub fn bench(
    cases: &[BenchCase],
    counters: &[&dyn Counter],
    options: &BenchOptions,
) -> Result<BenchReport, BenchError> {
    if cases.is_empty() || counters.is_empty() {
        return Err(BenchError::Empty);
    }
    let mut report = BenchReport::new(cases, counters, options.cancel)?;
    let bench = Bench {
        cases,
        counters,
        contenders: report.contenders.clone(),
        cancel: options.cancel,
    };
    for (case, nodes) in bench.warm_up()?.into_iter().enumerate() {
        report.cases[case].nodes = nodes;
    }
    let started = Instant::now();
    while wants_another_round(&report, options, started) {
        let times = bench.round(&report.cases)?;
        report.add_round(times);
        if let Some(progress) = options.progress {
            progress();
        }
    }
    Ok(report)
}

fn wants_another_round(report: &BenchReport, options: &BenchOptions, started: Instant) -> bool {
    match options.rounds {
        Some(rounds) => report.rounds() < rounds as usize,
        None => {
            let has_time = started.elapsed() < options.time_limit;
            let is_steady =
                report.rounds() >= MIN_ROUNDS && report.uncertainty() <= STEADY_UNCERTAINTY;
            report.rounds() == 0 || has_time && !is_steady
        }
    }
}

struct Bench<'a> {
    cases: &'a [BenchCase],
    counters: &'a [&'a dyn Counter],
    contenders: Vec<Contender>,
    cancel: &'a Cancel,
}

impl Bench<'_> {
    /// Every contender counts every case once, which also starts the engines. Returns the counts.
    fn warm_up(&self) -> Result<Vec<u128>, BenchError> {
        let mut counts = Vec::new();
        for case in self.cases {
            let published = case.nodes;
            let mut known = published.map(|nodes| (nodes, "the published count".to_owned()));
            for contender in &self.contenders {
                let (nodes, _) = self.time(contender, case)?;
                match &known {
                    Some((expected, _)) if *expected == nodes => {}
                    Some((expected, reference)) => {
                        return Err(wrong_count(case, contender, nodes, *expected, reference));
                    }
                    None => known = Some((nodes, format!("the count of {}", contender.name))),
                }
            }
            counts.extend(known.map(|(nodes, _)| nodes));
        }
        Ok(counts)
    }

    /// The times of all contenders on the first case, then on the next, and so on.
    fn round(&self, measured: &[MeasuredCase]) -> Result<Vec<Duration>, BenchError> {
        let mut times = Vec::new();
        for (case, measured) in self.cases.iter().zip(measured) {
            for contender in &self.contenders {
                let (nodes, time) = self.time(contender, case)?;
                if nodes != measured.nodes {
                    let reference = "the count of the warm-up";
                    return Err(wrong_count(
                        case,
                        contender,
                        nodes,
                        measured.nodes,
                        reference,
                    ));
                }
                times.push(time);
            }
        }
        Ok(times)
    }

    fn time(
        &self,
        contender: &Contender,
        case: &BenchCase,
    ) -> Result<(u128, Duration), CounterError> {
        let request = CountRequest {
            method: contender.method.unwrap_or(CountMethod::TwoPly),
            options: CountOptions {
                cancel: self.cancel,
                ..CountOptions::default()
            },
        };
        let counter = self.counters[contender.counter];
        let started = Instant::now();
        let nodes = counter.count(&case.board, case.depth, &request)?;
        Ok((nodes, started.elapsed()))
    }
}

fn wrong_count(
    case: &BenchCase,
    contender: &Contender,
    found: u128,
    expected: u128,
    reference: &str,
) -> BenchError {
    BenchError::WrongCount {
        counter: contender.name.clone(),
        fen: case.board.x_fen(),
        depth: case.depth,
        found,
        expected,
        reference: reference.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Cozy, Own, Shakmaty};

    fn options(rounds: u32) -> BenchOptions<'static> {
        BenchOptions {
            rounds: Some(rounds),
            ..BenchOptions::default()
        }
    }

    #[test]
    fn rows_are_compared_only_with_rows_of_the_same_method() {
        let counters: [&dyn Counter; 3] = [&Shakmaty, &Own, &Cozy];
        let report = bench(&standard_cases(Some(2))[..2], &counters, &options(2)).unwrap();
        assert_eq!(report.rounds(), 2);
        // Two methods of each library and three of our own.
        assert_eq!(report.contenders.len(), 7);
        let rows = report.rows();
        // Two cases, and both together.
        assert_eq!(rows.len(), 3 * 7);
        for row in &rows {
            let contender = &report.contenders[row.contender];
            let baseline = &report.contenders[row.relative.baseline];
            assert_eq!(contender.method, baseline.method);
            let expected = match contender.method {
                Some(CountMethod::TwoPly) => "own",
                _ => "shakmaty",
            };
            assert_eq!(baseline.name, expected);
            let is_two_ply = contender.method == Some(CountMethod::TwoPly);
            assert_eq!(row.against_bulk.is_some(), is_two_ply);
            if let Some(against) = &row.against_bulk {
                let bulk = &report.contenders[against.baseline];
                assert_eq!(bulk.method, Some(CountMethod::Bulk));
                assert_ne!(bulk.name, "own");
            }
        }
    }

    #[test]
    fn a_wrong_count_ends_the_benchmark() {
        let mut cases = standard_cases(Some(1));
        cases[0].nodes = Some(21);
        let error = bench(&cases, &[&Own], &options(1)).unwrap_err();
        assert!(
            error.to_string().ends_with("but the published count is 21"),
            "{error}"
        );
    }

    #[test]
    fn nothing_to_measure_is_an_error() {
        let error = bench(&[], &[&Own], &options(1)).unwrap_err();
        assert!(matches!(error, BenchError::Empty));
        let error = bench(&standard_cases(Some(1)), &[], &options(1)).unwrap_err();
        assert!(matches!(error, BenchError::Empty));
    }
}
