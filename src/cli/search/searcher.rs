//! Who searches: our own engine, one per worker.

use clap::Args;
use ninesixty::run::Stop;
use ninesixty::search::Engine;
use serde_json::Value;

use super::super::exit::Failure;
use super::super::hash::bytes;
use super::super::job::Begun;
use super::Named;
use super::findings::{self, Kind};

#[derive(Args)]
pub struct EngineArgs {
    /// Memory of our own engine for positions that it has met, a thread: another size may find other lines
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = bytes)]
    hash: usize,
}

/// What every worker of a run searches with.
pub struct Searchers {
    hash: usize,
}

impl Searchers {
    pub fn new(args: &EngineArgs, _stop: &Stop) -> Result<Searchers, Failure> {
        Ok(Searchers { hash: args.hash })
    }

    /// All that decides what is found, besides the limits.
    pub fn description(&self) -> String {
        format!(
            "ninesixty {} --hash {}",
            env!("CARGO_PKG_VERSION"),
            self.hash
        )
    }

    /// Searches what is not in the ledger. `None` if this was but a shard of the whole.
    pub fn search_all(
        &self,
        kind: &Kind,
        positions: &[Named],
        workers: usize,
        job: Begun,
    ) -> Result<Option<Vec<Value>>, Failure> {
        job.run(
            workers,
            || Engine::new(self.hash),
            |engine, task, stop| {
                engine.clear();
                let board = positions[task.index()].board;
                let is_stopped = || stop.is_set();
                let found =
                    engine.search(&[board], &kind.limits, kind.lines, &is_stopped, &mut |_| {});
                Ok((!stop.is_set()).then(|| findings::record(&found)))
            },
        )
    }
}
