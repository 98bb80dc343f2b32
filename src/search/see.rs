//! Static exchange evaluation (SEE): the material that a move wins or loses on its target square if both sides keep
//! capturing there with their least valuable piece.
//!
//! SEE ignores pins and everything off the square. Callers ask for a threshold rather than a value, so the exchange
//! ends as soon as the answer is known.

use crate::chess::attacks::{self, HYPERBOLA, Sliders};
use crate::chess::{Bitboard, Board, Move, MoveKind, Role, Square};

/// Centipawns by role. The king's value exceeds everything else, because losing it is never acceptable.
const PIECE_VALUES: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

pub(super) fn piece_value(role: Role) -> i32 {
    PIECE_VALUES[role as usize]
}

/// Whether the exchange that begins with this move wins at least `threshold` centipawns.
pub(super) fn see_ge(board: &Board, mv: Move, threshold: i32) -> bool {
    if mv.kind == MoveKind::Castling {
        return threshold <= 0;
    }
    let mut balance = victim(board, mv).map_or(0, piece_value) - threshold;
    let mut at_stake = mv.role;
    if let MoveKind::Promotion(role) = mv.kind {
        balance += piece_value(role) - piece_value(Role::Pawn);
        at_stake = role;
    }
    if balance < 0 {
        return false;
    }
    // The worst case: the moved piece is lost for nothing.
    balance -= piece_value(at_stake);
    if balance >= 0 {
        return true;
    }
    let mut occupied = (board.occupied() ^ mv.from.bit()) | mv.to.bit();
    if mv.kind == MoveKind::EnPassant {
        occupied ^= Square::at(mv.to.file(), mv.from.rank()).bit();
    }
    let mut attackers = attackers(board, mv.to, occupied) & occupied;
    let mut turn = !board.turn;
    loop {
        let own = attackers & board.pieces_of(turn);
        let Some((role, from)) = least_valuable(board, own) else {
            break;
        };
        // A king cannot capture a protected piece.
        if role == Role::King && (attackers & board.pieces_of(!turn)).any() {
            break;
        }
        occupied ^= from.bit();
        attackers = (attackers | sliding_attackers(board, mv.to, occupied)) & occupied;
        turn = !turn;
        // Negamax: the balance of the side that has just captured, should it lose the capturing piece. One less,
        // because it has to do better than the threshold of the other side.
        balance = -balance - 1 - piece_value(role);
        if balance >= 0 {
            break;
        }
    }
    turn != board.turn
}

/// Whether no capture and no promotion wins material for the side to move, by static exchange evaluation.
pub fn is_quiet(board: &Board) -> bool {
    let mut wins = false;
    board.for_each_move(|mv| {
        let is_tactical = victim(board, mv).is_some() || matches!(mv.kind, MoveKind::Promotion(_));
        wins |= is_tactical && see_ge(board, mv, 1);
    });
    !wins
}

/// The role of the piece that the move captures.
pub(super) fn victim(board: &Board, mv: Move) -> Option<Role> {
    match mv.kind {
        MoveKind::Castling => None,
        MoveKind::EnPassant => Some(Role::Pawn),
        _ if board.occupied().has(mv.to) => board.piece_at(mv.to).map(|(_, role)| role),
        _ => None,
    }
}

/// The pieces of both colours that attack a square.
fn attackers(board: &Board, square: Square, occupied: Bitboard) -> Bitboard {
    attacks::pawn::<false>(square) & board.pawns & board.white
        | attacks::pawn::<true>(square) & board.pawns & board.black
        | attacks::knight(square) & board.knights
        | attacks::king(square) & board.kings
        | sliding_attackers(board, square, occupied)
}

/// The sliders that attack a square with this occupancy. Asked again after each capture, this finds x-ray attackers.
fn sliding_attackers(board: &Board, square: Square, occupied: Bitboard) -> Bitboard {
    HYPERBOLA.bishop(square, occupied) & board.bishops_and_queens
        | HYPERBOLA.rook(square, occupied) & board.rooks_and_queens
}

fn least_valuable(board: &Board, pieces: Bitboard) -> Option<(Role, Square)> {
    let mut roles = Role::ALL.into_iter();
    roles.find_map(|role| {
        let pieces = pieces & board.with_role(role);
        pieces.any().then(|| (role, pieces.first()))
    })
}
