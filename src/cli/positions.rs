//! Which positions a verb works on: starts of a game, positions that were typed, or the lines of an EPD file.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use ninesixty::table::Column;
use ninesixty::table::read::read_epd;

use super::exit::{Failure, OrFail};
use super::game::{ALL, Game, Rules};

#[derive(Args)]
pub struct PositionArgs {
    /// Starts: all, 518, 0-99, 0,5,10-20, RNBQKBNR, R??K???R, sample:96; W/B for double starts
    #[arg(value_name = "SELECTION")]
    selection: Option<String>,
    /// A position instead of starts; may be given several times
    #[arg(long, value_name = "FEN", conflicts_with_all = ["selection", "epd"])]
    fen: Vec<String>,
    /// The positions of an EPD file instead of starts
    #[arg(long, value_name = "FILE", conflicts_with = "selection")]
    epd: Option<PathBuf>,
}

/// The positions to work on.
pub struct Selected<G> {
    /// The flags that select them, as they are recorded with a result.
    pub command: String,
    pub positions: Vec<Named<G>>,
}

/// A position to work on.
#[derive(Clone)]
pub struct Named<G> {
    /// What tells it from the others of its job.
    pub name: String,
    pub board: G,
}

impl PositionArgs {
    /// Whether somebody said which positions.
    pub fn is_given(&self) -> bool {
        self.selection.is_some() || !self.fen.is_empty() || self.epd.is_some()
    }

    /// The flags that say which positions, as they were typed.
    pub fn typed(&self) -> String {
        if let Some(path) = &self.epd {
            return format!("--epd '{}'", path.display());
        }
        if self.fen.is_empty() {
            return self.selection.as_deref().unwrap_or(ALL).to_owned();
        }
        let fens = self.fen.iter().map(|fen| format!("--fen '{fen}'"));
        fens.collect::<Vec<_>>().join(" ")
    }

    pub fn read<G: Game>(&self) -> Result<Selected<G>, Failure> {
        let (command, positions) = if let Some(path) = &self.epd {
            (self.typed(), read_suite(path)?)
        } else if self.fen.is_empty() {
            let selection = self.selection.as_deref();
            let command = selection.unwrap_or(G::RULES.all_starts()).to_owned();
            (command, G::starts(selection)?)
        } else {
            let typed = self.fen.iter().map(|text| read_typed(text));
            let typed = typed.collect::<Result<Vec<Named<G>>, _>>()?;
            let flags: Vec<_> = typed
                .iter()
                .map(|named| format!("--fen '{}'", named.name))
                .collect();
            (flags.join(" "), typed)
        };
        Ok(Selected {
            command: G::RULES.flags(&command),
            positions,
        })
    }
}

impl Rules {
    /// What stands in a command where nothing is selected.
    fn all_starts(self) -> &'static str {
        match self {
            Rules::Chess960 => ALL,
            Rules::Zchess => "",
        }
    }

    /// Flags with the one that says which game it is, unless that goes without saying.
    fn flags(self, others: &str) -> String {
        match self {
            Rules::Chess960 => others.to_owned(),
            Rules::Zchess => format!("--rules {} {others}", self.name())
                .trim_end()
                .to_owned(),
        }
    }
}

fn read_typed<G: Game>(text: &str) -> Result<Named<G>, Failure> {
    let board = text.parse::<G>();
    let board = board.with_context(|| format!("invalid value '{text}' for '--fen <FEN>'"));
    Ok(Named::of(board.or_usage()?))
}

/// The positions of an EPD file.
fn read_suite<G: Game>(path: &Path) -> Result<Vec<Named<G>>, Failure> {
    if G::RULES != Rules::Chess960 {
        let game = G::RULES.name();
        return Err(anyhow!(
            "EPD files hold positions of chess, not of {game}: use --fen"
        ))
        .or_usage();
    }
    let lines = read_epd(path).or_input()?;
    if lines.is_empty() {
        return Err(anyhow!("{}: it holds no positions", path.display())).or_input();
    }
    let named = lines.iter().map(|line| {
        let place = || format!("{}, line {}: {}", path.display(), line.line, line.fen);
        let board: G = line.fen.parse().with_context(place).or_input()?;
        Ok(Named::new(
            format!("line {}: {}", line.line, board.fen()),
            board,
        ))
    });
    named.collect()
}

impl<G: Game> Named<G> {
    pub fn new(name: String, board: G) -> Named<G> {
        Named { name, board }
    }

    /// A position that bears its text as a name.
    pub fn of(board: G) -> Named<G> {
        Named::new(board.fen(), board)
    }
}

/// The columns with which every table of positions begins.
pub fn naming_columns<G: Game, R: 'static>(named: fn(&R) -> &Named<G>) -> Vec<Column<R>> {
    let columns = G::NAMING.iter();
    columns
        .map(|&(name, cell)| Column::new(name, move |row| cell(&named(row).board)))
        .collect()
}
