//! The opening tree as a table: a row per position and move.

use std::io::{self, Write};

use rayon::ThreadPool;

use super::StatsJob;
use super::keys::key_columns;
use crate::job::game::{back_ranks, start_id};
use crate::stats::{
    ConfidenceInterval, GroupBy, MoveCount, OpeningTree, TreeError, TreeMove, TreeOptions,
};
use crate::table::{self, Cell, Format, Number, RowFormatter, Table, TableStream, WriteError};

/// Why the table was not written.
struct WriteMovesError(WriteError);

impl From<TreeError> for WriteMovesError {
    fn from(error: TreeError) -> WriteMovesError {
        WriteMovesError(WriteError::Io(match error {
            TreeError::Disk(error) => error,
            error => io::Error::other(error),
        }))
    }
}

impl From<io::Error> for WriteMovesError {
    fn from(error: io::Error) -> WriteMovesError {
        WriteMovesError(WriteError::Io(error))
    }
}

/// The rows of a part of the table that one thread has formatted.
#[derive(Default)]
struct FormattedRows {
    text: String,
    /// The cells of the last row; kept for their memory.
    cells: Vec<Cell>,
}

impl StatsJob {
    /// The table of the opening tree without its rows.
    pub fn moves_header(&self, min_games: u64) -> Table {
        let command = self
            .command()
            .word("--moves")
            .flag("--min-games", min_games);
        let columns = columns(self.stats_settings().by);
        let names = columns.iter().map(|(name, _)| *name);
        Table::new("ninesixty.moves/1", command, names)
    }

    /// Writes the moves that were played in at least this many games, computed on the threads of a pool. CSV and JSON are
    /// written as the rows are computed; other formats need all rows in memory.
    pub fn write_moves(
        &self,
        tree: OpeningTree,
        min_games: u64,
        pool: &ThreadPool,
        format: Format,
        out: &mut dyn Write,
    ) -> Result<MoveCount, WriteError> {
        let mut table = self.moves_header(min_games);
        let by = self.stats_settings().by;
        let columns = columns(by);
        let options = TreeOptions {
            min_games,
            by,
            pool,
        };
        match RowFormatter::new(&table, format) {
            Some(formatter) => stream_moves(tree, options, &columns, &table, &formatter, out)
                .map_err(|error| error.0),
            None => {
                let count = tree.visit_moves(
                    options,
                    |rows: &mut Vec<Vec<Cell>>, row| rows.push(cells(&columns, row).collect()),
                    |rows| {
                        rows.into_iter().for_each(|row| table.push(row));
                        Ok::<(), WriteMovesError>(())
                    },
                );
                let count = count.map_err(|error| error.0)?;
                table::write(&table, format, out)?;
                Ok(count)
            }
        }
    }
}

/// Writes rows as they are computed.
fn stream_moves(
    tree: OpeningTree,
    options: TreeOptions,
    columns: &[MoveColumn],
    header: &Table,
    formatter: &RowFormatter,
    out: &mut dyn Write,
) -> Result<MoveCount, WriteMovesError> {
    let mut stream = TableStream::begin(header, formatter, out)?;
    let count = tree.visit_moves(
        options,
        |rows: &mut FormattedRows, row| {
            rows.cells.clear();
            rows.cells.extend(cells(columns, row));
            formatter.push(&rows.cells, &mut rows.text);
        },
        |rows| Ok::<(), WriteMovesError>(stream.write(&rows.text)?),
    )?;
    stream.finish()?;
    Ok(count)
}

/// How a cell is computed.
type MoveCell = dyn Fn(&TreeMove) -> Cell + Sync;

/// A column: its name and its cells.
type MoveColumn = (&'static str, Box<MoveCell>);

type FixedColumn = (&'static str, fn(&TreeMove) -> Cell);

const START_COLUMNS: [FixedColumn; 2] = [
    ("id", |row| start_id(row.group.start)),
    ("back_rank", |row| back_ranks(row.group.start).into()),
];

const COLUMNS: [FixedColumn; 13] = [
    ("ply", |row| i64::from(row.ply).into()),
    ("line", |row| row.line.into()),
    ("move", |row| row.san.into()),
    ("games", |row| row.played.games().into()),
    ("white_wins", |row| row.played.outcomes[0].into()),
    ("draws", |row| row.played.outcomes[1].into()),
    ("black_wins", |row| row.played.outcomes[2].into()),
    ("unfinished", |row| row.played.outcomes[3].into()),
    ("score", |row| {
        let (points, finished) = points(row);
        Number::new(points / finished as f64, 4).into()
    }),
    ("score_low", |row| bound(row, |interval| interval.low)),
    ("score_high", |row| bound(row, |interval| interval.high)),
    ("mover_rating", |row| {
        let played = &row.played;
        Number::new(played.ratings as f64 / played.rated as f64, 0).into()
    }),
    ("reached", |row| row.reached.into()),
];

/// The columns for games that are grouped like this. The tree of each start is its own in any case.
fn columns(by: GroupBy) -> Vec<MoveColumn> {
    let fixed = |(name, cell): FixedColumn| -> MoveColumn { (name, Box::new(cell)) };
    let keys = key_columns(by).into_iter().map(|key| -> MoveColumn {
        let cell = move |row: &TreeMove| key.cell(&row.group.keys);
        (key.name(), Box::new(cell))
    });
    let start = START_COLUMNS.into_iter().map(fixed);
    start
        .chain(keys)
        .chain(COLUMNS.into_iter().map(fixed))
        .collect()
}

fn cells(columns: &[MoveColumn], row: &TreeMove) -> impl Iterator<Item = Cell> {
    columns.iter().map(|(_, cell)| cell(row))
}

/// White's points in the finished games, and how many these are.
fn points(row: &TreeMove) -> (f64, u64) {
    let [white, draws, black, _] = row.played.outcomes;
    ((2 * white + draws) as f64 / 2.0, white + draws + black)
}

fn bound(row: &TreeMove, of: fn(ConfidenceInterval) -> f64) -> Cell {
    let (points, finished) = points(row);
    let interval = ConfidenceInterval::wilson(points, finished);
    let bound = interval.and_then(|interval| Number::new(of(interval), 4));
    bound.into()
}
