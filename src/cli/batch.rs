//! Runs a batch job with the flags, messages, progress and signals of the command line.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::anyhow;
use clap::Args;
use ninesixty::run::{Complete, Event, Job, Memory, Outcome, RunOptions, Shard, execute};

use super::console::Console;
use super::exit::{Failure, JobError, OrFail};
use super::output::refuse_same_file;
use super::progress::Progress;
use super::signals::Signals;
use super::threads::ThreadsArgs;

/// What to say when a run without a ledger is stopped.
const WITHOUT_LEDGER: &str = "with --ledger FILE the same command could continue";

/// How a batch job is run.
#[derive(Args)]
pub struct RunArgs {
    /// Store finished positions or files in this file; the same command continues from it after an interruption
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Run only shard I of N of the work, to be put together by `merge`; `auto` takes I and N from a Slurm or Kubernetes array job
    #[arg(long, value_name = "I/N", requires = "ledger")]
    shard: Option<Shard>,
    #[command(flatten)]
    threads: ThreadsArgs,
}

impl RunArgs {
    pub fn options(&self, memory: Memory) -> RunOptions {
        RunOptions {
            ledger: self.ledger.clone(),
            shard: self.shard,
            threads: self.threads.requested(),
            memory,
        }
    }

    pub fn ledger(&self) -> Option<&Path> {
        self.ledger.as_deref()
    }

    /// Fails if the ledger is one of the files that are read.
    pub fn refuse_overwrite<'p>(
        &self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Failure> {
        self.ledger()
            .map_or(Ok(()), |ledger| refuse_same_file("ledger", ledger, inputs))
    }

    pub fn threads(&self) -> &ThreadsArgs {
        &self.threads
    }
}

/// Runs a job with a progress bar over its tasks. `None` if only a shard is complete.
pub fn run_tasks<J: Job<Error: JobError>>(
    job: &J,
    options: &RunOptions,
    unit: &'static str,
    console: &Console,
    signals: &Signals,
    observe_more: &(dyn Fn(&Event) + Sync),
) -> Result<Option<Complete<J::Report>>, Failure> {
    let progress: Mutex<Option<Progress>> = Mutex::default();
    let progress = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let observe = |event: &Event| {
        observe_more(event);
        match event {
            Event::Started { tasks, .. } => {
                let cost = tasks.iter().map(|task| task.cost()).sum();
                *progress() = Some(console.progress(tasks.len() as u64, cost, unit));
            }
            Event::Finished(task) => {
                if let Some(progress) = &*progress() {
                    progress.advance(task.cost());
                }
            }
            _ => {}
        }
    };
    let outcome = run(job, options, unit, console, signals, &observe);
    if let Some(progress) = progress().take() {
        progress.finish();
    }
    outcome
}

/// Runs a job; `observe` shows the progress.
pub fn run<J: Job<Error: JobError>>(
    job: &J,
    options: &RunOptions,
    unit: &'static str,
    console: &Console,
    signals: &Signals,
    observe: &(dyn Fn(&Event) + Sync),
) -> Result<Option<Complete<J::Report>>, Failure> {
    let observer = |event: Event| {
        observe(&event);
        describe(&event, unit, console);
    };
    signals.advise(match &options.ledger {
        Some(path) => format!(
            "{} holds what was finished: run the same command again to continue",
            path.display()
        ),
        None => WITHOUT_LEDGER.to_owned(),
    });
    match execute(job, options, signals.cancel(), &observer)? {
        Outcome::Complete(complete) => Ok(Some(complete)),
        Outcome::ShardComplete {
            finished,
            total,
            failed,
        } => {
            console.info(format!(
                "shard complete: the ledger holds {finished} of {total} {unit}; \
                 `ninesixty merge` makes the table of all shards"
            ));
            refuse_failed(&failed, total)?;
            Ok(None)
        }
        Outcome::Cancelled { finished, total } => {
            Err(stopped(options, signals, finished, total, unit))
        }
    }
}

fn describe(event: &Event, unit: &str, console: &Console) {
    match event {
        Event::LedgerRepaired { ledger, .. } => console.info(format!(
            "{}: the last line was incomplete; its task is computed again",
            ledger.display()
        )),
        Event::FilesMissing { ledger, tasks } => console.warn(format!(
            "{}: result files are missing; computed again: {}",
            ledger.display(),
            list_names(tasks)
        )),
        Event::Resumed {
            ledger,
            finished,
            total,
        } => console.info(format!(
            "{}: {finished} of {total} {unit} are already finished",
            ledger.display()
        )),
        Event::Failed { task, error } => {
            console.warn(format!("{}: {}", task.name(), with_sources(*error)));
        }
        _ => {}
    }
}

/// An error and its sources in one line.
fn with_sources(error: &(dyn std::error::Error + 'static)) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = sources.map(ToString::to_string).collect();
    texts.join(": ")
}

fn stopped(
    options: &RunOptions,
    signals: &Signals,
    finished: usize,
    total: usize,
    unit: &str,
) -> Failure {
    let Some(signal) = signals.requested() else {
        return Failure::Unfinished(anyhow!("the run was cancelled"));
    };
    let message = match &options.ledger {
        Some(path) => anyhow!(
            "stopped by {signal}; {} holds {finished} of {total} {unit}: run the same command again to continue",
            path.display()
        ),
        None => anyhow!("stopped by {signal}; {WITHOUT_LEDGER}"),
    };
    Failure::Stopped(signal, message)
}

/// Fails if some tasks have no result.
pub fn refuse_failed(failed: &[String], total: usize) -> Result<(), Failure> {
    if failed.is_empty() {
        return Ok(());
    }
    Err(anyhow!(
        "the engine failed on {} of {total} positions: {}; with --ledger FILE the same command tries them again",
        failed.len(),
        list_names(failed)
    ))
    .or_unfinished()
}

/// The first names, and the number of the others.
pub fn list_names(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
