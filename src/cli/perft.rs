//! `ninesixty perft`: the number of move sequences of each length, for all 960 starts or any position.

use std::time::Instant;

use anyhow::anyhow;
use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::{Board, Move};
use ninesixty::perft::leaves::Path;
use ninesixty::perft::{divide, perft_in_parallel};
use ninesixty::table::{self, Column, Table};
use rayon::prelude::*;

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::output::OutputArgs;
use super::positions::{self, Named, PositionArgs};

/// The deepest that anybody will live to see counted.
pub const DEEPEST: u32 = 20;

/// Count the move sequences of each length (perft), of all 960 starts or any position
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty perft --depth 4 --format csv
  ninesixty perft 518 --depth 5 --divide")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// Count sequences of up to this many plies
    #[arg(short, long, value_name = "PLIES", value_parser = value_parser!(u32).range(1..=DEEPEST.into()))]
    depth: u32,
    /// Show each first move and the sequences that begin with it (one position only)
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    threads: ThreadsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A position and its counts for depths 1, 2, …
struct Counted {
    named: Named,
    counts: Vec<u64>,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let positions = args.positions.read()?;
    let command = format!("perft {} --depth {}", args.positions.command(), args.depth);
    let pool = args.threads.pool()?;
    let threads = pool.current_num_threads();
    console.detail(format!(
        "counting on {threads} threads by the {} path",
        Path::fastest().name()
    ));
    let began = Instant::now();
    let (table, nodes) = if args.divide {
        let [Named { board, .. }] = positions[..] else {
            let count = positions.len();
            return Err(anyhow!("--divide shows one position, not {count}")).or_usage();
        };
        let table = |branches: &[_]| divided(&format!("{command} --divide"), board, branches);
        args.output.rehearse(&table(&[]))?;
        let branches = pool.install(|| divide(&board, args.depth));
        (
            table(&branches),
            total(branches.iter().map(|&(_, nodes)| nodes)),
        )
    } else {
        let table = |rows: &[_]| counted(&command, rows, args.depth);
        args.output.rehearse(&table(&[]))?;
        let progress = console.progress(positions.len() as u64, "positions");
        let rows = pool.install(|| count_all(positions, args.depth, |_| progress.advance(1)));
        progress.finish();
        let deepest = rows.iter().filter_map(|row| row.counts.last().copied());
        (table(&rows), total(deepest))
    };
    args.output.write(&table)?;
    let seconds = began.elapsed().as_secs_f64();
    let rate = nodes as f64 / seconds / 1e6;
    console.say(format!(
        "{nodes} nodes at depth {} in {seconds:.1} s ({rate:.0} million a second)",
        args.depth
    ));
    Ok(Answer::Yes)
}

fn total(counts: impl Iterator<Item = u64>) -> u128 {
    counts.map(u128::from).sum()
}

fn count_all(positions: Vec<Named>, depth: u32, done: impl Fn(&Counted) + Sync) -> Vec<Counted> {
    positions
        .into_par_iter()
        .with_max_len(1)
        .map(|named| {
            let counts = (1..=depth)
                .map(|depth| perft_in_parallel(&named.board, depth))
                .collect();
            let counted = Counted { named, counts };
            done(&counted);
            counted
        })
        .collect()
}

fn counted(command: &str, rows: &[Counted], depth: u32) -> Table {
    let mut columns = positions::naming_columns(|row: &Counted| &row.named);
    columns.extend((0..depth as usize).map(|index| {
        Column::new(format!("d{}", index + 1), move |row: &Counted| {
            row.counts[index].into()
        })
    }));
    Table::from_rows("ninesixty.perft/1", command, &columns, rows)
}

fn divided(command: &str, board: Board, branches: &[(Move, u64)]) -> Table {
    type Column = table::Column<(Move, u64)>;
    let columns = [
        Column::new("move", |(mv, _)| mv.to_string().into()),
        Column::new("san", move |&(mv, _)| board.san(mv).into()),
        Column::new("nodes", |&(_, nodes)| nodes.into()),
    ];
    Table::from_rows("ninesixty.divide/1", command, &columns, branches)
}
