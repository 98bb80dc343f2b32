//! Double Chess960 (also Double Fischer Random): White and Black may have different back ranks.
//!
//! A [`DoubleStart`] is a pair of ids, written `518/0`. There are 921,600 of them and no standard numbering, so the
//! three numberings in use have names, and a number is read only together with one of them.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

use super::{StartId, StartIdError};

const STARTS: u32 = StartId::COUNT as u32;

/// The starts of White and Black, equal or not.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct DoubleStart {
    /// White's start.
    pub white: StartId,
    /// Black's start.
    pub black: StartId,
}

/// A numbering of the double starts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DoubleNumbering {
    /// 960 times White's id plus Black's.
    WhiteFirst,
    /// 960 times Black's id plus White's.
    BlackFirst,
    /// The 960 ordinary starts under their own ids, then the unequal pairs with White's id first.
    EqualPairsFirst,
}

/// Why a text is not a double start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DoubleStartError {
    /// The text has no slash.
    #[error("`{0}` is not a double start: write White's id, `/` and Black's id, such as 518/0")]
    NoSlash(String),
    /// One of the two parts is not a start id.
    #[error(transparent)]
    Start(#[from] StartIdError),
}

/// A number that is larger than that of the last double start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("double start {0} does not exist: the double starts are 0 to 921599")]
pub struct DoubleNumberError(u32);

/// A word that is not the name of a numbering.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a numbering: there are white-first, black-first and equal-pairs-first")]
pub struct UnknownNumbering(String);

impl DoubleStart {
    /// The number of double starts.
    pub const COUNT: usize = StartId::COUNT * StartId::COUNT;

    /// All double starts, ordered by White's id and then Black's.
    pub fn all() -> impl Iterator<Item = DoubleStart> {
        StartId::all()
            .flat_map(|white| StartId::all().map(move |black| DoubleStart { white, black }))
    }

    /// The ordinary start, if both sides have the same.
    pub fn single(self) -> Option<StartId> {
        (self.white == self.black).then_some(self.white)
    }
}

impl DoubleNumbering {
    /// The three numberings.
    pub const ALL: [DoubleNumbering; 3] = [
        DoubleNumbering::WhiteFirst,
        DoubleNumbering::BlackFirst,
        DoubleNumbering::EqualPairsFirst,
    ];

    /// The number of a double start.
    pub fn number(self, double: DoubleStart) -> u32 {
        let white = u32::from(double.white.number());
        let black = u32::from(double.black.number());
        match self {
            DoubleNumbering::WhiteFirst => white * STARTS + black,
            DoubleNumbering::BlackFirst => black * STARTS + white,
            DoubleNumbering::EqualPairsFirst if white == black => white,
            DoubleNumbering::EqualPairsFirst => {
                // White's id is left out of Black's, so the ids above it move down by one.
                let among_others = if black < white { black } else { black - 1 };
                STARTS + white * (STARTS - 1) + among_others
            }
        }
    }

    /// The double start with a number.
    pub fn double_start(self, number: u32) -> Result<DoubleStart, DoubleNumberError> {
        if number >= STARTS * STARTS {
            return Err(DoubleNumberError(number));
        }
        let (white, black) = match self {
            DoubleNumbering::WhiteFirst => (number / STARTS, number % STARTS),
            DoubleNumbering::BlackFirst => (number % STARTS, number / STARTS),
            DoubleNumbering::EqualPairsFirst => ids_with_equal_pairs_first(number),
        };
        Ok(DoubleStart {
            white: start(white),
            black: start(black),
        })
    }
}

impl From<StartId> for DoubleStart {
    fn from(id: StartId) -> Self {
        DoubleStart {
            white: id,
            black: id,
        }
    }
}

impl FromStr for DoubleStart {
    type Err = DoubleStartError;

    fn from_str(text: &str) -> Result<Self, DoubleStartError> {
        let (white, black) = text
            .split_once('/')
            .ok_or_else(|| DoubleStartError::NoSlash(text.to_owned()))?;
        Ok(DoubleStart {
            white: white.parse()?,
            black: black.parse()?,
        })
    }
}

impl FromStr for DoubleNumbering {
    type Err = UnknownNumbering;

    fn from_str(text: &str) -> Result<Self, UnknownNumbering> {
        DoubleNumbering::ALL
            .into_iter()
            .find(|numbering| numbering.to_string() == text)
            .ok_or_else(|| UnknownNumbering(text.to_owned()))
    }
}

impl fmt::Display for DoubleStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.white, self.black))
    }
}

impl fmt::Display for DoubleNumbering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DoubleNumbering::WhiteFirst => "white-first",
            DoubleNumbering::BlackFirst => "black-first",
            DoubleNumbering::EqualPairsFirst => "equal-pairs-first",
        })
    }
}

fn ids_with_equal_pairs_first(number: u32) -> (u32, u32) {
    let Some(unequal) = number.checked_sub(STARTS) else {
        return (number, number);
    };
    let white = unequal / (STARTS - 1);
    let among_others = unequal % (STARTS - 1);
    let black = among_others + u32::from(among_others >= white);
    (white, black)
}

fn start(id: u32) -> StartId {
    StartId::from_index(id as usize).expect("a number below 960 * 960 consists of two ids")
}

#[cfg(test)]
mod tests {
    use super::DoubleNumbering::*;
    use super::*;

    fn double(text: &str) -> DoubleStart {
        text.parse().unwrap()
    }

    #[test]
    fn every_numbering_gives_each_of_921600_pairs_a_number_of_its_own() {
        for numbering in DoubleNumbering::ALL {
            let mut seen = vec![false; 921_600];
            for pair in DoubleStart::all() {
                let number = numbering.number(pair);
                assert!(!seen[number as usize], "{numbering} {number} twice");
                seen[number as usize] = true;
                assert_eq!(numbering.double_start(number), Ok(pair), "{numbering}");
            }
            assert!(seen.into_iter().all(|seen| seen));
        }
    }

    #[test]
    fn numbers_are_those_of_the_definitions() {
        // 518 * 960 = 497,280; 960 + 518 * 959 = 497,722; 960 + 1 * 959 = 1919.
        assert_eq!(WhiteFirst.number(double("518/2")), 497_282);
        assert_eq!(BlackFirst.number(double("2/518")), 497_282);
        assert_eq!(EqualPairsFirst.number(double("518/518")), 518);
        assert_eq!(EqualPairsFirst.number(double("518/2")), 497_724);
        assert_eq!(EqualPairsFirst.number(double("0/1")), 960);
        assert_eq!(EqualPairsFirst.number(double("1/0")), 1919);
        assert_eq!(EqualPairsFirst.number(double("1/2")), 1920);
    }

    #[test]
    fn a_number_past_the_last_double_start_is_refused() {
        for numbering in DoubleNumbering::ALL {
            for number in [921_600, u32::MAX] {
                let error = numbering.double_start(number).unwrap_err();
                assert!(error.to_string().contains("0 to 921599"));
            }
        }
    }

    #[test]
    fn all_double_starts_are_ordered_by_white_and_then_black() {
        assert_eq!(DoubleStart::COUNT, 921_600);
        assert_eq!(DoubleStart::all().count(), DoubleStart::COUNT);
        assert!(DoubleStart::all().is_sorted());
    }

    #[test]
    fn double_starts_are_written_white_slash_black() {
        assert_eq!(double("518/0").white, StartId::CLASSICAL);
        assert_eq!(double("518/0").to_string(), "518/0");
        assert_eq!(DoubleStart::from(StartId::CLASSICAL), double("518/518"));
        assert_eq!(double("518/518").single(), Some(StartId::CLASSICAL));
        assert_eq!(double("518/0").single(), None);
    }

    #[test]
    fn an_error_about_a_double_start_says_what_is_wrong() {
        let fault = |text: &str| text.parse::<DoubleStart>().unwrap_err().to_string();
        assert!(fault("518").contains("`518` is not a double start"));
        assert_eq!(
            fault("0/960"),
            "start 960 does not exist: the starts are 0 to 959"
        );
        assert!(fault("1/2/3").contains("`2/3` is not a start id"));
    }

    #[test]
    fn numberings_are_named_on_the_command_line() {
        for numbering in DoubleNumbering::ALL {
            assert_eq!(numbering.to_string().parse(), Ok(numbering));
        }
        assert_eq!("equal-pairs-first".parse(), Ok(EqualPairsFirst));
        let error = "red-first".parse::<DoubleNumbering>().unwrap_err();
        assert!(error.to_string().contains("`red-first`"));
    }
}
