//! Our own generator.

use crate::chess::Board;
use crate::perft::{self, Counter, CounterError, Position};

/// The generator of this program.
pub struct Own;

impl Counter for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn perft(&self, board: &Board, depth: u32) -> Result<u64, CounterError> {
        Ok(Position::perft(board, depth))
    }

    fn divide(&self, board: &Board, depth: u32) -> Result<Vec<(String, u64)>, CounterError> {
        let branches = perft::divide(board, depth).into_iter();
        Ok(branches
            .map(|(mv, nodes)| (mv.to_string(), nodes))
            .collect())
    }
}
