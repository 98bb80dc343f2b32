//! Chess960 for people who work on it: the 960 starts, exact and fast perft of all of them, a shallow search, opening
//! statistics from PGN databases, and move generators that are verified, compared and timed. Batch jobs run on all cores, can
//! be interrupted and resumed, and can be split over machines; the result is the same in every case. The program
//! `ninesixty` is a thin layer over this library.
//!
//! # Modules
//!
//! Each module uses only modules above it in this list.
//!
//! - [`start`]: the 960 starts: numbers, back ranks, castling, double starts, selections such as `0-99` or `sample:96`;
//! - [`table`]: result tables as CSV, JSON, Markdown or EPD, atomic file writes, and the tables that are built in;
//! - [`run`]: jobs cut into tasks: threads, memory, ledgers, shards, cancellation, events;
//! - [`perft`]: counting move trees of any game, with transpositions merged or not;
//! - [`cpu`]: the instruction sets that perft is compiled for;
//! - [`chess`]: the rules of Chess960: boards, moves, FEN, SAN, Zobrist keys, fast perft;
//! - [`zchess`]: the rules of Z-Chess, a game on 77 circles;
//! - [`uci`]: UCI engines and scripts as child processes;
//! - [`generator`]: move generators behind the trait [`Counter`](generator::Counter): verified, timed, examined;
//! - [`diff`]: two generators compared until the move is found on which they disagree;
//! - [`search`]: an alpha-beta engine, and other engines over UCI;
//! - [`pgn`]: games from PGN files of any size;
//! - [`stats`]: opening statistics per start;
//! - [`job`]: perft, search and statistics as typed jobs, the front door of the library.
//!
//! # Examples
//!
//! Perft of chosen starts on all cores, with progress. Finished positions are kept in the ledger, so a run that was
//! interrupted goes on where it ended:
//!
//! ```
//! use ninesixty::chess::Board;
//! use ninesixty::job::{PerftJob, PerftKind, Positions};
//! use ninesixty::run::{Cancel, Event, Outcome, RunOptions, execute};
//!
//! # let directory = tempfile::tempdir()?;
//! # let ledger = directory.path().join("perft.jsonl");
//! let job: PerftJob<Board> = PerftJob::new(Positions::starts("0,518")?, PerftKind::Nodes, 4.try_into()?);
//! let options = RunOptions { ledger: Some(ledger), ..RunOptions::default() };
//! let progress = |event: Event| {
//!     if let Event::Finished(task) = event {
//!         println!("finished {}", task.name());
//!     }
//! };
//! if let Outcome::Complete(complete) = execute(&job, &options, Cancel::NEVER, &progress)? {
//!     assert_eq!(complete.report.rows[1].nodes(), [20, 400, 8_902, 197_281]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The games of a PGN file, one by one and as statistics. [`pgn::for_each_game`] visits the games;
//! [`StatsJob`](job::StatsJob) counts files in parallel:
//!
//! ```
//! use ninesixty::job::{StatsJob, find_inputs};
//! use ninesixty::pgn;
//! use ninesixty::run::{Cancel, Outcome, RunOptions, execute};
//! use ninesixty::stats::StatsSettings;
//!
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/pgn/mainz-2009.pgn");
//! let mut white_wins = 0;
//! pgn::for_each_game(file.as_ref(), |game| white_wins += u32::from(game.result() == "1-0"))?;
//!
//! let job = StatsJob::new(find_inputs(&[file.into()])?, StatsSettings::everything(8));
//! if let Outcome::Complete(complete) = execute(&job, &RunOptions::default(), Cancel::NEVER, &|_| ())? {
//!     assert_eq!(complete.report.tally.summary.read, 20);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A search of some starts, and its table:
//!
//! ```
//! use ninesixty::job::{Positions, SearchJob};
//! use ninesixty::run::{Cancel, Outcome, RunOptions, execute};
//! use ninesixty::search::SearchLimits;
//! use ninesixty::table::{self, Format};
//!
//! let limits = SearchLimits { depth: Some(5), ..SearchLimits::default() };
//! let job = SearchJob::new(Positions::starts("sample:2")?, limits, 1, 16 << 20);
//! if let Outcome::Complete(complete) = execute(&job, &RunOptions::default(), Cancel::NEVER, &|_| ())? {
//!     let mut csv = Vec::new();
//!     table::write(&job.table(&complete.report), Format::Csv, &mut csv)?;
//!     assert!(csv.starts_with(b"id,back_rank,fen,score_cp,best_move"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Your own move generator behind [`Counter`](generator::Counter), verified against published counts and compared with
//! ours. [`bench`](mod@generator::bench) times it in the same way:
//!
//! ```
//! use ninesixty::chess::Board;
//! use ninesixty::diff::{CounterPair, DiffOptions, DiffReport, find};
//! use ninesixty::generator::{
//!     Branches, Claims, CountRequest, Counter, CounterError, MoveLine, Own, VerifyOptions, verify,
//! };
//! use ninesixty::perft::naive_perft;
//!
//! struct Mine;
//!
//! impl Counter for Mine {
//!     fn name(&self) -> &str {
//!         "mine"
//!     }
//!
//!     fn branches(&self, at: &MoveLine, depth: u32, _: &CountRequest) -> Result<Branches, CounterError> {
//!         let board: Board = at.end();
//!         let count = |mv| (format!("{mv}"), naive_perft(&board.play(mv), depth - 1).into());
//!         let mut branches: Branches = board.legal_moves().into_iter().map(count).collect();
//!         branches.sort();
//!         Ok(branches)
//!     }
//! }
//!
//! let options = VerifyOptions { max_nodes: 1_000, ..VerifyOptions::default() };
//! assert!(verify(&Claims::tricky(), &Mine, &options)?.mismatches.is_empty());
//! let pair = CounterPair { a: &Own, b: &Mine };
//! let report = find(&pair, &["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse()?], &DiffOptions::default())?;
//! assert!(matches!(report, DiffReport::Agree { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The directory `examples/` of the repository has these as programs.
//!
//! # Features
//!
//! `cli` (default) builds the program and its dependencies; a library user turns it off with `default-features = false`.
//! `parquet` adds Parquet to the table formats.
//!
//! # Stability
//!
//! Until 1.0 a minor release may change the API. These parts are meant to stay as they are: [`job`], [`run`], [`start`],
//! [`table`], [`generator::Counter`] with `verify`, `bench` and [`diff`], [`pgn::for_each_game`], and of [`chess`] the board,
//! its moves, FEN and notation. These may change with any release: [`cpu`], [`chess::count`], [`chess::random`],
//! [`search::evaluation`], the lower levels of [`pgn`], and the packed and hashed forms of positions. The columns of tables
//! and the format of ledgers have versions of their own.
//!
//! The minimum supported Rust version is 1.95. Only a minor release raises it.
//!
//! # Terms
//!
//! A *start* is one of the 960, its *start id* the Scharnagl number 0 to 959 (518 is classical chess), its *back rank* the
//! eight pieces. A *double start* has different back ranks for White and Black. A *ply* is a move of one side, a *node* a
//! move sequence, *perft* the number of nodes of a given depth, a *branch* a first move with its count. A *generator*
//! produces legal moves, a *counter* is a generator asked for counts. *Merging transpositions* means to count a position once
//! and to multiply. A job's *plan* is its list of *tasks*, a *shard* one machine's part of them, a *ledger* the file that
//! keeps their results. A *tally* is a sum over games that can be computed in any order.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

pub mod chess;
pub mod cpu;
pub mod diff;
pub mod generator;
pub mod job;
pub mod perft;
pub mod pgn;
pub mod run;
pub mod search;
pub mod start;
pub mod stats;
pub mod table;
pub mod uci;
pub mod zchess;

/// The Rust of README.md and docs/ is compiled and run with the documentation tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/GENERATORS.md")]
    struct Generators;
}
