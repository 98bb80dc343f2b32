//! Sums over games, which can be made in any order.
//!
//! In walk counted games, one at a time, or whole tallies of other threads, files and machines; out walk the same sums
//! whoever was added first. Everything is a whole number, also what is expected of ratings: a sum of fractions would depend
//! on its order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::facts::{Date, Outcome, Speed, Termination};
use super::played::Played;
use super::settings::Rejection;
use crate::chess::PackedMove;
use crate::pgn::Castled;
use crate::start::DoubleStart;

/// A sum that is kept of every start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    WhiteWins,
    Draws,
    BlackWins,
    Unfinished,
    /// Games in which White's rating is known, and the sum of these ratings.
    WhiteRated,
    WhiteRatings,
    BlackRated,
    BlackRatings,
    /// Finished games in which both ratings are known.
    Rated,
    /// White's half points in these.
    RatedHalfPoints,
    /// What the ratings let expect of White, in units of 2^-32 points.
    Expected,
    /// The squares of what White scored beyond that, in units of 2^-32.
    SquaredSurplus,
    Plies,
    WhiteASide,
    WhiteHSide,
    BlackASide,
    BlackHSide,
    /// The plies at which White castled to the a-side, added up.
    WhiteASidePlies,
    WhiteHSidePlies,
    BlackASidePlies,
    BlackHSidePlies,
    /// Games in which castling was White's first move.
    WhiteCastledAtOnce,
    BlackCastledAtOnce,
    Repaired,
}

const MEASURES: usize = Measure::Repaired as usize + 1;

/// What is known of the games from one start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartTally {
    sums: [u64; MEASURES],
    speeds: [u64; Speed::ALL.len()],
    terminations: [u64; Termination::ALL.len()],
    /// The first day and the last.
    dates: Option<(Date, Date)>,
    pub first_moves: BTreeMap<PackedMove, Played>,
}

/// A game that counts.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub outcome: Outcome,
    pub ratings: [Option<u16>; 2],
    pub plies: u32,
    /// White's castling and Black's.
    pub castled: [Option<Castled>; 2],
    pub speed: Speed,
    pub termination: Termination,
    pub date: Option<Date>,
    pub is_repaired: bool,
}

/// Games that were left out for one reason, and where the first of them is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    pub games: u64,
    /// Not stored: a file may be found again under another name.
    #[serde(skip)]
    pub path: String,
    pub byte: u64,
}

/// What became of the games that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub read: u64,
    pub counted: u64,
    /// What the user did not ask for.
    pub filtered: u64,
    pub duplicates: u64,
    pub rejected: BTreeMap<Rejection, Rejected>,
    /// Bytes of uncompressed text.
    pub bytes: u64,
}

/// The sums of all starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub starts: BTreeMap<DoubleStart, StartTally>,
    pub summary: Summary,
}

impl StartTally {
    pub fn sum(&self, measure: Measure) -> u64 {
        self.sums[measure as usize]
    }

    pub fn games(&self) -> u64 {
        self.finished()
            .saturating_add(self.sum(Measure::Unfinished))
    }

    /// Games that were won or drawn.
    pub fn finished(&self) -> u64 {
        let decided = self
            .sum(Measure::WhiteWins)
            .saturating_add(self.sum(Measure::BlackWins));
        decided.saturating_add(self.sum(Measure::Draws))
    }

    pub fn of_speed(&self, speed: Speed) -> u64 {
        self.speeds[speed as usize]
    }

    pub fn of_termination(&self, termination: Termination) -> u64 {
        self.terminations[termination as usize]
    }

    pub fn first_date(&self) -> Option<Date> {
        self.dates.map(|(first, _)| first)
    }

    pub fn last_date(&self) -> Option<Date> {
        self.dates.map(|(_, last)| last)
    }

    /// Counts a game.
    pub fn count(&mut self, game: &Record) {
        use Measure::*;
        let outcome = match game.outcome {
            Outcome::WhiteWins => WhiteWins,
            Outcome::Draw => Draws,
            Outcome::BlackWins => BlackWins,
            Outcome::Unfinished => Unfinished,
        };
        self.add(outcome, 1);
        for (rating, rated, ratings) in [
            (game.ratings[0], WhiteRated, WhiteRatings),
            (game.ratings[1], BlackRated, BlackRatings),
        ] {
            if let Some(rating) = rating {
                self.add(rated, 1);
                self.add(ratings, u64::from(rating));
            }
        }
        if let ([Some(white), Some(black)], Some(half_points)) =
            (game.ratings, game.outcome.half_points())
        {
            let expected = expected_score(white, black);
            self.add(Rated, 1);
            self.add(RatedHalfPoints, half_points.into());
            self.add(Expected, expected);
            // Sixteen binary places are enough for a variance, and their squares add up for billions of games.
            let surplus = (u64::from(half_points) << 15).abs_diff(expected >> 16);
            self.add(SquaredSurplus, surplus * surplus);
        }
        self.add(Plies, u64::from(game.plies));
        self.count_castling(
            game.castled[0],
            1,
            [WhiteASide, WhiteHSide],
            [WhiteASidePlies, WhiteHSidePlies],
            WhiteCastledAtOnce,
        );
        self.count_castling(
            game.castled[1],
            2,
            [BlackASide, BlackHSide],
            [BlackASidePlies, BlackHSidePlies],
            BlackCastledAtOnce,
        );
        self.add(Repaired, game.is_repaired.into());
        self.speeds[game.speed as usize] += 1;
        self.terminations[game.termination as usize] += 1;
        self.add_dates(game.date.map(|date| (date, date)));
    }

    fn count_castling(
        &mut self,
        castled: Option<Castled>,
        first_ply: u32,
        sides: [Measure; 2],
        plies: [Measure; 2],
        at_once: Measure,
    ) {
        if let Some(castled) = castled {
            let side = usize::from(castled.is_h_side);
            self.add(sides[side], 1);
            self.add(plies[side], castled.ply.into());
            self.add(at_once, (castled.ply == first_ply).into());
        }
    }

    fn add(&mut self, measure: Measure, amount: u64) {
        self.sums[measure as usize] += amount;
    }

    fn add_dates(&mut self, dates: Option<(Date, Date)>) {
        self.dates = match (self.dates, dates) {
            (Some((first, last)), Some((other_first, other_last))) => {
                Some((first.min(other_first), last.max(other_last)))
            }
            (known, other) => known.or(other),
        };
    }

    /// Adds what somebody else has counted. A ledger may hold any numbers, so sums end where numbers do.
    pub fn absorb(&mut self, other: &StartTally) {
        let add = |here: &mut [u64], there: &[u64]| {
            for (here, there) in here.iter_mut().zip(there) {
                *here = here.saturating_add(*there);
            }
        };
        add(&mut self.sums, &other.sums);
        add(&mut self.speeds, &other.speeds);
        add(&mut self.terminations, &other.terminations);
        self.add_dates(other.dates);
        for (&code, played) in &other.first_moves {
            self.first_moves.entry(code).or_default().add(played);
        }
    }
}

/// What White is expected to score against Black, by Elo's formula, in units of 2^-32.
fn expected_score(white: u16, black: u16) -> u64 {
    let difference = f64::from(i32::from(black) - i32::from(white));
    let expected = 1.0 / (1.0 + 10_f64.powf(difference / 400.0));
    (expected * f64::from(1_u32 << 31) * 2.0).round() as u64
}

impl Summary {
    pub fn absorb(&mut self, other: &Summary) {
        for (here, there) in [
            (&mut self.read, other.read),
            (&mut self.counted, other.counted),
            (&mut self.filtered, other.filtered),
            (&mut self.duplicates, other.duplicates),
            (&mut self.bytes, other.bytes),
        ] {
            *here = here.saturating_add(there);
        }
        for (&reason, rejected) in &other.rejected {
            match self.rejected.get_mut(&reason) {
                None => {
                    self.rejected.insert(reason, rejected.clone());
                }
                Some(known) => known.absorb(rejected),
            }
        }
    }
}

impl Rejected {
    fn absorb(&mut self, other: &Rejected) {
        self.games = self.games.saturating_add(other.games);
        if (&other.path, other.byte) < (&self.path, self.byte) {
            self.path.clone_from(&other.path);
            self.byte = other.byte;
        }
    }
}

impl Tally {
    /// Adds what somebody else has counted.
    pub fn absorb(&mut self, other: &Tally) {
        for (&start, tally) in &other.starts {
            self.starts.entry(start).or_default().absorb(tally);
        }
        self.summary.absorb(&other.summary);
    }

    /// Says in which file the rejected games are.
    pub fn set_path(&mut self, path: &str) {
        for rejected in self.summary.rejected.values_mut() {
            path.clone_into(&mut rejected.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(outcome: Outcome, white: u16, black: u16) -> Record {
        Record {
            outcome,
            ratings: [Some(white), Some(black)],
            plies: 40,
            castled: [
                Some(Castled {
                    ply: 1,
                    is_h_side: true,
                }),
                None,
            ],
            speed: Speed::Blitz,
            termination: Termination::Normal,
            date: Date::read(b"2024.01.02"),
            is_repaired: false,
        }
    }

    #[test]
    fn elo_expects_what_the_formula_says() {
        // FIDE's table: 0.76 for 200 points more, 0.24 for 200 less, 0.92 for 400 more (rounded: 0.909).
        let expected = |white, black| expected_score(white, black) as f64 / 2_f64.powi(32);
        assert_eq!(expected(2000, 2000), 0.5);
        assert!((expected(2200, 2000) - 0.759_746_926).abs() < 1e-9);
        assert!((expected(2000, 2400) - 1.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn tallies_add_up_in_any_order_and_are_read_back_from_json() {
        let mut one = Tally::default();
        let mut other = Tally::default();
        let start: DoubleStart = "518/0".parse().unwrap();
        one.starts
            .entry(start)
            .or_default()
            .count(&record(Outcome::WhiteWins, 2000, 1000));
        let tally = other.starts.entry(start).or_default();
        tally.count(&record(Outcome::Draw, 1500, 1600));
        tally
            .first_moves
            .insert(PackedMove(7), Played::from_numbers([1, 2, 3, 4, 5, 6]));
        let rejected = |path: &str, byte| Rejected {
            games: 1,
            path: path.to_owned(),
            byte,
        };
        one.summary
            .rejected
            .insert(Rejection::Unterminated, rejected("b", 1));
        other
            .summary
            .rejected
            .insert(Rejection::Unterminated, rejected("a", 2));
        let (mut left, mut right) = (one.clone(), other.clone());
        left.absorb(&other);
        right.absorb(&one);
        assert_eq!(left, right);
        assert_eq!(left.summary.rejected[&Rejection::Unterminated].path, "a");
        assert_eq!(left.starts[&start].sum(Measure::WhiteCastledAtOnce), 2);
        left.set_path("");
        let stored = serde_json::to_string(&left).unwrap();
        assert_eq!(serde_json::from_str::<Tally>(&stored).unwrap(), left);
        let damaged = stored.replacen("\"sums\":[", "\"sums\":[1,", 1);
        assert!(serde_json::from_str::<Tally>(&damaged).is_err());
    }
}
