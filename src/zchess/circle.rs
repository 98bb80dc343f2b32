//! The circles of the board, and sets of them in 128 bits.
//!
//! The rows stand one behind the other in a set, each followed by a bit that is no circle. Then every
//! direction is one shift wherever it begins, 1 along a row and 9 or 10 along a diagonal, and whatever leaves
//! the board falls onto a bit that is none of its circles.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};
use std::str::FromStr;

/// A circle of the board, such as a1 or h16.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Circle(u8);

/// The bits that a set takes: 77 circles and the eight between the rows.
pub(super) const BITS: usize = 85;

/// From a row to the next but one.
const TWO_ROWS: u8 = 19;

/// A row of nine, and the bit after it.
const LONG_ROW: u8 = 10;

const fn begin_of_row(row: u8) -> u8 {
    row / 2 * TWO_ROWS + row % 2 * LONG_ROW
}

impl Circle {
    pub const ROWS: u8 = 9;

    /// The circle on this row, 0 to 8, with this number, if there is one.
    pub const fn at(row: u8, number: u8) -> Option<Circle> {
        let is_there = row < Circle::ROWS
            && number >= 1
            && number <= 17
            && row.is_multiple_of(2) != number.is_multiple_of(2);
        if is_there {
            Some(Circle(begin_of_row(row) + (number - 1) / 2))
        } else {
            None
        }
    }

    pub fn all() -> impl Iterator<Item = Circle> {
        Circles::BOARD
    }

    /// Where the circle stands in a set.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row, 0 for a to 8 for i.
    pub const fn row(self) -> u8 {
        let in_pair = self.0 % TWO_ROWS;
        self.0 / TWO_ROWS * 2 + (in_pair >= LONG_ROW) as u8
    }

    pub const fn number(self) -> u8 {
        let in_pair = self.0 % TWO_ROWS;
        if in_pair < LONG_ROW {
            2 * in_pair + 1
        } else {
            2 * (in_pair - LONG_ROW) + 2
        }
    }

    #[inline(always)]
    pub const fn bit(self) -> Circles {
        Circles(1 << self.0)
    }

    /// The circle so many bits further on; the caller knows that there is one.
    #[inline(always)]
    pub(super) const fn offset(self, step: i8) -> Circle {
        let circle = Circle(self.0.wrapping_add_signed(step));
        debug_assert!(Circles::BOARD.has(circle));
        circle
    }

    /// The circle so many rows up and numbers on, if there is one.
    pub(super) fn towards(self, rows: i8, numbers: i8) -> Option<Circle> {
        let row = self.row().checked_add_signed(rows)?;
        Circle::at(row, self.number().checked_add_signed(numbers)?)
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.row()), self.number())
    }
}

impl fmt::Debug for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a circle such as `e5`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a circle: those are a1, a3 to a17, b2, b4 to b16, and so on up to row i")]
pub struct CircleError(pub String);

impl FromStr for Circle {
    type Err = CircleError;

    fn from_str(text: &str) -> Result<Circle, CircleError> {
        let read = || {
            let (row, number) = text.split_at_checked(1)?;
            let row = row.bytes().next()?.checked_sub(b'a')?;
            let is_plain =
                number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
            let number = number.parse().ok().filter(|_| is_plain)?;
            Circle::at(row, number)
        };
        read().ok_or_else(|| CircleError(text.to_owned()))
    }
}

/// A set of circles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Circles(pub(super) u128);

impl Circles {
    pub const EMPTY: Circles = Circles(0);

    /// All 77.
    pub const BOARD: Circles = {
        let mut board = 0;
        let mut row = 0;
        while row < Circle::ROWS {
            board |= Circles::row(row).0;
            row += 1;
        }
        Circles(board)
    };

    /// The circles of a row, 0 to 8.
    pub const fn row(row: u8) -> Circles {
        let circles: u128 = if row.is_multiple_of(2) { 0x1FF } else { 0xFF };
        Circles(circles << begin_of_row(row))
    }

    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub const fn has(self, circle: Circle) -> bool {
        self.0 & circle.bit().0 != 0
    }

    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    #[inline(always)]
    pub(super) const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The first circle; the set must not be empty.
    #[inline(always)]
    pub(super) const fn first(self) -> Circle {
        debug_assert!(self.0 != 0);
        Circle(self.0.trailing_zeros() as u8)
    }

    /// Every circle moved by so many bits, as far as it stays on the board.
    #[inline(always)]
    pub(super) const fn shifted(self, step: i8) -> Circles {
        let moved = if step >= 0 {
            self.0 << step
        } else {
            self.0 >> -step
        };
        Circles(moved & Circles::BOARD.0)
    }
}

macro_rules! set_operations {
    ($($trait:ident $method:ident $assign_trait:ident $assign:ident $operator:tt;)*) => {$(
        impl $trait for Circles {
            type Output = Circles;
            #[inline(always)]
            fn $method(self, other: Circles) -> Circles {
                Circles(self.0 $operator other.0)
            }
        }

        impl $assign_trait for Circles {
            #[inline(always)]
            fn $assign(&mut self, other: Circles) {
                *self = *self $operator other;
            }
        }
    )*};
}

set_operations! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Circles {
    type Output = Circles;

    /// All other circles of the board.
    #[inline(always)]
    fn not(self) -> Circles {
        Circles(!self.0 & Circles::BOARD.0)
    }
}

impl Iterator for Circles {
    type Item = Circle;

    /// Takes the first circle out of the set.
    #[inline(always)]
    fn next(&mut self) -> Option<Circle> {
        if self.is_empty() {
            return None;
        }
        let circle = self.first();
        self.0 &= self.0 - 1;
        Some(circle)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = Circles::count(*self) as usize;
        (count, Some(count))
    }
}

impl FromIterator<Circle> for Circles {
    fn from_iter<I: IntoIterator<Item = Circle>>(circles: I) -> Circles {
        circles
            .into_iter()
            .fold(Circles::EMPTY, |set, circle| set | circle.bit())
    }
}

impl fmt::Debug for Circles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_has_77_circles_that_read_back_as_they_are_written() {
        assert_eq!(Circle::all().count(), 77);
        for circle in Circle::all() {
            assert_eq!(Circle::at(circle.row(), circle.number()), Some(circle));
            assert_eq!(circle.to_string().parse(), Ok(circle));
        }
        for wrong in [
            "", "a", "a2", "b1", "a19", "b0", "j1", "a01", "a+1", "A1", "1a", "é1",
        ] {
            assert_eq!(wrong.parse::<Circle>(), Err(CircleError(wrong.to_owned())));
        }
    }

    #[test]
    fn every_direction_is_one_shift_wherever_it_begins() {
        for (step, rows, numbers) in [
            (1, 0, 2),
            (-1, 0, -2),
            (10, 1, 1),
            (9, 1, -1),
            (-9, -1, 1),
            (-10, -1, -1),
        ] {
            for circle in Circle::all() {
                let next = circle.towards(rows, numbers);
                let next = next.map_or(Circles::EMPTY, Circle::bit);
                assert_eq!(circle.bit().shifted(step), next, "{circle} {step}");
            }
        }
    }
}
