//! One machine's part of a plan.
//!
//! A [`Shard`] is parsed from `2/4`, or from `auto`, which takes index and count from the environment of a cluster's array
//! job.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};

use crate::table::read::parse_digits;

/// Shard `index` of `count`, the first being 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct Shard {
    index: usize,
    count: usize,
}

/// Why there is no such shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// The text has not the form `1/4`.
    #[error("{0:?} is not a shard: write 1/4 for the first of four, or auto")]
    Malformed(String),
    /// The index is not between 1 and the count.
    #[error("there is no shard {index} of {count}: they are numbered from 1 to their count")]
    Outside {
        /// The index.
        index: usize,
        /// How many shards there are.
        count: usize,
    },
    /// `auto` was asked for, but no array job is running.
    #[error("auto finds no array job: neither {SLURM_ID} nor {KUBERNETES_INDEX} is set")]
    NoArrayJob,
    /// A variable of the array job is not set.
    #[error("{given} is set, but {missing} is not, which says {meaning}")]
    Missing {
        /// The variable that is set.
        given: &'static str,
        /// The variable that is missing.
        missing: &'static str,
        /// What the missing variable says.
        meaning: &'static str,
    },
    /// A variable of the array job has an unexpected value.
    #[error("{variable} is {value:?} and not {expected}")]
    Value {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The ids of the array job are not evenly spaced.
    #[error(
        "{SLURM_ID} is {id}, which is none of {count} ids from {min} in steps of {step}: \
         auto needs an evenly spaced array, otherwise name the shard"
    )]
    Uneven {
        /// The id of this task.
        id: usize,
        /// How many tasks there are.
        count: usize,
        /// The smallest id.
        min: usize,
        /// The distance between two ids.
        step: usize,
    },
}

impl Shard {
    /// The only shard there is.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// The shard of this index, from 1 to `count`.
    pub fn new(index: usize, count: usize) -> Result<Shard, ShardError> {
        if (1..=count).contains(&index) {
            Ok(Shard { index, count })
        } else {
            Err(ShardError::Outside { index, count })
        }
    }

    /// The shard that an array job of Slurm or an indexed job of Kubernetes is to run. `variable` looks into the
    /// job's environment.
    ///
    /// Kubernetes tells a pod its index and not of how many; the job has to set `JOB_COMPLETION_COUNT` itself.
    pub fn of_array_job(variable: impl Fn(&str) -> Option<String>) -> Result<Shard, ShardError> {
        let environment = Environment(variable);
        if let Some(id) = environment.number(SLURM_ID)? {
            environment.slurm(id)
        } else if let Some(index) = environment.number(KUBERNETES_INDEX)? {
            let count = environment.count(KUBERNETES_INDEX, KUBERNETES_COUNT)?;
            Shard::new(index.saturating_add(1), count)
        } else {
            Err(ShardError::NoArrayJob)
        }
    }

    /// Which one it is: 1 to [`count`](Shard::count).
    pub fn index(self) -> usize {
        self.index
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.count
    }
}

/// `2/4`, or `auto` for the shard of the array job that this process belongs to.
impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        if text == "auto" {
            return Shard::of_array_job(|name| {
                std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
            });
        }
        let malformed = || ShardError::Malformed(text.to_owned());
        let (index, count) = text.split_once('/').ok_or_else(malformed)?;
        let number = |digits| parse_digits(digits).ok_or_else(malformed);
        Shard::new(number(index)?, number(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

const SLURM_ID: &str = "SLURM_ARRAY_TASK_ID";
const SLURM_COUNT: &str = "SLURM_ARRAY_TASK_COUNT";
const SLURM_MIN: &str = "SLURM_ARRAY_TASK_MIN";
const SLURM_STEP: &str = "SLURM_ARRAY_TASK_STEP";
const KUBERNETES_INDEX: &str = "JOB_COMPLETION_INDEX";
const KUBERNETES_COUNT: &str = "JOB_COMPLETION_COUNT";

struct Environment<F>(F);

impl<F: Fn(&str) -> Option<String>> Environment<F> {
    /// The ids of a Slurm array begin anywhere and may leave gaps: `--array=10-40:10` has 10, 20, 30 and 40.
    fn slurm(&self, id: usize) -> Result<Shard, ShardError> {
        let count = self.count(SLURM_ID, SLURM_COUNT)?;
        let min = self.number(SLURM_MIN)?.ok_or(ShardError::Missing {
            given: SLURM_ID,
            missing: SLURM_MIN,
            meaning: "where the ids begin",
        })?;
        let step = self.number(SLURM_STEP)?.unwrap_or(1);
        let distance = id.checked_sub(min);
        distance
            .filter(|distance| distance.is_multiple_of(step))
            .and_then(|distance| distance.checked_div(step))
            .and_then(|steps| Shard::new(steps.checked_add(1)?, count).ok())
            .ok_or(ShardError::Uneven {
                id,
                count,
                min,
                step,
            })
    }

    fn count(&self, given: &'static str, name: &'static str) -> Result<usize, ShardError> {
        match self.number(name)? {
            Some(0) => Err(ShardError::Value {
                variable: name,
                value: "0".to_owned(),
                expected: "a count of at least 1",
            }),
            Some(count) => Ok(count),
            None => Err(ShardError::Missing {
                given,
                missing: name,
                meaning: "how many there are",
            }),
        }
    }

    /// A variable that is set to nothing is not set.
    fn number(&self, name: &'static str) -> Result<Option<usize>, ShardError> {
        let Some(value) = (self.0)(name).filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        match parse_digits(&value) {
            Some(number) => Ok(Some(number)),
            None => Err(ShardError::Value {
                variable: name,
                value,
                expected: "a whole number",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(environment: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| {
            let found = environment.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let shard = Shard::of_array_job(variable);
        shard
            .map(|shard| shard.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn shards_are_numbered_from_1_to_their_count() {
        for text in ["1/1", "1/4", "4/4", "960/960"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        assert_eq!(Shard::WHOLE, "1/1".parse().unwrap());
        for text in ["0/4", "5/4", "0/0", "1/0"] {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(matches!(error, ShardError::Outside { .. }), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_shard_is_refused_with_an_example() {
        let texts = [
            "",
            "4",
            "/",
            "1/",
            "/4",
            "1/4/2",
            "-1/4",
            "+1/4",
            " 1/4",
            "1,4",
            "a/b",
            "AUTO",
            "1/99999999999999999999",
        ];
        for text in texts {
            assert_eq!(
                text.parse::<Shard>().unwrap_err().to_string(),
                format!("{text:?} is not a shard: write 1/4 for the first of four, or auto")
            );
        }
    }

    #[test]
    fn a_slurm_array_may_begin_anywhere_and_have_steps() {
        let slurm = |id, count, min, step| {
            auto(&[
                (SLURM_ID, id),
                (SLURM_COUNT, count),
                (SLURM_MIN, min),
                (SLURM_STEP, step),
            ])
        };
        assert_eq!(slurm("0", "8", "0", "1").unwrap(), "1/8");
        assert_eq!(slurm("7", "8", "0", "1").unwrap(), "8/8");
        assert_eq!(slurm("1", "8", "1", "1").unwrap(), "1/8");
        assert_eq!(slurm("40", "4", "10", "10").unwrap(), "4/4");
        for (id, count, min, step) in [
            ("7", "3", "1", "1"),
            ("15", "4", "10", "10"),
            ("0", "4", "1", "1"),
            ("5", "4", "1", "0"),
            ("1", "4", "1", "0"),
        ] {
            let error = slurm(id, count, min, step).unwrap_err();
            assert!(
                error.starts_with(&format!("SLURM_ARRAY_TASK_ID is {id}, which is none of")),
                "{error}"
            );
        }
        let without_step = auto(&[(SLURM_ID, "3"), (SLURM_COUNT, "4"), (SLURM_MIN, "1")]);
        assert_eq!(without_step.unwrap(), "3/4");
    }

    #[test]
    fn a_kubernetes_index_counts_from_0() {
        let pod = |index, count| auto(&[(KUBERNETES_INDEX, index), (KUBERNETES_COUNT, count)]);
        assert_eq!(pod("0", "12").unwrap(), "1/12");
        assert_eq!(pod("11", "12").unwrap(), "12/12");
        assert_eq!(
            pod("12", "12").unwrap_err(),
            "there is no shard 13 of 12: they are numbered from 1 to their count"
        );
        assert!(pod("18446744073709551615", "12").is_err());
    }

    #[test]
    fn auto_says_which_variable_is_missing_or_wrong() {
        assert_eq!(
            auto(&[]).unwrap_err(),
            "auto finds no array job: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"
        );
        assert_eq!(
            auto(&[(SLURM_ID, "3"), (SLURM_MIN, "1")]).unwrap_err(),
            "SLURM_ARRAY_TASK_ID is set, but SLURM_ARRAY_TASK_COUNT is not, which says how many there are"
        );
        assert_eq!(
            auto(&[(SLURM_ID, "3"), (SLURM_COUNT, "4")]).unwrap_err(),
            "SLURM_ARRAY_TASK_ID is set, but SLURM_ARRAY_TASK_MIN is not, which says where the ids begin"
        );
        assert_eq!(
            auto(&[(KUBERNETES_INDEX, "3"), (KUBERNETES_COUNT, "")]).unwrap_err(),
            "JOB_COMPLETION_INDEX is set, but JOB_COMPLETION_COUNT is not, which says how many there are"
        );
        assert_eq!(
            auto(&[(KUBERNETES_INDEX, "x")]).unwrap_err(),
            "JOB_COMPLETION_INDEX is \"x\" and not a whole number"
        );
        assert_eq!(
            auto(&[(KUBERNETES_INDEX, "0"), (KUBERNETES_COUNT, "0")]).unwrap_err(),
            "JOB_COMPLETION_COUNT is \"0\" and not a count of at least 1"
        );
    }
}
