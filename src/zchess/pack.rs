//! A position in six words, for tables that hold millions.
//!
//! Three bits per circle say what stands there; a rook that may castle is another piece than one that may not.
//! The fourth says whether it is White's. Whose turn it is, is left out.

use super::board::Board;
use super::circle::Circles;
use crate::chess::{Color, Role};

/// A position without turn: the lower words of the four sets, then their upper halves in pairs.
pub type Packed = [u64; 6];

impl Board {
    /// Packs the position. Two positions with the same side to move have equal packs only if they are equal.
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

    /// The position that was packed.
    #[inline(always)]
    pub fn unpack(packed: Packed, turn: Color) -> Board {
        let [a, b, c, d, upper, upper_too] = packed;
        let uppers = [upper, upper >> 32, upper_too, upper_too >> 32];
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
