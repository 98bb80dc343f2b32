//! One value of a table.
//!
//! The values of a job's row become cells through `From`. A cell is formatted for programs (plain digits, `true`) or
//! for people (1,234,567, `yes`). Text and missing values depend on the output format, so both functions take them as
//! arguments: text, which may come from a PGN file, cannot be written without an escaping function.

use std::fmt;

/// One value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Untrusted text: each format escapes it in its own way.
    Text(String),
    /// A count, grouped in thousands for people.
    Count(u128),
    /// An identifier or a measured value: a start id, a year, centipawns. Never grouped.
    Integer(i64),
    /// A number with decimals.
    Number(Number),
    /// A truth value.
    Flag(bool),
    /// No value.
    Missing,
}

/// A finite number with a fixed number of decimals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    value: f64,
    decimals: u8,
}

impl Cell {
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Cell::Count(_) | Cell::Integer(_) | Cell::Number(_))
    }

    /// The cell as text for programs.
    pub(super) fn machine_text(&self, text: impl FnOnce(&str) -> String, missing: &str) -> String {
        match self {
            Cell::Text(content) => text(content),
            Cell::Count(count) => count.to_string(),
            Cell::Integer(integer) => integer.to_string(),
            Cell::Number(number) => number.to_string(),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Missing => missing.to_owned(),
        }
    }

    /// The cell as text for people.
    pub(super) fn human_text(&self, text: impl FnOnce(&str) -> String, missing: &str) -> String {
        match self {
            Cell::Count(count) => in_thousands(&count.to_string()),
            Cell::Number(number) => in_thousands(&number.to_string()),
            Cell::Flag(true) => "yes".to_owned(),
            Cell::Flag(false) => "no".to_owned(),
            Cell::Text(_) | Cell::Integer(_) | Cell::Missing => self.machine_text(text, missing),
        }
    }
}

impl Number {
    /// `None` for infinities and NaN, so that `Number::new(mean, 2).into()` is a missing cell where there is no mean.
    pub fn new(value: f64, decimals: u8) -> Option<Self> {
        value.is_finite().then_some(Self { value, decimals })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:.*}", usize::from(self.decimals), self.value);
        // A negative number that rounds to zero would read -0.00.
        let is_zero = !digits.contains(|c: char| c.is_ascii_digit() && c != '0');
        f.write_str(if is_zero {
            digits.trim_start_matches('-')
        } else {
            &digits
        })
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Cell::Count(count.into())
    }
}

impl From<u128> for Cell {
    fn from(count: u128) -> Self {
        Cell::Count(count)
    }
}

/// Sixteen-bit values are start ids, not counts.
impl From<u16> for Cell {
    fn from(id: u16) -> Self {
        Cell::Integer(id.into())
    }
}

impl From<i64> for Cell {
    fn from(integer: i64) -> Self {
        Cell::Integer(integer)
    }
}

impl From<Number> for Cell {
    fn from(number: Number) -> Self {
        Cell::Number(number)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Missing, Into::into)
    }
}

fn in_thousands(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let (sign, digits) = whole.split_at(usize::from(whole.starts_with('-')));
    let mut grouped = sign.to_owned();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(cell: impl Into<Cell>) -> String {
        cell.into().machine_text(str::to_owned, "missing")
    }

    fn people(cell: impl Into<Cell>) -> String {
        cell.into().human_text(str::to_owned, "missing")
    }

    #[test]
    fn counts_are_grouped_human_text_and_plain_machine_text() {
        let counts = [0, 20, 400, 8_902, 197_281, 119_060_324_u64];
        assert_eq!(
            counts.map(people),
            ["0", "20", "400", "8,902", "197,281", "119,060,324"]
        );
        assert_eq!(
            counts.map(programs),
            ["0", "20", "400", "8902", "197281", "119060324"]
        );
        assert_eq!(
            programs(u128::MAX),
            "340282366920938463463374607431768211455"
        );
    }

    #[test]
    fn an_id_is_never_grouped() {
        assert_eq!(people(Cell::Integer(921_599)), "921599");
        assert_eq!(people(u16::MAX), "65535");
    }

    #[test]
    fn a_number_keeps_its_decimals() {
        assert_eq!(programs(Number::new(0.5, 2)), "0.50");
        assert_eq!(people(Number::new(-1_234_567.25, 1)), "-1,234,567.2");
        assert_eq!(people(Number::new(-123.0, 0)), "-123");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(programs(Number::new(-0.001, 2)), "0.00");
        assert_eq!(programs(Number::new(-0.01, 2)), "-0.01");
    }

    #[test]
    fn numbers_that_are_not_finite_are_missing() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Cell::from(Number::new(value, 2)), Cell::Missing);
        }
    }
}
