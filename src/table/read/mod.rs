//! Tables that someone else wrote, for checking them: CSV and EPD.
//!
//! In walks a file; out walk its rows, each with the number of its line, so that whoever finds a
//! wrong number can say where it stands. Nothing is repaired and nothing skipped: a damaged file is
//! an error that names path, line and reason. Byte order mark and the line ends of any system are
//! understood.

mod csv;
mod epd;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use csv::{Record, Sheet};
pub use epd::{EpdLine, parse_epd, read_epd};

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}, line {line}: {flaw}", path.display())]
    Line {
        path: PathBuf,
        line: usize,
        flaw: Flaw,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Flaw {
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

fn load(path: &Path) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|source| ReadError::File {
        path: path.to_owned(),
        source,
    })
}

/// The text of a file with `\n` line ends and without a byte order mark.
fn decode(path: &Path, bytes: &[u8]) -> Result<String, ReadError> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let sound = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        flawed(
            path,
            unix_lines(&sound).matches('\n').count() + 1,
            Flaw::NotUtf8,
        )
    })?;
    Ok(unix_lines(text.strip_prefix('\u{feff}').unwrap_or(text)))
}

fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Digits and nothing else: `u128::from_str` would take a plus sign too.
fn number(digits: &str) -> Option<u128> {
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().ok())?
}

fn flawed(path: &Path, line: usize, flaw: Flaw) -> ReadError {
    ReadError::Line {
        path: path.to_owned(),
        line,
        flaw,
    }
}

/// As much of a damaged field as an error message can carry.
fn excerpt(field: &str) -> String {
    const LONGEST_CHARS: usize = 60;
    match field.char_indices().nth(LONGEST_CHARS) {
        Some((end, _)) => format!("{}…", &field[..end]),
        None => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = read_epd(Path::new("/nowhere/table.epd")).unwrap_err();
        assert_eq!(error.to_string(), "cannot read /nowhere/table.epd");
        let error = Sheet::read(Path::new("/nowhere/table.csv")).unwrap_err();
        assert_eq!(error.to_string(), "cannot read /nowhere/table.csv");
    }

    #[test]
    fn the_line_that_is_not_utf8_is_named() {
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
    fn a_byte_order_mark_and_foreign_line_ends_are_understood() {
        let text = decode(Path::new("t.csv"), "\u{feff}a\r\nb\rc\n".as_bytes()).unwrap();
        assert_eq!(text, "a\nb\nc\n");
    }

    #[test]
    fn an_error_quotes_no_more_than_a_line_of_a_field() {
        assert_eq!(excerpt("D1 x"), "D1 x");
        assert_eq!(excerpt(&"é".repeat(1_000)), "é".repeat(60) + "…");
    }
}
