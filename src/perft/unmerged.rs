//! Perft of the whole tree, sequence by sequence: nothing is remembered, so nothing can be remembered wrongly.
//!
//! The tree is cut at its first moves until the pieces are small. Between two pieces there is time to look
//! whether to stop; in a pool of threads, idle ones take pieces from busy ones.

use rayon::prelude::*;

use super::{CountError, Position, Sharing};

/// A tree of this depth takes some milliseconds: longer than to hand it to another thread, and too short to
/// keep anybody waiting who wants to stop.
const PIECE: u32 = 4;

/// The number of legal move sequences of `depth` plies.
pub fn unmerged<P: Position>(
    position: &P,
    depth: u32,
    sharing: Sharing,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<u128, CountError> {
    let count = |position: &P, depth| u128::from(position.perft(depth));
    let sum = |a: u128, b| a.checked_add(b).ok_or(CountError::TooLarge);
    in_pieces(position, depth, sharing, is_stopped, &count, &sum)
}

/// The sum of what is counted in the pieces of a tree.
pub(crate) fn in_pieces<P: Position, N: Default + Send>(
    position: &P,
    depth: u32,
    sharing: Sharing,
    is_stopped: &(dyn Fn() -> bool + Sync),
    count: &(impl Fn(&P, u32) -> N + Sync),
    sum: &(impl Fn(N, N) -> Result<N, CountError> + Sync),
) -> Result<N, CountError> {
    if is_stopped() {
        return Err(CountError::Stopped);
    }
    if depth <= PIECE {
        return Ok(count(position, depth));
    }
    let mut after = Vec::new();
    position.for_each_move(|mv| after.push(position.play(mv)));
    let below = |position, sharing| in_pieces(position, depth - 1, sharing, is_stopped, count, sum);
    let in_pool = || {
        let pieces = after.par_iter();
        let counts = pieces.map(|position| below(position, Sharing::Pool));
        counts.try_reduce(N::default, sum)
    };
    sharing.spread(in_pool).unwrap_or_else(|| {
        let mut positions = after.iter();
        positions.try_fold(N::default(), |total, position| {
            sum(total, below(position, sharing)?)
        })
    })
}
