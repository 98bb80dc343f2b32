//! The games in which a move was played.

use serde::{Deserialize, Serialize};

use super::tag_values::GameOutcome;

/// The games in which a move was played: their outcomes and the ratings of the players who chose the move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "[u64; 6]", from = "[u64; 6]")]
pub struct MoveTally {
    /// Games by [`GameOutcome`](super::GameOutcome).
    pub outcomes: [u64; 4],
    /// Games in which the rating of the player who moved is known.
    pub rated: u64,
    /// The sum of these ratings.
    pub ratings: u64,
}

impl MoveTally {
    /// The number of games.
    pub fn games(&self) -> u64 {
        // The numbers of a damaged or forged ledger may overflow.
        self.outcomes
            .iter()
            .fold(0, |sum, games| sum.saturating_add(*games))
    }

    /// Counts a game in which the player who moved had this rating.
    pub fn count(&mut self, outcome: GameOutcome, rating: Option<u16>) {
        self.outcomes[outcome as usize] += 1;
        if let Some(rating) = rating {
            self.rated += 1;
            self.ratings += u64::from(rating);
        }
    }

    /// Adds the games of another tally of the same move.
    pub fn add(&mut self, other: &MoveTally) {
        for (here, there) in self.outcomes.iter_mut().zip(other.outcomes) {
            *here = here.saturating_add(there);
        }
        self.rated = self.rated.saturating_add(other.rated);
        self.ratings = self.ratings.saturating_add(other.ratings);
    }

    /// All six numbers, in the order in which ledgers and opening trees store them.
    pub fn numbers(&self) -> [u64; 6] {
        let [white, draws, black, unfinished] = self.outcomes;
        [white, draws, black, unfinished, self.rated, self.ratings]
    }

    /// The tally with these [`numbers`](MoveTally::numbers).
    pub fn from_numbers([white, draws, black, unfinished, rated, ratings]: [u64; 6]) -> MoveTally {
        MoveTally {
            outcomes: [white, draws, black, unfinished],
            rated,
            ratings,
        }
    }
}

impl From<MoveTally> for [u64; 6] {
    fn from(tally: MoveTally) -> [u64; 6] {
        tally.numbers()
    }
}

impl From<[u64; 6]> for MoveTally {
    fn from(numbers: [u64; 6]) -> MoveTally {
        MoveTally::from_numbers(numbers)
    }
}
