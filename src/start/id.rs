//! The id of a start: its Scharnagl number.
//!
//! A [`StartId`] is always one of the 960, so a table with 960 entries can be indexed with it.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};
use thiserror::Error;

use super::BackRank;

/// The number of one of the 960 starts, 0 to 959.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StartId(u16);

/// Why a number or a text is not a start id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StartIdError {
    /// The number is larger than 959.
    #[error("start {0} does not exist: the starts are 0 to 959")]
    OutOfRange(String),
    /// The text is not a decimal number.
    #[error("`{0}` is not a start id: the starts are the numbers 0 to 959")]
    NotANumber(String),
}

impl StartId {
    /// The number of starts.
    pub const COUNT: usize = 960;

    /// The start of classical chess, RNBQKBNR.
    pub const CLASSICAL: StartId = StartId(518);

    /// All starts in ascending order.
    pub fn all() -> impl ExactSizeIterator<Item = StartId> {
        (0..Self::COUNT as u16).map(StartId)
    }

    /// The start with this index in a table of all 960.
    pub fn from_index(index: usize) -> Option<StartId> {
        Self::all().nth(index)
    }

    /// A random start; all 960 are equally likely.
    pub fn random(rng: &mut (impl Rng + ?Sized)) -> StartId {
        StartId(rng.random_range(0..Self::COUNT as u16))
    }

    /// The Scharnagl number.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The index of the start in a table of all 960.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The mirror image: the pieces from right to left.
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
        // A text of digits fails to parse only if the number is too large for a u16.
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
    fn an_error_about_a_number_out_of_range_has_the_valid_range() {
        for text in ["960", "65536", "99999999999999999999"] {
            let message = text.parse::<StartId>().unwrap_err().to_string();
            let expected = format!("start {text} does not exist: the starts are 0 to 959");
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn only_digits_are_a_start_id() {
        for text in ["", "+5", "-1", " 5", "5.0", "e4"] {
            let error = text.parse::<StartId>().unwrap_err();
            assert_eq!(error, StartIdError::NotANumber(text.to_owned()));
        }
    }

    #[test]
    fn every_id_is_parsed_back_from_its_text() {
        assert_eq!(StartId::all().len(), 960);
        for (index, id) in StartId::all().enumerate() {
            assert_eq!(id.index(), index);
            assert_eq!(StartId::from_index(index), Some(id));
            assert_eq!(id.to_string(), index.to_string());
            assert_eq!(id.to_string().parse(), Ok(id));
        }
    }

    #[test]
    fn text_is_padded_to_the_width_of_the_format() {
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
