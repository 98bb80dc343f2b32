//! What is to be counted, and why a game is not.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::filter::Filter;

/// What counts, the same for all files of a run.
#[derive(Debug)]
pub struct Rules {
    pub filter: Filter,
    /// So many plies of each game are checked to be legal, and make up the tree.
    pub plies: u32,
    /// Whether openings are kept beyond the first move.
    pub keeps_tree: bool,
    /// Whether games of classical chess count, as start 518.
    pub includes_classical: bool,
    /// Whether games count in which White and Black have different starts.
    pub includes_doubles: bool,
    /// Whether a FEN without castling rights is taken to have lost them, even if nobody castles.
    pub repairs_lost_rights: bool,
    /// Where games are remembered, if a game that comes twice is to count once.
    pub duplicates: Option<Duplicates>,
}

impl Rules {
    /// Every game counts that can.
    pub fn everything(plies: u32) -> Rules {
        Rules {
            filter: Filter::default(),
            plies,
            keeps_tree: true,
            includes_classical: true,
            includes_doubles: true,
            repairs_lost_rights: true,
            duplicates: None,
        }
    }
}

/// Why a game does not count, whatever is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    Classical,
    OtherVariant,
    NoFen,
    NotAStart,
    DoubleStart,
    NoRights,
    NoMoves,
    IllegalMove,
    Torn,
    Overlong,
}

impl Reason {
    pub const ALL: [Reason; 10] = [
        Reason::Classical,
        Reason::OtherVariant,
        Reason::NoFen,
        Reason::NotAStart,
        Reason::DoubleStart,
        Reason::NoRights,
        Reason::NoMoves,
        Reason::IllegalMove,
        Reason::Torn,
        Reason::Overlong,
    ];

    /// One word, as it is kept in a ledger.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Classical => "classical",
            Reason::OtherVariant => "other-variant",
            Reason::NoFen => "no-fen",
            Reason::NotAStart => "not-a-start",
            Reason::DoubleStart => "double-start",
            Reason::NoRights => "no-rights",
            Reason::NoMoves => "no-moves",
            Reason::IllegalMove => "illegal-move",
            Reason::Torn => "torn",
            Reason::Overlong => "overlong",
        }
    }
}

/// What people are told.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Classical => "classical chess (--include-standard counts it)",
            Reason::OtherVariant => "another variant",
            Reason::NoFen => "Chess960 without a FEN",
            Reason::NotAStart => "not from one of the 960 starts",
            Reason::DoubleStart => "a double start (--doubles counts it)",
            Reason::NoRights => "a start without castling rights (--repair counts it)",
            Reason::NoMoves => "no moves",
            Reason::IllegalMove => "a move that is not legal",
            Reason::Torn => "a comment or variation that is never closed",
            Reason::Overlong => "longer than 16 MiB",
        })
    }
}

/// The games that have been seen. It takes some 40 bytes of memory for each.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// Parts of the digests, each under a lock of its own, so that threads seldom wait for one another.
    seen: [Mutex<HashSet<u128>>; 16],
}

impl Duplicates {
    /// Whether a game with the same text has been seen before, blank space aside.
    pub fn is_known(&self, text: &[u8]) -> bool {
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
