//! The move generator of the cozy-chess library, the fastest published Chess960 generator for Rust.

use super::library::{Library, LibraryPosition};
use crate::chess::Board;
use crate::perft::MoveTree;

/// The move generator of the cozy-chess library. It supports every move made and bulk counting.
pub struct Cozy;

impl Library for Cozy {
    const NAME: &'static str = "cozy-chess";
    const IDENTITY: &'static str = "cozy-chess 0.3";

    type Position = cozy_chess::Board;

    fn position(board: &Board) -> Result<cozy_chess::Board, String> {
        let position = cozy_chess::Board::from_fen(&board.shredder_fen(), true);
        position.map_err(|reason| reason.to_string())
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
