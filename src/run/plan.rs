//! What is to be computed, cut into tasks.
//!
//! In walk the settings that decide the results and the names of the tasks, each with a guess at what it costs. Out
//! walk the tasks, in the order of the output or longest first, and a hash: two plans with the same hash ask for the
//! same results, so that what one has computed the other may use.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde_json::json;
use sha2::{Digest, Sha256};

use super::shard::Shard;

/// A piece of work that is done or not done, never half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    name: String,
    index: usize,
    cost: u64,
}

impl Task {
    /// What the task is called, in every run of the plan.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its result stands in the output.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How long it is guessed to take, in any unit that is the same for the whole plan.
    pub fn cost(&self) -> u64 {
        self.cost
    }
}

/// All tasks of a job, and the settings that decide their results.
#[derive(Clone, Debug)]
pub struct Plan {
    description: BTreeMap<String, String>,
    tasks: Vec<Task>,
    indices: HashMap<String, usize>,
    hash: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("the plan has two tasks called {0:?}")]
    SameTask(String),
    #[error("the plan is described by two values of {0:?}")]
    SameSetting(String),
}

impl Plan {
    /// Plans tasks, given by name and cost in the order of the output.
    ///
    /// The description has to name everything that decides a result, down to the version of what computes it, and
    /// nothing that does not: results are kept and merged as long as it stays the same. The order of the settings
    /// and the costs make no difference to that.
    ///
    /// ```
    /// use ninesixty::run::Plan;
    ///
    /// let settings = [("verb", "perft"), ("depth", "6")];
    /// let plan = Plan::new(settings, [("0", 5), ("518", 9)])?;
    /// assert_eq!(plan.tasks()[1].name(), "518");
    /// assert_eq!(plan.longest_first()[0].name(), "518");
    /// # Ok::<(), ninesixty::run::PlanError>(())
    /// ```
    pub fn new<K, V, N>(
        settings: impl IntoIterator<Item = (K, V)>,
        tasks: impl IntoIterator<Item = (N, u64)>,
    ) -> Result<Plan, PlanError>
    where
        K: Into<String>,
        V: Into<String>,
        N: Into<String>,
    {
        let mut description = BTreeMap::new();
        for (key, value) in settings {
            let key = key.into();
            if description.insert(key.clone(), value.into()).is_some() {
                return Err(PlanError::SameSetting(key));
            }
        }
        let numbered = tasks.into_iter().enumerate();
        let tasks: Vec<_> = numbered
            .map(|(index, (name, cost))| Task {
                name: name.into(),
                index,
                cost,
            })
            .collect();
        let mut indices = HashMap::with_capacity(tasks.len());
        for task in &tasks {
            if indices.insert(task.name.clone(), task.index).is_some() {
                return Err(PlanError::SameTask(task.name.clone()));
            }
        }
        let hash = hash(&description, &tasks);
        Ok(Plan {
            description,
            tasks,
            indices,
            hash,
        })
    }

    /// The settings, by their names.
    pub fn description(&self) -> &BTreeMap<String, String> {
        &self.description
    }

    /// All tasks in the order of the output.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The task of this name, if there is one.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.indices.get(name).map(|&index| &self.tasks[index])
    }

    /// 32 hexadecimal digits that are the same for the same description and task names, on every machine.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All tasks, those that cost most in front: begun last, such a task would keep one core busy and the others
    /// waiting.
    pub fn longest_first(&self) -> Vec<&Task> {
        let mut tasks: Vec<_> = self.tasks.iter().collect();
        tasks.sort_by_key(|task| (Reverse(task.cost), task.index));
        tasks
    }

    /// The tasks of a shard, longest first. The shards of one count have no task in common and together all, and the
    /// cost of any two differs by no more than that of the longest task.
    pub fn shard(&self, shard: Shard) -> Vec<&Task> {
        let sorted = self.longest_first().into_iter();
        sorted
            .skip(shard.index() - 1)
            .step_by(shard.count())
            .collect()
    }

    /// How another plan differs from this one, in words.
    pub(super) fn differences(&self, other: &Plan) -> String {
        let mut differences = Vec::new();
        for (key, here) in &self.description {
            match other.description.get(key) {
                Some(there) if there == here => {}
                Some(there) => {
                    differences.push(format!("{key} is {there:?} there and {here:?} here"));
                }
                None => differences.push(format!("{key} is {here:?} here and not given there")),
            }
        }
        for (key, there) in &other.description {
            if !self.description.contains_key(key) {
                differences.push(format!("{key} is {there:?} there and not given here"));
            }
        }
        differences.extend(self.difference_in_tasks(other));
        differences.join(", ")
    }

    fn difference_in_tasks(&self, other: &Plan) -> Option<String> {
        let (here, there) = (self.tasks.len(), other.tasks.len());
        if here != there {
            return Some(format!("there are {there} tasks there and {here} here"));
        }
        let mut pairs = self.tasks.iter().zip(&other.tasks);
        let (here, there) = pairs.find(|(here, there)| here.name != there.name)?;
        Some(format!(
            "task {} is {:?} there and {:?} here",
            here.index + 1,
            there.name,
            here.name
        ))
    }
}

fn hash(description: &BTreeMap<String, String>, tasks: &[Task]) -> String {
    let names: Vec<_> = tasks.iter().map(Task::name).collect();
    // JSON, because its quotation marks keep apart what merely written one after another could read the same.
    digest(&[&json!([description, names]).to_string()])
}

/// The first half of the SHA-256 of texts that are separated by line feeds.
pub(super) fn digest(texts: &[&str]) -> String {
    let digest = Sha256::digest(texts.join("\n"));
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn plan(settings: &[(&str, &str)], tasks: &[(&str, u64)]) -> Plan {
        Plan::new(settings.iter().copied(), tasks.iter().copied()).unwrap()
    }

    fn names(tasks: &[&Task]) -> Vec<String> {
        tasks.iter().map(|task| task.name.clone()).collect()
    }

    /// Costs as uneven as those of real tasks, the same in every run.
    fn uneven(count: usize) -> Plan {
        let cost = |i: u64| 1_000 + i.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 9_001;
        let tasks = (0..count as u64).map(|i| (i.to_string(), cost(i)));
        Plan::new([("verb", "test")], tasks).unwrap()
    }

    #[test]
    fn the_longest_task_comes_first_and_equal_ones_in_order() {
        let plan = plan(&[], &[("a", 1), ("b", 3), ("c", 1), ("d", 3), ("e", 2)]);
        assert_eq!(names(&plan.longest_first()), ["b", "d", "e", "a", "c"]);
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
    fn the_hash_is_the_sha256_of_a_text_that_any_tool_can_hash() {
        let plan = plan(
            &[("verb", "perft"), ("depth", "6")],
            &[("0", 5), ("518", 9)],
        );
        // printf '%s' '[{"depth":"6","verb":"perft"},["0","518"]]' | sha256sum | cut -c 1-32
        assert_eq!(plan.hash(), "796432176256e4c96547c3e0751f655f");
    }

    #[test]
    fn every_setting_and_task_name_counts_for_the_hash_and_nothing_else() {
        let settings = [("depth", "6"), ("verb", "perft")];
        let one = plan(&settings, &[("0", 5), ("518", 9)]);
        let same = plan(
            &[("verb", "perft"), ("depth", "6")],
            &[("0", 7), ("518", 1)],
        );
        assert_eq!(one.hash(), same.hash());
        let others = [
            plan(
                &[("depth", "7"), ("verb", "perft")],
                &[("0", 5), ("518", 9)],
            ),
            plan(&[("depth", "6")], &[("0", 5), ("518", 9)]),
            plan(&settings, &[("0", 5)]),
            plan(&settings, &[("518", 9), ("0", 5)]),
            plan(&settings, &[("0", 5), ("519", 9)]),
            plan(&settings, &[("0\",\"518", 5)]),
            plan(
                &[("depth", "6\",\"verb\":\"perft")],
                &[("0", 5), ("518", 9)],
            ),
        ];
        let hashes: HashSet<_> = others.iter().chain([&one]).map(Plan::hash).collect();
        assert_eq!(hashes.len(), others.len() + 1);
    }

    #[test]
    fn a_name_stands_for_one_task_and_one_setting() {
        let none: [(&str, &str); 0] = [];
        assert_eq!(
            Plan::new(none, [("0", 1), ("1", 1), ("0", 1)]).unwrap_err(),
            PlanError::SameTask("0".to_owned())
        );
        assert_eq!(
            Plan::new([("depth", "6"), ("depth", "7")], [("0", 1)]).unwrap_err(),
            PlanError::SameSetting("depth".to_owned())
        );
    }

    #[test]
    fn a_task_is_found_by_its_name() {
        let plan = plan(&[], &[("a", 1), ("b", 3)]);
        assert_eq!(plan.task("b").map(Task::index), Some(1));
        assert_eq!(plan.task("c"), None);
    }

    #[test]
    fn differences_are_named() {
        let here = plan(&[("depth", "6"), ("verb", "perft")], &[("0", 1)]);
        let there = plan(&[("depth", "7"), ("seed", "1")], &[("0", 1), ("1", 1)]);
        assert_eq!(
            here.differences(&there),
            "depth is \"7\" there and \"6\" here, verb is \"perft\" here and not given there, \
             seed is \"1\" there and not given here, there are 2 tasks there and 1 here"
        );
        let renamed = plan(&[("depth", "6"), ("verb", "perft")], &[("5", 1)]);
        assert_eq!(
            here.differences(&renamed),
            "task 1 is \"5\" there and \"0\" here"
        );
    }
}
