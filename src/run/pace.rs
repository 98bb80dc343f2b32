//! How long the rest will take.
//!
//! In walk the tasks to do, those done and the time gone; out walk a share and a duration. A task counts as much as
//! it costs: with the longest first, half the tasks are more than half of the work.

use std::time::Duration;

use super::plan::Task;

/// How far a run has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    total: u128,
    done: u128,
}

impl Pace {
    /// The pace of a run that has these tasks to do, none of them done.
    pub fn new<'t>(tasks: impl IntoIterator<Item = &'t Task>) -> Pace {
        Pace {
            total: tasks.into_iter().map(weight).sum(),
            done: 0,
        }
    }

    pub fn advance(&mut self, task: &Task) {
        self.done = (self.done + weight(task)).min(self.total);
    }

    /// How much of the work is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total == 0 {
            1.0
        } else {
            self.done as f64 / self.total as f64
        }
    }

    /// How long the rest takes if it goes on as it went in the time since the run began. `None` as long as nothing is
    /// done.
    pub fn remaining(&self, elapsed: Duration) -> Option<Duration> {
        if self.done == self.total {
            return Some(Duration::ZERO);
        }
        let left = (self.total - self.done) as f64;
        // Division by nothing done gives infinity, which is no duration.
        Duration::try_from_secs_f64(elapsed.as_secs_f64() * left / self.done as f64).ok()
    }
}

/// Even a task that seems to cost nothing takes some time.
fn weight(task: &Task) -> u128 {
    task.cost().max(1).into()
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;

    fn plan(costs: &[u64]) -> Plan {
        let tasks = costs.iter().enumerate();
        Plan::new([("", "")], tasks.map(|(i, &cost)| (i.to_string(), cost))).unwrap()
    }

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn the_rest_goes_at_the_pace_of_what_is_done() {
        let plan = plan(&[60, 30, 10]);
        let [long, middle, short] = plan.tasks() else {
            unreachable!()
        };
        let mut pace = Pace::new(plan.tasks());
        assert_eq!(pace.share(), 0.0);
        pace.advance(long);
        assert_eq!(pace.share(), 0.6);
        assert_eq!(pace.remaining(seconds(120)), Some(seconds(80)));
        pace.advance(short);
        assert_eq!(pace.remaining(seconds(140)), Some(seconds(60)));
        pace.advance(middle);
        assert_eq!(pace.share(), 1.0);
        assert_eq!(pace.remaining(seconds(200)), Some(Duration::ZERO));
    }

    #[test]
    fn nothing_is_promised_before_anything_is_done() {
        let plan = plan(&[1, 2]);
        let pace = Pace::new(plan.tasks());
        assert_eq!(pace.remaining(Duration::ZERO), None);
        assert_eq!(pace.remaining(seconds(5)), None);
    }

    #[test]
    fn a_run_without_work_is_done() {
        let pace = Pace::new([]);
        assert_eq!(pace.share(), 1.0);
        assert_eq!(pace.remaining(seconds(5)), Some(Duration::ZERO));
    }

    #[test]
    fn the_largest_and_the_smallest_costs_do_no_harm() {
        let large = plan(&[u64::MAX, u64::MAX, 0]);
        let [first, _, free] = large.tasks() else {
            unreachable!()
        };
        let mut pace = Pace::new(large.tasks());
        pace.advance(free);
        assert_eq!(pace.remaining(Duration::MAX), None);
        pace.advance(first);
        assert_eq!(pace.remaining(seconds(10)), Some(seconds(10)));

        let free = plan(&[0, 0, 0, 0]);
        let mut pace = Pace::new(free.tasks());
        pace.advance(&free.tasks()[0]);
        assert_eq!(pace.remaining(seconds(10)), Some(seconds(30)));
    }
}
