//! The move generator of the shakmaty library, which Lichess's tools use.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position, PositionError};

use super::library::{self, LibraryPosition, refused};
use super::{Branches, CountRequest, Counter, CounterError, MoveLine, Profile};
use crate::chess::Board;
use crate::perft::MoveTree;
use crate::run::Cancel;

/// The move generator of the shakmaty library. It supports every move made and bulk counting.
pub struct Shakmaty;

impl Shakmaty {
    fn position(&self, board: &Board) -> Result<Chess, CounterError> {
        let fen: Fen = board
            .shredder_fen()
            .parse()
            .map_err(|reason: shakmaty::fen::ParseFenError| refused(self, board, reason))?;
        // It also checks whether a position can arise in a game, which our own rules do not.
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

    fn profile(&self, _: &Cancel) -> Result<Profile, CounterError> {
        Ok(library::profile("shakmaty 0.30"))
    }

    fn count(
        &self,
        board: &Board,
        depth: u32,
        request: &CountRequest,
    ) -> Result<u128, CounterError> {
        Ok(library::count(&self.position(board)?, depth, request)?)
    }

    fn branches(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<Branches, CounterError> {
        library::branches(self, self.position(line.board)?, line, depth, request)
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
