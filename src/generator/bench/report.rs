//! The result of a benchmark: every time, the rows of the comparison, and reasons to doubt them.

use std::fmt;
use std::thread;
use std::time::Duration;

use super::BenchCase;
use super::times::Times;
use crate::chess::Board;
use crate::generator::{CountMethod, Counter, CounterError, Profile};
use crate::run::Cancel;

/// Every time of every round, and what was timed.
#[derive(Clone, Debug)]
pub struct BenchReport {
    /// The positions in the order in which they were given.
    pub cases: Vec<MeasuredCase>,
    /// Ordered by method, then as the counters were given.
    pub contenders: Vec<Contender>,
    /// The name and profile of every counter, as they were given.
    pub profiles: Vec<(String, Profile)>,
    /// The processes that wanted to run in the minute before the first round, where the system tells.
    pub load_average: Option<f64>,
    /// One per round: the times of all contenders on the first case, then on the next, and so on.
    rounds: Vec<Vec<Duration>>,
}

/// A case with its right count.
#[derive(Clone, Debug)]
pub struct MeasuredCase {
    /// The name of the position.
    pub name: String,
    /// The position.
    pub board: Board,
    /// The depth of the count.
    pub depth: u32,
    /// The number of move sequences of this depth.
    pub nodes: u128,
}

/// A counter with one of its methods.
#[derive(Clone, Debug)]
pub struct Contender {
    /// The name of the counter.
    pub name: String,
    /// The place of the counter among those that were given.
    pub counter: usize,
    /// `None` if the method is unknown.
    pub method: Option<CountMethod>,
}

/// One line of the comparison: a contender on one case, or on all of them.
#[derive(Clone, Debug)]
pub struct BenchRow {
    /// The place of the case; `None` for all cases together.
    pub case: Option<usize>,
    /// The place of the contender.
    pub contender: usize,
    /// The nodes that were counted in one round.
    pub nodes: u128,
    /// The median time of a round.
    pub median_seconds: f64,
    /// The interquartile range of the times, as a fraction of the median.
    pub spread: f64,
    /// Compared with the first contender of the same method.
    pub relative: Relative,
    /// For contenders that count two plies: compared with the fastest bulk counter of another generator, or with their own
    /// if there is no other. The methods differ, so this is not a comparison of like with like.
    pub against_bulk: Option<Relative>,
}

/// A comparison of two contenders.
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    /// The time divided by that of the baseline.
    pub time_ratio: f64,
    /// The place of the other contender.
    pub baseline: usize,
}

/// A reason to doubt the times.
#[derive(Clone, Debug, PartialEq)]
pub enum BenchWarning {
    /// Other programs were running before the first round.
    BusyMachine {
        /// The load average of the last minute.
        load: f64,
        /// The number of logical processors.
        cores: usize,
    },
    /// There are too few rounds for a reliable spread.
    FewRounds {
        /// The counter and its method.
        contender: String,
        /// How many rounds there are.
        rounds: usize,
    },
    /// The first round was slow: the counter has to warm up.
    SlowFirstRound {
        /// The counter and its method.
        contender: String,
        /// The time of the first round, divided by the median of the others.
        factor: f64,
    },
    /// Some rounds took much longer or shorter than the others.
    Outliers {
        /// The counter and its method.
        contender: String,
        /// How many rounds are outliers.
        outliers: usize,
        /// How many rounds there are.
        rounds: usize,
    },
    /// The median may be off by more than a few percent.
    UncertainMedian {
        /// The counter and its method.
        contender: String,
        /// By how much, in percent of the median.
        percent: f64,
    },
    /// The counts take so little time that the overhead of a call dominates.
    ShortCounts {
        /// The counter and its method.
        contender: String,
    },
}

/// A first round that takes more than this many times the median of the others is reported.
const SLOW_FIRST_ROUND: f64 = 1.2;
/// A median that may be off by more than this is reported.
const UNCERTAIN_PERCENT: f64 = 5.0;
/// A count that takes less than this is mostly overhead.
const SHORT_SECONDS: f64 = 0.001;

impl Contender {
    /// How it counts the last plies, in words.
    pub fn counted(&self) -> String {
        match self.method {
            Some(method) => method.to_string(),
            None => "as the engine counts".to_owned(),
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.method {
            Some(method) => write!(f, "{}, {method}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl BenchReport {
    pub(super) fn new(
        cases: &[BenchCase],
        counters: &[&dyn Counter],
        cancel: &Cancel,
    ) -> Result<BenchReport, CounterError> {
        let mut profiles = Vec::new();
        let mut contenders = Vec::new();
        for (index, counter) in counters.iter().enumerate() {
            let profile = counter.profile(cancel)?;
            let methods: Vec<Option<CountMethod>> = match profile.methods {
                Some(methods) => methods.iter().copied().map(Some).collect(),
                None => vec![None],
            };
            contenders.extend(methods.into_iter().map(|method| Contender {
                name: counter.name().to_owned(),
                counter: index,
                method,
            }));
            profiles.push((counter.name().to_owned(), profile));
        }
        // Unknown methods last.
        contenders.sort_by_key(|contender| (contender.method.is_none(), contender.method));
        let measured = |case: &BenchCase| MeasuredCase {
            name: case.name.clone(),
            board: case.board,
            depth: case.depth,
            nodes: 0,
        };
        Ok(BenchReport {
            cases: cases.iter().map(measured).collect(),
            contenders,
            profiles,
            load_average: load_average(),
            rounds: Vec::new(),
        })
    }

    pub(super) fn add_round(&mut self, times: Vec<Duration>) {
        self.rounds.push(times);
    }

    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// The time of a contender on a case in a round, each by its place.
    pub fn time(&self, round: usize, case: usize, contender: usize) -> Duration {
        self.rounds[round][case * self.contenders.len() + contender]
    }

    /// The rows of the comparison, case by case. More than one case is followed by rows for all of them together.
    pub fn rows(&self) -> Vec<BenchRow> {
        let cases = (0..self.cases.len()).map(Some);
        let all = (self.cases.len() > 1).then_some(None);
        let contenders = 0..self.contenders.len();
        cases
            .chain(all)
            .flat_map(|case| contenders.clone().map(move |contender| (case, contender)))
            .map(|(case, contender)| self.row(case, contender))
            .collect()
    }

    /// Reasons to doubt the times.
    pub fn warnings(&self) -> Vec<BenchWarning> {
        let mut warnings = Vec::new();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let is_busy = |load: &f64| *load > cores as f64 / 2.0;
        if let Some(load) = self.load_average.filter(is_busy) {
            warnings.push(BenchWarning::BusyMachine { load, cores });
        }
        for contender in 0..self.contenders.len() {
            warnings.extend(self.warnings_about(contender));
        }
        warnings
    }

    /// The uncertainty of the least certain median over all cases, as a fraction of the median.
    pub(super) fn uncertainty(&self) -> f64 {
        let contenders = 0..self.contenders.len();
        let uncertainties = contenders.map(|contender| self.times(None, contender).uncertainty());
        uncertainties.fold(0.0, f64::max)
    }

    fn row(&self, case: Option<usize>, contender: usize) -> BenchRow {
        let times = self.times(case, contender);
        let nodes = match case {
            Some(case) => self.cases[case].nodes,
            None => self.cases.iter().map(|case| case.nodes).sum(),
        };
        let relative_to = |baseline: usize| Relative {
            time_ratio: times.median() / self.times(case, baseline).median(),
            baseline,
        };
        BenchRow {
            case,
            contender,
            nodes,
            median_seconds: times.median(),
            spread: times.spread(),
            relative: relative_to(self.first_with_method(self.contenders[contender].method)),
            against_bulk: self.bulk_rival(contender).map(relative_to),
        }
    }

    fn first_with_method(&self, method: Option<CountMethod>) -> usize {
        let mut contenders = self.contenders.iter();
        contenders
            .position(|contender| contender.method == method)
            .expect("a contender has this method")
    }

    /// The fastest bulk counter to compare a two-ply counter with, preferably of another generator.
    fn bulk_rival(&self, contender: usize) -> Option<usize> {
        if self.contenders[contender].method != Some(CountMethod::TwoPly) {
            return None;
        }
        let own = self.contenders[contender].counter;
        let is_bulk = |&other: &usize| self.contenders[other].method == Some(CountMethod::Bulk);
        let is_own = |other: usize| self.contenders[other].counter == own;
        let order = |&a: &usize, &b: &usize| {
            let (a_time, b_time) = (self.times(None, a).median(), self.times(None, b).median());
            is_own(a).cmp(&is_own(b)).then(a_time.total_cmp(&b_time))
        };
        (0..self.contenders.len()).filter(is_bulk).min_by(order)
    }

    /// The times of a contender on a case, or on all cases together.
    fn times(&self, case: Option<usize>, contender: usize) -> Times {
        let rounds = 0..self.rounds();
        Times::new(
            rounds
                .map(|round| self.seconds(round, case, contender))
                .collect(),
        )
    }

    fn seconds(&self, round: usize, case: Option<usize>, contender: usize) -> f64 {
        match case {
            Some(case) => self.time(round, case, contender).as_secs_f64(),
            None => (0..self.cases.len())
                .map(|case| self.time(round, case, contender).as_secs_f64())
                .sum(),
        }
    }

    fn warnings_about(&self, index: usize) -> Vec<BenchWarning> {
        let contender = self.contenders[index].to_string();
        let rounds = self.rounds();
        if rounds < 3 {
            return vec![BenchWarning::FewRounds { contender, rounds }];
        }
        let mut warnings = Vec::new();
        let later = (1..rounds).map(|round| self.seconds(round, None, index));
        let later = Times::new(later.collect());
        let factor = self.seconds(0, None, index) / later.median();
        if factor > SLOW_FIRST_ROUND {
            warnings.push(BenchWarning::SlowFirstRound {
                contender: contender.clone(),
                factor,
            });
        }
        let times = self.times(None, index);
        let outliers = times.outliers();
        if outliers > 0 {
            warnings.push(BenchWarning::Outliers {
                contender: contender.clone(),
                outliers,
                rounds,
            });
        }
        let percent = times.uncertainty() * 100.0;
        if percent > UNCERTAIN_PERCENT {
            warnings.push(BenchWarning::UncertainMedian {
                contender: contender.clone(),
                percent,
            });
        }
        let medians = (0..self.cases.len()).map(|case| self.times(Some(case), index).median());
        if medians.fold(f64::INFINITY, f64::min) < SHORT_SECONDS {
            warnings.push(BenchWarning::ShortCounts { contender });
        }
        warnings
    }
}

impl fmt::Display for BenchWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchWarning::BusyMachine { load, cores } => write!(
                f,
                "the machine was busy before the first round (load {load} on {cores} cores); compare the ratios rather \
                 than the speeds"
            ),
            BenchWarning::FewRounds { contender, rounds } => {
                write!(f, "{contender}: the median of {rounds} rounds says little")
            }
            BenchWarning::SlowFirstRound { contender, factor } => write!(
                f,
                "{contender}: the first round took {factor:.1} times as long as the others, in spite of the warm-up"
            ),
            BenchWarning::Outliers {
                contender,
                outliers,
                rounds,
            } => write!(
                f,
                "{contender}: {outliers} of {rounds} rounds are outliers; other programs were running"
            ),
            BenchWarning::UncertainMedian { contender, percent } => {
                write!(f, "{contender}: the median may be off by {percent:.0} %")
            }
            BenchWarning::ShortCounts { contender } => write!(
                f,
                "{contender}: a count takes less than a millisecond, which is mostly overhead; count deeper"
            ),
        }
    }
}

fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}
