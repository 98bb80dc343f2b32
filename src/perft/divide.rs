//! A count by first moves: where two generators disagree, this shows below which move.

use super::{CountError, Position, Sharing, unmerged};

/// Each first move and the number of sequences of `depth` plies that begin with it, in the order of the
/// moves' names.
pub fn divide<P: Position>(
    position: &P,
    depth: u32,
    sharing: Sharing,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<(P::Move, u128)>, CountError> {
    let Some(below) = depth.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let mut moves = Vec::new();
    position.for_each_move(|mv| moves.push(mv));
    moves.sort_by_cached_key(P::Move::to_string);
    let branch = |mv| {
        Ok((
            mv,
            unmerged(&position.play(mv), below, sharing, is_stopped)?,
        ))
    };
    moves.into_iter().map(branch).collect()
}
