//! One position on every core: the tree is cut at its first moves until the pieces are small, and idle
//! threads take pieces from busy ones.

use rayon::prelude::*;

use super::Position;

/// Below this depth a tree is counted in less time than it takes to hand it to another thread.
const WORTH_SHARING: u32 = 5;

/// The number of legal move sequences of `depth` plies, counted by all threads of the current pool.
pub fn perft_in_parallel<P: Position>(position: &P, depth: u32) -> u64 {
    if depth < WORTH_SHARING {
        return position.perft(depth);
    }
    let mut after = Vec::new();
    position.for_each_move(|mv| after.push(position.play(mv)));
    after
        .par_iter()
        .map(|position| perft_in_parallel(position, depth - 1))
        .sum()
}

/// Each first move and the number of sequences of `depth` plies that begin with it, in the order of the
/// moves' names, counted by all threads of the current pool.
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(P::Move, u64)> {
    let Some(below) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut moves = Vec::new();
    position.for_each_move(|mv| moves.push(mv));
    moves.sort_by_cached_key(P::Move::to_string);
    moves
        .into_par_iter()
        .map(|mv| (mv, perft_in_parallel(&position.play(mv), below)))
        .collect()
}
