//! Pins and checks of the side to move, computed once per position: the checkers, the check mask and the pin masks.
//! With them the legal targets of a piece are an intersection of sets.
//!
//! A *sniper* is a slider of the other side that is aligned with the king, with or without pieces between them.

use super::attacks::{self, Sliders};
use super::bitboard::Bitboard;
use super::board::Board;
use super::square::{Role, Square};

/// The checkers, the check mask and the pin masks.
///
/// A pin mask has, for every pinned piece, the squares from the king to the pinning piece, the latter included. One
/// mask covers all pins of a kind: the pin lines meet only at the king, so a piece on one of them cannot reach
/// another one with a move of the same kind.
#[derive(Clone, Copy, Debug)]
pub struct Masks {
    /// The enemy pieces that give check.
    pub checkers: Bitboard,
    /// Where a piece other than the king may move: with one check, the checker and the squares between it and the king;
    /// without check, every square.
    pub check_mask: Bitboard,
    /// The lines of pins along ranks and files.
    pub orthogonal_pins: Bitboard,
    /// The lines of pins along diagonals.
    pub diagonal_pins: Bitboard,
}

impl Masks {
    /// The masks of side `WHITE`.
    #[inline(always)]
    pub fn of<const WHITE: bool>(board: &Board) -> Masks {
        let enemy = board.enemy::<WHITE>();
        let king = king::<WHITE>(board);
        let leapers =
            attacks::pawn::<WHITE>(king) & board.pawns | attacks::knight(king) & board.knights;
        let mut checks = leapers & enemy;
        let mut orthogonal_pins = Bitboard::EMPTY;
        let mut diagonal_pins = Bitboard::EMPTY;
        for sniper in attacks::rook_rays(king) & board.rooks_and_queens & enemy {
            match sniper_effect::<WHITE>(board, king, sniper) {
                SniperEffect::Check(line) => checks |= line,
                SniperEffect::Pin(line) => orthogonal_pins |= line,
                SniperEffect::Blocked => {}
            }
        }
        for sniper in attacks::bishop_rays(king) & board.bishops_and_queens & enemy {
            match sniper_effect::<WHITE>(board, king, sniper) {
                SniperEffect::Check(line) => checks |= line,
                SniperEffect::Pin(line) => diagonal_pins |= line,
                SniperEffect::Blocked => {}
            }
        }
        Masks {
            checkers: checks & enemy,
            check_mask: if checks.any() { checks } else { Bitboard::ALL },
            orthogonal_pins,
            diagonal_pins,
        }
    }

    /// Whether two pieces give check, so that only the king can move.
    #[inline(always)]
    pub fn is_double_check(&self) -> bool {
        self.checkers.has_several()
    }
}

/// What a sniper does to the king. The line runs from the king, excluded, to the sniper, included.
enum SniperEffect {
    Check(Bitboard),
    Pin(Bitboard),
    Blocked,
}

#[inline(always)]
fn sniper_effect<const WHITE: bool>(board: &Board, king: Square, sniper: Square) -> SniperEffect {
    let between = attacks::between(king, sniper);
    let blockers = between & board.occupied();
    let line = between | sniper.bit();
    if blockers.is_empty() {
        SniperEffect::Check(line)
    } else if !blockers.has_several() && (blockers & board.own::<WHITE>()).any() {
        SniperEffect::Pin(line)
    } else {
        SniperEffect::Blocked
    }
}

/// The squares from which the king of a side could be checked, by the role of the checker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckSquares {
    king: Square,
    /// The squares that a bishop would attack from the king's square.
    pub diagonal: Bitboard,
    /// The squares that a rook would attack from the king's square.
    pub orthogonal: Bitboard,
}

impl CheckSquares {
    /// The check squares of a king on this square.
    #[inline(always)]
    pub fn around(king: Square, sliders: impl Sliders, occupied: Bitboard) -> CheckSquares {
        CheckSquares {
            king,
            diagonal: sliders.bishop(king, occupied),
            orthogonal: sliders.rook(king, occupied),
        }
    }

    /// The check squares of an enemy piece of this role; the king is that of side `WHITE`.
    #[inline(always)]
    pub fn of<const WHITE: bool>(&self, role: Role) -> Bitboard {
        match role {
            Role::Pawn => attacks::pawn::<WHITE>(self.king),
            Role::Knight => attacks::knight(self.king),
            Role::Bishop => self.diagonal,
            Role::Rook => self.orthogonal,
            Role::Queen => self.diagonal | self.orthogonal,
            Role::King => Bitboard::EMPTY,
        }
    }
}

/// The discovered-check candidates of side `WHITE`: pieces that are alone between one of their own sliders and the
/// enemy king. One that leaves the line gives a discovered check.
#[inline(always)]
pub(crate) fn discoverers<const WHITE: bool>(board: &Board, enemy_king: Square) -> Bitboard {
    let own = board.own::<WHITE>();
    let snipers = attacks::rook_rays(enemy_king) & board.rooks_and_queens
        | attacks::bishop_rays(enemy_king) & board.bishops_and_queens;
    let mut discoverers = Bitboard::EMPTY;
    for sniper in snipers & own {
        let blockers = attacks::between(enemy_king, sniper) & board.occupied();
        if !blockers.has_several() {
            discoverers |= blockers & own;
        }
    }
    discoverers
}

/// The square of the king of side `WHITE`.
#[inline(always)]
pub(crate) fn king<const WHITE: bool>(board: &Board) -> Square {
    (board.kings & board.own::<WHITE>()).first()
}

/// All squares that the enemy of side `WHITE` attacks, given the occupied squares.
#[inline(always)]
pub(crate) fn attacked_by_enemy<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    occupied: Bitboard,
) -> Bitboard {
    let enemy = board.enemy::<WHITE>();
    let by_leapers = if WHITE {
        attacked_by_leapers::<false>(board, enemy)
    } else {
        attacked_by_leapers::<true>(board, enemy)
    };
    by_leapers | attacked_by_sliders(board, sliders, enemy, occupied)
}

/// The squares attacked by those of these pieces of side `WHITE` that are pawns, knights or kings.
#[inline(always)]
pub(crate) fn attacked_by_leapers<const WHITE: bool>(board: &Board, pieces: Bitboard) -> Bitboard {
    let mut attacked = attacks::pawns::<WHITE>(board.pawns & pieces);
    for knight in board.knights & pieces {
        attacked |= attacks::knight(knight);
    }
    for king in board.kings & pieces {
        attacked |= attacks::king(king);
    }
    attacked
}

/// The squares attacked by those of these pieces that are sliders, given the occupied squares.
#[inline(always)]
pub(crate) fn attacked_by_sliders(
    board: &Board,
    sliders: impl Sliders,
    pieces: Bitboard,
    occupied: Bitboard,
) -> Bitboard {
    let mut attacked = Bitboard::EMPTY;
    for slider in board.bishops_and_queens & pieces {
        attacked |= sliders.bishop(slider, occupied);
    }
    for slider in board.rooks_and_queens & pieces {
        attacked |= sliders.rook(slider, occupied);
    }
    attacked
}

/// Whether an enemy of side `WHITE` attacks this square, given the occupied squares.
#[inline(always)]
pub(crate) fn is_attacked<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    square: Square,
    occupied: Bitboard,
) -> bool {
    is_attacked_by::<WHITE>(board, sliders, board.enemy::<WHITE>(), square, occupied)
}

/// Whether one of these enemy pieces of side `WHITE` attacks this square, given the occupied squares.
#[inline(always)]
pub(crate) fn is_attacked_by<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    pieces: Bitboard,
    square: Square,
    occupied: Bitboard,
) -> bool {
    let leapers = attacks::knight(square) & board.knights
        | attacks::pawn::<WHITE>(square) & board.pawns
        | attacks::king(square) & board.kings;
    if (leapers & pieces).any() {
        return true;
    }
    let rooks_and_queens = attacks::rook_rays(square) & board.rooks_and_queens & pieces;
    if rooks_and_queens.any() && (sliders.rook(square, occupied) & rooks_and_queens).any() {
        return true;
    }
    let bishops_and_queens = attacks::bishop_rays(square) & board.bishops_and_queens & pieces;
    bishops_and_queens.any() && (sliders.bishop(square, occupied) & bishops_and_queens).any()
}
