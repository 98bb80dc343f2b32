//! Order statistics of measured times.

/// A time further from the median than this many times the spread is an outlier.
const OUTLIER_SPREADS: f64 = 3.0;
/// The least distance of an outlier from the median, as a fraction of the median. Without it, everything would be an
/// outlier of times that hardly differ.
const OUTLIER_MIN_FRACTION: f64 = 0.05;

/// Times in seconds, shortest first. There is at least one.
pub struct Times(Vec<f64>);

impl Times {
    pub fn new(mut seconds: Vec<f64>) -> Times {
        seconds.sort_by(f64::total_cmp);
        Times(seconds)
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The interquartile range, as a fraction of the median.
    pub fn spread(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / self.median()
    }

    /// The standard error of the median, as a fraction of the median. For a normal distribution it is 1.25 times that of
    /// the mean, and the interquartile range is 1.35 standard deviations.
    pub fn uncertainty(&self) -> f64 {
        1.25 / 1.35 * self.spread() / (self.0.len() as f64).sqrt()
    }

    pub fn outliers(&self) -> usize {
        let median = self.median();
        let distance = (OUTLIER_SPREADS * self.spread()).max(OUTLIER_MIN_FRACTION) * median;
        self.0
            .iter()
            .filter(|&&time| (time - median).abs() > distance)
            .count()
    }

    /// Interpolated linearly between two times.
    fn quantile(&self, fraction: f64) -> f64 {
        let place = fraction * (self.0.len() - 1) as f64;
        let (below, above) = (
            self.0[place.floor() as usize],
            self.0[place.ceil() as usize],
        );
        below + (above - below) * place.fract()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_quartiles_interpolate_between_times() {
        let times = Times::new(vec![5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!(times.median(), 3.0);
        assert_eq!(times.quantile(0.25), 2.0);
        assert_eq!(times.quantile(0.75), 4.0);
        assert_eq!(times.spread(), 2.0 / 3.0);
        assert_eq!(Times::new(vec![1.0, 2.0]).median(), 1.5);
        assert_eq!(Times::new(vec![7.0]).median(), 7.0);
    }

    #[test]
    fn a_time_far_from_the_others_is_an_outlier() {
        assert_eq!(Times::new(vec![1.0, 1.01, 1.02, 1.0, 1.9]).outliers(), 1);
        assert_eq!(Times::new(vec![1.0, 1.001, 1.002, 1.0, 1.02]).outliers(), 0);
    }
}
