//! Chess960 as a [`Position`] for the generic [`perft`](crate::perft) functions.

use super::{Board, Color, Move, Packed, count};
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
        count::perft(self, depth)
    }
}

impl PackedPosition for Board {
    type Packed = Packed;
    type Turn = Color;

    const MAX_CHILDREN: usize = 512;

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
        count::for_each_child(self, visit);
    }
}
