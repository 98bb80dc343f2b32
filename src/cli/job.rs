//! A plan carried out: with a ledger or without, whole or a shard of it, with progress on the screen.

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::anyhow;
use ninesixty::run::{End, Ledger, LedgerError, Plan, Shard, Signal, Stop, Task, run_tasks};
use serde_json::Value;

use super::console::Console;
use super::exit::Failure;

/// What to do, and where to keep what is done.
pub struct Job<'a> {
    pub plan: &'a Plan,
    pub ledger: Option<&'a Path>,
    pub shard: Option<Shard>,
    pub stop: &'a Stop,
    pub console: &'a Console,
}

/// A job whose ledger is open, and the tasks that are left to do, longest first.
pub struct Begun<'a> {
    job: &'a Job<'a>,
    ledger: Option<Ledger<'a>>,
    pub todo: Vec<&'a Task>,
}

impl Begun<'_> {
    /// The results of all tasks of the plan; `None` if a shard is done and others are not.
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
                if let Some(ledger) = &mut ledger {
                    ledger.append(task, result.clone()).map_err(fail)?;
                }
                results[task.index()] = Some(result);
                progress.advance(task.cost());
                Ok(())
            },
        )?;
        progress.finish();
        if let Some(ledger) = ledger {
            results = ledger.finish().map_err(fail)?;
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
        let finished = results.iter().flatten().count();
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
