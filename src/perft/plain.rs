//! Naive perft: generate the legal moves, make each of them, recurse. It is slow and hard to get wrong, so the fast
//! counters are tested against it.

use super::MoveTree;

/// The number of legal move sequences of `depth` plies. Every move is made, the last ply included.
pub fn naive_perft<P: MoveTree>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut total = 0;
    position.for_each_move(|mv| total += naive_perft(&position.play(mv), depth - 1));
    total
}
