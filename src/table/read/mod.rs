//! Parsing tables that other programs wrote, CSV and EPD, to check them.
//!
//! A file becomes rows, each with its line number, so that an error in the data can be located. Nothing is repaired or
//! skipped: a damaged file is an error that names path, line and reason. A byte order mark and the line ends of any
//! system are accepted.

mod csv;
mod epd;

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use csv::{CsvRecord, Sheet};
pub use epd::{EpdLine, parse_epd, read_epd};

use super::{Builtin, UnknownBuiltin};

/// A table that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TableReadError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The path begins with `@`, and nothing of that name is built in.
    #[error(transparent)]
    UnknownBuiltin(#[from] UnknownBuiltin),
    /// A line of the file is invalid.
    #[error("{}, line {line}: {error}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: usize,
        /// What is wrong with it.
        error: LineError,
    },
}

/// Why a line is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// The bytes are not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// The file is empty.
    #[error("no header: a table begins with the names of its columns")]
    NoHeader,
    /// Two columns have the same name.
    #[error("the column {0:?} is named twice")]
    ColumnTwice(String),
    /// A column is missing.
    #[error("no column {name:?}; there are {}", present.join(", "))]
    NoColumn {
        /// The name of the column.
        name: String,
        /// The columns that are there.
        present: Vec<String>,
    },
    /// A record has more or fewer fields than the header.
    #[error("the header names {expected} columns and this line has {found}")]
    FieldCount {
        /// How many fields the record has.
        found: usize,
        /// How many the header has.
        expected: usize,
    },
    /// A cell is not a number.
    #[error("{value:?} in the column {column:?} is not a count")]
    NotACount {
        /// The name of the column.
        column: String,
        /// The text of the cell.
        value: String,
    },
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed")]
    OpenQuote,
    /// A position has fewer than four fields.
    #[error("a position needs four fields (pieces, side, castling, en passant), this one has {0}")]
    ShortFen(usize),
    /// An operation that begins like a count is none.
    #[error("{0:?} is not a depth and a count such as \"D3 8902\"")]
    NotADepth(String),
    /// Two counts have the same depth.
    #[error("depth {0} is given twice")]
    DepthTwice(u32),
}

/// The content of a file, or of what is built in under this name.
fn load(path: &Path) -> Result<Cow<'static, [u8]>, TableReadError> {
    if let Some(builtin) = Builtin::find(path)? {
        return Ok(builtin.bytes.into());
    }
    let bytes = fs::read(path).map_err(|source| TableReadError::File {
        path: path.to_owned(),
        source,
    })?;
    Ok(bytes.into())
}

/// The text of a file with `\n` line ends and without a byte order mark.
fn decode(path: &Path, bytes: &[u8]) -> Result<String, TableReadError> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        line_error(
            path,
            unix_lines(&valid).matches('\n').count() + 1,
            LineError::NotUtf8,
        )
    })?;
    Ok(unix_lines(text.strip_prefix('\u{feff}').unwrap_or(text)))
}

fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Parses a number that consists of ASCII digits only: `from_str` accepts a plus sign, too. `None` for an empty text
/// and for a number that is too large.
pub(crate) fn parse_digits<N: FromStr>(digits: impl AsRef<[u8]>) -> Option<N> {
    let digits = digits.as_ref();
    let all_digits = digits.iter().all(u8::is_ascii_digit);
    all_digits.then(|| str::from_utf8(digits).ok()?.parse().ok())?
}

/// The depth of a column of perft counts, `d1`, `d2`, …; `None` for other columns.
pub(super) fn column_depth(name: &str) -> Option<u32> {
    parse_digits(name.strip_prefix('d')?).filter(|&depth| depth > 0)
}

fn line_error(path: &Path, line: usize, error: LineError) -> TableReadError {
    TableReadError::Line {
        path: path.to_owned(),
        line,
        error,
    }
}

/// The beginning of an invalid field, short enough for an error message.
fn excerpt(field: &str) -> String {
    const MAX_CHARS: usize = 60;
    match field.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &field[..end]),
        None => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named() {
        let error = read_epd(Path::new("/nowhere/table.epd")).unwrap_err();
        assert_eq!(error.to_string(), "cannot read /nowhere/table.epd");
        let error = Sheet::read(Path::new("/nowhere/table.csv")).unwrap_err();
        assert_eq!(error.to_string(), "cannot read /nowhere/table.csv");
    }

    #[test]
    fn the_line_with_invalid_utf8_is_named() {
        for bytes in [
            b"a\nb\nc\xff\nd".as_slice(),
            b"a\r\nb\r\n\xc3",
            b"a\rb\r\xff",
        ] {
            let error = decode(Path::new("t.csv"), bytes).unwrap_err();
            assert_eq!(error.to_string(), "t.csv, line 3: not UTF-8");
        }
    }

    #[test]
    fn a_byte_order_mark_and_all_line_ends_are_accepted() {
        let text = decode(Path::new("t.csv"), "\u{feff}a\r\nb\rc\n".as_bytes()).unwrap();
        assert_eq!(text, "a\nb\nc\n");
    }

    #[test]
    fn only_digits_are_a_number() {
        assert_eq!(parse_digits::<u32>("0960"), Some(960));
        assert_eq!(parse_digits(u128::MAX.to_string()), Some(u128::MAX));
        for text in [
            "",
            "+1",
            "-1",
            " 1",
            "1 ",
            "1_000",
            "0x1",
            "1.0",
            "4294967296",
            "١",
        ] {
            assert_eq!(parse_digits::<u32>(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_error_quotes_at_most_60_characters() {
        assert_eq!(excerpt("D1 x"), "D1 x");
        assert_eq!(excerpt(&"é".repeat(1_000)), "é".repeat(60) + "…");
    }
}
