//! From a score to the chances of winning, drawing and losing.
//!
//! The chance to win is a logistic curve of the score: it is even at [`EVEN`] centipawns and changes over
//! [`SPREAD`]; the chance to lose is the same curve from the other side, and the rest are draws. Both numbers are those
//! with which the results of 1,000 games are most likely that the engine played against itself, from random starts and
//! after eight random moves, with 2,000 nodes a move (`network chances 1000 2000` among the examples). Players of
//! another strength convert otherwise.

use super::score::Score;
use crate::chess::Color;

/// The score with which half of the games are won.
const EVEN: f64 = 164.0;
/// How far from it the chance is e times as good or bad.
const SPREAD: f64 = 150.0;

/// The chances of a game, in thousandths that add up to a thousand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chances {
    pub win: u16,
    pub draw: u16,
    pub loss: u16,
}

impl Chances {
    /// Chances that are known otherwise; `None` if they do not add up.
    pub fn new(win: u16, draw: u16, loss: u16) -> Option<Chances> {
        let sum = u32::from(win) + u32::from(draw) + u32::from(loss);
        (sum == 1000).then_some(Chances { win, draw, loss })
    }

    /// The chances of the player for whom the score is.
    pub fn of(score: Score) -> Chances {
        let (win, loss) = match score {
            Score::Centipawns(value) => (winning(value.into()), winning((-value).into())),
            Score::Mate(moves) if moves > 0 => (1000, 0),
            Score::Mate(_) => (0, 1000),
        };
        Chances {
            win,
            draw: 1000 - win - loss,
            loss,
        }
    }

    /// The chances of the side to move, as those of White; or the other way round.
    pub fn for_white(self, turn: Color) -> Chances {
        match turn {
            Color::White => self,
            Color::Black => Chances {
                win: self.loss,
                loss: self.win,
                ..self
            },
        }
    }
}

fn winning(value: f64) -> u16 {
    (1000.0 / (1.0 + ((EVEN - value) / SPREAD).exp())).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_are_the_same_from_both_sides() {
        for value in -1500..=1500 {
            let chances = Chances::of(Score::Centipawns(value));
            let other = Chances::of(Score::Centipawns(-value));
            assert_eq!(chances.win + chances.draw + chances.loss, 1000);
            assert_eq!((chances.win, chances.draw), (other.loss, other.draw));
        }
        assert_eq!(Chances::of(Score::Centipawns(EVEN as i32)).win, 500);
        assert_eq!(Chances::of(Score::Mate(-3)).loss, 1000);
    }
}
