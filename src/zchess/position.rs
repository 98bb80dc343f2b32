//! Z-Chess as a [`Position`] for the generic [`perft`](crate::perft) functions, with bulk counting on the last ply.
//!
//! Like the counter for chess, it is compiled for each instruction set that matters.

use super::moves::{count_moves, visit_moves};
use super::play::MakeMoves;
use super::{Board, Move, Packed};
use crate::chess::Color;
use crate::cpu::{Cpu, Kernel, Level};
use crate::perft::{MoveTree, PackedPosition, Position};

impl MoveTree for Board {
    type Move = Move;

    fn for_each_move(&self, visit: impl FnMut(Move)) {
        Board::for_each_move(self, visit);
    }

    fn play(&self, mv: Move) -> Board {
        Board::play(self, mv)
    }
}

impl Position for Board {
    fn perft(&self, depth: u32) -> u64 {
        let level = Level::best();
        match (depth, Board::turn(self)) {
            (0, _) => 1,
            (_, Color::White) => level.call(PerftKernel::<true> { board: self, depth }),
            (_, Color::Black) => level.call(PerftKernel::<false> { board: self, depth }),
        }
    }
}

impl PackedPosition for Board {
    type Packed = Packed;
    type Turn = Color;

    /// A side has at most seventeen pieces, each of which can reach at most the 76 other circles; there are two
    /// castling moves.
    const MAX_CHILDREN: usize = 17 * 76 + 2;

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
            Color::White => level.call(ChildrenKernel::<_, true> { board: self, visit }),
            Color::Black => level.call(ChildrenKernel::<_, false> { board: self, visit }),
        }
    }
}

/// Perft of a position, at least one ply deep.
struct PerftKernel<'a, const WHITE: bool> {
    board: &'a Board,
    depth: u32,
}

impl<const WHITE: bool> Kernel for PerftKernel<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, cpu: impl Cpu) -> u64 {
        let PerftKernel { board, depth } = self;
        if depth == 1 {
            return count_moves::<WHITE>(board);
        }
        let depth = depth - 1;
        let mut total = 0;
        let add = |board: &Board| {
            total += if WHITE {
                cpu.call(PerftKernel::<false> { board, depth })
            } else {
                cpu.call(PerftKernel::<true> { board, depth })
            };
        };
        visit_moves::<WHITE>(board, &mut MakeMoves::<_, WHITE> { board, visit: add });
        total
    }
}

struct ChildrenKernel<'a, F, const WHITE: bool> {
    board: &'a Board,
    visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> Kernel for ChildrenKernel<'_, F, WHITE> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Cpu) {
        let ChildrenKernel { board, visit } = self;
        visit_moves::<WHITE>(board, &mut MakeMoves::<_, WHITE> { board, visit });
    }
}
