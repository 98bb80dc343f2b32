//! The shakmaty library, the one behind Lichess's tools.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position, PositionError};

use super::refused;
use crate::chess::Board;
use crate::perft::{Counter, CounterError};

/// The generator of the shakmaty library.
pub struct Shakmaty;

impl Shakmaty {
    fn position(&self, board: &Board) -> Result<Chess, CounterError> {
        let fen: Fen = board
            .shredder_fen()
            .parse()
            .map_err(|reason: shakmaty::fen::ParseFenError| refused(self, board, reason))?;
        fen.into_position(CastlingMode::Chess960)
            .or_else(PositionError::ignore_impossible_check)
            .map_err(|reason| refused(self, board, reason))
    }
}

impl Counter for Shakmaty {
    fn name(&self) -> &str {
        "shakmaty"
    }

    fn perft(&self, board: &Board, depth: u32) -> Result<u128, CounterError> {
        Ok(shakmaty::perft(&self.position(board)?, depth).into())
    }

    fn divide(&self, board: &Board, depth: u32) -> Result<Vec<(String, u128)>, CounterError> {
        let position = self.position(board)?;
        let mut branches = Vec::new();
        if let Some(below) = depth.checked_sub(1) {
            for mv in position.legal_moves() {
                let mut after = position.clone();
                after.play_unchecked(mv);
                let name = mv.to_uci(CastlingMode::Chess960).to_string();
                branches.push((name, shakmaty::perft(&after, below).into()));
            }
        }
        branches.sort();
        Ok(branches)
    }
}
