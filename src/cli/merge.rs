//! `ninesixty merge`: the ledgers of many machines, or of many runs, as one table.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args as ClapArgs;
use ninesixty::run::{self, MergeError, Merged, Task};
use ninesixty::{chess, zchess};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::game::{Game, Rules};
use super::job;
use super::output::OutputArgs;
use super::perft;
use super::stats;

/// Make one table of the ledgers of all shards
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty merge data/shard-1-of-2.jsonl data/shard-2-of-2.jsonl
  ninesixty merge data/shard-*-of-2.jsonl --format csv")]
pub struct Args {
    /// Ledgers of one plan, in any order and with any overlap
    #[arg(value_name = "LEDGER", required = true)]
    ledgers: Vec<PathBuf>,
    #[command(flatten)]
    moves: stats::MovesArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.output.spare(&args.ledgers)?;
    let merged = run::merge(&args.ledgers).map_err(fail)?;
    let missing: Vec<&Task> = merged.missing().collect();
    if !missing.is_empty() {
        console.alarm(lament(&merged, &missing));
        return Ok(Answer::No);
    }
    if job::unit(merged.plan()) == "files" {
        args.moves.spare(&args.ledgers)?;
        return stats::merge(&merged, &args.moves, &args.output, console);
    }
    if args.moves.is_wanted() {
        return Err(anyhow!("only ledgers of `stats` hold openings")).or_usage();
    }
    match perft::rules_of_ledger(merged.plan())? {
        Rules::Chess960 => write::<chess::Board>(args, &merged),
        Rules::Zchess => write::<zchess::Board>(args, &merged),
    }
}

/// Writes the table.
fn write<G: Game>(args: &Args, merged: &Merged) -> Result<Answer, Failure> {
    let (kind, selected) = perft::plan_of_ledger::<G>(merged.plan())?;
    kind.rehearse::<G>(&selected, &args.output)?;
    let tasks = merged.plan().tasks();
    let positions = tasks.iter().map(|task| {
        G::from_name(task.name()).with_context(|| format!("task {:?} is no position", task.name()))
    });
    let positions = positions.collect::<Result<Vec<_>, _>>().or_input()?;
    let results = tasks.iter().filter_map(|task| merged.result(task).cloned());
    let rows = kind.rows(positions, &results.collect::<Vec<_>>())?;
    args.output.write(&kind.table(&selected, &rows))?;
    Ok(Answer::Yes)
}

/// Which positions nobody has counted.
fn lament(merged: &Merged, missing: &[&Task]) -> String {
    const NAMED: usize = 20;
    let names: Vec<&str> = missing.iter().take(NAMED).map(|task| task.name()).collect();
    let more = missing.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let (count, total) = (missing.len(), merged.plan().tasks().len());
    format!(
        "{count} of {total} {} are missing: {}{more}",
        job::unit(merged.plan()),
        names.join(", ")
    )
}

fn fail(error: MergeError) -> Failure {
    match error {
        MergeError::Ledger(_) | MergeError::Conflict { .. } => Failure::Input(error.into()),
        MergeError::NoLedger | MergeError::DifferentPlans { .. } => Failure::Usage(error.into()),
    }
}
