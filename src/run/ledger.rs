//! A store of results that survives the process.
//!
//! A [`Ledger`] holds the outputs of finished tasks for one identity: a verb with all settings that decide results.
//! Tasks are found by what they compute, so a later run may select more of them, or others, and goes on from what is
//! there. A line is written with one call and synced before the next batch of results is taken, so that a process that
//! is killed or a machine that loses power loses no finished task.
//!
//! One process at a time may write a ledger; the lock goes with the process.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use super::files::ResultFiles;
use super::record::{self, Contents, Fault, Identity, RunRecord, StoredOutput, Torn};
use super::shard::Shard;
use crate::table::directory_of;

/// The results for one identity, in memory and in a file.
#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    identity: Identity,
    file: File,
    outputs: HashMap<String, StoredOutput>,
    files: ResultFiles,
    torn: Option<Torn>,
    lost: Vec<String>,
    /// Whether the file ends in a complete line.
    is_whole: bool,
}

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The operating system refused.
    #[error("cannot {operation} the ledger {}", path.display())]
    File {
        /// What was tried.
        operation: &'static str,
        /// The ledger.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A directory, a device or a pipe.
    #[error("{} is not a regular file, so it cannot be a ledger", path.display())]
    NotAFile {
        /// What was given as a ledger.
        path: PathBuf,
    },
    /// Another process has it locked.
    #[error("the ledger {} is in use by another process", path.display())]
    InUse {
        /// The ledger.
        path: PathBuf,
    },
    /// Its text is damaged, or of another format.
    #[error("the ledger {} cannot be used", path.display())]
    Fault {
        /// The ledger.
        path: PathBuf,
        /// What is wrong with it.
        source: Fault,
    },
    /// It holds results for something else.
    #[error("the ledger {} was created with different settings: {differences}", path.display())]
    OtherSettings {
        /// The ledger.
        path: PathBuf,
        /// Which settings differ.
        differences: String,
    },
    /// It belongs to another shard.
    #[error(
        "the ledger {} belongs to {found} and not to {expected}: give each shard a ledger of its own",
        path.display(),
        found = describe(*.found),
        expected = describe(*.expected)
    )]
    OtherShard {
        /// The ledger.
        path: PathBuf,
        /// The shard that it belongs to.
        found: Option<Shard>,
        /// The shard of this run.
        expected: Option<Shard>,
    },
    /// A line fits its checksum but not its task.
    #[error("the ledger {} holds no valid result for task {task:?}", path.display())]
    Output {
        /// The ledger.
        path: PathBuf,
        /// The name of the task.
        task: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A write has failed before.
    #[error("the ledger {} takes no more results because a write has failed", path.display())]
    Broken {
        /// The ledger.
        path: PathBuf,
    },
}

fn describe(shard: Option<Shard>) -> String {
    shard.map_or("a run without shards".to_owned(), |shard| {
        format!("shard {shard}")
    })
}

impl Ledger {
    /// Starts a ledger, or opens the one that earlier runs with the same identity have left.
    ///
    /// A torn last line is cut off, see [`torn`](Ledger::torn). Any other fault is an error, and the file stays as it
    /// is.
    pub fn open(path: &Path, identity: Identity, run: &RunRecord) -> Result<Ledger, LedgerError> {
        let failed = |operation| failed(operation, path);
        refuse_what_is_no_file(path)?;
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed("open"))?;
        lock(&file, path)?;
        ResultFiles::of_ledger(path).remove_stale();
        let header = record::header(&identity);
        let bytes = read_checked(&mut file, path, Some(&header))?;
        let mut ledger = Ledger {
            path: path.to_owned(),
            files: ResultFiles::of_ledger(path),
            identity,
            file,
            outputs: HashMap::new(),
            torn: None,
            lost: Vec::new(),
            is_whole: true,
        };
        // Nothing, or a header of ours that was torn: no results are lost.
        if bytes.len() < header.len() && header.as_bytes().starts_with(&bytes) {
            ledger.begin(&header, run).map_err(failed("start"))?;
        } else {
            let contents = parse(path, &bytes)?;
            ledger.refuse_other(&contents, run)?;
            ledger.go_on(contents, run).map_err(failed("repair"))?;
        }
        Ok(ledger)
    }

    /// The line that was torn when the ledger was opened, and has been cut off.
    pub fn torn(&self) -> Option<Torn> {
        self.torn
    }

    /// Tasks whose result files are gone, so that they count as unfinished.
    pub fn lost(&self) -> &[String] {
        &self.lost
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn files(&self) -> &ResultFiles {
        &self.files
    }

    /// The output of a task, if it is there.
    pub fn output(&self, task: &str) -> Option<&StoredOutput> {
        self.outputs.get(task)
    }

    /// Writes the outputs of finished tasks and waits until they are on the disk. If that fails, the ledger takes no
    /// more of them: the file may end in half a line.
    pub fn append(&mut self, finished: &[(&str, StoredOutput)]) -> Result<(), LedgerError> {
        if !self.is_whole {
            let path = self.path.clone();
            return Err(LedgerError::Broken { path });
        }
        let lines: String = finished
            .iter()
            .map(|(task, output)| record::task_line(&self.identity, task, output))
            .collect();
        self.write(&lines).map_err(failed("write", &self.path))
    }

    fn refuse_other(&self, contents: &Contents, run: &RunRecord) -> Result<(), LedgerError> {
        same_identity(&self.path, &self.identity, &contents.identity)?;
        let found = contents.last_run.as_ref().and_then(|last| last.shard);
        let is_new = contents.last_run.is_none();
        // A run of everything may go on from a shard; a shard has its ledger to itself.
        if is_new || run.shard.is_none() || run.shard == found {
            return Ok(());
        }
        Err(LedgerError::OtherShard {
            path: self.path.clone(),
            found,
            expected: run.shard,
        })
    }

    fn begin(&mut self, header: &str, run: &RunRecord) -> io::Result<()> {
        self.file.set_len(0)?;
        self.write(&(header.to_owned() + &record::run_line(&self.identity, run)))?;
        // The name of a new file is on the disk only when its directory is.
        File::open(directory_of(&self.path))?.sync_all()
    }

    fn go_on(&mut self, contents: Contents, run: &RunRecord) -> io::Result<()> {
        if contents.torn.is_some() {
            self.file.set_len(contents.whole_bytes as u64)?;
            self.file.sync_all()?;
        }
        self.torn = contents.torn;
        if contents.last_run.as_ref() != Some(run) {
            self.write(&record::run_line(&self.identity, run))?;
        }
        let files = &self.files;
        let (kept, lost): (HashMap<_, _>, HashMap<_, _>) = contents
            .outputs
            .into_iter()
            .partition(|(_, stored)| stored.files.iter().all(|file| files.has(file)));
        self.outputs = kept;
        self.lost = lost.into_values().map(|stored| stored.name).collect();
        self.lost.sort_unstable();
        Ok(())
    }

    fn write(&mut self, lines: &str) -> io::Result<()> {
        self.is_whole = false;
        self.file.write_all(lines.as_bytes())?;
        self.file.sync_data()?;
        self.is_whole = true;
        Ok(())
    }
}

/// Closing the file releases the lock as well, but not while a child process that another thread is just starting
/// has it open too.
impl Drop for Ledger {
    fn drop(&mut self) {
        // If the lock cannot be released, the ledger is at worst refused for another moment.
        let _ = self.file.unlock();
    }
}

/// Reads a ledger that another process may be writing.
pub(super) fn read(path: &Path) -> Result<Contents, LedgerError> {
    refuse_what_is_no_file(path)?;
    let mut file = File::open(path).map_err(failed("read", path))?;
    let bytes = read_checked(&mut file, path, None)?;
    parse(path, &bytes)
}

/// Reads a file, but only if it begins with a header, which may be torn if it is `own`: what is not a ledger may be larger
/// than the memory.
fn read_checked(file: &mut File, path: &Path, own: Option<&str>) -> Result<Vec<u8>, LedgerError> {
    let mut reader = BufReader::new(file);
    let mut bytes = first_line(&mut reader, path)?;
    if !own.is_some_and(|header| header.as_bytes().starts_with(&bytes)) {
        record::read_header(&bytes).map_err(|source| fault(path, source))?;
    }
    reader
        .read_to_end(&mut bytes)
        .map_err(failed("read", path))?;
    Ok(bytes)
}

/// No header is longer.
const LONGEST_HEADER_BYTES: u64 = 1 << 24;

/// Reads what a ledger is about from its first line, without reading further.
pub fn read_identity(path: &Path) -> Result<Identity, LedgerError> {
    refuse_what_is_no_file(path)?;
    let file = File::open(path).map_err(failed("read", path))?;
    let line = first_line(&mut BufReader::new(file), path)?;
    record::read_header(&line).map_err(|source| fault(path, source))
}

fn first_line(reader: &mut impl BufRead, path: &Path) -> Result<Vec<u8>, LedgerError> {
    let mut line = Vec::new();
    reader
        .take(LONGEST_HEADER_BYTES)
        .read_until(b'\n', &mut line)
        .map_err(failed("read", path))?;
    Ok(line)
}

pub(super) fn same_identity(
    path: &Path,
    expected: &Identity,
    found: &Identity,
) -> Result<(), LedgerError> {
    if expected.is_same(found) {
        return Ok(());
    }
    Err(LedgerError::OtherSettings {
        path: path.to_owned(),
        differences: expected.differences(found),
    })
}

/// Opening a pipe could wait forever for a process at its other end.
fn refuse_what_is_no_file(path: &Path) -> Result<(), LedgerError> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let path = path.to_owned();
        return Err(LedgerError::NotAFile { path });
    }
    Ok(())
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
    record::read(bytes).map_err(|source| fault(path, source))
}

fn fault(path: &Path, source: Fault) -> LedgerError {
    LedgerError::Fault {
        path: path.to_owned(),
        source,
    }
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
    use std::mem;

    use serde_json::json;
    use serde_json::value::to_raw_value;
    use tempfile::{TempDir, tempdir};

    use super::super::record::tests::{IDS, identity, run, stored};
    use super::*;

    fn place() -> (TempDir, PathBuf) {
        let directory = tempdir().unwrap();
        let path = directory.path().join("run.ledger");
        (directory, path)
    }

    fn open(path: &Path) -> Result<Ledger, LedgerError> {
        Ledger::open(path, identity(), &run())
    }

    fn append_missing(ledger: &mut Ledger) {
        let ids = IDS.into_iter().enumerate();
        let missing: Vec<_> = ids
            .filter(|(_, id)| ledger.output(id).is_none())
            .map(|(index, id)| (id, stored(index)))
            .collect();
        ledger.append(&missing).unwrap();
    }

    /// Writes a ledger with all results, and gives its bytes.
    fn write_whole(path: &Path) -> Vec<u8> {
        append_missing(&mut open(path).unwrap());
        fs::read(path).unwrap()
    }

    #[test]
    fn a_result_is_in_the_file_as_soon_as_it_is_appended() {
        let (_directory, path) = place();
        let mut ledger = open(&path).unwrap();
        for (index, id) in IDS.into_iter().enumerate() {
            ledger.append(&[(id, stored(index))]).unwrap();
            let found = read(&path).unwrap().outputs;
            assert_eq!(found.len(), index + 1);
            assert_eq!(found[id].output.get(), stored(index).output.get());
        }
    }

    #[test]
    fn a_ledger_cut_anywhere_goes_on_to_the_same_bytes() {
        let (_directory, path) = place();
        let whole = write_whole(&path);
        let ends_in_line = |cut: usize| cut == 0 || whole[cut - 1] == b'\n';
        // Every byte of the last lines, and some of those before: each cut is followed by writes that are synced.
        let is_tried = |cut: &usize| cut.is_multiple_of(16) || cut + 250 > whole.len();
        for cut in (0..=whole.len()).filter(is_tried) {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut ledger = open(&path).unwrap();
            let is_in_header = !whole[..cut].contains(&b'\n');
            let is_torn = !ends_in_line(cut) && !is_in_header;
            assert_eq!(ledger.torn().is_some(), is_torn, "cut at {cut}");
            append_missing(&mut ledger);
            drop(ledger);
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_refused_file_stays_as_it_is() {
        let (_directory, path) = place();
        let whole = write_whole(&path);
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        let no_header = b"id,back_rank";
        let half_header = whole[..100].iter().chain(b"x").copied().collect();
        for refused in [damaged, no_header.to_vec(), half_header] {
            fs::write(&path, &refused).unwrap();
            let error = open(&path).unwrap_err();
            assert!(matches!(error, LedgerError::Fault { .. }), "{error}");
            assert_eq!(fs::read(&path).unwrap(), refused);
        }
    }

    #[test]
    fn a_ledger_with_other_settings_is_refused_with_the_difference_even_if_it_is_torn() {
        let (_directory, path) = place();
        let whole = write_whole(&path);
        let torn = &whole[..whole.len() - 1];
        fs::write(&path, torn).unwrap();
        let deeper = Identity::new("test", 1, &json!({"depth": 7, "nested": {"a": "b"}})).unwrap();
        let message = Ledger::open(&path, deeper, &run()).unwrap_err().to_string();
        assert!(
            message.ends_with("was created with different settings: depth is 6 there and 7 here"),
            "{message}"
        );
        assert_eq!(fs::read(&path).unwrap(), torn);
    }

    #[test]
    fn a_selection_may_grow_and_every_run_is_recorded_once() {
        let (_directory, path) = place();
        let before = write_whole(&path);
        let larger = RunRecord {
            job: to_raw_value(&json!({"selection": "more"})).unwrap(),
            shard: None,
        };
        for _ in 0..2 {
            let ledger = Ledger::open(&path, identity(), &larger).unwrap();
            assert!(ledger.output("518").is_some());
        }
        let expected = [before, record::run_line(&identity(), &larger).into_bytes()].concat();
        assert_eq!(fs::read(&path).unwrap(), expected);
    }

    #[test]
    fn a_shard_has_its_ledger_to_itself_until_a_whole_run_takes_it_over() {
        let (_directory, path) = place();
        let as_shard = |shard: Option<&str>| {
            let run = RunRecord {
                shard: shard.map(|text| text.parse().unwrap()),
                ..run()
            };
            Ledger::open(&path, identity(), &run).map(drop)
        };
        as_shard(Some("1/2")).unwrap();
        as_shard(Some("1/2")).unwrap();
        let message = as_shard(Some("2/2")).unwrap_err().to_string();
        assert!(
            message.contains("belongs to shard 1/2 and not to shard 2/2"),
            "{message}"
        );
        as_shard(None).unwrap();
        let message = as_shard(Some("1/2")).unwrap_err().to_string();
        assert!(
            message.contains("belongs to a run without shards"),
            "{message}"
        );
    }

    #[test]
    fn two_writers_of_one_ledger_are_one_too_many() {
        let (_directory, path) = place();
        let first = open(&path).unwrap();
        let refusal = open(&path).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            format!("the ledger {} is in use by another process", path.display())
        );
        drop(first);
        open(&path).unwrap();
    }

    #[test]
    fn a_full_disk_is_an_error_and_nothing_is_written_after_half_a_line() {
        let (_directory, path) = place();
        let mut ledger = open(&path).unwrap();
        ledger.append(&[("0", stored(0))]).unwrap();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let file = mem::replace(&mut ledger.file, full);
        let error = ledger.append(&[("1", stored(1))]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot write the ledger {}", path.display())
        );
        let cause = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!(cause.kind(), io::ErrorKind::StorageFull);

        ledger.file = file;
        let error = ledger.append(&[("1", stored(1))]).unwrap_err();
        assert!(matches!(error, LedgerError::Broken { .. }), "{error}");
        drop(ledger);
        assert_eq!(open(&path).unwrap().outputs.len(), 1);
    }

    #[test]
    fn a_task_whose_result_file_is_gone_counts_as_unfinished() {
        let (_directory, path) = place();
        let mut ledger = open(&path).unwrap();
        let file = ledger.files().write(|out| out.write_all(b"tree")).unwrap();
        let with_file = StoredOutput {
            files: vec![file],
            ..stored(3)
        };
        ledger
            .append(&[("518", with_file), ("0", stored(0))])
            .unwrap();
        drop(ledger);
        assert!(open(&path).unwrap().output("518").is_some());
        fs::remove_dir_all(path.with_extension("ledger.d")).unwrap();
        let ledger = open(&path).unwrap();
        assert!(ledger.output("518").is_none() && ledger.output("0").is_some());
        assert_eq!(ledger.lost(), ["row 3"]);
    }

    #[test]
    fn what_cannot_be_a_ledger_is_named() {
        let (directory, path) = place();
        for other in [directory.path(), Path::new("/dev/full")] {
            let message = open(other).unwrap_err().to_string();
            let expected = format!("{} is not a regular file", other.display());
            assert!(message.starts_with(&expected), "{message}");
        }
        let nowhere = path.join("run.ledger");
        assert_eq!(
            open(&nowhere).unwrap_err().to_string(),
            format!("cannot open the ledger {}", nowhere.display())
        );
    }
}
