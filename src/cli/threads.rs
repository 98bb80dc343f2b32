//! `--threads`: the number of threads.

use std::num::NonZeroUsize;

use anyhow::anyhow;
use clap::{Args, value_parser};

use super::exit::{Failure, OrFail};

/// How many threads a verb may use.
#[derive(Args, Default)]
pub struct ThreadsArgs {
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadsArgs {
    /// The number that is given.
    pub fn requested(&self) -> Option<NonZeroUsize> {
        self.threads
            .and_then(|threads| NonZeroUsize::new(threads.into()))
    }

    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            // Its source has the same text as the error itself.
            .map_err(|error| anyhow!("cannot start threads: {error}"))
            .or_unfinished()
    }
}
