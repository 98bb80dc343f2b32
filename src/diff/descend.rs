//! Down the tree, to the position in which two counters disagree about the moves.

use super::{Difference, Fault, Outcome, Pair};
use crate::chess::{Board, Move};
use crate::generator::{Ask, CounterError, Line};

/// Where the walk ended, and what is wrong there.
pub struct Trail {
    pub path: Vec<Move>,
    pub fault: Fault,
}

/// Walks down from a position as long as the reason for the disagreement lies deeper.
pub fn follow(
    pair: &Pair,
    board: &Board,
    depth: u32,
    ask: &Ask,
) -> Result<Option<Trail>, CounterError> {
    let mut path = Vec::new();
    let Some(mut fault) = fault_at(pair, board, &path, depth, ask)? else {
        return Ok(None);
    };
    while let Some((mv, below)) = step(pair, board, &path, &fault, ask)? {
        path.push(mv);
        fault = below;
    }
    Ok(Some(Trail { path, fault }))
}

fn fault_at(
    pair: &Pair,
    board: &Board,
    moves: &[Move],
    depth: u32,
    ask: &Ask,
) -> Result<Option<Fault>, CounterError> {
    Ok(match pair.compare(&Line { board, moves }, depth, ask)? {
        Outcome::Agree(_) | Outcome::Refused(_) => None,
        Outcome::Failed(error) => Some(Fault::Failure { depth, error }),
        Outcome::Differ(difference) if difference.is_of_moves() => Some(Fault::Moves(difference)),
        Outcome::Differ(difference) => Some(Fault::Counts { depth, difference }),
    })
}

/// The first move below which there is a fault too.
fn step(
    pair: &Pair,
    board: &Board,
    path: &[Move],
    fault: &Fault,
    ask: &Ask,
) -> Result<Option<(Move, Fault)>, CounterError> {
    let end = Line { board, moves: path }.end();
    let (depth, candidates) = match fault {
        Fault::Moves(_) => return Ok(None),
        Fault::Counts { depth, difference } => (*depth, suspects(&end, difference)),
        Fault::Failure { depth, .. } => (*depth, end.legal_moves()),
    };
    if depth < 2 {
        return Ok(None);
    }
    for mv in candidates {
        let moves = [path, &[mv]].concat();
        if let Some(below) = fault_at(pair, board, &moves, depth - 1, ask)? {
            return Ok(Some((mv, below)));
        }
    }
    Ok(None)
}

/// The moves with different counts. One that is not legal by our own rules, though both know it, leads nowhere that we
/// could follow.
fn suspects(board: &Board, difference: &Difference) -> Vec<Move> {
    let names = difference.counts.iter().map(|(name, ..)| name);
    names
        .filter_map(|name| board.parse_uci(name).ok())
        .collect()
}
