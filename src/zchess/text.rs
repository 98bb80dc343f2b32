//! Positions as text, similar to FEN: the rows from i down to a, the side to move, the castling rights.
//!
//! `rnbqkqbnr/pppppppp/9/8/9/8/9/PPPPPPPP/RNBQKQBNR w LRlr` is the initial position. Upper-case letters are white
//! pieces, digits are numbers of empty circles, `L` and `R` are the castling rights towards numbers 1 and 17; `-`
//! means none.

use std::fmt;
use std::str::FromStr;

use super::board::{Board, SetupError};
use super::circle::{Circle, Circles};
use super::moves::{CastlingCircles, Wing};
use crate::chess::{Color, Role, piece_letter};

/// Why a text is not a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A field is missing.
    #[error("the {0} is missing: a position has rows, side to move and castling rights")]
    Missing(&'static str),
    /// There is text after the last field.
    #[error("{0:?} follows the castling rights")]
    Trailing(String),
    /// The rows cannot be parsed.
    #[error("the rows {text:?} are wrong: {reason}")]
    Rows {
        /// The field.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The side to move cannot be parsed.
    #[error("the side to move {0:?} is wrong: it is w or b")]
    Turn(String),
    /// The castling rights cannot be parsed.
    #[error("the castling rights {0:?} are wrong: they are some of LRlr, in this order, or -")]
    Castling(String),
    /// The fields describe no legal position.
    #[error("the position is illegal: {0}")]
    Setup(#[from] SetupError),
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..Circle::ROWS).rev() {
            write_row(self, row, f)?;
            f.write_str(if row > 0 { "/" } else { " " })?;
        }
        f.write_str(match self.turn {
            Color::White => "w ",
            Color::Black => "b ",
        })?;
        if self.castling.is_empty() {
            return f.write_str("-");
        }
        let mut rights = castling_rights().filter(|(rook, _)| self.castling.has(*rook));
        rights.try_for_each(|(_, letter)| write!(f, "{letter}"))
    }
}

fn write_row(board: &Board, row: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut empty = 0;
    for circle in Circles::row(row) {
        let Some(piece) = board.piece_at(circle) else {
            empty += 1;
            continue;
        };
        if empty > 0 {
            write!(f, "{empty}")?;
            empty = 0;
        }
        write!(f, "{}", piece_letter(piece))?;
    }
    if empty > 0 {
        write!(f, "{empty}")?;
    }
    Ok(())
}

/// The rook and the letter of each castling right, in order.
fn castling_rights() -> impl Iterator<Item = (Circle, char)> {
    Color::BOTH.into_iter().flat_map(|color| {
        Wing::BOTH.map(|wing| {
            let letter = match color {
                Color::White => wing.letter(),
                Color::Black => wing.letter().to_ascii_lowercase(),
            };
            (CastlingCircles::of(color, wing).rook, letter)
        })
    })
}

impl FromStr for Board {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Board, TextError> {
        let mut fields = text.split_ascii_whitespace();
        let mut field = |name| fields.next().ok_or(TextError::Missing(name));
        let mut board = read_rows(field("placement of the pieces")?)?;
        board.turn = match field("side to move")? {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(TextError::Turn(other.to_owned())),
        };
        board.castling = read_castling(field("castling field")?)?;
        match fields.next() {
            Some(text) => Err(TextError::Trailing(text.to_owned())),
            None => Ok(board.validated()?),
        }
    }
}

fn read_rows(text: &str) -> Result<Board, TextError> {
    let wrong = |reason| TextError::Rows {
        text: text.to_owned(),
        reason,
    };
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != usize::from(Circle::ROWS) {
        return Err(wrong(format!("there are {}, not 9", rows.len())));
    }
    let mut board = Board {
        pieces: [Circles::EMPTY; 6],
        white: Circles::EMPTY,
        black: Circles::EMPTY,
        castling: Circles::EMPTY,
        turn: Color::White,
    };
    for (row, pieces) in (0..Circle::ROWS).rev().zip(rows) {
        read_row(&mut board, row, pieces).map_err(wrong)?;
    }
    Ok(board)
}

fn read_row(board: &mut Board, row: u8, pieces: &str) -> Result<(), String> {
    let circles = Circles::row(row);
    let length = Circles::count(circles) as usize;
    let mut rest = circles;
    let mut described = 0;
    for letter in pieces.chars() {
        if let Some(empty @ 1..=9) = letter.to_digit(10) {
            described += empty as usize;
            rest.by_ref().take(empty as usize).for_each(drop);
            continue;
        }
        let role = Role::from_letter(letter).ok_or_else(|| {
            format!("{letter:?} is neither a piece nor a number of empty circles")
        })?;
        described += 1;
        if let Some(circle) = rest.next() {
            board.place(letter.is_ascii_uppercase(), role, circle);
        }
    }
    if described == length {
        Ok(())
    } else {
        let name = char::from(b'a' + row);
        Err(format!(
            "row {name} ({pieces}) has {described} circles, not {length}"
        ))
    }
}

impl Board {
    fn place(&mut self, is_white: bool, role: Role, circle: Circle) {
        self.pieces[role as usize] |= circle.bit();
        let side = if is_white {
            &mut self.white
        } else {
            &mut self.black
        };
        *side |= circle.bit();
    }
}

fn read_castling(text: &str) -> Result<Circles, TextError> {
    if text == "-" {
        return Ok(Circles::EMPTY);
    }
    let mut letters = text.chars().peekable();
    let castling = castling_rights()
        .filter(|(_, letter)| letters.next_if_eq(letter).is_some())
        .map(|(rook, _)| rook)
        .collect::<Circles>();
    match letters.next() {
        None if !castling.is_empty() => Ok(castling),
        _ => Err(TextError::Castling(text.to_owned())),
    }
}
