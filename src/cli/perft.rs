//! `ninesixty perft`: the number of move sequences of each length, for all 960 starts or any position.

use std::time::Instant;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::cpu::Level;
use ninesixty::job::{
    CheckOptions, DEFAULT_SEED, Depth, Game, NamedPosition, PerftJob, PerftKind, PerftReport,
    Positions, Rules, check,
};
use ninesixty::perft::{CountOptions, MoveTree, Sharing, divide};
use ninesixty::run::{Event, Memory};
use ninesixty::table::{Column, CommandText, Table};
use ninesixty::{chess, zchess};

use super::batch::{self, RunArgs};
use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::output::OutputArgs;
use super::positions::{GameRules, PositionArgs};
use super::signals::Signals;

/// Count move sequences by length (perft), from all 960 starts or any position
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty perft --depth 4 --format csv
  ninesixty perft 518 --depth 5 --divide
  ninesixty perft --epd @tricky --depth 3
  ninesixty perft sample:10 --depth 4 --check 2
  ninesixty perft 0-9 --depth 4 --ledger perft.jsonl
  ninesixty perft --rules zchess --depth 4")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// The game: Chess960, or Z-Chess on 77 circles
    #[arg(long, value_name = "GAME", default_value = "chess960")]
    rules: GameRules,
    /// Count to every depth from 1 to this one, at most 20
    #[arg(short, long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..=Depth::MOST.into()))]
    depth: u32,
    /// Show the count of each first move (one position only)
    #[arg(long, conflicts_with_all = ["unique", "ledger", "check", "hash"])]
    divide: bool,
    /// Count the captures, castles, promotions, checks and mates among the last moves (one row per depth)
    #[arg(long, conflicts_with_all = ["divide", "unique", "check", "hash"])]
    breakdown: bool,
    /// Count distinct positions at each depth instead of move sequences
    #[arg(long, conflicts_with = "check")]
    unique: bool,
    /// Count N of the positions, drawn at random, again: with another seed, without merging transpositions, and with
    /// shakmaty, the last two as deep as is affordable; exit code 1 if a count differs
    #[arg(long, value_name = "N", conflicts_with = "shard")]
    check: Option<usize>,
    /// Memory for merging transpositions, such as 512M or 4G, or `off` [default: up to 4G per thread, at most
    /// half of the free memory]
    #[arg(long, value_name = "SIZE")]
    hash: Option<Memory>,
    /// Seed of the hash that decides where positions are stored while transpositions are merged; counts do not depend on it,
    /// so counting again with another seed is a check
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    fn kind(&self) -> PerftKind {
        if self.unique {
            PerftKind::Unique
        } else if self.breakdown {
            PerftKind::Breakdown
        } else {
            PerftKind::Nodes
        }
    }

    fn memory(&self) -> Memory {
        self.hash.unwrap_or_default()
    }

    fn refuse_overwrite(&self) -> Result<(), Failure> {
        self.run.refuse_overwrite(self.positions.file())?;
        let sources = self.positions.file().into_iter().chain(self.run.ledger());
        self.output.refuse_overwrite(sources)
    }
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    match args.rules.0 {
        Rules::Chess960 => run_game::<chess::Board>(args, console),
        Rules::Zchess => run_game::<zchess::Board>(args, console),
    }
}

fn run_game<G: Game>(args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.refuse_overwrite()?;
    let positions = args.positions.read::<G>()?;
    if args.divide {
        return run_divide(args, &positions, console);
    }
    let depth = args.depth.try_into().or_usage()?;
    let mut job = PerftJob::new(positions, args.kind(), depth);
    job.seed = args.seed;
    preflight(&job, &args.output)?;
    let signals = Signals::install().or_unfinished()?;
    let options = args.run.options(args.memory());
    let started = Instant::now();
    let complete = batch::run_tasks(&job, &options, "positions", console, &signals, &|event| {
        describe_start(event, console);
    })?;
    let Some(complete) = complete else {
        return Ok(Answer::Yes);
    };
    let seconds = started.elapsed().as_secs_f64();
    let report = complete.report;
    args.output.write(&job.table(&report))?;
    console.info(format!("{} in {seconds:.1} s", job.summary(&report)));
    match args.check {
        Some(rows) => run_check(args, rows, &report, &signals, console),
        None => Ok(Answer::Yes),
    }
}

/// Fails if the table cannot be written.
pub fn preflight<G: Game>(job: &PerftJob<G>, output: &OutputArgs) -> Result<(), Failure> {
    let no_epd = match job.kind {
        PerftKind::Nodes => None,
        PerftKind::Unique => Some("distinct positions"),
        PerftKind::Breakdown => Some("a breakdown"),
    };
    if let Some(counted) = no_epd.filter(|_| output.is_epd()) {
        return Err(anyhow!("EPD cannot hold {counted}")).or_usage();
    }
    if job.kind == PerftKind::Breakdown && G::BREAKDOWN.is_none() {
        let rules = G::RULES;
        return Err(anyhow!("--breakdown is not available for --rules {rules}")).or_usage();
    }
    output.preflight(&job.empty_table())
}

/// Prints the threads, instructions and memory that a run uses.
fn describe_start(event: &Event, console: &Console) {
    if let Event::Started {
        threads,
        workers,
        worker_bytes,
        ..
    } = event
    {
        let memory = worker_bytes.map_or("transpositions are not merged".to_owned(), |bytes| {
            format!(
                "transpositions are merged in {workers} x {} MiB",
                bytes >> 20
            )
        });
        console.detail(format!(
            "counting on {threads} threads with {} instructions; {memory}",
            Level::best().name()
        ));
    }
}

fn run_check<G: Game>(
    args: &Args,
    rows: usize,
    report: &PerftReport<G>,
    signals: &Signals,
    console: &Console,
) -> Result<Answer, Failure> {
    const CHECK_BYTES: usize = 1 << 30;
    let pool = args.run.threads().pool()?;
    let options = CheckOptions {
        rows,
        seed: args.seed.wrapping_add(1),
        bytes: args
            .memory()
            .bytes(pool.current_num_threads())
            .unwrap_or(CHECK_BYTES),
        cancel: signals.cancel(),
    };
    let check = pool.install(|| check(report, &options));
    let check = check.map_err(|error| Failure::of_counter(error, signals))?;
    for mismatch in &check.mismatches {
        console.warn(format!(
            "{}, depth {}: counted {}, but {} {}",
            mismatch.name, mismatch.depth, mismatch.counted, mismatch.found, mismatch.method
        ));
    }
    console.info(format!(
        "checked {} positions, {} counts in all: {} differ",
        check.rows,
        check.counts,
        check.mismatches.len()
    ));
    Ok(if check.mismatches.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}

fn run_divide<G: Game>(
    args: &Args,
    positions: &Positions<G>,
    console: &Console,
) -> Result<Answer, Failure> {
    if positions.len() != 1 {
        let count = positions.len();
        return Err(anyhow!("--divide shows one position, not {count}")).or_usage();
    }
    let NamedPosition { board, .. } = positions.row(0);
    let command = CommandText::new("perft")
        .word(positions.arguments())
        .flag("--depth", args.depth)
        .word("--divide");
    args.output
        .preflight(&divide_table(command.clone(), *board, &[]))?;
    let signals = Signals::install().or_unfinished()?;
    let options = CountOptions {
        sharing: Sharing::Pool,
        cancel: signals.cancel(),
    };
    let pool = args.run.threads().pool()?;
    let started = Instant::now();
    let branches = pool
        .install(|| divide(board, args.depth, &options))
        .map_err(|error| Failure::counting(error, &signals))?;
    let seconds = started.elapsed().as_secs_f64();
    args.output
        .write(&divide_table(command, *board, &branches))?;
    let total: u128 = branches.iter().map(|&(_, nodes)| nodes).sum();
    console.info(format!(
        "{total} nodes at depth {} in {seconds:.1} s",
        args.depth
    ));
    Ok(Answer::Yes)
}

/// A first move and the number of sequences that begin with it.
type Branch<G> = (<G as MoveTree>::Move, u128);

fn divide_table<G: Game>(command: CommandText, board: G, branches: &[Branch<G>]) -> Table {
    let columns = [
        Column::<Branch<G>>::new("move", |(mv, _)| mv.to_string().into()),
        Column::<Branch<G>>::new(G::NOTATION, move |&(mv, _)| board.notation(mv).into()),
        Column::<Branch<G>>::new("nodes", |&(_, nodes)| nodes.into()),
    ];
    Table::from_rows("ninesixty.divide/1", command, &columns, branches)
}
