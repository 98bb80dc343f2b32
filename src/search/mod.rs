//! A chess engine: the best move of a position and its score.
//!
//! An [`Engine`] takes a game of [`Board`](crate::chess::Board)s and [`SearchOptions`], and returns a
//! [`SearchResult`]: principal variations with their scores. A [`UciSearcher`] answers the same question with another
//! engine over UCI.
//!
//! | module | technique |
//! |---|---|
//! | `engine` | iterative deepening, aspiration windows, MultiPV |
//! | `alpha_beta` | principal variation search, null-move pruning, reductions and the other pruning rules |
//! | `quiescence` | quiescence search |
//! | `move_ordering` | MVV-LVA, killer moves, history heuristic |
//! | `see` | static exchange evaluation |
//! | `transposition_table` | transposition table |
//! | `search_state` | search stack, repetition and fifty-move detection, limits |
//! | [`evaluation`] | tapered hand-crafted evaluation, and an NNUE that corrects it |
//!
//! The same position, limits and hash size give the same lines, scores and node counts on every machine, unless time is
//! limited: nothing else here depends on threads, addresses or clocks.

mod alpha_beta;
mod correlation;
mod engine;
pub mod evaluation;
mod move_ordering;
mod options;
mod quiescence;
mod result;
mod score;
mod search_state;
mod see;
mod transposition_table;
mod uci_searcher;
mod uci_session;
mod wdl;

pub use correlation::Correlation;
pub use engine::{Engine, MAX_DEPTH};
pub use options::{SearchLimits, SearchOptions};
pub use result::{PvLine, SearchProgress, SearchResult, SearchResultError};
pub use score::{Score, ScoreError};
pub use see::is_quiet;
pub use uci_searcher::{UciSearchError, UciSearcher, UciSearcherOptions};
pub use uci_session::{UciSession, UciSessionError};
pub use wdl::{Wdl, WdlError};
