//! JSON lines: the first line describes the table, each further line is a row.
//!
//! For tools that read one record at a time. The lines hold the same objects as the `json` format.

use std::io::{self, Write};

use super::json::{header, object};
use crate::table::Table;

pub fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{{{}}}", header(table).join(","))?;
    for row in table.rows() {
        writeln!(out, "{}", object(table, row))?;
    }
    Ok(())
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
