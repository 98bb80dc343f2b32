//! Our own generator.

use crate::chess::Board;
use crate::perft::{self, Counter, CounterError, Sharing, unmerged};

/// The generator of this program.
pub struct Own;

impl Counter for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn perft(&self, board: &Board, depth: u32) -> Result<u128, CounterError> {
        Ok(unmerged(board, depth, Sharing::Alone, &|| false)?)
    }

    fn divide(&self, board: &Board, depth: u32) -> Result<Vec<(String, u128)>, CounterError> {
        let branches = perft::divide(board, depth, Sharing::Alone, &|| false)?;
        let named = |(mv, nodes): (crate::chess::Move, u128)| (mv.to_string(), nodes);
        Ok(branches.into_iter().map(named).collect())
    }
}
