//! `ninesixty merge`: one table from the ledgers of several machines or runs.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args as ClapArgs;
use ninesixty::job::{AnyMerged, Game, PerftJob, merge_ledgers};
use ninesixty::run::{Job, Merged};

use super::batch::list_names;
use super::console::Console;
use super::exit::{Answer, Failure, OrFail};
use super::output::OutputArgs;
use super::perft;
use super::stats;

/// Merge the ledgers of all shards into one table
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty perft 0-9 --depth 4 --shard 1/2 --ledger 1-of-2.jsonl
  ninesixty perft 0-9 --depth 4 --shard 2/2 --ledger 2-of-2.jsonl
  ninesixty merge 1-of-2.jsonl 2-of-2.jsonl
  ninesixty merge *-of-2.jsonl --format csv")]
pub struct Args {
    /// Ledgers with the same settings, in any order and with any overlap
    #[arg(value_name = "LEDGER", required = true)]
    ledgers: Vec<PathBuf>,
    #[command(flatten)]
    extra_tables: stats::ExtraTablesArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let ledgers = || args.ledgers.iter().map(PathBuf::as_path);
    args.output.refuse_overwrite(ledgers())?;
    let merged = merge_ledgers(&args.ledgers)?;
    if !matches!(merged, AnyMerged::Stats(_)) && args.extra_tables.is_wanted() {
        return Err(anyhow!(
            "only ledgers of `stats` hold opening trees and castling"
        ))
        .or_usage();
    }
    match merged {
        AnyMerged::Perft(merged) => write_perft(merged, args, console),
        AnyMerged::Zchess(merged) => write_perft(merged, args, console),
        AnyMerged::Search(merged) => {
            let Some((job, report)) = complete(merged, "positions", console) else {
                return Ok(Answer::No);
            };
            args.output.write(&job.table(&report))?;
            Ok(Answer::Yes)
        }
        AnyMerged::Stats(merged) => {
            args.extra_tables
                .refuse_overwrite(ledgers(), &args.output)?;
            let Some((job, report)) = complete(merged, "files", console) else {
                return Ok(Answer::No);
            };
            stats::write_merged(&job, report, &args.extra_tables, &args.output, console)
        }
    }
}

fn write_perft<G: Game>(
    merged: Merged<PerftJob<G>>,
    args: &Args,
    console: &Console,
) -> Result<Answer, Failure> {
    perft::preflight(&merged.job, &args.output)?;
    let Some((job, report)) = complete(merged, "positions", console) else {
        return Ok(Answer::No);
    };
    args.output.write(&job.table(&report))?;
    Ok(Answer::Yes)
}

/// The job and its report; if tasks are missing, prints their names and returns `None`.
fn complete<J: Job>(merged: Merged<J>, unit: &str, console: &Console) -> Option<(J, J::Report)> {
    for (path, torn) in &merged.torn {
        console.info(format!("{}: {torn}", path.display()));
    }
    if let Some(report) = merged.report {
        return Some((merged.job, report));
    }
    let (count, total) = (merged.missing.len(), merged.total);
    console.warn(format!(
        "{count} of {total} {unit} are missing: {}",
        list_names(&merged.missing)
    ));
    None
}
