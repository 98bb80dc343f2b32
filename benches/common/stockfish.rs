//! Stockfish as a yardstick.

use ninesixty::generator::named;
use ninesixty::generator::{Ask, Counter};
use ninesixty::uci::Limits;

/// The Stockfish that `STOCKFISH` names, or the one that is installed. It is running when this returns.
pub fn stockfish() -> Option<Box<dyn Counter>> {
    let asked = std::env::var("STOCKFISH").ok();
    let candidates = asked
        .as_deref()
        .into_iter()
        .chain(["stockfish", "/usr/games/stockfish"]);
    let mut counters = candidates
        .filter_map(|program| named(&format!("uci:'{program}'"), &Limits::default()).ok());
    counters.find(|counter| counter.profile(&Ask::default()).is_ok())
}
