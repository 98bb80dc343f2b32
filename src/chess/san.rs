//! Moves as players write them (SAN): `Nf3`, `exd6`, `e8=Q+`, `O-O`.

use super::board::Board;
use super::moves::{Move, MoveKind};
use super::notation::MoveError;
use super::square::{Role, Square};

impl Board {
    /// The move as SAN, with `+` or `#` where it gives check or mate.
    pub fn san(&self, mv: Move) -> String {
        let mut text = match mv.kind {
            MoveKind::Castling if mv.to.file() > mv.from.file() => "O-O".to_owned(),
            MoveKind::Castling => "O-O-O".to_owned(),
            _ => self.san_of_step(mv),
        };
        let after = self.play(mv);
        if after.is_check() {
            text.push(if after.count_moves() == 0 { '#' } else { '+' });
        }
        text
    }

    fn san_of_step(&self, mv: Move) -> String {
        let is_capture = mv.kind == MoveKind::EnPassant || self.occupied().has(mv.to);
        let capture = if is_capture { "x" } else { "" };
        let (to, from) = (mv.to, mv.from.to_string());
        match (mv.role, mv.kind) {
            (Role::Pawn, kind) => {
                let file = if is_capture { &from[..1] } else { "" };
                let promotion = match kind {
                    MoveKind::Promotion(role) => format!("={}", role.letter()),
                    _ => String::new(),
                };
                format!("{file}{capture}{to}{promotion}")
            }
            (role, _) => format!("{}{}{capture}{to}", role.letter(), self.origin_needed(mv)),
        }
    }

    /// As much of the origin as tells this move from those of other pieces of its role: nothing, the file,
    /// the rank, or both.
    fn origin_needed(&self, mv: Move) -> String {
        let rivals: Vec<Square> = self
            .legal_moves()
            .into_iter()
            .filter(|other| other.role == mv.role && other.to == mv.to && other.from != mv.from)
            .filter(|other| other.kind != MoveKind::Castling)
            .map(|other| other.from)
            .collect();
        let (file, rank) = (mv.from.file(), mv.from.rank());
        let from = mv.from.to_string();
        if rivals.is_empty() {
            String::new()
        } else if rivals.iter().all(|rival| rival.file() != file) {
            from[..1].to_owned()
        } else if rivals.iter().all(|rival| rival.rank() != rank) {
            from[1..].to_owned()
        } else {
            from
        }
    }

    /// The legal move that a SAN text names. Check and mate signs, `!` and `?` may be there or not;
    /// castling may be written with zeros, a promotion without `=`.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let written = Written::read(bare).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        let (mut found, mut count) = (None, 0);
        let look = |mv| {
            if written.names(mv) {
                found = Some(mv);
                count += 1;
            }
        };
        match written {
            Written::Castling { .. } => self.for_each_castling(look),
            Written::Step { role, to, .. } => self.for_each_move_to(role, to, look),
        }
        match found {
            Some(mv) if count == 1 => Ok(mv),
            Some(_) => Err(self.ambiguous(text, &written)),
            None => Err(self.illegal(text)),
        }
    }

    fn ambiguous(&self, text: &str, written: &Written) -> MoveError {
        let mut candidates = self.legal_moves();
        candidates.retain(|&mv| written.names(mv));
        let candidates: Vec<String> = candidates.iter().map(Move::to_string).collect();
        MoveError::Ambiguous {
            text: text.to_owned(),
            candidates: candidates.join(", "),
            fen: self.x_fen(),
        }
    }
}

/// What a SAN text says about a move.
enum Written {
    Castling {
        h_side: bool,
    },
    Step {
        role: Role,
        file: Option<u8>,
        rank: Option<u8>,
        to: Square,
        promotion: Option<Role>,
    },
}

impl Written {
    fn read(text: &str) -> Option<Written> {
        match text {
            "O-O" | "0-0" => Some(Written::Castling { h_side: true }),
            "O-O-O" | "0-0-0" => Some(Written::Castling { h_side: false }),
            _ => Written::read_step(text),
        }
    }

    fn read_step(text: &str) -> Option<Written> {
        let (role, rest) = match text.chars().next().filter(char::is_ascii_uppercase) {
            Some(letter) => (Role::from_letter(letter)?, &text[1..]),
            None => (Role::Pawn, text),
        };
        let (rest, promotion) = match rest.chars().last().filter(char::is_ascii_uppercase) {
            Some(letter) if role == Role::Pawn => {
                let promotion = Role::PROMOTIONS
                    .into_iter()
                    .find(|role| role.letter() == letter)?;
                let rest = &rest[..rest.len() - 1];
                (rest.strip_suffix('=').unwrap_or(rest), Some(promotion))
            }
            _ => (rest, None),
        };
        let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let origin = origin.strip_suffix(['x', '-']).unwrap_or(origin);
        let (file, rank) = read_origin(origin)?;
        Some(Written::Step {
            role,
            file,
            rank,
            to: to.parse().ok()?,
            promotion,
        })
    }

    fn names(&self, mv: Move) -> bool {
        match (self, mv.kind) {
            (Written::Castling { h_side }, MoveKind::Castling) => {
                *h_side == (mv.to.file() > mv.from.file())
            }
            (Written::Castling { .. }, _) | (_, MoveKind::Castling) => false,
            (
                &Written::Step {
                    role,
                    file,
                    rank,
                    to,
                    promotion,
                },
                kind,
            ) => {
                let promoted = match kind {
                    MoveKind::Promotion(role) => Some(role),
                    _ => None,
                };
                role == mv.role
                    && to == mv.to
                    && promotion == promoted
                    && file.is_none_or(|file| file == mv.from.file())
                    && rank.is_none_or(|rank| rank == mv.from.rank())
            }
        }
    }
}

fn read_origin(text: &str) -> Option<(Option<u8>, Option<u8>)> {
    match text.as_bytes() {
        [] => Some((None, None)),
        [file @ b'a'..=b'h'] => Some((Some(file - b'a'), None)),
        [rank @ b'1'..=b'8'] => Some((None, Some(rank - b'1'))),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some((Some(file - b'a'), Some(rank - b'1'))),
        _ => None,
    }
}
