//! How well two lists of scores agree.

/// What two lists of numbers about the same things have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// How well a straight line maps one onto the other, from -1 to 1.
    pub pearson: f64,
    /// How well the two agree about the order, from -1 to 1.
    pub spearman: f64,
    /// By how much the first is higher on average.
    pub mean_difference: f64,
}

impl Agreement {
    /// The agreement of pairs of numbers. A correlation is not a number where one of the lists does not vary.
    pub fn of(pairs: &[(f64, f64)]) -> Agreement {
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        Agreement {
            pearson: correlation(&first, &second),
            spearman: correlation(&ranks(&first), &ranks(&second)),
            mean_difference: mean(&first) - mean(&second),
        }
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn correlation(first: &[f64], second: &[f64]) -> f64 {
    let (mean_first, mean_second) = (mean(first), mean(second));
    let (mut both, mut squares_first, mut squares_second) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        let (a, b) = (a - mean_first, b - mean_second);
        both += a * b;
        squares_first += a * a;
        squares_second += b * b;
    }
    both / (squares_first * squares_second).sqrt()
}

/// The place of each number in their order; equal ones share the mean of their places.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut begin = 0;
    for equal in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let shared = begin as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|&index| ranks[index] = shared);
        begin += equal.len();
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
        let found = Agreement::of(&pairs);
        assert!((found.pearson - 0.816).abs() < 0.0005, "{found:?}");
        // 1 - 6 * (sum of squared differences of ranks, 40) / (11 * 120)
        assert!(
            close(found.spearman, 1.0 - 6.0 * 40.0 / 1320.0),
            "{found:?}"
        );
    }

    #[test]
    fn equal_numbers_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [3.0, 0.0, 3.0, 1.0, 3.0]);
    }

    #[test]
    fn order_alone_decides_spearman() {
        let found = Agreement::of(&[(1.0, 1.0), (2.0, 10.0), (3.0, 1000.0)]);
        assert!(close(found.spearman, 1.0) && found.pearson < 0.95);
        let found = Agreement::of(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]);
        assert!(close(found.pearson, -1.0) && close(found.mean_difference, 0.0));
        assert!(Agreement::of(&[(1.0, 3.0), (1.0, 2.0)]).pearson.is_nan());
    }
}
