//! CSV: for spreadsheets and scripts, one line per row.
//!
//! A text cell that a spreadsheet would interpret as a formula, because it starts with `=`, `+`, `-` or `@`, gets a
//! leading apostrophe. A lone `-` is unchanged: it is no formula, and a FEN uses it for "none". Control characters are
//! escaped, so a row is always one line. A missing value is an empty cell.

use std::io::{self, Write};

use super::escape::escape_control;
use crate::table::Table;

pub fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = ::csv::Writer::from_writer(out);
    csv.write_record(table.columns().iter().map(AsRef::as_ref))
        .map_err(io_error)?;
    for row in table.rows() {
        csv.write_record(row.iter().map(|cell| cell.machine_text(neutralise, "")))
            .map_err(io_error)?;
    }
    csv.flush()
}

/// The I/O error inside an error of the csv crate, whose own conversion loses the kind: a closed pipe, a full disk.
fn io_error(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Escapes control characters and formulas.
fn neutralise(text: &str) -> String {
    let escaped = escape_control(text);
    let is_formula = escaped.starts_with(['=', '+', '-', '@']) && escaped != "-";
    if is_formula {
        format!("'{escaped}")
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
