//! The cozy-chess library, the fastest Chess960 generator that others have published for Rust.

use super::library::{self, Tree, refused};
use super::{Ask, Branches, Counter, CounterError, Line, Profile};
use crate::chess::Board;

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

    fn profile(&self, _: &Ask) -> Result<Profile, CounterError> {
        Ok(library::profile("cozy-chess 0.3"))
    }

    fn count(&self, board: &Board, depth: u32, ask: &Ask) -> Result<u128, CounterError> {
        Ok(library::count(&self.position(board)?, depth, ask)?)
    }

    fn branches(&self, line: &Line, depth: u32, ask: &Ask) -> Result<Branches, CounterError> {
        library::branches(self, self.position(line.board)?, line, depth, ask)
    }
}

impl Tree for cozy_chess::Board {
    type Move = cozy_chess::Move;

    fn for_each_move(&self, mut visit: impl FnMut(cozy_chess::Move)) {
        self.generate_moves(|moves| {
            moves.into_iter().for_each(&mut visit);
            false
        });
    }

    fn after(&self, mv: cozy_chess::Move) -> cozy_chess::Board {
        let mut after = self.clone();
        after.play_unchecked(mv);
        after
    }

    fn name(mv: cozy_chess::Move) -> String {
        mv.to_string()
    }

    fn count_leaves(&self, depth: u32) -> u64 {
        let mut nodes = 0;
        match depth {
            0 => nodes = 1,
            1 => {
                self.generate_moves(|moves| {
                    nodes += moves.len() as u64;
                    false
                });
            }
            _ => self.for_each_move(|mv| nodes += self.after(mv).count_leaves(depth - 1)),
        }
        nodes
    }
}
