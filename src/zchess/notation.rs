//! Move notation.
//!
//! The short form has origin, target and promotion: `b4d6`, `h2i1q`. The long form is the one in which games are
//! recorded: `Pb2-c3`, `Ka1xb2`, and with the circle on which a knight or rook turns, `Na7-(b6)-c7`. Castling is
//! `0-0-0(L)` or `0-0-0(R)` in both.

use std::fmt;

use super::board::Board;
use super::circle::{Circle, Circles};
use super::geometry::geometry;
use super::moves::{Move, Wing};
use crate::chess::{MoveError, Role};

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Move::Plain { from, to } => write!(f, "{from}{to}"),
            Move::Promotion { from, to, role } => {
                write!(f, "{from}{to}{}", role.letter().to_ascii_lowercase())
            }
            Move::Castling(wing) => write!(f, "0-0-0({})", wing.letter()),
        }
    }
}

impl Board {
    /// The long form of a legal move. If a piece could turn on several circles, it has the first of them, counted
    /// from a1.
    pub fn long_form(&self, mv: Move) -> String {
        let (from, to, promotion) = match mv {
            Move::Plain { from, to } => (from, to, None),
            Move::Promotion { from, to, role } => (from, to, Some(role)),
            Move::Castling(_) => return mv.to_string(),
        };
        let letter = self.piece_at(from).map_or('?', |(_, role)| role.letter());
        let turn = self.turns(from, to).next();
        let turn = turn.map_or(String::new(), |turn| format!("-({turn})"));
        let captures = if self.occupied().has(to) { 'x' } else { '-' };
        let promotion = promotion.map_or(String::new(), |role| role.letter().to_string());
        format!("{letter}{from}{turn}{captures}{to}{promotion}")
    }

    /// Parses a legal move in the short or long form. In the long form the circle of the turn is optional; if it is
    /// given, the piece must be able to turn there.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let parsed = ParsedMove::read(text).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        let found = self
            .legal_moves()
            .into_iter()
            .find(|&mv| parsed.matches(self, mv));
        found.ok_or_else(|| MoveError::Illegal {
            text: text.to_owned(),
            fen: self.to_string(),
        })
    }

    /// The circles on which the piece on `from` may turn on its path.
    fn turns(&self, from: Circle, to: Circle) -> Circles {
        match self.piece_at(from) {
            Some((_, Role::Knight)) => knight_turns(from, to),
            Some((_, Role::Rook)) => {
                let turns = geometry().rook_turns(from, to);
                turns
                    .filter(|&turn| self.is_open(from, turn) && self.is_open(turn, to))
                    .filter(|&turn| !self.occupied().has(turn))
                    .collect()
            }
            _ => Circles::EMPTY,
        }
    }

    fn is_open(&self, from: Circle, to: Circle) -> bool {
        (geometry().between(from, to) & self.occupied()).is_empty()
    }
}

/// The circles between the two steps of a knight: those next to both ends.
fn knight_turns(from: Circle, to: Circle) -> Circles {
    geometry().king(from) & geometry().king(to)
}

/// The parts of a move in either form.
enum ParsedMove {
    Castling(Wing),
    Short {
        from: Circle,
        to: Circle,
        promotion: Option<Role>,
    },
    Long {
        role: Role,
        from: Circle,
        turn: Option<Circle>,
        is_capture: bool,
        to: Circle,
        promotion: Option<Role>,
    },
}

impl ParsedMove {
    fn read(text: &str) -> Option<ParsedMove> {
        let castling = Wing::BOTH
            .into_iter()
            .find(|&wing| text == Move::Castling(wing).to_string());
        if let Some(wing) = castling {
            return Some(ParsedMove::Castling(wing));
        }
        if text.starts_with(|letter: char| letter.is_ascii_uppercase()) {
            ParsedMove::read_long(text)
        } else {
            ParsedMove::read_short(text)
        }
    }

    fn read_short(text: &str) -> Option<ParsedMove> {
        let (from, rest) = split_circle(text)?;
        let (to, promotion) = split_circle(rest)?;
        let is_lower_case = promotion.chars().all(|letter| letter.is_ascii_lowercase());
        Some(ParsedMove::Short {
            from,
            to,
            promotion: read_promotion(promotion).filter(|_| is_lower_case)?,
        })
    }

    fn read_long(text: &str) -> Option<ParsedMove> {
        let mut letters = text.chars();
        let role = Role::from_letter(letters.next()?)?;
        let (from, rest) = split_circle(letters.as_str())?;
        let (turn, rest) = match rest.strip_prefix("-(") {
            Some(rest) => {
                let (turn, rest) = rest.split_once(')')?;
                (Some(turn.parse().ok()?), rest)
            }
            None => (None, rest),
        };
        let is_capture = rest.starts_with('x');
        let (to, promotion) = split_circle(rest.strip_prefix(['-', 'x'])?)?;
        Some(ParsedMove::Long {
            role,
            from,
            turn,
            is_capture,
            to,
            promotion: read_promotion(promotion)?,
        })
    }

    fn matches(&self, board: &Board, mv: Move) -> bool {
        let parts = match mv {
            Move::Plain { from, to } => (from, to, None),
            Move::Promotion { from, to, role } => (from, to, Some(role)),
            Move::Castling(wing) => {
                return matches!(self, ParsedMove::Castling(parsed) if *parsed == wing);
            }
        };
        match *self {
            ParsedMove::Castling(_) => false,
            ParsedMove::Short {
                from,
                to,
                promotion,
            } => (from, to, promotion) == parts,
            ParsedMove::Long {
                role,
                from,
                turn,
                is_capture,
                to,
                promotion,
            } => {
                (from, to, promotion) == parts
                    && board.with_role(role).has(from)
                    && board.occupied().has(to) == is_capture
                    && turn.is_none_or(|turn| board.turns(from, to).has(turn))
            }
        }
    }
}

/// The circle at the beginning of a text, and the rest of the text.
fn split_circle(text: &str) -> Option<(Circle, &str)> {
    let digits = text
        .get(1..)?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let (circle, rest) = text.split_at(1 + digits);
    Some((circle.parse().ok()?, rest))
}

/// The promotion at the end of a move: `Some(None)` if there is none, `None` if it is invalid.
fn read_promotion(text: &str) -> Option<Option<Role>> {
    if text.is_empty() {
        return Some(None);
    }
    let mut letters = text.chars();
    let role = Role::from_letter(letters.next()?)?;
    let is_whole = letters.next().is_none() && Role::PROMOTIONS.contains(&role);
    is_whole.then_some(Some(role))
}
