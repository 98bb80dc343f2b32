//! Piece letters in several languages, and figurines.
//!
//! Back ranks are parsed and formatted with a given set of letters. The set is never guessed, because letters are
//! ambiguous: B is a rook in Hungarian and a bishop in English. The default is English.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{BackRank, BackRankError, Piece};

/// The letters of the five pieces, in the order of [`Piece::ALL`].
type Alphabet = [&'static str; 5];

/// A set of piece letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Letters {
    /// K Q R B N.
    #[default]
    English,
    /// K D T L S.
    German,
    /// K V B F H.
    Hungarian,
    /// Кр Ф Л С К; the king has two letters.
    Russian,
    /// ♔ ♕ ♖ ♗ ♘; black figurines are accepted too.
    Figurines,
}

/// A character that is not a piece in a set of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("`{found}` is not a piece in {letters}: {}", .letters.legend())]
pub struct UnknownLetter {
    /// The character.
    pub found: char,
    /// The set of letters.
    pub letters: Letters,
}

/// Why a text is not a back rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LettersError {
    /// A character is not a piece.
    #[error(transparent)]
    Unknown(#[from] UnknownLetter),
    /// There are more or fewer than eight pieces.
    #[error("a back rank has 8 pieces, not {0}")]
    NotEight(usize),
    /// The pieces break a rule of Chess960.
    #[error(transparent)]
    Rule(#[from] BackRankError),
}

/// A word that is not the name of a set of piece letters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a set of piece letters: there are english, german, hungarian, russian and figurines"
)]
pub struct UnknownLanguage(String);

impl Letters {
    /// All sets of letters.
    pub const ALL: [Letters; 5] = [
        Letters::English,
        Letters::German,
        Letters::Hungarian,
        Letters::Russian,
        Letters::Figurines,
    ];

    /// The letter of a piece, in upper case.
    pub const fn letter(self, piece: Piece) -> &'static str {
        self.alphabets()[0][piece as usize]
    }

    /// Formats a back rank.
    pub fn write(self, back_rank: BackRank) -> String {
        back_rank.pieces().map(|piece| self.letter(piece)).concat()
    }

    /// Parses a back rank in upper or lower case.
    pub fn read(self, text: &str) -> Result<BackRank, LettersError> {
        let pieces = split_all(text, |rest| self.split_piece(rest))?;
        let pieces: [Piece; 8] = pieces
            .try_into()
            .map_err(|pieces: Vec<Piece>| LettersError::NotEight(pieces.len()))?;
        Ok(BackRank::try_from(pieces)?)
    }

    /// The piece at the beginning of a text, and the rest of the text.
    ///
    /// The text must not be empty.
    pub(super) fn split_piece(self, text: &str) -> Result<(Piece, &str), UnknownLetter> {
        // The king comes first, so that a Russian Кр is not parsed as a knight К.
        self.alphabets()
            .iter()
            .flat_map(|alphabet| Piece::ALL.into_iter().zip(alphabet))
            .find_map(|(piece, letter)| Some((piece, strip_letter(text, letter)?)))
            .ok_or_else(|| UnknownLetter {
                found: text.chars().next().expect("the text is not empty"),
                letters: self,
            })
    }

    /// The letters that are accepted; the first set is used for writing.
    const fn alphabets(self) -> &'static [Alphabet] {
        match self {
            Letters::English => &[["K", "Q", "R", "B", "N"]],
            Letters::German => &[["K", "D", "T", "L", "S"]],
            Letters::Hungarian => &[["K", "V", "B", "F", "H"]],
            Letters::Russian => &[["Кр", "Ф", "Л", "С", "К"]],
            Letters::Figurines => &[["♔", "♕", "♖", "♗", "♘"], ["♚", "♛", "♜", "♝", "♞"]],
        }
    }

    fn legend(self) -> String {
        Piece::ALL
            .map(|piece| format!("{piece} {}", self.letter(piece)))
            .join(", ")
    }
}

impl FromStr for Letters {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        Letters::ALL
            .into_iter()
            .find(|letters| letters.to_string() == text)
            .ok_or_else(|| UnknownLanguage(text.to_owned()))
    }
}

impl fmt::Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Letters::English => "english",
            Letters::German => "german",
            Letters::Hungarian => "hungarian",
            Letters::Russian => "russian",
            Letters::Figurines => "figurines",
        })
    }
}

/// Splits a whole text from left to right.
pub(super) fn split_all<'text, Place>(
    text: &'text str,
    split: impl Fn(&'text str) -> Result<(Place, &'text str), UnknownLetter>,
) -> Result<Vec<Place>, UnknownLetter> {
    let mut places = Vec::with_capacity(8);
    let mut rest = text;
    while !rest.is_empty() {
        let (place, after) = split(rest)?;
        places.push(place);
        rest = after;
    }
    Ok(places)
}

fn strip_letter<'text>(text: &'text str, letter: &str) -> Option<&'text str> {
    let mut rest = text.chars();
    for wanted in letter.chars() {
        if !same_letter(rest.next()?, wanted) {
            return None;
        }
    }
    Some(rest.as_str())
}

fn same_letter(one: char, other: char) -> bool {
    one.to_lowercase().eq(other.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::Letters::*;
    use super::*;
    use crate::start::StartId;

    fn classical() -> BackRank {
        BackRank::from(StartId::CLASSICAL)
    }

    #[test]
    fn the_classical_start_in_every_set_of_letters() {
        assert_eq!(English.write(classical()), "RNBQKBNR");
        assert_eq!(German.write(classical()), "TSLDKLST");
        assert_eq!(Hungarian.write(classical()), "BHFVKFHB");
        assert_eq!(Russian.write(classical()), "ЛКСФКрСКЛ");
        assert_eq!(Figurines.write(classical()), "♖♘♗♕♔♗♘♖");
    }

    #[test]
    fn every_start_is_parsed_back_in_every_set_of_letters_and_case() {
        for back_rank in StartId::all().map(BackRank::from) {
            for letters in Letters::ALL {
                let text = letters.write(back_rank);
                assert_eq!(letters.read(&text), Ok(back_rank), "{text}");
                assert_eq!(letters.read(&text.to_lowercase()), Ok(back_rank));
                assert_eq!(letters.read(&text.to_uppercase()), Ok(back_rank));
            }
        }
    }

    #[test]
    fn black_figurines_are_parsed_and_white_ones_written() {
        assert_eq!(Figurines.read("♜♞♝♛♚♝♞♜"), Ok(classical()));
        assert_eq!(Figurines.read("♖♞♗♛♔♝♘♜"), Ok(classical()));
    }

    #[test]
    fn a_hungarian_b_is_a_rook_and_an_english_b_a_bishop() {
        // Rooks a1 and c1, king b1 in Hungarian; in English no piece is called H, F or V.
        assert_eq!(Hungarian.read("BKBHHVFF").unwrap().to_string(), "RKRNNQBB");
        let error = English.read("BKBHHVFF").unwrap_err();
        assert!(matches!(
            error,
            LettersError::Unknown(UnknownLetter { found: 'H', .. })
        ));
    }

    #[test]
    fn an_error_about_an_unknown_letter_lists_the_letters_of_the_language() {
        assert_eq!(
            Hungarian.read("BHFVKFHR").unwrap_err().to_string(),
            "`R` is not a piece in hungarian: king K, queen V, rook B, bishop F, knight H"
        );
        assert_eq!(
            Russian.read("ЛКСФKрСКЛ").unwrap_err().to_string(),
            "`K` is not a piece in russian: king Кр, queen Ф, rook Л, bishop С, knight К",
            "a Latin K"
        );
    }

    #[test]
    fn seven_or_nine_pieces_are_not_a_back_rank() {
        assert_eq!(English.read("RNBQKBN"), Err(LettersError::NotEight(7)));
        assert_eq!(English.read("RNBQKBNRR"), Err(LettersError::NotEight(9)));
        assert_eq!(English.read(""), Err(LettersError::NotEight(0)));
    }

    #[test]
    fn sets_of_letters_are_named_in_lower_case() {
        let names = Letters::ALL.map(|letters| letters.to_string());
        assert_eq!(
            names.join(" "),
            "english german hungarian russian figurines"
        );
        for letters in Letters::ALL {
            assert_eq!(letters.to_string().parse(), Ok(letters));
        }
        let error = "french".parse::<Letters>().unwrap_err().to_string();
        assert!(error.starts_with("`french`") && error.contains("hungarian"));
    }
}
