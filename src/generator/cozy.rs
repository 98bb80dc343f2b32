//! The cozy-chess library, the fastest Chess960 generator that others have published for Rust.

use super::refused;
use crate::chess::Board;
use crate::perft::{Counter, CounterError};

/// The generator of the cozy-chess library.
pub struct Cozy;

impl Cozy {
    fn position(&self, board: &Board) -> Result<cozy_chess::Board, CounterError> {
        cozy_chess::Board::from_fen(&board.shredder_fen(), true)
            .map_err(|reason| refused(self, board, reason))
    }
}

impl Counter for Cozy {
    fn name(&self) -> &str {
        "cozy-chess"
    }

    fn perft(&self, board: &Board, depth: u32) -> Result<u128, CounterError> {
        Ok(count(&self.position(board)?, depth).into())
    }

    fn divide(&self, board: &Board, depth: u32) -> Result<Vec<(String, u128)>, CounterError> {
        let position = self.position(board)?;
        let mut branches = Vec::new();
        if let Some(below) = depth.checked_sub(1) {
            for_each_move(&position, |mv, after| {
                branches.push((mv.to_string(), count(after, below).into()));
            });
        }
        branches.sort();
        Ok(branches)
    }
}

fn count(position: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => nodes = 1,
        1 => {
            position.generate_moves(|moves| {
                nodes += moves.len() as u64;
                false
            });
        }
        _ => for_each_move(position, |_, after| nodes += count(after, depth - 1)),
    }
    nodes
}

fn for_each_move(
    position: &cozy_chess::Board,
    mut visit: impl FnMut(cozy_chess::Move, &cozy_chess::Board),
) {
    position.generate_moves(|moves| {
        for mv in moves {
            let mut after = position.clone();
            after.play_unchecked(mv);
            visit(mv, &after);
        }
        false
    });
}
