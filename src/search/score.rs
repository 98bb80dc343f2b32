//! What a search says about a position: centipawns, or a mate and how far it is.

use std::fmt;
use std::str::FromStr;

use crate::chess::Color;

/// Centipawns for the side to move, with mates beyond all of them: the nearer, the further from zero.
pub(super) type Value = i32;

pub(super) const DRAW: Value = 0;
pub(super) const INFINITE: Value = 32_500;
const MATE: Value = 32_000;

/// The longest line that is searched.
pub(super) const MOST_PLIES: usize = 128;

/// Beyond this a value is a mate.
pub(super) const NEAREST_TO_MATE: Value = MATE - MOST_PLIES as Value;

/// The value of having been mated after so many plies of the search.
pub(super) fn mated_after(plies: usize) -> Value {
    plies as Value - MATE
}

/// The value of mating after so many plies of the search.
pub(super) fn mating_after(plies: usize) -> Value {
    MATE - plies as Value
}

/// A judgement of a position, for one of the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    Centipawns(i32),
    /// Mate in so many moves; negative if the player is mated, 0 if that has happened.
    Mate(i32),
}

impl Score {
    pub(super) fn from_value(value: Value) -> Score {
        let plies = MATE - value.abs();
        if value.abs() < NEAREST_TO_MATE {
            Score::Centipawns(value)
        } else if value > 0 {
            Score::Mate((plies + 1) / 2)
        } else {
            Score::Mate(-plies / 2)
        }
    }

    /// What it is to a search.
    pub(super) fn to_value(self) -> Value {
        match self {
            Score::Centipawns(value) => value,
            Score::Mate(moves) if moves > 0 => MATE - (2 * moves - 1),
            Score::Mate(moves) => -MATE - 2 * moves,
        }
    }

    /// `None` for a mate, which is worth more than any number of them.
    pub fn centipawns(self) -> Option<i32> {
        match self {
            Score::Centipawns(value) => Some(value),
            Score::Mate(_) => None,
        }
    }

    /// A judgement for the side to move, as one for White; or the other way round.
    pub fn for_white(self, turn: Color) -> Score {
        match (turn, self) {
            (Color::White, score) => score,
            (Color::Black, Score::Centipawns(value)) => Score::Centipawns(-value),
            (Color::Black, Score::Mate(moves)) => Score::Mate(-moves),
        }
    }
}

/// A search's scores of the last so many depths make its steady score.
const STEADY_DEPTHS: usize = 6;

impl Score {
    /// The mean of the last scores of a search that went deeper and deeper: a single one changes from depth to depth by
    /// about as much as one start differs from another. `None` where there is no score, or a mate among them.
    pub fn steady(by_depth: &[Score]) -> Option<Score> {
        let last = &by_depth[by_depth.len().saturating_sub(STEADY_DEPTHS)..];
        let centipawns = last.iter().map(|score| score.centipawns().map(f64::from));
        let sum = centipawns.sum::<Option<f64>>()?;
        (!last.is_empty()).then(|| Score::Centipawns((sum / last.len() as f64).round() as i32))
    }
}

/// As engines write it: `cp 31`, `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(value) => write!(f, "cp {value}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// The text is no score as engines write it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a score such as `cp 31` or `mate -2`")]
pub struct ScoreError(String);

impl FromStr for Score {
    type Err = ScoreError;

    fn from_str(text: &str) -> Result<Score, ScoreError> {
        let wrong = || ScoreError(text.to_owned());
        let (unit, number) = text.split_once(' ').ok_or_else(wrong)?;
        let number = number.parse().map_err(|_| wrong())?;
        match unit {
            "cp" => Ok(Score::Centipawns(number)),
            "mate" => Ok(Score::Mate(number)),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_to_mate_are_counted_in_moves_of_the_player_who_mates() {
        let score = |value| Score::from_value(value).to_string();
        assert_eq!(score(mating_after(1)), "mate 1");
        assert_eq!(score(mating_after(3)), "mate 2");
        assert_eq!(score(mated_after(0)), "mate 0");
        assert_eq!(score(mated_after(2)), "mate -1");
        assert_eq!(score(-31), "cp -31");
        for value in [
            mating_after(1),
            mating_after(9),
            mated_after(0),
            mated_after(8),
            31,
        ] {
            assert_eq!(Score::from_value(value).to_value(), value);
        }
    }

    #[test]
    fn whites_view_turns_blacks_round() {
        assert_eq!(Score::Mate(2).for_white(Color::Black), Score::Mate(-2));
        let score = Score::Centipawns(31);
        assert_eq!(score.for_white(Color::White), score);
        assert_eq!(score.for_white(Color::Black), Score::Centipawns(-31));
    }

    #[test]
    fn a_steady_score_is_the_mean_of_the_last_six() {
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
    fn a_score_is_read_as_engines_write_it() {
        for text in ["cp 0", "cp -31", "mate 2", "mate -7"] {
            assert_eq!(text.parse::<Score>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "cp",
            "31",
            "cp x",
            "cp 1.5",
            "wdl 1 2 3",
            "mate 99999999999",
        ] {
            assert!(wrong.parse::<Score>().is_err(), "{wrong}");
        }
    }
}
