//! Who searches: our own engine, or somebody else's as a child process; one of either per worker.

use std::str::FromStr;

use anyhow::anyhow;
use clap::Args;
use ninesixty::chess::Board;
use ninesixty::run::Stop;
use ninesixty::search::{Engine, Foreign, ForeignError, Found};
use ninesixty::uci::{CommandLine, EngineError, Limits};
use serde_json::Value;

use super::super::console::Console;
use super::super::exit::Failure;
use super::super::generators::LimitArgs;
use super::super::hash::bytes;
use super::super::job::Job;
use super::Named;
use super::findings::{self, Kind};

#[derive(Args)]
pub struct EngineArgs {
    /// Search with this UCI engine instead of our own; it may have arguments, and no shell runs it
    #[arg(long, value_name = "COMMAND")]
    engine: Option<CommandLine>,
    /// Set an option of that engine, as often as there are options to set
    #[arg(long, value_name = "NAME=VALUE", requires = "engine")]
    engine_option: Vec<EngineOption>,
    #[command(flatten)]
    patience: LimitArgs,
    /// Memory of our own engine for positions that it has met, a thread: another size may find other lines
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = bytes, conflicts_with = "engine")]
    hash: usize,
}

#[derive(Clone, Debug)]
struct EngineOption {
    name: String,
    value: String,
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not NAME=VALUE, such as Hash=64")]
struct EngineOptionError(String);

impl FromStr for EngineOption {
    type Err = EngineOptionError;

    fn from_str(text: &str) -> Result<EngineOption, EngineOptionError> {
        let wrong = || EngineOptionError(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        if name.is_empty() || text.contains(['\n', '\r']) {
            return Err(wrong());
        }
        Ok(EngineOption {
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }
}

/// What every worker of a run searches with.
pub enum Searchers {
    Own { hash: usize },
    Foreign(Recipe),
}

/// How an engine is started, and what it calls itself.
pub struct Recipe {
    command: CommandLine,
    options: Vec<(String, String)>,
    lines: usize,
    limits: Limits,
    name: String,
}

/// What one worker searches with.
enum Searcher<'a> {
    Own(Engine),
    /// Started when it is needed.
    Foreign(&'a Recipe, Option<Box<Foreign>>),
}

impl Searchers {
    /// Another engine is started once to see that it can do what it will be asked.
    pub fn new(args: &EngineArgs, lines: usize, stop: &Stop) -> Result<Searchers, Failure> {
        let Some(command) = &args.engine else {
            return Ok(Searchers::Own { hash: args.hash });
        };
        let options = args.engine_option.iter();
        let mut recipe = Recipe {
            command: command.clone(),
            options: options
                .map(|option| (option.name.clone(), option.value.clone()))
                .collect(),
            lines,
            limits: args.patience.limits(),
            name: String::new(),
        };
        let engine = recipe.start(stop).map_err(|error| match error {
            ForeignError::NoOption { .. } => Failure::Usage(error.into()),
            error => fail(error, stop),
        })?;
        recipe.name = engine.name().to_owned();
        Ok(Searchers::Foreign(recipe))
    }

    /// All that decides what is found, besides the limits.
    pub fn description(&self) -> String {
        match self {
            Searchers::Own { hash } => {
                format!("ninesixty {} --hash {hash}", env!("CARGO_PKG_VERSION"))
            }
            Searchers::Foreign(recipe) => {
                let mut options: Vec<String> = recipe
                    .options
                    .iter()
                    .map(|(name, value)| format!(" --engine-option {name}={value}"))
                    .collect();
                options.sort();
                format!("{}{}", recipe.name, options.concat())
            }
        }
    }

    /// Searches what is not in the ledger. `None` if this was but a shard of the whole.
    pub fn search_all(
        &self,
        kind: &Kind,
        positions: &[Named],
        workers: usize,
        job: &Job,
    ) -> Result<Option<Vec<Value>>, Failure> {
        let make_searcher = || match self {
            Searchers::Own { hash } => Searcher::Own(Engine::new(*hash)),
            Searchers::Foreign(recipe) => Searcher::Foreign(recipe, None),
        };
        let begun = job.begin()?;
        begun.run(workers, make_searcher, |searcher, task, stop| {
            let named = &positions[task.index()];
            match searcher.search(&named.board, kind, stop) {
                _ if stop.is_set() => Ok(None),
                Ok(found) => Ok(Some(findings::record(&found))),
                Err(error) => {
                    report(job.console, named, &error);
                    Ok(Some(Value::Null))
                }
            }
        })
    }
}

impl Searcher<'_> {
    fn search(&mut self, board: &Board, kind: &Kind, stop: &Stop) -> Result<Found, ForeignError> {
        let is_stopped = || stop.is_set();
        match self {
            Searcher::Own(engine) => {
                engine.clear();
                let limits = &kind.limits;
                Ok(engine.search(&[*board], limits, kind.lines, &is_stopped, &mut |_| {}))
            }
            Searcher::Foreign(recipe, engine) => {
                let mut ready = match engine.take() {
                    Some(ready) => ready,
                    None => Box::new(recipe.start(stop)?),
                };
                let found = ready.search(board, &kind.limits, &is_stopped)?;
                // One that failed is dropped, and the next position gets another.
                *engine = Some(ready);
                Ok(found)
            }
        }
    }
}

impl Recipe {
    fn start(&self, stop: &Stop) -> Result<Foreign, ForeignError> {
        let is_stopped = || stop.is_set();
        Foreign::start(
            &self.command,
            &self.options,
            self.lines,
            self.limits,
            &is_stopped,
        )
    }
}

fn report(console: &Console, named: &Named, error: &ForeignError) {
    let name = &named.name;
    console.alarm(format!("{name}: {error}"));
}

fn fail(error: ForeignError, stop: &Stop) -> Failure {
    match (&error, stop.requested()) {
        (ForeignError::Engine(EngineError::Stopped), Some(signal)) => {
            Failure::Stopped(signal, anyhow!("stopped by {signal}"))
        }
        _ => Failure::Unfinished(error.into()),
    }
}
