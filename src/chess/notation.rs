//! Moves as engines write them (UCI): from-square, to-square, promotion letter. Castling is the king
//! taking its own rook.

use std::fmt;

use super::board::Board;
use super::castling;
use super::moves::{Move, MoveKind};
use super::square::{Color, Role, Square};

/// Why a text is not a move of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    #[error("{0:?} is not a move")]
    Syntax(String),
    #[error("{text:?} is not legal in {fen}")]
    Illegal { text: String, fen: String },
    #[error("{text:?} could be any of {candidates} in {fen}")]
    Ambiguous {
        text: String,
        candidates: String,
        fen: String,
    },
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.kind {
            MoveKind::Promotion(role) => write!(f, "{}", role.letter().to_ascii_lowercase()),
            _ => Ok(()),
        }
    }
}

impl Board {
    /// The legal move that a UCI text names. Castling is king takes rook; the king's two-square move
    /// (`e1g1`) is taken for castling too, as no other move of a king goes so far.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let typed = Typed::read(text).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        self.legal_moves()
            .into_iter()
            .find(|&mv| typed.names(self.turn, mv))
            .ok_or_else(|| self.illegal(text))
    }

    /// The legal moves that UCI texts name one after the other from here.
    pub fn parse_line(&self, texts: &[&str]) -> Option<Vec<Move>> {
        let mut board = *self;
        let moves = texts.iter().map(|text| {
            let mv = board.parse_uci(text).ok()?;
            board = board.play(mv);
            Some(mv)
        });
        moves.collect()
    }

    pub(super) fn illegal(&self, text: &str) -> MoveError {
        MoveError::Illegal {
            text: text.to_owned(),
            fen: self.x_fen(),
        }
    }
}

/// The squares and the promotion as they were typed.
struct Typed {
    from: Square,
    to: Square,
    promotion: Option<Role>,
}

impl Typed {
    fn read(text: &str) -> Option<Typed> {
        let promotion =
            match text.get(4..)? {
                "" => None,
                letter => Some(Role::PROMOTIONS.into_iter().find(|role| {
                    letter.eq_ignore_ascii_case(role.letter().encode_utf8(&mut [0]))
                })?),
            };
        Some(Typed {
            from: text.get(..2)?.parse().ok()?,
            to: text.get(2..4)?.parse().ok()?,
            promotion,
        })
    }

    fn names(&self, turn: Color, mv: Move) -> bool {
        let promotion = match mv.kind {
            MoveKind::Promotion(role) => Some(role),
            _ => None,
        };
        let reaches =
            self.to == mv.to || mv.kind == MoveKind::Castling && self.is_leap_of_castling(turn, mv);
        self.from == mv.from && self.promotion == promotion && reaches
    }

    /// Whether the king goes to where this castling takes it, and further than a king otherwise can.
    fn is_leap_of_castling(&self, turn: Color, mv: Move) -> bool {
        let (king_to, _) = match turn {
            Color::White => castling::destinations::<true>(mv.from, mv.to),
            Color::Black => castling::destinations::<false>(mv.from, mv.to),
        };
        self.to == king_to && self.from.file().abs_diff(king_to.file()) > 1
    }
}
