//! Perft as it is defined: list the moves, play each, count what is below. Slow, and hard to get wrong;
//! the fast counters are tested against it.

use super::Position;

/// The number of legal move sequences of `depth` plies, every move of every one of them played.
pub fn perft_by_listing<P: Position>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut total = 0;
    position.for_each_move(|mv| total += perft_by_listing(&position.play(mv), depth - 1));
    total
}
