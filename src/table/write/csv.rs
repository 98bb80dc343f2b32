//! CSV: for spreadsheets and scripts, one line per row.
//!
//! A text cell that a spreadsheet would interpret as a formula, because it starts with `=`, `+`, `-` or `@`, gets a
//! leading apostrophe. A lone `-` is unchanged: it is no formula, and a FEN uses it for "none". Control characters are
//! escaped, so a row is always one line. A missing value is an empty cell.

use std::borrow::Cow;

use super::escape::escape_control;
use crate::table::Cell;

/// Appends the line of the column names.
pub fn push_header<N: AsRef<str>>(columns: &[N], out: &mut String) {
    push_line(columns, out, |name, out| push_field(name.as_ref(), out));
}

/// Appends the line of a row.
pub fn push_row(row: &[Cell], out: &mut String) {
    push_line(row, out, |cell, out| {
        cell.push_machine_text(out, |text, out| push_field(&neutralise(text), out), "");
    });
}

fn push_line<T>(items: &[T], out: &mut String, push: impl Fn(&T, &mut String)) {
    let begin = out.len();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push(item, out);
    }
    // An empty line would be no row at all.
    if out.len() == begin {
        out.push_str("\"\"");
    }
    out.push('\n');
}

/// Appends a text, in quotation marks if it contains a comma or a quotation mark.
fn push_field(text: &str, out: &mut String) {
    if text.contains([',', '"']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

/// Escapes control characters and formulas.
fn neutralise(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte);
    let escaped = match text.bytes().all(is_plain) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(escape_control(text)),
    };
    let is_formula = escaped.starts_with(['=', '+', '-', '@']) && escaped != "-";
    if is_formula {
        Cow::Owned(format!("'{escaped}"))
    } else {
        escaped
    }
}

#[cfg(test)]
mod tests {
    use crate::table::write::tests::{sample, untrusted, written};
    use crate::table::{Cell, Format, Table};

    #[test]
    fn numbers_are_plain_and_missing_is_empty() {
        let expected = "\
id,fen,d1,d2,mean,castles
518,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1,20,119060324,20.50,true
,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1,20,,-0.25,false
";
        assert_eq!(written(&sample(), Format::Csv), expected);
    }

    #[test]
    fn untrusted_text_is_neither_a_formula_nor_a_second_row() {
        let texts = [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a\nb", "-", "x=1",
        ];
        let expected = "event\n'=1+1\n'+1\n'-1\n'@SUM(A1)\n\\u{9}=1\n\\u{d}=1\na\\u{a}b\n-\nx=1\n";
        assert_eq!(written(&untrusted(&texts), Format::Csv), expected);
    }

    #[test]
    fn commas_and_quotes_stay_inside_their_cell() {
        let text = written(&untrusted(&["a,b", "say \"hi\""]), Format::Csv);
        assert_eq!(text, "event\n\"a,b\"\n\"say \"\"hi\"\"\"\n");
    }

    #[test]
    fn a_negative_number_is_not_a_formula() {
        let mut table = Table::new("ninesixty.test/1", "", ["score_cp"]);
        table.push(vec![Cell::Integer(-35)]);
        assert_eq!(written(&table, Format::Csv), "score_cp\n-35\n");
    }
}
