//! The circles of the board, and sets of circles in 128 bits (the bitboards of this game).
//!
//! A set has the rows one after the other, each followed by a padding bit. So every direction is the same shift from
//! every circle, by 1 along a row and by 9 or 10 along a diagonal, and a shift off the board ends on a bit that is
//! not a circle.

use std::fmt;
use std::str::FromStr;

use crate::chess::bit_ops::impl_bit_ops;

/// A circle of the board, such as a1 or h16.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Circle(u8);

/// The number of bits in a set: 77 circles and eight padding bits between the rows.
pub(super) const BITS: usize = 85;

/// The bits of two neighbouring rows with their padding.
const TWO_ROWS: u8 = 19;

/// The bits of a row of nine circles with its padding.
const LONG_ROW: u8 = 10;

const fn row_offset(row: u8) -> u8 {
    row / 2 * TWO_ROWS + row % 2 * LONG_ROW
}

impl Circle {
    /// The number of rows.
    pub const ROWS: u8 = 9;

    /// The circle on this row, 0 to 8, with this number, if there is one.
    pub const fn at(row: u8, number: u8) -> Option<Circle> {
        let exists = row < Circle::ROWS
            && number >= 1
            && number <= 17
            && row.is_multiple_of(2) != number.is_multiple_of(2);
        if exists {
            Some(Circle(row_offset(row) + (number - 1) / 2))
        } else {
            None
        }
    }

    /// All circles, from a1 to i17.
    pub fn all() -> impl Iterator<Item = Circle> {
        Circles::BOARD
    }

    /// The index of the circle's bit in a set.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row, 0 for a to 8 for i.
    pub const fn row(self) -> u8 {
        let in_pair = self.0 % TWO_ROWS;
        self.0 / TWO_ROWS * 2 + (in_pair >= LONG_ROW) as u8
    }

    /// The number, 1 to 17.
    pub const fn number(self) -> u8 {
        let in_pair = self.0 % TWO_ROWS;
        if in_pair < LONG_ROW {
            2 * in_pair + 1
        } else {
            2 * (in_pair - LONG_ROW) + 2
        }
    }

    /// The set that has only this circle.
    #[inline(always)]
    pub const fn bit(self) -> Circles {
        Circles(1 << self.0)
    }

    /// The circle whose bit is `step` positions higher. It must exist.
    #[inline(always)]
    pub(super) const fn offset(self, step: i8) -> Circle {
        let circle = Circle(self.0.wrapping_add_signed(step));
        debug_assert!(Circles::BOARD.has(circle));
        circle
    }

    /// The circle that is some rows up and some numbers higher, if there is one.
    pub(super) fn neighbour(self, rows: i8, numbers: i8) -> Option<Circle> {
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
#[error("{0:?} is not a circle: circles are a1, a3 to a17, b2, b4 to b16, and so on up to row i")]
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
    /// No circle.
    pub const EMPTY: Circles = Circles(0);

    /// All 77 circles.
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
        Circles(circles << row_offset(row))
    }

    /// Whether the set has no circle.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the circle is in the set.
    #[inline(always)]
    pub const fn has(self, circle: Circle) -> bool {
        self.0 & circle.bit().0 != 0
    }

    /// The number of circles.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has two or more circles.
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

    /// Every circle shifted by `step` bits. Circles that leave the board are dropped.
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

impl_bit_ops!(Circles, all: Circles::BOARD);

impl Iterator for Circles {
    type Item = Circle;

    /// Removes the first circle from the set and returns it.
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
    fn all_77_circles_are_parsed_back_from_their_text() {
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
    fn every_direction_is_the_same_shift_from_every_circle() {
        for (step, rows, numbers) in [
            (1, 0, 2),
            (-1, 0, -2),
            (10, 1, 1),
            (9, 1, -1),
            (-9, -1, 1),
            (-10, -1, -1),
        ] {
            for circle in Circle::all() {
                let next = circle.neighbour(rows, numbers);
                let next = next.map_or(Circles::EMPTY, Circle::bit);
                assert_eq!(circle.bit().shifted(step), next, "{circle} {step}");
            }
        }
    }
}
