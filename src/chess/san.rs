//! Standard algebraic notation (SAN): `Nf3`, `exd6`, `e8=Q+`, `O-O`.

use super::board::Board;
use super::moves::{Move, MoveKind};
use super::notation::MoveError;
use super::square::{Role, Square};

impl Board {
    /// Moves that are played one after the other, in SAN, separated by spaces.
    pub fn san_line(&self, moves: &[Move]) -> String {
        let mut board = *self;
        let sans = moves.iter().map(|&mv| {
            let san = board.san(mv);
            board = board.play(mv);
            san
        });
        sans.collect::<Vec<_>>().join(" ")
    }

    /// A legal move in SAN, with `+` for check and `#` for mate.
    pub fn san(&self, mv: Move) -> String {
        let mut text = String::with_capacity(7);
        self.push_san(mv, &self.play(mv), &mut text);
        text
    }

    /// Appends a legal move in SAN to a text. `after` is the position after the move.
    pub(crate) fn push_san(&self, mv: Move, after: &Board, text: &mut String) {
        match mv.kind {
            MoveKind::Castling if mv.to.file() > mv.from.file() => text.push_str("O-O"),
            MoveKind::Castling => text.push_str("O-O-O"),
            _ => self.push_san_without_castling(mv, text),
        }
        if after.is_check() {
            text.push(if after.count_moves() == 0 { '#' } else { '+' });
        }
    }

    fn push_san_without_castling(&self, mv: Move, text: &mut String) {
        let is_capture = mv.kind == MoveKind::EnPassant || self.occupied().has(mv.to);
        if mv.role != Role::Pawn {
            text.push(mv.role.letter());
            self.push_disambiguation(mv, text);
        } else if is_capture {
            text.push(file_letter(mv.from));
        }
        if is_capture {
            text.push('x');
        }
        text.push(file_letter(mv.to));
        text.push(rank_digit(mv.to));
        if let MoveKind::Promotion(role) = mv.kind {
            text.push('=');
            text.push(role.letter());
        }
    }

    /// Appends the part of the origin square that disambiguates the move from those of other pieces of its role:
    /// nothing, the file, the rank, or both.
    fn push_disambiguation(&self, mv: Move, text: &mut String) {
        let (file, rank) = (mv.from.file(), mv.from.rank());
        let (mut has_rival, mut shares_file, mut shares_rank) = (false, false, false);
        self.for_each_move_to(mv.role, mv.to, |other| {
            if other.from != mv.from {
                has_rival = true;
                shares_file |= other.from.file() == file;
                shares_rank |= other.from.rank() == rank;
            }
        });
        if has_rival && (!shares_file || shares_rank) {
            text.push(file_letter(mv.from));
        }
        if shares_file {
            text.push(rank_digit(mv.from));
        }
    }

    /// Parses a legal move in SAN. Check and mate signs, `!` and `?` are optional; castling may be written with
    /// zeros, a promotion without `=`.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let parsed = ParsedSan::read(bare).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        let (mut found, mut count) = (None, 0);
        let visit = |mv| {
            if parsed.matches(mv) {
                found = Some(mv);
                count += 1;
            }
        };
        match parsed {
            ParsedSan::Castling { .. } => self.for_each_castling(visit),
            ParsedSan::NonCastling { role, to, .. } => self.for_each_move_to(role, to, visit),
        }
        match found {
            Some(mv) if count == 1 => Ok(mv),
            Some(_) => Err(self.ambiguous(text, &parsed)),
            None => Err(self.illegal(text)),
        }
    }

    /// The legal move that a text names in SAN or in UCI's coordinate notation: PGN files contain both. If it is neither,
    /// the error is that of SAN.
    pub fn parse_san_or_uci(&self, text: &str) -> Result<Move, MoveError> {
        self.parse_san(text)
            .or_else(|error| self.parse_uci(text).map_err(|_| error))
    }

    fn ambiguous(&self, text: &str, parsed: &ParsedSan) -> MoveError {
        let mut candidates = self.legal_moves();
        candidates.retain(|&mv| parsed.matches(mv));
        let candidates: Vec<String> = candidates.iter().map(Move::to_string).collect();
        MoveError::Ambiguous {
            text: text.to_owned(),
            candidates: candidates.join(", "),
            fen: self.x_fen(),
        }
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}

fn rank_digit(square: Square) -> char {
    char::from(b'1' + square.rank())
}

/// The parts of a move in SAN.
enum ParsedSan {
    Castling {
        h_side: bool,
    },
    NonCastling {
        role: Role,
        file: Option<u8>,
        rank: Option<u8>,
        to: Square,
        promotion: Option<Role>,
    },
}

impl ParsedSan {
    fn read(text: &str) -> Option<ParsedSan> {
        match text {
            "O-O" | "0-0" => Some(ParsedSan::Castling { h_side: true }),
            "O-O-O" | "0-0-0" => Some(ParsedSan::Castling { h_side: false }),
            _ => ParsedSan::read_without_castling(text),
        }
    }

    fn read_without_castling(text: &str) -> Option<ParsedSan> {
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
        Some(ParsedSan::NonCastling {
            role,
            file,
            rank,
            to: to.parse().ok()?,
            promotion,
        })
    }

    fn matches(&self, mv: Move) -> bool {
        match (self, mv.kind) {
            (ParsedSan::Castling { h_side }, MoveKind::Castling) => {
                *h_side == (mv.to.file() > mv.from.file())
            }
            (ParsedSan::Castling { .. }, _) | (_, MoveKind::Castling) => false,
            (
                &ParsedSan::NonCastling {
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
