//! Opening statistics per start, out of PGN files.

mod castling;
mod inputs;
mod keys;
mod moves;
mod table;

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::pgn::{ReadError, SourceOptions};
use crate::run::{Cancel, Env, FileRef, Job, Plan, ResultFileError, ResultFiles, Task, TaskError};
use crate::stats::{
    CountFileError, FileOptions, OpeningTree, SeenGames, StatsSettings, Tally, TextReader,
    TreeError, TreeMemory, count_file,
};

pub use inputs::{InputError, PgnInput, find_inputs};

/// Counts the games of PGN files, one task per file.
///
/// ```
/// use ninesixty::job::{StatsJob, find_inputs};
/// use ninesixty::run::{Cancel, Outcome, RunOptions, execute};
/// use ninesixty::stats::StatsSettings;
///
/// let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/pgn/mainz-2009.pgn");
/// let job = StatsJob::new(find_inputs(&[file.into()])?, StatsSettings::everything(8));
/// let outcome = execute(&job, &RunOptions::default(), Cancel::NEVER, &|_| ())?;
/// let Outcome::Complete(complete) = outcome else { unreachable!("it is never cancelled") };
/// let tally = complete.report.tally;
/// assert_eq!(tally.summary.read, tally.starts.values().map(|start| start.games()).sum::<u64>());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatsJob {
    inputs: Vec<PgnInput>,
    settings: StatsSettings,
    /// Whether a damaged file counts up to the damage, which is then part of the report.
    #[serde(skip)]
    pub keep_going: bool,
    /// Whether plain files are read piece by piece rather than mapped into memory. The counts are the same.
    #[serde(skip)]
    pub no_mmap: bool,
    /// Whether a compressed file may unpack to more than a thousand times its size.
    #[serde(skip)]
    pub any_ratio: bool,
    /// What reads the text of the games.
    #[serde(skip)]
    pub reader: TextReader,
    /// The memory for the opening trees of all files.
    #[serde(skip)]
    pub tree_memory: Arc<TreeMemory>,
}

/// What a file came to.
#[derive(Debug, Serialize, Deserialize)]
pub struct FileStats {
    tally: Tally,
    /// The opening tree beside the ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tree_file: Option<FileRef>,
    /// The opening tree, without a ledger.
    #[serde(skip)]
    tree: Option<OpeningTree>,
    #[serde(skip)]
    damage: Option<ReadError>,
}

/// What all files came to.
#[derive(Debug, Default)]
pub struct StatsReport {
    /// The sums of all starts.
    pub tally: Tally,
    /// The openings, if they were kept.
    pub tree: OpeningTree,
    /// Why files could not be read to their end, if the job keeps going.
    pub damage: Vec<ReadError>,
}

/// Why a file was not counted.
#[derive(Debug, thiserror::Error)]
pub enum StatsError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It cannot be digested.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Its opening tree cannot be kept.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Its opening tree cannot be written beside the ledger, or read from there.
    #[error(transparent)]
    File(#[from] ResultFileError),
}

impl StatsError {
    /// Whether a file is at fault, rather than this machine.
    pub fn is_input(&self) -> bool {
        match self {
            StatsError::Read(_) | StatsError::Input(_) => true,
            StatsError::Tree(error) => matches!(error, TreeError::Damaged),
            StatsError::File(error) => error.is_damage(),
        }
    }
}

impl From<CountFileError> for StatsError {
    fn from(error: CountFileError) -> StatsError {
        match error {
            CountFileError::Read(error) => StatsError::Read(error),
            CountFileError::Tree(error) => StatsError::Tree(error),
        }
    }
}

impl StatsJob {
    /// Plans to count the games of these inputs.
    pub fn new(inputs: Vec<PgnInput>, settings: StatsSettings) -> StatsJob {
        StatsJob {
            inputs,
            settings,
            keep_going: false,
            any_ratio: false,
            no_mmap: false,
            reader: TextReader::default(),
            tree_memory: Arc::default(),
        }
    }

    /// The files that are read.
    pub fn inputs(&self) -> &[PgnInput] {
        &self.inputs
    }

    /// What decides which games count.
    pub fn stats_settings(&self) -> &StatsSettings {
        &self.settings
    }

    /// The input behind a task.
    pub fn input_of(&self, task: &Task) -> &PgnInput {
        &self.inputs[task.first_row()]
    }

    fn count(
        &self,
        seen: Option<&SeenGames>,
        task: &Task,
        env: &Env,
    ) -> Result<FileStats, TaskError<StatsError>> {
        let options = SourceOptions {
            in_order: self.keep_going,
            map: !self.no_mmap,
        };
        let source = match self.input_of(task).open(options) {
            Ok(source) if self.any_ratio => source.with_any_ratio(),
            Ok(source) => source,
            Err(error) => return self.unread(error),
        };
        let options = FileOptions {
            threads: env.threads_for(task),
            keep_going: self.keep_going,
            reader: self.reader,
            seen,
            tree_memory: Arc::clone(&self.tree_memory),
            cancel: env.cancel(),
            progress: &|bytes, games| env.report_read(bytes, games),
        };
        match count_file(source, &self.settings, &options) {
            Ok(Some(counted)) => {
                let (tree, tree_file) = self.keep_tree(counted.tree, env)?;
                Ok(FileStats {
                    tally: counted.tally,
                    tree_file,
                    tree,
                    damage: counted.damage,
                })
            }
            Ok(None) => Err(TaskError::Cancelled),
            Err(CountFileError::Read(error)) => self.unread(error),
            Err(error) => Err(TaskError::Fatal(error.into())),
        }
    }

    /// Writes a tree to a file beside the ledger, or keeps it in memory without one.
    fn keep_tree(
        &self,
        tree: OpeningTree,
        env: &Env,
    ) -> Result<(Option<OpeningTree>, Option<FileRef>), TaskError<StatsError>> {
        let Some(files) = env.files().filter(|_| self.settings.tree) else {
            return Ok((Some(tree), None));
        };
        let file = files.write(|out| {
            let mut out = zstd::Encoder::new(out, 1)?;
            tree.write_to(&mut out).map_err(std::io::Error::other)?;
            out.finish()?;
            Ok(())
        });
        let file = file.map_err(|error| TaskError::Fatal(error.into()))?;
        Ok((None, Some(file)))
    }

    /// A file of which nothing counts.
    fn unread(&self, error: ReadError) -> Result<FileStats, TaskError<StatsError>> {
        if !self.keep_going {
            return Err(TaskError::Fatal(error.into()));
        }
        Ok(FileStats {
            tally: Tally::default(),
            tree_file: None,
            tree: None,
            damage: Some(error),
        })
    }
}

impl Job for StatsJob {
    const VERB: &'static str = "stats";
    const RESULTS: u32 = 2;

    type Settings = StatsSettings;
    type Output = FileStats;
    type Shared = Option<SeenGames>;
    type Worker = ();
    type Sum = StatsReport;
    type Report = StatsReport;
    type Error = StatsError;

    fn settings(&self) -> StatsSettings {
        self.settings.clone()
    }

    fn plan(&self) -> Plan {
        let rows = self.inputs.iter();
        rows.map(|input| (input.id(), input.name(), input.cost()))
            .collect()
    }

    /// Recognises files by their content, so that a renamed file is found again and a changed one is not.
    fn identified(&self, cancel: &Cancel) -> Result<StatsJob, TaskError<StatsError>> {
        let digested = self.inputs.par_iter().map(|input| input.digested(cancel));
        let inputs = digested.collect::<Result<Option<Vec<PgnInput>>, InputError>>();
        match inputs {
            Ok(Some(inputs)) => Ok(StatsJob {
                inputs,
                ..self.clone()
            }),
            Ok(None) => Err(TaskError::Cancelled),
            Err(error) => Err(TaskError::Fatal(error.into())),
        }
    }

    /// The same content may have another path on another machine, so copies count by how many there are on one.
    fn union(&self, other: &StatsJob) -> StatsJob {
        let mut here: HashMap<String, usize> = HashMap::new();
        for input in &self.inputs {
            *here.entry(input.id()).or_default() += 1;
        }
        let mut inputs = self.inputs.clone();
        for input in &other.inputs {
            match here.get_mut(&input.id()) {
                Some(copies) if *copies > 0 => *copies -= 1,
                _ => inputs.push(input.clone()),
            }
        }
        StatsJob {
            inputs,
            ..self.clone()
        }
    }

    fn start(&self) -> Option<SeenGames> {
        self.settings.dedup.then(SeenGames::default)
    }

    fn worker(&self, _: &Env) {}

    fn run(
        &self,
        seen: &Option<SeenGames>,
        (): &mut (),
        task: &Task,
        env: &Env,
    ) -> Result<FileStats, TaskError<StatsError>> {
        self.count(seen.as_ref(), task, env)
    }

    fn files(output: &FileStats) -> Vec<FileRef> {
        output.tree_file.iter().cloned().collect()
    }

    fn absorb(
        &self,
        sum: &mut StatsReport,
        task: &Task,
        mut output: FileStats,
        files: Option<&ResultFiles>,
    ) -> Result<(), StatsError> {
        output.tally.set_path(task.name());
        if sum.tree.is_empty() {
            sum.tree = OpeningTree::new(Arc::clone(&self.tree_memory));
        }
        for _ in 0..task.rows() {
            sum.tally.absorb(&output.tally);
            if let (Some(file), Some(files)) = (&output.tree_file, files) {
                files.read(file, |input| {
                    let mut input = zstd::Decoder::new(input).map_err(TreeError::from)?;
                    Ok::<(), StatsError>(sum.tree.absorb_from(&mut input)?)
                })?;
            }
        }
        // Without a ledger, equal files are not recognised: each is a task of its own.
        if let Some(tree) = output.tree {
            sum.tree.absorb(tree)?;
        }
        sum.damage.extend(output.damage);
        Ok(())
    }

    fn finish(&self, _: &Plan, sum: StatsReport) -> StatsReport {
        sum
    }
}
