//! The values of tags.

use super::start::FenRights;

/// The tags of a game that are counted.
#[derive(Clone, Copy)]
pub struct Header {
    /// 0 to 3: White won, draw, Black won, unfinished; `None` if the tag is missing or unreadable.
    pub outcome: Option<u8>,
    pub ratings: [Option<u16>; 2],
    /// Digits of year, month and day, 0 where unknown.
    pub date: u32,
    pub utc_date: u32,
    /// An index of [`SPEEDS`].
    pub speed: usize,
    /// An index of [`TERMINATIONS`].
    pub termination: usize,
    pub variant: VariantTag,
    pub start: StartTag,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum VariantTag {
    Absent,
    Classical,
    Chess960,
    Other,
}

/// The start that a FEN tag shows, by its index.
#[derive(Clone, Copy)]
pub enum StartTag {
    Absent,
    NotAStart,
    Start(u32, FenRights),
}

/// The classes of time controls by the seconds for 40 moves, as on Lichess.
pub const SPEEDS: [&str; 7] = [
    "ultrabullet",
    "bullet",
    "blitz",
    "rapid",
    "classical",
    "correspondence",
    "unknown",
];

pub const TERMINATIONS: [&str; 8] = [
    "normal",
    "time_forfeit",
    "abandoned",
    "adjudication",
    "rules_infraction",
    "unterminated",
    "other",
    "unknown",
];

impl Default for Header {
    fn default() -> Header {
        Header {
            outcome: None,
            ratings: [None; 2],
            date: 0,
            utc_date: 0,
            speed: SPEEDS.len() - 1,
            termination: TERMINATIONS.len() - 1,
            variant: VariantTag::Absent,
            start: StartTag::Absent,
        }
    }
}

pub fn outcome(tag: &[u8]) -> Option<u8> {
    match tag {
        b"1-0" => Some(0),
        b"1/2-1/2" | b"1/2" => Some(1),
        b"0-1" => Some(2),
        b"*" => Some(3),
        _ => None,
    }
}

pub fn rating(tag: &[u8]) -> Option<u16> {
    let rating = number(tag.strip_suffix(b"?").unwrap_or(tag))?;
    (1..10_000).contains(&rating).then_some(rating as u16)
}

/// `2009.07.28` as 20090728, and 0 for what is unknown.
pub fn date(tag: &[u8]) -> u32 {
    let mut parts = tag.split(|&byte| byte == b'.').map(number);
    let mut part = |max| {
        let part = parts.next().flatten();
        part.filter(|part| (1..=max).contains(part)).unwrap_or(0)
    };
    match (part(9_999), part(12), part(31)) {
        (0, ..) => 0,
        (year, 0, _) => year * 10_000,
        (year, month, day) => (year * 100 + month) * 100 + day,
    }
}

pub fn speed(tag: &[u8]) -> usize {
    if tag == b"-" {
        return 5;
    }
    let classes = [30, 180, 480, 1_500, 21_600];
    seconds(tag).map_or(6, |seconds| {
        classes.partition_point(|&class| class <= seconds)
    })
}

/// The seconds that a player has for 40 moves.
fn seconds(tag: &[u8]) -> Option<u64> {
    let first = tag.split(|&byte| byte == b':').next()?;
    let mut parts = first.splitn(2, |&byte| byte == b'+');
    let base = parts.next()?;
    let increment = parts.next().map_or(Some(0), number)?;
    let mut parts = base.splitn(2, |&byte| byte == b'/');
    let (moves, base) = match (parts.next()?, parts.next()) {
        (moves, Some(base)) => (number(moves)?, number(base)?),
        (base, None) => (40, number(base)?),
    };
    let total = u64::from(base) + 40 * u64::from(increment);
    (moves > 0).then(|| total * 40 / u64::from(moves.min(40)))
}

pub fn termination(tag: &[u8]) -> usize {
    let is = |name: &str| tag.eq_ignore_ascii_case(name.as_bytes());
    const NAMES: [&str; 6] = [
        "normal",
        "time forfeit",
        "abandoned",
        "adjudication",
        "rules infraction",
        "unterminated",
    ];
    match tag {
        b"" | b"?" => 7,
        _ => NAMES.into_iter().position(is).unwrap_or(6),
    }
}

pub fn variant(tag: &[u8]) -> VariantTag {
    if tag == b"Chess960" {
        return VariantTag::Chess960;
    }
    let letters = tag.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let name: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    match &name[..] {
        b"" => VariantTag::Absent,
        b"chess960" | b"fischerandom" | b"fischerrandom" => VariantTag::Chess960,
        b"standard" | b"normal" | b"regular" | b"fromposition" => VariantTag::Classical,
        _ => VariantTag::Other,
    }
}

/// A number of at most nine digits.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0, |number, &byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + u32::from(byte - b'0'))
    })
}
