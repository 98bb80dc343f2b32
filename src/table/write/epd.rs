//! EPD: the format of perft suites, `FEN ;D1 20 ;D2 400 ;id "518"`.
//!
//! The table needs a `fen` column. Perft counts come from the columns `d1`, `d2`, …, search results (`bm`, `ce`, `acd`,
//! `acn`) from `best_san`, `score_cp`, `depth` and `nodes`, and the id from `id`. Other columns are left out. The
//! format has no escapes: a FEN that could be parsed as more than a FEN is an error, and in an id a quotation mark
//! becomes an apostrophe.

use std::io::Write;

use super::WriteError;
use super::escape::{escape_control, is_control};
use crate::table::read::column_depth;
use crate::table::{Cell, Table};

/// The indices of the columns that make an EPD line.
struct EpdColumns {
    fen: usize,
    /// Depths and their columns.
    counts: Vec<(u32, usize)>,
    /// The operations of a search result and their columns.
    search: Vec<(&'static str, usize)>,
    id: Option<usize>,
}

/// The operations of a search result and the names of their columns.
const SEARCH_OPERATIONS: [(&str, &str); 4] = [
    ("bm", "best_san"),
    (CENTIPAWNS, "score_cp"),
    ("acd", "depth"),
    ("acn", "nodes"),
];

/// The centipawn evaluation. EPD gives it from the side to move's point of view, the table from White's.
const CENTIPAWNS: &str = "ce";

pub fn write(table: &Table, out: &mut dyn Write) -> Result<(), WriteError> {
    let columns = EpdColumns::find(table)?;
    for (i, row) in table.rows().iter().enumerate() {
        let line = columns.line(row).map_err(|column| WriteError::NotEpd {
            row: i + 1,
            column: table.columns()[column].to_string(),
            cell: row[column].machine_text(|text| format!("{text:?}"), "nothing"),
        })?;
        writeln!(out, "{line}")?;
    }
    Ok(())
}

impl EpdColumns {
    fn find(table: &Table) -> Result<Self, WriteError> {
        let names = table.columns().iter().enumerate();
        Ok(Self {
            fen: table.position("fen").ok_or(WriteError::NoFenColumn {
                schema: table.schema(),
            })?,
            counts: names
                .filter_map(|(i, name)| Some((column_depth(name)?, i)))
                .collect(),
            search: match table.position("best_san") {
                None => Vec::new(),
                Some(_) => SEARCH_OPERATIONS
                    .iter()
                    .filter_map(|&(operation, column)| Some((operation, table.position(column)?)))
                    .collect(),
            },
            id: table.position("id"),
        })
    }

    /// The line of a row, or the index of the column whose cell EPD cannot represent.
    fn line(&self, row: &[Cell]) -> Result<String, usize> {
        let mut line = fen(&row[self.fen]).ok_or(self.fen)?.to_owned();
        for &(depth, column) in &self.counts {
            match row[column] {
                Cell::Missing => {}
                Cell::Count(nodes) => line += &format!(" ;D{depth} {nodes}"),
                _ => return Err(column),
            }
        }
        for &(operation, column) in &self.search {
            match &row[column] {
                Cell::Missing => {}
                Cell::Integer(score) if operation == CENTIPAWNS => {
                    let is_black = line.split(' ').nth(1) == Some("b");
                    let score = if is_black { -score } else { *score };
                    line += &format!(" ;{operation} {score}");
                }
                cell => line += &format!(" ;{operation} {}", cell.machine_text(quotable, "")),
            }
        }
        if let Some(column) = self.id.filter(|&column| row[column] != Cell::Missing) {
            line += &format!(" ;id \"{}\"", row[column].machine_text(quotable, ""));
        }
        Ok(line)
    }
}

/// The FEN of a cell, if it contains nothing that EPD would parse as another field.
fn fen(cell: &Cell) -> Option<&str> {
    match cell {
        Cell::Text(fen)
            if !fen.is_empty()
                && !fen.contains(|c| matches!(c, ';' | '"' | '#') || is_control(c)) =>
        {
            Some(fen)
        }
        _ => None,
    }
}

/// Text that can be put between quotation marks.
fn quotable(id: &str) -> String {
    escape_control(id).replace('"', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Format;
    use crate::table::write::tests::{sample, written};

    fn error(table: &Table) -> String {
        write(table, &mut Vec::new()).unwrap_err().to_string()
    }

    #[test]
    fn a_line_is_the_fen_then_the_counts_then_the_id() {
        let expected = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1 ;D1 20 ;D2 119060324 ;id \"518\"
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1 ;D1 20
";
        assert_eq!(written(&sample(), Format::Epd), expected);
    }

    #[test]
    fn search_results_are_given_from_the_side_to_move() {
        let columns = ["fen", "score_cp", "best_san", "depth", "nodes"];
        let mut table = Table::new("ninesixty.search/1", "", columns);
        for (turn, mv) in [("w", "Nf3"), ("b", "Nf6")] {
            table.push(vec![
                format!("8/8/8/8/8/8/8/8 {turn} - - 0 1").into(),
                31_i64.into(),
                mv.into(),
                8_i64.into(),
                1234_u64.into(),
            ]);
        }
        let expected = "\
8/8/8/8/8/8/8/8 w - - 0 1 ;bm Nf3 ;ce 31 ;acd 8 ;acn 1234
8/8/8/8/8/8/8/8 b - - 0 1 ;bm Nf6 ;ce -31 ;acd 8 ;acn 1234
";
        assert_eq!(written(&table, Format::Epd), expected);
    }

    #[test]
    fn a_table_without_positions_is_an_error() {
        let table = Table::new("ninesixty.stats/1", "", ["id", "games"]);
        assert_eq!(
            error(&table),
            "a ninesixty.stats/1 table has no `fen` column, which epd needs"
        );
    }

    #[test]
    fn only_depth_columns_are_counts() {
        let mut table = Table::new(
            "ninesixty.test/1",
            "",
            ["fen", "d1", "draws", "d", "d+2", "d0", "d10"],
        );
        table.push(
            ["8/8 w - -".into()]
                .into_iter()
                .chain((1..=6_u64).map(Cell::from))
                .collect(),
        );
        assert_eq!(written(&table, Format::Epd), "8/8 w - - ;D1 1 ;D10 6\n");
    }

    #[test]
    fn untrusted_text_cannot_add_a_field_or_a_line() {
        let mut table = Table::new("ninesixty.test/1", "", ["fen", "id"]);
        table.push(vec!["8/8 w - -".into(), "a\" ;D1 9\n8/8".into()]);
        assert_eq!(
            written(&table, Format::Epd),
            "8/8 w - - ;id \"a' ;D1 9\\u{a}8/8\"\n"
        );
        table.push(vec!["8/8 w - - ;D1 9".into(), Cell::Missing]);
        assert_eq!(
            error(&table),
            "epd cannot hold \"8/8 w - - ;D1 9\" in the `fen` column of row 2"
        );
    }

    #[test]
    fn a_row_without_a_fen_or_with_an_invalid_count_is_an_error() {
        let mut table = Table::new("ninesixty.test/1", "", ["fen", "d1"]);
        table.push(vec!["8/8 w - -".into(), "many".into()]);
        assert_eq!(
            error(&table),
            "epd cannot hold \"many\" in the `d1` column of row 1"
        );
        for (fen, shown) in [(Cell::Missing, "nothing"), ("".into(), "\"\"")] {
            let mut table = Table::new("ninesixty.test/1", "", ["fen", "d1"]);
            table.push(vec![fen, 20_u64.into()]);
            assert_eq!(
                error(&table),
                format!("epd cannot hold {shown} in the `fen` column of row 1")
            );
        }
    }
}
