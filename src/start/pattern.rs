//! Back rank patterns with wildcards, such as `R??K???R`: each place is a piece, or `?` for any piece.

use thiserror::Error;

use super::letters::split_all;
use super::{BackRank, Letters, Piece, StartId, UnknownLetter};

/// The pieces that a start must have on some of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern([Option<Piece>; 8]);

/// Why a text is not a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// A character is neither a piece nor a wildcard.
    #[error("{0}; `?` stands for any piece")]
    Unknown(#[from] UnknownLetter),
    /// There are more or fewer than eight places.
    #[error("a pattern has 8 places, not {0}")]
    NotEight(usize),
}

impl Pattern {
    /// Parses a pattern with the given piece letters.
    pub fn read(text: &str, letters: Letters) -> Result<Pattern, PatternError> {
        let places = split_all(text, |rest| split_place(rest, letters))?;
        let places = places
            .try_into()
            .map_err(|places: Vec<_>| PatternError::NotEight(places.len()))?;
        Ok(Pattern(places))
    }

    /// Whether a back rank matches the pattern.
    pub fn matches(self, back_rank: BackRank) -> bool {
        self.0
            .iter()
            .zip(back_rank.pieces())
            .all(|(place, piece)| place.is_none_or(|wanted| wanted == piece))
    }

    /// The starts that match, in ascending order; there may be none.
    pub fn starts(self) -> impl Iterator<Item = StartId> {
        StartId::all().filter(move |&id| self.matches(BackRank::from(id)))
    }
}

fn split_place(text: &str, letters: Letters) -> Result<(Option<Piece>, &str), UnknownLetter> {
    if let Some(rest) = text.strip_prefix('?') {
        return Ok((None, rest));
    }
    let (piece, rest) = letters.split_piece(text)?;
    Ok((Some(piece), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_matches(text: &str) -> usize {
        Pattern::read(text, Letters::English)
            .unwrap()
            .starts()
            .count()
    }

    #[test]
    fn wildcards_match_every_start_and_a_full_rank_only_itself() {
        assert_eq!(count_matches("????????"), 960);
        assert_eq!(count_matches("RNBQKBNR"), 1);
        assert_eq!(count_matches("K???????"), 0);
    }

    #[test]
    fn rooks_in_the_corners_and_the_king_on_e1_leave_18_starts() {
        // On b c d f g there are 3 * 2 placements of the bishops (one of b d f, one of c g) and 3 of the queen.
        assert_eq!(count_matches("R???K??R"), 18);
        assert_eq!(count_matches("r???k??r"), 18);
    }

    #[test]
    fn every_match_has_the_pieces_in_their_places() {
        let pattern = Pattern::read("R??K???R", Letters::English).unwrap();
        for id in StartId::all() {
            let text = BackRank::from(id).to_string();
            let expected = [0, 3, 7].map(|place| &text[place..=place]) == ["R", "K", "R"];
            assert_eq!(
                pattern.starts().any(|start| start == id),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_pattern_is_parsed_with_the_letters_of_its_language() {
        let english = Pattern::read("R?BK????", Letters::English);
        assert_eq!(Pattern::read("Л?СКр????", Letters::Russian), english);
        assert_eq!(Pattern::read("B?FK????", Letters::Hungarian), english);
    }

    #[test]
    fn a_pattern_of_another_length_or_alphabet_is_refused() {
        let fault = |text| {
            Pattern::read(text, Letters::English)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(fault("R??K??R"), "a pattern has 8 places, not 7");
        assert_eq!(fault(""), "a pattern has 8 places, not 0");
        assert!(fault("R??X???R").starts_with("`X` is not a piece in english"));
    }
}
