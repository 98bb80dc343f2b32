//! The counter for Z-Chess: moves of the last ply are counted, not played.
//!
//! It runs on the same machines as the one for chess, compiled with what each of them is good at.

use super::moves::{count_moves, visit_moves};
use super::play::Playing;
use super::{Board, Move, Packed};
use crate::chess::Color;
use crate::cpu::{Cpu, Kernel, Level};
use crate::perft::{PackedPosition, Position};

impl Position for Board {
    type Move = Move;

    fn for_each_move(&self, visit: impl FnMut(Move)) {
        Board::for_each_move(self, visit);
    }

    fn play(&self, mv: Move) -> Board {
        Board::play(self, mv)
    }

    fn perft(&self, depth: u32) -> u64 {
        let level = Level::best();
        match (depth, Board::turn(self)) {
            (0, _) => 1,
            (_, Color::White) => level.call(Tree::<true> { board: self, depth }),
            (_, Color::Black) => level.call(Tree::<false> { board: self, depth }),
        }
    }
}

impl PackedPosition for Board {
    type Packed = Packed;
    type Turn = Color;

    /// Seventeen pieces reach no more than the 76 other circles each, and castling is two more.
    const MOST_CHILDREN: usize = 17 * 76 + 2;

    fn pack(&self) -> Packed {
        Board::pack(self)
    }

    fn unpack(packed: Packed, turn: Color) -> Board {
        Board::unpack(packed, turn)
    }

    fn turn(&self) -> Color {
        Board::turn(self)
    }

    fn for_each_child(&self, visit: impl FnMut(&Board)) {
        let level = Level::best();
        match Board::turn(self) {
            Color::White => level.call(Children::<_, true> { board: self, visit }),
            Color::Black => level.call(Children::<_, false> { board: self, visit }),
        }
    }
}

/// The tree below a position, at least one ply deep.
struct Tree<'a, const WHITE: bool> {
    board: &'a Board,
    depth: u32,
}

impl<const WHITE: bool> Kernel for Tree<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, cpu: impl Cpu) -> u64 {
        let Tree { board, depth } = self;
        if depth == 1 {
            return count_moves::<WHITE>(board);
        }
        let depth = depth - 1;
        let mut total = 0;
        let add = |board: &Board| {
            total += if WHITE {
                cpu.call(Tree::<false> { board, depth })
            } else {
                cpu.call(Tree::<true> { board, depth })
            };
        };
        visit_moves::<WHITE>(board, &mut Playing::<_, WHITE> { board, visit: add });
        total
    }
}

/// The positions after every move.
struct Children<'a, F, const WHITE: bool> {
    board: &'a Board,
    visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> Kernel for Children<'_, F, WHITE> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Cpu) {
        let Children { board, visit } = self;
        visit_moves::<WHITE>(board, &mut Playing::<_, WHITE> { board, visit });
    }
}
