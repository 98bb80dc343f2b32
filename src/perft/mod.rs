//! Perft: counting the legal move sequences of a given length.
//!
//! Any game whose positions implement [`Position`] can be counted: in full ([`unmerged`]), by first move ([`divide()`]), or
//! with merged transpositions ([`Merger`]). [`CountOptions`] decide which threads count, and whether the count may be
//! cancelled. The module knows no particular game.

mod divide;
mod merged;
mod plain;
mod unmerged;

pub use divide::divide;
pub use merged::{Merger, PackedPosition};
pub use plain::naive_perft;
pub(crate) use unmerged::sum_subtrees;
pub use unmerged::unmerged;

use std::{fmt, io};

use crate::run::Cancel;

/// A position with legal moves: the node of a move tree.
pub trait MoveTree: Sized {
    /// A legal move.
    type Move: Copy;

    /// Calls `visit` with every legal move.
    fn for_each_move(&self, visit: impl FnMut(Self::Move));

    /// The position after a legal move.
    fn play(&self, mv: Self::Move) -> Self;
}

/// A position of a game whose move tree can be counted.
pub trait Position: MoveTree<Move: fmt::Display + Send> + Copy + Send + Sync {
    /// The number of legal move sequences of `depth` plies.
    fn perft(&self, depth: u32) -> u64;
}

/// Where a count runs and what may end it early.
#[derive(Clone, Copy)]
pub struct CountOptions<'a> {
    /// Which threads count.
    pub sharing: Sharing<'a>,
    /// Checked every few milliseconds. A cancelled count ends with [`CountError::Cancelled`].
    pub cancel: &'a Cancel,
}

impl Default for CountOptions<'_> {
    /// On the calling thread, to the end.
    fn default() -> Self {
        CountOptions {
            sharing: Sharing::Alone,
            cancel: Cancel::NEVER,
        }
    }
}

/// Which threads count a position.
#[derive(Clone, Copy)]
pub enum Sharing<'a> {
    /// The calling thread alone.
    Alone,
    /// All threads of the current rayon pool.
    Pool,
    /// The calling thread, joined by the threads of a pool as soon as these are idle.
    Helped(Helpers<'a>),
}

/// A pool whose threads join a count when they are idle.
#[derive(Clone, Copy)]
pub struct Helpers<'a> {
    /// The pool.
    pub pool: &'a rayon::ThreadPool,
    /// Whether some of its threads are idle.
    pub are_idle: &'a (dyn Fn() -> bool + Sync),
}

impl Sharing<'_> {
    /// Runs `work` in a pool if there is one and its threads are free; `None` if the calling thread has to do it.
    fn in_pool<R: Send>(self, work: impl FnOnce() -> R + Send) -> Option<R> {
        match self {
            Sharing::Alone => None,
            Sharing::Pool => Some(work()),
            Sharing::Helped(Helpers { pool, are_idle }) => are_idle().then(|| pool.install(work)),
        }
    }
}

/// Why there is no count.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The count was cancelled.
    #[error("the count was cancelled")]
    Cancelled,
    /// The count does not fit in 128 bits.
    #[error("the count does not fit in 128 bits")]
    TooLarge,
    /// The unique positions of a ply need more memory than the caller allows.
    #[error("the unique positions do not fit into the memory for merging transpositions")]
    MemoryLimit,
    /// The operating system refuses more memory.
    #[error("cannot allocate memory for merging transpositions")]
    OutOfMemory(#[from] io::Error),
}
