//! The name of a start: its Scharnagl number.
//!
//! A number or its decimal text walks in, and a [`StartId`] walks out that is always one of the
//! 960, so that a table of 960 entries can be indexed with it without a doubt.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};
use thiserror::Error;

use super::BackRank;

/// The number of one of the 960 starts, 0 to 959.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StartId(u16);

/// Why a number or a text names no start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StartIdError {
    #[error("start {0} does not exist: the starts are 0 to 959")]
    OutOfRange(String),
    #[error("`{0}` is not a start id: the starts are the numbers 0 to 959")]
    NotANumber(String),
}

impl StartId {
    /// How many starts there are.
    pub const COUNT: usize = 960;

    /// The start of ordinary chess, RNBQKBNR.
    pub const CLASSICAL: StartId = StartId(518);

    /// Every start in ascending order.
    pub fn all() -> impl ExactSizeIterator<Item = StartId> {
        (0..Self::COUNT as u16).map(StartId)
    }

    /// The start at a place in a table of all 960, if the table is as long as that.
    pub fn from_index(index: usize) -> Option<StartId> {
        Self::all().nth(index)
    }

    /// A start drawn from `rng`, each of the 960 equally likely.
    pub fn random(rng: &mut (impl Rng + ?Sized)) -> StartId {
        StartId(rng.random_range(0..Self::COUNT as u16))
    }

    /// The Scharnagl number.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The place of the start in a table of all 960.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The start seen in a mirror, its pieces from right to left.
    pub fn mirrored(self) -> StartId {
        BackRank::from(self).mirrored().id()
    }
}

impl TryFrom<u16> for StartId {
    type Error = StartIdError;

    fn try_from(number: u16) -> Result<Self, StartIdError> {
        if usize::from(number) < Self::COUNT {
            Ok(StartId(number))
        } else {
            Err(StartIdError::OutOfRange(number.to_string()))
        }
    }
}

impl FromStr for StartId {
    type Err = StartIdError;

    fn from_str(text: &str) -> Result<Self, StartIdError> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(StartIdError::NotANumber(text.to_owned()));
        }
        // Digits alone fail to parse only when they are too many for a u16.
        let number: u16 = text
            .parse()
            .map_err(|_| StartIdError::OutOfRange(text.to_owned()))?;
        StartId::try_from(number)
    }
}

impl fmt::Display for StartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn only_0_to_959_are_starts() {
        for number in 0..=u16::MAX {
            assert_eq!(StartId::try_from(number).is_ok(), number < 960, "{number}");
        }
        assert_eq!(StartId::from_index(960), None);
    }

    #[test]
    fn a_start_that_does_not_exist_is_told_the_valid_ones() {
        for text in ["960", "65536", "99999999999999999999"] {
            let message = text.parse::<StartId>().unwrap_err().to_string();
            let expected = format!("start {text} does not exist: the starts are 0 to 959");
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn text_other_than_digits_is_no_start() {
        for text in ["", "+5", "-1", " 5", "5.0", "e4"] {
            let error = text.parse::<StartId>().unwrap_err();
            assert_eq!(error, StartIdError::NotANumber(text.to_owned()));
        }
    }

    #[test]
    fn every_id_is_read_back_from_its_text() {
        assert_eq!(StartId::all().len(), 960);
        for (index, id) in StartId::all().enumerate() {
            assert_eq!(id.index(), index);
            assert_eq!(StartId::from_index(index), Some(id));
            assert_eq!(id.to_string(), index.to_string());
            assert_eq!(id.to_string().parse(), Ok(id));
        }
    }

    #[test]
    fn text_is_padded_as_the_format_asks() {
        assert_eq!(format!("{:>5}", StartId::CLASSICAL), "  518");
    }

    #[test]
    fn the_classical_start_and_534_are_mirror_images() {
        assert_eq!(StartId::CLASSICAL.mirrored().number(), 534);
        assert_eq!(StartId(534).mirrored(), StartId::CLASSICAL);
    }

    #[test]
    fn random_starts_reach_all_960_and_repeat_with_the_seed() {
        let draw = |seed| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            // Uniform draws miss a start with a chance below 960 * (959/960)^20000, one in a million.
            (0..20_000)
                .map(|_| StartId::random(&mut rng))
                .collect::<Vec<_>>()
        };
        let mut seen = [false; StartId::COUNT];
        draw(960).iter().for_each(|id| seen[id.index()] = true);
        assert_eq!(seen, [true; StartId::COUNT]);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
