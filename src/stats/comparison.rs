//! Statistical tests of the differences between starts.
//!
//! The tested quantity is White's surplus: the score beyond the expected score of the ratings, in the games in which both
//! ratings are known. [`StartComparison`] tests each start against the average of all starts. Its p-values are corrected
//! for the number of tests, because of 960 equal starts about 48 differ "significantly" at the 5 % level.
//! [`HomogeneityTest`] tests whether the starts differ at all.

use super::tally::{Metric, StartTally};

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The test of one start against the average of all starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartComparison {
    /// The difference from the average in standard errors.
    pub z: f64,
    /// The two-sided p-value of this test alone.
    pub p: f64,
    /// The p-value corrected by Holm's method for the number of starts that are tested.
    pub p_adjusted: f64,
}

/// The chi-squared test of the hypothesis that all starts have the same surplus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HomogeneityTest {
    /// The starts with enough games.
    pub starts: usize,
    /// The games of these starts in which both ratings are known.
    pub games: u64,
    /// White's average surplus in these games.
    pub mean: f64,
    /// The observed standard deviation of the surplus between starts.
    pub observed: f64,
    /// The standard deviation to expect if all starts are equal.
    pub by_chance: f64,
    /// The p-value.
    pub p: f64,
}

/// The rated games that a start needs to be tested. The average of fewer games is not close enough to a normal
/// distribution.
pub const MIN_GAMES_TO_COMPARE: u64 = 30;

/// The 97.5 % quantile of the standard normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

impl ConfidenceInterval {
    /// Wilson's score interval for `points` out of `games`; `None` without games. It assumes that every game is won or
    /// lost, so with draws it is wider than necessary.
    pub fn wilson(points: f64, games: u64) -> Option<ConfidenceInterval> {
        if games == 0 {
            return None;
        }
        let n = games as f64;
        let share = points / n;
        let z2 = Z_95 * Z_95;
        let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        Some(ConfidenceInterval {
            low: (middle - half).max(0.0),
            high: (middle + half).min(1.0),
        })
    }
}

impl ConfidenceInterval {
    /// The interval of a mean, by the normal distribution, from the sum and the sum of squares of `games` values; `None`
    /// for fewer than two.
    pub fn of_mean(sum: f64, sum_of_squares: f64, games: u64) -> Option<ConfidenceInterval> {
        if games < 2 {
            return None;
        }
        let n = games as f64;
        let mean = sum / n;
        let variance = (sum_of_squares - n * mean * mean).max(0.0) / (n - 1.0);
        Some(ConfidenceInterval::around(mean, (variance / n).sqrt()))
    }

    fn around(value: f64, standard_error: f64) -> ConfidenceInterval {
        ConfidenceInterval {
            low: value - Z_95 * standard_error,
            high: value + Z_95 * standard_error,
        }
    }
}

/// How diverse choices are: the entropy of their frequencies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entropy {
    /// The entropy in bits: 0 if there is one choice, 1 for two that are equally frequent.
    pub bits: f64,
    /// Its confidence interval, by the normal distribution.
    pub interval: ConfidenceInterval,
}

impl Entropy {
    /// The entropy of choices that were made this often; `None` if there are none. Few choices underestimate it.
    pub fn of_counts(counts: impl Iterator<Item = u64>) -> Option<Entropy> {
        let counts: Vec<f64> = counts
            .filter(|&count| count > 0)
            .map(|n| n as f64)
            .collect();
        let total: f64 = counts.iter().sum();
        if total == 0.0 {
            return None;
        }
        // The mean and the variance of the information of a choice, -log2 of its frequency.
        let (mut bits, mut squares) = (0.0, 0.0);
        for count in counts {
            let share = count / total;
            let information = -libm::log2(share);
            bits += share * information;
            squares += share * information * information;
        }
        let error = ((squares - bits * bits).max(0.0) / total).sqrt();
        let interval = ConfidenceInterval::around(bits, error);
        Some(Entropy {
            bits,
            interval: ConfidenceInterval {
                low: interval.low.max(0.0),
                ..interval
            },
        })
    }
}

/// White's surplus in the rated games of a start: their number, the mean, and the sum of squares.
struct Surplus {
    games: f64,
    mean: f64,
    sum_of_squares: f64,
}

impl Surplus {
    fn of(tally: &StartTally) -> Surplus {
        let unit = 2_f64.powi(32);
        let games = tally.sum(Metric::Rated) as f64;
        let points = tally.sum(Metric::RatedHalfPoints) as f64 / 2.0;
        let expected = tally.sum(Metric::Expected) as f64 / unit;
        Surplus {
            games,
            mean: (points - expected) / games,
            sum_of_squares: tally.sum(Metric::SquaredSurplus) as f64 / unit,
        }
    }
}

impl StartComparison {
    /// Tests each start, `None` for those with fewer than [`MIN_GAMES_TO_COMPARE`] rated games, and all of them together.
    pub fn of_all(
        tallies: &[&StartTally],
    ) -> (Vec<Option<StartComparison>>, Option<HomogeneityTest>) {
        let surpluses: Vec<Surplus> = tallies.iter().map(|tally| Surplus::of(tally)).collect();
        let is_tested = |surplus: &&Surplus| surplus.games >= MIN_GAMES_TO_COMPARE as f64;
        let tested: Vec<&Surplus> = surpluses.iter().filter(is_tested).collect();
        let games: f64 = tested.iter().map(|surplus| surplus.games).sum();
        let mean = tested.iter().map(|s| s.mean * s.games).sum::<f64>() / games;
        let variance = tested.iter().map(|s| s.sum_of_squares).sum::<f64>() / games - mean * mean;
        if tested.len() < 2 || variance <= 0.0 {
            return (vec![None; tallies.len()], None);
        }
        // The average includes the start itself, which makes the variance of the difference a little smaller.
        let error = |s: &Surplus| (variance * (1.0 / s.games - 1.0 / games)).sqrt();
        let z = |s: &Surplus| (s.mean - mean) / error(s);
        let comparisons = surpluses.iter().map(|surplus| {
            Some(surplus).filter(is_tested).map(|surplus| {
                let z = z(surplus);
                let p = libm::erfc(z.abs() / 2_f64.sqrt());
                StartComparison {
                    z,
                    p,
                    p_adjusted: p,
                }
            })
        });
        let mut comparisons: Vec<Option<StartComparison>> = comparisons.collect();
        apply_holm(&mut comparisons);
        let count = tested.len() as f64;
        let root_mean_square = |value: &dyn Fn(&Surplus) -> f64| {
            let squares = tested.iter().map(|s| value(s).powi(2));
            (squares.sum::<f64>() / count).sqrt()
        };
        let chi_squared = tested.iter().map(|s| z(s).powi(2)).sum();
        let homogeneity = HomogeneityTest {
            starts: tested.len(),
            games: games as u64,
            mean,
            observed: root_mean_square(&|s| s.mean - mean),
            by_chance: root_mean_square(&error),
            p: chi_squared_tail(chi_squared, count - 1.0),
        };
        (comparisons, Some(homogeneity))
    }
}

/// Holm's method: of n p-values the smallest is multiplied by n, the next by n - 1 and so on, and none may be below the
/// one before it.
fn apply_holm(comparisons: &mut [Option<StartComparison>]) {
    let mut tested: Vec<&mut StartComparison> = comparisons.iter_mut().flatten().collect();
    tested.sort_by(|a, b| a.p.total_cmp(&b.p));
    let count = tested.len();
    let mut adjusted = 0_f64;
    for (rank, comparison) in tested.into_iter().enumerate() {
        adjusted = adjusted.max(comparison.p * (count - rank) as f64).min(1.0);
        comparison.p_adjusted = adjusted;
    }
}

/// The upper tail probability of the chi-squared distribution, by the cube-root approximation of Wilson and Hilferty.
fn chi_squared_tail(value: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    let z = ((value / degrees).cbrt() - (1.0 - spread)) / spread.sqrt();
    libm::erfc(z / 2_f64.sqrt()) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_squared_matches_published_quantiles() {
        // The 95 % points of the tables.
        for (degrees, quantile) in [(10.0, 18.307), (30.0, 43.773), (100.0, 124.342)] {
            let p = chi_squared_tail(quantile, degrees);
            assert!((p - 0.05).abs() < 0.0006, "{degrees}: {p}");
        }
    }

    #[test]
    fn the_interval_of_a_mean_is_that_of_a_worked_example() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sample variance 32/7, standard error sqrt(4/7).
        let interval = ConfidenceInterval::of_mean(40.0, 232.0, 8).unwrap();
        let half = 1.959_964 * (4.0_f64 / 7.0).sqrt();
        assert!((interval.low - (5.0 - half)).abs() < 1e-6);
        assert!((interval.high - (5.0 + half)).abs() < 1e-6);
        assert_eq!(ConfidenceInterval::of_mean(3.0, 9.0, 1), None);
    }

    #[test]
    fn entropy_is_that_of_known_distributions() {
        let entropy = |counts: &[u64]| Entropy::of_counts(counts.iter().copied());
        assert_eq!(entropy(&[]), None);
        let one = entropy(&[9]).unwrap();
        assert_eq!(
            (one.bits, one.interval.low, one.interval.high),
            (0.0, 0.0, 0.0)
        );
        assert_eq!(entropy(&[3, 3, 0, 3, 3]).unwrap().bits, 2.0);
        // 1/2, 1/4, 1/8, 1/8: 1.75 bits; the variance of 1, 2, 3, 3 with these weights is 0.6875.
        let entropy = entropy(&[400, 200, 100, 100]).unwrap();
        let half = 1.959_964 * (0.6875_f64 / 800.0).sqrt();
        assert!((entropy.bits - 1.75).abs() < 1e-12);
        assert!((entropy.interval.high - (1.75 + half)).abs() < 1e-6);
    }

    #[test]
    fn wilson_intervals_match_published_values() {
        // Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
        let interval = ConfidenceInterval::wilson(81.0, 263).unwrap();
        assert!((interval.low - 0.2553).abs() < 5e-5 && (interval.high - 0.3662).abs() < 5e-5);
        let interval = ConfidenceInterval::wilson(0.0, 20).unwrap();
        assert!(interval.low == 0.0 && (interval.high - 0.1611).abs() < 5e-5);
        assert_eq!(ConfidenceInterval::wilson(0.0, 0), None);
    }

    #[test]
    fn holm_matches_a_worked_example() {
        let comparison = |p| {
            Some(StartComparison {
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
        apply_holm(&mut comparisons);
        let adjusted = comparisons.iter().flatten().map(|c| c.p_adjusted);
        // The worked example of Holm's method with four tests.
        for (found, expected) in adjusted.zip([0.06, 0.03, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
