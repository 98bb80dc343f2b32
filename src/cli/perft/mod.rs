//! `ninesixty perft`: the number of move sequences of each length, for all 960 starts or any position.

mod breakdown;
mod check;
mod counts;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::perft::{Position, Sharing, divide};
use ninesixty::run::{Shard, Stop};
use ninesixty::table::{Column, Table};
use ninesixty::{chess, zchess};

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::game::{Game, Rules};
use super::hash::HashArgs;
use super::job::{Job, Tabled};
use super::output::OutputArgs;
use super::positions::{Named, PositionArgs, Selected};

pub use counts::{plan_of_ledger, rules_of_ledger};

use counts::{Kind, What};

/// The deepest that anybody will live to see counted.
pub const DEEPEST: u32 = 20;

/// Count the move sequences of each length (perft), of all 960 starts or any position
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty perft --depth 4 --format csv
  ninesixty perft 518 --depth 5 --divide
  ninesixty perft --rules zchess --depth 4")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// The game: Chess960, or Z-Chess on 77 circles
    #[arg(long, value_name = "GAME", default_value = "chess960")]
    rules: Rules,
    /// Count sequences of up to this many plies
    #[arg(short, long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..=DEEPEST.into()))]
    depth: u32,
    /// Show each first move and the sequences that begin with it (one position only)
    #[arg(long, conflicts_with_all = ["unique", "ledger", "check", "hash"])]
    divide: bool,
    /// Show what the last moves are: captures, castles, promotions, checks, mates (one row per depth)
    #[arg(long, conflicts_with_all = ["divide", "unique", "check", "hash"])]
    breakdown: bool,
    /// Count the distinct positions after each ply instead of the sequences
    #[arg(long, conflicts_with = "check")]
    unique: bool,
    /// Count this many of the positions again in other ways, and compare
    #[arg(long, value_name = "N", conflicts_with = "shard")]
    check: Option<usize>,
    #[command(flatten)]
    hash: HashArgs,
    /// Keep finished positions in this file, and go on from it if it is there
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Count only the I-th of N parts of the positions, into the ledger; `auto` in an array job
    #[arg(long, value_name = "I/N", requires = "ledger")]
    shard: Option<Shard>,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    fn what(&self) -> What {
        if self.unique {
            What::Distinct
        } else if self.breakdown {
            What::Breakdown
        } else {
            What::Sequences
        }
    }
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    match args.rules {
        Rules::Chess960 => run_game::<chess::Board>(args, console),
        Rules::Zchess => run_game::<zchess::Board>(args, console),
    }
}

fn run_game<G: Game>(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let selected = args.positions.read::<G>()?;
    let stop = Stop::install().or_unfinished()?;
    if args.divide {
        run_divide(args, &selected, &stop, console)
    } else {
        run_counts(args, selected, &stop, console)
    }
}

fn run_counts<G: Game>(
    args: &Args,
    selected: Selected<G>,
    stop: &Stop,
    console: &Console,
) -> Result<Answer, Failure> {
    let kind = Kind::of::<G>(args.what(), args.depth).or_usage()?;
    let Selected { command, positions } = selected;
    Tabled::<G>::rehearse(&kind, &command, &args.output)?;
    args.output.spare(args.ledger.as_slice())?;
    let plan = kind.plan(&command, &positions)?;
    let job = Job {
        plan: &plan,
        ledger: args.ledger.as_deref(),
        shard: args.shard,
        stop,
        console,
    };
    let job = job.begin()?;
    let crew = counts::Crew::new(&args.hash, &args.threads, job.todo.len(), console)?;
    let begun = Instant::now();
    let Some(results) = crew.count_all(&kind, &positions, job)? else {
        return Ok(Answer::Yes);
    };
    let seconds = begun.elapsed().as_secs_f64();
    let rows = kind.rows(positions, &results)?;
    args.output.write(&kind.table(&command, &rows))?;
    console.say(format!("{} in {seconds:.1} s", kind.summary(&rows)));
    match args.check {
        Some(count) => check::run(&rows, count, &crew, stop, console),
        None => Ok(Answer::Yes),
    }
}

fn run_divide<G: Game>(
    args: &Args,
    selected: &Selected<G>,
    stop: &Stop,
    console: &Console,
) -> Result<Answer, Failure> {
    let [Named { board, .. }] = selected.positions.as_slice() else {
        let count = selected.positions.len();
        return Err(anyhow!("--divide shows one position, not {count}")).or_usage();
    };
    let (positions, depth) = (&selected.command, args.depth);
    let command = format!("perft {positions} --depth {depth} --divide");
    args.output.rehearse(&divided(&command, *board, &[]))?;
    let pool = args.threads.pool()?;
    let begun = Instant::now();
    let branches = pool
        .install(|| divide(board, depth, Sharing::Pool, &|| stop.is_set()))
        .map_err(|error| Failure::counting(error, stop))?;
    let seconds = begun.elapsed().as_secs_f64();
    args.output.write(&divided(&command, *board, &branches))?;
    let total = branches.iter().map(|&(_, nodes)| nodes).sum();
    console.say(format!(
        "{} in {seconds:.1} s",
        counts::nodes_at(depth, total)
    ));
    Ok(Answer::Yes)
}

/// A first move and the sequences that begin with it.
type Branch<G> = (<G as Position>::Move, u128);

fn divided<G: Game>(command: &str, board: G, branches: &[Branch<G>]) -> Table {
    let columns = [
        Column::<Branch<G>>::new("move", |(mv, _)| mv.to_string().into()),
        Column::<Branch<G>>::new(G::NOTATION, move |&(mv, _)| board.written(mv).into()),
        Column::<Branch<G>>::new("nodes", |&(_, nodes)| nodes.into()),
    ];
    Table::from_rows("ninesixty.divide/1", command, &columns, branches)
}
