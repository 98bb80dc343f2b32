//! What the times say, and why to doubt it.

use std::thread;
use std::time::Duration;

use ninesixty::generator::LastMoves;
use ninesixty::table::{self, Cell, Number, Table};

use super::{Case, Entrant};

/// Every time of every round.
pub struct Figures<'a> {
    cases: &'a [Case],
    entrants: &'a [Entrant<'a>],
    /// The right count of each case.
    expected: Vec<u128>,
    /// One per round: the times of all entrants on the first case, then on the next.
    rounds: Vec<Vec<Duration>>,
}

/// A line of the result: an entrant on a case, or on all cases together.
struct Row {
    position: String,
    depth: Option<u32>,
    entrant: usize,
    nodes: u128,
    times: Times,
    /// How many times as long as the first entrant.
    relative: f64,
}

/// Times in seconds, shortest first.
struct Times(Vec<f64>);

/// A time beyond so many times the spread from the median is an outlier.
const FAR: f64 = 3.0;
/// A first round beyond so many times the median is slower than the others.
const SLOW_START: f64 = 1.2;
/// A median below this is mostly overhead.
const SHORT_SECONDS: f64 = 0.001;

impl Times {
    fn new(mut seconds: Vec<f64>) -> Times {
        seconds.sort_by(f64::total_cmp);
        Times(seconds)
    }

    /// The time that this part of all times does not exceed, between two of them in proportion.
    fn quantile(&self, part: f64) -> f64 {
        let place = part * (self.0.len() - 1) as f64;
        let (below, above) = (
            self.0[place.floor() as usize],
            self.0[place.ceil() as usize],
        );
        below + (above - below) * place.fract()
    }

    fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The middle half of the times, in parts of the median.
    fn spread(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / self.median()
    }

    /// How far the median may be off, in parts of itself: for times that scatter normally, its standard error is 1.25
    /// times that of the mean, and the middle half is 1.35 deviations wide.
    fn uncertainty(&self) -> f64 {
        1.25 / 1.35 * self.spread() / (self.0.len() as f64).sqrt()
    }

    fn outliers(&self) -> usize {
        let median = self.median();
        // A spread of next to nothing would make outliers of everything.
        let far = (FAR * self.spread()).max(0.05) * median;
        self.0
            .iter()
            .filter(|&&time| (time - median).abs() > far)
            .count()
    }
}

impl<'a> Figures<'a> {
    pub fn new(cases: &'a [Case], entrants: &'a [Entrant<'a>], expected: Vec<u128>) -> Figures<'a> {
        Figures {
            cases,
            entrants,
            expected,
            rounds: Vec::new(),
        }
    }

    pub fn expected(&self) -> &[u128] {
        &self.expected
    }

    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    pub fn add_round(&mut self, times: Vec<Duration>) {
        self.rounds.push(times);
    }

    /// How far the least certain median of all cases together may be off, in parts of itself.
    pub fn uncertainty(&self) -> f64 {
        let uncertainties =
            (0..self.entrants.len()).map(|entrant| self.in_all(entrant).uncertainty());
        uncertainties.fold(0.0, f64::max)
    }

    /// The time of an entrant on a case, in this round.
    fn seconds(&self, round: usize, case: usize, entrant: usize) -> f64 {
        self.rounds[round][case * self.entrants.len() + entrant].as_secs_f64()
    }

    fn on(&self, case: usize, entrant: usize) -> Times {
        let times = (0..self.rounds()).map(|round| self.seconds(round, case, entrant));
        Times::new(times.collect())
    }

    fn round_in_all(&self, round: usize, entrant: usize) -> f64 {
        let cases = 0..self.cases.len();
        cases.map(|case| self.seconds(round, case, entrant)).sum()
    }

    fn in_all(&self, entrant: usize) -> Times {
        let times = (0..self.rounds()).map(|round| self.round_in_all(round, entrant));
        Times::new(times.collect())
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (index, case) in self.cases.iter().enumerate() {
            let baseline = self.on(index, 0).median();
            rows.extend((0..self.entrants.len()).map(|entrant| {
                let times = self.on(index, entrant);
                Row {
                    position: case.name.clone(),
                    depth: Some(case.depth),
                    entrant,
                    nodes: self.expected[index],
                    relative: times.median() / baseline,
                    times,
                }
            }));
        }
        if self.cases.len() > 1 {
            let baseline = self.in_all(0).median();
            rows.extend((0..self.entrants.len()).map(|entrant| {
                let times = self.in_all(entrant);
                Row {
                    position: "all".to_owned(),
                    depth: None,
                    entrant,
                    nodes: self.expected.iter().sum(),
                    relative: times.median() / baseline,
                    times,
                }
            }));
        }
        rows
    }

    /// Medians, spreads and how all compare to the first.
    pub fn table(&self, command: &str) -> Table {
        type Column = table::Column<Row>;
        let names: Vec<String> = self.entrants.iter().map(Entrant::name).collect();
        let ways: Vec<&str> = self.entrants.iter().map(Entrant::way).collect();
        let first = names[0].clone();
        let columns = [
            Column::new("position", |row| row.position.as_str().into()),
            Column::new("depth", |row| row.depth.map(i64::from).into()),
            Column::new("generator", move |row| names[row.entrant].as_str().into()),
            Column::new("last_moves", move |row| ways[row.entrant].into()),
            Column::new("nodes", |row| row.nodes.into()),
            Column::new("median_ms", |row| {
                Number::new(row.times.median() * 1e3, 2).into()
            }),
            Column::new("spread_percent", |row| {
                Number::new(row.times.spread() * 100.0, 1).into()
            }),
            Column::new("mnodes_per_s", |row| {
                Number::new(row.nodes as f64 / row.times.median() / 1e6, 1).into()
            }),
            Column::new("relative", move |row| relative(row, &first).into()),
        ];
        Table::from_rows("ninesixty.bench/1", command, &columns, self.rows())
    }

    /// Every single time.
    pub fn raw_table(&self, command: &str) -> Table {
        let columns = [
            "position",
            "fen",
            "depth",
            "generator",
            "last_moves",
            "nodes",
            "round",
            "seconds",
        ];
        let mut table = Table::new("ninesixty.bench-times/1", command, columns);
        for round in 0..self.rounds() {
            for (index, case) in self.cases.iter().enumerate() {
                for (number, entrant) in self.entrants.iter().enumerate() {
                    table.push(vec![
                        case.name.as_str().into(),
                        case.board.x_fen().into(),
                        i64::from(case.depth).into(),
                        entrant.name().into(),
                        entrant.way().into(),
                        self.expected[index].into(),
                        Cell::Integer(round as i64 + 1),
                        Number::new(self.seconds(round, index, number), 9).into(),
                    ]);
                }
            }
        }
        table
    }

    /// Why the figures may not be worth much.
    pub fn doubts(&self, load: Option<f64>) -> Vec<String> {
        let mut doubts = Vec::new();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        if let Some(load) = load.filter(|&load| load > cores as f64 / 2.0) {
            doubts.push(format!(
                "the machine was busy before the first round (load {load} on {cores} cores); compare the ratios rather than \
                 the speeds"
            ));
        }
        for entrant in 0..self.entrants.len() {
            doubts.extend(self.doubts_about(entrant));
        }
        doubts
    }

    fn doubts_about(&self, entrant: usize) -> Vec<String> {
        let name = self.entrants[entrant].label();
        let times = self.in_all(entrant);
        let mut doubts = Vec::new();
        let rounds = self.rounds();
        if rounds < 3 {
            doubts.push(format!("{name}: the median of {rounds} rounds says little"));
            return doubts;
        }
        let rest: Vec<f64> = (1..rounds)
            .map(|round| self.round_in_all(round, entrant))
            .collect();
        let first = self.round_in_all(0, entrant) / Times::new(rest).median();
        if first > SLOW_START {
            doubts.push(format!(
                "{name}: the first round took {first:.1} times as long as the others, in spite of the warm-up"
            ));
        }
        let outliers = times.outliers();
        if outliers > 0 {
            doubts.push(format!(
                "{name}: {outliers} of {rounds} rounds are outliers; something else was running"
            ));
        }
        let uncertainty = times.uncertainty() * 100.0;
        if uncertainty > 5.0 {
            doubts.push(format!(
                "{name}: the median may be off by {uncertainty:.0} %"
            ));
        }
        let shortest = (0..self.cases.len()).map(|case| self.on(case, entrant).median());
        if shortest.fold(f64::INFINITY, f64::min) < SHORT_SECONDS {
            doubts.push(format!(
                "{name}: a count takes less than a millisecond, which is mostly overhead; count deeper"
            ));
        }
        doubts
    }
}

impl Entrant<'_> {
    fn name(&self) -> String {
        self.counter.name().to_owned()
    }

    fn way(&self) -> &'static str {
        match self.last_moves {
            Some(LastMoves::Counted) => "counted",
            Some(LastMoves::Made) => "made",
            None => "not told",
        }
    }

    fn label(&self) -> String {
        match self.last_moves {
            Some(LastMoves::Made) => format!("{}, every move made", self.name()),
            _ => self.name(),
        }
    }
}

fn relative(row: &Row, first: &str) -> String {
    if row.entrant == 0 {
        "1".to_owned()
    } else if row.relative >= 1.0 {
        format!("x {:.1} slower than {first}", row.relative)
    } else {
        format!("x {:.1} faster than {first}", 1.0 / row.relative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_middle_half_are_those_of_the_books() {
        let times = Times::new(vec![5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!(times.median(), 3.0);
        assert_eq!(times.quantile(0.25), 2.0);
        assert_eq!(times.quantile(0.75), 4.0);
        assert_eq!(times.spread(), 2.0 / 3.0);
        assert_eq!(Times::new(vec![1.0, 2.0]).median(), 1.5);
        assert_eq!(Times::new(vec![7.0]).median(), 7.0);
    }

    #[test]
    fn one_time_far_from_the_others_is_an_outlier() {
        assert_eq!(Times::new(vec![1.0, 1.01, 1.02, 1.0, 1.9]).outliers(), 1);
        assert_eq!(Times::new(vec![1.0, 1.001, 1.002, 1.0, 1.02]).outliers(), 0);
    }
}
