//! Parsing tables that other programs wrote, CSV and EPD, to check them.
//!
//! A file becomes rows, each with its line number, so that an error in the data can be located. Nothing is repaired or
//! skipped: a damaged file is an error that names path, line and reason. A byte order mark and the line ends of any
//! system are accepted.

mod csv;
mod epd;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use csv::{CsvRecord, Sheet};
pub use epd::{EpdLine, parse_epd, read_epd};

/// A table that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TableReadError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A line of the file is invalid.
    #[error("{}, line {line}: {error}", path.display())]
    Line {
        path: PathBuf,
        line: usize,
        error: LineError,
    },
}

/// Why a line is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    #[error("not UTF-8")]
    NotUtf8,
    #[error("no header: a table begins with the names of its columns")]
    NoHeader,
    #[error("the column {0:?} is named twice")]
    ColumnTwice(String),
    #[error("no column {name:?}; there are {}", present.join(", "))]
    NoColumn { name: String, present: Vec<String> },
    #[error("the header names {expected} columns and this line has {found}")]
    FieldCount { found: usize, expected: usize },
    #[error("{value:?} in the column {column:?} is not a count")]
    NotACount { column: String, value: String },
    #[error("a quotation mark is not closed")]
    OpenQuote,
    #[error("a position needs four fields (pieces, side, castling, en passant), this one has {0}")]
    ShortFen(usize),
    #[error("{0:?} is not a depth and a count such as \"D3 8902\"")]
    NotADepth(String),
    #[error("depth {0} is given twice")]
    DepthTwice(u32),
}

fn load(path: &Path) -> Result<Vec<u8>, TableReadError> {
    fs::read(path).map_err(|source| TableReadError::File {
        path: path.to_owned(),
        source,
    })
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
