//! Follows a disagreement down the move tree to the position where the moves themselves differ.

use super::{BranchDifference, Cause, CounterPair, PairOutcome};
use crate::chess::{Board, Move};
use crate::generator::{CountRequest, CounterError, MoveLine};

/// The moves of a line and those that lead from its end to the deepest disagreement, and what the counters disagree about
/// there. `None` if they agree about the end of the line.
pub fn descend(
    pair: &CounterPair,
    line: &MoveLine,
    depth: u32,
    request: &CountRequest,
) -> Result<Option<(Vec<Move>, Cause)>, CounterError> {
    let board = line.board;
    let mut path = line.moves.to_vec();
    let Some(mut cause) = cause_at(pair, board, &path, depth, request)? else {
        return Ok(None);
    };
    while let Some((mv, below)) = next_move(pair, board, &path, &cause, request)? {
        path.push(mv);
        cause = below;
    }
    Ok(Some((path, cause)))
}

fn cause_at(
    pair: &CounterPair,
    board: &Board,
    moves: &[Move],
    depth: u32,
    request: &CountRequest,
) -> Result<Option<Cause>, CounterError> {
    let outcome = pair.compare(&MoveLine { board, moves }, depth, request)?;
    Ok(match outcome {
        PairOutcome::Agree(_) | PairOutcome::Refused(_) => None,
        PairOutcome::Failed(error) => Some(Cause::Failure { depth, error }),
        PairOutcome::Differ(difference) if difference.has_different_moves() => {
            Some(Cause::Moves(difference))
        }
        PairOutcome::Differ(difference) => Some(Cause::Counts { depth, difference }),
    })
}

/// The first move below which the counters disagree too.
fn next_move(
    pair: &CounterPair,
    board: &Board,
    path: &[Move],
    cause: &Cause,
    request: &CountRequest,
) -> Result<Option<(Move, Cause)>, CounterError> {
    let end = MoveLine { board, moves: path }.end();
    let (depth, candidates) = match cause {
        Cause::Moves(_) => return Ok(None),
        Cause::Counts { depth, difference } => {
            (*depth, moves_with_different_counts(&end, difference))
        }
        Cause::Failure { depth, .. } => (*depth, end.legal_moves()),
    };
    if depth < 2 {
        return Ok(None);
    }
    for mv in candidates {
        let moves = [path, &[mv]].concat();
        if let Some(below) = cause_at(pair, board, &moves, depth - 1, request)? {
            return Ok(Some((mv, below)));
        }
    }
    Ok(None)
}

/// A move that both counters have, but that is not legal by our own rules, is left out: we cannot play it.
fn moves_with_different_counts(board: &Board, difference: &BranchDifference) -> Vec<Move> {
    let names = difference.counts.iter().map(|(name, ..)| name);
    names
        .filter_map(|name| board.parse_uci(name).ok())
        .collect()
}
