//! The shakmaty library, the one behind Lichess's tools.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position, PositionError};

use super::library::{self, Tree, refused};
use super::{Ask, Branches, Counter, CounterError, Line, Profile};
use crate::chess::Board;

/// The generator of the shakmaty library.
pub struct Shakmaty;

impl Shakmaty {
    fn position(&self, board: &Board) -> Result<Chess, CounterError> {
        let fen: Fen = board
            .shredder_fen()
            .parse()
            .map_err(|reason: shakmaty::fen::ParseFenError| refused(self, board, reason))?;
        // It also looks at how a position can have come about, which our own rules do not ask.
        fen.into_position(CastlingMode::Chess960)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .map_err(|reason| refused(self, board, reason))
    }
}

impl Counter for Shakmaty {
    fn name(&self) -> &str {
        "shakmaty"
    }

    fn profile(&self, _: &Ask) -> Result<Profile, CounterError> {
        Ok(library::profile("shakmaty 0.30"))
    }

    fn count(&self, board: &Board, depth: u32, ask: &Ask) -> Result<u128, CounterError> {
        Ok(library::count(&self.position(board)?, depth, ask)?)
    }

    fn branches(&self, line: &Line, depth: u32, ask: &Ask) -> Result<Branches, CounterError> {
        library::branches(self, self.position(line.board)?, line, depth, ask)
    }
}

impl Tree for Chess {
    type Move = shakmaty::Move;

    fn for_each_move(&self, visit: impl FnMut(shakmaty::Move)) {
        self.legal_moves().into_iter().for_each(visit);
    }

    fn after(&self, mv: shakmaty::Move) -> Chess {
        let mut after = self.clone();
        after.play_unchecked(mv);
        after
    }

    fn name(mv: shakmaty::Move) -> String {
        mv.to_uci(CastlingMode::Chess960).to_string()
    }

    fn count_leaves(&self, depth: u32) -> u64 {
        shakmaty::perft(self, depth)
    }
}
