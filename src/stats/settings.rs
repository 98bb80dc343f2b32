//! Which games are counted and what is kept of them, and the reasons for which a game is rejected.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::filter::Filter;

/// What decides the statistics of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatsSettings {
    /// Which games are counted.
    pub filter: Filter,
    /// The plies of each game that are checked to be legal and go into the opening tree.
    pub plies: u32,
    /// Whether openings are kept beyond the first move.
    pub tree: bool,
    /// Whether games of classical chess count, as start 518.
    pub include_standard: bool,
    /// Whether games count in which White and Black have different starts.
    pub doubles: bool,
    /// Whether missing castling rights of a start are restored even if nobody castles.
    pub repair: bool,
    /// Whether a game that comes again counts only once.
    pub dedup: bool,
}

impl StatsSettings {
    /// Counts every game that can be counted.
    pub fn everything(plies: u32) -> StatsSettings {
        StatsSettings {
            filter: Filter::default(),
            plies,
            tree: true,
            include_standard: true,
            doubles: true,
            repair: true,
            dedup: false,
        }
    }
}

/// Why a game is not counted whatever the filter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    Classical,
    OtherVariant,
    NoFen,
    NotAStart,
    DoubleStart,
    NoRights,
    NoMoves,
    IllegalMove,
    Unterminated,
    Overlong,
}

impl Rejection {
    pub const ALL: [Rejection; 10] = [
        Rejection::Classical,
        Rejection::OtherVariant,
        Rejection::NoFen,
        Rejection::NotAStart,
        Rejection::DoubleStart,
        Rejection::NoRights,
        Rejection::NoMoves,
        Rejection::IllegalMove,
        Rejection::Unterminated,
        Rejection::Overlong,
    ];
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rejection::Classical => "classical chess (--include-standard counts it)",
            Rejection::OtherVariant => "another variant",
            Rejection::NoFen => "Chess960 without a FEN",
            Rejection::NotAStart => "not from one of the 960 starts",
            Rejection::DoubleStart => "a double start (--doubles counts it)",
            Rejection::NoRights => "a start without castling rights (--repair counts it)",
            Rejection::NoMoves => "no moves",
            Rejection::IllegalMove => "a move that is not legal",
            Rejection::Unterminated => "a comment or variation that is never closed",
            Rejection::Overlong => "longer than 16 MiB",
        })
    }
}

/// The games that have been seen, about 40 bytes each.
#[derive(Debug, Default)]
pub struct SeenGames {
    /// Digests, in parts with a lock each so that threads rarely wait for one another.
    seen: [Mutex<HashSet<u128>>; 16],
}

impl SeenGames {
    /// Whether a game with the same text, whitespace aside, has been seen before. It has been from now on.
    pub fn contains_or_insert(&self, text: &[u8]) -> bool {
        let mut digest = Sha256::new();
        let words = text.split(|&byte| byte.is_ascii_whitespace());
        for word in words.filter(|word| !word.is_empty()) {
            digest.update(word);
            digest.update(b" ");
        }
        let digest = digest.finalize();
        let mut half = [0; 16];
        half.copy_from_slice(&digest[..16]);
        let part = &self.seen[usize::from(digest[16] % 16)];
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        !part.insert(u128::from_le_bytes(half))
    }
}
