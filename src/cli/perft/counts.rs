//! Counts per position and ply: what is counted, by whom, and the table that comes of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, anyhow};
use clap::ValueEnum;
use ninesixty::perft::Merger;
use ninesixty::perft::{CountError, Helpers, Sharing, unmerged};
use ninesixty::run::{Plan, Stop};
use ninesixty::table::{Column, Table};
use serde_json::Value;

use super::super::console::{Console, ThreadsArgs};
use super::super::exit::{Failure, OrFail};
use super::super::game::{Game, Rules};
use super::super::hash::HashArgs;
use super::super::job::{Begun, Tabled, setting};
use super::super::output::OutputArgs;
use super::super::positions::{self, Named};
use super::{DEEPEST, breakdown};

/// The memory for merging where none was asked for.
const SOME_BYTES: usize = 1 << 30;

/// What is counted for each position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    Sequences,
    /// Distinct positions after each ply.
    Distinct,
    /// Sequences, by what kind of move they end with.
    Breakdown,
}

impl What {
    const ALL: [What; 3] = [What::Sequences, What::Distinct, What::Breakdown];

    fn name(self) -> &'static str {
        match self {
            What::Sequences => "sequences",
            What::Distinct => "distinct positions",
            What::Breakdown => "kinds of moves",
        }
    }
}

/// What is counted, and how deep.
pub struct Kind {
    pub what: What,
    pub depth: u32,
}

/// A position and its counts, depth after depth.
pub struct Row<G> {
    pub named: Named<G>,
    pub counts: Vec<u128>,
}

impl Kind {
    /// What is to be counted, if it can be counted in this game.
    pub fn of<G: Game>(what: What, depth: u32) -> anyhow::Result<Kind> {
        if what == What::Breakdown && G::BREAKDOWN.is_none() {
            let game = G::RULES.name();
            return Err(anyhow!("there is no breakdown of moves for --rules {game}"));
        }
        Ok(Kind { what, depth })
    }

    /// The plan of a run: all that decides its results, and a task per position.
    pub fn plan<G: Game>(&self, selected: &str, positions: &[Named<G>]) -> Result<Plan, Failure> {
        let mut settings = vec![
            ("verb", "perft".to_owned()),
            ("positions", selected.to_owned()),
            ("count", self.what.name().to_owned()),
            ("depth", self.depth.to_string()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        // Plans of chess do not say so: their ledgers are older than the other game.
        if G::RULES != Rules::Chess960 {
            settings.push(("rules", G::RULES.name().to_owned()));
        }
        // The first two plies tell well enough which trees are large.
        let tasks = positions
            .iter()
            .map(|named| (named.name.clone(), named.board.perft(2)));
        Plan::new(settings, tasks).or_usage()
    }

    /// The table of the rows.
    pub fn table<G: Game>(&self, selected: &str, rows: &[Row<G>]) -> Table {
        let depth = self.depth;
        let command = format!("perft {selected} --depth {depth}");
        match self.what {
            What::Sequences => plain_table("ninesixty.perft/1", 'd', command, depth, rows),
            What::Distinct => {
                let command = format!("{command} --unique");
                plain_table("ninesixty.unique/1", 'u', command, depth, rows)
            }
            What::Breakdown => breakdown::table(&format!("{command} --breakdown"), rows),
        }
    }

    /// The rows of the table, from the results of its tasks.
    pub fn rows<G: Game>(
        &self,
        positions: Vec<Named<G>>,
        results: &[Value],
    ) -> Result<Vec<Row<G>>, Failure> {
        let pairs = positions.into_iter().zip(results);
        let row = |(named, result): (Named<G>, &Value)| {
            let counts = self
                .counts(result)
                .with_context(|| format!("{result} is no result of {:?}", named.name));
            Ok(Row {
                counts: counts.or_input()?,
                named,
            })
        };
        pairs.map(row).collect()
    }

    fn counts(&self, result: &Value) -> Option<Vec<u128>> {
        let counts = result.as_array()?.iter();
        let counts: Option<Vec<u128>> = counts.map(|count| count.as_str()?.parse().ok()).collect();
        let per_depth = match self.what {
            What::Sequences | What::Distinct => 1,
            What::Breakdown => breakdown::KINDS.len(),
        };
        counts.filter(|counts| counts.len() == self.depth as usize * per_depth)
    }

    /// What was counted in all.
    pub fn summary<G>(&self, rows: &[Row<G>]) -> String {
        let deepest = rows.iter().filter_map(|row| match self.what {
            What::Sequences | What::Distinct => row.counts.last(),
            What::Breakdown => row.counts.chunks(breakdown::KINDS.len()).last()?.first(),
        });
        let total = deepest.fold(0, |total: u128, &count| total.saturating_add(count));
        match self.what {
            What::Sequences | What::Breakdown => nodes_at(self.depth, total),
            What::Distinct => format!("{total} distinct positions after {} plies", self.depth),
        }
    }
}

impl<G: Game> Tabled<G> for Kind {
    fn rehearse(&self, selected: &str, output: &OutputArgs) -> Result<(), Failure> {
        let misplaced = match self.what {
            What::Sequences => None,
            What::Distinct => Some("distinct positions"),
            What::Breakdown => Some("a breakdown"),
        };
        if let Some(counted) = misplaced.filter(|_| output.is_epd()) {
            return Err(anyhow!("EPD has no place for {counted}")).or_usage();
        }
        output.rehearse(&self.table::<G>(selected, &[]))
    }

    fn tabulate(
        &self,
        selected: &str,
        positions: Vec<Named<G>>,
        results: &[Value],
    ) -> Result<Table, Failure> {
        Ok(self.table(selected, &self.rows(positions, results)?))
    }
}

/// A table with a column per depth.
fn plain_table<G: Game>(
    schema: &'static str,
    letter: char,
    command: String,
    depth: u32,
    rows: &[Row<G>],
) -> Table {
    let mut columns = positions::naming_columns(|row: &Row<G>| &row.named);
    columns.extend((0..depth as usize).map(|index| {
        let name = format!("{letter}{}", index + 1);
        Column::new(name, move |row: &Row<G>| row.counts[index].into())
    }));
    Table::from_rows(schema, command, &columns, rows)
}

/// So many nodes.
pub fn nodes_at(depth: u32, total: u128) -> String {
    format!("{total} nodes at depth {depth}")
}

/// The game that a ledger's plan is about.
pub fn rules_of_ledger(plan: &Plan) -> anyhow::Result<Rules> {
    let Some(name) = plan.description().get("rules") else {
        return Ok(Rules::Chess960);
    };
    Rules::from_str(name, false)
        .map_err(|_| anyhow!("this version does not know the rules of {name}"))
}

/// What a ledger's plan says was counted, and which positions were selected.
pub fn plan_of_ledger<G: Game>(plan: &Plan) -> anyhow::Result<(Kind, &str)> {
    let counted = setting(plan, "count")?;
    let what = What::ALL.into_iter().find(|what| what.name() == counted);
    let what = what.with_context(|| format!("this version does not count {counted}"))?;
    let kind = Kind::of::<G>(what, setting(plan, "depth")?.parse()?)?;
    if kind.depth > DEEPEST {
        return Err(anyhow!("depth {} is beyond {DEEPEST}", kind.depth));
    }
    Ok((kind, setting(plan, "positions")?))
}

/// The threads and the memory that a run counts with.
pub struct Crew {
    /// Helps workers when there is nothing left to begin.
    pool: rayon::ThreadPool,
    workers: usize,
    /// What each worker has to merge transpositions with, if they are to be merged.
    bytes: Option<usize>,
    seed: u64,
}

impl Crew {
    /// One position per thread; threads for which there is none help with those of others.
    pub fn new(
        hash: &HashArgs,
        threads: &ThreadsArgs,
        positions: usize,
        console: &Console,
    ) -> Result<Crew, Failure> {
        let pool = threads.pool()?;
        let threads = pool.current_num_threads();
        let workers = threads.min(positions).max(1);
        let bytes = hash.bytes(threads).map(|bytes| bytes / workers);
        let memory = bytes.map_or("nothing is merged".to_owned(), |bytes| {
            format!(
                "transpositions are merged in {workers} x {} MiB",
                bytes >> 20
            )
        });
        let path = ninesixty::cpu::Level::best().name();
        console.detail(format!(
            "counting on {threads} threads by the {path} path; {memory}"
        ));
        Ok(Crew {
            pool,
            workers,
            bytes,
            seed: hash.seed,
        })
    }

    /// Counts what is not in the ledger. `None` if this was but a shard of the whole.
    pub fn count_all<G: Game>(
        &self,
        kind: &Kind,
        positions: &[Named<G>],
        job: Begun,
    ) -> Result<Option<Vec<Value>>, Failure> {
        let shift = Shift {
            threads: self.pool.current_num_threads(),
            unbegun: AtomicUsize::new(job.todo.len()),
            busy: AtomicUsize::new(0),
        };
        let are_idle = || shift.has_idle_threads();
        let helpers = Helpers {
            pool: &self.pool,
            are_idle: &are_idle,
        };
        let make_counter = || Counter {
            sharing: Sharing::Helped(helpers),
            seed: self.seed,
            merger: self.bytes.map(|bytes| Merger::new(bytes, self.seed)),
        };
        job.run(self.workers, make_counter, |counter, task, stop| {
            let board = &positions[task.index()].board;
            let counted = shift.work(|| counter.count(kind, board, stop));
            match counted {
                Ok(counts) => {
                    let counts = counts.iter().map(u128::to_string);
                    Ok(Some(counts.collect()))
                }
                Err(CountError::Stopped) => Ok(None),
                Err(error @ CountError::NoRoom) => {
                    let fen = board.fen();
                    Err(anyhow!("{fen}: {error}; --hash gives them more")).or_unfinished()
                }
                Err(error) => Err(error).with_context(|| board.fen()).or_unfinished(),
            }
        })
    }

    /// The same threads, but with another way to the same numbers.
    pub fn with_another_seed<G: Game>(&self) -> Merger<G> {
        let bytes = self.bytes.map_or(SOME_BYTES, |bytes| bytes * self.workers);
        Merger::new(bytes, self.seed.wrapping_add(1))
    }

    pub fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }
}

/// Who works on what is left to do.
struct Shift {
    threads: usize,
    unbegun: AtomicUsize,
    busy: AtomicUsize,
}

impl Shift {
    /// Does a task.
    fn work<R>(&self, task: impl FnOnce() -> R) -> R {
        self.busy.fetch_add(1, Ordering::Relaxed);
        self.unbegun.fetch_sub(1, Ordering::Relaxed);
        let result = task();
        self.busy.fetch_sub(1, Ordering::Relaxed);
        result
    }

    /// Whether there are fewer tasks left than threads.
    fn has_idle_threads(&self) -> bool {
        self.unbegun.load(Ordering::Relaxed) == 0
            && self.busy.load(Ordering::Relaxed) < self.threads
    }
}

/// What a worker counts with.
struct Counter<'a, G: Game> {
    sharing: Sharing<'a>,
    seed: u64,
    merger: Option<Merger<G>>,
}

impl<G: Game> Counter<'_, G> {
    fn count(&mut self, kind: &Kind, board: &G, stop: &Stop) -> Result<Vec<u128>, CountError> {
        let Counter {
            sharing,
            seed,
            merger,
        } = self;
        let is_stopped = || stop.is_set();
        let depths = 1..=kind.depth;
        match kind.what {
            What::Sequences => depths
                .map(|depth| match merger {
                    Some(merger) => merger.perft(board, depth, *sharing, &is_stopped),
                    None => unmerged(board, depth, *sharing, &is_stopped),
                })
                .collect(),
            What::Distinct => {
                let mut few = Merger::new(SOME_BYTES, *seed);
                let merger = merger.as_mut().unwrap_or(&mut few);
                let distinct = merger.distinct(board, kind.depth, &is_stopped)?;
                Ok(distinct.into_iter().map(u128::from).collect())
            }
            What::Breakdown => {
                let break_down = G::BREAKDOWN.expect("a kind is made for games that have it");
                let mut counts = Vec::new();
                for depth in depths {
                    let found = break_down(board, depth, *sharing, &is_stopped)?;
                    counts.extend(breakdown::counts(&found));
                }
                Ok(counts)
            }
        }
    }
}
