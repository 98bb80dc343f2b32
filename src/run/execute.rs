//! A job carried out: on all cores, with or without a ledger, whole or one shard of it.
//!
//! Workers take tasks longest first and send their outputs to the calling thread, which writes them to the ledger in
//! batches, tells the observer, and adds them up. Without a ledger no output is serialised.

use std::error::Error;
use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::value::to_raw_value;

use super::cancel::Cancel;
use super::job::{Env, Event, Job, Observer, RunOptions, TaskError};
use super::ledger::{Ledger, LedgerError};
use super::plan::{Plan, Task};
use super::record::{Identity, RunRecord, StoredOutput};
use super::threads::{require_threads, thread_pool};

/// How a run ended that did not fail.
#[derive(Debug)]
#[must_use]
pub enum Outcome<R> {
    /// Every task of the plan is finished or has failed.
    Complete(Complete<R>),
    /// The tasks of this shard are finished; others of the plan are not.
    ShardComplete {
        /// Tasks of the plan that the ledger holds.
        finished: usize,
        /// Tasks of the plan.
        total: usize,
        /// The names of tasks of this shard that failed.
        failed: Vec<String>,
    },
    /// The run was cancelled before that.
    Cancelled {
        /// Tasks of the plan that are finished, which a ledger keeps.
        finished: usize,
        /// Tasks of the plan.
        total: usize,
    },
}

/// The report of a complete run.
#[derive(Debug)]
pub struct Complete<R> {
    /// What all tasks came to.
    pub report: R,
    /// The names of tasks that failed.
    pub failed: Vec<String>,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E: Error + 'static> {
    /// The job could not be prepared, or an output of the ledger does not fit it.
    #[error(transparent)]
    Job(E),
    /// A task failed in a way that ends the run.
    #[error("{task}")]
    Task {
        /// Its name.
        task: String,
        /// Why.
        source: E,
    },
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The system would not start a thread.
    #[error("cannot start the threads to work with")]
    Threads(#[source] io::Error),
}

/// Runs a job.
///
/// After `cancel` is set no task is started, but what is finished is still recorded. The first fatal error ends the run in
/// the same way. A panic of a task ends the run with that panic.
pub fn execute<J: Job>(
    job: &J,
    options: &RunOptions,
    cancel: &Cancel,
    observer: Observer,
) -> Result<Outcome<J::Report>, RunError<J::Error>> {
    let threads = options.thread_count().get();
    // The pool, and as many workers.
    let pool = require_threads(2 * threads).and_then(|()| thread_pool(threads));
    let pool = pool.map_err(RunError::Threads)?;
    match &options.ledger {
        None => run(job, options, cancel, observer, pool, None),
        Some(path) => {
            let job = match pool.install(|| job.identified(cancel)) {
                Ok(job) => job,
                Err(TaskError::Cancelled) => {
                    let total = job.plan().tasks().len();
                    return Ok(Outcome::Cancelled { finished: 0, total });
                }
                Err(TaskError::Failed(error) | TaskError::Fatal(error)) => {
                    return Err(RunError::Job(error));
                }
            };
            let ledger = open(&job, path, options, observer)?;
            run(&job, options, cancel, observer, pool, Some(ledger))
        }
    }
}

pub(super) fn identity_of<J: Job>(job: &J) -> Identity {
    Identity::new(J::VERB, J::RESULTS, &job.settings()).expect("settings are plain data")
}

fn open<J: Job>(
    job: &J,
    path: &Path,
    options: &RunOptions,
    observer: Observer,
) -> Result<Ledger, LedgerError> {
    let run = RunRecord {
        job: to_raw_value(job).expect("a job is plain data"),
        shard: options.shard,
    };
    let ledger = Ledger::open(path, identity_of(job), &run)?;
    if let Some(torn) = ledger.torn() {
        observer(Event::LedgerRepaired { ledger: path, torn });
    }
    if !ledger.lost().is_empty() {
        let tasks = ledger.lost();
        observer(Event::FilesMissing {
            ledger: path,
            tasks,
        });
    }
    Ok(ledger)
}

fn run<J: Job>(
    job: &J,
    options: &RunOptions,
    cancel: &Cancel,
    observer: Observer,
    pool: rayon::ThreadPool,
    ledger: Option<Ledger>,
) -> Result<Outcome<J::Report>, RunError<J::Error>> {
    let plan = job.plan();
    let threads = pool.current_num_threads();
    let selected = match options.shard {
        Some(shard) => plan.shard(shard),
        None => plan.longest_first(),
    };
    let is_stored = |task: &&Task| {
        let ledger = ledger.as_ref();
        ledger.is_some_and(|ledger| ledger.output(task.id()).is_some())
    };
    let stored = plan.tasks().iter().filter(is_stored).count();
    if let Some(ledger) = options.ledger.as_deref().filter(|_| stored > 0) {
        observer(Event::Resumed {
            ledger,
            finished: stored,
            total: plan.tasks().len(),
        });
    }
    let todo: Vec<&Task> = selected
        .into_iter()
        .filter(|task| !is_stored(task))
        .collect();
    let workers = threads.min(todo.len()).max(1);
    let env = Env {
        cancel: cancel.child(),
        observer,
        pool,
        workers,
        worker_bytes: options.memory.bytes(threads).map(|bytes| bytes / workers),
        files: ledger.as_ref().map(|ledger| ledger.files().clone()),
        todo_cost: todo.iter().map(|task| task.cost()).sum(),
        unstarted: AtomicUsize::new(todo.len()),
        busy: AtomicUsize::new(0),
    };
    let is_whole = stored + todo.len() == plan.tasks().len();
    let mut collector = Collector {
        job,
        env: &env,
        ledger,
        // A shard's results are read again when they are merged.
        sum: is_whole.then(J::Sum::default),
        finished: stored,
        failed: Vec::new(),
    };
    collector.absorb_stored(&plan)?;
    observer(Event::Started {
        tasks: &todo,
        threads,
        workers,
        worker_bytes: env.worker_bytes,
    });
    Run {
        job,
        env: &env,
        todo: &todo,
        next: AtomicUsize::new(0),
    }
    .carry_out(&mut collector)?;

    let Collector {
        sum,
        finished,
        failed,
        ..
    } = collector;
    let total = plan.tasks().len();
    if finished - stored + failed.len() < todo.len() {
        return Ok(Outcome::Cancelled { finished, total });
    }
    Ok(match sum {
        Some(sum) => Outcome::Complete(Complete {
            report: job.finish(&plan, sum),
            failed,
        }),
        None => Outcome::ShardComplete {
            finished,
            total,
            failed,
        },
    })
}

/// What a worker sends: the output of a task, or why there is none.
type Sent<'t, J> = (
    &'t Task,
    Result<<J as Job>::Output, TaskError<<J as Job>::Error>>,
);

/// The tasks of one run on their way to the workers.
struct Run<'r, 't, J> {
    job: &'r J,
    env: &'r Env<'r>,
    todo: &'r [&'t Task],
    next: AtomicUsize,
}

impl<'t, J: Job> Run<'_, 't, J> {
    fn carry_out(&self, collector: &mut Collector<'_, J>) -> Result<(), RunError<J::Error>> {
        let shared = self.job.start();
        let shared = &shared;
        thread::scope(|scope| {
            let _guard = CancelOnPanic(&self.env.cancel);
            let (sender, receiver) = mpsc::channel();
            let mut threads = Vec::new();
            let mut failure = None;
            for number in 0..self.env.workers.min(self.todo.len()) {
                let sender = sender.clone();
                let thread = thread::Builder::new().name(format!("worker {number}"));
                match thread.spawn_scoped(scope, move || self.work(shared, &sender)) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        self.env.cancel.cancel();
                        failure = Some(RunError::Threads(error));
                        break;
                    }
                }
            }
            drop(sender);
            let collected = collector.collect(receiver);
            for thread in threads {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            failure.map_or(collected, Err)
        })
    }

    /// Worker loop: takes the next task until there is none, or the run ends early.
    fn work(&self, shared: &J::Shared, sender: &Sender<Sent<'t, J>>) {
        let _guard = CancelOnPanic(&self.env.cancel);
        let mut worker = self.job.worker(self.env);
        while !self.env.cancel.is_set()
            && let Some(&task) = self.todo.get(self.next.fetch_add(1, Ordering::Relaxed))
        {
            let run = || self.job.run(shared, &mut worker, task, self.env);
            let output = self.env.while_busy(run);
            let is_last = matches!(output, Err(TaskError::Cancelled | TaskError::Fatal(_)));
            if matches!(output, Err(TaskError::Fatal(_))) {
                self.env.cancel.cancel();
            }
            if sender.send((task, output)).is_err() || is_last {
                break;
            }
        }
    }
}

/// Takes outputs on the calling thread.
struct Collector<'r, J: Job> {
    job: &'r J,
    env: &'r Env<'r>,
    ledger: Option<Ledger>,
    /// `None` if the outputs of other shards would be missing.
    sum: Option<J::Sum>,
    finished: usize,
    failed: Vec<String>,
}

impl<J: Job> Collector<'_, J> {
    /// Adds up what the ledger holds already.
    fn absorb_stored(&mut self, plan: &Plan) -> Result<(), RunError<J::Error>> {
        let (Some(ledger), Some(sum)) = (&self.ledger, &mut self.sum) else {
            return Ok(());
        };
        for task in plan.tasks() {
            if let Some(stored) = ledger.output(task.id()) {
                let path = ledger.path();
                let output = decode::<J>(path, task, stored)?;
                let absorbed = self.job.absorb(sum, task, output, Some(ledger.files()));
                absorbed.map_err(|source| in_task(task, source))?;
            }
        }
        Ok(())
    }

    /// Takes outputs until all workers have ended.
    fn collect(&mut self, receiver: Receiver<Sent<'_, J>>) -> Result<(), RunError<J::Error>> {
        let mut failure = None;
        while let Ok(first) = receiver.recv() {
            let mut batch = Vec::new();
            for (task, output) in [first].into_iter().chain(receiver.try_iter()) {
                match output {
                    Ok(output) => batch.push((task, output)),
                    Err(TaskError::Cancelled) => {}
                    Err(TaskError::Failed(error)) => {
                        let error: &(dyn Error + 'static) = &error;
                        (self.env.observer)(Event::Failed { task, error });
                        self.failed.push(task.name().to_owned());
                    }
                    Err(TaskError::Fatal(source)) => {
                        failure.get_or_insert_with(|| in_task(task, source));
                    }
                }
            }
            if let Err(error) = self.take(batch) {
                self.env.cancel.cancel();
                return Err(failure.unwrap_or(error));
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn take(&mut self, batch: Vec<(&Task, J::Output)>) -> Result<(), RunError<J::Error>> {
        if let Some(ledger) = &mut self.ledger {
            let encoded: Vec<_> = batch
                .iter()
                .map(|(task, output)| (task.id(), encode::<J>(task, output)))
                .collect();
            ledger.append(&encoded)?;
        }
        for (task, output) in batch {
            if let Some(sum) = &mut self.sum {
                let absorbed = self.job.absorb(sum, task, output, self.env.files());
                absorbed.map_err(|source| in_task(task, source))?;
            }
            self.finished += 1;
            (self.env.observer)(Event::Finished(task));
        }
        Ok(())
    }
}

pub(super) fn decode<J: Job>(
    path: &Path,
    task: &Task,
    stored: &StoredOutput,
) -> Result<J::Output, LedgerError> {
    serde_json::from_str(stored.output.get()).map_err(|source| LedgerError::Output {
        path: path.to_owned(),
        task: task.name().to_owned(),
        source,
    })
}

fn encode<J: Job>(task: &Task, output: &J::Output) -> StoredOutput {
    StoredOutput {
        name: task.name().to_owned(),
        output: to_raw_value(output).expect("an output is plain data"),
        files: J::files(output),
    }
}

pub(super) fn in_task<E: Error + 'static>(task: &Task, source: E) -> RunError<E> {
    RunError::Task {
        task: task.name().to_owned(),
        source,
    }
}

/// Ends the run when the thread that holds it panics. The other threads would first do all tasks that are left.
struct CancelOnPanic<'r>(&'r Cancel);

impl Drop for CancelOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::num::NonZeroUsize;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::path::PathBuf;
    use std::sync::{Arc, Mutex};
    use std::thread::ThreadId;
    use std::time::{Duration, Instant};

    use serde::{Deserialize, Serialize};
    use tempfile::tempdir;

    use super::super::{ResultFiles, Shard, merge};
    use super::*;

    type Work = Arc<dyn Fn(&Task, &Env) -> Result<u64, TaskError<io::Error>> + Send + Sync>;

    /// Squares numbers; the largest cost most.
    #[derive(Clone, Serialize, Deserialize)]
    struct Squares {
        numbers: Vec<u64>,
        power: u32,
        #[serde(skip)]
        work: Option<Work>,
        #[serde(skip)]
        workers: Arc<Mutex<Vec<ThreadId>>>,
    }

    impl Squares {
        fn up_to(count: u64) -> Squares {
            Squares {
                numbers: (0..count).collect(),
                power: 2,
                work: None,
                workers: Arc::default(),
            }
        }

        fn with(
            mut self,
            work: impl Fn(&Task, &Env) -> Result<u64, TaskError<io::Error>> + Send + Sync + 'static,
        ) -> Squares {
            self.work = Some(Arc::new(work));
            self
        }
    }

    fn number(task: &Task) -> u64 {
        task.id().parse().unwrap()
    }

    fn square(task: &Task) -> u64 {
        number(task) * number(task)
    }

    impl Job for Squares {
        const VERB: &'static str = "squares";
        const RESULTS: u32 = 1;
        type Settings = u32;
        type Output = u64;
        type Shared = ();
        type Worker = ThreadId;
        type Sum = Vec<(u64, u64)>;
        type Report = Vec<(u64, u64)>;
        type Error = io::Error;

        fn settings(&self) -> u32 {
            self.power
        }

        fn plan(&self) -> Plan {
            let rows = self.numbers.iter();
            rows.map(|number| (number.to_string(), number.to_string(), *number))
                .collect()
        }

        fn union(&self, other: &Squares) -> Squares {
            let mut numbers = self.numbers.clone();
            let more = other.numbers.iter();
            numbers.extend(more.filter(|number| !self.numbers.contains(number)));
            Squares {
                numbers,
                ..self.clone()
            }
        }

        fn start(&self) {}

        fn worker(&self, _: &Env) -> ThreadId {
            let id = thread::current().id();
            self.workers.lock().unwrap().push(id);
            id
        }

        fn run(
            &self,
            (): &(),
            worker: &mut ThreadId,
            task: &Task,
            env: &Env,
        ) -> Result<u64, TaskError<io::Error>> {
            assert_eq!(*worker, thread::current().id());
            match &self.work {
                Some(work) => work(task, env),
                None => Ok(square(task)),
            }
        }

        fn absorb(
            &self,
            sum: &mut Vec<(u64, u64)>,
            task: &Task,
            output: u64,
            _: Option<&ResultFiles>,
        ) -> Result<(), io::Error> {
            if output == u64::MAX {
                return Err(io::Error::other("cannot absorb"));
            }
            sum.push((number(task), output));
            Ok(())
        }

        fn finish(&self, _: &Plan, mut sum: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
            sum.sort_unstable();
            sum
        }
    }

    fn threads(count: usize) -> RunOptions {
        RunOptions {
            threads: NonZeroUsize::new(count),
            ..RunOptions::default()
        }
    }

    fn complete(job: &Squares, options: &RunOptions) -> Vec<(u64, u64)> {
        match execute(job, options, Cancel::NEVER, &|_| ()).unwrap() {
            Outcome::Complete(complete) => complete.report,
            other => panic!("{other:?}"),
        }
    }

    fn squares_up_to(count: u64) -> Vec<(u64, u64)> {
        (0..count).map(|number| (number, number * number)).collect()
    }

    /// Work that only a cancel flag ends.
    fn until_cancelled(env: &Env) -> Result<u64, TaskError<io::Error>> {
        let began = Instant::now();
        while !env.cancel().is_set() {
            assert!(
                began.elapsed() < Duration::from_secs(600),
                "never cancelled"
            );
            thread::sleep(Duration::from_millis(1));
        }
        Err(TaskError::Cancelled)
    }

    #[test]
    fn every_task_is_done_once_on_any_number_of_threads() {
        for (count, threads_) in [(0, 1), (1, 8), (100, 1), (100, 2), (100, 8), (3, 100)] {
            let job = Squares::up_to(count);
            assert_eq!(complete(&job, &threads(threads_)), squares_up_to(count));
            let workers = job.workers.lock().unwrap();
            let distinct: HashSet<_> = workers.iter().collect();
            assert_eq!(workers.len(), threads_.min(count as usize));
            assert_eq!(distinct.len(), workers.len());
        }
    }

    #[test]
    fn one_thread_keeps_the_order_and_observers_hear_of_every_task() {
        let heard = Mutex::new(Vec::new());
        let observer = |event: Event| {
            if let Event::Finished(task) = event {
                heard.lock().unwrap().push(task.cost());
            }
        };
        let outcome = execute(&Squares::up_to(50), &threads(1), Cancel::NEVER, &observer);
        assert!(matches!(outcome.unwrap(), Outcome::Complete(_)));
        let longest_first: Vec<u64> = (0..50).rev().collect();
        assert_eq!(heard.into_inner().unwrap(), longest_first);
    }

    #[test]
    fn a_cancelled_run_says_how_far_it_got_and_starts_nothing_more() {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let job = Squares::up_to(1000).with(|task, env| match number(task) {
            997.. => until_cancelled(env),
            _ => Ok(square(task)),
        });
        let observer = move |event: Event| {
            if let Event::Finished(task) = event
                && task.id() == "900"
            {
                flag.cancel();
            }
        };
        let outcome = execute(&job, &threads(4), &cancel, &observer).unwrap();
        let Outcome::Cancelled { finished, total } = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(total, 1000);
        assert!((97..=997).contains(&finished), "{finished}");

        let panicking = Squares::up_to(10).with(|_, _| panic!("started"));
        let outcome = execute(&panicking, &threads(2), &cancel, &|_| ()).unwrap();
        assert!(matches!(
            outcome,
            Outcome::Cancelled {
                finished: 0,
                total: 10
            }
        ));
    }

    #[test]
    fn a_cancel_after_the_last_task_changes_nothing() {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let job = Squares::up_to(10).with(move |task, _| {
            if number(task) == 0 {
                flag.cancel();
            }
            Ok(square(task))
        });
        let outcome = execute(&job, &threads(1), &cancel, &|_| ()).unwrap();
        assert!(matches!(outcome, Outcome::Complete(_)));
    }

    #[test]
    fn a_failed_task_is_named_and_the_others_are_done() {
        let job = Squares::up_to(100).with(|task, _| match number(task) {
            7 | 70 => Err(TaskError::Failed(io::Error::other("engine"))),
            _ => Ok(square(task)),
        });
        let outcome = execute(&job, &threads(4), Cancel::NEVER, &|_| ()).unwrap();
        let Outcome::Complete(mut complete) = outcome else {
            panic!("{outcome:?}");
        };
        complete.failed.sort_unstable();
        assert_eq!(complete.failed, ["7", "70"]);
        assert_eq!(complete.report.len(), 98);
    }

    #[test]
    fn a_fatal_error_ends_the_run_and_what_is_finished_is_kept() {
        let directory = tempdir().unwrap();
        let ledger = directory.path().join("ledger");
        let job = Squares::up_to(1000).with(|task, env| match number(task) {
            500 => Err(TaskError::Fatal(io::Error::other("disk"))),
            // These end only after the error.
            997.. => until_cancelled(env),
            _ => Ok(square(task)),
        });
        let options = RunOptions {
            ledger: Some(ledger.clone()),
            ..threads(4)
        };
        let error = execute(&job, &options, Cancel::NEVER, &|_| ()).unwrap_err();
        assert!(
            matches!(&error, RunError::Task { task, source } if task == "500" && source.to_string() == "disk"),
            "{error:?}"
        );
        let lines = fs::read_to_string(&ledger).unwrap().lines().count();
        // The header, the run, and 996 down to 501.
        assert_eq!(lines, 2 + 496);
    }

    #[test]
    fn an_output_that_cannot_be_absorbed_ends_the_run() {
        let job = Squares::up_to(1000).with(|task, env| match number(task) {
            500 => Ok(u64::MAX),
            997.. => until_cancelled(env),
            _ => Ok(square(task)),
        });
        let error = execute(&job, &threads(4), Cancel::NEVER, &|_| ()).unwrap_err();
        assert!(matches!(error, RunError::Task { task, .. } if task == "500"));
    }

    #[test]
    fn a_panic_ends_the_run_with_that_panic() {
        let job = Squares::up_to(1000).with(|task, env| match number(task) {
            500 => panic!("in a task"),
            997.. => until_cancelled(env),
            _ => Ok(square(task)),
        });
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            execute(&job, &threads(4), Cancel::NEVER, &|_| ()).map(drop)
        }));
        let payload = panicked.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"in a task"));
    }

    fn with_ledger(path: &Path, shard: Option<&str>) -> RunOptions {
        RunOptions {
            ledger: Some(path.to_owned()),
            shard: shard.map(|text| text.parse::<Shard>().unwrap()),
            ..threads(3)
        }
    }

    #[test]
    fn a_ledger_serves_what_it_holds_and_a_selection_may_grow() {
        let directory = tempdir().unwrap();
        let ledger = directory.path().join("ledger");
        let options = with_ledger(&ledger, None);
        assert_eq!(complete(&Squares::up_to(10), &options), squares_up_to(10));
        let only_new = Squares::up_to(30).with(|task, _| {
            assert!(number(task) >= 10, "computed again");
            Ok(square(task))
        });
        assert_eq!(complete(&only_new, &options), squares_up_to(30));
        let nothing = Squares::up_to(20).with(|_, _| panic!("computed again"));
        assert_eq!(complete(&nothing, &options), squares_up_to(20));

        let cubes = Squares {
            power: 3,
            ..Squares::up_to(10)
        };
        let error = execute(&cubes, &options, Cancel::NEVER, &|_| ()).unwrap_err();
        assert!(
            matches!(error, RunError::Ledger(LedgerError::OtherSettings { .. })),
            "{error:?}"
        );
    }

    #[test]
    fn a_result_is_in_the_ledger_when_its_task_is_reported_as_finished() {
        let directory = tempdir().unwrap();
        let ledger = directory.path().join("ledger");
        let observer = |event: Event| {
            if let Event::Finished(task) = event {
                let line = format!("{{\"task\":\"{}\"", task.id());
                let text = fs::read_to_string(&ledger).unwrap();
                assert!(text.contains(&line), "{line} in {text}");
            }
        };
        let options = with_ledger(&ledger, None);
        let outcome = execute(&Squares::up_to(20), &options, Cancel::NEVER, &observer);
        assert!(matches!(outcome.unwrap(), Outcome::Complete(_)));
    }

    #[test]
    fn results_of_another_version_are_not_mixed_in() {
        let directory = tempdir().unwrap();
        let ledger = directory.path().join("ledger");
        complete(&Squares::up_to(5), &with_ledger(&ledger, None));
        let text = fs::read_to_string(&ledger).unwrap();
        // The same job by a version that computes other results.
        let newer = Identity::new(Squares::VERB, Squares::RESULTS + 1, &2).unwrap();
        let run = RunRecord {
            job: to_raw_value(&Squares::up_to(5)).unwrap(),
            shard: None,
        };
        let message = Ledger::open(&ledger, newer, &run).unwrap_err().to_string();
        assert!(message.contains("other results"), "{message}");
        assert_eq!(fs::read_to_string(&ledger).unwrap(), text);
    }

    #[test]
    fn shards_merge_to_the_report_of_one_run_and_missing_tasks_are_named() {
        let directory = tempdir().unwrap();
        let ledgers: Vec<PathBuf> = (1..=3)
            .map(|i| directory.path().join(i.to_string()))
            .collect();
        for (index, ledger) in (1..).zip(&ledgers) {
            let options = with_ledger(ledger, Some(&format!("{index}/3")));
            let outcome = execute(&Squares::up_to(10), &options, Cancel::NEVER, &|_| ());
            let outcome = outcome.unwrap();
            assert!(
                matches!(outcome, Outcome::ShardComplete { total: 10, .. }),
                "{outcome:?}"
            );
        }
        let part = merge::<Squares>(&ledgers[..2]).unwrap();
        assert_eq!(part.report, None);
        assert_eq!(part.missing, ["1", "4", "7"]);
        for order in [[0, 1, 2], [2, 0, 1]] {
            let paths = order.map(|i| ledgers[i].clone());
            let merged = merge::<Squares>(&paths).unwrap();
            assert_eq!(merged.report, Some(squares_up_to(10)));
            assert!(merged.missing.is_empty() && merged.torn.is_empty());
        }
    }

    #[test]
    fn ledgers_of_different_selections_are_merged_into_all_of_them() {
        let directory = tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| directory.path().join(name));
        complete(&Squares::up_to(5), &with_ledger(&a, None));
        let more = Squares {
            numbers: (3..9).collect(),
            ..Squares::up_to(0)
        };
        complete(&more, &with_ledger(&b, None));
        let merged = merge::<Squares>(&[a, b]).unwrap();
        assert_eq!(merged.report, Some(squares_up_to(9)));
    }

    #[test]
    fn ledgers_that_conflict_are_refused_with_the_task_and_both_names() {
        let directory = tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| directory.path().join(name));
        complete(&Squares::up_to(5), &with_ledger(&a, None));
        let wrong = Squares::up_to(5).with(|task, _| Ok(number(task) * 3));
        complete(&wrong, &with_ledger(&b, None));
        let message = merge::<Squares>(&[a.clone(), b.clone()])
            .map(drop)
            .unwrap_err()
            .to_string();
        for named in [&a, &b] {
            assert!(message.contains(&named.display().to_string()), "{message}");
        }
    }
}
