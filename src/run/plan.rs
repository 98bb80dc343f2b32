//! A job cut into tasks.
//!
//! A job lists the rows of its output, each with the task that computes it: an id that says *what* is computed, a name
//! for people, and an estimate of its cost. Rows that need the same computation share a task. The plan hands out the
//! tasks longest first, or one [`Shard`] of them.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::shard::Shard;

/// A unit of work that is finished or not, never half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    id: String,
    name: String,
    index: usize,
    cost: u64,
    first_row: usize,
    rows: usize,
}

impl Task {
    /// What the task computes. Equal ids mean equal results, in every run and on every machine.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What to call it in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its place among the tasks of the plan.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How long it is expected to take, in any unit that is the same for the whole plan.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The first row of the output that it computes.
    pub fn first_row(&self) -> usize {
        self.first_row
    }

    /// How many rows of the output it computes.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// The tasks of a job, each once, and which of them computes each row of the output.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    tasks: Vec<Task>,
    rows: Vec<usize>,
    by_id: HashMap<String, usize>,
}

/// Plans the rows of an output: id, name and cost of the task behind each.
///
/// ```
/// use ninesixty::run::Plan;
///
/// let plan: Plan = [("0", "start 0", 5), ("518", "start 518", 9), ("0", "line 3", 5)].into_iter().collect();
/// assert_eq!(plan.tasks().len(), 2);
/// assert_eq!(plan.longest_first()[0].name(), "start 518");
/// assert_eq!(plan.row(2).name(), "start 0");
/// ```
impl<I: Into<String>, N: Into<String>> FromIterator<(I, N, u64)> for Plan {
    fn from_iter<R: IntoIterator<Item = (I, N, u64)>>(rows: R) -> Plan {
        let mut plan = Plan::default();
        for (id, name, cost) in rows {
            plan.push(id.into(), name.into(), cost);
        }
        plan
    }
}

impl Plan {
    fn push(&mut self, id: String, name: String, cost: u64) {
        let next = self.tasks.len();
        let index = *self.by_id.entry(id.clone()).or_insert(next);
        if index == next {
            self.tasks.push(Task {
                id,
                name,
                index,
                cost,
                first_row: self.rows.len(),
                rows: 0,
            });
        }
        self.tasks[index].rows += 1;
        self.rows.push(index);
    }

    /// All tasks in the order in which rows first need them.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The task with this id.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.by_id.get(id).map(|&index| &self.tasks[index])
    }

    /// How many rows the output has.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The task behind a row of the output.
    pub fn row(&self, row: usize) -> &Task {
        &self.tasks[self.rows[row]]
    }

    /// The output behind each row, from outputs that are given with the index of their task in any order. A row whose task
    /// gave none is `None`.
    ///
    /// ```
    /// use ninesixty::run::Plan;
    ///
    /// let plan: Plan = [("a", "a", 1), ("b", "b", 1), ("a", "a", 1), ("c", "c", 1)].into_iter().collect();
    /// assert_eq!(plan.outputs_by_row([(1, "B"), (0, "A")]), [Some("A"), Some("B"), Some("A"), None]);
    /// ```
    pub fn outputs_by_row<T: Clone>(
        &self,
        outputs: impl IntoIterator<Item = (usize, T)>,
    ) -> Vec<Option<T>> {
        let mut by_task = vec![None; self.tasks.len()];
        for (task, output) in outputs {
            by_task[task] = Some(output);
        }
        let rows = self.rows.iter();
        rows.map(|&task| by_task[task].clone()).collect()
    }

    /// All tasks, the most expensive first: started last, such a task would keep one core busy while the others idle.
    pub fn longest_first(&self) -> Vec<&Task> {
        let mut tasks: Vec<_> = self.tasks.iter().collect();
        tasks.sort_by_key(|task| (Reverse(task.cost), task.index));
        tasks
    }

    /// The tasks of a shard, longest first. Shards of one count are disjoint and together cover the plan, and the
    /// costs of any two differ by no more than the most expensive task.
    pub fn shard(&self, shard: Shard) -> Vec<&Task> {
        let sorted = self.longest_first().into_iter();
        sorted
            .skip(shard.index() - 1)
            .step_by(shard.count())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(tasks: &[(&str, u64)]) -> Plan {
        tasks.iter().map(|&(id, cost)| (id, id, cost)).collect()
    }

    fn ids(tasks: &[&Task]) -> Vec<String> {
        tasks.iter().map(|task| task.id.clone()).collect()
    }

    /// Costs as uneven as those of real tasks, the same in every run.
    fn uneven(count: usize) -> Plan {
        let cost = |i: u64| 1_000 + i.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 9_001;
        (0..count as u64)
            .map(|i| (i.to_string(), i.to_string(), cost(i)))
            .collect()
    }

    #[test]
    fn the_longest_task_comes_first_and_equal_ones_in_order() {
        let plan = plan(&[("a", 1), ("b", 3), ("c", 1), ("d", 3), ("e", 2)]);
        assert_eq!(ids(&plan.longest_first()), ["b", "d", "e", "a", "c"]);
    }

    #[test]
    fn shards_are_disjoint_and_cover_the_plan() {
        for (tasks, counts) in [(960, 1..=40), (7, 1..=20), (0, 1..=3)] {
            let plan = uneven(tasks);
            for count in counts {
                let shards = (1..=count).map(|i| plan.shard(Shard::new(i, count).unwrap()));
                let mut all: Vec<_> = shards.flatten().map(Task::index).collect();
                all.sort_unstable();
                assert_eq!(all, (0..tasks).collect::<Vec<_>>(), "{count} shards");
            }
        }
    }

    #[test]
    fn shards_differ_by_no_more_than_the_longest_task() {
        let plan = uneven(960);
        let longest = plan.longest_first()[0].cost;
        for count in 2..=40 {
            let cost = |i| -> u64 {
                let shard = Shard::new(i, count).unwrap();
                plan.shard(shard).iter().map(|task| task.cost).sum()
            };
            let costs: Vec<_> = (1..=count).map(cost).collect();
            let spread = costs.iter().max().unwrap() - costs.iter().min().unwrap();
            assert!(
                spread <= longest,
                "{count} shards differ by {spread} of {longest}"
            );
        }
    }

    #[test]
    fn rows_that_need_the_same_computation_share_a_task() {
        let plan = plan(&[("a", 1), ("b", 3), ("a", 1)]);
        assert_eq!(plan.rows(), 3);
        assert_eq!(
            (0..3).map(|row| plan.row(row).index()).collect::<Vec<_>>(),
            [0, 1, 0]
        );
        assert_eq!(plan.task("a").map(Task::rows), Some(2));
        assert_eq!(plan.task("c"), None);
    }
}
