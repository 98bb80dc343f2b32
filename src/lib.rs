//! Chess960 for people who work on it: all 960 starts, their move trees counted exactly, move generators
//! checked against each other.
//!
//! The house, each room using only rooms above it:
//!
//! - [`start`]: the 960 starts, their numbers, castling methods and names, and selections of them;
//! - [`table`]: results as text, CSV, JSON, Markdown or EPD, and files written whole or not at all;
//! - [`run`]: long work cut into tasks, on all cores or many machines, that may end and go on at any moment;
//! - [`chess`]: our own rules of Chess960;
//! - [`zchess`]: the rules of Z-Chess, a game on 77 circles;
//! - [`perft`]: counting move trees, and the seam that all generators share;
//! - [`uci`]: UCI engines and scripts as child processes: started, asked, timed out, reaped;
//! - [`generator`]: who can count: our own generator and others;
//! - [`diff`]: two of them laid beside each other until the move is found about which they disagree;
//! - [`search`]: a small engine that finds the best move, and others asked for theirs;
//! - [`pgn`]: games out of PGN databases of any size;
//! - [`stats`]: opening statistics per start.
//!
//! ```
//! use ninesixty::chess::Board;
//! use ninesixty::perft::Position;
//! use ninesixty::start::{BackRank, StartId};
//!
//! let start: StartId = "518".parse()?;
//! assert_eq!(BackRank::from(start).to_string(), "RNBQKBNR");
//! assert_eq!(Board::from_start(start).perft(4), 197_281);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Words, each with one meaning everywhere: a *start* is one of the 960, its *start id* the Scharnagl number
//! 0 to 959 (518 is classical chess), its *back rank* the eight pieces. A *double start* shuffles White and
//! Black on their own. A *ply* is one move of one player, a *node* a move sequence counted, *perft* the number
//! of them of a given length, a *branch* a first move and its count, a *breakdown* what kinds of moves they end
//! with. A *generator* knows the moves, a *counter* is a generator asked for counts. To *merge transpositions*
//! is to count a position once and multiply. A *row* of a *table* is one result. A *plan* is a job cut into
//! *tasks*, a *shard* one machine's share of them, a *ledger* the file that keeps their results. A *tally* is a sum over
//! games that can be made in any order.

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

/// The README's Rust is compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
