//! `ninesixty search`: the score and the best move of each start, by the built-in engine or a UCI engine.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::{ArgGroup, Args as ClapArgs, value_parser};
use ninesixty::job::{
    EngineSpec, ScoreComparison, ScoredPosition, SearchJob, SearchReport, compare_scores,
    compare_table, read_scores,
};
use ninesixty::run::{Memory, parse_size, require_memory};
use ninesixty::search::{MAX_DEPTH, SearchLimits, UciSearchError};
use ninesixty::table::CommandText;
use ninesixty::uci::{CommandLine, EngineError};

use super::batch::{self, RunArgs, refuse_failed};
use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::generators::LimitArgs;
use super::input_path::input_path;
use super::output::OutputArgs;
use super::positions::PositionArgs;
use super::signals::Signals;

/// More than the moves of any position.
const MAX_MULTIPV: i64 = 500;
const YEAR_SECONDS: f64 = 365.0 * 24.0 * 60.0 * 60.0;

/// Search all 960 starts, or any position, for the best move and its score
#[derive(ClapArgs)]
#[command(
    group = ArgGroup::new("limit").args(["depth", "nodes", "time", "from"]).required(true).multiple(true),
    after_help = "Examples:
  ninesixty search sample:8 --depth 8
  ninesixty search 518 --nodes 100000 --multipv 3 --format csv
  ninesixty search sample:16 --depth 6 --compare @stockfish18"
)]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    #[command(flatten)]
    limits: LimitsArgs,
    /// Show this many of the best moves, each with its line
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=MAX_MULTIPV))]
    multipv: u16,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// When the search of a position ends.
#[derive(ClapArgs)]
struct LimitsArgs {
    /// Search each position to this depth
    #[arg(short, long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..=MAX_DEPTH.into()))]
    depth: Option<u32>,
    /// Search at most this many nodes of each position
    #[arg(short, long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search each position at most this long; the results then depend on the machine
    #[arg(short, long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
}

/// Which engine searches.
#[derive(ClapArgs)]
struct EngineArgs {
    /// Search with this UCI engine instead of the built-in one; COMMAND may have arguments, and is not run by a shell
    #[arg(long, value_name = "COMMAND")]
    engine: Option<CommandLine>,
    /// Set a UCI option of the engine; can be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "engine")]
    engine_option: Vec<EngineOption>,
    #[command(flatten)]
    timeouts: LimitArgs,
    /// Size of the built-in engine's transposition table, per thread; results depend on it
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = parse_size, conflicts_with = "engine")]
    hash: usize,
}

/// Comparison with the scores of a table.
#[derive(ClapArgs)]
struct CompareArgs {
    /// Compare the scores with those of a CSV table and list the largest differences; its columns are `fen`,
    /// `score_cp`, `best_move` and optionally `steady_cp`; `@stockfish18` is built in
    #[arg(long, value_name = "TABLE", value_parser = input_path(), conflicts_with = "shard")]
    compare: Option<PathBuf>,
    /// With --compare: take the scores from this table instead of searching
    #[arg(long, value_name = "TABLE", value_parser = input_path(), requires = "compare",
          conflicts_with_all = ["selection", "fen", "epd", "depth", "nodes", "time", "multipv", "ledger", "shard", "engine"])]
    from: Option<PathBuf>,
    /// With --compare: list this many of the largest differences
    #[arg(long, value_name = "N", default_value_t = 10, requires = "compare")]
    most: usize,
}

#[derive(Clone, Debug)]
struct EngineOption {
    name: String,
    value: String,
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not NAME=VALUE, such as Hash=64")]
struct EngineOptionError(String);

impl FromStr for EngineOption {
    type Err = EngineOptionError;

    fn from_str(text: &str) -> Result<EngineOption, EngineOptionError> {
        let malformed = || EngineOptionError(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(malformed)?;
        if name.is_empty() || text.contains(['\n', '\r']) {
            return Err(malformed());
        }
        Ok(EngineOption {
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a number of seconds such as 2 or 0.5")]
struct SecondsError(String);

fn parse_seconds(text: &str) -> Result<Duration, SecondsError> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= YEAR_SECONDS);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| SecondsError(text.to_owned()))
}

impl Args {
    fn refuse_overwrite(&self) -> Result<(), Failure> {
        let tables = [&self.compare.compare, &self.compare.from];
        let tables = tables.into_iter().flatten().map(PathBuf::as_path);
        let inputs: Vec<&Path> = self.positions.file().into_iter().chain(tables).collect();
        self.run.refuse_overwrite(inputs.iter().copied())?;
        self.output
            .refuse_overwrite(inputs.into_iter().chain(self.run.ledger()))
    }
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.refuse_overwrite()?;
    if let (Some(ours), Some(theirs)) = (&args.compare.from, &args.compare.compare) {
        let command = CommandText::new("search")
            .quoted_flag("--from", Some(ours.display()))
            .quoted_flag("--compare", Some(theirs.display()));
        args.output
            .preflight(&compare_table(command.clone(), &[]))?;
        write_comparison(args, command, read_scores(ours).or_input()?, console)?;
        return Ok(Answer::Yes);
    }
    let signals = Signals::install().or_unfinished()?;
    let job = job(args, &signals)?;
    match &args.compare.compare {
        Some(table) => {
            read_scores(table).or_input()?;
            let empty = compare_table(CommandText::new("search"), &[]);
            args.output.preflight(&empty)?;
        }
        None => args
            .output
            .preflight(&job.table(&SearchReport::default()))?,
    }
    let options = args.run.options(Memory::Off);
    if args.engine.engine.is_none() {
        let workers = options.thread_count().get().min(job.positions().len());
        require_memory(args.engine.hash.saturating_mul(workers))
            .with_context(|| {
                let mib = args.engine.hash >> 20;
                format!("--hash {mib}M is too much for {workers} threads, each with its own table")
            })
            .or_unfinished()?;
    }
    let started = Instant::now();
    let complete = batch::run_tasks(&job, &options, "positions", console, &signals, &|_| ())?;
    let Some(complete) = complete else {
        return Ok(Answer::Yes);
    };
    let seconds = started.elapsed().as_secs_f64();
    let report = complete.report;
    match &args.compare.compare {
        Some(theirs) => {
            let command = CommandText::new("search")
                .word(job.positions().arguments())
                .quoted_flag("--compare", Some(theirs.display()));
            write_comparison(args, command, report.scores(), console)?;
        }
        None => args.output.write(&job.table(&report))?,
    }
    console.info(format!("{} in {seconds:.1} s", report.summary()));
    refuse_failed(&complete.failed, report.rows.len())?;
    Ok(Answer::Yes)
}

fn job(args: &Args, signals: &Signals) -> Result<SearchJob, Failure> {
    let positions = args.positions.read()?;
    let limits = SearchLimits {
        depth: args.limits.depth,
        nodes: args.limits.nodes,
        time: args.limits.time,
    };
    let multipv = args.multipv.into();
    let Some(command) = &args.engine.engine else {
        return Ok(SearchJob::new(positions, limits, multipv, args.engine.hash));
    };
    let options = args.engine.engine_option.iter();
    let spec = EngineSpec {
        command: command.clone(),
        options: options
            .map(|option| (option.name.clone(), option.value.clone()))
            .collect(),
        limits: args.engine.timeouts.limits(),
    };
    let job = SearchJob::with_engine(positions, limits, multipv, spec, signals.cancel());
    job.map_err(|error| match (&error, signals.requested()) {
        (UciSearchError::Engine(EngineError::Cancelled), Some(signal)) => {
            Failure::Stopped(signal, anyhow!("stopped by {signal}"))
        }
        (UciSearchError::MissingOption { .. }, _) => Failure::Usage(error.into()),
        _ => Failure::Unfinished(error.into()),
    })
}

fn write_comparison(
    args: &Args,
    command: CommandText,
    ours: Vec<ScoredPosition>,
    console: &Console,
) -> Result<(), Failure> {
    let table = args.compare.compare.as_deref();
    let table = table.expect("a comparison was asked for");
    let comparison: ScoreComparison = compare_scores(ours, read_scores(table).or_input()?)
        .with_context(|| table.display().to_string())
        .or_input()?;
    let shown = comparison.pairs.len().min(args.compare.most);
    args.output
        .write(&compare_table(command, &comparison.pairs[..shown]))?;
    console.info(comparison.summary());
    Ok(())
}
