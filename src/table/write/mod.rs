//! From a table to bytes: one file per format.
//!
//! In walk a [`Table`] and a [`Format`]; out walk bytes that are the same for the same table on
//! every machine, end with a newline and have no spaces at a line's end but those of the data
//! itself. Text cells are untrusted: each format escapes them so that a player's name can neither
//! drive a terminal, start a formula, break out of its cell nor add a row.

mod csv;
mod epd;
mod json;
mod jsonl;
mod md;
#[cfg(feature = "parquet")]
mod parquet;
mod text;
mod untrusted;

use std::fmt;
use std::io;
use std::str::FromStr;

use super::Table;

pub use untrusted::reveal;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    Text,
    Csv,
    Json,
    Jsonl,
    Md,
    Epd,
    /// Not text, and only where the program is built with it.
    #[cfg(feature = "parquet")]
    Parquet,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "unknown format {0:?}: use text, csv, json, jsonl, md or epd, or parquet in a build with `--features parquet`"
)]
pub struct UnknownFormat(String);

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("cannot write the output")]
    Io(#[from] io::Error),
    #[error("a {schema} table has no `fen` column, which epd needs")]
    NoFenColumn { schema: &'static str },
    #[error("epd cannot hold {cell} in the `{column}` column of row {row}")]
    NotEpd {
        row: usize,
        column: String,
        cell: String,
    },
}

/// Writes the whole table. Many small writes: hand in something buffered.
pub fn write(table: &Table, format: Format, out: &mut dyn io::Write) -> Result<(), WriteError> {
    match format {
        Format::Text => text::write(table, out)?,
        Format::Csv => csv::write(table, out)?,
        Format::Json => json::write(table, out)?,
        Format::Jsonl => jsonl::write(table, out)?,
        Format::Md => md::write(table, out)?,
        Format::Epd => epd::write(table, out)?,
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(table, out)?,
    }
    Ok(())
}

impl Format {
    /// The formats that are text, which are always there.
    pub const ALL: [Format; 6] = [
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
        let known = Format::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat(name.to_owned()))
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
    pub(super) fn hostile(texts: &[&str]) -> Table {
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
    fn every_format_is_read_by_the_name_it_shows() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let error = "xml".parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown format \"xml\": use text, csv, json, jsonl, md or epd, or parquet in a build with \
             `--features parquet`"
        );
        for format in Format::ALL {
            assert!(error.contains(format.name()));
        }
    }

    #[test]
    fn every_format_ends_with_a_newline_and_no_line_with_a_space() {
        for format in Format::ALL {
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
        for format in Format::ALL {
            let error = write(&sample(), format, &mut [0_u8; 10].as_mut_slice()).unwrap_err();
            assert!(matches!(error, WriteError::Io(_)), "{format}: {error}");
        }
    }
}
