//! The squares on which the moves of the enemy king depend.

use crate::chess::attacks::{self, Sliders};
use crate::chess::castling::{self, Corridor};
use crate::chess::masks;
use crate::chess::{Bitboard, Board, Role, Square};

use super::checks::ChecksAndPins;

/// For each role, the squares that matter to the enemy king. If a piece of ours neither leaves nor enters one of the
/// squares of its role, its move changes nothing about the king.
pub struct Dependencies {
    /// The squares that matter for every role.
    pub all: Bitboard,
    pawns: Bitboard,
    knights: Bitboard,
    bishops_and_queens: Bitboard,
    rooks_and_queens: Bitboard,
    king: Bitboard,
    /// The squares that the enemy king would cross or land on when castling.
    pub castling_paths: Bitboard,
}

impl Dependencies {
    #[inline(always)]
    fn none() -> Dependencies {
        Dependencies {
            all: Bitboard::EMPTY,
            pawns: Bitboard::EMPTY,
            knights: Bitboard::EMPTY,
            bishops_and_queens: Bitboard::EMPTY,
            rooks_and_queens: Bitboard::EMPTY,
            king: Bitboard::EMPTY,
            castling_paths: Bitboard::EMPTY,
        }
    }

    /// The squares on which the steps and the castling of the enemy king depend.
    #[inline(always)]
    pub fn of_king_moves<const WHITE: bool, const ENEMY: bool>(
        sliders: impl Sliders,
        board: &Board,
    ) -> Dependencies {
        let mut dependencies = Dependencies::none();
        let king = masks::king::<ENEMY>(board);
        // The king is removed: it does not block a slider's attack on the square behind it.
        let without_king = board.occupied() ^ king.bit();
        for square in attacks::king(king) & !board.own::<ENEMY>() {
            dependencies.add_attacks_on::<WHITE, ENEMY>(sliders, board, square, without_king);
        }
        for rook in board.castling & board.own::<ENEMY>() {
            let Corridor { vacant, king_path } = castling::corridor::<ENEMY>(king, rook);
            // With an enemy piece in the corridor no move of ours makes castling legal: a capture only replaces the
            // piece.
            if (vacant & board.own::<ENEMY>()).is_empty() {
                dependencies.all |= vacant;
                dependencies.castling_paths |= king_path;
                let without_king_and_rook = without_king ^ rook.bit();
                for square in king_path {
                    dependencies.add_attacks_on::<WHITE, ENEMY>(
                        sliders,
                        board,
                        square,
                        without_king_and_rook,
                    );
                }
            }
        }
        dependencies
    }

    /// Adds the squares that decide whether we attack this square.
    #[inline(always)]
    fn add_attacks_on<const WHITE: bool, const ENEMY: bool>(
        &mut self,
        sliders: impl Sliders,
        board: &Board,
        square: Square,
        occupied: Bitboard,
    ) {
        let diagonal = sliders.bishop(square, occupied);
        let orthogonal = sliders.rook(square, occupied);
        let own = board.own::<WHITE>();
        self.pawns |= attacks::pawn::<ENEMY>(square);
        self.knights |= attacks::knight(square);
        self.king |= attacks::king(square);
        self.bishops_and_queens |= diagonal;
        self.rooks_and_queens |= orthogonal;
        for slider in attacks::bishop_rays(square) & board.bishops_and_queens & own {
            self.all |= attacks::between(square, slider) & diagonal;
        }
        for slider in attacks::rook_rays(square) & board.rooks_and_queens & own {
            self.all |= attacks::between(square, slider) & orthogonal;
        }
    }

    /// These squares, and those on which checks and pins depend.
    #[inline(always)]
    pub fn with_checks_and_pins<const ENEMY: bool>(&self, checks: &ChecksAndPins) -> Dependencies {
        let by = |role| checks.check_squares::<ENEMY>(role) | checks.pin_squares(role);
        Dependencies {
            all: self.all | checks.pins | checks.pinners_and_discoverers,
            pawns: self.pawns | by(Role::Pawn),
            knights: self.knights | by(Role::Knight),
            bishops_and_queens: self.bishops_and_queens | by(Role::Bishop),
            rooks_and_queens: self.rooks_and_queens | by(Role::Rook),
            ..*self
        }
    }

    /// The squares that matter for a move of a piece of this role.
    #[inline(always)]
    pub fn of_role(&self, role: Role) -> Bitboard {
        self.all
            | match role {
                Role::Pawn => self.pawns,
                Role::Knight => self.knights,
                Role::Bishop => self.bishops_and_queens,
                Role::Rook => self.rooks_and_queens,
                Role::Queen => self.bishops_and_queens | self.rooks_and_queens,
                Role::King => self.king,
            }
    }
}

/// The enemy pieces whose capture changes the moves of the enemy king: those that it could recapture on, and the rooks
/// with which it may castle.
#[inline(always)]
pub fn captures_affecting_king<const ENEMY: bool>(board: &Board) -> Bitboard {
    let next_to_king = attacks::king(masks::king::<ENEMY>(board));
    (next_to_king | board.castling) & board.own::<ENEMY>()
}
