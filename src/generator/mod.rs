//! Who can count: our own generator and two libraries, each a small [`Counter`].
//!
//! The types of foreign chess libraries do not leave this room.

mod cozy;
mod own;
mod shakmaty;

pub use self::cozy::Cozy;
pub use self::own::Own;
pub use self::shakmaty::Shakmaty;

use crate::chess::Board;
use crate::perft::{Counter, CounterError};

fn refused(counter: &impl Counter, board: &Board, reason: impl ToString) -> CounterError {
    CounterError::Refused {
        counter: counter.name().to_owned(),
        fen: board.x_fen(),
        reason: reason.to_string(),
    }
}
