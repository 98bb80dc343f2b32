//! The groups that games are counted in: by start, rating, speed, month and title.
//!
//! [`GroupBy`] says what games are grouped by, and gives each game its [`Group`]. While games are counted, a group is a
//! number, its [`GroupCode`], which sorts like the group.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};

use super::filter::GameProperties;
use super::line_record::GroupCode;
use super::tag_values::{Date, Speed, Title};
use crate::start::{DoubleNumbering, DoubleStart};

/// What games are grouped by. Written as a list, `start,rating:200,speed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct GroupBy {
    /// Whether each start is a group of its own.
    pub start: bool,
    /// The width of the rating groups: 200 gives 1400 to 1599, 1600 to 1799, …
    pub rating: Option<u16>,
    /// Whether to group by the class of the time control.
    pub speed: bool,
    /// Whether to group by the month of the date.
    pub month: bool,
    /// Whether to group by the highest title of the players.
    pub title: bool,
}

/// A group of games. A part that games are not grouped by, or that is not known of a game, is `None`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct Group {
    /// The start.
    pub start: DoubleStart,
    /// What else games are grouped by.
    pub keys: GroupKeys,
}

/// The parts of a [`Group`] beside the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKeys {
    /// The lowest rating of the group.
    pub rating: Option<u16>,
    /// The class of the time control.
    pub speed: Option<Speed>,
    /// The month.
    pub month: Option<Date>,
    /// The highest title of the players.
    pub title: Option<Title>,
}

/// A text is not a list of what games can be grouped by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupByError {
    /// A word of the list is not known.
    #[error("{0:?} is not one of start, rating:N, speed, month, title")]
    Unknown(String),
    /// The width of the rating groups is not a number from 100 to 9999.
    #[error("{0:?} is not a width of rating groups: write rating:200, at least 100")]
    Width(String),
    /// A word is in the list twice.
    #[error("{0:?} is given twice")]
    Twice(String),
}

/// A text is not a group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a group of games")]
pub struct GroupError(String);

/// The bits of the parts of a [`GroupCode`]. The start is above them.
const RATING_BITS: u32 = 7;
const SPEED_BITS: u32 = 3;
const MONTH_BITS: u32 = 12;
const TITLE_BITS: u32 = 4;
const KEY_BITS: u32 = RATING_BITS + SPEED_BITS + MONTH_BITS + TITLE_BITS;

/// The narrowest rating groups of which 127 hold every rating.
const MIN_WIDTH: u16 = 100;

/// Months are numbered from this year on. Earlier ones count as unknown.
const FIRST_YEAR: u32 = 1800;

impl Default for GroupBy {
    /// By start.
    fn default() -> GroupBy {
        GroupBy {
            start: true,
            rating: None,
            speed: false,
            month: false,
            title: false,
        }
    }
}

impl GroupBy {
    /// Whether games are grouped by anything but the start.
    pub fn has_keys(self) -> bool {
        self.rating.is_some() || self.speed || self.month || self.title
    }

    /// The group of a game.
    #[inline]
    pub(super) fn code(self, game: &GameProperties) -> GroupCode {
        let start = GroupCode::of(game.start);
        if !self.has_keys() {
            return start;
        }
        let rating = self.rating.zip(average(game.ratings));
        let rating = rating.map_or(0, |(width, average)| 1 + u64::from(average / width));
        let speed = if self.speed { 1 + game.speed as u64 } else { 0 };
        let month = game.date.filter(|_| self.month).and_then(month_number);
        let title = if self.title {
            let [white, black] = game.titles.map(Title::parse_tag);
            white.max(black).map_or(0, |title| 1 + title as u64)
        } else {
            0
        };
        let mut keys = rating;
        keys = keys << SPEED_BITS | speed;
        keys = keys << MONTH_BITS | month.unwrap_or(0);
        keys = keys << TITLE_BITS | title;
        GroupCode(start.0 | keys)
    }

    /// The group of a code that [`code`](GroupBy::code) gave.
    pub(super) fn group(self, code: GroupCode) -> Option<Group> {
        let mut keys = code.0;
        let mut take = |bits: u32| {
            let part = keys & ((1 << bits) - 1);
            keys >>= bits;
            part.checked_sub(1)
        };
        let title = take(TITLE_BITS);
        let month = take(MONTH_BITS);
        let speed = take(SPEED_BITS);
        let rating = take(RATING_BITS);
        let low = |index: u64| self.rating.map(|width| width.saturating_mul(index as u16));
        Some(Group {
            start: code.start()?,
            keys: GroupKeys {
                rating: rating.and_then(low),
                speed: speed.and_then(|index| Speed::ALL.get(index as usize).copied()),
                month: month.map(|number| {
                    let number = number as u32;
                    Date::month(FIRST_YEAR + number / 12, number % 12 + 1)
                }),
                title: title.and_then(|index| Title::ALL.get(index as usize).copied()),
            },
        })
    }
}

/// The average of both ratings, if both are known.
fn average(ratings: [Option<u16>; 2]) -> Option<u16> {
    let [Some(white), Some(black)] = ratings else {
        return None;
    };
    Some((white + black) / 2)
}

/// The number of a month in a code, from 1.
fn month_number(date: Date) -> Option<u64> {
    let (year, month) = date.year_and_month()?;
    let number = year.checked_sub(FIRST_YEAR)? * 12 + month;
    (number < 1 << MONTH_BITS).then_some(number.into())
}

impl GroupCode {
    /// The code of all games from a start. Codes sort like the starts.
    pub fn of(start: DoubleStart) -> GroupCode {
        GroupCode(u64::from(DoubleNumbering::WhiteFirst.number(start)) << KEY_BITS)
    }

    /// The start; `None` if there is none of this number.
    pub fn start(self) -> Option<DoubleStart> {
        let number = u32::try_from(self.0 >> KEY_BITS).ok()?;
        DoubleNumbering::WhiteFirst.double_start(number).ok()
    }
}

impl FromStr for GroupBy {
    type Err = GroupByError;

    fn from_str(text: &str) -> Result<GroupBy, GroupByError> {
        let mut by = GroupBy {
            start: false,
            ..GroupBy::default()
        };
        for word in text.split(',') {
            let is_new = match word {
                "start" => !std::mem::replace(&mut by.start, true),
                "speed" => !std::mem::replace(&mut by.speed, true),
                "month" => !std::mem::replace(&mut by.month, true),
                "title" => !std::mem::replace(&mut by.title, true),
                _ => {
                    let width = word.strip_prefix("rating:");
                    let width = width.ok_or_else(|| GroupByError::Unknown(word.to_owned()))?;
                    let width = width.parse().ok();
                    let width = width.filter(|width| (MIN_WIDTH..10_000).contains(width));
                    let width = width.ok_or_else(|| GroupByError::Width(word.to_owned()))?;
                    by.rating.replace(width).is_none()
                }
            };
            if !is_new {
                return Err(GroupByError::Twice(word.to_owned()));
            }
        }
        Ok(by)
    }
}

impl fmt::Display for GroupBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |is_given: bool, word: &str| is_given.then(|| word.to_owned());
        let words = [
            word(self.start, "start"),
            self.rating.map(|width| format!("rating:{width}")),
            word(self.speed, "speed"),
            word(self.month, "month"),
            word(self.title, "title"),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        f.write_str(&words.join(","))
    }
}

/// Start, rating, speed, month and title, separated by semicolons; unknown parts are empty.
impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn text<T: ToString>(part: Option<T>) -> String {
            part.map_or_else(String::new, |part| part.to_string())
        }
        let GroupKeys {
            rating,
            speed,
            month,
            title,
        } = self.keys;
        write!(
            f,
            "{};{};{};{};{}",
            self.start,
            text(rating),
            text(speed),
            text(month),
            text(title)
        )
    }
}

impl FromStr for Group {
    type Err = GroupError;

    fn from_str(text: &str) -> Result<Group, GroupError> {
        fn part<T: FromStr>(text: &str) -> Option<Option<T>> {
            match text {
                "" => Some(None),
                text => text.parse().ok().map(Some),
            }
        }
        let parse = || {
            let parts: [&str; 5] = text.split(';').collect::<Vec<_>>().try_into().ok()?;
            let [start, rating, speed, month, title] = parts;
            Some(Group {
                start: start.parse().ok()?,
                keys: GroupKeys {
                    rating: part(rating)?,
                    speed: part(speed)?,
                    month: part(month)?,
                    title: part(title)?,
                },
            })
        };
        parse().ok_or_else(|| GroupError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tag_values::{GameOutcome, Termination};

    fn game(date: &str, ratings: [Option<u16>; 2]) -> GameProperties<'static> {
        GameProperties {
            start: "518/0".parse().unwrap(),
            ratings,
            date: Date::parse_tag(date.as_bytes()),
            speed: Speed::Blitz,
            outcome: GameOutcome::Draw,
            termination: Termination::Normal,
            players: [b"Ann", b"Bob"],
            titles: [b"IM", b"GM"],
            variant: b"Chess960",
        }
    }

    fn group(by: &str, game: &GameProperties) -> String {
        let by: GroupBy = by.parse().unwrap();
        let group = by.group(by.code(game)).unwrap();
        assert_eq!(group.to_string().parse(), Ok(group));
        group.to_string()
    }

    #[test]
    fn a_game_belongs_to_the_group_of_its_tags() {
        let rated = game("2024.06.15", [Some(1_900), Some(2_101)]);
        assert_eq!(group("start", &rated), "518/0;;;;");
        assert_eq!(group("rating:200", &rated), "518/0;2000;;;");
        assert_eq!(
            group("title,month,speed,rating:100,start", &rated),
            "518/0;2000;blitz;2024-06;GM"
        );
        let unknown = game("????.??.??", [Some(1_900), None]);
        assert_eq!(group("rating:100,speed,month", &unknown), "518/0;;blitz;;");
        let extreme = game("1800.01.01", [Some(9_999), Some(9_999)]);
        assert_eq!(group("rating:100,month", &extreme), "518/0;9900;;1800-01;");
        for date in ["2141.03.01", "1799.12.31", "2024.??.??"] {
            let known = group("month", &game(date, [None; 2])) != "518/0;;;;";
            assert_eq!(known, date == "2141.03.01", "{date}");
        }
    }

    #[test]
    fn lists_are_read_and_written() {
        for list in ["start", "speed", "start,rating:200,speed,month,title"] {
            assert_eq!(list.parse::<GroupBy>().unwrap().to_string(), list);
        }
        for wrong in [
            "",
            "rating",
            "rating:0",
            "rating:99",
            "rating:x",
            "speed,speed",
            "elo",
        ] {
            assert!(wrong.parse::<GroupBy>().is_err(), "{wrong}");
        }
    }
}
