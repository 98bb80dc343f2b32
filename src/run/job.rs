//! What a batch job is, and what it is given to work with.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cancel::Cancel;
use super::files::{FileRef, ResultFiles};
use super::memory::Memory;
use super::plan::{Plan, Task};
use super::record::Torn;
use super::shard::Shard;

/// A batch job: a value that says what to compute, and knows how.
///
/// A job *is* its settings and its selection of tasks. Settings decide what a task gives, the selection which tasks
/// there are; neither depends on threads, memory or a ledger, which are [`RunOptions`].
pub trait Job: Clone + Serialize + DeserializeOwned + Send + Sync {
    /// The verb that runs it.
    const VERB: &'static str;

    /// The version of the results: raised when the same settings give other results, so that old ones are not mixed
    /// with new ones.
    const RESULTS: u32;

    /// Everything beside the task itself that decides its output.
    type Settings: Serialize;
    /// What one task gives.
    type Output: Serialize + DeserializeOwned + Send;
    /// What all workers of one run share.
    type Shared: Sync;
    /// What one worker keeps from task to task: boards, memory, a child process.
    type Worker;
    /// What outputs are added up in.
    type Sum: Default;
    /// What all outputs come to.
    type Report;
    /// Why a task fails.
    type Error: Error + Send + 'static;

    /// The settings, which a ledger is identified by.
    fn settings(&self) -> Self::Settings;

    /// The rows of the output and the tasks behind them.
    fn plan(&self) -> Plan;

    /// The job with whatever its task ids need to be valid in other runs, such as digests of input files. Called only
    /// for runs with a ledger, inside a rayon pool.
    fn identified(&self, cancel: &Cancel) -> Result<Self, TaskError<Self::Error>> {
        let _ = cancel;
        Ok(self.clone())
    }

    /// This job and another one with the same settings as one: the rows of both, each once.
    fn union(&self, other: &Self) -> Self;

    /// Prepares a run.
    fn start(&self) -> Self::Shared;

    /// Prepares a worker, on its own thread.
    fn worker(&self, env: &Env) -> Self::Worker;

    /// Does a task.
    fn run(
        &self,
        shared: &Self::Shared,
        worker: &mut Self::Worker,
        task: &Task,
        env: &Env,
    ) -> Result<Self::Output, TaskError<Self::Error>>;

    /// The result files that an output refers to.
    fn files(output: &Self::Output) -> Vec<FileRef> {
        let _ = output;
        Vec::new()
    }

    /// Adds an output to the sum; outputs come in any order. `files` are those of the ledger that the output is from.
    fn absorb(
        &self,
        sum: &mut Self::Sum,
        task: &Task,
        output: Self::Output,
        files: Option<&ResultFiles>,
    ) -> Result<(), Self::Error>;

    /// The report on all tasks. Those that failed are missing from the sum.
    fn finish(&self, plan: &Plan, sum: Self::Sum) -> Self::Report;
}

/// Why a task gave no output.
#[derive(Debug)]
pub enum TaskError<E> {
    /// It was asked to end.
    Cancelled,
    /// It failed, but others may succeed. It is not kept, so that a later run tries again.
    Failed(E),
    /// It failed in a way that ends the run.
    Fatal(E),
}

/// How to run a job. Nothing here changes a result.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Where finished tasks are kept; a run goes on from what is there.
    pub ledger: Option<PathBuf>,
    /// Which part of the tasks to run.
    pub shard: Option<Shard>,
    /// How many threads to use; one per core if `None`.
    pub threads: Option<NonZeroUsize>,
    /// The memory that workers share.
    pub memory: Memory,
}

impl RunOptions {
    /// The number of threads to use.
    pub fn thread_count(&self) -> NonZeroUsize {
        self.threads
            .unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

/// What happens during a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// The last line of the ledger was incomplete and has been removed; its task is computed again.
    LedgerRepaired {
        /// The ledger.
        ledger: &'e Path,
        /// What was removed.
        torn: Torn,
    },
    /// Result files beside the ledger are missing; these tasks are computed again.
    FilesMissing {
        /// The ledger.
        ledger: &'e Path,
        /// The names of the tasks.
        tasks: &'e [String],
    },
    /// The ledger holds some of the tasks already.
    Resumed {
        /// The ledger.
        ledger: &'e Path,
        /// How many tasks of the plan it holds.
        finished: usize,
        /// How many tasks the plan has.
        total: usize,
    },
    /// Workers start on these tasks.
    Started {
        /// What is left to do, longest first.
        tasks: &'e [&'e Task],
        /// Threads in all.
        threads: usize,
        /// Tasks that run at the same time.
        workers: usize,
        /// The memory of each worker.
        worker_bytes: Option<usize>,
    },
    /// A task that reads files has read some more.
    Read {
        /// Bytes of the file as it is on the disk.
        bytes: u64,
        /// Items, such as games, found in them.
        items: u64,
    },
    /// A task is finished, and in the ledger if there is one.
    Finished(&'e Task),
    /// A task failed; the run goes on.
    Failed {
        /// The task.
        task: &'e Task,
        /// Why.
        error: &'e (dyn Error + 'static),
    },
}

/// Listens to a run. Called from any thread.
pub type Observer<'o> = &'o (dyn Fn(Event) + Sync);

/// What the tasks of a run are given.
pub struct Env<'r> {
    pub(super) cancel: Cancel,
    pub(super) observer: Observer<'r>,
    pub(super) pool: rayon::ThreadPool,
    pub(super) workers: usize,
    pub(super) worker_bytes: Option<usize>,
    pub(super) files: Option<ResultFiles>,
    pub(super) todo_cost: u64,
    pub(super) unstarted: AtomicUsize,
    pub(super) busy: AtomicUsize,
}

impl Env<'_> {
    /// Whether to end early.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Threads that help with a task while they have none of their own.
    pub fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }

    /// Whether fewer tasks are left than there are threads.
    pub fn has_idle_threads(&self) -> bool {
        self.unstarted.load(Ordering::Relaxed) == 0
            && self.busy.load(Ordering::Relaxed) < self.pool.current_num_threads()
    }

    /// The memory that each worker may use; `None` if it is to do without.
    pub fn worker_bytes(&self) -> Option<usize> {
        self.worker_bytes
    }

    /// The threads for a task by its share of the whole cost, for tasks that start threads themselves.
    pub fn threads_for(&self, task: &Task) -> usize {
        let threads = self.pool.current_num_threads();
        let share = u128::from(task.cost()) * threads as u128;
        let team = share.div_ceil(u128::from(self.todo_cost.max(1)));
        (team as usize).clamp(1, threads)
    }

    /// Where large outputs go; `None` without a ledger.
    pub fn files(&self) -> Option<&ResultFiles> {
        self.files.as_ref()
    }

    /// Tells the observer that more of a file has been read.
    pub fn report_read(&self, bytes: u64, items: u64) {
        (self.observer)(Event::Read { bytes, items });
    }

    /// Counts a task as begun for as long as `work` takes.
    pub(super) fn while_busy<R>(&self, work: impl FnOnce() -> R) -> R {
        self.busy.fetch_add(1, Ordering::Relaxed);
        self.unstarted.fetch_sub(1, Ordering::Relaxed);
        let result = work();
        self.busy.fetch_sub(1, Ordering::Relaxed);
        result
    }
}
