//! JSON: one document, one row per line so that two results can be compared with `diff`.
//!
//! Counts are JSON numbers with all their digits, also beyond 2^53, which a reader that stores numbers as doubles
//! rounds. A missing value is `null`.

use super::escape::is_control;
use crate::table::{Cell, Table};

/// The members that describe the table.
pub fn header(table: &Table) -> Vec<String> {
    let columns: Vec<_> = table.columns().iter().map(|name| quote(name)).collect();
    vec![
        member("schema", &quote(table.schema())),
        member("version", &quote(env!("CARGO_PKG_VERSION"))),
        member("command", &quote(table.command())),
        member("columns", &format!("[{}]", columns.join(","))),
    ]
}

/// The names of the members of a row, each with its colon.
pub fn member_names(table: &Table) -> Vec<String> {
    let names = table.columns().iter();
    names.map(|name| format!("{}:", quote(name))).collect()
}

/// Appends a row as an object, its members in column order.
pub fn push_object(names: &[String], row: &[Cell], out: &mut String) {
    out.push('{');
    for (index, (name, cell)) in names.iter().zip(row).enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(name);
        cell.push_machine_text(out, push_quoted, "null");
    }
    out.push('}');
}

fn member(name: &str, value: &str) -> String {
    format!("{}:{value}", quote(name))
}

fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_quoted(text, &mut quoted);
    quoted
}

/// Appends a JSON string. JSON requires escapes only below U+0020, but terminals interpret other control characters, too.
fn push_quoted(text: &str, out: &mut String) {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.push('"');
        out.push_str(text);
        out.push('"');
        return;
    }
    for c in serde_json::Value::from(text).to_string().chars() {
        if is_control(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::table::write::tests::{sample, untrusted, written};
    use crate::table::{Format, Table};

    #[test]
    fn a_document_has_a_header_and_a_line_per_row() {
        let expected = r#"{
"schema":"ninesixty.test/1",
"version":"VERSION",
"command":"test --depth 2",
"columns":["id","fen","d1","d2","mean","castles"],
"rows":[
{"id":518,"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1","d1":20,"d2":119060324,"mean":20.50,"castles":true},
{"id":null,"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1","d1":20,"d2":null,"mean":-0.25,"castles":false}
]
}
"#;
        let expected = expected.replace("VERSION", env!("CARGO_PKG_VERSION"));
        assert_eq!(written(&sample(), Format::Json), expected);
        serde_json::from_str::<Value>(&expected).unwrap();
    }

    #[test]
    fn counts_beyond_a_double_keep_every_digit() {
        let mut table = Table::new("ninesixty.test/1", "", ["nodes"]);
        table.push(vec![9_007_199_254_740_993_u64.into()]);
        table.push(vec![u128::MAX.into()]);
        let text = written(&table, Format::Json);
        assert!(text.contains("{\"nodes\":9007199254740993},\n"), "{text}");
        assert!(
            text.contains("{\"nodes\":340282366920938463463374607431768211455}\n"),
            "{text}"
        );
    }

    #[test]
    fn untrusted_text_is_one_escaped_string_and_reads_back() {
        let texts = [
            "\"},{\"event\":\"forged\"",
            "\u{1b}[2J\n\\",
            "\u{9b}1m\u{7f}\u{202e}",
            "棋",
        ];
        let text = written(&untrusted(&texts), Format::Json);
        assert!(
            text.chars().all(|c| c == '\n' || !super::is_control(c)),
            "{text:?}"
        );
        let document: Value = serde_json::from_str(&text).unwrap();
        let rows: Vec<_> = document["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["event"].as_str().unwrap())
            .collect();
        assert_eq!(rows, texts);
    }
}
