//! A plan carried out: with a ledger or without, whole or a shard of it, with progress on the screen.

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, anyhow};
use ninesixty::run::{End, Ledger, LedgerError, Plan, Shard, Signal, Stop, Task, run_tasks};
use ninesixty::table::Table;
use serde_json::Value;

use super::console::Console;
use super::exit::Failure;
use super::output::OutputArgs;
use super::positions::Named;

/// What to do, and where to keep what is done.
pub struct Job<'a> {
    pub plan: &'a Plan,
    pub ledger: Option<&'a Path>,
    pub shard: Option<Shard>,
    pub stop: &'a Stop,
    pub console: &'a Console,
}

/// What a verb computes for each position, and the table of it, which ledgers can be made into.
pub trait Tabled<G> {
    /// Fails where the table could not be written as it is asked for.
    fn rehearse(&self, selected: &str, output: &OutputArgs) -> Result<(), Failure>;

    /// The table of all positions, from the results of their tasks.
    fn tabulate(
        &self,
        selected: &str,
        positions: Vec<Named<G>>,
        results: &[Value],
    ) -> Result<Table, Failure>;
}

/// What a ledger's plan says about one of its settings.
pub fn setting<'p>(plan: &'p Plan, name: &str) -> anyhow::Result<&'p str> {
    let value = plan.description().get(name).map(String::as_str);
    value.with_context(|| format!("the ledger's plan does not say its {name}"))
}

/// A job whose ledger is open, and the tasks that are left to do, longest first.
pub struct Begun<'a> {
    job: &'a Job<'a>,
    ledger: Option<Ledger<'a>>,
    pub todo: Vec<&'a Task>,
}

impl Begun<'_> {
    /// The results of all tasks of the plan; `None` if a shard is done and others are not.
    ///
    /// A result that is null says that the task has failed for now: it is handed over, but not kept.
    pub fn run<W>(
        self,
        workers: usize,
        make_worker: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, &Task, &Stop) -> Result<Option<Value>, Failure> + Sync,
    ) -> Result<Option<Vec<Value>>, Failure> {
        let Begun {
            job,
            mut ledger,
            todo,
        } = self;
        let mut results = vec![None; job.plan.tasks().len()];
        let cost = todo.iter().map(|task| task.cost()).sum();
        let progress = match job.unit() {
            POSITIONS => job.console.progress(todo.len() as u64, cost, POSITIONS),
            // Whoever reads files shows how many bytes of them.
            _ => job.console.no_progress(),
        };
        let workers = NonZeroUsize::new(workers).expect("somebody has to work");
        let end = run_tasks(
            &todo,
            workers,
            job.stop,
            |_| Ok(make_worker()),
            work,
            |task, result| {
                if let Some(ledger) = ledger.as_mut().filter(|_| !result.is_null()) {
                    ledger.append(task, result.clone()).map_err(fail)?;
                }
                results[task.index()] = Some(result);
                progress.advance(task.cost());
                Ok(())
            },
        )?;
        progress.finish();
        if let Some(ledger) = ledger {
            let kept = ledger.finish().map_err(fail)?;
            let pairs = kept.into_iter().zip(results);
            results = pairs.map(|(kept, result)| kept.or(result)).collect();
        }
        match end {
            End::Finished => Ok(job.all_of(results)),
            End::Stopped(signal) => Err(job.stopped(signal, &results)),
        }
    }
}

impl Job<'_> {
    /// Opens the ledger, if there is one, and sees what is left to do.
    pub fn begin(&self) -> Result<Begun<'_>, Failure> {
        let ledger = self.ledger.map(|path| self.open(path)).transpose()?;
        let todo = match &ledger {
            Some(ledger) => ledger.unfinished(self.tasks()),
            None => self.tasks(),
        };
        Ok(Begun {
            job: self,
            ledger,
            todo,
        })
    }

    /// The tasks of the plan, or of the shard, longest first.
    fn tasks(&self) -> Vec<&Task> {
        match self.shard {
            Some(shard) => self.plan.shard(shard),
            None => self.plan.longest_first(),
        }
    }

    fn unit(&self) -> &'static str {
        unit(self.plan)
    }

    fn open(&self, path: &Path) -> Result<Ledger<'_>, Failure> {
        let ledger = Ledger::open(path, self.plan).map_err(fail)?;
        let name = path.display();
        if ledger.torn().is_some() {
            self.console.say(format!(
                "{name}: the last line was torn and is counted again"
            ));
        }
        let tasks = self.plan.tasks();
        let finished = tasks.len() - ledger.unfinished(tasks).len();
        if finished > 0 {
            let total = tasks.len();
            self.console.say(format!(
                "{name}: {finished} of {total} {} are there already",
                self.unit()
            ));
        }
        Ok(ledger)
    }

    fn all_of(&self, results: Vec<Option<Value>>) -> Option<Vec<Value>> {
        let total = results.len();
        let finished: Vec<Value> = results.into_iter().flatten().collect();
        if finished.len() < total {
            let count = finished.len();
            self.console.say(format!(
                "the shard is done; the ledger holds {count} of {total} {}, and `merge` makes the table of all ledgers",
                self.unit()
            ));
            return None;
        }
        Some(finished)
    }

    fn stopped(&self, signal: Signal, results: &[Option<Value>]) -> Failure {
        let finished = results.iter().flatten().filter(|result| !result.is_null());
        let finished = finished.count();
        let total = results.len();
        let message = match self.ledger {
            Some(path) => anyhow!(
                "stopped by {signal}; {} holds {finished} of {total} {}, and the same command goes on from there",
                path.display(),
                self.unit()
            ),
            None => anyhow!("stopped by {signal}; with --ledger FILE the same command could go on"),
        };
        Failure::Stopped(signal, message)
    }
}

const POSITIONS: &str = "positions";

/// What the tasks of a plan are.
pub fn unit(plan: &Plan) -> &'static str {
    match plan.description().get("verb").map(String::as_str) {
        Some("stats") => "files",
        _ => POSITIONS,
    }
}

/// The first of some names, and how many more there are.
pub fn some_of(names: &[&str]) -> String {
    const NAMED: usize = 20;
    let shown = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What kind of failure it is that a ledger cannot be used.
fn fail(error: LedgerError) -> Failure {
    match error {
        LedgerError::File { .. } | LedgerError::InUse { .. } | LedgerError::Broken { .. } => {
            Failure::Unfinished(error.into())
        }
        LedgerError::NotAFile { .. } | LedgerError::OtherPlan { .. } => {
            Failure::Usage(error.into())
        }
        LedgerError::Fault { .. } | LedgerError::Conflict { .. } => Failure::Input(error.into()),
    }
}
