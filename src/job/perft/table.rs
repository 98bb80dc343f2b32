//! The tables of perft jobs.

use super::{PerftCounts, PerftJob, PerftKind, PerftReport, PerftRow};
use crate::chess::Breakdown;
use crate::job::game::{Game, NamedPosition};
use crate::job::positions::naming_columns;
use crate::table::{Column, CommandText, Table};

impl<G: Game> PerftJob<G> {
    /// The command that gives the table.
    pub fn command(&self) -> CommandText {
        CommandText::new("perft")
            .word(self.positions.arguments())
            .flag("--depth", self.depth)
            .switch("--unique", self.kind == PerftKind::Unique)
            .switch("--breakdown", self.kind == PerftKind::Breakdown)
    }

    /// The table of a report: a row per position, or per position and depth for a breakdown.
    pub fn table(&self, report: &PerftReport<G>) -> Table {
        match self.kind {
            PerftKind::Nodes => self.counts_table("ninesixty.perft/1", 'd', report),
            PerftKind::Unique => self.counts_table("ninesixty.unique/1", 'u', report),
            PerftKind::Breakdown => self.breakdown_table(report),
        }
    }

    /// The table without rows.
    pub fn empty_table(&self) -> Table {
        self.table(&PerftReport { rows: Vec::new() })
    }

    fn counts_table(&self, schema: &'static str, letter: char, report: &PerftReport<G>) -> Table {
        let mut columns = naming_columns(|row: &PerftRow<G>| &row.position);
        columns.extend((0..u32::from(self.depth) as usize).map(|index| {
            let name = format!("{letter}{}", index + 1);
            Column::new(name, move |row: &PerftRow<G>| match &row.counts {
                PerftCounts::Nodes(counts) | PerftCounts::Unique(counts) => counts[index].into(),
                PerftCounts::Breakdown(found) => found[index].nodes.into(),
            })
        }));
        Table::from_rows(schema, self.command(), &columns, &report.rows)
    }

    fn breakdown_table(&self, report: &PerftReport<G>) -> Table {
        let rows: Vec<BreakdownRow<G>> = report.rows.iter().flat_map(by_depth).collect();
        let mut columns = naming_columns(|row: &BreakdownRow<G>| &row.position);
        columns.push(Column::new("depth", |row: &BreakdownRow<G>| {
            row.depth.into()
        }));
        columns.extend(BREAKDOWN_COLUMNS.map(|(name, count)| {
            Column::new(name, move |row: &BreakdownRow<G>| count(&row.found).into())
        }));
        Table::from_rows("ninesixty.breakdown/1", self.command(), &columns, &rows)
    }

    /// What was counted at the last depth, over all rows.
    pub fn summary(&self, report: &PerftReport<G>) -> String {
        let deepest = report.rows.iter().filter_map(|row| row.nodes().pop());
        let total = deepest.fold(0, u128::saturating_add);
        match self.kind {
            PerftKind::Nodes | PerftKind::Breakdown => {
                format!("{total} nodes at depth {}", self.depth)
            }
            PerftKind::Unique => format!("{total} distinct positions after {} plies", self.depth),
        }
    }
}

/// A column of a breakdown.
type BreakdownColumn = (&'static str, fn(&Breakdown) -> u64);

/// The counts of a breakdown, in the order of the columns.
const BREAKDOWN_COLUMNS: [BreakdownColumn; 9] = [
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

/// The breakdown of a position at one depth.
struct BreakdownRow<G> {
    position: NamedPosition<G>,
    depth: u64,
    found: Breakdown,
}

fn by_depth<G: Game>(row: &PerftRow<G>) -> Vec<BreakdownRow<G>> {
    let PerftCounts::Breakdown(found) = &row.counts else {
        return Vec::new();
    };
    let at_depth = |(depth, &found): (u64, &Breakdown)| BreakdownRow {
        position: row.position.clone(),
        depth,
        found,
    };
    (1..).zip(found).map(at_depth).collect()
}
