//! How a move of ours may check the enemy's king, pin a piece to it or end a pin, and through which squares.

use crate::chess::attacks::{self, Sliders};
use crate::chess::masks::{self, CheckSquares, Masks};
use crate::chess::{Bitboard, Board, Role, Square};

/// The lines to the enemy's king, who is not in check.
///
/// Only four things can happen on them. A piece of ours comes to where it attacks him. A slider of ours comes to
/// where it sees him through one piece of his, who is pinned from then on. A piece of ours enters the line of a
/// pin, or takes the pinned piece. Or a piece of ours leaves a square where it mattered: it pinned somebody, or it
/// was the only piece of ours between him and a slider of ours, with at most one of his pieces.
pub struct Checks {
    king: Square,
    given: CheckSquares,
    /// What a bishop and a rook would see from the king's square behind the first piece, where that is one of his.
    behind_diagonal: Bitboard,
    behind_straight: Bitboard,
    /// Squares of existing pins, from the king to the piece who pins.
    pub pins: Bitboard,
    /// Our pieces whose leaving may matter.
    pub held: Bitboard,
}

impl Checks {
    #[inline(always)]
    pub fn of<const WHITE: bool, const ENEMY: bool>(
        sliders: impl Sliders,
        board: &Board,
        enemy_masks: &Masks,
    ) -> Checks {
        let king = masks::king::<ENEMY>(board);
        let occupied = board.occupied();
        let his = board.own::<ENEMY>();
        let given = CheckSquares::around(king, sliders, occupied);
        let CheckSquares {
            diagonal, straight, ..
        } = given;
        let pins = enemy_masks.straight_pins | enemy_masks.diagonal_pins;
        Checks {
            king,
            given,
            behind_diagonal: sliders.bishop(king, occupied & !(diagonal & his)) & !diagonal,
            behind_straight: sliders.rook(king, occupied & !(straight & his)) & !straight,
            pins,
            held: pins & board.own::<WHITE>() | in_the_way::<WHITE>(board, king),
        }
    }

    /// From where a piece of ours would give check.
    #[inline(always)]
    pub fn given_from<const ENEMY: bool>(&self, role: Role) -> Bitboard {
        self.given.of::<ENEMY>(role)
    }

    /// From where a piece of ours would pin one of his.
    #[inline(always)]
    pub fn pinned_from(&self, role: Role) -> Bitboard {
        match role {
            Role::Bishop => self.behind_diagonal,
            Role::Rook => self.behind_straight,
            Role::Queen => self.behind_diagonal | self.behind_straight,
            Role::Pawn | Role::Knight | Role::King => Bitboard::EMPTY,
        }
    }

    /// The squares from the king to another square, which is included.
    #[inline(always)]
    pub fn line_to(&self, square: Square) -> Bitboard {
        attacks::between(self.king, square) | square.bit()
    }

    /// The one piece between the king and a square.
    #[inline(always)]
    pub fn only_piece_before(&self, board: &Board, square: Square) -> Square {
        (attacks::between(self.king, square) & board.occupied()).first()
    }

    /// The line from the king to the edge of the board on which a square is.
    #[inline(always)]
    pub fn line_through(&self, square: Square) -> Bitboard {
        self.line_to(square) | attacks::beyond(self.king, square)
    }
}

/// Our pieces that stand between the enemy's king and a slider of ours, each with at most one piece of his and no
/// other of ours.
#[inline(always)]
fn in_the_way<const WHITE: bool>(board: &Board, king: Square) -> Bitboard {
    let own = board.own::<WHITE>();
    let snipers = attacks::rook_rays(king) & board.rooks_and_queens
        | attacks::bishop_rays(king) & board.bishops_and_queens;
    let mut in_the_way = Bitboard::EMPTY;
    for sniper in snipers & own {
        let between = attacks::between(king, sniper);
        let ours = between & own;
        let his = between & board.occupied() & !own;
        if !ours.has_several() && !his.has_several() {
            in_the_way |= ours;
        }
    }
    in_the_way
}
