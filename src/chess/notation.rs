//! UCI move notation: origin square, target square, promotion letter. Castling is written as the king capturing its own
//! rook.

use std::fmt;

use super::board::Board;
use super::castling;
use super::moves::{Move, MoveKind};
use super::square::{Color, Role, Square};

/// Why a text is not a legal move in a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text has not the form of a move.
    #[error("{0:?} is not a move")]
    Syntax(String),
    /// There is no such legal move.
    #[error("{text:?} is not legal in {fen}")]
    Illegal {
        /// The text that should be a move.
        text: String,
        /// The position in which it was read.
        fen: String,
    },
    /// Several legal moves match the text.
    #[error("{text:?} could be any of {candidates} in {fen}")]
    Ambiguous {
        /// The ambiguous text.
        text: String,
        /// The moves that it could mean.
        candidates: String,
        /// The position in which it was read.
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
    /// Parses a legal move in UCI notation. Castling is king takes rook; the king's two-square move (`e1g1`) is
    /// accepted as castling too, as no other king move goes that far.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let parsed = ParsedUci::read(text).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        self.legal_moves()
            .into_iter()
            .find(|&mv| parsed.matches(self.turn, mv))
            .ok_or_else(|| self.illegal(text))
    }

    /// Parses a sequence of moves in UCI notation, of which the first is made in this position. `None` if one of them
    /// is not legal.
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

/// The parts of a move in UCI notation.
struct ParsedUci {
    from: Square,
    to: Square,
    promotion: Option<Role>,
}

impl ParsedUci {
    fn read(text: &str) -> Option<ParsedUci> {
        let promotion =
            match text.get(4..)? {
                "" => None,
                letter => Some(Role::PROMOTIONS.into_iter().find(|role| {
                    letter.eq_ignore_ascii_case(role.letter().encode_utf8(&mut [0]))
                })?),
            };
        Some(ParsedUci {
            from: text.get(..2)?.parse().ok()?,
            to: text.get(2..4)?.parse().ok()?,
            promotion,
        })
    }

    fn matches(&self, turn: Color, mv: Move) -> bool {
        let promotion = match mv.kind {
            MoveKind::Promotion(role) => Some(role),
            _ => None,
        };
        let is_target = self.to == mv.to
            || mv.kind == MoveKind::Castling && self.is_two_square_castling(turn, mv);
        self.from == mv.from && self.promotion == promotion && is_target
    }

    /// Whether the target is the king's destination of this castling move, further away than any other king move goes.
    fn is_two_square_castling(&self, turn: Color, mv: Move) -> bool {
        let (king_to, _) = match turn {
            Color::White => castling::destinations::<true>(mv.from, mv.to),
            Color::Black => castling::destinations::<false>(mv.from, mv.to),
        };
        self.to == king_to && self.from.file().abs_diff(king_to.file()) > 1
    }
}
