//! Sums over games that can be added in any order.
//!
//! A tally counts games one at a time and absorbs the tallies of other threads, files and machines. Every sum is an
//! integer, including the expected scores: a sum of floating-point numbers would depend on the order.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::group::Group;
use super::move_tally::MoveTally;
use super::settings::Rejection;
use super::tag_values::{Date, GameOutcome, Speed, Termination};
use crate::chess::PackedMove;
use crate::pgn::Castled;
use crate::start::DoubleStart;

/// A number that is summed over the games from one start. Ledgers store the sums in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Games that White won.
    WhiteWins,
    /// Draws.
    Draws,
    /// Games that Black won.
    BlackWins,
    /// Games without a result.
    Unfinished,
    /// Games in which White's rating is known.
    WhiteRated,
    /// The sum of White's ratings in these games.
    WhiteRatings,
    /// Games in which Black's rating is known.
    BlackRated,
    /// The sum of Black's ratings in these games.
    BlackRatings,
    /// Finished games in which both ratings are known.
    Rated,
    /// White's half points in the [`Rated`](Metric::Rated) games.
    RatedHalfPoints,
    /// White's expected score in these games by Elo's formula, in units of 2^-32 points.
    Expected,
    /// The squared differences between White's score and the expected score, in units of 2^-32.
    SquaredSurplus,
    /// The total length of the games.
    Plies,
    /// The sum of the squares of their lengths.
    SquaredPlies,
    /// Games in which White castled to the a-side.
    WhiteASide,
    /// Games in which White castled to the h-side.
    WhiteHSide,
    /// Games in which Black castled to the a-side.
    BlackASide,
    /// Games in which Black castled to the h-side.
    BlackHSide,
    /// The sum of the plies at which White castled to the a-side.
    WhiteASidePlies,
    /// The sum of the plies at which White castled to the h-side.
    WhiteHSidePlies,
    /// The sum of the plies at which Black castled to the a-side.
    BlackASidePlies,
    /// The sum of the plies at which Black castled to the h-side.
    BlackHSidePlies,
    /// Games in which White castled on move 1.
    WhiteCastledOnMove1,
    /// Games in which Black castled on move 1.
    BlackCastledOnMove1,
    /// Games whose castling rights were restored.
    Repaired,
    /// Games without moves.
    Moveless,
}

const METRICS: usize = Metric::Moveless as usize + 1;

/// The sums over the games from one start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartTally {
    sums: [u64; METRICS],
    speeds: [u64; Speed::ALL.len()],
    terminations: [u64; Termination::ALL.len()],
    /// The first date and the last.
    dates: Option<(Date, Date)>,
    /// The games by first move.
    pub first_moves: BTreeMap<PackedMove, MoveTally>,
}

/// What a tally records about a game. Pairs are White's and Black's.
#[derive(Clone, Copy, Debug)]
pub struct GameRecord {
    /// How it ended.
    pub outcome: GameOutcome,
    /// The ratings.
    pub ratings: [Option<u16>; 2],
    /// The length.
    pub plies: u32,
    /// When and where both sides castled.
    pub castled: [Option<Castled>; 2],
    /// The class of the time control.
    pub speed: Speed,
    /// Why it ended.
    pub termination: Termination,
    /// The date.
    pub date: Option<Date>,
    /// Whether castling rights were restored.
    pub is_repaired: bool,
}

/// The games that were rejected for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// How many there are.
    pub games: u64,
    /// The file of the first one. Not stored, because the same content may have another path in another run.
    #[serde(skip)]
    pub path: String,
    /// The byte of the uncompressed text at which the first one begins.
    pub byte: u64,
}

/// How many games were read, counted and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Games that were read. Text that is not a game is not among them.
    pub read: u64,
    /// Games that were counted.
    pub counted: u64,
    /// Games that the filter excluded.
    pub filtered: u64,
    /// Games that were skipped as duplicates.
    pub duplicates: u64,
    /// Games that could not be counted, by reason.
    pub rejected: BTreeMap<Rejection, Rejected>,
    /// Bytes of uncompressed text.
    pub bytes: u64,
}

/// The sums over the games of all starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The sums per start; only starts with games.
    pub starts: BTreeMap<DoubleStart, StartTally>,
    /// The same sums per group, if games are grouped by more than their start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<Group, StartTally>,
    /// How many games were read, counted and left out.
    pub summary: Summary,
}

impl StartTally {
    /// One of the sums.
    pub fn sum(&self, metric: Metric) -> u64 {
        self.sums[metric as usize]
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.finished().saturating_add(self.sum(Metric::Unfinished))
    }

    /// The number of games that have moves.
    pub fn with_moves(&self) -> u64 {
        self.games().saturating_sub(self.sum(Metric::Moveless))
    }

    /// The number of games that were won or drawn.
    pub fn finished(&self) -> u64 {
        let decided = self
            .sum(Metric::WhiteWins)
            .saturating_add(self.sum(Metric::BlackWins));
        decided.saturating_add(self.sum(Metric::Draws))
    }

    /// The number of games with a time control of this class.
    pub fn of_speed(&self, speed: Speed) -> u64 {
        self.speeds[speed as usize]
    }

    /// The number of games that ended this way.
    pub fn of_termination(&self, termination: Termination) -> u64 {
        self.terminations[termination as usize]
    }

    /// The earliest known date.
    pub fn first_date(&self) -> Option<Date> {
        self.dates.map(|(first, _)| first)
    }

    /// The latest known date.
    pub fn last_date(&self) -> Option<Date> {
        self.dates.map(|(_, last)| last)
    }

    /// Counts a game.
    pub fn count(&mut self, game: &GameRecord) {
        use Metric::*;
        let outcome = match game.outcome {
            GameOutcome::WhiteWins => WhiteWins,
            GameOutcome::Draw => Draws,
            GameOutcome::BlackWins => BlackWins,
            GameOutcome::Unfinished => Unfinished,
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
            // 16 fractional bits are precise enough for a variance, and the sum of their squares fits 64 bits for
            // billions of games.
            let surplus = (u64::from(half_points) << 15).abs_diff(expected >> 16);
            self.add(SquaredSurplus, surplus * surplus);
        }
        self.add(Plies, u64::from(game.plies));
        self.add(SquaredPlies, u64::from(game.plies).pow(2));
        self.count_castling(
            game.castled[0],
            1,
            [WhiteASide, WhiteHSide],
            [WhiteASidePlies, WhiteHSidePlies],
            WhiteCastledOnMove1,
        );
        self.count_castling(
            game.castled[1],
            2,
            [BlackASide, BlackHSide],
            [BlackASidePlies, BlackHSidePlies],
            BlackCastledOnMove1,
        );
        self.add(Repaired, game.is_repaired.into());
        self.add(Moveless, (game.plies == 0).into());
        self.speeds[game.speed as usize] += 1;
        self.terminations[game.termination as usize] += 1;
        self.add_dates(game.date.map(|date| (date, date)));
    }

    fn count_castling(
        &mut self,
        castled: Option<Castled>,
        first_ply: u32,
        sides: [Metric; 2],
        plies: [Metric; 2],
        on_move_1: Metric,
    ) {
        if let Some(castled) = castled {
            let side = usize::from(castled.is_h_side);
            self.add(sides[side], 1);
            self.add(plies[side], castled.ply.into());
            self.add(on_move_1, (castled.ply == first_ply).into());
        }
    }

    fn add(&mut self, metric: Metric, amount: u64) {
        self.sums[metric as usize] += amount;
    }

    fn add_dates(&mut self, dates: Option<(Date, Date)>) {
        self.dates = match (self.dates, dates) {
            (Some((first, last)), Some((other_first, other_last))) => {
                Some((first.min(other_first), last.max(other_last)))
            }
            (known, other) => known.or(other),
        };
    }

    /// Adds another tally of the same start. The sums saturate: the numbers of a damaged or forged ledger may overflow.
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
        for (&mv, played) in &other.first_moves {
            self.first_moves.entry(mv).or_default().add(played);
        }
    }
}

/// White's expected score by Elo's formula, in units of 2^-32.
fn expected_score(white: u16, black: u16) -> u64 {
    // A power per game would take longer than all other sums.
    static BY_DIFFERENCE: LazyLock<Vec<u64>> = LazyLock::new(|| {
        (-MAX_DIFFERENCE..=MAX_DIFFERENCE)
            .map(elo_formula)
            .collect()
    });
    let difference = i32::from(black) - i32::from(white);
    let index = usize::try_from(difference + MAX_DIFFERENCE).ok();
    let known = index.and_then(|index| BY_DIFFERENCE.get(index));
    known.copied().unwrap_or_else(|| elo_formula(difference))
}

/// The largest difference between two ratings for which the expected score is kept.
const MAX_DIFFERENCE: i32 = 2_000;

fn elo_formula(difference: i32) -> u64 {
    let expected = 1.0 / (1.0 + 10_f64.powf(f64::from(difference) / 400.0));
    (expected * f64::from(1_u32 << 31) * 2.0).round() as u64
}

impl Summary {
    /// Adds another summary.
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

impl Summary {
    /// The number of games that could not be counted.
    pub fn rejected_games(&self) -> u64 {
        let rejected = self.rejected.iter();
        let games = rejected.filter(|(reason, _)| **reason != Rejection::OtherText);
        games.fold(0, |sum: u64, (_, rejected)| {
            sum.saturating_add(rejected.games)
        })
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
    /// Adds another tally.
    pub fn absorb(&mut self, other: &Tally) {
        for (&start, tally) in &other.starts {
            self.starts.entry(start).or_default().absorb(tally);
        }
        for (&group, tally) in &other.groups {
            self.groups.entry(group).or_default().absorb(tally);
        }
        self.summary.absorb(&other.summary);
    }

    /// Sets the file that the rejected games are in.
    pub fn set_path(&mut self, path: &str) {
        for rejected in self.summary.rejected.values_mut() {
            path.clone_into(&mut rejected.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(outcome: GameOutcome, white: u16, black: u16) -> GameRecord {
        GameRecord {
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
            date: Date::parse_tag(b"2024.01.02"),
            is_repaired: false,
        }
    }

    #[test]
    fn expected_scores_match_the_elo_formula() {
        // FIDE's table: 0.76 for 200 points more, 0.24 for 200 less, 0.92 for 400 more (rounded: 0.909).
        let expected = |white, black| expected_score(white, black) as f64 / 2_f64.powi(32);
        assert_eq!(expected(2000, 2000), 0.5);
        assert!((expected(2200, 2000) - 0.759_746_926).abs() < 1e-9);
        assert!((expected(2000, 2400) - 1.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn tallies_add_in_any_order_and_survive_a_round_trip_through_json() {
        let mut one = Tally::default();
        let mut other = Tally::default();
        let start: DoubleStart = "518/0".parse().unwrap();
        one.starts
            .entry(start)
            .or_default()
            .count(&record(GameOutcome::WhiteWins, 2000, 1000));
        let tally = other.starts.entry(start).or_default();
        tally.count(&record(GameOutcome::Draw, 1500, 1600));
        tally
            .first_moves
            .insert(PackedMove(7), MoveTally::from_numbers([1, 2, 3, 4, 5, 6]));
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
        assert_eq!(left.starts[&start].sum(Metric::WhiteCastledOnMove1), 2);
        left.set_path("");
        let stored = serde_json::to_string(&left).unwrap();
        assert_eq!(serde_json::from_str::<Tally>(&stored).unwrap(), left);
        let damaged = stored.replacen("\"sums\":[", "\"sums\":[1,", 1);
        assert!(serde_json::from_str::<Tally>(&damaged).is_err());
    }
}
