//! Markdown: a table as GitHub renders it.
//!
//! Numbers are aligned to the right and grouped as in `text`; a missing value is an empty cell.
//! Characters that would end the cell or start a link, an HTML tag, code or emphasis are escaped. Underscores are not:
//! inside a word they have no meaning, and column names contain many.

use std::io::{self, Write};

use super::escape::escape_control;
use crate::table::Table;

pub fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let columns = 0..table.columns().len();
    line(out, table.columns().iter().map(|name| escape(name)))?;
    line(
        out,
        columns.map(|i| if table.is_numeric(i) { "--:" } else { "---" }.to_owned()),
    )?;
    for row in table.rows() {
        line(out, row.iter().map(|cell| cell.human_text(escape, "")))?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, cells: impl Iterator<Item = String>) -> io::Result<()> {
    for cell in cells {
        write!(out, "| {cell} ")?;
    }
    writeln!(out, "|")
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in escape_control(text).chars() {
        if matches!(
            c,
            '\\' | '|' | '`' | '*' | '~' | '[' | ']' | '<' | '>' | '&'
        ) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::table::Format;
    use crate::table::write::tests::{sample, untrusted, written};

    #[test]
    fn numbers_are_aligned_to_the_right() {
        let expected = "\
| id | fen | d1 | d2 | mean | castles |
| --: | --- | --: | --: | --: | --- |
| 518 | rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1 | 20 | 119,060,324 | 20.50 | yes |
|  | rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1 | 20 |  | -0.25 | no |
";
        assert_eq!(written(&sample(), Format::Md), expected);
    }

    #[test]
    fn untrusted_text_stays_plain_text_in_its_cell() {
        let texts = [
            "a|b\\|c",
            "x\n| forged |",
            "<img src=x>",
            "[click](http://evil)",
            "`*&amp;",
        ];
        let expected = r"| event |
| --- |
| a\|b\\\|c |
| x\\u{a}\| forged \| |
| \<img src=x\> |
| \[click\](http://evil) |
| \`\*\&amp; |
";
        assert_eq!(written(&untrusted(&texts), Format::Md), expected);
    }
}
