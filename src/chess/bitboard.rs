//! Bitboards: a set of squares in one 64-bit word, with the usual little-endian rank-file mapping (bit 0 is a1, bit 1
//! is b1, bit 63 is h8).

use std::fmt;

use super::bit_ops::impl_bit_ops;
use super::square::Square;

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Square {
    /// The set that has only this square.
    #[inline(always)]
    pub const fn bit(self) -> Bitboard {
        Bitboard(1 << (self.index() & 63))
    }
}

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 64 squares.
    pub const ALL: Bitboard = Bitboard(!0);
    /// The squares of the a-file.
    pub const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
    /// The squares of the h-file.
    pub const FILE_H: Bitboard = Bitboard(0x8080_8080_8080_8080);

    /// All squares of a rank, 0 to 7.
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard(0xFF << (8 * rank))
    }

    /// Whether the set has no square.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has at least one square.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the square is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        self.0 & square.bit().0 != 0
    }

    /// The number of squares (population count).
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has two or more squares.
    pub const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The lowest square; the set must not be empty.
    #[inline(always)]
    pub const fn first(self) -> Square {
        debug_assert!(self.0 != 0);
        Square::from_index(self.0.trailing_zeros() & 63)
    }

    /// The highest square; the set must not be empty.
    #[inline(always)]
    pub const fn last(self) -> Square {
        debug_assert!(self.0 != 0);
        Square::from_index(63 ^ (self.0.leading_zeros() & 63))
    }

    /// Every square shifted by `step` indices. Squares that leave the board across the first or last rank are dropped;
    /// the caller has to mask squares that wrap around the a- or h-file.
    #[inline(always)]
    pub const fn shifted(self, step: i8) -> Bitboard {
        if step >= 0 {
            Bitboard(self.0 << step)
        } else {
            Bitboard(self.0 >> -step)
        }
    }
}

impl_bit_ops!(Bitboard, all: Bitboard::ALL);

impl Iterator for Bitboard {
    type Item = Square;

    /// Removes the lowest square from the set and returns it.
    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.is_empty() {
            return None;
        }
        let square = self.first();
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = Bitboard::count(*self) as usize;
        (count, Some(count))
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, square| set | square.bit())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
