//! `--write`: a suite made instead of checked.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::Board;
use ninesixty::generator::{Ask, Counter, CounterError};
use ninesixty::run::Stop;
use ninesixty::start::Selection;
use ninesixty::table::{self, Column, Format, Table};
use rayon::prelude::*;

use super::super::console::Console;
use super::super::exit::{Answer, Failure, OrFail};
use super::super::perft::DEEPEST;
use super::super::positions::{Named, naming_columns};
use super::{Args, read_positions};

#[derive(ClapArgs)]
pub struct SuiteArgs {
    /// Write an EPD suite with the generator's counts to this file instead of checking one
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// The starts to write; without it the positions of TABLE|EPD
    #[arg(long, value_name = "SELECTION", requires = "write", conflicts_with_all = ["file", "fen"])]
    starts: Option<Selection>,
    /// The position to write
    #[arg(long, value_name = "FEN", requires = "write", conflicts_with = "file")]
    fen: Option<Board>,
    /// The depth to which a suite is written [default: 4]
    #[arg(short, long, value_name = "PLIES", requires = "write", value_parser = value_parser!(u32).range(1..=DEEPEST.into()))]
    depth: Option<u32>,
}

impl SuiteArgs {
    pub fn is_wanted(&self) -> bool {
        self.write.is_some()
    }
}

/// A position and its counts from depth 1 on.
struct Row {
    named: Named<Board>,
    counts: Vec<u128>,
}

/// Counts the positions that were asked for and writes a suite that says who counted them.
pub fn write(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let path = args.suite.write.as_deref().expect("somebody asked for it");
    if let Some(file) = &args.file
        && table::is_same_place(file, path)
    {
        let file = file.display();
        return Err(anyhow!("the suite would take the place of {file}")).or_usage();
    }
    let counter = args.limits.generator(&args.generator)?;
    let positions = positions(args)?;
    table::check_store(path).or_unfinished()?;
    let stop = Stop::install().or_unfinished()?;
    let failed = |error| Failure::of_counter(error, &stop);
    let depth = args.suite.depth.unwrap_or(4);
    let limit = args.max_nodes.map_or(u128::MAX, u128::from);
    let is_stopped = || stop.is_set();
    let ask = Ask {
        is_stopped: &is_stopped,
        ..Ask::default()
    };
    let identity = counter.profile(&ask).map_err(failed)?.identity;
    let count = |named: Named<Board>| {
        let counts = counts(counter.as_ref(), &named.board, depth, limit, &ask)?;
        Ok(Row { named, counts })
    };
    let pool = args.threads.pool()?;
    let rows = pool.install(|| {
        let counted = positions.into_par_iter().with_max_len(1).map(count);
        counted.collect::<Result<Vec<Row>, CounterError>>()
    });
    let rows = rows.map_err(failed)?;
    let header = header(&args.generator, &identity);
    let suite = suite(depth, &rows);
    table::store(path, |out| {
        writeln!(out, "{header}")?;
        table::write(&suite, Format::Epd, out)
    })
    .or_unfinished()?;
    let written: usize = rows.iter().map(|row| row.counts.len()).sum();
    let (path, positions) = (path.display(), rows.len());
    console.say(format!(
        "{path}: {written} counts of {positions} positions by {identity}"
    ));
    Ok(Answer::Yes)
}

fn positions(args: &Args) -> Result<Vec<Named<Board>>, Failure> {
    let SuiteArgs { starts, fen, .. } = &args.suite;
    match (starts, fen, &args.file) {
        (Some(starts), ..) => Ok(starts.doubles().map(Named::from).collect()),
        (_, Some(board), _) => Ok(vec![Named::of(*board)]),
        (.., Some(file)) => read_positions(file),
        _ => Err(anyhow!(
            "--write needs positions: --starts, --fen or a file"
        ))
        .or_usage(),
    }
}

/// The counts from depth 1 on, as long as they are not beyond the limit. No count is no suite: a generator that
/// refuses a position ends the run.
fn counts(
    counter: &dyn Counter,
    board: &Board,
    depth: u32,
    limit: u128,
    ask: &Ask,
) -> Result<Vec<u128>, CounterError> {
    let mut counts = Vec::new();
    for depth in 1..=depth {
        let nodes = counter.count(board, depth, ask)?;
        if nodes > limit {
            break;
        }
        counts.push(nodes);
    }
    Ok(counts)
}

/// The comment that says who counted.
fn header(generator: &str, identity: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let line = format!("# counted by {identity} ({generator}), written by ninesixty {version}");
    // What an engine calls itself must not end the comment.
    line.replace(|c: char| c.is_control(), " ")
}

fn suite(depth: u32, rows: &[Row]) -> Table {
    let mut columns = naming_columns(|row: &Row| &row.named);
    for depth in 1..=depth {
        let count = move |row: &Row| row.counts.get(depth as usize - 1).copied().into();
        columns.push(Column::new(format!("d{depth}"), count));
    }
    Table::from_rows("ninesixty.suite/1", "", &columns, rows)
}
