//! Results that are safe from the moment they are there.
//!
//! In walk a plan and, one by one, the results of its tasks; out walks a file that a later run of the same plan opens
//! to go on where this one ended, however it ended. A result is one line, written in one call, so that a process
//! that is killed loses no line it has written, and reaches the disk within about a second, so that a machine that
//! loses its power loses little.
//!
//! One process at a time may write a ledger; the lock goes with the process.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::lines::{self, Contents, Fault, Torn};
use super::plan::{Plan, Task};
use crate::table::directory_of;

/// The results of a plan so far, in memory and in a file.
#[derive(Debug)]
pub struct Ledger<'p> {
    path: PathBuf,
    plan: &'p Plan,
    file: File,
    /// By the index of the task.
    results: Vec<Option<Value>>,
    torn: Option<Torn>,
    synced: Instant,
    /// Whether the file ends in a whole line.
    is_whole: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("cannot {operation} the ledger {}", path.display())]
    File {
        operation: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("{} is not a file, and a ledger has to be one", path.display())]
    NotAFile { path: PathBuf },
    #[error("the ledger {} is in use by another process", path.display())]
    InUse { path: PathBuf },
    #[error("the ledger {} is unfit for use", path.display())]
    Fault { path: PathBuf, source: Fault },
    #[error("the ledger {} is of another plan: {differences}", path.display())]
    OtherPlan { path: PathBuf, differences: String },
    #[error("{task:?} has another result than the ledger {} says", path.display())]
    Conflict { path: PathBuf, task: String },
    #[error("the ledger {} takes no more results, because writing one has failed", path.display())]
    Broken { path: PathBuf },
}

impl<'p> Ledger<'p> {
    /// Begins a ledger, or opens the one that an earlier run of the same plan has left there.
    ///
    /// A last line that is torn is cut off, see [`torn`](Ledger::torn). Whatever else is wrong is an error, and the
    /// file stays as it is.
    pub fn open(path: &Path, plan: &'p Plan) -> Result<Ledger<'p>, LedgerError> {
        let failed = |operation| failed(operation, path);
        // Opening a pipe could wait forever for somebody at its other end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let path = path.to_owned();
            return Err(LedgerError::NotAFile { path });
        }
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed("open"))?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed("read"))?;

        let header = lines::header(plan);
        let mut ledger = Ledger {
            path: path.to_owned(),
            plan,
            file,
            results: vec![None; plan.tasks().len()],
            torn: None,
            synced: Instant::now(),
            is_whole: true,
        };
        // Nothing, or a header of ours that was torn: nobody's results are lost.
        if bytes.len() < header.len() && header.as_bytes().starts_with(&bytes) {
            ledger.begin(&header).map_err(failed("begin"))?;
        } else {
            let contents = parse(path, &bytes)?;
            same_plan(path, plan, &contents.plan)?;
            ledger.go_on(contents).map_err(failed("repair"))?;
        }
        Ok(ledger)
    }

    /// The line that was torn when the ledger was opened, and has been cut off.
    pub fn torn(&self) -> Option<Torn> {
        self.torn
    }

    /// The result of a task of the plan, if it is there.
    pub fn result(&self, task: &Task) -> Option<&Value> {
        self.results[task.index()].as_ref()
    }

    /// Those of the tasks that have no result.
    pub fn unfinished<'t>(&self, tasks: impl IntoIterator<Item = &'t Task>) -> Vec<&'t Task> {
        let tasks = tasks.into_iter();
        tasks.filter(|task| self.result(task).is_none()).collect()
    }

    /// Writes down the result of a task of the plan. If that fails, the ledger takes no more of them: the file may
    /// end in half a line.
    pub fn append(&mut self, task: &Task, result: Value) -> Result<(), LedgerError> {
        if let Some(known) = self.result(task) {
            return if *known == result {
                Ok(())
            } else {
                let (path, task) = (self.path.clone(), task.name().to_owned());
                Err(LedgerError::Conflict { path, task })
            };
        }
        if !self.is_whole {
            let path = self.path.clone();
            return Err(LedgerError::Broken { path });
        }
        let line = lines::record(self.plan, task, &result);
        self.write(&line).map_err(failed("write", &self.path))?;
        self.results[task.index()] = Some(result);
        Ok(())
    }

    /// Waits until everything is on the disk, and hands over the results in the order of the plan.
    pub fn finish(mut self) -> Result<Vec<Option<Value>>, LedgerError> {
        let synced = self.file.sync_data();
        synced.map_err(failed("sync", &self.path))?;
        Ok(mem::take(&mut self.results))
    }

    fn begin(&mut self, header: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(header.as_bytes())?;
        self.file.sync_all()?;
        // The name of a new file is on the disk only when its directory is.
        File::open(directory_of(&self.path))?.sync_all()
    }

    fn go_on(&mut self, contents: Contents) -> io::Result<()> {
        if contents.torn.is_some() {
            self.file.set_len(contents.whole_bytes as u64)?;
            self.file.sync_all()?;
        }
        self.results = contents.results;
        self.torn = contents.torn;
        Ok(())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        const SYNC_INTERVAL: Duration = Duration::from_secs(1);
        self.is_whole = false;
        self.file.write_all(line.as_bytes())?;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        self.is_whole = true;
        Ok(())
    }
}

/// Closing the file gives the lock back as well, but not while a child process that another thread is just starting
/// has it open too.
impl Drop for Ledger<'_> {
    fn drop(&mut self) {
        // Without its lock given back, the ledger is at worst refused for another moment.
        let _ = self.file.unlock();
    }
}

/// Reads a ledger that somebody else may be writing.
pub(super) fn read(path: &Path) -> Result<Contents, LedgerError> {
    let bytes = fs::read(path).map_err(failed("read", path))?;
    parse(path, &bytes)
}

fn lock(file: &File, path: &Path) -> Result<(), LedgerError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let path = path.to_owned();
            Err(LedgerError::InUse { path })
        }
        Err(TryLockError::Error(error)) => Err(failed("lock", path)(error)),
    }
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Contents, LedgerError> {
    lines::read(bytes).map_err(|source| LedgerError::Fault {
        path: path.to_owned(),
        source,
    })
}

fn same_plan(path: &Path, ours: &Plan, found: &Plan) -> Result<(), LedgerError> {
    if ours.hash() == found.hash() {
        return Ok(());
    }
    Err(LedgerError::OtherPlan {
        path: path.to_owned(),
        differences: ours.differences(found),
    })
}

fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LedgerError {
    move |source| LedgerError::File {
        operation,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use serde_json::json;
    use tempfile::{TempDir, tempdir};

    use super::super::lines::tests::{plan, result, results};
    use super::*;

    fn place() -> (TempDir, PathBuf) {
        let directory = tempdir().unwrap();
        let path = directory.path().join("run.ledger");
        (directory, path)
    }

    /// Writes a ledger with all results, and gives its bytes.
    fn write_whole(path: &Path, plan: &Plan) -> Vec<u8> {
        let mut ledger = Ledger::open(path, plan).unwrap();
        for task in plan.tasks() {
            ledger.append(task, result(task)).unwrap();
        }
        ledger.finish().unwrap();
        fs::read(path).unwrap()
    }

    #[test]
    fn a_result_is_in_the_file_as_soon_as_it_is_appended() {
        let (_directory, path) = place();
        let plan = plan();
        let mut ledger = Ledger::open(&path, &plan).unwrap();
        for (done, task) in plan.tasks().iter().enumerate() {
            ledger.append(task, result(task)).unwrap();
            let found = read(&path).unwrap().results;
            assert_eq!(found.iter().flatten().count(), done + 1);
            assert_eq!(found[done], Some(result(task)));
        }
    }

    #[test]
    fn a_ledger_cut_anywhere_goes_on_to_the_same_bytes() {
        let (_directory, path) = place();
        let plan = plan();
        let whole = write_whole(&path, &plan);
        // Every byte of the last lines, and some of those before.
        let is_tried = |cut: &usize| cut.is_multiple_of(16) || cut + 250 > whole.len();
        for cut in (0..=whole.len()).filter(is_tried) {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut ledger = Ledger::open(&path, &plan).unwrap();
            let ends_in_line = cut == 0 || whole[cut - 1] == b'\n';
            let is_in_header = !whole[..cut].contains(&b'\n');
            assert_eq!(
                ledger.torn().is_some(),
                !ends_in_line && !is_in_header,
                "cut at {cut}"
            );
            for task in ledger.unfinished(plan.tasks()) {
                ledger.append(task, result(task)).unwrap();
            }
            assert_eq!(ledger.finish().unwrap(), results(&plan), "cut at {cut}");
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_last_line_that_is_damaged_is_cut_off_and_done_again() {
        let (_directory, path) = place();
        let plan = plan();
        let whole = write_whole(&path, &plan);
        let mut damaged = whole.clone();
        damaged[whole.len() - 60] ^= 1;
        fs::write(&path, damaged).unwrap();
        let mut ledger = Ledger::open(&path, &plan).unwrap();
        assert_eq!(
            ledger.torn().map(|torn| torn.line),
            Some(plan.tasks().len() + 1)
        );
        let unfinished = ledger.unfinished(plan.longest_first());
        assert_eq!(unfinished, [plan.tasks().last().unwrap()]);
        ledger.append(unfinished[0], result(unfinished[0])).unwrap();
        drop(ledger);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn a_refused_file_stays_as_it_is() {
        let (_directory, path) = place();
        let plan = plan();
        let whole = write_whole(&path, &plan);
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        let no_header = b"id,back_rank";
        let half_header = whole[..100].iter().chain(b"x").copied().collect();
        for refused in [damaged, no_header.to_vec(), half_header] {
            fs::write(&path, &refused).unwrap();
            let error = Ledger::open(&path, &plan).unwrap_err();
            assert!(matches!(error, LedgerError::Fault { .. }), "{error}");
            assert_eq!(fs::read(&path).unwrap(), refused);
        }
    }

    #[test]
    fn the_ledger_of_another_plan_is_refused_with_the_difference_even_if_it_is_torn() {
        let (_directory, path) = place();
        let here = plan();
        let torn = {
            let whole = write_whole(&path, &here);
            whole[..whole.len() - 1].to_vec()
        };
        fs::write(&path, &torn).unwrap();
        let names = here.tasks().iter().map(|task| (task.name(), 1));
        let deeper = Plan::new([("verb", "test"), ("depth", "7")], names).unwrap();
        assert_eq!(
            Ledger::open(&path, &deeper).unwrap_err().to_string(),
            format!(
                "the ledger {} is of another plan: depth is \"6\" there and \"7\" here",
                path.display()
            )
        );
        assert_eq!(fs::read(&path).unwrap(), torn);
    }

    #[test]
    fn two_writers_of_one_ledger_are_one_too_many() {
        let (_directory, path) = place();
        let plan = plan();
        let first = Ledger::open(&path, &plan).unwrap();
        let refusal = Ledger::open(&path, &plan).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            format!("the ledger {} is in use by another process", path.display())
        );
        drop(first);
        Ledger::open(&path, &plan).unwrap();
    }

    #[test]
    fn a_full_disk_is_an_error_and_nothing_is_written_after_half_a_line() {
        let (_directory, path) = place();
        let plan = plan();
        let mut ledger = Ledger::open(&path, &plan).unwrap();
        let [first, second, ..] = plan.tasks() else {
            unreachable!()
        };
        ledger.append(first, result(first)).unwrap();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let file = mem::replace(&mut ledger.file, full);
        let error = ledger.append(second, result(second)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot write the ledger {}", path.display())
        );
        let cause = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!(cause.kind(), io::ErrorKind::StorageFull);
        assert_eq!(ledger.result(second), None);

        ledger.file = file;
        let error = ledger.append(second, result(second)).unwrap_err();
        assert!(matches!(error, LedgerError::Broken { .. }), "{error}");
        drop(ledger);
        let ledger = Ledger::open(&path, &plan).unwrap();
        assert_eq!(ledger.results.iter().flatten().count(), 1);
    }

    #[test]
    fn a_task_done_twice_is_written_once_and_must_give_the_same() {
        let (_directory, path) = place();
        let plan = plan();
        let whole = write_whole(&path, &plan);
        let mut ledger = Ledger::open(&path, &plan).unwrap();
        let task = plan.task("518").unwrap();
        ledger.append(task, result(task)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert_eq!(
            ledger.append(task, json!(1)).unwrap_err().to_string(),
            format!(
                "\"518\" has another result than the ledger {} says",
                path.display()
            )
        );
    }

    #[test]
    fn what_cannot_be_a_ledger_is_named() {
        let (directory, path) = place();
        let plan = plan();
        for other in [directory.path(), Path::new("/dev/full")] {
            assert_eq!(
                Ledger::open(other, &plan).unwrap_err().to_string(),
                format!(
                    "{} is not a file, and a ledger has to be one",
                    other.display()
                )
            );
        }
        let nowhere = path.join("run.ledger");
        assert_eq!(
            Ledger::open(&nowhere, &plan).unwrap_err().to_string(),
            format!("cannot open the ledger {}", nowhere.display())
        );
    }
}
