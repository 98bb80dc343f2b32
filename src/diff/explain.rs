//! What kind of move a generator has too many or too few of, in the words in which its author will look for the bug.

use std::fmt;

use crate::chess::attacks::{self, HYPERBOLA};
use crate::chess::castling::{self, Corridor};
use crate::chess::{Bitboard, Board, Color, Move, MoveKind, Role, Square, masks};
use crate::generator::Line;

/// What kind of move a name is at the end of a line, and if it is not legal there, why.
pub fn explain(line: &Line, name: &str) -> Explanation {
    let board = line.end();
    let legal = board.legal_moves();
    match legal.iter().find(|mv| mv.to_string() == name) {
        Some(&mv) => Explanation::Legal(kind(&board, mv)),
        None => Explanation::Illegal(match board.turn() {
            Color::White => Offence::find::<true>(line, &board, name),
            Color::Black => Offence::find::<false>(line, &board, name),
        }),
    }
}

/// A move by our own rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    Legal(String),
    Illegal(Offence),
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Explanation::Legal(kind) => write!(f, "legal: {kind}"),
            Explanation::Illegal(offence) => write!(f, "not legal: {offence}"),
        }
    }
}

/// What a move does that it must not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Offence {
    #[error("that is no move")]
    NoMove,
    #[error("{0} is empty")]
    Empty(Square),
    #[error("the {} on {square} is the opponent's", word(*.role))]
    Opponent { role: Role, square: Square },
    #[error("castling without the right to")]
    CastlingRight,
    #[error("castling out of check")]
    CastlingOutOfCheck,
    #[error("castling over a piece on {0}")]
    CastlingOver(Square),
    #[error("castling through check on {0}")]
    CastlingThroughCheck(Square),
    #[error("castling into check on {0}")]
    CastlingIntoCheck(Square),
    #[error("castling with the rook that screens {0} from check")]
    CastlingScreen(Square),
    #[error("a double push over a piece on {0}")]
    PushOver(Square),
    #[error("a double push that does not begin on the pawn's first rank")]
    PushFrom,
    #[error("en passant without a double push just before")]
    EnPassantLate,
    #[error("en passant that uncovers a check by the {} on {square}", word(*.role))]
    EnPassantPin { role: Role, square: Square },
    #[error("en passant that leaves the king in check by the {} on {square}", word(*.role))]
    EnPassantCheck { role: Role, square: Square },
    #[error("a pawn that reaches the last rank has to become a queen, rook, bishop or knight")]
    Promotion,
    #[error("a promotion before the last rank")]
    PromotionEarly,
    #[error("a {} does not go from {from} to {to} here", word(*.role))]
    Way {
        role: Role,
        from: Square,
        to: Square,
    },
    #[error("a piece of its own stands on {0}")]
    OwnMan(Square),
    #[error("the king goes next to the other king")]
    KingNextToKing,
    #[error("the king goes into check by the {} on {square}", word(*.role))]
    KingIntoCheck { role: Role, square: Square },
    #[error("the {} is pinned by the {} on {square}", word(*.pinned), word(*.role))]
    Pinned {
        pinned: Role,
        role: Role,
        square: Square,
    },
    #[error("the king stays in check by the {} on {square}", word(*.role))]
    StaysInCheck { role: Role, square: Square },
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// The kind of a legal move.
fn kind(board: &Board, mv: Move) -> String {
    let is_capture = board.occupied().has(mv.to);
    let kind = match mv.kind {
        MoveKind::Castling if mv.to.file() > mv.from.file() => "castling on the h-side".to_owned(),
        MoveKind::Castling => "castling on the a-side".to_owned(),
        MoveKind::EnPassant => "en passant".to_owned(),
        MoveKind::DoublePush => "double push".to_owned(),
        MoveKind::Promotion(role) if is_capture => {
            format!("capture and promotion to a {}", word(role))
        }
        MoveKind::Promotion(role) => format!("promotion to a {}", word(role)),
        MoveKind::Plain if is_capture => format!("capture by a {}", word(mv.role)),
        MoveKind::Plain => format!("move of a {}", word(mv.role)),
    };
    if board.is_check() {
        format!("{kind}, which ends a check")
    } else {
        kind
    }
}

/// From-square, to-square and the letter of a promotion.
fn read(name: &str) -> Option<(Square, Square, Option<char>)> {
    let from = name.get(..2)?.parse().ok()?;
    let to = name.get(2..4)?.parse().ok()?;
    Some((from, to, name.get(4..)?.chars().next()))
}

impl Offence {
    fn find<const WHITE: bool>(line: &Line, board: &Board, name: &str) -> Offence {
        let Some((from, to, promotion)) = read(name) else {
            return Offence::NoMove;
        };
        let own = board.own::<WHITE>();
        let role = match board.piece_at(from) {
            None => return Offence::Empty(from),
            Some((_, role)) if !own.has(from) => return Offence::Opponent { role, square: from },
            Some((_, role)) => role,
        };
        match role {
            Role::King => of_king::<WHITE>(board, from, to),
            Role::Pawn => of_pawn::<WHITE>(line, board, from, to, promotion),
            _ => None,
        }
        .or_else(|| of_way::<WHITE>(board, role, from, to))
        .or_else(|| of_safety::<WHITE>(board, role, from, to))
        .unwrap_or(Offence::NoMove)
    }
}

fn of_king<const WHITE: bool>(board: &Board, king: Square, to: Square) -> Option<Offence> {
    let own_rooks = board.with_role(Role::Rook) & board.own::<WHITE>();
    let is_leap = king.rank() == to.rank() && king.file().abs_diff(to.file()) > 1;
    if own_rooks.has(to) {
        return Some(of_castling::<WHITE>(board, king, to));
    }
    if is_leap {
        let is_that_side = |rook: &Square| (rook.file() > king.file()) == (to.file() > king.file());
        let rook = (board.castling_rooks() & own_rooks).find(is_that_side);
        return Some(rook.map_or(Offence::CastlingRight, |rook| {
            of_castling::<WHITE>(board, king, rook)
        }));
    }
    None
}

fn of_castling<const WHITE: bool>(board: &Board, king: Square, rook: Square) -> Offence {
    if !board.castling_rooks().has(rook) {
        return Offence::CastlingRight;
    }
    if board.is_check() {
        return Offence::CastlingOutOfCheck;
    }
    let Corridor { vacant, king_path } = castling::corridor::<WHITE>(king, rook);
    if let Some(square) = (board.occupied() & vacant).next() {
        return Offence::CastlingOver(square);
    }
    let (king_to, _) = castling::destinations::<WHITE>(king, rook);
    let without_king = board.occupied() ^ king.bit();
    let is_attacked =
        |square, occupied| masks::is_attacked::<WHITE>(board, HYPERBOLA, square, occupied);
    let mut path = king_path;
    match path.find(|&square| is_attacked(square, without_king ^ rook.bit())) {
        Some(square) if !is_attacked(square, without_king) => Offence::CastlingScreen(square),
        Some(square) if square == king_to => Offence::CastlingIntoCheck(square),
        Some(square) => Offence::CastlingThroughCheck(square),
        None => Offence::NoMove,
    }
}

fn of_pawn<const WHITE: bool>(
    line: &Line,
    board: &Board,
    from: Square,
    to: Square,
    promotion: Option<char>,
) -> Option<Offence> {
    let is_last_rank = to.rank() == if WHITE { 7 } else { 0 };
    match (is_last_rank, promotion) {
        (true, Some('q' | 'r' | 'b' | 'n')) | (false, None) => {}
        (true, _) => return Some(Offence::Promotion),
        (false, Some(_)) => return Some(Offence::PromotionEarly),
    }
    let way = Offence::Way {
        role: Role::Pawn,
        from,
        to,
    };
    let (forward, first_rank): (i8, u8) = if WHITE { (1, 1) } else { (-1, 6) };
    let ranks = (to.rank() as i8 - from.rank() as i8) * forward;
    match (from.file().abs_diff(to.file()), ranks) {
        (0, 1) if board.occupied().has(to) => Some(way),
        (0, 2) if from.rank() != first_rank => Some(Offence::PushFrom),
        (0, 2) => {
            let passed = Square::at(from.file(), (from.rank() + to.rank()) / 2);
            let mut path = board.occupied() & (passed.bit() | to.bit());
            path.next().map(Offence::PushOver)
        }
        (0, 1) => None,
        (1, 1) if board.occupied().has(to) => None,
        (1, 1) => Some(of_en_passant::<WHITE>(line, board, from, to)),
        _ => Some(way),
    }
}

fn of_en_passant<const WHITE: bool>(
    line: &Line,
    board: &Board,
    from: Square,
    to: Square,
) -> Offence {
    let captured = Square::at(to.file(), from.rank());
    let last = line.moves.last();
    if !last.is_some_and(|mv| mv.kind == MoveKind::DoublePush && mv.to == captured) {
        return Offence::EnPassantLate;
    }
    let king = board.king_of(board.turn());
    let occupied = board.occupied() ^ from.bit() ^ captured.bit() ^ to.bit();
    let before = board.checkers();
    let mut attackers = board.attackers::<WHITE>(HYPERBOLA, king, occupied) & !captured.bit();
    match attackers.next() {
        Some(square) if before.has(square) => Offence::EnPassantCheck {
            role: role_at(board, square),
            square,
        },
        Some(square) => Offence::EnPassantPin {
            role: role_at(board, square),
            square,
        },
        None => Offence::EnPassantLate,
    }
}

/// Whether a piece does not go that way at all. Pawns have been looked at before.
fn of_way<const WHITE: bool>(
    board: &Board,
    role: Role,
    from: Square,
    to: Square,
) -> Option<Offence> {
    let occupied = board.occupied();
    let reach = match role {
        Role::Pawn => Bitboard::ALL,
        _ => attacks::of_piece::<WHITE>(HYPERBOLA, role, from, occupied),
    };
    if !reach.has(to) {
        return Some(Offence::Way { role, from, to });
    }
    board.own::<WHITE>().has(to).then_some(Offence::OwnMan(to))
}

fn of_safety<const WHITE: bool>(
    board: &Board,
    role: Role,
    from: Square,
    to: Square,
) -> Option<Offence> {
    let (king, occupied) = match role {
        Role::King => (to, board.occupied() ^ from.bit()),
        _ => (
            board.king_of(board.turn()),
            board.occupied() & !from.bit() | to.bit(),
        ),
    };
    let mut attackers = board.attackers::<WHITE>(HYPERBOLA, king, occupied) & !to.bit();
    let square = attackers.next()?;
    let attacker = role_at(board, square);
    Some(match (role, attacker) {
        (Role::King, Role::King) => Offence::KingNextToKing,
        (Role::King, role) => Offence::KingIntoCheck { role, square },
        (_, role) if board.checkers().has(square) => Offence::StaysInCheck { role, square },
        (pinned, role) => Offence::Pinned {
            pinned,
            role,
            square,
        },
    })
}

fn role_at(board: &Board, square: Square) -> Role {
    let (_, role) = board.piece_at(square).expect("an attacker stands there");
    role
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(fen: &str, moves: &str, name: &str) -> String {
        let board: Board = fen.parse().unwrap();
        let mut played = Vec::new();
        for text in moves.split_whitespace() {
            let end = Line {
                board: &board,
                moves: &played,
            }
            .end();
            played.push(end.parse_uci(text).unwrap());
        }
        let line = Line {
            board: &board,
            moves: &played,
        };
        explain(&line, name).to_string()
    }

    #[test]
    fn legal_moves_are_named_by_their_kind() {
        let fen = "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for (name, kind) in [
            ("e1h1", "castling on the h-side"),
            ("e1a1", "castling on the a-side"),
            ("b7a8n", "capture and promotion to a knight"),
            ("b7b8q", "promotion to a queen"),
            ("h1h8", "capture by a rook"),
            ("e1e2", "move of a king"),
        ] {
            assert_eq!(explained(fen, "", name), format!("legal: {kind}"));
        }
        let fen = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
        assert_eq!(explained(fen, "d7d5", "e5d6"), "legal: en passant");
    }

    #[test]
    fn illegal_moves_are_named_by_the_rule_that_they_break() {
        for (fen, moves, name, offence) in [
            (
                "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
                "",
                "e1a1",
                "castling without the right to",
            ),
            (
                "4kr2/8/8/8/8/8/8/4K2R w K - 0 1",
                "",
                "e1h1",
                "castling through check on f1",
            ),
            (
                "4k1r1/8/8/8/8/8/8/4K2R w K - 0 1",
                "",
                "e1g1",
                "castling into check on g1",
            ),
            (
                "4r1k1/8/8/8/8/8/8/4K2R w K - 0 1",
                "",
                "e1h1",
                "castling out of check",
            ),
            (
                "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1",
                "",
                "e1a1",
                "castling over a piece on b1",
            ),
            (
                "4k3/8/8/8/8/8/8/rRK5 w B - 0 1",
                "",
                "c1b1",
                "castling with the rook that screens c1 from check",
            ),
            (
                "4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1",
                "",
                "e2e4",
                "a double push over a piece on e3",
            ),
            (
                "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
                "",
                "e3e5",
                "a double push that does not begin on the pawn's first rank",
            ),
            (
                "4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1",
                "d7d5",
                "e5d6",
                "en passant that uncovers a check by the rook on h5",
            ),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
                "",
                "e5d6",
                "en passant without a double push just before",
            ),
            (
                "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
                "",
                "a7a8",
                "a pawn that reaches the last rank has to become a queen, rook, bishop or knight",
            ),
            (
                "8/8/8/8/8/3k4/8/3K4 w - - 0 1",
                "",
                "d1d2",
                "the king goes next to the other king",
            ),
            (
                "4k3/8/8/8/8/8/r7/4K3 w - - 0 1",
                "",
                "e1e2",
                "the king goes into check by the rook on a2",
            ),
            (
                "4rk2/8/8/8/8/8/4N3/4K3 w - - 0 1",
                "",
                "e2c3",
                "the knight is pinned by the rook on e8",
            ),
            (
                "4rk2/8/8/8/8/8/N7/4K3 w - - 0 1",
                "",
                "a2c1",
                "the king stays in check by the rook on e8",
            ),
            (
                "4k3/8/8/8/8/8/8/RN2K3 w - - 0 1",
                "",
                "a1c1",
                "a rook does not go from a1 to c1 here",
            ),
            (
                "4k3/8/8/8/8/8/8/RN2K3 w - - 0 1",
                "",
                "a1b1",
                "a piece of its own stands on b1",
            ),
            (
                "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
                "",
                "e8e7",
                "the king on e8 is the opponent's",
            ),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", "a4a5", "a4 is empty"),
            (
                "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
                "",
                "O-O",
                "that is no move",
            ),
        ] {
            assert_eq!(
                explained(fen, moves, name),
                format!("not legal: {offence}"),
                "{fen}"
            );
        }
    }
}
