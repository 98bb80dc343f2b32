//! Moves as text.
//!
//! The short form names the circles, `b4d6`, and what a pawn becomes, `h2i1q`. The long form is the one in
//! which games are written down: `Pb2-c3`, `Ka1xb2`, and with the circle on which a knight or a rook turns,
//! `Na7-(b6)-c7`. Castling is `0-0-0(L)` or `0-0-0(R)` in both.

use std::fmt;

use super::board::Board;
use super::circle::{Circle, Circles};
use super::geometry::geometry;
use super::moves::{Move, Side};
use crate::chess::{MoveError, Role};

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Move::Plain { from, to } => write!(f, "{from}{to}"),
            Move::Promotion { from, to, role } => {
                write!(f, "{from}{to}{}", role.letter().to_ascii_lowercase())
            }
            Move::Castling(side) => write!(f, "0-0-0({})", side.letter()),
        }
    }
}

impl Board {
    /// The long form of a legal move. Where a piece could turn on several circles, it names the first of them,
    /// counted from a1.
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

    /// The legal move that a text names in the short or the long form. In the long form the circle of the turn
    /// may be left out; if it is named, the piece has to be able to turn there.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let typed = Typed::read(text).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        let named = self
            .legal_moves()
            .into_iter()
            .find(|&mv| typed.names(self, mv));
        named.ok_or_else(|| MoveError::Illegal {
            text: text.to_owned(),
            fen: self.to_string(),
        })
    }

    /// The circles on which the piece on `from` may turn on its way.
    fn turns(&self, from: Circle, to: Circle) -> Circles {
        match self.piece_at(from) {
            Some((_, Role::Knight)) => knight_turns(from, to),
            Some((_, Role::Rook)) => {
                let ways = geometry().rook_turns(from, to);
                ways.filter(|&turn| self.is_open(from, turn) && self.is_open(turn, to))
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

/// The circles between the two steps of a knight: all that touch both ends.
fn knight_turns(from: Circle, to: Circle) -> Circles {
    geometry().king(from) & geometry().king(to)
}

/// A move as it was typed.
enum Typed {
    Castling(Side),
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

impl Typed {
    fn read(text: &str) -> Option<Typed> {
        let castling = Side::BOTH
            .into_iter()
            .find(|&side| text == Move::Castling(side).to_string());
        if let Some(side) = castling {
            return Some(Typed::Castling(side));
        }
        if text.starts_with(|letter: char| letter.is_ascii_uppercase()) {
            Typed::read_long(text)
        } else {
            Typed::read_short(text)
        }
    }

    fn read_short(text: &str) -> Option<Typed> {
        let (from, rest) = split_circle(text)?;
        let (to, promotion) = split_circle(rest)?;
        let is_small = promotion.chars().all(|letter| letter.is_ascii_lowercase());
        Some(Typed::Short {
            from,
            to,
            promotion: read_promotion(promotion).filter(|_| is_small)?,
        })
    }

    fn read_long(text: &str) -> Option<Typed> {
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
        Some(Typed::Long {
            role,
            from,
            turn,
            is_capture,
            to,
            promotion: read_promotion(promotion)?,
        })
    }

    fn names(&self, board: &Board, mv: Move) -> bool {
        let touched = match mv {
            Move::Plain { from, to } => (from, to, None),
            Move::Promotion { from, to, role } => (from, to, Some(role)),
            Move::Castling(side) => return matches!(self, Typed::Castling(typed) if *typed == side),
        };
        match *self {
            Typed::Castling(_) => false,
            Typed::Short {
                from,
                to,
                promotion,
            } => (from, to, promotion) == touched,
            Typed::Long {
                role,
                from,
                turn,
                is_capture,
                to,
                promotion,
            } => {
                (from, to, promotion) == touched
                    && board.with_role(role).has(from)
                    && board.occupied().has(to) == is_capture
                    && turn.is_none_or(|turn| board.turns(from, to).has(turn))
            }
        }
    }
}

/// The circle with which a text begins, and the rest of it.
fn split_circle(text: &str) -> Option<(Circle, &str)> {
    let digits = text
        .get(1..)?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let (circle, rest) = text.split_at(1 + digits);
    Some((circle.parse().ok()?, rest))
}

/// What a pawn becomes, if anything is said.
fn read_promotion(text: &str) -> Option<Option<Role>> {
    if text.is_empty() {
        return Some(None);
    }
    let mut letters = text.chars();
    let role = Role::from_letter(letters.next()?)?;
    let is_whole = letters.next().is_none() && Role::PROMOTIONS.contains(&role);
    is_whole.then_some(Some(role))
}
