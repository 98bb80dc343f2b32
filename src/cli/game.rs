//! The games that the verbs know, and what they have to know of each besides how to count it: how positions
//! are named, which columns name them in a table, how moves are written.

use std::error::Error;
use std::str::FromStr;

use anyhow::anyhow;
use clap::ValueEnum;
use ninesixty::chess;
use ninesixty::chess::{Breakdown, breakdown};
use ninesixty::generator::Shakmaty;
use ninesixty::generator::{Counter, CounterError};
use ninesixty::perft::PackedPosition;
use ninesixty::perft::{CountError, Sharing};
use ninesixty::start::{BackRank, DoubleStart, Selection, StartId};
use ninesixty::table::Cell;
use ninesixty::zchess;

use super::exit::{Failure, OrFail};
use super::positions::Named;

/// By which rules a game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rules {
    Chess960,
    Zchess,
}

impl Rules {
    pub fn name(self) -> &'static str {
        match self {
            Rules::Chess960 => "chess960",
            Rules::Zchess => "zchess",
        }
    }
}

/// A column that says which position a row is about.
pub type Naming<G> = (&'static str, fn(&G) -> Cell);

/// A way to a breakdown of the last moves.
pub type BreakDown<G> =
    fn(&G, u32, Sharing, &(dyn Fn() -> bool + Sync)) -> Result<Breakdown, CountError>;

/// A position of a game that the verbs know.
pub trait Game: PackedPosition + FromStr<Err: Error + Send + Sync + 'static> + 'static {
    const RULES: Rules;

    /// The columns with which a table of positions begins.
    const NAMING: &'static [Naming<Self>];

    /// The name of the column for moves as people write them.
    const NOTATION: &'static str;

    /// How the last moves are told apart, if that is known of this game.
    const BREAKDOWN: Option<BreakDown<Self>>;

    /// The position as text.
    fn fen(&self) -> String;

    /// A move as people write it.
    fn written(&self, mv: Self::Move) -> String;

    /// The starts that were selected, or all.
    fn starts(selection: Option<&str>) -> Result<Vec<Named<Self>>, Failure>;

    /// The position that a task of this name is about.
    fn from_name(name: &str) -> Option<Named<Self>>;

    /// What a generator that is not ours counts, with its name, if there is one.
    fn counted_elsewhere(&self, depth: u32) -> Result<Option<(&'static str, u128)>, CounterError>;
}

impl Game for chess::Board {
    const RULES: Rules = Rules::Chess960;

    const NAMING: &'static [Naming<Self>] = &[
        ("id", |board| board.double_start().map_or(Cell::Missing, id)),
        ("back_rank", |board| {
            board.double_start().map(back_ranks).into()
        }),
        ("fen", |board| board.x_fen().into()),
    ];

    const NOTATION: &'static str = "san";

    const BREAKDOWN: Option<BreakDown<Self>> = Some(breakdown);

    fn fen(&self) -> String {
        self.x_fen()
    }

    fn written(&self, mv: chess::Move) -> String {
        self.san(mv)
    }

    fn starts(selection: Option<&str>) -> Result<Vec<Named<Self>>, Failure> {
        let selection: Selection = selection.unwrap_or(ALL).parse().or_usage()?;
        Ok(selection.doubles().map(Named::from).collect())
    }

    /// A start, or a FEN, which an EPD's line number may precede.
    fn from_name(name: &str) -> Option<Named<Self>> {
        if let Ok(start) = name.parse::<StartId>() {
            return Some(Named::from(DoubleStart::from(start)));
        }
        if let Ok(start) = name.parse::<DoubleStart>() {
            return Some(Named::from(start));
        }
        let fen = name.split_once(": ").map_or(name, |(_, fen)| fen);
        Some(Named::new(name.to_owned(), fen.parse().ok()?))
    }

    fn counted_elsewhere(&self, depth: u32) -> Result<Option<(&'static str, u128)>, CounterError> {
        Ok(Some(("by shakmaty", Shakmaty.perft(self, depth)?)))
    }
}

/// The selection of all starts.
pub const ALL: &str = "all";

impl From<DoubleStart> for Named<chess::Board> {
    fn from(start: DoubleStart) -> Named<chess::Board> {
        let name = if start.white == start.black {
            start.white.to_string()
        } else {
            start.to_string()
        };
        Named::new(name, chess::Board::from_double_start(start))
    }
}

/// A start's number, or both where White's and Black's pieces are shuffled on their own.
pub fn id(start: DoubleStart) -> Cell {
    if start.white == start.black {
        i64::from(start.white.number()).into()
    } else {
        start.to_string().into()
    }
}

/// The back rank of both players, or White's and Black's.
pub fn back_ranks(start: DoubleStart) -> String {
    let [white, black] = [start.white, start.black].map(BackRank::from);
    if white == black {
        white.to_string()
    } else {
        format!("{white}/{black}")
    }
}

impl Game for zchess::Board {
    const RULES: Rules = Rules::Zchess;

    const NAMING: &'static [Naming<Self>] = &[("fen", |board| board.to_string().into())];

    const NOTATION: &'static str = "long";

    const BREAKDOWN: Option<BreakDown<Self>> = None;

    fn fen(&self) -> String {
        self.to_string()
    }

    fn written(&self, mv: zchess::Move) -> String {
        self.long_form(mv)
    }

    fn starts(selection: Option<&str>) -> Result<Vec<Named<Self>>, Failure> {
        match selection {
            None => Ok(vec![Named::of(zchess::Board::start())]),
            Some(selection) => Err(anyhow!(
                "Z-Chess has one start, so there is nothing to select by `{selection}`: leave it out, or give a position by --fen"
            ))
            .or_usage(),
        }
    }

    fn from_name(name: &str) -> Option<Named<Self>> {
        Some(Named::new(name.to_owned(), name.parse().ok()?))
    }

    fn counted_elsewhere(&self, _: u32) -> Result<Option<(&'static str, u128)>, CounterError> {
        Ok(None)
    }
}
