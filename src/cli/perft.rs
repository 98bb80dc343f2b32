//! `ninesixty perft`: the number of move sequences of each length, for all 960 starts or any position.

use std::time::Instant;

use anyhow::anyhow;
use clap::Args as ClapArgs;
use ninesixty::chess::{Board, Move};
use ninesixty::perft::{divide, perft_in_parallel};
use ninesixty::table::{self, Column, Table};
use rayon::prelude::*;

use super::console::{Console, ThreadsArgs};
use super::exit::{Answer, Failure, OrFail};
use super::output::OutputArgs;
use super::positions::{self, Named, PositionArgs};

/// Count the move sequences of each length (perft), of all 960 starts or any position
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty perft --depth 4 --format csv
  ninesixty perft 518 --depth 5 --divide")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// Count sequences of up to this many plies
    #[arg(short, long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=20))]
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
        "counting on {threads} threads, {}",
        ninesixty::perft::leaves::Path::fastest()
    ));
    let began = Instant::now();
    let (table, nodes) = if args.divide {
        let [Named { board, .. }] = &positions[..] else {
            let count = positions.len();
            return Err(anyhow!("--divide shows one position, not {count}")).or_usage();
        };
        pool.install(|| divided(&format!("{command} --divide"), board, args.depth))
    } else {
        let progress = console.progress(positions.len() as u64, "positions");
        let counted = pool.install(|| count_all(positions, args.depth, |_| progress.advance(1)));
        progress.finish();
        let nodes = counted
            .iter()
            .map(|row| u128::from(row.counts[args.depth as usize - 1]))
            .sum();
        (counted_table(&command, &counted, args.depth), nodes)
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

fn counted_table(command: &str, counted: &[Counted], depth: u32) -> Table {
    let mut columns = positions::naming_columns(|row: &Counted| &row.named);
    columns.extend((0..depth as usize).map(|index| {
        Column::new(format!("d{}", index + 1), move |row: &Counted| {
            row.counts[index].into()
        })
    }));
    Table::from_rows("ninesixty.perft/1", command, &columns, counted)
}

fn divided(command: &str, board: &Board, depth: u32) -> (Table, u128) {
    let position = *board;
    type Column = table::Column<(Move, u64)>;
    let columns = [
        Column::new("move", |(mv, _)| mv.to_string().into()),
        Column::new("san", move |&(mv, _)| position.san(mv).into()),
        Column::new("nodes", |&(_, nodes)| nodes.into()),
    ];
    let branches = divide(board, depth);
    let nodes = branches.iter().map(|&(_, nodes)| u128::from(nodes)).sum();
    (
        Table::from_rows("ninesixty.divide/1", command, &columns, &branches),
        nodes,
    )
}
