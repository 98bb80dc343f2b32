//! Stockfish as a counter, for comparison.

use ninesixty::generator::{Counter, named};
use ninesixty::run::Cancel;
use ninesixty::uci::EngineLimits;

/// The Stockfish that `STOCKFISH` names, or the installed one, already started.
pub fn stockfish() -> Option<Box<dyn Counter>> {
    let asked = std::env::var("STOCKFISH").ok();
    let candidates = asked
        .as_deref()
        .into_iter()
        .chain(["stockfish", "/usr/games/stockfish"]);
    let mut counters = candidates
        .filter_map(|program| named(&format!("uci:'{program}'"), &EngineLimits::default()).ok());
    counters.find(|counter| counter.profile(Cancel::NEVER).is_ok())
}
