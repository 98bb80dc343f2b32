//! Drawing a start with one die, as players do at the board.
//!
//! The throws come from a random number generator or any other source. They place the dark-squared bishop, the
//! light-squared bishop, the queen and the two knights; rook, king and rook take the squares that are left. A throw
//! is repeated if it shows more than there are squares to choose from, so all 960 starts are equally likely. A
//! [`DiceRecord`] has every throw, repeated ones included, and the resulting back rank.

use std::fmt;

use rand::{Rng, RngExt};
use thiserror::Error;

use super::placing::PartialBackRank;
use super::{BackRank, File, Piece};

/// What a six-sided die shows, 1 to 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Die(u8);

/// A number that no six-sided die shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a die shows 1 to 6, not {0}")]
pub struct DieError(u8);

/// The pieces that are placed by dice, in the order of the throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DicePiece {
    /// The bishop on a dark square.
    DarkBishop,
    /// The bishop on a light square.
    LightBishop,
    /// The queen.
    Queen,
    /// The knight that is placed first.
    FirstKnight,
    /// The knight that is placed second.
    SecondKnight,
}

/// One throw and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiceThrow {
    /// The piece that the throw is for.
    pub piece: DicePiece,
    /// What the die showed.
    pub die: Die,
    /// The file on which the piece was placed, or `None` if the die was thrown again.
    pub placed: Option<File>,
}

/// A start drawn with dice, and all throws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiceRecord {
    /// The throws in their order.
    pub throws: Vec<DiceThrow>,
    /// The resulting back rank.
    pub back_rank: BackRank,
}

impl Die {
    /// Throws a fair die.
    pub fn throw(rng: &mut (impl Rng + ?Sized)) -> Die {
        Die(rng.random_range(1..=6))
    }

    /// The number shown.
    pub const fn spots(self) -> u8 {
        self.0
    }
}

impl DicePiece {
    /// The pieces in the order of the throws.
    pub const ALL: [DicePiece; 5] = [
        DicePiece::DarkBishop,
        DicePiece::LightBishop,
        DicePiece::Queen,
        DicePiece::FirstKnight,
        DicePiece::SecondKnight,
    ];

    /// How many squares the throw chooses among; a die that shows more is thrown again.
    pub const fn squares(self) -> u8 {
        match self {
            DicePiece::DarkBishop | DicePiece::LightBishop | DicePiece::SecondKnight => 4,
            DicePiece::FirstKnight => 5,
            DicePiece::Queen => 6,
        }
    }

    fn accepts(self, die: Die) -> bool {
        die.spots() <= self.squares()
    }

    fn place(self, die: Die, placement: &mut PartialBackRank) -> File {
        let skipped = usize::from(die.spots()) - 1;
        match self {
            DicePiece::DarkBishop => put_bishop(placement, 2 * skipped),
            DicePiece::LightBishop => put_bishop(placement, 2 * skipped + 1),
            DicePiece::Queen => placement.put_on_free(Piece::Queen, skipped),
            DicePiece::FirstKnight | DicePiece::SecondKnight => {
                placement.put_on_free(Piece::Knight, skipped)
            }
        }
    }
}

impl DiceRecord {
    /// Draws a start with a fair die.
    pub fn random(rng: &mut (impl Rng + ?Sized)) -> DiceRecord {
        Self::from_dice(|| Die::throw(rng))
    }

    /// Draws a start with the given throws. `dice` is called until a throw can be used.
    pub fn from_dice(mut dice: impl FnMut() -> Die) -> DiceRecord {
        let mut throws = Vec::with_capacity(DicePiece::ALL.len());
        let mut placement = PartialBackRank::default();
        for piece in DicePiece::ALL {
            let die = throw_until_accepted(piece, &mut dice, &mut throws);
            let placed = Some(piece.place(die, &mut placement));
            throws.push(DiceThrow { piece, die, placed });
        }
        let back_rank = BackRank::try_from(placement.finish())
            .expect("the bishops are on opposite colours and the king is between the rooks");
        DiceRecord { throws, back_rank }
    }
}

impl TryFrom<u8> for Die {
    type Error = DieError;

    fn try_from(spots: u8) -> Result<Self, DieError> {
        match spots {
            1..=6 => Ok(Die(spots)),
            _ => Err(DieError(spots)),
        }
    }
}

impl fmt::Display for Die {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for DicePiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DicePiece::DarkBishop => "dark-squared bishop",
            DicePiece::LightBishop => "light-squared bishop",
            DicePiece::Queen => "queen",
            DicePiece::FirstKnight => "first knight",
            DicePiece::SecondKnight => "second knight",
        })
    }
}

impl fmt::Display for DiceThrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.placed {
            Some(file) => write!(f, "{}: {}, on {file}1", self.piece, self.die),
            None => write!(f, "{}: {}, thrown again", self.piece, self.die),
        }
    }
}

fn throw_until_accepted(
    piece: DicePiece,
    dice: &mut impl FnMut() -> Die,
    throws: &mut Vec<DiceThrow>,
) -> Die {
    loop {
        let die = dice();
        if piece.accepts(die) {
            return die;
        }
        throws.push(DiceThrow {
            piece,
            die,
            placed: None,
        });
    }
}

fn put_bishop(placement: &mut PartialBackRank, index: usize) -> File {
    let file = File::ALL[index];
    placement.put(Piece::Bishop, file);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn record(spots: &[u8]) -> DiceRecord {
        let mut dice = spots.iter().map(|&spots| Die::try_from(spots).unwrap());
        let record = DiceRecord::from_dice(|| dice.next().expect("a throw too many"));
        assert_eq!(dice.next(), None, "a throw too few");
        record
    }

    fn accepted_throws() -> impl Iterator<Item = [u8; 5]> {
        let choices = [4, 4, 6, 5, 4];
        (0..choices.iter().product::<usize>()).map(move |mut code| {
            choices.map(|choices| {
                let spots = code % choices + 1;
                code /= choices;
                spots as u8
            })
        })
    }

    #[test]
    fn every_start_comes_from_exactly_two_of_the_1920_accepted_sequences() {
        let mut counts = [0; StartId::COUNT];
        for throws in accepted_throws() {
            counts[record(&throws).back_rank.id().index()] += 1;
        }
        assert_eq!(counts, [2; StartId::COUNT]);
    }

    #[test]
    fn the_classical_start_is_thrown_with_2_3_3_2_3() {
        // c1 is the second dark square, f1 the third light one; a b d e g h are free for the queen,
        // a b e g h for a knight, a e g h for the other.
        assert_eq!(record(&[2, 3, 3, 2, 3]).back_rank.to_string(), "RNBQKBNR");
    }

    #[test]
    fn the_lowest_and_highest_throws_give_the_first_and_last_start() {
        assert_eq!(record(&[1, 1, 1, 1, 1]).back_rank.to_string(), "BBQNNRKR");
        assert_eq!(record(&[4, 4, 6, 5, 4]).back_rank.to_string(), "RKRNNQBB");
    }

    #[test]
    fn a_throw_is_repeated_exactly_when_it_shows_too_much() {
        let again: [&[u8]; 5] = [&[5, 6], &[5, 6], &[], &[6], &[5, 6]];
        for (place, again) in again.into_iter().enumerate() {
            for spots in 1..=6 {
                let mut throws = vec![1; 5];
                throws[place] = spots;
                if again.contains(&spots) {
                    throws.insert(place + 1, 1);
                }
                let made = record(&throws).throws;
                let piece = DicePiece::ALL[place];
                assert_eq!(made[place].piece, piece);
                assert_eq!(
                    made[place].placed.is_none(),
                    again.contains(&spots),
                    "{piece} {spots}"
                );
            }
        }
    }

    #[test]
    fn the_record_has_every_throw() {
        let texts: Vec<String> = record(&[5, 2, 3, 3, 6, 2, 6, 5, 3])
            .throws
            .iter()
            .map(DiceThrow::to_string)
            .collect();
        assert_eq!(
            texts,
            [
                "dark-squared bishop: 5, thrown again",
                "dark-squared bishop: 2, on c1",
                "light-squared bishop: 3, on f1",
                "queen: 3, on d1",
                "first knight: 6, thrown again",
                "first knight: 2, on b1",
                "second knight: 6, thrown again",
                "second knight: 5, thrown again",
                "second knight: 3, on g1",
            ]
        );
    }

    #[test]
    fn a_die_shows_nothing_but_1_to_6() {
        for spots in 0..=u8::MAX {
            assert_eq!(Die::try_from(spots).is_ok(), (1..=6).contains(&spots));
        }
        let message = Die::try_from(7).unwrap_err().to_string();
        assert_eq!(message, "a die shows 1 to 6, not 7");
    }

    #[test]
    fn random_dice_show_every_side_and_repeat_with_the_seed() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(960);
        let mut sides: Vec<u8> = (0..1000).map(|_| Die::throw(&mut rng).spots()).collect();
        sides.sort_unstable();
        sides.dedup();
        assert_eq!(sides, [1, 2, 3, 4, 5, 6]);
        let thrown = |seed| DiceRecord::random(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        assert_eq!(thrown(1), thrown(1));
    }
}
