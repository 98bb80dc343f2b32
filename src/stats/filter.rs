//! Which games count.
//!
//! In walk the tags of a game and what a user asked for; out walks whether the game is one of those. All that tags can
//! tell is decided before a move is looked at.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};

use super::facts::{Date, Outcome, Speed, Termination};
use crate::start::{DoubleStart, Selection, SelectionError};
use crate::table::CommandText;

/// Which rating has to lie within the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingOf {
    /// White's as well as Black's.
    Both,
    /// Their average.
    Average,
}

/// What a game has to be like. What is empty or `None` asks for nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Filter {
    pub min_rating: Option<u16>,
    pub max_rating: Option<u16>,
    pub rating_of: RatingOf,
    pub max_difference: Option<u16>,
    pub since: Option<Date>,
    pub until: Option<Date>,
    pub speeds: Vec<Speed>,
    pub outcomes: Vec<Outcome>,
    pub terminations: Vec<Termination>,
    /// The name of one of the players, whatever its case.
    pub player: Option<String>,
    /// What the `Variant` tag says, whatever its case.
    pub variant: Option<String>,
    pub without_bots: bool,
    pub min_plies: u32,
    /// The starts that games began from.
    pub starts: Option<StartSet>,
}

/// A selection of starts to look games up in.
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

/// What a filter looks at.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'t> {
    pub start: DoubleStart,
    pub ratings: [Option<u16>; 2],
    pub date: Option<Date>,
    pub speed: Speed,
    pub outcome: Outcome,
    pub termination: Termination,
    pub players: [&'t [u8]; 2],
    pub titles: [&'t [u8]; 2],
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
    /// Whether a game counts, as far as its tags tell.
    pub fn admits(&self, facts: &Facts) -> bool {
        self.admits_start(facts.start)
            && self.admits_ratings(facts.ratings)
            && self.admits_date(facts.date)
            && is_among(&self.speeds, facts.speed)
            && is_among(&self.outcomes, facts.outcome)
            && is_among(&self.terminations, facts.termination)
            && self.player.as_ref().is_none_or(|name| {
                let mut players = facts.players.iter();
                players.any(|player| is_same(player, name))
            })
            && self
                .variant
                .as_ref()
                .is_none_or(|name| is_same(facts.variant, name))
            && !(self.without_bots && facts.titles.contains(&&b"BOT"[..]))
    }

    /// Appends the flags of this filter to a command.
    pub fn write_flags(&self, command: CommandText) -> CommandText {
        fn listed<T: ToString>(values: &[T]) -> Option<String> {
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
            .quoted_flag("--time-control", listed(&self.speeds))
            .quoted_flag("--result", listed(&self.outcomes))
            .quoted_flag("--termination", listed(&self.terminations))
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
        // Twice the rating, so that an average stays whole.
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
        // A game of which only the year is known counts if the whole year does.
        date.is_some_and(|date| {
            self.since.is_none_or(|since| date >= since)
                && self
                    .until
                    .is_none_or(|until| date.latest() <= until.latest())
        })
    }
}

fn is_among<T: PartialEq>(wanted: &[T], found: T) -> bool {
    wanted.is_empty() || wanted.contains(&found)
}

fn is_same(tag: &[u8], name: &str) -> bool {
    match str::from_utf8(tag) {
        Ok(tag) => tag.eq_ignore_ascii_case(name) || tag.to_lowercase() == name.to_lowercase(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;

    fn facts() -> Facts<'static> {
        Facts {
            start: StartId::CLASSICAL.into(),
            ratings: [Some(2000), Some(2200)],
            date: Date::read(b"2024.06.15"),
            speed: Speed::Blitz,
            outcome: Outcome::Draw,
            termination: Termination::Normal,
            players: [b"Ann", b"Bob"],
            titles: [b"", b"BOT"],
            variant: b"Chess960",
        }
    }

    fn admits(change: impl Fn(&mut Filter)) -> bool {
        let mut filter = Filter::default();
        change(&mut filter);
        filter.admits(&facts())
    }

    #[test]
    fn ratings_are_those_of_both_or_their_average() {
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
        let unrated = Facts {
            ratings: [None, Some(2200)],
            ..facts()
        };
        let filter = Filter {
            min_rating: Some(0),
            ..Filter::default()
        };
        assert!(!filter.admits(&unrated));
    }

    #[test]
    fn dates_count_from_their_first_day_to_their_last() {
        let between = |since: &str, until: &str| {
            admits(|filter| {
                filter.since = since.parse().ok();
                filter.until = until.parse().ok();
            })
        };
        assert!(between("2024", "2024") && between("2024-06-15", "2024-06"));
        assert!(!between("2024-06-16", "") && !between("", "2024-06-14"));
        let vague = Facts {
            date: Date::read(b"2024.??.??"),
            ..facts()
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
    fn each_other_wish_is_heard() {
        assert!(admits(|filter| filter.player = Some("bob".to_owned())));
        assert!(!admits(|filter| filter.player = Some("bo".to_owned())));
        assert!(!admits(|filter| filter.without_bots = true));
        assert!(!admits(
            |filter| filter.speeds = vec![Speed::Bullet, Speed::Rapid]
        ));
        assert!(!admits(|filter| filter.outcomes = vec![Outcome::WhiteWins]));
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
