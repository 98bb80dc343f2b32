//! Which differences between starts are more than chance.
//!
//! In walk the tallies of starts; out walk, for each start, how sure its score is, and a test of whether it differs from
//! the average start, corrected for the number of starts that are tested: among 960 starts that are all alike, some fifty
//! differ "significantly" at the level of one in twenty. Out walks also how much the starts differ in all, beside
//! how much they would by chance alone.
//!
//! What is compared is White's score beyond what the ratings let expect, in the games in which both are known.

use super::tally::{Measure, StartTally};

/// A range that holds the true value nineteen times out of twenty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// How one start compares with the average of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// By how many standard errors it differs.
    pub z: f64,
    /// How often chance alone gives as large a difference, for this start taken by itself.
    pub p: f64,
    /// The same, corrected by Holm's method for the number of starts that are tested.
    pub p_adjusted: f64,
}

/// How much starts differ, beside how much they would by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Starts with enough games.
    pub starts: usize,
    pub games: u64,
    /// White's average score beyond expectation in these games.
    pub mean: f64,
    /// The standard deviation of the starts' averages.
    pub observed: f64,
    /// What it would be if all starts were alike.
    pub by_chance: f64,
    /// How often chance alone gives as much (chi-squared).
    pub p: f64,
}

/// A start takes part in comparisons from so many games on: with fewer its average is not yet normally distributed.
pub const FEWEST_GAMES: u64 = 30;

/// The standard normal deviate of nineteen out of twenty.
const Z_95: f64 = 1.959_963_984_540_054;

impl Interval {
    /// Wilson's interval for a score of `points` out of `games`. It takes every game as won or lost; draws make the truth
    /// narrower.
    pub fn of_score(points: f64, games: u64) -> Option<Interval> {
        if games == 0 {
            return None;
        }
        let n = games as f64;
        let share = points / n;
        let z2 = Z_95 * Z_95;
        let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        Some(Interval {
            low: (middle - half).max(0.0),
            high: (middle + half).min(1.0),
        })
    }
}

/// What White scored beyond expectation: the average over so many games.
struct Surplus {
    games: f64,
    mean: f64,
    square: f64,
}

impl Surplus {
    fn of(tally: &StartTally) -> Surplus {
        let unit = 2_f64.powi(32);
        let games = tally.sum(Measure::Rated) as f64;
        let points = tally.sum(Measure::RatedHalfPoints) as f64 / 2.0;
        let expected = tally.sum(Measure::Expected) as f64 / unit;
        Surplus {
            games,
            mean: (points - expected) / games,
            square: tally.sum(Measure::SquaredSurplus) as f64 / unit,
        }
    }
}

impl Comparison {
    /// Compares starts; `None` for those with too few rated games. The second value says how much they differ in all.
    pub fn of(tallies: &[&StartTally]) -> (Vec<Option<Comparison>>, Option<Noise>) {
        let surpluses: Vec<Surplus> = tallies.iter().map(|tally| Surplus::of(tally)).collect();
        let is_tested = |surplus: &&Surplus| surplus.games >= FEWEST_GAMES as f64;
        let tested: Vec<&Surplus> = surpluses.iter().filter(is_tested).collect();
        let games: f64 = tested.iter().map(|surplus| surplus.games).sum();
        let mean = tested.iter().map(|s| s.mean * s.games).sum::<f64>() / games;
        let variance = tested.iter().map(|s| s.square).sum::<f64>() / games - mean * mean;
        if tested.len() < 2 || variance <= 0.0 {
            return (vec![None; tallies.len()], None);
        }
        // The average of all holds the start itself, which makes its difference a little smaller.
        let error = |s: &Surplus| (variance * (1.0 / s.games - 1.0 / games)).sqrt();
        let z = |s: &Surplus| (s.mean - mean) / error(s);
        let comparisons = surpluses.iter().map(|surplus| {
            Some(surplus).filter(is_tested).map(|surplus| {
                let z = z(surplus);
                let p = libm::erfc(z.abs() / 2_f64.sqrt());
                Comparison {
                    z,
                    p,
                    p_adjusted: p,
                }
            })
        });
        let mut comparisons: Vec<Option<Comparison>> = comparisons.collect();
        adjust(&mut comparisons);
        let count = tested.len() as f64;
        let mean_square = |value: &dyn Fn(&Surplus) -> f64| {
            let squares = tested.iter().map(|s| value(s).powi(2));
            (squares.sum::<f64>() / count).sqrt()
        };
        let chi_squared = tested.iter().map(|s| z(s).powi(2)).sum();
        let noise = Noise {
            starts: tested.len(),
            games: games as u64,
            mean,
            observed: mean_square(&|s| s.mean - mean),
            by_chance: mean_square(&error),
            p: chi_squared_tail(chi_squared, count - 1.0),
        };
        (comparisons, Some(noise))
    }
}

/// Holm's method: the smallest p counts as often as there are tests, the next one time less, and none below the one before.
fn adjust(comparisons: &mut [Option<Comparison>]) {
    let mut tested: Vec<&mut Comparison> = comparisons.iter_mut().flatten().collect();
    tested.sort_by(|a, b| a.p.total_cmp(&b.p));
    let count = tested.len();
    let mut least = 0_f64;
    for (rank, comparison) in tested.into_iter().enumerate() {
        least = least.max(comparison.p * (count - rank) as f64).min(1.0);
        comparison.p_adjusted = least;
    }
}

/// How often a chi-squared of so many degrees of freedom is at least this large, by the cube-root approximation of Wilson
/// and Hilferty.
fn chi_squared_tail(value: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    let z = ((value / degrees).cbrt() - (1.0 - spread)) / spread.sqrt();
    libm::erfc(z / 2_f64.sqrt()) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_squared_has_its_published_quantiles() {
        // The 95 % points of the tables.
        for (degrees, quantile) in [(10.0, 18.307), (30.0, 43.773), (100.0, 124.342)] {
            let p = chi_squared_tail(quantile, degrees);
            assert!((p - 0.05).abs() < 0.0006, "{degrees}: {p}");
        }
    }

    #[test]
    fn wilson_has_its_textbook_values() {
        // Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
        let interval = Interval::of_score(81.0, 263).unwrap();
        assert!((interval.low - 0.2553).abs() < 5e-5 && (interval.high - 0.3662).abs() < 5e-5);
        let interval = Interval::of_score(0.0, 20).unwrap();
        assert!(interval.low == 0.0 && (interval.high - 0.1611).abs() < 5e-5);
        assert_eq!(Interval::of_score(0.0, 0), None);
    }

    #[test]
    fn holm_multiplies_the_smallest_most() {
        let comparison = |p| {
            Some(Comparison {
                z: 0.0,
                p,
                p_adjusted: p,
            })
        };
        let mut comparisons = [
            comparison(0.04),
            None,
            comparison(0.01),
            comparison(0.03),
            comparison(0.005),
        ];
        adjust(&mut comparisons);
        let adjusted = comparisons.iter().flatten().map(|c| c.p_adjusted);
        // The worked example of Holm's method with four tests.
        for (found, expected) in adjusted.zip([0.06, 0.03, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
