//! The move generator of the cozy-chess library, the fastest published Chess960 generator for Rust.

use super::library::{self, LibraryPosition, refused};
use super::{Branches, CountRequest, Counter, CounterError, MoveLine, Profile};
use crate::chess::Board;
use crate::perft::MoveTree;
use crate::run::Cancel;

/// The move generator of the cozy-chess library. It supports every move made and bulk counting.
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

    fn profile(&self, _: &Cancel) -> Result<Profile, CounterError> {
        Ok(library::profile("cozy-chess 0.3"))
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

impl MoveTree for cozy_chess::Board {
    type Move = cozy_chess::Move;

    fn for_each_move(&self, mut visit: impl FnMut(cozy_chess::Move)) {
        self.generate_moves(|moves| {
            moves.into_iter().for_each(&mut visit);
            false
        });
    }

    fn play(&self, mv: cozy_chess::Move) -> cozy_chess::Board {
        let mut after = self.clone();
        after.play_unchecked(mv);
        after
    }
}

impl LibraryPosition for cozy_chess::Board {
    fn uci(mv: cozy_chess::Move) -> String {
        mv.to_string()
    }

    fn bulk_perft(&self, depth: u32) -> u64 {
        let mut nodes = 0;
        match depth {
            0 => nodes = 1,
            1 => {
                self.generate_moves(|moves| {
                    nodes += moves.len() as u64;
                    false
                });
            }
            _ => self.for_each_move(|mv| nodes += self.play(mv).bulk_perft(depth - 1)),
        }
        nodes
    }
}
