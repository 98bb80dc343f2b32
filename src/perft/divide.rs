//! Divide: perft split by first move, the usual way to find where two generators disagree.

use super::{CountError, CountOptions, Position, unmerged};

/// Every legal move with the number of sequences of `depth` plies that begin with it, sorted by the text of the move.
pub fn divide<P: Position>(
    position: &P,
    depth: u32,
    options: &CountOptions,
) -> Result<Vec<(P::Move, u128)>, CountError> {
    let Some(below) = depth.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let mut moves = Vec::new();
    position.for_each_move(|mv| moves.push(mv));
    moves.sort_by_cached_key(P::Move::to_string);
    let branch = |mv| Ok((mv, unmerged(&position.play(mv), below, options)?));
    moves.into_iter().map(branch).collect()
}
