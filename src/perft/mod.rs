//! Counting move trees.
//!
//! A position walks in, the number of move sequences of a given length walks out. Any game that can say
//! its moves and play them is a [`Position`] and can be counted.

mod divide;
mod merged;
mod plain;
mod unmerged;

pub use divide::divide;
pub use merged::{Merger, PackedPosition};
pub use plain::perft_by_listing;
pub(crate) use unmerged::in_pieces;
pub use unmerged::unmerged;

use std::{fmt, io};

/// A position of a game whose move tree can be counted.
pub trait Position: Copy + Send + Sync {
    type Move: Copy + fmt::Display + Send;

    fn for_each_move(&self, visit: impl FnMut(Self::Move));

    /// The position after a legal move.
    fn play(&self, mv: Self::Move) -> Self;

    /// The number of legal move sequences of `depth` plies.
    fn perft(&self, depth: u32) -> u64;
}

/// Which threads count a position.
#[derive(Clone, Copy)]
pub enum Sharing<'a> {
    /// The calling thread alone; others have positions of their own.
    Alone,
    /// All threads of the current pool.
    Pool,
    /// The calling thread, and from the moment on when others have nothing else to do, those of a pool.
    Helped(Helpers<'a>),
}

/// A pool of threads that helps where it can.
#[derive(Clone, Copy)]
pub struct Helpers<'a> {
    pub pool: &'a rayon::ThreadPool,
    pub are_idle: &'a (dyn Fn() -> bool + Sync),
}

impl Sharing<'_> {
    /// Does work in a pool, if there is one that has time for it.
    fn spread<R: Send>(self, work: impl FnOnce() -> R + Send) -> Option<R> {
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
    #[error("the count was stopped")]
    Stopped,
    #[error("the count does not fit in 128 bits")]
    TooLarge,
    #[error("the distinct positions do not fit into the memory for merging transpositions")]
    NoRoom,
    #[error("cannot get memory for merging transpositions")]
    Memory(#[from] io::Error),
}
