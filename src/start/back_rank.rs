//! The back rank of a start.
//!
//! A [`BackRank`] always obeys the rules of Chess960: the bishops are on squares of opposite colours and the king is
//! between the rooks. So it is one of the 960 starts. Creating one from eight pieces returns the rule that they
//! break, if they break one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{File, Letters, LettersError, StartId, scharnagl};

/// A piece of the back rank in the initial position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// The king.
    King,
    /// The queen.
    Queen,
    /// A rook.
    Rook,
    /// A bishop.
    Bishop,
    /// A knight.
    Knight,
}

/// The pieces of one start from the a-file to the h-file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BackRank([Piece; 8]);

/// The rule of Chess960 that eight pieces break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BackRankError {
    /// There are too many or too few of a piece.
    #[error("a back rank has {} {piece}{}, not {found}", .piece.count(), .piece.plural())]
    WrongCount {
        /// The piece.
        piece: Piece,
        /// How many there are.
        found: usize,
    },
    /// Both bishops are on squares of the same colour.
    #[error(
        "the bishops on {}1 and {}1 are on the same colour: one must be on a light square and one on a dark one",
        .bishops[0], .bishops[1]
    )]
    BishopsOnOneColour {
        /// The files of the bishops.
        bishops: [File; 2],
    },
    /// The king is not between the rooks.
    #[error(
        "the king on {king}1 is not between the rooks on {}1 and {}1",
        .rooks[0], .rooks[1]
    )]
    KingOutsideRooks {
        /// The file of the king.
        king: File,
        /// The files of the rooks.
        rooks: [File; 2],
    },
}

impl Piece {
    /// The pieces in the usual order: king, queen, rook, bishop, knight.
    pub const ALL: [Piece; 5] = [
        Piece::King,
        Piece::Queen,
        Piece::Rook,
        Piece::Bishop,
        Piece::Knight,
    ];

    /// How many of this piece every back rank has.
    pub const fn count(self) -> usize {
        match self {
            Piece::King | Piece::Queen => 1,
            Piece::Rook | Piece::Bishop | Piece::Knight => 2,
        }
    }

    fn plural(self) -> &'static str {
        if self.count() == 1 { "" } else { "s" }
    }
}

impl BackRank {
    /// The Scharnagl number of this start.
    pub fn id(self) -> StartId {
        scharnagl::id(self)
    }

    /// The pieces from the a-file to the h-file.
    pub const fn pieces(self) -> [Piece; 8] {
        self.0
    }

    /// The piece on a file.
    pub const fn piece_on(self, file: File) -> Piece {
        self.0[file.index()]
    }

    /// The files of a piece, from left to right.
    pub fn files_of(self, piece: Piece) -> impl Iterator<Item = File> {
        File::ALL
            .into_iter()
            .filter(move |&file| self.piece_on(file) == piece)
    }

    /// The file of the king.
    pub fn king_file(self) -> File {
        self.files_of(Piece::King)
            .next()
            .expect("a back rank has a king")
    }

    /// The files of the rooks, the one on the a-side of the king first.
    pub fn rook_files(self) -> [File; 2] {
        self.pair(Piece::Rook)
    }

    /// The mirror image: the pieces from right to left.
    pub fn mirrored(self) -> BackRank {
        let mut pieces = self.0;
        pieces.reverse();
        // Mirroring inverts the colours of all squares and swaps the rooks, which breaks no rule.
        BackRank(pieces)
    }
}

impl TryFrom<[Piece; 8]> for BackRank {
    type Error = BackRankError;

    fn try_from(pieces: [Piece; 8]) -> Result<Self, BackRankError> {
        let back_rank = BackRank(pieces);
        back_rank.validate()?;
        Ok(back_rank)
    }
}

impl From<StartId> for BackRank {
    fn from(id: StartId) -> Self {
        scharnagl::back_rank(id)
    }
}

impl From<BackRank> for StartId {
    fn from(back_rank: BackRank) -> Self {
        back_rank.id()
    }
}

impl FromStr for BackRank {
    type Err = LettersError;

    fn from_str(text: &str) -> Result<Self, LettersError> {
        Letters::English.read(text)
    }
}

impl fmt::Display for BackRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&Letters::English.write(*self))
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Piece::King => "king",
            Piece::Queen => "queen",
            Piece::Rook => "rook",
            Piece::Bishop => "bishop",
            Piece::Knight => "knight",
        })
    }
}

impl BackRank {
    fn validate(self) -> Result<(), BackRankError> {
        self.validate_counts()?;
        self.validate_bishops()?;
        self.validate_king()
    }

    fn validate_counts(self) -> Result<(), BackRankError> {
        for piece in Piece::ALL {
            let found = self.files_of(piece).count();
            if found != piece.count() {
                return Err(BackRankError::WrongCount { piece, found });
            }
        }
        Ok(())
    }

    fn validate_bishops(self) -> Result<(), BackRankError> {
        let bishops = self.pair(Piece::Bishop);
        if bishops[0].is_light() == bishops[1].is_light() {
            return Err(BackRankError::BishopsOnOneColour { bishops });
        }
        Ok(())
    }

    fn validate_king(self) -> Result<(), BackRankError> {
        let (king, rooks) = (self.king_file(), self.rook_files());
        if king < rooks[0] || rooks[1] < king {
            return Err(BackRankError::KingOutsideRooks { king, rooks });
        }
        Ok(())
    }

    fn pair(self, piece: Piece) -> [File; 2] {
        let mut files = self.files_of(piece);
        let mut next = || files.next().expect("a back rank has two of each pair");
        [next(), next()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_arrangement() -> impl Iterator<Item = [Piece; 8]> {
        (0..5usize.pow(8)).map(|code| {
            std::array::from_fn(|place| Piece::ALL[code / 5usize.pow(place as u32) % 5])
        })
    }

    /// The rules of Chess960 applied to the letters, independent of the code under test.
    fn obeys_the_rules(pieces: [Piece; 8]) -> bool {
        let text: String = pieces.map(|piece| Letters::English.letter(piece)).concat();
        let mut sorted: Vec<char> = text.chars().collect();
        sorted.sort_unstable();
        let major: String = text.chars().filter(|&c| c == 'R' || c == 'K').collect();
        let bishops: usize = text.match_indices('B').map(|(place, _)| place).sum();
        sorted.iter().collect::<String>() == "BBKNNQRR" && major == "RKR" && bishops % 2 == 1
    }

    fn fault(text: &str) -> String {
        text.parse::<BackRank>().unwrap_err().to_string()
    }

    #[test]
    fn exactly_the_960_arrangements_that_obey_the_rules_are_back_ranks() {
        let mut count = 0;
        for pieces in every_arrangement() {
            let accepted = BackRank::try_from(pieces).is_ok();
            assert_eq!(accepted, obeys_the_rules(pieces), "{pieces:?}");
            count += usize::from(accepted);
        }
        assert_eq!(count, 960);
    }

    #[test]
    fn an_error_about_a_wrong_set_of_pieces_names_the_piece() {
        assert_eq!(fault("RNBQKBRR"), "a back rank has 2 rooks, not 3");
        assert_eq!(fault("RNBQQBNR"), "a back rank has 1 king, not 0");
    }

    #[test]
    fn an_error_about_bishops_on_one_colour_names_their_squares() {
        assert_eq!(
            fault("RNBQBKNR"),
            "the bishops on c1 and e1 are on the same colour: \
             one must be on a light square and one on a dark one"
        );
    }

    #[test]
    fn a_king_outside_its_rooks_is_an_error_on_either_side() {
        assert_eq!(
            fault("KRBRQBNN"),
            "the king on a1 is not between the rooks on b1 and d1"
        );
        assert!(fault("RNBQRBNK").starts_with("the king on h1"));
    }

    #[test]
    fn pieces_are_found_on_their_files() {
        let classical = BackRank::from(StartId::CLASSICAL);
        assert_eq!(classical.piece_on(File::D), Piece::Queen);
        assert_eq!(classical.king_file(), File::E);
        assert_eq!(classical.rook_files(), [File::A, File::H]);
        let knights: Vec<File> = classical.files_of(Piece::Knight).collect();
        assert_eq!(knights, [File::B, File::G]);
    }

    #[test]
    fn every_mirror_image_is_another_start_and_mirrors_back() {
        for back_rank in StartId::all().map(BackRank::from) {
            let mirrored = back_rank.mirrored();
            let reversed: String = back_rank.to_string().chars().rev().collect();
            assert_eq!(mirrored.to_string(), reversed);
            assert_eq!(BackRank::try_from(mirrored.pieces()), Ok(mirrored));
            assert_ne!(mirrored, back_rank);
            assert_eq!(mirrored.mirrored(), back_rank);
        }
    }
}
