//! How well two lists of scores of the same positions agree.

/// Correlation coefficients of two lists of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Linear correlation, from -1 to 1.
    pub pearson: f64,
    /// Rank correlation, from -1 to 1.
    pub spearman: f64,
    /// By how much the first is higher on average.
    pub mean_difference: f64,
}

impl Correlation {
    /// The correlation of pairs of numbers. The coefficients are NaN if one of the lists is constant.
    pub fn of(pairs: &[(f64, f64)]) -> Correlation {
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        Correlation {
            pearson: pearson(&first, &second),
            spearman: pearson(&ranks(&first), &ranks(&second)),
            mean_difference: mean(&first) - mean(&second),
        }
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn pearson(first: &[f64], second: &[f64]) -> f64 {
    let (mean_first, mean_second) = (mean(first), mean(second));
    let (mut products, mut squares_first, mut squares_second) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        let (a, b) = (a - mean_first, b - mean_second);
        products += a * b;
        squares_first += a * a;
        squares_second += b * b;
    }
    products / (squares_first * squares_second).sqrt()
}

/// The rank of each number in ascending order; ties share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut begin = 0;
    for ties in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let shared = begin as f64 + (ties.len() - 1) as f64 / 2.0;
        ties.iter().for_each(|&index| ranks[index] = shared);
        begin += ties.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn anscombes_first_quartet_has_the_published_correlation() {
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [
            8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68,
        ];
        let pairs: Vec<_> = x.into_iter().zip(y).collect();
        let found = Correlation::of(&pairs);
        assert!((found.pearson - 0.816).abs() < 0.0005, "{found:?}");
        // 1 - 6 * (sum of squared differences of ranks, 40) / (11 * 120)
        assert!(
            close(found.spearman, 1.0 - 6.0 * 40.0 / 1320.0),
            "{found:?}"
        );
    }

    #[test]
    fn ties_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [3.0, 0.0, 3.0, 1.0, 3.0]);
    }

    #[test]
    fn order_alone_decides_spearman() {
        let found = Correlation::of(&[(1.0, 1.0), (2.0, 10.0), (3.0, 1000.0)]);
        assert!(close(found.spearman, 1.0) && found.pearson < 0.95);
        let found = Correlation::of(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]);
        assert!(close(found.pearson, -1.0) && close(found.mean_difference, 0.0));
        assert!(Correlation::of(&[(1.0, 3.0), (1.0, 2.0)]).pearson.is_nan());
    }
}
