//! `ninesixty merge`: the ledgers of many machines, or of many runs, as one table.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args as ClapArgs;
use ninesixty::run::{self, MergeError, Merged, Plan, Task};
use ninesixty::{chess, zchess};

use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::game::{Game, Rules};
use super::job::{self, Tabled, setting, some_of};
use super::output::OutputArgs;
use super::perft;
use super::search;
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
    beside: stats::BesideArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    args.output.spare(&args.ledgers)?;
    let merged = run::merge(&args.ledgers).map_err(fail)?;
    let plan = merged.plan();
    let verb = setting(plan, "verb").or_input()?;
    if verb != "stats" && args.beside.is_wanted() {
        return Err(anyhow!(
            "only ledgers of `stats` hold openings and castling"
        ))
        .or_usage();
    }
    let missing: Vec<&str> = merged.missing().map(Task::name).collect();
    if !missing.is_empty() {
        console.alarm(lament(plan, &missing));
        return Ok(Answer::No);
    }
    match verb {
        "stats" => {
            args.beside.spare(&args.ledgers, &args.output)?;
            stats::merge(&merged, &args.beside, &args.output, console)
        }
        "search" => write::<chess::Board, _>(args, &merged, search::plan_of_ledger(plan)),
        "perft" => match perft::rules_of_ledger(plan).or_input()? {
            Rules::Chess960 => {
                let kind = perft::plan_of_ledger::<chess::Board>(plan);
                write::<chess::Board, _>(args, &merged, kind)
            }
            Rules::Zchess => {
                let kind = perft::plan_of_ledger::<zchess::Board>(plan);
                write::<zchess::Board, _>(args, &merged, kind)
            }
        },
        verb => Err(anyhow!(
            "these are ledgers of `{verb}`, which this version cannot merge"
        ))
        .or_input(),
    }
}

/// Writes the table of what was found about the selected positions.
fn write<G: Game, T: Tabled<G>>(
    args: &Args,
    merged: &Merged,
    kind_and_selected: anyhow::Result<(T, &str)>,
) -> Result<Answer, Failure> {
    let (kind, selected) = kind_and_selected.or_input()?;
    kind.rehearse(selected, &args.output)?;
    let tasks = merged.plan().tasks();
    let positions = tasks.iter().map(|task| {
        G::from_name(task.name()).with_context(|| format!("task {:?} is no position", task.name()))
    });
    let positions = positions.collect::<Result<Vec<_>, _>>().or_input()?;
    let results = tasks.iter().filter_map(|task| merged.result(task).cloned());
    let table = kind.tabulate(selected, positions, &results.collect::<Vec<_>>())?;
    args.output.write(&table)?;
    Ok(Answer::Yes)
}

/// Which tasks nobody has done.
fn lament(plan: &Plan, missing: &[&str]) -> String {
    let (count, total) = (missing.len(), plan.tasks().len());
    format!(
        "{count} of {total} {} are missing: {}",
        job::unit(plan),
        some_of(missing)
    )
}

fn fail(error: MergeError) -> Failure {
    match error {
        MergeError::Ledger(_) | MergeError::Conflict { .. } => Failure::Input(error.into()),
        MergeError::NoLedger | MergeError::DifferentPlans { .. } => Failure::Usage(error.into()),
    }
}
