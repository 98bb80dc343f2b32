//! Which positions a job works on: starts, typed positions, or the lines of an EPD file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::game::{Game, NamedPosition, Rules, StartsError};
use crate::table::Column;
use crate::table::read::{TableReadError, read_epd};

/// Where positions come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionSource {
    /// All starts of the game.
    AllStarts,
    /// A selection of starts, such as `0-9,518`.
    Starts(String),
    /// Positions given one by one.
    Fens(Vec<String>),
    /// The positions of an EPD file, which are held here so that the file is not needed again.
    Epd {
        /// The file they were read from.
        path: String,
        /// Line numbers and positions.
        lines: Vec<(usize, String)>,
    },
}

/// The positions of a job, in the order of its output.
///
/// ```
/// use ninesixty::chess::Board;
/// use ninesixty::job::Positions;
///
/// let positions: Positions<Board> = Positions::starts("518,0-1")?;
/// let ids: Vec<u16> = positions.iter().filter_map(|position| Some(position.start()?.number())).collect();
/// assert_eq!(ids, [0, 1, 518]);
/// # Ok::<(), ninesixty::job::PositionsError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    into = "Vec<PositionSource>",
    try_from = "Vec<PositionSource>",
    bound = ""
)]
pub struct Positions<G: Game> {
    sources: Vec<PositionSource>,
    rows: Vec<NamedPosition<G>>,
}

/// Why there are no positions.
#[derive(Debug, thiserror::Error)]
pub enum PositionsError {
    /// The selection of starts is wrong.
    #[error(transparent)]
    Starts(#[from] StartsError),
    /// A position is not legal.
    #[error("{place}{fen}")]
    Fen {
        /// The file and line it came from, if it came from a file.
        place: String,
        /// The text.
        fen: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The EPD file cannot be read.
    #[error(transparent)]
    Read(#[from] TableReadError),
    /// The EPD file has no positions.
    #[error("{}: the file holds no positions", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// EPD is for chess.
    #[error("EPD files hold chess positions, not {0} positions: use --fen")]
    NotChess(Rules),
}

impl PositionsError {
    /// Whether a file is at fault, rather than what was asked for.
    pub fn is_input(&self) -> bool {
        match self {
            PositionsError::Read(_) | PositionsError::Empty { .. } => true,
            PositionsError::Fen { place, .. } => !place.is_empty(),
            PositionsError::Starts(_) | PositionsError::NotChess(_) => false,
        }
    }
}

impl<G: Game> Positions<G> {
    /// All starts of the game.
    pub fn all() -> Positions<G> {
        let sources = vec![PositionSource::AllStarts];
        Positions::try_from(sources).expect("every game has a start")
    }

    /// A selection of starts.
    pub fn starts(selection: &str) -> Result<Positions<G>, PositionsError> {
        Positions::try_from(vec![PositionSource::Starts(selection.to_owned())])
    }

    /// Positions given one by one.
    pub fn boards(boards: impl IntoIterator<Item = G>) -> Positions<G> {
        let fens = boards.into_iter().map(|board| board.fen());
        Positions::try_from(vec![PositionSource::Fens(fens.collect())])
            .expect("the text of a position is read back")
    }

    /// The positions of an EPD file.
    pub fn epd(path: &Path) -> Result<Positions<G>, PositionsError> {
        if G::RULES != Rules::Chess960 {
            return Err(PositionsError::NotChess(G::RULES));
        }
        let lines = read_epd(path)?.into_iter();
        let lines: Vec<(usize, String)> = lines.map(|line| (line.line, line.fen)).collect();
        if lines.is_empty() {
            let path = path.to_owned();
            return Err(PositionsError::Empty { path });
        }
        Positions::try_from(vec![PositionSource::Epd {
            path: path.display().to_string(),
            lines,
        }])
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The positions in order.
    pub fn iter(&self) -> std::slice::Iter<'_, NamedPosition<G>> {
        self.rows.iter()
    }

    /// The position of a row.
    pub fn row(&self, row: usize) -> &NamedPosition<G> {
        &self.rows[row]
    }

    /// The arguments that select these positions, as a command line has them.
    pub fn arguments(&self) -> String {
        let mut arguments = Vec::new();
        if G::RULES != Rules::Chess960 {
            arguments.push(format!("--rules {}", G::RULES));
        }
        let mut selections: Vec<&str> = Vec::new();
        for source in &self.sources {
            match source {
                PositionSource::AllStarts if G::RULES == Rules::Chess960 => selections.push("all"),
                PositionSource::AllStarts => {}
                PositionSource::Starts(selection) => selections.push(selection),
                PositionSource::Fens(fens) => {
                    arguments.extend(fens.iter().map(|fen| format!("--fen '{fen}'")));
                }
                PositionSource::Epd { path, .. } => arguments.push(format!("--epd '{path}'")),
            }
        }
        if !selections.is_empty() {
            arguments.push(selections.join(","));
        }
        arguments.join(" ")
    }

    /// The positions of both, each once.
    pub(super) fn union(&self, other: &Positions<G>) -> Positions<G> {
        let ids = |positions: &Positions<G>| -> HashSet<String> {
            positions.iter().map(|row| row.board.fen()).collect()
        };
        let (here, there) = (ids(self), ids(other));
        if there.is_subset(&here) {
            return self.clone();
        }
        if here.is_subset(&there) {
            return other.clone();
        }
        let sources = [self.sources.clone(), other.sources.clone()].concat();
        Positions::try_from(sources).expect("the sources have been read before")
    }
}

impl<G: Game> From<Positions<G>> for Vec<PositionSource> {
    fn from(positions: Positions<G>) -> Vec<PositionSource> {
        positions.sources
    }
}

impl<G: Game> TryFrom<Vec<PositionSource>> for Positions<G> {
    type Error = PositionsError;

    fn try_from(sources: Vec<PositionSource>) -> Result<Positions<G>, PositionsError> {
        let mut rows: Vec<NamedPosition<G>> = Vec::new();
        let mut earlier = HashSet::new();
        for source in &sources {
            let new = source.positions::<G>()?;
            // A source may name a position twice; what another source has named already is not repeated.
            let is_new = |row: &NamedPosition<G>| !earlier.contains(&row.board.fen());
            rows.extend(new.into_iter().filter(is_new));
            if sources.len() > 1 {
                earlier.extend(rows.iter().map(|row| row.board.fen()));
            }
        }
        Ok(Positions { sources, rows })
    }
}

impl PositionSource {
    fn positions<G: Game>(&self) -> Result<Vec<NamedPosition<G>>, PositionsError> {
        match self {
            PositionSource::AllStarts => Ok(G::starts(None)?),
            PositionSource::Starts(selection) => Ok(G::starts(Some(selection))?),
            PositionSource::Fens(fens) => {
                let row = |fen: &String| {
                    let board = parse(fen, String::new())?;
                    Ok(NamedPosition {
                        text: Some(fen.clone()),
                        ..NamedPosition::of(board)
                    })
                };
                fens.iter().map(row).collect()
            }
            PositionSource::Epd { path, lines } => {
                let row = |(number, fen): &(usize, String)| {
                    let board: G = parse(fen, format!("{path}, line {number}: "))?;
                    Ok(NamedPosition {
                        name: format!("line {number}: {}", board.fen()),
                        board,
                        text: Some(fen.clone()),
                    })
                };
                lines.iter().map(row).collect()
            }
        }
    }
}

fn parse<G: Game>(fen: &str, place: String) -> Result<G, PositionsError> {
    fen.parse().map_err(|source: G::Err| PositionsError::Fen {
        place,
        fen: fen.to_owned(),
        source: source.into(),
    })
}

/// The columns with which every table of positions begins.
pub fn naming_columns<G: Game, R: 'static>(
    position: fn(&R) -> &NamedPosition<G>,
) -> Vec<Column<R>> {
    let columns = G::NAMING.iter();
    columns
        .map(|&(name, cell)| Column::new(name, move |row| cell(&position(row).board)))
        .collect()
}
