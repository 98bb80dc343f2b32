//! The win/draw/loss model: from a score to the probabilities of the results.
//!
//! The probability of a win is a logistic curve of the score: one half at [`HALF_WIN_CP`] centipawns, with a scale of
//! [`SCALE_CP`]. The probability of a loss is the same curve from the other side, and the rest are draws. Both
//! parameters are the maximum-likelihood fit to 1,000 self-play games of the engine with 2,000 nodes a move, from
//! random starts and after eight random plies (`cargo run --release -p ninesixty-trainer -- wdl 1000 2000`). Players
//! of another strength convert differently.

use serde::{Deserialize, Serialize};

use super::score::Score;
use crate::chess::Color;

/// The score with which half of the games are won.
const HALF_WIN_CP: f64 = 164.0;
/// The change of score that multiplies the odds of a win by e.
const SCALE_CP: f64 = 150.0;

/// Probabilities of a win, a draw and a loss in permille (UCI's `wdl`). They add up to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "[u16; 3]", try_from = "[u16; 3]")]
pub struct Wdl {
    /// The probability of a win in permille.
    pub win: u16,
    /// The probability of a draw in permille.
    pub draw: u16,
    /// The probability of a loss in permille.
    pub loss: u16,
}

/// Numbers that do not add up to 1000.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("win, draw and loss {0:?} do not add up to 1000")]
pub struct WdlError([u16; 3]);

impl Wdl {
    /// Probabilities from elsewhere; `None` if they do not add up to 1000.
    pub fn new(win: u16, draw: u16, loss: u16) -> Option<Wdl> {
        let sum = u32::from(win) + u32::from(draw) + u32::from(loss);
        (sum == 1000).then_some(Wdl { win, draw, loss })
    }

    /// What the model says of a score, for the side whose score it is.
    pub fn from_score(score: Score) -> Wdl {
        let (win, loss) = match score {
            Score::Centipawns(value) => (win_rate(value.into()), win_rate(-f64::from(value))),
            Score::Mate(moves) if moves > 0 => (1000, 0),
            Score::Mate(_) => (0, 1000),
        };
        Wdl {
            win,
            draw: 1000 - win - loss,
            loss,
        }
    }

    /// Converts between the side to move's point of view and White's.
    pub fn for_white(self, turn: Color) -> Wdl {
        match turn {
            Color::White => self,
            Color::Black => Wdl {
                win: self.loss,
                loss: self.win,
                ..self
            },
        }
    }
}

impl From<Wdl> for [u16; 3] {
    fn from(wdl: Wdl) -> [u16; 3] {
        [wdl.win, wdl.draw, wdl.loss]
    }
}

impl TryFrom<[u16; 3]> for Wdl {
    type Error = WdlError;

    fn try_from(parts: [u16; 3]) -> Result<Wdl, WdlError> {
        let [win, draw, loss] = parts;
        Wdl::new(win, draw, loss).ok_or(WdlError(parts))
    }
}

fn win_rate(centipawns: f64) -> u16 {
    (1000.0 / (1.0 + ((HALF_WIN_CP - centipawns) / SCALE_CP).exp())).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_are_symmetric() {
        for value in -1500..=1500 {
            let wdl = Wdl::from_score(Score::Centipawns(value));
            let other = Wdl::from_score(Score::Centipawns(-value));
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
            assert_eq!((wdl.win, wdl.draw), (other.loss, other.draw));
        }
        assert_eq!(
            Wdl::from_score(Score::Centipawns(HALF_WIN_CP as i32)).win,
            500
        );
        assert_eq!(Wdl::from_score(Score::Mate(-3)).loss, 1000);
    }

    #[test]
    fn json_is_an_array_that_adds_up() {
        let wdl = Wdl::new(90, 880, 30).unwrap();
        assert_eq!(serde_json::to_string(&wdl).unwrap(), "[90,880,30]");
        assert_eq!(serde_json::from_str::<Wdl>("[90,880,30]").unwrap(), wdl);
        assert!(serde_json::from_str::<Wdl>("[90,880,31]").is_err());
    }
}
