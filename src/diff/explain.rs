//! Describes a move that only one generator has: its kind if it is legal, or the rule that it breaks.

use std::fmt;

use crate::chess::attacks::{self, HYPERBOLA};
use crate::chess::castling::{self, Corridor};
use crate::chess::{Bitboard, Board, Color, Move, MoveKind, Role, Square, masks};
use crate::generator::MoveLine;

/// Describes a move, in UCI notation, at the end of a line by our own rules.
pub fn explain(line: &MoveLine, uci: &str) -> Explanation {
    let board = line.end();
    let legal = board.legal_moves();
    match legal.iter().find(|mv| mv.to_string() == uci) {
        Some(&mv) => Explanation::Legal(kind(&board, mv)),
        None => Explanation::Illegal(match board.turn() {
            Color::White => Illegality::find::<true>(line, &board, uci),
            Color::Black => Illegality::find::<false>(line, &board, uci),
        }),
    }
}

/// What a move is by our own rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// A legal move of this kind.
    Legal(String),
    /// A move that our rules do not allow, and why.
    Illegal(Illegality),
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Explanation::Legal(kind) => write!(f, "legal: {kind}"),
            Explanation::Illegal(reason) => write!(f, "not legal: {reason}"),
        }
    }
}

/// Why a move is not legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegality {
    /// The text is not a move.
    #[error("this is not a move")]
    NotAMove,
    /// There is no piece on the square of departure.
    #[error("{0} is empty")]
    Empty(Square),
    /// The piece belongs to the side that is not to move.
    #[error("the {} on {square} is the opponent's", name(*.role))]
    Opponent {
        /// The piece.
        role: Role,
        /// Its square.
        square: Square,
    },
    /// The castling right is missing or has been lost.
    #[error("castling without the right to")]
    CastlingWithoutRight,
    /// The king is in check.
    #[error("castling out of check")]
    CastlingOutOfCheck,
    /// A piece stands in the way of the king or the rook.
    #[error("castling over a piece on {0}")]
    CastlingOver(Square),
    /// The king crosses an attacked square.
    #[error("castling through check on {0}")]
    CastlingThroughCheck(Square),
    /// The king arrives on an attacked square.
    #[error("castling into check on {0}")]
    CastlingIntoCheck(Square),
    /// The rook leaves a square on which it protects the king.
    #[error("castling with the rook that shields {0} from check")]
    CastlingShield(Square),
    /// A pawn jumps over a piece.
    #[error("a double push over a piece on {0}")]
    PushOver(Square),
    /// A pawn that has moved before advances two squares.
    #[error("a double push that does not start on the pawn's starting rank")]
    PushFrom,
    /// The pawn to capture did not just advance two squares.
    #[error("en passant without a double push just before")]
    EnPassantExpired,
    /// The captured pawn was the only piece between the king and an attacker.
    #[error("en passant that uncovers a check by the {} on {square}", name(*.role))]
    EnPassantPin {
        /// The attacker.
        role: Role,
        /// Its square.
        square: Square,
    },
    /// The king is in check, and the capture does not end it.
    #[error("en passant that leaves the king in check by the {} on {square}", name(*.role))]
    EnPassantCheck {
        /// The attacker.
        role: Role,
        /// Its square.
        square: Square,
    },
    /// A pawn reaches the last rank and stays a pawn or becomes a king.
    #[error("a pawn on the last rank must promote to a queen, rook, bishop or knight")]
    WrongPromotion,
    /// A pawn promotes that does not reach the last rank.
    #[error("a promotion before the last rank")]
    PromotionTooEarly,
    /// The piece does not move in this way, or something is in between.
    #[error("a {} cannot go from {from} to {to} here", name(*.role))]
    Unreachable {
        /// The piece.
        role: Role,
        /// The square of departure.
        from: Square,
        /// The square of arrival.
        to: Square,
    },
    /// The square of arrival is occupied by a piece of the same side.
    #[error("a piece of the same side stands on {0}")]
    OwnPiece(Square),
    /// The kings would stand on adjacent squares.
    #[error("the king goes next to the other king")]
    KingNextToKing,
    /// The king moves to an attacked square.
    #[error("the king goes into check by the {} on {square}", name(*.role))]
    KingIntoCheck {
        /// The attacker.
        role: Role,
        /// Its square.
        square: Square,
    },
    /// The piece shields its king and leaves the line of the pin.
    #[error("the {} is pinned by the {} on {square}", name(*.pinned), name(*.role))]
    Pinned {
        /// The piece that moves.
        pinned: Role,
        /// The piece that pins it.
        role: Role,
        /// The square of the pinning piece.
        square: Square,
    },
    /// The king is in check, and the move does not end it.
    #[error("the king stays in check by the {} on {square}", name(*.role))]
    StaysInCheck {
        /// The attacker.
        role: Role,
        /// Its square.
        square: Square,
    },
}

fn name(role: Role) -> &'static str {
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
            format!("capture and promotion to a {}", name(role))
        }
        MoveKind::Promotion(role) => format!("promotion to a {}", name(role)),
        MoveKind::Plain if is_capture => format!("capture by a {}", name(mv.role)),
        MoveKind::Plain => format!("move of a {}", name(mv.role)),
    };
    if board.is_check() {
        format!("{kind}, which ends a check")
    } else {
        kind
    }
}

/// Splits a move in UCI notation into its squares and promotion letter.
fn parse(name: &str) -> Option<(Square, Square, Option<char>)> {
    let from = name.get(..2)?.parse().ok()?;
    let to = name.get(2..4)?.parse().ok()?;
    Some((from, to, name.get(4..)?.chars().next()))
}

impl Illegality {
    fn find<const WHITE: bool>(line: &MoveLine, board: &Board, uci: &str) -> Illegality {
        let Some((from, to, promotion)) = parse(uci) else {
            return Illegality::NotAMove;
        };
        let own = board.own::<WHITE>();
        let role = match board.piece_at(from) {
            None => return Illegality::Empty(from),
            Some((_, role)) if !own.has(from) => {
                return Illegality::Opponent { role, square: from };
            }
            Some((_, role)) => role,
        };
        match role {
            Role::King => check_king::<WHITE>(board, from, to),
            Role::Pawn => check_pawn::<WHITE>(line, board, from, to, promotion),
            _ => None,
        }
        .or_else(|| check_reach::<WHITE>(board, role, from, to))
        .or_else(|| check_king_safety::<WHITE>(board, role, from, to))
        .unwrap_or(Illegality::NotAMove)
    }
}

fn check_king<const WHITE: bool>(board: &Board, king: Square, to: Square) -> Option<Illegality> {
    let own_rooks = board.with_role(Role::Rook) & board.own::<WHITE>();
    let is_classical_castling = king.rank() == to.rank() && king.file().abs_diff(to.file()) > 1;
    if own_rooks.has(to) {
        return Some(check_castling::<WHITE>(board, king, to));
    }
    if is_classical_castling {
        let is_on_that_side =
            |rook: &Square| (rook.file() > king.file()) == (to.file() > king.file());
        let rook = (board.castling_rooks() & own_rooks).find(is_on_that_side);
        return Some(rook.map_or(Illegality::CastlingWithoutRight, |rook| {
            check_castling::<WHITE>(board, king, rook)
        }));
    }
    None
}

fn check_castling<const WHITE: bool>(board: &Board, king: Square, rook: Square) -> Illegality {
    if !board.castling_rooks().has(rook) {
        return Illegality::CastlingWithoutRight;
    }
    if board.is_check() {
        return Illegality::CastlingOutOfCheck;
    }
    let Corridor { vacant, king_path } = castling::corridor::<WHITE>(king, rook);
    if let Some(square) = (board.occupied() & vacant).next() {
        return Illegality::CastlingOver(square);
    }
    let (king_to, _) = castling::destinations::<WHITE>(king, rook);
    let without_king = board.occupied() ^ king.bit();
    let is_attacked =
        |square, occupied| masks::is_attacked::<WHITE>(board, HYPERBOLA, square, occupied);
    let mut path = king_path;
    match path.find(|&square| is_attacked(square, without_king ^ rook.bit())) {
        Some(square) if !is_attacked(square, without_king) => Illegality::CastlingShield(square),
        Some(square) if square == king_to => Illegality::CastlingIntoCheck(square),
        Some(square) => Illegality::CastlingThroughCheck(square),
        None => Illegality::NotAMove,
    }
}

fn check_pawn<const WHITE: bool>(
    line: &MoveLine,
    board: &Board,
    from: Square,
    to: Square,
    promotion: Option<char>,
) -> Option<Illegality> {
    let is_last_rank = to.rank() == if WHITE { 7 } else { 0 };
    match (is_last_rank, promotion) {
        (true, Some('q' | 'r' | 'b' | 'n')) | (false, None) => {}
        (true, _) => return Some(Illegality::WrongPromotion),
        (false, Some(_)) => return Some(Illegality::PromotionTooEarly),
    }
    let unreachable = Illegality::Unreachable {
        role: Role::Pawn,
        from,
        to,
    };
    let (forward, first_rank): (i8, u8) = if WHITE { (1, 1) } else { (-1, 6) };
    let ranks = (to.rank() as i8 - from.rank() as i8) * forward;
    match (from.file().abs_diff(to.file()), ranks) {
        (0, 1) if board.occupied().has(to) => Some(unreachable),
        (0, 2) if from.rank() != first_rank => Some(Illegality::PushFrom),
        (0, 2) => {
            let passed = Square::at(from.file(), (from.rank() + to.rank()) / 2);
            let mut path = board.occupied() & (passed.bit() | to.bit());
            path.next().map(Illegality::PushOver)
        }
        (0, 1) => None,
        (1, 1) if board.occupied().has(to) => None,
        (1, 1) => Some(check_en_passant::<WHITE>(line, board, from, to)),
        _ => Some(unreachable),
    }
}

fn check_en_passant<const WHITE: bool>(
    line: &MoveLine,
    board: &Board,
    from: Square,
    to: Square,
) -> Illegality {
    let captured = Square::at(to.file(), from.rank());
    let last = line.moves.last();
    if !last.is_some_and(|mv| mv.kind == MoveKind::DoublePush && mv.to == captured) {
        return Illegality::EnPassantExpired;
    }
    let king = board.king_of(board.turn());
    let occupied = board.occupied() ^ from.bit() ^ captured.bit() ^ to.bit();
    let before = board.checkers();
    let mut attackers = board.attackers::<WHITE>(HYPERBOLA, king, occupied) & !captured.bit();
    match attackers.next() {
        Some(square) if before.has(square) => Illegality::EnPassantCheck {
            role: role_at(board, square),
            square,
        },
        Some(square) => Illegality::EnPassantPin {
            role: role_at(board, square),
            square,
        },
        None => Illegality::EnPassantExpired,
    }
}

/// The reason if the piece does not move that way. Pawns are checked before.
fn check_reach<const WHITE: bool>(
    board: &Board,
    role: Role,
    from: Square,
    to: Square,
) -> Option<Illegality> {
    let occupied = board.occupied();
    let reach = match role {
        Role::Pawn => Bitboard::ALL,
        _ => attacks::of_piece::<WHITE>(HYPERBOLA, role, from, occupied),
    };
    if !reach.has(to) {
        return Some(Illegality::Unreachable { role, from, to });
    }
    board
        .own::<WHITE>()
        .has(to)
        .then_some(Illegality::OwnPiece(to))
}

fn check_king_safety<const WHITE: bool>(
    board: &Board,
    role: Role,
    from: Square,
    to: Square,
) -> Option<Illegality> {
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
        (Role::King, Role::King) => Illegality::KingNextToKing,
        (Role::King, role) => Illegality::KingIntoCheck { role, square },
        (_, role) if board.checkers().has(square) => Illegality::StaysInCheck { role, square },
        (pinned, role) => Illegality::Pinned {
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

    fn explained(fen: &str, moves: &str, uci: &str) -> String {
        let board: Board = fen.parse().unwrap();
        let mut played = Vec::new();
        for text in moves.split_whitespace() {
            let end = MoveLine {
                board: &board,
                moves: &played,
            }
            .end();
            played.push(end.parse_uci(text).unwrap());
        }
        let line = MoveLine {
            board: &board,
            moves: &played,
        };
        explain(&line, uci).to_string()
    }

    #[test]
    fn legal_moves_are_described_by_their_kind() {
        let fen = "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for (uci, kind) in [
            ("e1h1", "castling on the h-side"),
            ("e1a1", "castling on the a-side"),
            ("b7a8n", "capture and promotion to a knight"),
            ("b7b8q", "promotion to a queen"),
            ("h1h8", "capture by a rook"),
            ("e1e2", "move of a king"),
        ] {
            assert_eq!(explained(fen, "", uci), format!("legal: {kind}"));
        }
        let fen = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
        assert_eq!(explained(fen, "d7d5", "e5d6"), "legal: en passant");
    }

    #[test]
    fn illegal_moves_are_described_by_the_rule_they_break() {
        for (fen, moves, uci, reason) in [
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
                "castling with the rook that shields c1 from check",
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
                "a double push that does not start on the pawn's starting rank",
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
                "a pawn on the last rank must promote to a queen, rook, bishop or knight",
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
                "a rook cannot go from a1 to c1 here",
            ),
            (
                "4k3/8/8/8/8/8/8/RN2K3 w - - 0 1",
                "",
                "a1b1",
                "a piece of the same side stands on b1",
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
                "this is not a move",
            ),
        ] {
            assert_eq!(
                explained(fen, moves, uci),
                format!("not legal: {reason}"),
                "{fen}"
            );
        }
    }
}
