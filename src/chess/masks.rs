//! Checks and pins of the side to move, found once per position, so that every legal move is a plain AND.

use super::attacks::{self, Sliders};
use super::bitboard::Bitboard;
use super::board::Board;
use super::square::{Role, Square};

/// What the enemy's attacks on the king forbid the other pieces.
///
/// The pin sets hold, for every pinned piece, the squares from the king to the pinning piece, that piece
/// included. One set serves all pins of a kind: a piece on one of these lines reaches no other of them in a
/// single step of the same kind, because they all meet in the king.
#[derive(Clone, Copy, Debug)]
pub struct Masks {
    pub checkers: Bitboard,
    /// Where a piece other than the king may go: everywhere, or where it ends the one check.
    pub targets: Bitboard,
    /// Lines of pieces pinned along a rank or file.
    pub straight_pins: Bitboard,
    /// Lines of pieces pinned along a diagonal.
    pub diagonal_pins: Bitboard,
}

impl Masks {
    #[inline(always)]
    pub fn of<const WHITE: bool>(board: &Board) -> Masks {
        let enemy = board.enemy::<WHITE>();
        let king = king::<WHITE>(board);
        let leapers =
            attacks::pawn::<WHITE>(king) & board.pawns | attacks::knight(king) & board.knights;
        let mut checks = leapers & enemy;
        let mut straight_pins = Bitboard::EMPTY;
        let mut diagonal_pins = Bitboard::EMPTY;
        for sniper in attacks::rook_rays(king) & board.rooks_and_queens & enemy {
            match look_along::<WHITE>(board, king, sniper) {
                Sight::Check(line) => checks |= line,
                Sight::Pin(line) => straight_pins |= line,
                Sight::Blocked => {}
            }
        }
        for sniper in attacks::bishop_rays(king) & board.bishops_and_queens & enemy {
            match look_along::<WHITE>(board, king, sniper) {
                Sight::Check(line) => checks |= line,
                Sight::Pin(line) => diagonal_pins |= line,
                Sight::Blocked => {}
            }
        }
        Masks {
            checkers: checks & enemy,
            targets: if checks.any() { checks } else { Bitboard::ALL },
            straight_pins,
            diagonal_pins,
        }
    }

    /// With two checks at once only the king can move.
    #[inline(always)]
    pub fn is_double_check(&self) -> bool {
        self.checkers.has_several()
    }
}

/// What an enemy slider that is aligned with the king does to it. The line runs from the king, not
/// included, to the slider, included.
enum Sight {
    Check(Bitboard),
    Pin(Bitboard),
    Blocked,
}

#[inline(always)]
fn look_along<const WHITE: bool>(board: &Board, king: Square, sniper: Square) -> Sight {
    let between = attacks::between(king, sniper);
    let blockers = between & board.occupied();
    let line = between | sniper.bit();
    if blockers.is_empty() {
        Sight::Check(line)
    } else if !blockers.has_several() && (blockers & board.own::<WHITE>()).any() {
        Sight::Pin(line)
    } else {
        Sight::Blocked
    }
}

/// From where the king of a player would be in check, by who stands there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckSquares {
    king: Square,
    /// What a bishop and a rook see from the king's square.
    pub diagonal: Bitboard,
    pub straight: Bitboard,
}

impl CheckSquares {
    #[inline(always)]
    pub fn around(king: Square, sliders: impl Sliders, occupied: Bitboard) -> CheckSquares {
        CheckSquares {
            king,
            diagonal: sliders.bishop(king, occupied),
            straight: sliders.rook(king, occupied),
        }
    }

    /// Those for a piece of this role; the king is that of the player `WHITE`.
    #[inline(always)]
    pub fn of<const WHITE: bool>(&self, role: Role) -> Bitboard {
        match role {
            Role::Pawn => attacks::pawn::<WHITE>(self.king),
            Role::Knight => attacks::knight(self.king),
            Role::Bishop => self.diagonal,
            Role::Rook => self.straight,
            Role::Queen => self.diagonal | self.straight,
            Role::King => Bitboard::EMPTY,
        }
    }
}

/// The pieces of the player `WHITE` that stand alone between a slider of theirs and the enemy's king: one that
/// leaves its line gives check.
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

/// The king of the player `WHITE`.
#[inline(always)]
pub(crate) fn king<const WHITE: bool>(board: &Board) -> Square {
    (board.kings & board.own::<WHITE>()).first()
}

/// All that the enemy of the player `WHITE` attacks with `occupied` standing in the way.
#[inline(always)]
pub(crate) fn attacked_by_enemy<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    occupied: Bitboard,
) -> Bitboard {
    let enemy = board.enemy::<WHITE>();
    let leapt = if WHITE {
        attacked_by_leapers::<false>(board, enemy)
    } else {
        attacked_by_leapers::<true>(board, enemy)
    };
    leapt | attacked_by_sliders(board, sliders, enemy, occupied)
}

/// What these pawns, knights and kings of the player `WHITE` attack.
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

/// What those of these pieces that are sliders attack with `occupied` standing in the way.
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

/// Whether an enemy of the player `WHITE` would attack this square with `occupied` standing in the way.
#[inline(always)]
pub(crate) fn is_attacked<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    square: Square,
    occupied: Bitboard,
) -> bool {
    is_attacked_by::<WHITE>(board, sliders, board.enemy::<WHITE>(), square, occupied)
}

/// Whether one of these enemies of the player `WHITE` would.
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
