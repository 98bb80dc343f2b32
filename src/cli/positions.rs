//! Which positions a verb works on: a selection of starts, a FEN, or the lines of an EPD file.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use ninesixty::chess::Board;
use ninesixty::start::{BackRank, DoubleStart, Selection, StartId};
use ninesixty::table::read::read_epd;
use ninesixty::table::{Cell, Column};

use super::exit::{Failure, OrFail};

#[derive(Args)]
pub struct PositionArgs {
    /// Starts: all, 518, 0-99, 0,5,10-20, RNBQKBNR, R??K???R, sample:96; W/B for double starts
    #[arg(
        value_name = "SELECTION",
        default_value = "all",
        hide_default_value = true
    )]
    selection: String,
    /// A position instead of starts
    #[arg(long, value_name = "FEN", conflicts_with_all = ["selection", "epd"])]
    fen: Option<Board>,
    /// The positions of an EPD file instead of starts
    #[arg(long, value_name = "FILE", conflicts_with = "selection")]
    epd: Option<PathBuf>,
}

/// A position to work on, and the start that it is, if it is one.
#[derive(Clone)]
pub struct Named {
    /// What tells it from the others of its job.
    pub name: String,
    pub start: Option<DoubleStart>,
    pub board: Board,
}

impl PositionArgs {
    pub fn read(&self) -> Result<Vec<Named>, Failure> {
        if let Some(board) = self.fen {
            return Ok(vec![Named::new(board.x_fen(), board)]);
        }
        if let Some(path) = &self.epd {
            let lines = read_epd(path).or_input()?;
            if lines.is_empty() {
                return Err(anyhow!("{}: it holds no positions", path.display())).or_input();
            }
            return lines
                .iter()
                .map(|line| {
                    let place = || format!("{}, line {}: {}", path.display(), line.line, line.fen);
                    let board: Board = line.fen.parse().with_context(place).or_input()?;
                    Ok(Named::new(
                        format!("line {}: {}", line.line, board.x_fen()),
                        board,
                    ))
                })
                .collect();
        }
        let selection: Selection = self.selection.parse().or_usage()?;
        Ok(selection.doubles().map(Named::from).collect())
    }

    /// The flags, as they are recorded with a result.
    pub fn command(&self) -> String {
        match (&self.fen, &self.epd) {
            (Some(board), _) => format!("--fen '{}'", board.x_fen()),
            (_, Some(path)) => format!("--epd '{}'", path.display()),
            _ => self.selection.clone(),
        }
    }
}

impl Named {
    fn new(name: String, board: Board) -> Named {
        Named {
            name,
            start: board.double_start(),
            board,
        }
    }

    /// The position that bears this name: a start, or a FEN, which an EPD's line number may precede.
    pub fn from_name(name: &str) -> Option<Named> {
        if let Ok(start) = name.parse::<StartId>() {
            return Some(Named::from(DoubleStart::from(start)));
        }
        if let Ok(start) = name.parse::<DoubleStart>() {
            return Some(Named::from(start));
        }
        let fen = name.split_once(": ").map_or(name, |(_, fen)| fen);
        Some(Named::new(name.to_owned(), fen.parse().ok()?))
    }
}

impl From<DoubleStart> for Named {
    fn from(start: DoubleStart) -> Named {
        let name = if start.white == start.black {
            start.white.to_string()
        } else {
            start.to_string()
        };
        Named {
            name,
            start: Some(start),
            board: Board::from_double_start(start),
        }
    }
}

/// The columns with which every table of positions begins: `id`, `back_rank`, `fen`.
pub fn naming_columns<R: 'static>(named: fn(&R) -> &Named) -> Vec<Column<R>> {
    vec![
        Column::new("id", move |row| named(row).start.map_or(Cell::Missing, id)),
        Column::new("back_rank", move |row| {
            named(row).start.map(back_ranks).into()
        }),
        Column::new("fen", move |row| named(row).board.x_fen().into()),
    ]
}

/// A start's number, or both where White's and Black's pieces are shuffled on their own.
fn id(start: DoubleStart) -> Cell {
    if start.white == start.black {
        i64::from(start.white.number()).into()
    } else {
        start.to_string().into()
    }
}

fn back_ranks(start: DoubleStart) -> String {
    let [white, black] = [start.white, start.black].map(BackRank::from);
    if white == black {
        white.to_string()
    } else {
        format!("{white}/{black}")
    }
}
