//! A position packed into six words, for tables with millions of positions.
//!
//! Three bits per circle encode the role of the piece on it, with a separate code for rooks that may castle. A fourth
//! bit marks white pieces. The side to move is not packed.

use super::board::Board;
use super::circle::Circles;
use crate::chess::{Color, Role};

/// A position without side to move: the lower words of the four sets, then their upper parts, two in a word.
pub type Packed = [u64; 6];

impl Board {
    /// The packed form. Two positions with the same side to move have equal packed forms only if they are equal.
    #[inline(always)]
    pub fn pack(&self) -> Packed {
        let [pawns, knights, bishops, rooks, queens, kings] = self.pieces;
        let x = pawns | bishops | queens | self.castling;
        let y = rooks | queens | kings;
        let z = pawns | knights | kings | self.castling;
        let sets = [x, y, z, self.white].map(|set| set.0);
        let [x, y, z, white] = sets.map(|set| (set >> 64) as u64);
        let [a, b, c, d] = sets.map(|set| set as u64);
        [a, b, c, d, x | y << 32, z | white << 32]
    }

    /// The position with this packed form and side to move.
    #[inline(always)]
    pub fn unpack(packed: Packed, turn: Color) -> Board {
        let [a, b, c, d, upper, other_upper] = packed;
        let uppers = [upper, upper >> 32, other_upper, other_upper >> 32];
        let set = |lower: u64, upper: u64| {
            Circles(u128::from(lower) | u128::from(upper & 0xFFFF_FFFF) << 64)
        };
        let [x, y, z, white] = [
            set(a, uppers[0]),
            set(b, uppers[1]),
            set(c, uppers[2]),
            set(d, uppers[3]),
        ];
        let castling = x & y & z;
        let mut pieces = [Circles::EMPTY; 6];
        pieces[Role::Pawn as usize] = x & z & !y;
        pieces[Role::Knight as usize] = z & !x & !y;
        pieces[Role::Bishop as usize] = x & !y & !z;
        pieces[Role::Rook as usize] = y & !x & !z | castling;
        pieces[Role::Queen as usize] = x & y & !z;
        pieces[Role::King as usize] = y & z & !x;
        Board {
            pieces,
            white,
            black: (x | y | z) & !white,
            castling,
            turn,
        }
    }
}
