//! A position in six words, for tables that hold millions.
//!
//! Three bits per circle say what stands there; a rook that may castle is another man than one that may not.
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
        let [pawns, knights, bishops, rooks, queens, kings] = self.men;
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
        let mut men = [Circles::EMPTY; 6];
        men[Role::Pawn as usize] = x & z & !y;
        men[Role::Knight as usize] = z & !x & !y;
        men[Role::Bishop as usize] = x & !y & !z;
        men[Role::Rook as usize] = y & !x & !z | castling;
        men[Role::Queen as usize] = x & y & !z;
        men[Role::King as usize] = y & z & !x;
        Board {
            men,
            white,
            black: (x | y | z) & !white,
            castling,
            turn,
        }
    }
}
