//! Searches of many positions, by our own engine or another one over UCI.

mod compare;
mod identity;
mod table;

use serde::{Deserialize, Serialize};

use super::game::NamedPosition;
use super::positions::Positions;
use crate::chess::Board;
use crate::run::{Cancel, Env, Job, Plan, ResultFiles, Task, TaskError};
use crate::search::{
    Engine, SearchLimits, SearchOptions, SearchResult, SearchResultError, UciSearchError,
    UciSearcher, UciSearcherOptions,
};
use crate::uci::{CommandLine, EngineLimits};

pub use compare::{
    CompareError, ScoreComparison, ScorePair, ScoredPosition, compare_scores, compare_table,
    read_scores,
};
pub use identity::EngineIdentity;

/// Searches positions, one task per position.
///
/// ```
/// use ninesixty::job::{Positions, SearchJob};
/// use ninesixty::run::{Cancel, Outcome, RunOptions, execute};
/// use ninesixty::search::SearchLimits;
///
/// let limits = SearchLimits { depth: Some(4), ..SearchLimits::default() };
/// let job = SearchJob::new(Positions::starts("518")?, limits, 1, 1 << 20);
/// let outcome = execute(&job, &RunOptions::default(), Cancel::NEVER, &|_| ())?;
/// let Outcome::Complete(complete) = outcome else { unreachable!("it is never cancelled") };
/// let result = complete.report.rows[0].result.as_ref().expect("our engine does not fail");
/// assert_eq!(result.lines[0].depth, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchJob {
    positions: Positions<Board>,
    #[serde(flatten)]
    settings: SearchSettings,
    /// How the other engine is started.
    #[serde(skip)]
    spec: Option<EngineSpec>,
}

/// What decides the result of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// When a search ends.
    pub limits: SearchLimits,
    /// How many lines are searched.
    pub multipv: usize,
    /// The engine with everything that decides what it finds.
    pub engine: EngineIdentity,
}

/// How a UCI engine is started.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// Its program and arguments.
    pub command: CommandLine,
    /// Names and values of options to set.
    pub options: Vec<(String, String)>,
    /// How long it may take, and how much it may print.
    pub limits: EngineLimits,
}

/// The rows of a search table.
#[derive(Clone, Debug, Default)]
pub struct SearchReport {
    /// In the order of the job's positions.
    pub rows: Vec<SearchRow>,
}

/// A position and what was found.
#[derive(Clone, Debug)]
pub struct SearchRow {
    /// The position.
    pub position: NamedPosition<Board>,
    /// `None` if the engine failed.
    pub result: Option<SearchResult>,
}

/// Why a position was not searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] UciSearchError),
    /// A ledger's line does not belong to its position.
    #[error("the ledger's result does not fit the position")]
    Misfit(#[from] SearchResultError),
    /// A job that was read from a ledger does not know how its engine is started.
    #[error("a job read from a ledger cannot start its engine")]
    NoEngine,
}

impl EngineSpec {
    fn start(&self, multipv: usize, cancel: &Cancel) -> Result<UciSearcher, UciSearchError> {
        let options = UciSearcherOptions {
            engine_options: &self.options,
            multipv,
            limits: self.limits,
            cancel,
        };
        UciSearcher::start(&self.command, &options)
    }
}

impl SearchJob {
    /// Plans to search positions with our own engine, which keeps positions in `hash_bytes` of memory per thread.
    pub fn new(
        positions: Positions<Board>,
        limits: SearchLimits,
        multipv: usize,
        hash_bytes: usize,
    ) -> SearchJob {
        SearchJob {
            positions,
            settings: SearchSettings {
                limits,
                multipv,
                engine: EngineIdentity::own(hash_bytes),
            },
            spec: None,
        }
    }

    /// Plans to search positions with another engine. It is started once, to see what it is and that it can do what it
    /// will be asked.
    pub fn with_engine(
        positions: Positions<Board>,
        limits: SearchLimits,
        multipv: usize,
        spec: EngineSpec,
        cancel: &Cancel,
    ) -> Result<SearchJob, UciSearchError> {
        let name = spec.start(multipv, cancel)?.name().to_owned();
        Ok(SearchJob {
            positions,
            settings: SearchSettings {
                limits,
                multipv,
                engine: EngineIdentity::uci(name, &spec),
            },
            spec: Some(spec),
        })
    }

    /// The positions, a row each.
    pub fn positions(&self) -> &Positions<Board> {
        &self.positions
    }
}

/// What one worker searches with.
pub enum SearchWorker {
    /// Our own engine.
    Own(Box<Engine>),
    /// Another engine, started when it is needed.
    Uci(Option<Box<UciSearcher>>),
}

impl Job for SearchJob {
    const VERB: &'static str = "search";
    const RESULTS: u32 = 1;

    type Settings = SearchSettings;
    type Output = SearchResult<String>;
    type Shared = ();
    type Worker = SearchWorker;
    type Sum = Vec<(usize, SearchResult)>;
    type Report = SearchReport;
    type Error = SearchError;

    fn settings(&self) -> SearchSettings {
        self.settings.clone()
    }

    fn plan(&self) -> Plan {
        let rows = self.positions.iter();
        rows.map(|row| (search_id(&row.board), row.name.clone(), 1))
            .collect()
    }

    fn union(&self, other: &SearchJob) -> SearchJob {
        SearchJob {
            positions: self.positions.union(&other.positions),
            ..self.clone()
        }
    }

    fn start(&self) {}

    fn worker(&self, _: &Env) -> SearchWorker {
        match &self.settings.engine {
            EngineIdentity::Own { hash_bytes, .. } => {
                SearchWorker::Own(Box::new(Engine::new(*hash_bytes)))
            }
            EngineIdentity::Uci { .. } => SearchWorker::Uci(None),
        }
    }

    fn run(
        &self,
        (): &(),
        worker: &mut SearchWorker,
        task: &Task,
        env: &Env,
    ) -> Result<SearchResult<String>, TaskError<SearchError>> {
        let board = &self.positions.row(task.first_row()).board;
        let options = SearchOptions {
            limits: self.settings.limits,
            multipv: self.settings.multipv,
            cancel: env.cancel(),
        };
        let result = match worker {
            SearchWorker::Own(engine) => {
                engine.clear();
                Ok(engine.search(&[*board], &options, &mut |_| ()))
            }
            SearchWorker::Uci(searcher) => self.search_with(searcher, board, &options),
        };
        // A search that was cancelled is not finished, whatever it has found.
        if env.cancel().is_set() {
            return Err(TaskError::Cancelled);
        }
        match result {
            Ok(result) => Ok(result.into()),
            Err(error @ SearchError::NoEngine) => Err(TaskError::Fatal(error)),
            Err(error) => Err(TaskError::Failed(error)),
        }
    }

    fn absorb(
        &self,
        sum: &mut Vec<(usize, SearchResult)>,
        task: &Task,
        output: SearchResult<String>,
        _: Option<&ResultFiles>,
    ) -> Result<(), SearchError> {
        let board = &self.positions.row(task.first_row()).board;
        sum.push((task.index(), output.check(board)?));
        Ok(())
    }

    fn finish(&self, plan: &Plan, sum: Vec<(usize, SearchResult)>) -> SearchReport {
        let results = plan.outputs_by_row(sum);
        let rows = self.positions.iter().zip(results);
        let rows = rows.map(|(position, result)| SearchRow {
            position: position.clone(),
            result,
        });
        SearchReport {
            rows: rows.collect(),
        }
    }
}

impl SearchJob {
    /// Searches with an engine that is kept for the next position, unless it fails.
    fn search_with(
        &self,
        searcher: &mut Option<Box<UciSearcher>>,
        board: &Board,
        options: &SearchOptions,
    ) -> Result<SearchResult, SearchError> {
        let mut ready = match searcher.take() {
            Some(ready) => ready,
            None => {
                let spec = self.spec.as_ref().ok_or(SearchError::NoEngine)?;
                Box::new(spec.start(options.multipv, options.cancel)?)
            }
        };
        let result = ready.search(board, options)?;
        *searcher = Some(ready);
        Ok(result)
    }
}

/// Text that is equal for positions with equal searches: unlike move trees, these depend on the clocks.
fn search_id(board: &Board) -> String {
    let start = board.double_start();
    match start.filter(|&start| Board::from_double_start(start) == *board) {
        Some(start) => NamedPosition::from(start).name,
        None => board.shredder_fen(),
    }
}
