//! Perft of the whole tree, without merging transpositions.
//!
//! The tree is split at its first moves into subtrees that take a few milliseconds each. The cancel flag is checked between
//! two of them, and in a pool, idle threads take over subtrees from busy ones.

use rayon::prelude::*;

use super::{CountError, CountOptions, Position, Sharing};

/// Subtrees of this depth are not split further. They take some milliseconds: much longer than the hand-over to another
/// thread, and short enough to cancel between them.
const SUBTREE_DEPTH: u32 = 4;

/// The number of legal move sequences of `depth` plies.
pub fn unmerged<P: Position>(
    position: &P,
    depth: u32,
    options: &CountOptions,
) -> Result<u128, CountError> {
    let count = |position: &P, depth| u128::from(position.perft(depth));
    let sum = |a: u128, b| a.checked_add(b).ok_or(CountError::TooLarge);
    sum_subtrees(position, depth, options, &count, &sum)
}

/// Counts every subtree with `count` and adds the results with `sum`.
pub(crate) fn sum_subtrees<P: Position, N: Default + Send>(
    position: &P,
    depth: u32,
    options: &CountOptions,
    count: &(impl Fn(&P, u32) -> N + Sync),
    sum: &(impl Fn(N, N) -> Result<N, CountError> + Sync),
) -> Result<N, CountError> {
    if options.cancel.is_set() {
        return Err(CountError::Cancelled);
    }
    if depth <= SUBTREE_DEPTH {
        return Ok(count(position, depth));
    }
    let mut after = Vec::new();
    position.for_each_move(|mv| after.push(position.play(mv)));
    let below =
        |position, options: &CountOptions| sum_subtrees(position, depth - 1, options, count, sum);
    let count_in_pool = || {
        let options = CountOptions {
            sharing: Sharing::Pool,
            ..*options
        };
        let counts = after.par_iter().map(|position| below(position, &options));
        counts.try_reduce(N::default, sum)
    };
    options.sharing.in_pool(count_in_pool).unwrap_or_else(|| {
        let mut positions = after.iter();
        positions.try_fold(N::default(), |total, position| {
            sum(total, below(position, options)?)
        })
    })
}
