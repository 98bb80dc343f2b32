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
        let mut machine_text = String::new();
        self.push_machine_text(
            &mut machine_text,
            |content, out| *out = text(content),
            missing,
        );
        machine_text
    }

    /// Appends the cell as text for programs.
    pub(super) fn push_machine_text(
        &self,
        out: &mut String,
        push_text: impl FnOnce(&str, &mut String),
        missing: &str,
    ) {
        let mut digits = itoa::Buffer::new();
        match self {
            Cell::Text(content) => push_text(content, out),
            Cell::Count(count) => match u64::try_from(*count) {
                Ok(count) => out.push_str(digits.format(count)),
                Err(_) => out.push_str(digits.format(*count)),
            },
            Cell::Integer(integer) => out.push_str(digits.format(*integer)),
            Cell::Number(number) => number.push_to(out),
            Cell::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Cell::Missing => out.push_str(missing),
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

impl Number {
    /// Appends the number, rounded to its decimals.
    fn push_to(self, out: &mut String) {
        match self.scaled() {
            Some(scaled) => {
                let scale = 10_u64.pow(self.decimals.into());
                let mut digits = itoa::Buffer::new();
                if self.value < 0.0 && scaled > 0 {
                    out.push('-');
                }
                out.push_str(digits.format(scaled / scale));
                if self.decimals > 0 {
                    // A leading 1 keeps the zeros after the point.
                    out.push('.');
                    out.push_str(&digits.format(scale + scaled % scale)[1..]);
                }
            }
            None => out.push_str(&self.exact()),
        }
    }

    /// The absolute value as a whole number of its last decimal; `None` if that cannot be computed exactly.
    fn scaled(self) -> Option<u64> {
        let power = 10_f64.powi(self.decimals.into());
        let scaled = self.value.abs() * power;
        // Below 2^40, the error of the product is below 2^-12: too small to matter unless the value is that close to
        // the middle of two decimals.
        let is_exact = scaled < 2_f64.powi(40) && (scaled.fract() - 0.5).abs() > 0.001;
        is_exact.then(|| scaled.round() as u64)
    }

    /// The number as the standard library rounds it.
    fn exact(self) -> String {
        let digits = format!("{:.*}", usize::from(self.decimals), self.value);
        // A negative number that rounds to zero would read -0.00.
        let is_zero = !digits.contains(|c: char| c.is_ascii_digit() && c != '0');
        match digits.strip_prefix('-') {
            Some(positive) if is_zero => positive.to_owned(),
            _ => digits,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = String::new();
        self.push_to(&mut digits);
        f.write_str(&digits)
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
    fn numbers_are_rounded_as_the_standard_library_rounds_them() {
        let values = (0..20_000_u32).map(|i| f64::from(i.wrapping_mul(2_654_435_761)) / 65_536.0);
        let near_middles = (0..2_000_u32).flat_map(|i| {
            let middle = f64::from(i) / 16.0 + 0.03125;
            [middle, middle.next_up(), middle.next_down()]
        });
        for value in values.chain(near_middles) {
            for decimals in [0, 1, 2, 4, 6] {
                let number = Number::new(-value, decimals).unwrap();
                assert_eq!(number.to_string(), number.exact(), "{value} {decimals}");
            }
        }
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
