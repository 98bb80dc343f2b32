//! FEN, with the three conventions for the castling field:
//!
//! - classical FEN: `KQkq`;
//! - X-FEN: `K` and `Q` for the outermost rook on that side, a file letter for an inner one;
//! - Shredder-FEN: always file letters, `HAha`.
//!
//! Reading accepts all three, as no letter is ambiguous. Writing supports X-FEN, which for classical chess is the
//! classical FEN, and Shredder-FEN.

use std::fmt;
use std::str::FromStr;

use super::bitboard::Bitboard;
use super::board::Board;
use super::setup::{Setup, SetupError};
use super::square::{Color, Role, Square};

/// A field of a FEN, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The pieces by rank, from the eighth to the first.
    Placement,
    /// The side to move.
    Turn,
    /// The castling rights.
    Castling,
    /// The square that a pawn has just passed with a double push.
    EnPassant,
    /// Plies since the last capture or pawn move.
    HalfmoveClock,
    /// The number of the move.
    FullmoveNumber,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Field::Placement => "piece placement",
            Field::Turn => "side to move",
            Field::Castling => "castling",
            Field::EnPassant => "en passant",
            Field::HalfmoveClock => "halfmove clock",
            Field::FullmoveNumber => "move number",
        })
    }
}

/// Why a text is not the FEN of a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// A field is missing.
    #[error("the {0} field is missing")]
    Missing(Field),
    /// There is text after the last field.
    #[error("{0:?} follows the six fields of a FEN")]
    Trailing(String),
    /// A field cannot be parsed.
    #[error("the {field} field {text:?} is wrong: {reason}")]
    Field {
        /// The field that is wrong.
        field: Field,
        /// Its text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The fields describe no legal position.
    #[error("the position is illegal: {0}")]
    Setup(#[from] SetupError),
}

impl FromStr for Board {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Board, FenError> {
        Ok(Board::try_from(fen.parse::<Setup>()?)?)
    }
}

impl FromStr for Setup {
    type Err = FenError;

    /// Parses a FEN of six fields, or the four fields of an EPD (with halfmove clock 0 and move number 1).
    fn from_str(fen: &str) -> Result<Setup, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let mut field = |field| fields.next().ok_or(FenError::Missing(field));
        let mut setup = Setup::empty();
        read_placement(&mut setup, field(Field::Placement)?)?;
        setup.turn = read_turn(field(Field::Turn)?)?;
        read_castling(&mut setup, field(Field::Castling)?)?;
        setup.en_passant = read_en_passant(field(Field::EnPassant)?)?;
        if let Ok(clock) = field(Field::HalfmoveClock) {
            setup.halfmove_clock = read_number(Field::HalfmoveClock, clock)?;
            let number = field(Field::FullmoveNumber)?;
            setup.fullmove_number = read_number(Field::FullmoveNumber, number)?;
        }
        match fields.next() {
            Some(text) => Err(FenError::Trailing(text.to_owned())),
            None => Ok(setup),
        }
    }
}

impl Board {
    /// The X-FEN: castling rights as `KQkq`, with the file letter for an inner rook.
    pub fn x_fen(&self) -> String {
        self.fen_with(|color, rook| {
            let wing = self.wing_of(color, rook);
            let rooks = self.with_role(Role::Rook) & self.pieces_of(color) & wing;
            let is_outermost = rooks
                .map(|other| other.file().abs_diff(self.king_of(color).file()))
                .all(|distance| distance <= rook.file().abs_diff(self.king_of(color).file()));
            match (is_outermost, rook.file() > self.king_of(color).file()) {
                (true, true) => 'K',
                (true, false) => 'Q',
                (false, _) => file_letter(rook),
            }
        })
    }

    /// The Shredder-FEN: castling rights as the files of the rooks.
    pub fn shredder_fen(&self) -> String {
        self.fen_with(|_, rook| file_letter(rook))
    }

    /// The squares of the home rank that are on the same side of the king as this rook.
    fn wing_of(&self, color: Color, rook: Square) -> Bitboard {
        let king = self.king_of(color);
        Bitboard::rank(color.home_rank())
            .filter(|square| (square.file() > king.file()) == (rook.file() > king.file()))
            .collect()
    }

    fn fen_with(&self, castling_letter: impl Fn(Color, Square) -> char) -> String {
        let placement = self.placement();
        let turn = match self.turn {
            Color::White => 'w',
            Color::Black => 'b',
        };
        let castling = self.castling_field(castling_letter);
        let en_passant = self
            .en_passant
            .map_or_else(|| "-".to_owned(), |square| square.to_string());
        format!(
            "{placement} {turn} {castling} {en_passant} {} {}",
            self.halfmove_clock, self.fullmove_number
        )
    }

    fn placement(&self) -> String {
        let ranks: Vec<String> = (0..8).rev().map(|rank| self.placement_of(rank)).collect();
        ranks.join("/")
    }

    fn placement_of(&self, rank: u8) -> String {
        let mut text = String::new();
        let mut empty = 0;
        for file in 0..8 {
            let Some(piece) = self.piece_at(Square::at(file, rank)) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                text += &empty.to_string();
                empty = 0;
            }
            text.push(piece_letter(piece));
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text
    }

    fn castling_field(&self, letter: impl Fn(Color, Square) -> char) -> String {
        let mut text = String::new();
        for color in Color::BOTH {
            let rooks = self.castling & self.pieces_of(color);
            let mut rooks: Vec<Square> = rooks.collect();
            rooks.reverse();
            text.extend(rooks.into_iter().map(|rook| match color {
                Color::White => letter(color, rook),
                Color::Black => letter(color, rook).to_ascii_lowercase(),
            }));
        }
        if text.is_empty() {
            text.push('-');
        }
        text
    }
}

/// The FEN letter of a piece: upper case for White, lower case for Black.
pub fn piece_letter((color, role): (Color, Role)) -> char {
    match color {
        Color::White => role.letter(),
        Color::Black => role.letter().to_ascii_lowercase(),
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'A' + square.file())
}

fn wrong(field: Field, text: &str, reason: impl Into<String>) -> FenError {
    FenError::Field {
        field,
        text: text.to_owned(),
        reason: reason.into(),
    }
}

fn read_placement(setup: &mut Setup, text: &str) -> Result<(), FenError> {
    let wrong = |reason: String| wrong(Field::Placement, text, reason);
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(wrong(format!("it has {} ranks, not 8", ranks.len())));
    }
    for (rank, row) in (0..8).rev().zip(ranks) {
        let files = read_rank(setup, rank, row).map_err(wrong)?;
        if files != 8 {
            let number = rank + 1;
            return Err(wrong(format!(
                "rank {number} ({row}) has {files} squares, not 8"
            )));
        }
    }
    Ok(())
}

/// Places the pieces of one rank and returns the number of squares that the text describes.
fn read_rank(setup: &mut Setup, rank: u8, row: &str) -> Result<u32, String> {
    let mut file = 0;
    for letter in row.chars() {
        if let Some(empty @ 1..=8) = letter.to_digit(10) {
            file += empty;
            continue;
        }
        let role = Role::from_letter(letter).ok_or_else(|| {
            format!("{letter:?} is neither a piece nor a number of empty squares")
        })?;
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        if file < 8 {
            setup.place(color, role, Square::at(file as u8, rank));
        }
        file += 1;
    }
    Ok(file)
}

fn read_turn(text: &str) -> Result<Color, FenError> {
    match text {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        _ => Err(wrong(Field::Turn, text, "it is neither w nor b")),
    }
}

fn read_castling(setup: &mut Setup, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    for letter in text.chars() {
        let rook =
            castling_rook(setup, letter).map_err(|reason| wrong(Field::Castling, text, reason))?;
        if setup.castling_rooks.has(rook) {
            let reason = format!("it names the rook on {rook} twice");
            return Err(wrong(Field::Castling, text, reason));
        }
        setup.castling_rooks |= rook.bit();
    }
    Ok(())
}

fn castling_rook(setup: &Setup, letter: char) -> Result<Square, String> {
    let color = if letter.is_ascii_uppercase() {
        Color::White
    } else {
        Color::Black
    };
    let home = Bitboard::rank(color.home_rank());
    let mut rooks = setup.squares_of(color, Role::Rook) & home;
    let king = (setup.squares_of(color, Role::King) & home)
        .next()
        .ok_or_else(|| format!("{letter} needs {color}'s king on its home rank"))?;
    match letter.to_ascii_uppercase() {
        'K' => rooks
            .filter(|rook| rook.file() > king.file())
            .last()
            .ok_or_else(|| format!("{letter} needs a {color} rook between {king} and the h-file")),
        'Q' => rooks
            .find(|rook| rook.file() < king.file())
            .ok_or_else(|| format!("{letter} needs a {color} rook between the a-file and {king}")),
        file @ 'A'..='H' => {
            let square = Square::at(file as u8 - b'A', color.home_rank());
            let found = rooks.has(square).then_some(square);
            found.ok_or_else(|| format!("{letter} needs a {color} rook on {square}"))
        }
        _ => Err(format!("{letter:?} is neither one of KQkq nor a file")),
    }
}

fn read_en_passant(text: &str) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|error| wrong(Field::EnPassant, text, format!("{error}")))
}

fn read_number(field: Field, text: &str) -> Result<u16, FenError> {
    text.parse()
        .map_err(|_| wrong(field, text, "it is not a number from 0 to 65535"))
}
