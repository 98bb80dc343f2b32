//! What about the enemy's king may change by a move of ours, and through which squares.

use crate::chess::attacks::{self, Sliders};
use crate::chess::castling::{self, Corridor};
use crate::chess::masks;
use crate::chess::{Bitboard, Board, Role, Square};

use super::checks::Checks;

/// The squares that our moves must neither leave nor enter for something about the enemy's king to stay
/// as it is, by who moves.
pub struct Watch {
    /// Whoever moves.
    pub all: Bitboard,
    pawns: Bitboard,
    knights: Bitboard,
    /// Bishops and queens.
    bishops_and_queens: Bitboard,
    /// Rooks and queens.
    rooks_and_queens: Bitboard,
    king: Bitboard,
    /// Squares that the enemy's king would cross in castling.
    pub castling_paths: Bitboard,
}

impl Watch {
    #[inline(always)]
    fn nothing() -> Watch {
        Watch {
            all: Bitboard::EMPTY,
            pawns: Bitboard::EMPTY,
            knights: Bitboard::EMPTY,
            bishops_and_queens: Bitboard::EMPTY,
            rooks_and_queens: Bitboard::EMPTY,
            king: Bitboard::EMPTY,
            castling_paths: Bitboard::EMPTY,
        }
    }

    /// Where he may step, and whether he may castle.
    #[inline(always)]
    pub fn on_king_moves<const WHITE: bool, const ENEMY: bool>(
        sliders: impl Sliders,
        board: &Board,
    ) -> Watch {
        let mut watch = Watch::nothing();
        let king = masks::king::<ENEMY>(board);
        let lifted = board.occupied() ^ king.bit();
        for square in attacks::king(king) & !board.own::<ENEMY>() {
            watch.add_square::<WHITE, ENEMY>(sliders, board, square, lifted);
        }
        for rook in board.castling & board.own::<ENEMY>() {
            let Corridor { vacant, king_path } = castling::corridor::<ENEMY>(king, rook);
            // A piece of the enemy's own in the way stays there, or gives way to ours.
            if (vacant & board.own::<ENEMY>()).is_empty() {
                watch.all |= vacant;
                watch.castling_paths |= king_path;
                for square in king_path {
                    watch.add_square::<WHITE, ENEMY>(sliders, board, square, lifted ^ rook.bit());
                }
            }
        }
        watch
    }

    /// The squares that decide whether we attack this square.
    #[inline(always)]
    fn add_square<const WHITE: bool, const ENEMY: bool>(
        &mut self,
        sliders: impl Sliders,
        board: &Board,
        square: Square,
        occupied: Bitboard,
    ) {
        let diagonal = sliders.bishop(square, occupied);
        let straight = sliders.rook(square, occupied);
        self.add::<WHITE, ENEMY>(board, square, diagonal, straight);
    }

    #[inline(always)]
    fn add<const WHITE: bool, const ENEMY: bool>(
        &mut self,
        board: &Board,
        square: Square,
        diagonal: Bitboard,
        straight: Bitboard,
    ) {
        let own = board.own::<WHITE>();
        self.pawns |= attacks::pawn::<ENEMY>(square);
        self.knights |= attacks::knight(square);
        self.king |= attacks::king(square);
        self.bishops_and_queens |= diagonal;
        self.rooks_and_queens |= straight;
        for slider in attacks::bishop_rays(square) & board.bishops_and_queens & own {
            self.all |= attacks::between(square, slider) & diagonal;
        }
        for slider in attacks::rook_rays(square) & board.rooks_and_queens & own {
            self.all |= attacks::between(square, slider) & straight;
        }
    }

    /// This, and what checks and pins depend on.
    #[inline(always)]
    pub fn with_checks<const ENEMY: bool>(&self, checks: &Checks) -> Watch {
        let by = |role| checks.given_from::<ENEMY>(role) | checks.pinned_from(role);
        Watch {
            all: self.all | checks.pins | checks.held,
            pawns: self.pawns | by(Role::Pawn),
            knights: self.knights | by(Role::Knight),
            bishops_and_queens: self.bishops_and_queens | by(Role::Bishop),
            rooks_and_queens: self.rooks_and_queens | by(Role::Rook),
            ..*self
        }
    }

    #[inline(always)]
    pub fn by(&self, role: Role) -> Bitboard {
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

/// The enemy's pieces whose capture changes the moves of his king: he may retake, or no longer castle.
#[inline(always)]
pub fn kings_pieces<const ENEMY: bool>(board: &Board) -> Bitboard {
    let near_king = attacks::king(masks::king::<ENEMY>(board));
    (near_king | board.castling) & board.own::<ENEMY>()
}
