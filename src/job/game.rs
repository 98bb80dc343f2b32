//! The games that batch jobs know: how their positions are named, selected and tabulated.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::chess::{self, Breakdown, breakdown};
use crate::generator::{Counter, CounterError, Shakmaty};
use crate::perft::{CountError, CountOptions, PackedPosition};
use crate::start::{BackRank, DoubleStart, Selection, SelectionError, StartId};
use crate::table::Cell;
use crate::zchess;

/// The rules that a game is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// Chess from any of the 960 starts, classical chess included.
    Chess960,
    /// Z-Chess, on 77 circles.
    Zchess,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rules::Chess960 => "chess960",
            Rules::Zchess => "zchess",
        })
    }
}

/// A position with a name for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPosition<G> {
    /// The number of a start, or the text of the position.
    pub name: String,
    /// The position.
    pub board: G,
    /// The text that it was read from, if it was. The text may have an en passant square that the board does not keep.
    pub text: Option<String>,
}

/// Why starts cannot be selected.
#[derive(Debug, thiserror::Error)]
pub enum StartsError {
    /// The selection is malformed.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// A game with one start has nothing to select.
    #[error(
        "Z-Chess has only one start, so `{selection}` selects nothing: omit it, or give a position with --fen"
    )]
    OneStart {
        /// What was to be selected.
        selection: String,
    },
}

/// A column that identifies the position of a row.
pub type NamingColumn<G> = (&'static str, fn(&G) -> Cell);

/// Counts sequences by the kind of their last move.
pub type BreakdownFn<G> = fn(&G, u32, &CountOptions) -> Result<Breakdown, CountError>;

/// A position of a game that batch jobs know.
pub trait Game: PackedPosition + FromStr<Err: Error + Send + Sync + 'static> + 'static {
    /// Which game it is.
    const RULES: Rules;

    /// The columns with which a table of positions begins.
    const NAMING: &'static [NamingColumn<Self>];

    /// The name of the column for moves in the notation of the game.
    const NOTATION: &'static str;

    /// How the last moves are broken down by kind, if that is known for this game.
    const BREAKDOWN: Option<BreakdownFn<Self>>;

    /// The position as text.
    fn fen(&self) -> String;

    /// Text that is equal for positions with equal move trees, and short for starts.
    fn tree_id(&self) -> String;

    /// A move in the notation of the game.
    fn notation(&self, mv: Self::Move) -> String;

    /// The selected starts; all of them if `None`.
    fn starts(selection: Option<&str>) -> Result<Vec<NamedPosition<Self>>, StartsError>;

    /// The count of another generator and its name, if there is one for this game.
    fn counted_by_another(&self, depth: u32) -> Result<Option<(&'static str, u128)>, CounterError>;
}

impl<G: Game> NamedPosition<G> {
    /// A position that is named by its text.
    pub fn of(board: G) -> NamedPosition<G> {
        NamedPosition {
            name: board.fen(),
            board,
            text: None,
        }
    }
}

impl NamedPosition<chess::Board> {
    /// The start that it is, if it is an ordinary one.
    pub fn start(&self) -> Option<StartId> {
        self.board.double_start()?.single()
    }
}

impl Game for chess::Board {
    const RULES: Rules = Rules::Chess960;

    const NAMING: &'static [NamingColumn<Self>] = &[
        ("id", |board| {
            board.double_start().map_or(Cell::Missing, start_id)
        }),
        ("back_rank", |board| {
            board.double_start().map(back_ranks).into()
        }),
        ("fen", |board| board.x_fen().into()),
    ];

    const NOTATION: &'static str = "san";

    const BREAKDOWN: Option<BreakdownFn<Self>> = Some(breakdown);

    fn fen(&self) -> String {
        self.x_fen()
    }

    /// Move trees do not depend on the clocks.
    fn tree_id(&self) -> String {
        match self.double_start() {
            Some(start) => start_name(start),
            None => {
                let fen = self.shredder_fen();
                let fields: Vec<&str> = fen.split(' ').take(4).collect();
                fields.join(" ")
            }
        }
    }

    fn notation(&self, mv: chess::Move) -> String {
        self.san(mv)
    }

    fn starts(selection: Option<&str>) -> Result<Vec<NamedPosition<Self>>, StartsError> {
        let selection: Selection = selection.unwrap_or("all").parse()?;
        Ok(selection.doubles().map(NamedPosition::from).collect())
    }

    fn counted_by_another(&self, depth: u32) -> Result<Option<(&'static str, u128)>, CounterError> {
        Ok(Some(("by shakmaty", Shakmaty.perft(self, depth)?)))
    }
}

impl From<DoubleStart> for NamedPosition<chess::Board> {
    fn from(start: DoubleStart) -> NamedPosition<chess::Board> {
        NamedPosition {
            name: start_name(start),
            board: chess::Board::from_double_start(start),
            text: None,
        }
    }
}

/// The number of an ordinary start, or both numbers of a double start.
fn start_name(start: DoubleStart) -> String {
    match start.single() {
        Some(id) => id.to_string(),
        None => start.to_string(),
    }
}

/// The cell of the `id` column.
pub(super) fn start_id(start: DoubleStart) -> Cell {
    match start.single() {
        Some(id) => i64::from(id.number()).into(),
        None => start.to_string().into(),
    }
}

/// The back rank of both players, or White's and Black's.
pub(super) fn back_ranks(start: DoubleStart) -> String {
    let [white, black] = [start.white, start.black].map(BackRank::from);
    if white == black {
        white.to_string()
    } else {
        format!("{white}/{black}")
    }
}

impl Game for zchess::Board {
    const RULES: Rules = Rules::Zchess;

    const NAMING: &'static [NamingColumn<Self>] = &[("fen", |board| board.to_string().into())];

    const NOTATION: &'static str = "long";

    const BREAKDOWN: Option<BreakdownFn<Self>> = None;

    fn fen(&self) -> String {
        self.to_string()
    }

    fn tree_id(&self) -> String {
        self.to_string()
    }

    fn notation(&self, mv: zchess::Move) -> String {
        self.long_form(mv)
    }

    fn starts(selection: Option<&str>) -> Result<Vec<NamedPosition<Self>>, StartsError> {
        match selection {
            None => Ok(vec![NamedPosition::of(zchess::Board::start())]),
            Some(selection) => Err(StartsError::OneStart {
                selection: selection.to_owned(),
            }),
        }
    }

    fn counted_by_another(&self, _: u32) -> Result<Option<(&'static str, u128)>, CounterError> {
        Ok(None)
    }
}
