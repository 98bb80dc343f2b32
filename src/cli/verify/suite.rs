//! `ninesixty verify --write`: counts a new suite instead of checking one.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::Board;
use ninesixty::generator::{SuiteOptions, count_suite, read_positions};
use ninesixty::job::{Depth, NamedPosition, naming_columns};
use ninesixty::start::Selection;
use ninesixty::table::{self, Column, Format, Table};

use super::super::console::Console;
use super::super::exit::{Answer, Failure, OrFail};
use super::super::output::refuse_same_file;
use super::super::signals::Signals;
use super::Args;

#[derive(ClapArgs)]
pub struct SuiteArgs {
    /// Write an EPD suite with the counts of the generator to this file, instead of checking one
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// With --write: the starts to count [default: the positions of TABLE|EPD]
    #[arg(long, value_name = "SELECTION", requires = "write", conflicts_with_all = ["file", "fen"])]
    starts: Option<Selection>,
    /// With --write: the position to count
    #[arg(long, value_name = "FEN", requires = "write", conflicts_with = "file")]
    fen: Option<Board>,
    /// With --write: the depth to count to [default: 4]
    #[arg(short, long, value_name = "PLIES", requires = "write", value_parser = value_parser!(u32).range(1..=Depth::MOST.into()))]
    depth: Option<u32>,
}

impl SuiteArgs {
    pub fn is_wanted(&self) -> bool {
        self.write.is_some()
    }
}

/// A position and its counts at depth 1, 2, ….
struct Row {
    named: NamedPosition<Board>,
    counts: Vec<u128>,
}

/// Counts the positions and writes a suite that names the generator.
pub fn write(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let path = args.suite.write.as_deref().expect("--write was given");
    refuse_same_file("suite", path, args.file.as_deref())?;
    let counter = args.limits.generator(&args.generator)?;
    let positions = positions(args)?;
    table::check_writable(path).or_unfinished()?;
    let signals = Signals::install().or_unfinished()?;
    let failed = |error| Failure::of_counter(error, &signals);
    let identity = counter.profile(signals.cancel()).map_err(failed)?.identity;
    let boards: Vec<Board> = positions.iter().map(|named| named.board).collect();
    let options = SuiteOptions {
        depth: args.suite.depth.unwrap_or(4),
        max_nodes: args.max_nodes.map_or(u128::MAX, u128::from),
        cancel: signals.cancel(),
    };
    let pool = args.threads.pool()?;
    let counts = pool.install(|| count_suite(&boards, counter.as_ref(), &options));
    let rows = positions.into_iter().zip(counts.map_err(failed)?);
    let rows: Vec<Row> = rows.map(|(named, counts)| Row { named, counts }).collect();
    let header = header(&args.generator, &identity);
    let suite = suite(options.depth, &rows);
    table::write_atomically(path, |out| {
        writeln!(out, "{header}")?;
        table::write(&suite, Format::Epd, out)
    })
    .or_unfinished()?;
    let written: usize = rows.iter().map(|row| row.counts.len()).sum();
    let (path, positions) = (path.display(), rows.len());
    console.info(format!(
        "{path}: {written} counts of {positions} positions by {identity}"
    ));
    Ok(Answer::Yes)
}

fn positions(args: &Args) -> Result<Vec<NamedPosition<Board>>, Failure> {
    let SuiteArgs { starts, fen, .. } = &args.suite;
    match (starts, fen, &args.file) {
        (Some(starts), ..) => Ok(starts.doubles().map(NamedPosition::from).collect()),
        (_, Some(board), _) => Ok(vec![NamedPosition::of(*board)]),
        (.., Some(file)) => {
            let boards = read_positions(file).or_input()?;
            Ok(boards.into_iter().map(NamedPosition::of).collect())
        }
        _ => Err(anyhow!(
            "--write needs positions: --starts, --fen or a file"
        ))
        .or_usage(),
    }
}

/// The comment that names the generator.
fn header(generator: &str, identity: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let line = format!("# counted by {identity} ({generator}), written by ninesixty {version}");
    // A line break in the name of an engine would end the comment.
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
