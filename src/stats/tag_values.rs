//! Typed values of PGN tags: outcome, date, rating, class of time control, termination.
//!
//! A tag that cannot be parsed is an unknown value and not an error: databases are full of question marks.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};

use crate::pgn;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub enum GameOutcome {
    /// `1-0`.
    WhiteWins,
    /// `1/2-1/2`.
    Draw,
    /// `0-1`.
    BlackWins,
    /// `*`, or no result.
    Unfinished,
}

/// A day, a month or a year.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct Date {
    /// Year, month and day in decimal digits; an unknown day or month is 00.
    digits: u32,
}

/// A text is not a date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a date: write 2024, 2024-06 or 2024-06-30")]
pub struct DateError(String);

/// The class of a time control as Lichess defines it, by the seconds that a player has for 40 moves.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub enum Speed {
    /// Less than 30 seconds.
    UltraBullet,
    /// Less than 3 minutes.
    Bullet,
    /// Less than 8 minutes.
    Blitz,
    /// Less than 25 minutes.
    Rapid,
    /// Less than 6 hours.
    Classical,
    /// 6 hours or more, or no time control.
    Correspondence,
    /// The tag is missing or unreadable.
    Unknown,
}

/// Why a game ended, by the values that the PGN standard gives the `Termination` tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub enum Termination {
    /// Over the board: mate, draw or resignation.
    Normal,
    /// A player ran out of time.
    TimeForfeit,
    /// The game was abandoned.
    Abandoned,
    /// A third party decided the game.
    Adjudication,
    /// A player broke the rules.
    RulesInfraction,
    /// The game is not over.
    Unterminated,
    /// A value that the standard does not know.
    Other,
    /// The tag is missing.
    Unknown,
}

/// The title of a player, the lowest first. A bot is above all: what it plays says nothing about people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Title {
    /// Woman National Master.
    Wnm,
    /// Woman Candidate Master.
    Wcm,
    /// Lichess Master.
    Lm,
    /// National Master.
    Nm,
    /// Woman FIDE Master.
    Wfm,
    /// Candidate Master.
    Cm,
    /// Woman International Master.
    Wim,
    /// FIDE Master.
    Fm,
    /// Woman Grandmaster.
    Wgm,
    /// International Master.
    Im,
    /// Grandmaster.
    Gm,
    /// A program.
    Bot,
}

/// A name that is none of the known ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {name:?}: use one of {known}")]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    known: String,
}

impl GameOutcome {
    /// All outcomes.
    pub const ALL: [GameOutcome; 4] = [
        GameOutcome::WhiteWins,
        GameOutcome::Draw,
        GameOutcome::BlackWins,
        GameOutcome::Unfinished,
    ];

    /// Parses a result, in PGN's spelling or another common one, `1:0` or `½-½`; `None` if it is not a result.
    pub fn parse(result: &[u8]) -> Option<GameOutcome> {
        match pgn::standard_result(result)? {
            b"1-0" => Some(GameOutcome::WhiteWins),
            b"0-1" => Some(GameOutcome::BlackWins),
            b"1/2-1/2" => Some(GameOutcome::Draw),
            b"*" => Some(GameOutcome::Unfinished),
            _ => None,
        }
    }

    /// White's score in half points; `None` for an unfinished game.
    pub fn half_points(self) -> Option<u8> {
        match self {
            GameOutcome::WhiteWins => Some(2),
            GameOutcome::Draw => Some(1),
            GameOutcome::BlackWins => Some(0),
            GameOutcome::Unfinished => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            GameOutcome::WhiteWins => "1-0",
            GameOutcome::Draw => "1/2-1/2",
            GameOutcome::BlackWins => "0-1",
            GameOutcome::Unfinished => "*",
        }
    }
}

impl Date {
    /// Parses the date of a PGN tag, `2009.07.28` or `2009.??.??`.
    pub fn parse_tag(tag: &[u8]) -> Option<Date> {
        let mut parts = tag.split(|byte| *byte == b'.');
        let year = number(parts.next()?).filter(|year| (1..=9999).contains(year))?;
        let mut part = |max| {
            let part = parts.next().and_then(number);
            part.filter(|part| (1..=max).contains(part)).unwrap_or(0)
        };
        let month = part(12);
        let day = if month > 0 { part(31) } else { 0 };
        Some(Date::new(year, month, day))
    }

    fn new(year: u32, month: u32, day: u32) -> Date {
        Date {
            digits: (year * 100 + month) * 100 + day,
        }
    }

    /// The last date that this may be: an unknown month is December, an unknown day the 31st.
    pub fn latest(self) -> Date {
        let (year, month, day) = self.parts();
        match (month, day) {
            (0, _) => Date::new(year, 12, 31),
            (_, 0) => Date::new(year, month, 31),
            _ => self,
        }
    }

    /// A month of a year.
    pub(super) fn month(year: u32, month: u32) -> Date {
        Date::new(year, month, 0)
    }

    /// Year and month, if the month is known.
    pub(super) fn year_and_month(self) -> Option<(u32, u32)> {
        let (year, month, _) = self.parts();
        (month > 0).then_some((year, month))
    }

    fn parts(self) -> (u32, u32, u32) {
        (
            self.digits / 10_000,
            self.digits / 100 % 100,
            self.digits % 100,
        )
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Date, DateError> {
        let wrong = || DateError(text.to_owned());
        let mut parts = [0; 3];
        let mut given = 0;
        for part in text.split(['-', '.']) {
            let slot = parts.get_mut(given).ok_or_else(wrong)?;
            *slot = number(part.as_bytes()).ok_or_else(wrong)?;
            given += 1;
        }
        let [year, month, day] = parts;
        let is_date = (1..=9999).contains(&year)
            && (given < 2 || (1..=12).contains(&month))
            && (given < 3 || (1..=31).contains(&day));
        is_date
            .then(|| Date::new(year, month, day))
            .ok_or_else(wrong)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        match (month, day) {
            (0, _) => write!(f, "{year:04}"),
            (_, 0) => write!(f, "{year:04}-{month:02}"),
            _ => write!(f, "{year:04}-{month:02}-{day:02}"),
        }
    }
}

/// Parses the rating of a tag; `None` for `?`, `0` and anything that is not a number. A provisional rating, `1500?`,
/// counts.
pub fn parse_rating(tag: &[u8]) -> Option<u16> {
    let digits = tag.strip_suffix(b"?").unwrap_or(tag);
    let rating = number(digits).filter(|rating| (1..10_000).contains(rating))?;
    u16::try_from(rating).ok()
}

/// A number of at most nine digits.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0, |number, &byte| {
        let is_digit = byte.is_ascii_digit();
        is_digit.then(|| 10 * number + u32::from(byte - b'0'))
    })
}

impl Title {
    /// All titles, the lowest first.
    pub const ALL: [Title; 12] = [
        Title::Wnm,
        Title::Wcm,
        Title::Lm,
        Title::Nm,
        Title::Wfm,
        Title::Cm,
        Title::Wim,
        Title::Fm,
        Title::Wgm,
        Title::Im,
        Title::Gm,
        Title::Bot,
    ];

    /// Parses a title tag; `None` if it is empty or not known.
    pub fn parse_tag(tag: &[u8]) -> Option<Title> {
        let is_title = |title: &Title| tag.eq_ignore_ascii_case(title.name().as_bytes());
        Title::ALL.into_iter().find(is_title)
    }

    fn name(self) -> &'static str {
        match self {
            Title::Wnm => "WNM",
            Title::Wcm => "WCM",
            Title::Lm => "LM",
            Title::Nm => "NM",
            Title::Wfm => "WFM",
            Title::Cm => "CM",
            Title::Wim => "WIM",
            Title::Fm => "FM",
            Title::Wgm => "WGM",
            Title::Im => "IM",
            Title::Gm => "GM",
            Title::Bot => "BOT",
        }
    }
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Title {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Title, UnknownName> {
        Title::parse_tag(name.as_bytes()).ok_or_else(|| {
            let known: Vec<String> = Title::ALL.iter().map(Title::to_string).collect();
            UnknownName {
                kind: "title",
                name: name.to_owned(),
                known: known.join(", "),
            }
        })
    }
}

impl Speed {
    /// All classes.
    pub const ALL: [Speed; 7] = [
        Speed::UltraBullet,
        Speed::Bullet,
        Speed::Blitz,
        Speed::Rapid,
        Speed::Classical,
        Speed::Correspondence,
        Speed::Unknown,
    ];

    /// Parses a `TimeControl` tag: `300+3`, `40/7200:3600`, `-` for correspondence.
    pub fn parse_tag(tag: &[u8]) -> Speed {
        if tag == b"-" {
            return Speed::Correspondence;
        }
        match seconds_for_40_moves(tag) {
            None => Speed::Unknown,
            Some(..30) => Speed::UltraBullet,
            Some(30..180) => Speed::Bullet,
            Some(180..480) => Speed::Blitz,
            Some(480..1500) => Speed::Rapid,
            Some(1500..21_600) => Speed::Classical,
            Some(_) => Speed::Correspondence,
        }
    }

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Speed::UltraBullet => "ultrabullet",
            Speed::Bullet => "bullet",
            Speed::Blitz => "blitz",
            Speed::Rapid => "rapid",
            Speed::Classical => "classical",
            Speed::Correspondence => "correspondence",
            Speed::Unknown => "unknown",
        }
    }
}

fn seconds_for_40_moves(tag: &[u8]) -> Option<u32> {
    let first = tag.split(|byte| *byte == b':').next()?;
    let (base, increment) = match memchr::memchr(b'+', first) {
        Some(plus) => (&first[..plus], number(&first[plus + 1..])?),
        None => (first, 0),
    };
    let (moves, base) = match memchr::memchr(b'/', base) {
        Some(slash) => (number(&base[..slash])?, number(&base[slash + 1..])?),
        None => (40, number(base)?),
    };
    let total = base.saturating_add(increment.saturating_mul(40));
    if moves == 0 {
        return None;
    }
    // A period of fewer than 40 moves is repeated: one move per day is 40 days.
    Some(u32::try_from(u64::from(total) * 40 / u64::from(moves.min(40))).unwrap_or(u32::MAX))
}

impl Termination {
    /// All terminations.
    pub const ALL: [Termination; 8] = [
        Termination::Normal,
        Termination::TimeForfeit,
        Termination::Abandoned,
        Termination::Adjudication,
        Termination::RulesInfraction,
        Termination::Unterminated,
        Termination::Other,
        Termination::Unknown,
    ];

    /// Parses a `Termination` tag.
    pub fn parse_tag(tag: &[u8]) -> Termination {
        let is = |name: &str| tag.eq_ignore_ascii_case(name.as_bytes());
        match tag {
            b"" | b"?" => Termination::Unknown,
            _ if is("normal") => Termination::Normal,
            _ if is("time forfeit") => Termination::TimeForfeit,
            _ if is("abandoned") => Termination::Abandoned,
            _ if is("adjudication") => Termination::Adjudication,
            _ if is("rules infraction") => Termination::RulesInfraction,
            _ if is("unterminated") => Termination::Unterminated,
            _ => Termination::Other,
        }
    }

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::TimeForfeit => "time-forfeit",
            Termination::Abandoned => "abandoned",
            Termination::Adjudication => "adjudication",
            Termination::RulesInfraction => "rules-infraction",
            Termination::Unterminated => "unterminated",
            Termination::Other => "other",
            Termination::Unknown => "unknown",
        }
    }
}

fn find_by_name<T: Copy>(
    kind: &'static str,
    all: &[T],
    name_of: fn(T) -> &'static str,
    name: &str,
) -> Result<T, UnknownName> {
    let found = all.iter().find(|value| name_of(**value) == name);
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|value| name_of(*value)).collect();
        UnknownName {
            kind,
            name: name.to_owned(),
            known: known.join(", "),
        }
    })
}

impl FromStr for GameOutcome {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<GameOutcome, UnknownName> {
        find_by_name("result", &GameOutcome::ALL, GameOutcome::name, name)
    }
}

impl FromStr for Speed {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Speed, UnknownName> {
        find_by_name("time control", &Speed::ALL, Speed::name, name)
    }
}

impl FromStr for Termination {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Termination, UnknownName> {
        find_by_name("termination", &Termination::ALL, Termination::name, name)
    }
}

impl fmt::Display for GameOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_fall_into_lichess_classes() {
        for (tag, speed) in [
            ("15+0", Speed::UltraBullet),
            ("60+0", Speed::Bullet),
            ("60+3", Speed::Blitz),
            ("300+3", Speed::Blitz),
            ("600+0", Speed::Rapid),
            ("1800+5", Speed::Classical),
            ("-", Speed::Correspondence),
            ("1/86400", Speed::Correspondence),
            ("40/7200:3600", Speed::Classical),
            ("?", Speed::Unknown),
            ("", Speed::Unknown),
            ("0/0", Speed::Unknown),
            ("999999999+999999999", Speed::Correspondence),
        ] {
            assert_eq!(Speed::parse_tag(tag.as_bytes()), speed, "{tag}");
        }
    }

    #[test]
    fn dates_may_lack_the_day_or_the_month() {
        let shown = |tag: &str| Date::parse_tag(tag.as_bytes()).map(|date| date.to_string());
        assert_eq!(shown("2009.07.28").as_deref(), Some("2009-07-28"));
        assert_eq!(shown("2009.07.??").as_deref(), Some("2009-07"));
        assert_eq!(shown("2009.??.??").as_deref(), Some("2009"));
        assert_eq!(shown("2009").as_deref(), Some("2009"));
        assert_eq!(shown("????.??.??"), None);
        assert_eq!("2024-06".parse::<Date>().unwrap().to_string(), "2024-06");
        let june = "2024-06".parse::<Date>().unwrap();
        assert_eq!(june.latest().to_string(), "2024-06-31");
        for wrong in ["", "x", "2024-13", "2024-00", "2024-1-1-1", "0"] {
            assert!(wrong.parse::<Date>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ratings_that_are_not_numbers_are_unknown() {
        assert_eq!(parse_rating(b"1917"), Some(1917));
        assert_eq!(parse_rating(b"1500?"), Some(1500));
        for none in [&b""[..], b"?", b"0", b"-", b"12345", b"1x", b"+5"] {
            assert_eq!(parse_rating(none), None);
        }
    }
}
