//! `ninesixty stats`: opening statistics per start, from PGN files of any size.

mod extra_tables;
mod filters;
mod summary;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use clap::{Args as ClapArgs, ValueEnum, value_parser};
use ninesixty::job::{PgnInput, StatsJob, StatsReport, find_inputs};
use ninesixty::run::{Event, Memory, parse_size};
use ninesixty::stats::{GroupBy, OpeningTree, StatsSettings, Tally, TextReader, TreeMemory};
use ninesixty::table::escape_control;

use super::batch::{self, RunArgs, list_names};
use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::input_path::input_path;
use super::output::OutputArgs;
use super::progress::ByteProgress;
use super::signals::Signals;
use super::threads::ThreadsArgs;
use filters::FilterArgs;

pub use extra_tables::ExtraTablesArgs;

/// Count games, results, first moves and castling per start in PGN files
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty stats @mainz2009
  ninesixty stats @mainz2009 --min-rating 2600 --moves tree.csv --min-games 2 --format csv")]
pub struct Args {
    /// PGN files, plain or compressed with zstd, gzip or bzip2; directories; `-` for standard input; `@mainz2009` is built in
    #[arg(value_name = "FILE", required = true, value_parser = input_path())]
    files: Vec<PathBuf>,
    /// A row per group: a list of start, rating:N (by the average of both ratings), speed, month, title
    #[arg(long, value_name = "LIST", default_value_t)]
    by: GroupBy,
    /// Plies of each game to check for legality and to add to the opening tree
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(1..=OpeningTree::MAX_PLIES as i64))]
    plies: u32,
    #[command(flatten)]
    extra_tables: ExtraTablesArgs,
    /// Also count games of classical chess, as start 518
    #[arg(long)]
    include_standard: bool,
    /// Also count games in which White and Black have different starts
    #[arg(long)]
    doubles: bool,
    /// Also count games whose FEN lacks castling rights and in which neither side castles
    #[arg(long)]
    repair: bool,
    /// Also count the results of games that have no moves
    #[arg(long)]
    include_moveless: bool,
    /// Skip duplicates of a game (takes about 40 bytes of memory per game)
    #[arg(long, conflicts_with = "ledger")]
    dedup: bool,
    /// Count damaged files up to the damage; the exit code is still 3
    #[arg(long, conflicts_with = "ledger")]
    keep_going: bool,
    /// Read plain files piece by piece instead of mapping them into memory; the counts are the same
    #[arg(long)]
    no_mmap: bool,
    /// Also read compressed files that unpack to more than a thousand times their size
    #[arg(long)]
    any_ratio: bool,
    /// What reads the text of games: our scanner, which hands doubtful games to pgn-reader, or pgn-reader for every game
    #[arg(long, value_enum, default_value_t = ReaderName::Scanner)]
    reader: ReaderName,
    /// Memory for the opening tree; what does not fit goes to temporary files [default: a quarter of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, requires = "moves")]
    memory: Option<usize>,
    /// Write all columns in text and md too
    #[arg(long)]
    all_columns: bool,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
    // Last, because the help lists everything after it under its heading.
    #[command(flatten)]
    filters: FilterArgs,
}

/// The names of readers on the command line.
#[derive(Clone, Copy, ValueEnum)]
enum ReaderName {
    Scanner,
    PgnReader,
}

impl From<ReaderName> for TextReader {
    fn from(name: ReaderName) -> TextReader {
        match name {
            ReaderName::Scanner => TextReader::Scanner,
            ReaderName::PgnReader => TextReader::PgnReader,
        }
    }
}

impl Args {
    fn settings(&self) -> Result<StatsSettings, Failure> {
        Ok(StatsSettings {
            filter: self.filters.filter()?,
            by: self.by,
            plies: self.plies,
            tree: self.extra_tables.wants_moves(),
            include_standard: self.include_standard,
            doubles: self.doubles,
            repair: self.repair,
            include_moveless: self.include_moveless,
            dedup: self.dedup,
        })
    }
}

const FILES: &str = "files";

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let inputs = find_inputs(&args.files).or_input()?;
    describe_links(&inputs, console);
    let mut job = StatsJob::new(inputs, args.settings()?);
    job.keep_going = args.keep_going;
    job.any_ratio = args.any_ratio;
    job.no_mmap = args.no_mmap;
    job.reader = args.reader.into();
    if let Some(bytes) = args.memory {
        job.tree_memory = Arc::new(TreeMemory::new(bytes));
    }
    let writer = Writer {
        all_columns: args.all_columns,
        extra_tables: &args.extra_tables,
        output: &args.output,
        threads: args.run.threads(),
    };
    writer.preflight(&job)?;
    let inputs = job.inputs().iter().filter_map(PgnInput::path);
    args.run.refuse_overwrite(inputs)?;
    let sources = || {
        let inputs = job.inputs().iter().filter_map(PgnInput::path);
        args.run.ledger().into_iter().chain(inputs)
    };
    writer.refuse_overwrite(sources)?;
    let signals = Signals::install().or_unfinished()?;
    let options = args.run.options(Memory::Off);
    let progress: Mutex<Option<ByteProgress>> = Mutex::default();
    let progress = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let observe = |event: &Event| match event {
        Event::Started { tasks, .. } => {
            let bytes = tasks.iter().map(|task| job.input_of(task).bytes());
            *progress() = Some(console.byte_progress(bytes.sum()));
        }
        Event::Read { bytes, items } => {
            if let Some(progress) = &*progress() {
                progress.advance(*bytes, *items);
            }
        }
        _ => {}
    };
    let outcome = batch::run(&job, &options, FILES, console, &signals, &observe);
    if let Some(progress) = progress().take() {
        progress.finish();
    }
    let Some(complete) = outcome? else {
        return Ok(Answer::Yes);
    };
    let report = writer.write(&job, complete.report, console)?;
    summary::damage(report.damage, console)
}

/// Names the files that were given more than once.
fn describe_links(inputs: &[PgnInput], console: &Console) {
    for input in inputs
        .iter()
        .filter(|input| !input.other_names().is_empty())
    {
        console.warn(escape_control(&format!(
            "{} and {} are the same file, which is counted once",
            input.name(),
            list_names(input.other_names())
        )));
    }
}

/// Writes the tables of merged ledgers.
pub fn write_merged(
    job: &StatsJob,
    report: StatsReport,
    extra_tables: &ExtraTablesArgs,
    output: &OutputArgs,
    console: &Console,
) -> Result<Answer, Failure> {
    if extra_tables.wants_moves() && !job.stats_settings().tree {
        return Err(anyhow!(
            "the ledgers hold no opening trees: they were made without --moves"
        ))
        .or_usage();
    }
    let writer = Writer {
        all_columns: false,
        extra_tables,
        output,
        threads: &ThreadsArgs::default(),
    };
    writer.preflight(job)?;
    writer.write(job, report, console)?;
    Ok(Answer::Yes)
}

/// Writes the tables of a report.
struct Writer<'a> {
    all_columns: bool,
    extra_tables: &'a ExtraTablesArgs,
    output: &'a OutputArgs,
    threads: &'a ThreadsArgs,
}

impl Writer<'_> {
    /// Text and Markdown have only the most important columns by default, formats for programs have all.
    fn has_all_columns(&self) -> bool {
        self.all_columns || !self.output.is_for_people()
    }

    fn preflight(&self, job: &StatsJob) -> Result<(), Failure> {
        let empty = job.table(&Tally::default(), self.has_all_columns());
        self.output.preflight(&empty)?;
        self.extra_tables.preflight(job, self.output)
    }

    fn refuse_overwrite<'p, I: Iterator<Item = &'p Path>>(
        &self,
        sources: impl Fn() -> I,
    ) -> Result<(), Failure> {
        self.output.refuse_overwrite(sources())?;
        let sources: Vec<&Path> = sources().collect();
        self.extra_tables.refuse_overwrite(sources, self.output)
    }

    fn write(
        &self,
        job: &StatsJob,
        report: StatsReport,
        console: &Console,
    ) -> Result<StatsReport, Failure> {
        let report = self
            .extra_tables
            .write(job, report, self.output, self.threads, console)?;
        let table = job.table(&report.tally, self.has_all_columns());
        self.output.write(&table)?;
        summary::print(&report.tally, console);
        Ok(report)
    }
}
