//! Tasks taken to the cores.
//!
//! In walk tasks, longest first, and what to do with one; out walk results, one at a time and in the order in which
//! they are ready, to a single place that may write them down without a lock. A worker takes the next task when it
//! has finished one, and owns what it needs to work with.

use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::plan::Task;
use super::stop::{Signal, Stop};

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum End {
    /// Every task has its result.
    Finished,
    /// A signal came before that.
    Stopped(Signal),
}

/// Does tasks in the order given, on so many workers at once.
///
/// - `make_worker` gives the worker of that number, from 0, what it owns; called on the worker's own thread.
/// - `work` does a task. While it does, it asks the [`Stop`] it is given now and then, and if that is set may give up
///   and return `None`.
/// - `done` gets each result, on the thread that called `run_tasks`.
///
/// After a stop no task is begun, but what is finished still goes to `done`. The first error ends the run in the same
/// way; after an error of `done` itself, `done` is not called again. A panic of any of the three ends the run with
/// that panic.
pub fn run_tasks<'t, W, R, E>(
    tasks: &[&'t Task],
    workers: NonZeroUsize,
    stop: &Stop,
    make_worker: impl Fn(usize) -> Result<W, E> + Sync,
    work: impl Fn(&mut W, &'t Task, &Stop) -> Result<Option<R>, E> + Sync,
    done: impl FnMut(&'t Task, R) -> Result<(), E>,
) -> Result<End, E>
where
    R: Send,
    E: From<io::Error> + Send,
{
    let run = Run {
        tasks,
        next: AtomicUsize::new(0),
        stop: stop.for_one_run(),
    };
    let serve = |number, results: Sender<_>| {
        let _halt = HaltOnPanic(&run.stop);
        let outcome = make_worker(number).and_then(|mut worker| {
            run.take_tasks(&results, |task| work(&mut worker, task, &run.stop))
        });
        if let Err(error) = outcome {
            run.fail(&results, error);
        }
    };
    let delivered = thread::scope(|scope| {
        let _halt = HaltOnPanic(&run.stop);
        let (sender, results) = mpsc::channel();
        let mut threads = Vec::new();
        for number in 0..workers.get().min(tasks.len()) {
            let (results, serve) = (sender.clone(), &serve);
            let thread = thread::Builder::new().name(format!("worker {number}"));
            match thread.spawn_scoped(scope, move || serve(number, results)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    run.fail(&sender, cannot_start(number, &error).into());
                    break;
                }
            }
        }
        drop(sender);
        let delivered = run.deliver(results, done);
        for thread in threads {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        delivered
    })?;
    if delivered == tasks.len() {
        return Ok(End::Finished);
    }
    let signal = stop.requested();
    Ok(End::Stopped(signal.expect(
        "a task is given up only when a signal asks for it",
    )))
}

/// What the workers of one run share.
struct Run<'r, 't> {
    tasks: &'r [&'t Task],
    next: AtomicUsize,
    stop: Stop,
}

type Ready<'t, R, E> = Result<(&'t Task, R), E>;

impl<'t> Run<'_, 't> {
    /// A worker's day.
    fn take_tasks<R, E>(
        &self,
        results: &Sender<Ready<'t, R, E>>,
        mut work: impl FnMut(&'t Task) -> Result<Option<R>, E>,
    ) -> Result<(), E> {
        while !self.stop.is_set()
            && let Some(&task) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed))
            && let Some(result) = work(task)?
            && results.send(Ok((task, result))).is_ok()
        {}
        Ok(())
    }

    fn fail<R, E>(&self, results: &Sender<Ready<'t, R, E>>, error: E) {
        self.stop.halt();
        // Nobody listens any more after the error that counts, the first one.
        let _ = results.send(Err(error));
    }

    /// Hands over results until all workers have gone home, and counts them.
    fn deliver<R, E>(
        &self,
        results: Receiver<Ready<'t, R, E>>,
        mut done: impl FnMut(&'t Task, R) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut delivered = 0;
        let mut failure = None;
        for ready in results {
            match ready {
                Ok((task, result)) => {
                    if let Err(error) = done(task, result) {
                        self.stop.halt();
                        return Err(failure.unwrap_or(error));
                    }
                    delivered += 1;
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(delivered), Err)
    }
}

fn cannot_start(number: usize, error: &io::Error) -> io::Error {
    let message = format!("cannot start thread {}: {error}", number + 1);
    io::Error::new(error.kind(), message)
}

/// Ends the run when the thread that holds it panics. The other threads would first do all tasks that are left.
struct HaltOnPanic<'r>(&'r Stop);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.halt();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::thread::ThreadId;
    use std::time::{Duration, Instant};

    use super::super::Plan;
    use super::*;

    fn plan(count: usize) -> Plan {
        let tasks = (0..count).map(|i| (i.to_string(), (count - i) as u64));
        Plan::new([("verb", "test")], tasks).unwrap()
    }

    fn workers(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    fn no_scratch(_: usize) -> io::Result<()> {
        Ok(())
    }

    /// Work that only a stop ends.
    fn until_stopped(stop: &Stop) -> io::Result<Option<usize>> {
        let began = Instant::now();
        while !stop.is_set() {
            assert!(began.elapsed() < Duration::from_secs(600), "never stopped");
            thread::sleep(Duration::from_millis(1));
        }
        Ok(None)
    }

    #[test]
    fn every_task_is_done_once_on_any_number_of_workers() {
        for (count, threads) in [
            (0, 1),
            (1, 1),
            (1, 8),
            (100, 1),
            (100, 2),
            (100, 8),
            (3, 1000),
        ] {
            let plan = plan(count);
            let mut results = vec![None; count];
            let end = run_tasks(
                &plan.longest_first(),
                workers(threads),
                &Stop::default(),
                no_scratch,
                |(), task, _| Ok(Some(task.index() * 7)),
                |task, result| {
                    assert_eq!(results[task.index()].replace(result), None);
                    Ok(())
                },
            );
            assert_eq!(end.unwrap(), End::Finished);
            assert!((0..count).all(|i| results[i] == Some(i * 7)));
        }
    }

    #[test]
    fn one_worker_keeps_the_order() {
        let plan = plan(50);
        let mut order = Vec::new();
        let end = run_tasks(
            &plan.longest_first(),
            workers(1),
            &Stop::default(),
            no_scratch,
            |(), task, _| Ok(Some(task.cost())),
            |_, cost| {
                order.push(cost);
                Ok(())
            },
        );
        assert_eq!(end.unwrap(), End::Finished);
        assert_eq!(order, (1..=50).rev().collect::<Vec<_>>());
    }

    #[test]
    fn a_worker_owns_its_scratch_and_results_come_to_the_calling_thread() {
        let plan = plan(200);
        let caller = thread::current().id();
        let numbers = Mutex::new(Vec::new());
        let mut seen: HashSet<(usize, ThreadId)> = HashSet::new();
        // A cell cannot be shared between threads, so this would not compile if workers did.
        let end = run_tasks(
            &plan.longest_first(),
            workers(4),
            &Stop::default(),
            |number| -> io::Result<_> {
                numbers.lock().unwrap().push(number);
                Ok((number, Cell::new(0)))
            },
            |(number, calls), _, _| {
                calls.set(calls.get() + 1);
                Ok(Some((*number, thread::current().id())))
            },
            |_, worker| {
                assert_eq!(thread::current().id(), caller);
                seen.insert(worker);
                Ok(())
            },
        );
        assert_eq!(end.unwrap(), End::Finished);
        let mut numbers = numbers.into_inner().unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2, 3]);
        let threads: HashSet<_> = seen.iter().map(|(_, thread)| thread).collect();
        assert_eq!(threads.len(), seen.len());
        assert!(!threads.contains(&caller));
    }

    #[test]
    fn a_stop_ends_the_run_and_what_is_finished_is_delivered() {
        let plan = plan(1000);
        let stop = Stop::default();
        let (finished, mut delivered) = (AtomicUsize::new(0), 0);
        let end = run_tasks(
            &plan.longest_first(),
            workers(4),
            &stop,
            no_scratch,
            |(), task, stop| match task.index() {
                0..3 => until_stopped(stop),
                index => {
                    finished.fetch_add(1, Ordering::Relaxed);
                    Ok(Some(index))
                }
            },
            |_, index| {
                delivered += 1;
                if index == 100 {
                    stop.request(Signal::Terminate);
                }
                Ok(())
            },
        );
        assert_eq!(end.unwrap(), End::Stopped(Signal::Terminate));
        assert!((98..=997).contains(&delivered), "{delivered}");
        assert_eq!(delivered, finished.into_inner());
    }

    #[test]
    fn after_a_stop_no_task_is_begun() {
        let plan = plan(10);
        let stop = Stop::default();
        stop.request(Signal::Interrupt);
        let end: io::Result<End> = run_tasks(
            &plan.longest_first(),
            workers(2),
            &stop,
            no_scratch,
            |(), _, _| -> io::Result<Option<()>> { panic!("begun") },
            |_, ()| Ok(()),
        );
        assert_eq!(end.unwrap(), End::Stopped(Signal::Interrupt));
    }

    #[test]
    fn a_stop_after_the_last_task_changes_nothing() {
        let plan = plan(10);
        let stop = Stop::default();
        let end = run_tasks(
            &plan.longest_first(),
            workers(1),
            &stop,
            no_scratch,
            |(), task, _| {
                if task.index() == 9 {
                    stop.request(Signal::Interrupt);
                }
                Ok(Some(()))
            },
            |_, ()| Ok(()),
        );
        assert_eq!(end.unwrap(), End::Finished);
    }

    #[test]
    fn a_failed_task_ends_the_run_with_its_error_and_the_others_results() {
        let plan = plan(1000);
        let mut delivered = 0;
        let end = run_tasks(
            &plan.longest_first(),
            workers(4),
            &Stop::default(),
            no_scratch,
            |(), task, stop| match task.index() {
                500 => Err(io::Error::other("task 500")),
                // These are finished only after the error.
                index @ 0..3 => until_stopped(stop).map(|_| Some(index)),
                index => Ok(Some(index)),
            },
            |_, _| {
                delivered += 1;
                Ok(())
            },
        );
        assert_eq!(end.unwrap_err().to_string(), "task 500");
        assert_eq!(delivered, 500);
    }

    #[test]
    fn a_result_that_cannot_be_taken_ends_the_run() {
        let plan = plan(1000);
        let mut calls = 0;
        let end = run_tasks(
            &plan.longest_first(),
            workers(4),
            &Stop::default(),
            no_scratch,
            |(), task, stop| match task.index() {
                0..3 => until_stopped(stop),
                index => Ok(Some(index)),
            },
            |_, index| {
                calls += 1;
                if index == 10 {
                    Err(io::Error::other("disk full"))
                } else {
                    Ok(())
                }
            },
        );
        assert_eq!(end.unwrap_err().to_string(), "disk full");
        assert_eq!(calls, 8);
    }

    #[test]
    fn a_worker_that_cannot_be_made_ends_the_run() {
        let plan = plan(1000);
        let end = run_tasks(
            &plan.longest_first(),
            workers(4),
            &Stop::default(),
            |number| match number {
                3 => Err(io::Error::other("no engine")),
                _ => Ok(()),
            },
            |(), _, stop| until_stopped(stop),
            |_, _| Ok(()),
        );
        assert_eq!(end.unwrap_err().to_string(), "no engine");
    }

    #[test]
    fn a_panic_anywhere_ends_the_run_with_that_panic() {
        let plan = plan(1000);
        for place in ["make_worker", "work", "done"] {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                run_tasks(
                    &plan.longest_first(),
                    workers(4),
                    &Stop::default(),
                    |number| -> io::Result<()> {
                        assert!(place != "make_worker" || number != 3, "in make_worker");
                        Ok(())
                    },
                    |(), task, stop| match task.index() {
                        0..3 => until_stopped(stop),
                        10 if place == "make_worker" => until_stopped(stop),
                        10 if place == "work" => panic!("in work"),
                        index => Ok(Some(index)),
                    },
                    |_, index| {
                        assert!(place != "done" || index != 10, "in done");
                        Ok(())
                    },
                )
            }));
            let payload = panicked.unwrap_err();
            let message = payload.downcast_ref::<&str>().copied();
            assert_eq!(message, Some(format!("in {place}").as_str()));
        }
    }

    #[test]
    #[should_panic(expected = "a task is given up only when a signal asks for it")]
    fn giving_up_without_being_asked_is_a_bug() {
        let plan = plan(10);
        let end: io::Result<End> = run_tasks(
            &plan.longest_first(),
            workers(2),
            &Stop::default(),
            no_scratch,
            |(), _, _| Ok(None::<()>),
            |_, ()| Ok(()),
        );
        assert!(end.is_err());
    }
}
