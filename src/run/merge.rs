//! The ledgers of many machines as one result.
//!
//! In walk ledgers of one plan, in any order and with any overlap; out walk the results in the order of the plan, and
//! which tasks nobody has done. Ledgers are only read, and may still be written to.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::ledger::{self, LedgerError};
use super::lines::{Contents, Torn};
use super::plan::{Plan, Task};

/// All results that a set of ledgers has.
#[derive(Debug)]
pub struct Merged {
    plan: Plan,
    /// By the index of the task, with the ledger that had it first.
    results: Vec<Option<(Value, PathBuf)>>,
    torn: Vec<(PathBuf, Torn)>,
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("there is nothing to merge")]
    NoLedger,
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(
        "{} (there) and {} (here) are ledgers of different plans: {differences}",
        there.display(),
        here.display()
    )]
    DifferentPlans {
        here: PathBuf,
        there: PathBuf,
        differences: String,
    },
    #[error("{task:?} has one result in {} and another in {}", first.display(), second.display())]
    Conflict {
        task: String,
        first: PathBuf,
        second: PathBuf,
    },
}

/// Puts together what ledgers of one plan have.
pub fn merge<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Merged, MergeError> {
    let mut paths = paths.into_iter();
    let first = paths.next().ok_or(MergeError::NoLedger)?;
    let contents = ledger::read(first.as_ref())?;
    let mut merged = Merged {
        plan: contents.plan.clone(),
        results: vec![None; contents.results.len()],
        torn: Vec::new(),
    };
    merged.take(first.as_ref(), contents)?;
    for path in paths {
        let contents = ledger::read(path.as_ref())?;
        if contents.plan.hash() != merged.plan.hash() {
            return Err(MergeError::DifferentPlans {
                here: first.as_ref().to_owned(),
                there: path.as_ref().to_owned(),
                differences: merged.plan.differences(&contents.plan),
            });
        }
        merged.take(path.as_ref(), contents)?;
    }
    Ok(merged)
}

impl Merged {
    /// The plan of the ledgers. They do not tell what its tasks cost: all cost 0.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The result of a task of the plan, if any ledger has it.
    pub fn result(&self, task: &Task) -> Option<&Value> {
        let found = self.results[task.index()].as_ref();
        found.map(|(result, _)| result)
    }

    /// The tasks that no ledger has a result of, in the order of the plan.
    pub fn missing(&self) -> impl Iterator<Item = &Task> {
        let tasks = self.plan.tasks().iter();
        tasks.filter(|task| self.result(task).is_none())
    }

    /// The ledgers that end in a torn line, which was left out.
    pub fn torn(&self) -> &[(PathBuf, Torn)] {
        &self.torn
    }

    fn take(&mut self, path: &Path, contents: Contents) -> Result<(), MergeError> {
        self.torn
            .extend(contents.torn.map(|torn| (path.to_owned(), torn)));
        for (task, result) in self.plan.tasks().iter().zip(contents.results) {
            let Some(result) = result else { continue };
            match &self.results[task.index()] {
                None => self.results[task.index()] = Some((result, path.to_owned())),
                Some((known, _)) if *known == result => {}
                Some((_, first)) => {
                    return Err(MergeError::Conflict {
                        task: task.name().to_owned(),
                        first: first.clone(),
                        second: path.to_owned(),
                    });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;
    use tempfile::tempdir;

    use super::super::lines::tests::{plan, result, results};
    use super::super::{Ledger, Shard};
    use super::*;

    fn write<'t>(path: &Path, plan: &Plan, tasks: impl IntoIterator<Item = &'t Task>) {
        let mut ledger = Ledger::open(path, plan).unwrap();
        for task in tasks {
            ledger.append(task, result(task)).unwrap();
        }
        ledger.finish().unwrap();
    }

    #[test]
    fn the_ledgers_of_all_shards_are_the_whole_result_in_any_order() {
        let plan = plan();
        for count in 1..=12 {
            let directory = tempdir().unwrap();
            let path = |i: usize| directory.path().join(i.to_string());
            for i in 1..=count {
                write(&path(i), &plan, plan.shard(Shard::new(i, count).unwrap()));
            }
            for paths in [
                (1..=count).map(path).collect::<Vec<_>>(),
                (1..=count).rev().chain([1]).map(path).collect(),
            ] {
                let merged = merge(paths).unwrap();
                assert_eq!(merged.plan().hash(), plan.hash());
                assert_eq!(merged.missing().count(), 0);
                let tasks = merged.plan().tasks().iter();
                let found: Vec<_> = tasks.map(|task| merged.result(task).cloned()).collect();
                assert_eq!(found, results(&plan));
            }
        }
    }

    #[test]
    fn missing_tasks_are_named_in_the_order_of_the_plan() {
        let directory = tempdir().unwrap();
        let (path, plan) = (directory.path().join("a"), plan());
        write(&path, &plan, plan.tasks().iter().take(8).skip(1));
        let merged = merge([&path]).unwrap();
        let missing: Vec<_> = merged.missing().map(Task::name).collect();
        assert_eq!(missing, ["0", "ä", "\"sum\":\""]);
    }

    #[test]
    fn a_torn_ledger_is_merged_without_its_torn_line_and_left_as_it_is() {
        let directory = tempdir().unwrap();
        let (path, plan) = (directory.path().join("a"), plan());
        write(&path, &plan, plan.tasks());
        let mut bytes = fs::read(&path).unwrap();
        bytes.pop();
        fs::write(&path, &bytes).unwrap();
        let merged = merge([&path]).unwrap();
        assert_eq!(merged.missing().count(), 1);
        assert_eq!(merged.torn().len(), 1);
        assert_eq!(merged.torn()[0].0, path);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn ledgers_of_different_plans_are_refused_with_the_difference() {
        let directory = tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| directory.path().join(name));
        let plan = plan();
        let names = plan.tasks().iter().map(|task| (task.name(), 1));
        let deeper = Plan::new([("verb", "test"), ("depth", "7")], names).unwrap();
        write(&a, &plan, plan.tasks());
        write(&b, &deeper, []);
        assert_eq!(
            merge([&a, &b]).unwrap_err().to_string(),
            format!(
                "{} (there) and {} (here) are ledgers of different plans: \
                 depth is \"7\" there and \"6\" here",
                b.display(),
                a.display()
            )
        );
    }

    #[test]
    fn conflicting_results_are_an_error_that_names_the_task_and_both_ledgers() {
        let directory = tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| directory.path().join(name));
        let plan = plan();
        write(&a, &plan, []);
        write(&b, &plan, plan.tasks());
        let mut ledger = Ledger::open(&c, &plan).unwrap();
        let task = plan.task("518").unwrap();
        ledger.append(task, json!(197_282)).unwrap();
        assert_eq!(
            merge([&a, &b, &c]).unwrap_err().to_string(),
            format!(
                "\"518\" has one result in {} and another in {}",
                b.display(),
                c.display()
            )
        );
    }

    #[test]
    fn a_file_that_is_not_there_or_not_a_ledger_is_named() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("a");
        assert_eq!(
            merge([&path]).unwrap_err().to_string(),
            format!("cannot read the ledger {}", path.display())
        );
        fs::write(&path, "").unwrap();
        assert_eq!(
            merge([&path]).unwrap_err().to_string(),
            format!("the ledger {} is unfit for use", path.display())
        );
        let none: [&Path; 0] = [];
        assert!(matches!(merge(none), Err(MergeError::NoLedger)));
    }
}
