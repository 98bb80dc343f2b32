//! Which games are counted, what is recorded about them, and why games are rejected.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::filter::Filter;
use super::group::GroupBy;

/// The settings that decide the statistics of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatsSettings {
    /// Which games are counted.
    pub filter: Filter,
    /// What games are grouped by.
    #[serde(default)]
    pub by: GroupBy,
    /// How many plies of each game are checked for legality and added to the opening tree.
    pub plies: u32,
    /// Whether the opening tree is built; otherwise only first moves are counted.
    pub tree: bool,
    /// Whether games of classical chess count, as start 518.
    pub include_standard: bool,
    /// Whether games count in which White and Black have different starts.
    pub doubles: bool,
    /// Whether missing castling rights of a start are restored even if neither side castles in the game.
    pub repair: bool,
    /// Whether games with a result and without moves count. They are part of the results, not of moves and castling.
    pub include_moveless: bool,
    /// Whether duplicates of a game are skipped.
    pub dedup: bool,
}

/// What reads the text of a game. The results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextReader {
    /// Our scanner, which hands games that it finds doubtful to pgn-reader.
    #[default]
    Scanner,
    /// pgn-reader, for every game. Slower, and independent of the scanner.
    PgnReader,
}

impl StatsSettings {
    /// Settings that count every game that has moves and can be counted.
    pub fn everything(plies: u32) -> StatsSettings {
        StatsSettings {
            filter: Filter::default(),
            by: GroupBy::default(),
            plies,
            tree: true,
            include_standard: true,
            doubles: true,
            repair: true,
            include_moveless: false,
            dedup: false,
        }
    }
}

/// Why a game cannot be counted, regardless of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// Classical chess, which the settings exclude.
    Classical,
    /// Another variant.
    OtherVariant,
    /// Chess960 without a FEN.
    NoFen,
    /// The FEN is not a start position.
    NotAStart,
    /// White and Black have different starts, which the settings exclude.
    DoubleStart,
    /// The FEN has no castling rights, neither side castles, and the settings do not restore the rights.
    NoRights,
    /// The game has no moves.
    NoMoves,
    /// A move is not legal or not readable.
    IllegalMove,
    /// A comment or variation is never closed.
    Unterminated,
    /// The game is longer than the reader accepts.
    Overlong,
    /// Not a game but other text, such as a title or a mail header before the first game.
    OtherText,
}

impl Rejection {
    /// All reasons.
    pub const ALL: [Rejection; 11] = [
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
        Rejection::OtherText,
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
            Rejection::NoMoves => "no moves (--include-moveless counts it if it has a result)",
            Rejection::IllegalMove => "a move that is not legal",
            Rejection::Unterminated => "a comment or variation that is never closed",
            Rejection::Overlong => "longer than 16 MiB",
            Rejection::OtherText => "text that is not a game",
        })
    }
}

/// The set of games that have been seen, about 40 bytes each. Threads share it.
#[derive(Debug, Default)]
pub struct SeenGames {
    /// Digests of games in 16 sets with a lock each, so that threads rarely wait for one another.
    sets: [Mutex<HashSet<u128>>; 16],
}

impl SeenGames {
    /// Inserts a game and returns whether it was there already. Games are equal if their texts differ only in
    /// whitespace.
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
        let set = &self.sets[usize::from(digest[16] % 16)];
        let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
        !set.insert(u128::from_le_bytes(half))
    }
}
