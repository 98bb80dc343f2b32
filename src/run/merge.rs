//! The ledgers of several machines, or of several runs, as one report.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use super::execute::{RunError, decode, identity_of, in_task};
use super::files::ResultFiles;
use super::job::Job;
use super::ledger::{self, LedgerError};
use super::record::{Contents, Fault, StoredOutput, Torn};

/// What ledgers with the same settings have together.
#[derive(Debug)]
pub struct Merged<J: Job> {
    /// The job whose tasks they hold: the last run of each ledger, all together.
    pub job: J,
    /// The report, if no task is missing.
    pub report: Option<J::Report>,
    /// The names of the tasks that no ledger holds.
    pub missing: Vec<String>,
    /// How many tasks there are.
    pub total: usize,
    /// Ledgers that end in a torn line, which was ignored.
    pub torn: Vec<(PathBuf, Torn)>,
}

/// Why ledgers cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError<E: Error + 'static> {
    /// There is nothing to merge.
    #[error("there is nothing to merge")]
    NoLedger,
    /// A ledger cannot be used, or has other settings than the first.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Two ledgers have different results for one task.
    #[error("task {task:?} has one result in {} and another in {}", first.display(), second.display())]
    Conflict {
        /// The name of the task.
        task: String,
        /// The ledger that came first.
        first: PathBuf,
        /// The ledger that differs from it.
        second: PathBuf,
    },
    /// An output does not fit its task.
    #[error(transparent)]
    Run(RunError<E>),
}

/// Merges ledgers of one job, in any order and with any overlap. They are only read, and may still be written to.
pub fn merge<J: Job>(paths: &[PathBuf]) -> Result<Merged<J>, MergeError<J::Error>> {
    let mut job: Option<J> = None;
    let mut outputs: HashMap<String, (StoredOutput, &Path)> = HashMap::new();
    let mut torn = Vec::new();
    for path in paths {
        let contents = ledger::read(path)?;
        let found = job_of::<J>(path, &contents)?;
        if let Some(job) = &job {
            ledger::same_identity(path, &identity_of(job), &contents.identity)?;
        }
        job = Some(match job {
            None => found,
            Some(job) => job.union(&found),
        });
        torn.extend(contents.torn.map(|torn| (path.clone(), torn)));
        take(&mut outputs, path, contents.outputs)?;
    }
    let job = job.ok_or(MergeError::NoLedger)?;
    let plan = job.plan();
    let is_missing = |id: &str| !outputs.contains_key(id);
    let missing = plan.tasks().iter().filter(|task| is_missing(task.id()));
    let missing: Vec<String> = missing.map(|task| task.name().to_owned()).collect();
    let mut report = None;
    if missing.is_empty() {
        let mut sum = J::Sum::default();
        for task in plan.tasks() {
            let (stored, path) = &outputs[task.id()];
            let output = decode::<J>(path, task, stored)?;
            let files = ResultFiles::of_ledger(path);
            let absorbed = job.absorb(&mut sum, task, output, Some(&files));
            absorbed.map_err(|source| MergeError::Run(in_task(task, source)))?;
        }
        report = Some(job.finish(&plan, sum));
    }
    Ok(Merged {
        report,
        missing,
        total: plan.tasks().len(),
        torn,
        job,
    })
}

/// The job of the last run that wrote to a ledger.
fn job_of<J: Job>(path: &Path, contents: &Contents) -> Result<J, LedgerError> {
    let run = contents.last_run.as_ref();
    let job = run.and_then(|run| serde_json::from_str(run.job.get()).ok());
    job.ok_or_else(|| LedgerError::Fault {
        path: path.to_owned(),
        source: Fault::NoJob,
    })
}

fn take<'p, E: Error>(
    outputs: &mut HashMap<String, (StoredOutput, &'p Path)>,
    path: &'p Path,
    found: HashMap<String, StoredOutput>,
) -> Result<(), MergeError<E>> {
    for (id, stored) in found {
        match outputs.get(&id) {
            Some((known, first)) if known.output.get() != stored.output.get() => {
                return Err(MergeError::Conflict {
                    task: stored.name,
                    first: first.to_path_buf(),
                    second: path.to_owned(),
                });
            }
            Some(_) => {}
            None => {
                outputs.insert(id, (stored, path));
            }
        }
    }
    Ok(())
}
