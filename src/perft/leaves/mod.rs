//! The fast counter for chess: moves of the last ply are counted, not played, and most of those before them
//! neither.
//!
//! The recursion is written once, over the colour and over the `Machine` that it runs on; which machine
//! that is, is decided once, when the program first counts.

mod machine;
mod replies;

pub use machine::Path;
pub(super) use machine::{Machine, Task};

use std::sync::OnceLock;

use crate::chess::moves::{self, Visitor};
use crate::chess::{Bitboard, Board, Color, Role, Square};

/// The number of legal move sequences of `depth` plies.
pub fn perft(board: &Board, depth: u32) -> u64 {
    path().perft(board, depth)
}

/// Calls `visit` with the position after every legal move.
pub fn for_each_child(board: &Board, visit: impl FnMut(&Board)) {
    match board.turn() {
        Color::White => path().run(Children::<_, true> { board, visit }),
        Color::Black => path().run(Children::<_, false> { board, visit }),
    }
}

/// The way that all counting goes.
pub(super) fn path() -> Path {
    static PATH: OnceLock<Path> = OnceLock::new();
    *PATH.get_or_init(Path::fastest)
}

impl Path {
    pub fn perft(self, board: &Board, depth: u32) -> u64 {
        match (depth, board.turn()) {
            (0, _) => 1,
            (_, Color::White) => self.run(Tree::<true> { board, depth }),
            (_, Color::Black) => self.run(Tree::<false> { board, depth }),
        }
    }
}

/// The tree below a position, at least one ply deep.
struct Tree<'a, const WHITE: bool> {
    board: &'a Board,
    depth: u32,
}

impl<const WHITE: bool> Task for Tree<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> u64 {
        match self.depth {
            1 => machine.call(Leaves::<WHITE>(self.board)),
            2 => replies::count_replies::<WHITE>(machine, self.board),
            _ => count_below::<WHITE>(machine, self.board, self.depth),
        }
    }
}

/// The moves in a position.
pub(super) struct Leaves<'a, const WHITE: bool>(pub &'a Board);

impl<const WHITE: bool> Task for Leaves<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> u64 {
        moves::count_moves::<WHITE>(self.0, machine)
    }
}

/// Plays every move and adds up what is counted below.
#[inline(always)]
fn count_below<const WHITE: bool>(machine: impl Machine, board: &Board, depth: u32) -> u64 {
    let depth = depth - 1;
    let mut total = 0;
    let add = |board: &Board| {
        total += if WHITE {
            machine.call(Tree::<false> { board, depth })
        } else {
            machine.call(Tree::<true> { board, depth })
        };
    };
    let mut playing = Playing::<_, _, WHITE> {
        machine,
        board,
        visit: add,
    };
    moves::visit_moves::<WHITE>(board, machine, &mut playing);
    total
}

/// The positions after every move.
struct Children<'a, F, const WHITE: bool> {
    board: &'a Board,
    visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> Task for Children<'_, F, WHITE> {
    type Output = ();

    #[inline(always)]
    fn run(self, machine: impl Machine) {
        let Children { board, visit } = self;
        let mut playing = Playing::<_, _, WHITE> {
            machine,
            board,
            visit,
        };
        moves::visit_moves::<WHITE>(board, machine, &mut playing);
    }
}

/// Plays each move and hands on the position after it.
struct Playing<'a, M, F, const WHITE: bool> {
    machine: M,
    board: &'a Board,
    visit: F,
}

impl<M: Machine, F: FnMut(&Board), const WHITE: bool> Visitor for Playing<'_, M, F, WHITE> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            (self.visit)(&self.board.after_plain::<WHITE>(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-step);
            (self.visit)(&self.board.after_plain::<WHITE>(Role::Pawn, from, to));
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-2 * step);
            (self.visit)(
                &self
                    .board
                    .after_double_push::<WHITE>(self.machine, from, to),
            );
        }
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            for role in Role::PROMOTIONS {
                let from = to.offset(-step);
                (self.visit)(&self.board.after_promotion::<WHITE>(role, from, to));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        (self.visit)(&self.board.after_en_passant::<WHITE>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        (self.visit)(&self.board.after_castling::<WHITE>(king, rook));
    }
}
