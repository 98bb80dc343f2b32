//! The checks and pins that a move of ours can give, discover or end, and the squares that matter for them.

use crate::chess::attacks::{self, Sliders};
use crate::chess::masks::{self, CheckSquares, Masks};
use crate::chess::{Bitboard, Board, Role, Square};

/// The rays through the enemy king, which is not in check.
///
/// A move can change checks and pins in four ways only:
///
/// - a piece of ours moves to a square from which it gives check;
/// - a slider of ours moves to a square from which it attacks the king through one enemy piece (an x-ray), which is
///   pinned from then on;
/// - a piece of ours moves onto the line of a pin, or captures the pinned piece;
/// - a piece of ours leaves a square where it pinned an enemy piece, or where it was the only piece of ours between the
///   king and a slider of ours with at most one enemy piece: that discovers a check or a pin.
pub struct ChecksAndPins {
    king: Square,
    check_squares: CheckSquares,
    /// The squares from which a bishop would attack the king through exactly one enemy piece.
    diagonal_xrays: Bitboard,
    /// The squares from which a rook would attack the king through exactly one enemy piece.
    orthogonal_xrays: Bitboard,
    /// The lines of existing pins, from the king, excluded, to the pinning piece, included.
    pub pins: Bitboard,
    /// Our pieces that pin an enemy piece, or would discover a check or a pin by leaving.
    pub pinners_and_discoverers: Bitboard,
}

impl ChecksAndPins {
    /// The checks and pins that side `WHITE`, which is to move, can bring about.
    #[inline(always)]
    pub fn of<const WHITE: bool, const ENEMY: bool>(
        sliders: impl Sliders,
        board: &Board,
        enemy_masks: &Masks,
    ) -> ChecksAndPins {
        let king = masks::king::<ENEMY>(board);
        let occupied = board.occupied();
        let theirs = board.own::<ENEMY>();
        let check_squares = CheckSquares::around(king, sliders, occupied);
        let CheckSquares {
            diagonal,
            orthogonal,
            ..
        } = check_squares;
        let pins = enemy_masks.orthogonal_pins | enemy_masks.diagonal_pins;
        ChecksAndPins {
            king,
            check_squares,
            diagonal_xrays: sliders.bishop(king, occupied & !(diagonal & theirs)) & !diagonal,
            orthogonal_xrays: sliders.rook(king, occupied & !(orthogonal & theirs)) & !orthogonal,
            pins,
            pinners_and_discoverers: pins & board.own::<WHITE>()
                | discoverers_of_checks_and_pins::<WHITE>(board, king),
        }
    }

    /// The squares from which a piece of ours would give check.
    #[inline(always)]
    pub fn check_squares<const ENEMY: bool>(&self, role: Role) -> Bitboard {
        self.check_squares.of::<ENEMY>(role)
    }

    /// The squares from which a piece of ours would pin an enemy piece.
    #[inline(always)]
    pub fn pin_squares(&self, role: Role) -> Bitboard {
        match role {
            Role::Bishop => self.diagonal_xrays,
            Role::Rook => self.orthogonal_xrays,
            Role::Queen => self.diagonal_xrays | self.orthogonal_xrays,
            Role::Pawn | Role::Knight | Role::King => Bitboard::EMPTY,
        }
    }

    /// The squares from the king, excluded, to another square, included.
    #[inline(always)]
    pub fn ray_to(&self, square: Square) -> Bitboard {
        attacks::between(self.king, square) | square.bit()
    }

    /// The only piece between the king and a square.
    #[inline(always)]
    pub fn only_blocker(&self, board: &Board, square: Square) -> Square {
        (attacks::between(self.king, square) & board.occupied()).first()
    }

    /// The squares from the king, excluded, through another square to the edge of the board.
    #[inline(always)]
    pub fn ray_through(&self, square: Square) -> Bitboard {
        self.ray_to(square) | attacks::beyond(self.king, square)
    }
}

/// Our pieces that are the only ones of ours between the enemy king and a slider of ours, with at most one enemy piece:
/// one that leaves the line discovers a check, or a pin of the enemy piece.
#[inline(always)]
fn discoverers_of_checks_and_pins<const WHITE: bool>(board: &Board, king: Square) -> Bitboard {
    let own = board.own::<WHITE>();
    let snipers = attacks::rook_rays(king) & board.rooks_and_queens
        | attacks::bishop_rays(king) & board.bishops_and_queens;
    let mut discoverers = Bitboard::EMPTY;
    for sniper in snipers & own {
        let between = attacks::between(king, sniper);
        let ours = between & own;
        let theirs = between & board.occupied() & !own;
        if !ours.has_several() && !theirs.has_several() {
            discoverers |= ours;
        }
    }
    discoverers
}
