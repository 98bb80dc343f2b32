//! The one seam that all generators share: something that can be asked for counts.

use std::error::Error;

use crate::chess::{Board, Move};

use crate::perft::{CountError, Sharing};

/// A generator asked for counts: ours, a library's, or anybody's.
pub trait Counter: Send + Sync {
    /// What it is called on the command line.
    fn name(&self) -> &str;

    /// What it is and can do. A program has to be started to know.
    fn profile(&self, ask: &Ask) -> Result<Profile, CounterError>;

    /// Each first move after a line, as UCI, and the number of sequences of `depth` plies that begin with it, in
    /// the order of the moves' names.
    fn branches(&self, line: &Line, depth: u32, ask: &Ask) -> Result<Branches, CounterError>;

    /// The number of legal move sequences of `depth` plies, counted as asked for: all branches together, unless it
    /// knows a shorter way.
    fn count(&self, board: &Board, depth: u32, ask: &Ask) -> Result<u128, CounterError> {
        if depth == 0 {
            return Ok(1);
        }
        let branches = self.branches(&Line::at(board), depth, ask)?;
        let mut nodes = branches.iter().map(|&(_, nodes)| nodes);
        let sum = nodes.try_fold(0, u128::checked_add);
        Ok(sum.ok_or(CountError::TooLarge)?)
    }

    /// The number of legal move sequences of `depth` plies.
    fn perft(&self, board: &Board, depth: u32) -> Result<u128, CounterError> {
        self.count(board, depth, &Ask::default())
    }

    /// Each first move, as UCI, and the number of sequences of `depth` plies that begin with it, in the
    /// order of the moves' names.
    fn divide(&self, board: &Board, depth: u32) -> Result<Branches, CounterError> {
        self.branches(&Line::at(board), depth, &Ask::default())
    }
}

/// First moves and their counts.
pub type Branches = Vec<(String, u128)>;

/// What a counter is and can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name and version, as far as it tells them.
    pub identity: String,
    /// How it is asked, in a few words.
    pub asked_by: &'static str,
    /// What it can do with the moves of the last ply; `None` if it does as it likes and does not say.
    pub last_moves: Option<&'static [LastMoves]>,
    /// Whether it remembers positions that it has counted; `None` if it does not say.
    pub is_hashed: Option<bool>,
    /// Whether it knows how to castle in Chess960.
    pub knows_chess960: bool,
    /// Whether every count starts a process, whose start then is part of the time it takes.
    pub starts_anew: bool,
}

/// What becomes of the moves of the last ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastMoves {
    /// They are counted where they are generated.
    Counted,
    /// Every one of them is made, like all others.
    Made,
}

/// How to count.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// For counters that have the choice.
    pub last_moves: LastMoves,
    /// For counters that can use more than one thread.
    pub sharing: Sharing<'a>,
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Default for Ask<'_> {
    /// As fast as one thread can, to the end.
    fn default() -> Self {
        Ask {
            last_moves: LastMoves::Counted,
            sharing: Sharing::Alone,
            is_stopped: &|| false,
        }
    }
}

/// A position and legal moves played from it, one after the other.
///
/// It is not the same to a generator as the position at its end: what a move does to castling rights and en
/// passant is part of what it can get wrong.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    pub board: &'a Board,
    pub moves: &'a [Move],
}

impl<'a> Line<'a> {
    /// A position, and no moves.
    pub fn at(board: &'a Board) -> Line<'a> {
        Line { board, moves: &[] }
    }

    /// The position after the moves.
    pub fn end(&self) -> Board {
        let play = |board: Board, &mv: &Move| board.play(mv);
        self.moves.iter().fold(*self.board, play)
    }
}

/// Why a counter could not count.
#[derive(Debug, thiserror::Error)]
pub enum CounterError {
    /// It does not take the position.
    #[error("{counter} refuses the position {fen}: {reason}")]
    Refused {
        counter: String,
        fen: String,
        reason: String,
    },
    /// It crashed, hung or gave a nonsensical answer.
    #[error("{counter} fails on the position {fen}")]
    Failed {
        counter: String,
        fen: String,
        source: Box<dyn Error + Send + Sync>,
    },
    /// It cannot be used at all.
    #[error("{counter} cannot be used")]
    Unusable {
        counter: String,
        source: Box<dyn Error + Send + Sync>,
    },
    #[error(transparent)]
    Count(#[from] CountError),
}
