//! How often a move was played, and with what results.

use serde::{Deserialize, Serialize};

/// How often a move was played, with what results and by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "[u64; 6]", from = "[u64; 6]")]
pub struct Played {
    /// By [`Outcome`](super::Outcome).
    pub outcomes: [u64; 4],
    /// Games in which the rating of the player who moved is known, and the sum of these ratings.
    pub rated: u64,
    pub ratings: u64,
}

impl Played {
    pub fn games(&self) -> u64 {
        // A ledger may hold any numbers.
        self.outcomes
            .iter()
            .fold(0, |sum, games| sum.saturating_add(*games))
    }

    pub fn add(&mut self, other: &Played) {
        for (here, there) in self.outcomes.iter_mut().zip(other.outcomes) {
            *here = here.saturating_add(there);
        }
        self.rated = self.rated.saturating_add(other.rated);
        self.ratings = self.ratings.saturating_add(other.ratings);
    }

    /// Its six numbers, as they are kept.
    pub fn numbers(&self) -> [u64; 6] {
        let [white, draws, black, unfinished] = self.outcomes;
        [white, draws, black, unfinished, self.rated, self.ratings]
    }

    pub fn from_numbers([white, draws, black, unfinished, rated, ratings]: [u64; 6]) -> Played {
        Played {
            outcomes: [white, draws, black, unfinished],
            rated,
            ratings,
        }
    }
}

impl From<Played> for [u64; 6] {
    fn from(played: Played) -> [u64; 6] {
        played.numbers()
    }
}

impl From<[u64; 6]> for Played {
    fn from(numbers: [u64; 6]) -> Played {
        Played::from_numbers(numbers)
    }
}
