//! Perft of the whole tree, sequence by sequence: nothing is remembered, so nothing can be remembered wrongly.
//!
//! The tree is cut at its first moves until the pieces are small. Between two pieces there is time to look
//! whether to stop; in a pool of threads, idle ones take pieces from busy ones.

use rayon::prelude::*;

use super::{CountError, Position, Sharing};

/// A tree of this depth takes some milliseconds: longer than to hand it to another thread, and too short to
/// keep anybody waiting who wants to stop.
const PIECE: u32 = 5;

/// The number of legal move sequences of `depth` plies.
pub fn unmerged<P: Position>(
    position: &P,
    depth: u32,
    sharing: Sharing,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<u128, CountError> {
    if is_stopped() {
        return Err(CountError::Stopped);
    }
    if depth < PIECE {
        return Ok(position.perft(depth).into());
    }
    let mut after = Vec::new();
    position.for_each_move(|mv| after.push(position.play(mv)));
    let below = |position| unmerged(position, depth - 1, sharing, is_stopped);
    let sum = |a: u128, b: u128| a.checked_add(b).ok_or(CountError::TooLarge);
    match sharing {
        Sharing::Alone => after
            .iter()
            .try_fold(0, |total, position| sum(total, below(position)?)),
        Sharing::Pool => after.par_iter().map(below).try_reduce(|| 0, sum),
    }
}
