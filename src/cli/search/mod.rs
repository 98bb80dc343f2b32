//! `ninesixty search`: what each start is worth and what one would play, by our own engine or any other.

mod compare;
mod findings;
mod searcher;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::{ArgGroup, Args as ClapArgs, value_parser};
use ninesixty::chess::Board;
use ninesixty::run::{Shard, Stop};
use ninesixty::search::{DEEPEST, Limits};

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::job::{Job, Tabled};
use super::output::OutputArgs;
use super::positions::{self, PositionArgs, Selected};

pub use findings::plan_of_ledger;

use findings::{Kind, Row};
use searcher::{EngineArgs, Searchers};

/// Chess is all that is searched.
type Named = positions::Named<Board>;

/// Lines beyond this many are more than any position has moves.
const MOST_LINES: i64 = 500;
/// A year is as good as for ever.
const MOST_SECONDS: f64 = 365.0 * 24.0 * 60.0 * 60.0;

/// Search all 960 starts, or any position, for the best move and what it is worth
#[derive(ClapArgs)]
#[command(
    group = ArgGroup::new("limit").args(["depth", "nodes", "time", "from"]).required(true).multiple(true),
    after_help = "Examples:
  ninesixty search sample:8 --depth 8
  ninesixty search 518 --nodes 100000 --multipv 3 --format csv"
)]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    #[command(flatten)]
    effort: EffortArgs,
    /// Show this many of the best moves, each with its line
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=MOST_LINES))]
    multipv: u16,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    compare: compare::CompareArgs,
    /// Keep finished positions in this file, and go on from it if it is there
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Search only the I-th of N parts of the positions, into the ledger; `auto` in an array job
    #[arg(
        long,
        value_name = "I/N",
        requires = "ledger",
        conflicts_with = "compare"
    )]
    shard: Option<Shard>,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// When the search of a position ends.
#[derive(ClapArgs)]
struct EffortArgs {
    /// Search each position this many plies deep
    #[arg(short, long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..=DEEPEST.into()))]
    depth: Option<u32>,
    /// Search no more than this many nodes of each position
    #[arg(short, long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search each position no longer than this; what is found then depends on the machine
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
}

impl EffortArgs {
    fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            time: self.time,
        }
    }
}

/// Why a text is no time to search for.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a number of seconds such as 2 or 0.5")]
struct SecondsError(String);

fn seconds(text: &str) -> Result<Duration, SecondsError> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= MOST_SECONDS);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| SecondsError(text.to_owned()))
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    if let Some(table) = args.compare.given() {
        return compare::run_tables(table, args, console);
    }
    let Selected {
        command: selected,
        positions,
    } = args.positions.read()?;
    let stop = Stop::install().or_unfinished()?;
    let searchers = Searchers::new(&args.engine, args.multipv.into(), &stop)?;
    let kind = Kind {
        limits: args.effort.limits(),
        lines: args.multipv.into(),
        engine: searchers.description(),
    };
    match &args.compare.compare {
        Some(_) => args.compare.rehearse(&args.output)?,
        None => kind.rehearse(&selected, &args.output)?,
    }
    args.output.spare(args.ledger.as_slice())?;
    let plan = kind.plan(&selected, &positions)?;
    let job = Job {
        plan: &plan,
        ledger: args.ledger.as_deref(),
        shard: args.shard,
        stop: &stop,
        console,
    };
    let workers = args.threads.pool()?.current_num_threads();
    let begun = Instant::now();
    let Some(results) = searchers.search_all(&kind, &positions, workers, &job)? else {
        return Ok(Answer::Yes);
    };
    let seconds = begun.elapsed().as_secs_f64();
    let rows = kind.rows(positions, &results)?;
    match &args.compare.compare {
        Some(_) => compare::run(&rows, args, console)?,
        None => args.output.write(&kind.table(&selected, &rows))?,
    }
    console.say(format!("{} in {seconds:.1} s", findings::summary(&rows)));
    complain(&rows)
}

/// Fails if some positions have no result.
fn complain(rows: &[Row]) -> Result<Answer, Failure> {
    let failed: Vec<&str> = rows
        .iter()
        .filter(|row| row.finding.is_none())
        .map(|row| row.named.name.as_str())
        .collect();
    if failed.is_empty() {
        return Ok(Answer::Yes);
    }
    Err(anyhow!(
        "the engine failed on {} of {} positions: {}; with --ledger FILE the same command tries them again",
        failed.len(),
        rows.len(),
        super::job::some_of(&failed)
    ))
    .or_unfinished()
}
