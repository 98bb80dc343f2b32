//! How well two tables of scores agree, and where they differ most.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{SearchReport, SearchRow};
use crate::chess::{Board, FenError};
use crate::job::game::NamedPosition;
use crate::job::positions::naming_columns;
use crate::search::{Correlation, Score};
use crate::table::read::{Sheet, TableReadError};
use crate::table::{Column, CommandText, Table};

/// What a table says about a position, for White.
#[derive(Clone, Debug)]
pub struct ScoredPosition {
    /// The position.
    pub board: Board,
    /// Its score; `None` for a mate or a failed search.
    pub centipawns: Option<i32>,
    /// The mean of its scores at the last depths.
    pub steady: Option<i32>,
    /// The best move as UCI.
    pub best_move: Option<String>,
}

/// A position on which both tables have a score in centipawns.
#[derive(Clone, Debug)]
pub struct ScorePair {
    /// The position.
    pub position: NamedPosition<Board>,
    /// Our score.
    pub ours: i32,
    /// The score of the other table.
    pub theirs: i32,
    /// The steady scores, if either table has one.
    pub steady: Option<(i32, i32)>,
    /// Our best move.
    pub our_move: Option<String>,
    /// The best move of the other table.
    pub their_move: Option<String>,
}

/// What two tables have in common.
#[derive(Clone, Debug)]
pub struct ScoreComparison {
    /// Positions with a score in both, the largest difference first.
    pub pairs: Vec<ScorePair>,
    /// Positions of ours without a score in both.
    pub left_out: usize,
    /// How well the scores agree.
    pub scores: Correlation,
    /// How well the steady scores agree, where there are enough of them.
    pub steady: Option<Correlation>,
    /// Positions for which both have a best move, and those where it is the same.
    pub moves: (usize, usize),
}

/// Why scores cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A table cannot be read.
    #[error(transparent)]
    Read(#[from] TableReadError),
    /// A row has a position that is not legal.
    #[error("{}, line {line}", path.display())]
    Fen {
        /// The table.
        path: PathBuf,
        /// The line of the row.
        line: usize,
        /// What is wrong with it.
        source: FenError,
    },
    /// A position has two rows.
    #[error("{}, line {line}: the position of line {first} again", path.display())]
    Repeated {
        /// The table.
        path: PathBuf,
        /// The line of the second row.
        line: usize,
        /// The line of the first row.
        first: usize,
    },
    /// A score is not a number.
    #[error("{}, line {line}: {text:?} is not a score in centipawns", path.display())]
    Score {
        /// The table.
        path: PathBuf,
        /// The line of the row.
        line: usize,
        /// The text of the cell.
        text: String,
    },
    /// There are too few positions.
    #[error("only {common} of {count} positions have a score in both tables, too few to compare")]
    TooFew {
        /// Positions with a score in both tables.
        common: usize,
        /// Positions of ours.
        count: usize,
    },
}

impl SearchReport {
    /// The scores of the best lines.
    pub fn scores(&self) -> Vec<ScoredPosition> {
        self.rows.iter().map(scored).collect()
    }
}

fn scored(row: &SearchRow) -> ScoredPosition {
    let board = row.position.board;
    let centipawns = |score: Score| score.for_white(board.turn()).centipawns();
    let line = row.result.as_ref().map(|result| &result.lines[0]);
    let steady = row.result.as_ref().and_then(|result| result.steady);
    ScoredPosition {
        board,
        centipawns: line.and_then(|line| centipawns(line.score)),
        steady: steady.and_then(centipawns),
        best_move: line.and_then(|line| Some(line.moves.first()?.to_string())),
    }
}

/// Reads the columns `fen`, `score_cp`, `best_move` and, if it is there, `steady_cp` of a CSV table.
pub fn read_scores(path: &Path) -> Result<Vec<ScoredPosition>, CompareError> {
    let sheet = Sheet::read(path)?;
    let fen = sheet.position("fen")?;
    let score = sheet.position("score_cp")?;
    let steady = sheet.position("steady_cp").ok();
    let best_move = sheet.position("best_move")?;
    let has_ranks = sheet.position("rank").is_ok();
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut scored = Vec::new();
    for record in sheet.records() {
        let field = |column: usize| record.fields[column].as_str();
        let (path, line) = (path.to_owned(), record.line);
        let board: Board = match field(fen).parse() {
            Ok(board) => board,
            Err(source) => return Err(CompareError::Fen { path, line, source }),
        };
        if let Some(first) = lines.insert(board.shredder_fen(), line) {
            // Of several lines of one position the first is the best.
            if has_ranks {
                continue;
            }
            return Err(CompareError::Repeated { path, line, first });
        }
        let centipawns = |column: usize| match field(column) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| CompareError::Score {
                path: path.clone(),
                line,
                text: text.to_owned(),
            }),
        };
        scored.push(ScoredPosition {
            board,
            centipawns: centipawns(score)?,
            steady: steady.map_or(Ok(None), centipawns)?,
            best_move: Some(field(best_move))
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
        });
    }
    Ok(scored)
}

/// Compares our scores with those of another table.
pub fn compare_scores(
    ours: Vec<ScoredPosition>,
    theirs: Vec<ScoredPosition>,
) -> Result<ScoreComparison, CompareError> {
    let count = ours.len();
    let mut pairs = pair_up(ours, theirs);
    if pairs.len() < 2 {
        return Err(CompareError::TooFew {
            common: pairs.len(),
            count,
        });
    }
    let scores = correlation(pairs.iter().map(|pair| (pair.ours, pair.theirs)));
    let steady: Vec<(i32, i32)> = pairs.iter().filter_map(|pair| pair.steady).collect();
    let steady = (steady.len() >= 2).then(|| correlation(steady.into_iter()));
    let moves = pairs
        .iter()
        .filter_map(|pair| Some((pair.our_move.as_ref()?, pair.their_move.as_ref()?)));
    let moves = moves.fold((0, 0), |(both, same), (ours, theirs)| {
        (both + 1, same + usize::from(ours == theirs))
    });
    pairs.sort_by_key(|pair| Reverse(pair.ours.abs_diff(pair.theirs)));
    Ok(ScoreComparison {
        left_out: count - pairs.len(),
        pairs,
        scores,
        steady,
        moves,
    })
}

fn pair_up(ours: Vec<ScoredPosition>, theirs: Vec<ScoredPosition>) -> Vec<ScorePair> {
    let mut theirs: HashMap<String, ScoredPosition> = theirs
        .into_iter()
        .map(|scored| (scored.board.shredder_fen(), scored))
        .collect();
    let pairs = ours.into_iter().filter_map(|ours| {
        let theirs = theirs.remove(&ours.board.shredder_fen())?;
        let scores = (ours.centipawns?, theirs.centipawns?);
        let has_steady = ours.steady.or(theirs.steady).is_some();
        let steady = |scored: &ScoredPosition, score| scored.steady.unwrap_or(score);
        Some(ScorePair {
            position: NamedPosition::of(ours.board),
            steady: has_steady.then(|| (steady(&ours, scores.0), steady(&theirs, scores.1))),
            ours: scores.0,
            theirs: scores.1,
            our_move: ours.best_move,
            their_move: theirs.best_move,
        })
    });
    pairs.collect()
}

fn correlation(scores: impl Iterator<Item = (i32, i32)>) -> Correlation {
    let scores = scores.map(|(ours, theirs)| (ours.into(), theirs.into()));
    Correlation::of(&scores.collect::<Vec<(f64, f64)>>())
}

impl ScoreComparison {
    /// The comparison in one line.
    pub fn summary(&self) -> String {
        let left_out = match self.left_out {
            0 => String::new(),
            left_out => format!(" ({left_out} left out)"),
        };
        let steady = self.steady.map_or(String::new(), |steady| {
            format!(
                "; steady scores: Pearson {:.3}, Spearman {:.3}",
                steady.pearson, steady.spearman
            )
        });
        let (both, same) = self.moves;
        format!(
            "{} positions compared{left_out}: Pearson {:.3}, Spearman {:.3}, mean difference {:+.1} cp, same best move in {same} of {both}{steady}",
            self.pairs.len(),
            self.scores.pearson,
            self.scores.spearman,
            self.scores.mean_difference,
        )
    }
}

/// The table of some pairs.
pub fn compare_table(command: CommandText, pairs: &[ScorePair]) -> Table {
    let mut columns = naming_columns(|pair: &ScorePair| &pair.position);
    columns.extend([
        Column::new("score_cp", |pair: &ScorePair| i64::from(pair.ours).into()),
        Column::new("other_score_cp", |pair: &ScorePair| {
            i64::from(pair.theirs).into()
        }),
        Column::new("difference", |pair: &ScorePair| {
            (i64::from(pair.ours) - i64::from(pair.theirs)).into()
        }),
        Column::new("best_move", |pair: &ScorePair| pair.our_move.clone().into()),
        Column::new("other_best_move", |pair: &ScorePair| {
            pair.their_move.clone().into()
        }),
    ]);
    Table::from_rows("ninesixty.compare/1", command, &columns, pairs)
}
