//! What a capture wins when both players go on capturing on its square, cheapest piece first.
//!
//! Pins are not seen, and the exchange ends as soon as the answer is known.

use crate::chess::attacks::{self, HYPERBOLA, Sliders};
use crate::chess::{Bitboard, Board, Move, MoveKind, Role, Square};

/// What the pieces count in an exchange, in centipawns; the king is beyond price.
const WORTH: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

pub(super) fn worth(role: Role) -> i32 {
    WORTH[role as usize]
}

/// Whether the move wins at least so much on its target square.
pub(super) fn wins_at_least(board: &Board, mv: Move, least: i32) -> bool {
    if mv.kind == MoveKind::Castling {
        return least <= 0;
    }
    let mut balance = prey(board, mv).map_or(0, worth) - least;
    let mut at_stake = mv.role;
    if let MoveKind::Promotion(role) = mv.kind {
        balance += worth(role) - worth(Role::Pawn);
        at_stake = role;
    }
    if balance < 0 {
        return false;
    }
    // Even if the piece is lost for nothing.
    balance -= worth(at_stake);
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
        let Some((role, from)) = cheapest(board, own) else {
            break;
        };
        if role == Role::King && (attackers & board.pieces_of(!turn)).any() {
            break;
        }
        occupied ^= from.bit();
        attackers = (attackers | revealed(board, mv.to, occupied)) & occupied;
        turn = !turn;
        // From here on the balance is that of the player who has just been taken from.
        balance = -balance - 1 - worth(role);
        if balance >= 0 {
            break;
        }
    }
    turn != board.turn
}

/// Whether no exchange wins anything for the side to move.
pub fn is_at_rest(board: &Board) -> bool {
    let mut wins = false;
    board.for_each_move(|mv| {
        let may_win = prey(board, mv).is_some() || matches!(mv.kind, MoveKind::Promotion(_));
        wins |= may_win && wins_at_least(board, mv, 1);
    });
    !wins
}

/// What the move captures.
pub(super) fn prey(board: &Board, mv: Move) -> Option<Role> {
    match mv.kind {
        MoveKind::Castling => None,
        MoveKind::EnPassant => Some(Role::Pawn),
        _ if board.occupied().has(mv.to) => board.piece_at(mv.to).map(|(_, role)| role),
        _ => None,
    }
}

fn attackers(board: &Board, square: Square, occupied: Bitboard) -> Bitboard {
    attacks::pawn::<false>(square) & board.pawns & board.white
        | attacks::pawn::<true>(square) & board.pawns & board.black
        | attacks::knight(square) & board.knights
        | attacks::king(square) & board.kings
        | revealed(board, square, occupied)
}

/// The sliders that see the square when only these pieces are left.
fn revealed(board: &Board, square: Square, occupied: Bitboard) -> Bitboard {
    HYPERBOLA.bishop(square, occupied) & board.bishops_and_queens
        | HYPERBOLA.rook(square, occupied) & board.rooks_and_queens
}

fn cheapest(board: &Board, pieces: Bitboard) -> Option<(Role, Square)> {
    let mut roles = Role::ALL.into_iter();
    roles.find_map(|role| {
        let pieces = pieces & board.with_role(role);
        pieces.any().then(|| (role, pieces.first()))
    })
}
