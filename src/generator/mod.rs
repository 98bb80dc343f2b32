//! Who can count: our own generator, two libraries, and anybody's program, each a small [`Counter`].
//!
//! [`named()`] makes the one that a name on the command line means. The types of foreign chess libraries do not leave
//! this room.

mod answer;
mod counter;
mod cozy;
mod library;
mod named;
mod own;
mod script;
mod shakmaty;
mod uci;

pub use self::counter::{Ask, Branches, Counter, CounterError, LastMoves, Line, Profile};
pub use self::cozy::Cozy;
pub use self::named::{NameError, named, split_names};
pub use self::own::Own;
pub use self::script::Script;
pub use self::shakmaty::Shakmaty;
pub use self::uci::UciCounter;
