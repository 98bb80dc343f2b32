//! What a caller asks of a search: limits, number of lines, and a way to cancel it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::run::Cancel;

/// When a search ends: at the first limit that is reached. Without any limit it runs until it is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchLimits {
    /// The deepest iteration, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The most nodes, over all iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The longest time. With this limit the result depends on the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Duration>,
}

/// What to search for and when to stop.
///
/// ```
/// use ninesixty::chess::Board;
/// use ninesixty::search::{Engine, SearchLimits, SearchOptions};
/// use ninesixty::start::StartId;
///
/// let mut engine = Engine::new(1 << 20);
/// let limits = SearchLimits { depth: Some(4), ..SearchLimits::default() };
/// let options = SearchOptions { limits, ..SearchOptions::default() };
/// let game = [Board::from_start(StartId::CLASSICAL)];
/// let result = engine.search(&game, &options, &mut |_| {});
/// assert_eq!(result.lines[0].depth, 4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions<'a> {
    /// When the search ends.
    pub limits: SearchLimits,
    /// How many of the best moves to search, each with its own line (UCI's `MultiPV`).
    pub multipv: usize,
    /// Ends the search when it is set.
    pub cancel: &'a Cancel,
}

impl Default for SearchOptions<'_> {
    /// One line, no limits, never cancelled.
    fn default() -> Self {
        SearchOptions {
            limits: SearchLimits::default(),
            multipv: 1,
            cancel: Cancel::NEVER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_survive_json() {
        let limits = SearchLimits {
            depth: Some(18),
            nodes: Some(u64::MAX),
            time: Some(Duration::from_micros(1_500)),
        };
        for limits in [limits, SearchLimits::default()] {
            let json = serde_json::to_string(&limits).unwrap();
            assert_eq!(serde_json::from_str::<SearchLimits>(&json).unwrap(), limits);
        }
        assert_eq!(
            serde_json::to_string(&SearchLimits::default()).unwrap(),
            "{}"
        );
        assert!(serde_json::from_str::<SearchLimits>(r#"{"deep":3}"#).is_err());
    }
}
