//! Scores: the search's internal values, and the centipawns or mate distance that it reports.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::chess::Color;

/// Centipawns for the side to move. Mates lie beyond all evaluations; the nearer the mate, the further from zero.
pub(super) type Value = i32;

pub(super) const DRAW: Value = 0;
pub(super) const INFINITE: Value = 32_500;
const MATE: Value = 32_000;

/// The longest line that is searched, in plies.
pub(super) const MAX_PLY: usize = 128;

/// Values at least this far from zero are mates.
pub(super) const MATE_IN_MAX_PLY: Value = MATE - MAX_PLY as Value;

/// The value of being mated at this ply of the search.
pub(super) fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// The value of giving mate at this ply of the search.
pub(super) fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The score of a position for one of the sides, as in UCI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Score {
    /// Centipawns; positive if the side is better.
    Centipawns(i32),
    /// Mate in this many moves; negative if the side is mated, 0 if it already is.
    Mate(i32),
}

impl Score {
    pub(super) fn from_value(value: Value) -> Score {
        let plies = MATE - value.abs();
        if value.abs() < MATE_IN_MAX_PLY {
            Score::Centipawns(value)
        } else if value > 0 {
            Score::Mate((plies + 1) / 2)
        } else {
            Score::Mate(-plies / 2)
        }
    }

    /// The search's value of this score.
    pub(super) fn to_value(self) -> Value {
        match self {
            Score::Centipawns(value) => value,
            Score::Mate(moves) if moves > 0 => MATE - (2 * moves - 1),
            Score::Mate(moves) => -MATE - 2 * moves,
        }
    }

    /// The centipawns; `None` for a mate.
    pub fn centipawns(self) -> Option<i32> {
        match self {
            Score::Centipawns(value) => Some(value),
            Score::Mate(_) => None,
        }
    }

    /// Converts between the side to move's point of view and White's.
    pub fn for_white(self, turn: Color) -> Score {
        match (turn, self) {
            (Color::White, score) => score,
            (Color::Black, Score::Centipawns(value)) => Score::Centipawns(value.saturating_neg()),
            (Color::Black, Score::Mate(moves)) => Score::Mate(moves.saturating_neg()),
        }
    }
}

/// The steady score is a mean over this many depths.
const STEADY_DEPTHS: usize = 6;

impl Score {
    /// The mean of the scores of the last six depths of an iterative deepening search.
    ///
    /// The score of a single depth differs from the next by about as much as one start differs from another; the mean
    /// has less noise. `None` if there is no score, or a mate among the last ones.
    pub fn steady(by_depth: &[Score]) -> Option<Score> {
        let last = &by_depth[by_depth.len().saturating_sub(STEADY_DEPTHS)..];
        let centipawns = last.iter().map(|score| score.centipawns().map(f64::from));
        let sum = centipawns.sum::<Option<f64>>()?;
        (!last.is_empty()).then(|| Score::Centipawns((sum / last.len() as f64).round() as i32))
    }
}

/// The text of UCI: `cp 31`, `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(value) => write!(f, "cp {value}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// The text is not a UCI score.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a score such as `cp 31` or `mate -2`")]
pub struct ScoreError(String);

impl FromStr for Score {
    type Err = ScoreError;

    fn from_str(text: &str) -> Result<Score, ScoreError> {
        let error = || ScoreError(text.to_owned());
        let (unit, number) = text.split_once(' ').ok_or_else(error)?;
        let number: i32 = number.parse().map_err(|_| error())?;
        // The smallest number has no counterpart for the other side.
        number.checked_neg().ok_or_else(error)?;
        match unit {
            "cp" => Ok(Score::Centipawns(number)),
            "mate" => Ok(Score::Mate(number)),
            _ => Err(error()),
        }
    }
}

impl From<Score> for String {
    fn from(score: Score) -> String {
        score.to_string()
    }
}

impl TryFrom<String> for Score {
    type Error = ScoreError;

    fn try_from(text: String) -> Result<Score, ScoreError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_to_mate_are_counted_in_moves_of_the_mating_side() {
        let score = |value| Score::from_value(value).to_string();
        assert_eq!(score(mate_in(1)), "mate 1");
        assert_eq!(score(mate_in(3)), "mate 2");
        assert_eq!(score(mated_in(0)), "mate 0");
        assert_eq!(score(mated_in(2)), "mate -1");
        assert_eq!(score(-31), "cp -31");
        for value in [mate_in(1), mate_in(9), mated_in(0), mated_in(8), 31] {
            assert_eq!(Score::from_value(value).to_value(), value);
        }
    }

    #[test]
    fn the_point_of_view_of_white_negates_scores_of_black() {
        assert_eq!(Score::Mate(2).for_white(Color::Black), Score::Mate(-2));
        let score = Score::Centipawns(31);
        assert_eq!(score.for_white(Color::White), score);
        assert_eq!(score.for_white(Color::Black), Score::Centipawns(-31));
        let lowest = Score::Centipawns(i32::MIN);
        assert_eq!(lowest.for_white(Color::Black), Score::Centipawns(i32::MAX));
    }

    #[test]
    fn the_steady_score_is_the_mean_of_the_last_six_depths() {
        let steady = |values: &[i32]| {
            let scores: Vec<Score> = values
                .iter()
                .map(|&value| Score::Centipawns(value))
                .collect();
            Score::steady(&scores)
        };
        assert_eq!(steady(&[]), None);
        assert_eq!(steady(&[-7]), Some(Score::Centipawns(-7)));
        assert_eq!(steady(&[10, 15]), Some(Score::Centipawns(13)));
        let eight = [900, 900, 1, 2, 3, 4, 5, 9];
        assert_eq!(steady(&eight), Some(Score::Centipawns(4)));
        assert_eq!(Score::steady(&[Score::Centipawns(3), Score::Mate(4)]), None);
    }

    #[test]
    fn uci_scores_are_parsed() {
        for text in ["cp 0", "cp -31", "mate 2", "mate -7"] {
            let score: Score = text.parse().unwrap();
            assert_eq!(score.to_string(), text);
            let json = serde_json::to_string(&score).unwrap();
            assert_eq!(json, format!("{text:?}"));
            assert_eq!(serde_json::from_str::<Score>(&json).unwrap(), score);
        }
        for wrong in [
            "",
            "cp",
            "31",
            "cp x",
            "cp 1.5",
            "wdl 1 2 3",
            "mate 99999999999",
            "cp -2147483648",
            "mate -2147483648",
        ] {
            assert!(wrong.parse::<Score>().is_err(), "{wrong}");
            assert!(serde_json::from_str::<Score>(&format!("{wrong:?}")).is_err());
        }
    }
}
