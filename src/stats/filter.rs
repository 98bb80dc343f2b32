//! The filter that selects games by their tags.
//!
//! It decides before any move is parsed, so a game that is filtered out costs next to nothing. Only the minimum length
//! has to wait for the moves.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};

use super::tag_values::{Date, GameOutcome, Speed, Termination};
use crate::start::{DoubleStart, Selection, SelectionError};
use crate::table::CommandText;

/// Which rating has to be within the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingOf {
    /// White's and Black's.
    Both,
    /// The average of both.
    Average,
}

/// The conditions that a game has to meet. A list that is empty or a value that is `None` is no condition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Filter {
    /// The lowest rating.
    pub min_rating: Option<u16>,
    /// The highest rating.
    pub max_rating: Option<u16>,
    /// Which rating these bounds apply to.
    pub rating_of: RatingOf,
    /// The largest difference between the ratings of the players.
    pub max_difference: Option<u16>,
    /// The first date, inclusive.
    pub since: Option<Date>,
    /// The last date, inclusive.
    pub until: Option<Date>,
    /// The accepted time controls.
    pub speeds: Vec<Speed>,
    /// The accepted outcomes.
    pub outcomes: Vec<GameOutcome>,
    /// The accepted terminations.
    pub terminations: Vec<Termination>,
    /// The name of one of the players, compared without case.
    pub player: Option<String>,
    /// The value of the `Variant` tag, compared without case.
    pub variant: Option<String>,
    /// Whether games of bots are excluded.
    pub without_bots: bool,
    /// The minimum length.
    pub min_plies: u32,
    /// The accepted starts.
    pub starts: Option<StartSet>,
}

/// A set of starts, kept with the text of the selection that it was parsed from.
#[derive(Clone, Debug, SerializeDisplay, DeserializeFromStr)]
pub struct StartSet {
    selection: String,
    /// In ascending order.
    starts: Vec<DoubleStart>,
}

impl StartSet {
    fn contains(&self, start: DoubleStart) -> bool {
        self.starts.binary_search(&start).is_ok()
    }
}

impl FromStr for StartSet {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<StartSet, SelectionError> {
        let selection: Selection = text.parse()?;
        let mut starts: Vec<DoubleStart> = selection.doubles().collect();
        starts.sort();
        Ok(StartSet {
            selection: text.to_owned(),
            starts,
        })
    }
}

impl fmt::Display for StartSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.selection)
    }
}

/// The properties of a game that its tags state. Pairs are White's and Black's.
#[derive(Clone, Copy, Debug)]
pub struct GameProperties<'t> {
    /// The start position.
    pub start: DoubleStart,
    /// The ratings.
    pub ratings: [Option<u16>; 2],
    /// The date.
    pub date: Option<Date>,
    /// The class of the time control.
    pub speed: Speed,
    /// The outcome.
    pub outcome: GameOutcome,
    /// The termination.
    pub termination: Termination,
    /// The names of the players.
    pub players: [&'t [u8]; 2],
    /// The titles of the players.
    pub titles: [&'t [u8]; 2],
    /// The text of the `Variant` tag.
    pub variant: &'t [u8],
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            min_rating: None,
            max_rating: None,
            rating_of: RatingOf::Both,
            max_difference: None,
            since: None,
            until: None,
            speeds: Vec::new(),
            outcomes: Vec::new(),
            terminations: Vec::new(),
            player: None,
            variant: None,
            without_bots: false,
            min_plies: 0,
            starts: None,
        }
    }
}

impl Filter {
    /// Whether a game meets all conditions on its tags. The length is not checked.
    pub fn admits(&self, game: &GameProperties) -> bool {
        self.admits_start(game.start)
            && self.admits_ratings(game.ratings)
            && self.admits_date(game.date)
            && is_accepted(&self.speeds, game.speed)
            && is_accepted(&self.outcomes, game.outcome)
            && is_accepted(&self.terminations, game.termination)
            && self.player.as_ref().is_none_or(|name| {
                let mut players = game.players.iter();
                players.any(|player| equals_ignoring_case(player, name))
            })
            && self
                .variant
                .as_ref()
                .is_none_or(|name| equals_ignoring_case(game.variant, name))
            && !(self.without_bots && game.titles.contains(&&b"BOT"[..]))
    }

    /// Appends the flags of this filter to a command.
    pub fn write_flags(&self, command: CommandText) -> CommandText {
        fn comma_separated<T: ToString>(values: &[T]) -> Option<String> {
            let values: Vec<String> = values.iter().map(T::to_string).collect();
            (!values.is_empty()).then(|| values.join(","))
        }
        command
            .quoted_flag("--starts", self.starts.as_ref())
            .quoted_flag("--min-rating", self.min_rating)
            .quoted_flag("--max-rating", self.max_rating)
            .quoted_flag("--max-difference", self.max_difference)
            .quoted_flag("--since", self.since)
            .quoted_flag("--until", self.until)
            .quoted_flag("--time-control", comma_separated(&self.speeds))
            .quoted_flag("--result", comma_separated(&self.outcomes))
            .quoted_flag("--termination", comma_separated(&self.terminations))
            .quoted_flag("--player", self.player.as_ref())
            .quoted_flag("--variant", self.variant.as_ref())
            .quoted_flag(
                "--min-plies",
                (self.min_plies > 0).then_some(self.min_plies),
            )
            .switch("--average-rating", self.rating_of == RatingOf::Average)
            .switch("--no-bots", self.without_bots)
    }

    fn admits_start(&self, start: DoubleStart) -> bool {
        let starts = self.starts.as_ref();
        starts.is_none_or(|starts| starts.contains(start))
    }

    fn admits_ratings(&self, ratings: [Option<u16>; 2]) -> bool {
        let is_bounded = self.min_rating.is_some() || self.max_rating.is_some();
        if !is_bounded && self.max_difference.is_none() {
            return true;
        }
        let [Some(white), Some(black)] = ratings else {
            return false;
        };
        // Twice the rating, so that an average stays an integer.
        let is_within = |twice: u32| {
            self.min_rating
                .is_none_or(|min| twice >= 2 * u32::from(min))
                && self
                    .max_rating
                    .is_none_or(|max| twice <= 2 * u32::from(max))
        };
        let (white, black) = (u32::from(white), u32::from(black));
        let is_within = match self.rating_of {
            RatingOf::Both => is_within(2 * white) && is_within(2 * black),
            RatingOf::Average => is_within(white + black),
        };
        let difference = white.abs_diff(black);
        let max = self.max_difference.map_or(u32::MAX, u32::from);
        is_within && difference <= max
    }

    fn admits_date(&self, date: Option<Date>) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        // A date of which only the year is known is accepted if the whole year is.
        date.is_some_and(|date| {
            self.since.is_none_or(|since| date >= since)
                && self
                    .until
                    .is_none_or(|until| date.latest() <= until.latest())
        })
    }
}

fn is_accepted<T: PartialEq>(accepted: &[T], value: T) -> bool {
    accepted.is_empty() || accepted.contains(&value)
}

fn equals_ignoring_case(tag: &[u8], name: &str) -> bool {
    // A copy, because the text of a mapped file may change after it was found to be valid UTF-8.
    match String::from_utf8(tag.to_vec()) {
        Ok(tag) => tag.eq_ignore_ascii_case(name) || tag.to_lowercase() == name.to_lowercase(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;

    fn game() -> GameProperties<'static> {
        GameProperties {
            start: StartId::CLASSICAL.into(),
            ratings: [Some(2000), Some(2200)],
            date: Date::parse_tag(b"2024.06.15"),
            speed: Speed::Blitz,
            outcome: GameOutcome::Draw,
            termination: Termination::Normal,
            players: [b"Ann", b"Bob"],
            titles: [b"", b"BOT"],
            variant: b"Chess960",
        }
    }

    fn admits(change: impl Fn(&mut Filter)) -> bool {
        let mut filter = Filter::default();
        change(&mut filter);
        filter.admits(&game())
    }

    #[test]
    fn rating_bounds_apply_to_both_players_or_to_their_average() {
        assert!(admits(|_| ()));
        assert!(admits(|filter| filter.min_rating = Some(2000)));
        assert!(!admits(|filter| filter.min_rating = Some(2001)));
        assert!(!admits(|filter| filter.max_rating = Some(2199)));
        let average = |min, max| {
            admits(|filter| {
                filter.rating_of = RatingOf::Average;
                (filter.min_rating, filter.max_rating) = (Some(min), Some(max));
            })
        };
        assert!(average(2100, 2100) && !average(2101, 3000) && !average(0, 2099));
        assert!(admits(|filter| filter.max_difference = Some(200)));
        assert!(!admits(|filter| filter.max_difference = Some(199)));
        let unrated = GameProperties {
            ratings: [None, Some(2200)],
            ..game()
        };
        let filter = Filter {
            min_rating: Some(0),
            ..Filter::default()
        };
        assert!(!filter.admits(&unrated));
    }

    #[test]
    fn a_period_includes_its_first_and_last_day_and_incomplete_dates_within_it() {
        let between = |since: &str, until: &str| {
            admits(|filter| {
                filter.since = since.parse().ok();
                filter.until = until.parse().ok();
            })
        };
        assert!(between("2024", "2024") && between("2024-06-15", "2024-06"));
        assert!(!between("2024-06-16", "") && !between("", "2024-06-14"));
        let vague = GameProperties {
            date: Date::parse_tag(b"2024.??.??"),
            ..game()
        };
        let filter = |since: &str, until: &str| Filter {
            since: since.parse().ok(),
            until: until.parse().ok(),
            ..Filter::default()
        };
        assert!(filter("2024", "2024").admits(&vague));
        assert!(!filter("2024-02", "2024").admits(&vague));
        assert!(!filter("2024", "2024-11").admits(&vague));
    }

    #[test]
    fn every_other_condition_can_reject_a_game() {
        assert!(admits(|filter| filter.player = Some("bob".to_owned())));
        assert!(!admits(|filter| filter.player = Some("bo".to_owned())));
        assert!(!admits(|filter| filter.without_bots = true));
        assert!(!admits(
            |filter| filter.speeds = vec![Speed::Bullet, Speed::Rapid]
        ));
        assert!(!admits(
            |filter| filter.outcomes = vec![GameOutcome::WhiteWins]
        ));
        assert!(!admits(
            |filter| filter.terminations = vec![Termination::Abandoned]
        ));
        assert!(!admits(
            |filter| filter.variant = Some("fischerandom".to_owned())
        ));
        assert!(admits(|filter| filter.variant = Some("chess960".to_owned())));
        assert!(!admits(|filter| filter.starts = "0".parse().ok()));
        assert!(admits(|filter| filter.starts = "518".parse().ok()));
    }
}
