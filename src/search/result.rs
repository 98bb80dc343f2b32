//! What a search returns: principal variations with their scores.
//!
//! The types are generic over the move, so that the type says whether the moves have been checked. A search returns
//! [`Move`]s, which are legal in their positions and are serialised as UCI texts. What is read back holds `String`s:
//! only with the board that was searched does [`SearchResult::check`] turn them into moves.

use serde::{Deserialize, Serialize};

use super::score::{Score, Value};
use super::wdl::Wdl;
use crate::chess::{Board, Move};

/// A principal variation: the best play of both sides, as far as the search saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PvLine<M = Move> {
    /// For the side to move.
    pub score: Score,
    /// For the side to move, if the engine has its own model; [`Wdl::from_score`] is ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wdl: Option<Wdl>,
    /// The depth of the last completed iteration.
    pub depth: u32,
    /// Empty only if the position has no legal move.
    pub moves: Vec<M>,
}

impl PvLine {
    pub(super) fn new(value: Value, depth: u32, moves: Vec<Move>) -> PvLine {
        PvLine {
            score: Score::from_value(value),
            wdl: None,
            depth,
            moves,
        }
    }
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchResult<M = Move> {
    /// Best first: as many as asked for, or as there are legal moves. Never empty.
    pub lines: Vec<PvLine<M>>,
    /// The score of the best line as the [mean of the last depths](Score::steady).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Score>,
    /// The nodes that were searched.
    pub nodes: u64,
}

/// Why a stored result does not belong to a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchResultError {
    /// A result has at least one line.
    #[error("the search result has no lines")]
    NoLines,
    /// A line has a move that is not legal.
    #[error("{moves:?} is not a legal line from {fen}")]
    IllegalLine {
        /// The moves of the line.
        moves: String,
        /// The position that it begins with.
        fen: String,
    },
}

impl SearchResult<String> {
    /// Parses the moves of all lines as legal play from the position that was searched.
    pub fn check(self, board: &Board) -> Result<SearchResult, SearchResultError> {
        if self.lines.is_empty() {
            return Err(SearchResultError::NoLines);
        }
        let lines = self.lines.into_iter().map(|line| line.check(board));
        Ok(SearchResult {
            lines: lines.collect::<Result<_, _>>()?,
            steady: self.steady,
            nodes: self.nodes,
        })
    }
}

impl PvLine<String> {
    fn check(self, board: &Board) -> Result<PvLine, SearchResultError> {
        let texts: Vec<&str> = self.moves.iter().map(String::as_str).collect();
        let moves = board
            .parse_line(&texts)
            .ok_or_else(|| SearchResultError::IllegalLine {
                moves: self.moves.join(" "),
                fen: board.x_fen(),
            })?;
        Ok(PvLine {
            score: self.score,
            wdl: self.wdl,
            depth: self.depth,
            moves,
        })
    }
}

/// The form that can be read back without the board.
impl From<SearchResult> for SearchResult<String> {
    fn from(result: SearchResult) -> SearchResult<String> {
        let lines = result.lines.into_iter().map(|line| PvLine {
            score: line.score,
            wdl: line.wdl,
            depth: line.depth,
            moves: line.moves.iter().map(Move::to_string).collect(),
        });
        SearchResult {
            lines: lines.collect(),
            steady: result.steady,
            nodes: result.nodes,
        }
    }
}

/// A line of a completed iteration, reported while the search goes on (UCI's `info`).
#[derive(Clone, Copy, Debug)]
pub struct SearchProgress<'a> {
    /// The line.
    pub line: &'a PvLine,
    /// The place of the line among the best, from 0.
    pub rank: usize,
    /// The nodes that were searched so far.
    pub nodes: u64,
    /// How full the transposition table is, in permille.
    pub hashfull: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;

    fn result(board: &Board) -> SearchResult {
        let line = |score, wdl, moves: &[&str]| PvLine {
            score,
            wdl,
            depth: 7,
            moves: board.parse_line(moves).unwrap(),
        };
        SearchResult {
            lines: vec![
                line(Score::Mate(2), Wdl::new(990, 10, 0), &["e2e4", "e7e5"]),
                line(Score::Centipawns(-31), None, &["g1f3"]),
            ],
            steady: Some(Score::Centipawns(12)),
            nodes: u64::MAX,
        }
    }

    #[test]
    fn a_result_survives_json() {
        let board = Board::from_start(StartId::CLASSICAL);
        let result = result(&board);
        let json = serde_json::to_string(&result).unwrap();
        let expected = r#"{"lines":[{"score":"mate 2","wdl":[990,10,0],"depth":7,"moves":["e2e4","e7e5"]},{"score":"cp -31","depth":7,"moves":["g1f3"]}],"steady":"cp 12","nodes":18446744073709551615}"#;
        assert_eq!(json, expected);
        let stored: SearchResult<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(SearchResult::<String>::from(result.clone()), stored);
        assert_eq!(stored.check(&board), Ok(result));
    }

    #[test]
    fn a_result_of_another_position_is_refused() {
        let stored = SearchResult::<String>::from(result(&Board::from_start(StartId::CLASSICAL)));
        let other: Board = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse().unwrap();
        let empty = SearchResult {
            lines: Vec::new(),
            ..stored.clone()
        };
        assert_eq!(empty.check(&other), Err(SearchResultError::NoLines));
        let illegal = SearchResultError::IllegalLine {
            moves: "e2e4 e7e5".to_owned(),
            fen: other.x_fen(),
        };
        assert_eq!(stored.check(&other), Err(illegal));
    }
}
