//! The move generator of the shakmaty library, which Lichess's tools use.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, Position, PositionError};

use super::library::{Library, LibraryPosition};
use crate::chess::Board;
use crate::perft::MoveTree;

/// The move generator of the shakmaty library. It supports every move made and bulk counting.
pub struct Shakmaty;

impl Library for Shakmaty {
    const NAME: &'static str = "shakmaty";
    const IDENTITY: &'static str = "shakmaty 0.30";

    type Position = Chess;

    fn position(board: &Board) -> Result<Chess, String> {
        let fen: Fen = board
            .shredder_fen()
            .parse()
            .map_err(|reason: ParseFenError| reason.to_string())?;
        // It also checks whether a position can arise in a game, which our own rules do not.
        fen.into_position(CastlingMode::Chess960)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .map_err(|reason| reason.to_string())
    }
}

impl MoveTree for Chess {
    type Move = shakmaty::Move;

    fn for_each_move(&self, visit: impl FnMut(shakmaty::Move)) {
        self.legal_moves().into_iter().for_each(visit);
    }

    fn play(&self, mv: shakmaty::Move) -> Chess {
        let mut after = self.clone();
        after.play_unchecked(mv);
        after
    }
}

impl LibraryPosition for Chess {
    fn uci(mv: shakmaty::Move) -> String {
        mv.to_uci(CastlingMode::Chess960).to_string()
    }

    fn bulk_perft(&self, depth: u32) -> u64 {
        shakmaty::perft(self, depth)
    }
}
