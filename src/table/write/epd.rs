//! EPD: the layout in which perft suites are passed around, `FEN ;D1 20 ;D2 400 ;id "518"`.
//!
//! In walks a table with a `fen` column; counts come from its columns `d1`, `d2`, …, what a search found
//! (`bm`, `ce`, `acd`, `acn`) from `best_san`, `score_cp`, `depth` and `nodes`, and an id from `id`, if
//! it has them. Other columns have no place here. The layout cannot escape anything: a FEN
//! that could be taken for more than a FEN is refused, and in an id a quotation mark becomes an
//! apostrophe.

use std::io::Write;

use super::WriteError;
use super::untrusted::{is_hidden, reveal};
use crate::table::{Cell, Table};

/// Where the columns stand that an EPD line is made of.
struct Places {
    fen: usize,
    counts: Vec<(u32, usize)>,
    /// What a search found: the operation and its column.
    found: Vec<(&'static str, usize)>,
    id: Option<usize>,
}

/// The operations of a search, by the columns that hold them.
const FOUND: [(&str, &str); 4] = [
    ("bm", "best_san"),
    (CENTIPAWNS, "score_cp"),
    ("acd", "depth"),
    ("acn", "nodes"),
];

/// Scores in EPD are the side to move's.
const CENTIPAWNS: &str = "ce";

pub fn write(table: &Table, out: &mut dyn Write) -> Result<(), WriteError> {
    let places = Places::find(table)?;
    for (i, row) in table.rows().iter().enumerate() {
        let line = places.line(row).map_err(|column| WriteError::NotEpd {
            row: i + 1,
            column: table.columns()[column].to_string(),
            cell: row[column].for_programs(|text| format!("{text:?}"), "nothing"),
        })?;
        writeln!(out, "{line}")?;
    }
    Ok(())
}

impl Places {
    fn find(table: &Table) -> Result<Self, WriteError> {
        let names = table.columns().iter().enumerate();
        Ok(Self {
            fen: table.position("fen").ok_or(WriteError::NoFenColumn {
                schema: table.schema(),
            })?,
            counts: names
                .filter_map(|(i, name)| Some((depth(name)?, i)))
                .collect(),
            found: match table.position("best_san") {
                None => Vec::new(),
                Some(_) => FOUND
                    .iter()
                    .filter_map(|&(operation, column)| Some((operation, table.position(column)?)))
                    .collect(),
            },
            id: table.position("id"),
        })
    }

    /// The line of a row, or the column whose cell does not fit into one.
    fn line(&self, row: &[Cell]) -> Result<String, usize> {
        let mut line = fen(&row[self.fen]).ok_or(self.fen)?.to_owned();
        for &(depth, column) in &self.counts {
            match row[column] {
                Cell::Missing => {}
                Cell::Count(nodes) => line += &format!(" ;D{depth} {nodes}"),
                _ => return Err(column),
            }
        }
        for &(operation, column) in &self.found {
            match &row[column] {
                Cell::Missing => {}
                Cell::Integer(score) if operation == CENTIPAWNS => {
                    let is_black = line.split(' ').nth(1) == Some("b");
                    let score = if is_black { -score } else { *score };
                    line += &format!(" ;{operation} {score}");
                }
                cell => line += &format!(" ;{operation} {}", cell.for_programs(quotable, "")),
            }
        }
        if let Some(column) = self.id.filter(|&column| row[column] != Cell::Missing) {
            line += &format!(" ;id \"{}\"", row[column].for_programs(quotable, ""));
        }
        Ok(line)
    }
}

fn depth(column: &str) -> Option<u32> {
    let digits = column.strip_prefix('d')?;
    let depth = digits.parse().ok().filter(|&depth| depth > 0);
    depth.filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn fen(cell: &Cell) -> Option<&str> {
    match cell {
        Cell::Text(fen)
            if !fen.is_empty()
                && !fen.contains(|c| matches!(c, ';' | '"' | '#') || is_hidden(c)) =>
        {
            Some(fen)
        }
        _ => None,
    }
}

fn quotable(id: &str) -> String {
    reveal(id).replace('"', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Format;
    use crate::table::write::tests::{sample, written};

    fn refusal(table: &Table) -> String {
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
    fn what_a_search_found_is_told_from_the_side_to_move() {
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
    fn a_table_without_positions_is_refused() {
        let table = Table::new("ninesixty.stats/1", "", ["id", "games"]);
        assert_eq!(
            refusal(&table),
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
    fn hostile_text_cannot_forge_a_field_or_a_line() {
        let mut table = Table::new("ninesixty.test/1", "", ["fen", "id"]);
        table.push(vec!["8/8 w - -".into(), "a\" ;D1 9\n8/8".into()]);
        assert_eq!(
            written(&table, Format::Epd),
            "8/8 w - - ;id \"a' ;D1 9\\u{a}8/8\"\n"
        );
        table.push(vec!["8/8 w - - ;D1 9".into(), Cell::Missing]);
        assert_eq!(
            refusal(&table),
            "epd cannot hold \"8/8 w - - ;D1 9\" in the `fen` column of row 2"
        );
    }

    #[test]
    fn a_row_without_a_fen_or_with_a_count_that_is_none_is_refused() {
        let mut table = Table::new("ninesixty.test/1", "", ["fen", "d1"]);
        table.push(vec!["8/8 w - -".into(), "many".into()]);
        assert_eq!(
            refusal(&table),
            "epd cannot hold \"many\" in the `d1` column of row 1"
        );
        for (fen, shown) in [(Cell::Missing, "nothing"), ("".into(), "\"\"")] {
            let mut table = Table::new("ninesixty.test/1", "", ["fen", "d1"]);
            table.push(vec![fen, 20_u64.into()]);
            assert_eq!(
                refusal(&table),
                format!("epd cannot hold {shown} in the `fen` column of row 1")
            );
        }
    }
}
