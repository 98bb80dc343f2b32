//! `--breakdown`: the kinds of moves as columns, and one row per position and depth.

use ninesixty::chess::Breakdown;
use ninesixty::table::{Column, Table};

use super::super::game::Game;
use super::super::positions::{self, Named};
use super::counts::Row;

type Count = fn(&Breakdown) -> u64;

/// The kinds of moves, in the order of the columns.
pub const KINDS: [(&str, Count); 9] = [
    ("nodes", |found| found.nodes),
    ("captures", |found| found.captures),
    ("en_passant", |found| found.en_passant),
    ("castles", |found| found.castles),
    ("promotions", |found| found.promotions),
    ("checks", |found| found.checks),
    ("discovered_checks", |found| found.discovered_checks),
    ("double_checks", |found| found.double_checks),
    ("mates", |found| found.mates),
];

/// A breakdown as a list of counts.
pub fn counts(found: &Breakdown) -> impl Iterator<Item = u128> {
    KINDS.map(|(_, count)| u128::from(count(found))).into_iter()
}

/// What was found in a position at one depth.
struct AtDepth<G> {
    named: Named<G>,
    depth: u64,
    counts: Vec<u128>,
}

pub fn table<G: Game>(command: &str, rows: &[Row<G>]) -> Table {
    let rows: Vec<AtDepth<G>> = rows.iter().flat_map(by_depth).collect();
    let mut columns = positions::naming_columns(|row: &AtDepth<G>| &row.named);
    columns.push(Column::new("depth", |row: &AtDepth<G>| row.depth.into()));
    columns.extend(KINDS.iter().enumerate().map(|(index, &(name, _))| {
        Column::new(name, move |row: &AtDepth<G>| row.counts[index].into())
    }));
    Table::from_rows("ninesixty.breakdown/1", command, &columns, &rows)
}

fn by_depth<G: Game>(row: &Row<G>) -> impl Iterator<Item = AtDepth<G>> {
    let depths = row.counts.chunks(KINDS.len()).zip(1..);
    depths.map(|(counts, depth)| AtDepth {
        named: row.named.clone(),
        depth,
        counts: counts.to_vec(),
    })
}
