//! Text: aligned columns for people.
//!
//! Numbers are aligned to the right and grouped in thousands, a missing value is a dash, and control characters are
//! escaped.

use std::io::{self, Write};

use comfy_table::{CellAlignment, LineStyle, Table as Grid, TableStyle};

use super::escape::escape_control;
use crate::table::Table;

pub fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    for line in grid(table).lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn grid(table: &Table) -> Grid {
    let mut grid = Grid::new();
    grid.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    grid.set_header(table.columns());
    for row in table.rows() {
        grid.add_row(row.iter().map(|cell| cell.human_text(escape_control, "-")));
    }
    let last = table.columns().len().saturating_sub(1);
    for (i, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((0, u16::from(i < last)));
        if table.is_numeric(i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use crate::table::Format;
    use crate::table::write::tests::{sample, untrusted, written};

    #[test]
    fn columns_are_aligned_and_thousands_grouped() {
        let expected = " id  fen                                                       d1           d2   mean  castles
──────────────────────────────────────────────────────────────────────────────────────────────
518  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1  20  119,060,324  20.50  yes
  -  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1     20            -  -0.25  no
";
        assert_eq!(written(&sample(), Format::Text), expected);
    }

    #[test]
    fn untrusted_text_cannot_control_the_terminal() {
        let text = written(
            &untrusted(&["\u{1b}]0;owned\u{7}", "two\nlines", "棋"]),
            Format::Text,
        );
        assert_eq!(
            text,
            "event\n───────────────────\n\\u{1b}]0;owned\\u{7}\ntwo\\u{a}lines\n棋\n"
        );
    }
}
