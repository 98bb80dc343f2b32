//! `--threads`: the number of threads.

use std::num::NonZeroUsize;

use anyhow::Context;
use clap::{Args, value_parser};
use ninesixty::run::thread_pool;

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
        let threads = self
            .requested()
            .map_or_else(default_threads, NonZeroUsize::get);
        thread_pool(threads)
            .context("cannot start threads")
            .or_unfinished()
    }
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
