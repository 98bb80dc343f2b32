//! Formats whose rows do not depend on each other: CSV, JSON and JSON lines.
//!
//! In JSON lines, for tools that read one record at a time, the first line describes the table and each further line is a
//! row. The lines hold the same objects as the `json` format.
//!
//! [`TableStream`] writes a table whose rows need not be in memory at the same time. Rows are formatted by a
//! [`RowFormatter`], on any thread, and then written in order.

use std::io::{self, Write};

use super::{Format, csv, json};
use crate::table::{Cell, Table};

/// A table that is written row by row.
pub struct TableStream<'w> {
    out: &'w mut dyn Write,
    kind: Kind,
    has_rows: bool,
}

/// Formats the rows of a [`TableStream`].
#[derive(Clone, Debug)]
pub struct RowFormatter {
    kind: Kind,
    /// The names of the members of a JSON object.
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Csv,
    Json,
    Jsonl,
}

impl RowFormatter {
    /// The formatter for rows of a table; `None` if the format needs all rows at once.
    pub fn new(table: &Table, format: Format) -> Option<RowFormatter> {
        let kind = match format {
            Format::Csv => Kind::Csv,
            Format::Json => Kind::Json,
            Format::Jsonl => Kind::Jsonl,
            _ => return None,
        };
        Some(RowFormatter {
            kind,
            names: json::member_names(table),
        })
    }

    /// Appends a row to a text.
    pub fn push(&self, row: &[Cell], out: &mut String) {
        match self.kind {
            Kind::Csv => csv::push_row(row, out),
            Kind::Json => {
                out.push_str(",\n");
                json::push_object(&self.names, row, out);
            }
            Kind::Jsonl => {
                json::push_object(&self.names, row, out);
                out.push('\n');
            }
        }
    }
}

impl<'w> TableStream<'w> {
    /// Writes what comes before the rows. The rows that `table` has are not written.
    pub fn begin(
        table: &Table,
        formatter: &RowFormatter,
        out: &'w mut dyn Write,
    ) -> io::Result<TableStream<'w>> {
        match formatter.kind {
            Kind::Csv => {
                let mut header = String::new();
                csv::push_header(table.columns(), &mut header);
                out.write_all(header.as_bytes())?;
            }
            Kind::Json => {
                let header = json::header(table).join(",\n");
                write!(out, "{{\n{header},\n\"rows\":[")?;
            }
            Kind::Jsonl => writeln!(out, "{{{}}}", json::header(table).join(","))?,
        }
        Ok(TableStream {
            out,
            kind: formatter.kind,
            has_rows: false,
        })
    }

    /// Writes rows that were formatted by the formatter of this table.
    pub fn write(&mut self, rows: &str) -> io::Result<()> {
        let is_first = !rows.is_empty() && !std::mem::replace(&mut self.has_rows, true);
        let rows = match self.kind {
            // The comma separates a row from the one before.
            Kind::Json if is_first => rows.strip_prefix(',').unwrap_or(rows),
            _ => rows,
        };
        self.out.write_all(rows.as_bytes())
    }

    /// Writes what comes after the rows.
    pub fn finish(self) -> io::Result<()> {
        match self.kind {
            Kind::Json => writeln!(self.out, "\n]\n}}"),
            Kind::Csv | Kind::Jsonl => Ok(()),
        }
    }
}

/// Writes a table with all its rows.
pub fn write(table: &Table, formatter: &RowFormatter, out: &mut dyn Write) -> io::Result<()> {
    let mut stream = TableStream::begin(table, formatter, out)?;
    let mut text = String::new();
    for row in table.rows() {
        text.clear();
        formatter.push(row, &mut text);
        stream.write(&text)?;
    }
    stream.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::table::Format;
    use crate::table::write::tests::{sample, untrusted, written};

    fn lines(text: &str) -> Vec<Value> {
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn the_first_line_is_the_header_and_the_others_are_rows() {
        let lines = lines(&written(&sample(), Format::Jsonl));
        assert_eq!(
            lines[0],
            json!({
                "schema": "ninesixty.test/1",
                "version": env!("CARGO_PKG_VERSION"),
                "command": "test --depth 2",
                "columns": ["id", "fen", "d1", "d2", "mean", "castles"],
            })
        );
        assert_eq!(lines[1]["d2"], 119_060_324);
        assert_eq!(lines[2]["d2"], Value::Null);
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn untrusted_text_adds_no_line() {
        let lines = lines(&written(
            &untrusted(&["a\n{\"event\":\"forged\"}\u{2028}"]),
            Format::Jsonl,
        ));
        assert_eq!(
            lines[1..],
            [json!({"event": "a\n{\"event\":\"forged\"}\u{2028}"})]
        );
    }
}
