//! Our own generator.

use super::{Ask, Branches, Counter, CounterError, LastMoves, Line, Profile};
use crate::chess::{Board, Move, count};
use crate::perft::{self, CountError, in_pieces, unmerged};

/// The generator of this program.
pub struct Own;

impl Counter for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn profile(&self, _: &Ask) -> Result<Profile, CounterError> {
        Ok(Profile {
            identity: concat!("ninesixty ", env!("CARGO_PKG_VERSION")).to_owned(),
            asked_by: "calls",
            last_moves: Some(&[LastMoves::Counted, LastMoves::Made]),
            is_hashed: Some(false),
            knows_chess960: true,
            starts_anew: false,
        })
    }

    fn count(&self, board: &Board, depth: u32, ask: &Ask) -> Result<u128, CounterError> {
        Ok(match ask.last_moves {
            LastMoves::Counted => unmerged(board, depth, ask.sharing, ask.is_stopped)?,
            LastMoves::Made => {
                let made = |board: &Board, depth| u128::from(make_all(board, depth));
                let sum = |a: u128, b| a.checked_add(b).ok_or(CountError::TooLarge);
                in_pieces(board, depth, ask.sharing, ask.is_stopped, &made, &sum)?
            }
        })
    }

    fn branches(&self, line: &Line, depth: u32, ask: &Ask) -> Result<Branches, CounterError> {
        let branches = perft::divide(&line.end(), depth, ask.sharing, ask.is_stopped)?;
        let named = |(mv, nodes): (Move, u128)| (mv.to_string(), nodes);
        Ok(branches.into_iter().map(named).collect())
    }
}

fn make_all(board: &Board, depth: u32) -> u64 {
    let Some(below) = depth.checked_sub(1) else {
        return 1;
    };
    let mut nodes = 0;
    count::for_each_child(board, |after| nodes += make_all(after, below));
    nodes
}
