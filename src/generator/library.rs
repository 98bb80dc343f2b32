//! What the libraries have in common: a tree of positions, walked in the same way whoever knows the moves.

use super::{Ask, Branches, Counter, CounterError, LastMoves, Line, Profile};
use crate::chess::Board;
use crate::perft::CountError;

/// A position of a library.
pub trait Tree: Sized {
    type Move: Copy;

    fn for_each_move(&self, visit: impl FnMut(Self::Move));

    /// The position after a legal move.
    fn after(&self, mv: Self::Move) -> Self;

    /// The move as UCI, castling as king takes rook.
    fn name(mv: Self::Move) -> String;

    /// The number of sequences of `depth` plies, the moves of the last one counted and not made.
    fn count_leaves(&self, depth: u32) -> u64;
}

/// So deep a tree takes a library less than a second: between two of them there is time to look whether to stop.
const PIECE: u32 = 4;

pub fn profile(identity: &str) -> Profile {
    Profile {
        identity: identity.to_owned(),
        asked_by: "calls",
        last_moves: Some(&[LastMoves::Counted, LastMoves::Made]),
        is_hashed: Some(false),
        knows_chess960: true,
        starts_anew: false,
    }
}

pub fn count<T: Tree>(tree: &T, depth: u32, ask: &Ask) -> Result<u128, CountError> {
    if (ask.is_stopped)() {
        return Err(CountError::Stopped);
    }
    if depth <= PIECE {
        return Ok(u128::from(match ask.last_moves {
            LastMoves::Counted => tree.count_leaves(depth),
            LastMoves::Made => make_all(tree, depth),
        }));
    }
    moves_of(tree).into_iter().try_fold(0_u128, |total, mv| {
        let nodes = count(&tree.after(mv), depth - 1, ask)?;
        total.checked_add(nodes).ok_or(CountError::TooLarge)
    })
}

/// The branches after a line, whose moves are looked up among the library's own.
pub fn branches<T: Tree>(
    counter: &impl Counter,
    root: T,
    line: &Line,
    depth: u32,
    ask: &Ask,
) -> Result<Branches, CounterError> {
    let tree = follow(counter, root, line)?;
    let Some(below) = depth.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let branch = |mv| Ok((T::name(mv), count(&tree.after(mv), below, ask)?));
    let branches = moves_of(&tree).into_iter().map(branch);
    let mut branches = branches.collect::<Result<Branches, CountError>>()?;
    branches.sort();
    Ok(branches)
}

pub fn refused(counter: &impl Counter, board: &Board, reason: impl ToString) -> CounterError {
    CounterError::Refused {
        counter: counter.name().to_owned(),
        fen: board.x_fen(),
        reason: reason.to_string(),
    }
}

fn follow<T: Tree>(counter: &impl Counter, root: T, line: &Line) -> Result<T, CounterError> {
    let mut tree = root;
    for mv in line.moves {
        let name = mv.to_string();
        let known = moves_of(&tree).into_iter().find(|&mv| T::name(mv) == name);
        let mv = known.ok_or_else(|| {
            let reason = format!("on the way to it, {name} is not a move");
            refused(counter, &line.end(), reason)
        })?;
        tree = tree.after(mv);
    }
    Ok(tree)
}

fn moves_of<T: Tree>(tree: &T) -> Vec<T::Move> {
    let mut moves = Vec::new();
    tree.for_each_move(|mv| moves.push(mv));
    moves
}

fn make_all<T: Tree>(tree: &T, depth: u32) -> u64 {
    let Some(below) = depth.checked_sub(1) else {
        return 1;
    };
    let mut nodes = 0;
    tree.for_each_move(|mv| nodes += make_all(&tree.after(mv), below));
    nodes
}
