//! Formatting tables: one file per format.
//!
//! [`write()`] takes a [`Table`] and a [`Format`] and writes bytes that are the same for the same table on every
//! machine. They end with a newline, and no line ends with spaces other than those of the data. Text cells are
//! untrusted: each format escapes them, so that a player's name can neither send control sequences to a terminal,
//! become a formula, break out of its cell nor add a row.

mod csv;
mod epd;
mod escape;
mod json;
mod md;
#[cfg(feature = "parquet")]
mod parquet;
mod stream;
#[cfg(feature = "cli")]
mod text;

use std::fmt;
use std::io;
use std::str::FromStr;

use super::Table;

pub use escape::escape_control;
pub use stream::{RowFormatter, TableStream};

/// An output format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// Aligned columns for people; needs the feature `cli`.
    #[cfg(feature = "cli")]
    Text,
    /// Comma-separated values.
    Csv,
    /// One JSON document.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// A Markdown table.
    Md,
    /// Positions with perft counts or search results.
    Epd,
    /// Apache Parquet, a binary format; needs the feature `parquet`.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// A name that is not the name of a format.
#[derive(Debug, thiserror::Error)]
#[error(
    "unknown format {0:?}: use text, csv, json, jsonl, md or epd, or parquet in a build with `--features parquet`"
)]
pub struct UnknownFormat(String);

/// A table that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Writing the bytes failed.
    #[error("cannot write the output")]
    Io(#[from] io::Error),
    /// EPD needs positions.
    #[error("a {schema} table has no `fen` column, which epd needs")]
    NoFenColumn {
        /// The schema of the table.
        schema: &'static str,
    },
    /// A cell cannot be represented in EPD.
    #[error("epd cannot hold {cell} in the `{column}` column of row {row}")]
    NotEpd {
        /// The row, counted from 1.
        row: usize,
        /// The column.
        column: String,
        /// The content of the cell.
        cell: String,
    },
}

/// Writes the whole table in many small writes, so `out` should be buffered.
pub fn write(table: &Table, format: Format, out: &mut dyn io::Write) -> Result<(), WriteError> {
    if let Some(formatter) = RowFormatter::new(table, format) {
        return Ok(stream::write(table, &formatter, out)?);
    }
    match format {
        #[cfg(feature = "cli")]
        Format::Text => text::write(table, out)?,
        Format::Md => md::write(table, out)?,
        Format::Epd => epd::write(table, out)?,
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(table, out)?,
        Format::Csv | Format::Json | Format::Jsonl => unreachable!("their rows are independent"),
    }
    Ok(())
}

impl Format {
    /// The text formats of this build.
    pub const ALL: &[Format] = &[
        #[cfg(feature = "cli")]
        Format::Text,
        Format::Csv,
        Format::Json,
        Format::Jsonl,
        Format::Md,
        Format::Epd,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "cli")]
            Format::Text => "text",
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Md => "md",
            Format::Epd => "epd",
            #[cfg(feature = "parquet")]
            Format::Parquet => "parquet",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        #[cfg(feature = "parquet")]
        if name == "parquet" {
            return Ok(Format::Parquet);
        }
        let known = Format::ALL.iter().find(|format| format.name() == name);
        known.copied().ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Number};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";

    /// Two rows with every kind of cell.
    pub(super) fn sample() -> Table {
        let mut table = Table::new(
            "ninesixty.test/1",
            "test --depth 2",
            ["id", "fen", "d1", "d2", "mean", "castles"],
        );
        table.push(vec![
            518_u16.into(),
            START.into(),
            20_u64.into(),
            119_060_324_u64.into(),
            Number::new(20.5, 2).into(),
            true.into(),
        ]);
        table.push(vec![
            Cell::Missing,
            START.replace("HAha", "-").into(),
            20_u64.into(),
            Cell::Missing,
            Number::new(-0.25, 2).into(),
            false.into(),
        ]);
        table
    }

    /// One column of untrusted text.
    pub(super) fn untrusted(texts: &[&str]) -> Table {
        let mut table = Table::new("ninesixty.test/1", "test", ["event"]);
        for text in texts {
            table.push(vec![(*text).into()]);
        }
        table
    }

    pub(super) fn written(table: &Table, format: Format) -> String {
        let mut bytes = Vec::new();
        write(table, format, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_format_is_parsed_from_its_name() {
        for &format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let error = "xml".parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown format \"xml\": use text, csv, json, jsonl, md or epd, or parquet in a build with \
             `--features parquet`"
        );
        for &format in Format::ALL {
            assert!(error.contains(format.name()));
        }
    }

    #[test]
    fn every_format_ends_with_a_newline_and_no_line_with_a_space() {
        for &format in Format::ALL {
            let text = written(&sample(), format);
            assert!(
                text.ends_with('\n') && !text.ends_with("\n\n"),
                "{format}: {text:?}"
            );
            assert!(
                text.lines().all(|line| line == line.trim_end()),
                "{format}: {text:?}"
            );
        }
    }

    #[test]
    fn an_empty_table_is_written_in_every_format() {
        let empty = Table::new("ninesixty.test/1", "", ["id", "fen"]);
        let text = |format| written(&empty, format);
        #[cfg(feature = "cli")]
        assert_eq!(text(Format::Text), "id  fen\n───────\n");
        assert_eq!(text(Format::Csv), "id,fen\n");
        assert_eq!(text(Format::Md), "| id | fen |\n| --- | --- |\n");
        assert_eq!(text(Format::Epd), "");
        assert_eq!(text(Format::Jsonl).lines().count(), 1);
        let document: serde_json::Value = serde_json::from_str(&text(Format::Json)).unwrap();
        assert_eq!(document["rows"], serde_json::json!([]));
    }

    #[test]
    fn a_full_disk_is_an_error_in_every_format() {
        for &format in Format::ALL {
            let error = write(&sample(), format, &mut [0_u8; 10].as_mut_slice()).unwrap_err();
            assert!(matches!(error, WriteError::Io(_)), "{format}: {error}");
        }
    }
}
