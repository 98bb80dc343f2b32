//! The moves of the enemy king after a plain move of ours that is not made.

use crate::chess::attacks::{self, Sliders};
use crate::chess::castling::{self, Corridor};
use crate::chess::masks;
use crate::chess::{Bitboard, Board, Role, Square};

use super::dependencies::Dependencies;

/// The king danger squares: what our pieces attack while the moving piece is off the board, between its origin and its
/// target square. The enemy king is removed too, as it does not block attacks on the squares behind it.
///
/// The moving piece is not a pawn, and the enemy king is not in check before the move.
pub struct KingDanger<'a, const WHITE: bool, const ENEMY: bool> {
    board: &'a Board,
    king: Square,
    /// The role of the moving piece.
    role: Role,
    /// Our pieces without the moving one.
    other_pieces: Bitboard,
    occupied: Bitboard,
    /// The squares that our pawns, knights and king attack.
    by_leapers: Bitboard,
    /// The squares that our sliders attack.
    by_sliders: Bitboard,
    /// The squares on which the moving piece would block one of our sliders, or capture a piece that matters to the
    /// king. All squares, if it opens such a line by leaving.
    blocking_squares: Bitboard,
}

impl<'a, const WHITE: bool, const ENEMY: bool> KingDanger<'a, WHITE, ENEMY> {
    /// The danger squares while the piece on `from` is off the board.
    #[inline(always)]
    pub fn without_mover(
        sliders: impl Sliders,
        board: &'a Board,
        blocking_squares: Bitboard,
        role: Role,
        from: Square,
    ) -> Self {
        let king = masks::king::<ENEMY>(board);
        let other_pieces = board.own::<WHITE>() ^ from.bit();
        let mut danger = KingDanger {
            board,
            king,
            role,
            other_pieces,
            occupied: board.occupied() ^ from.bit() ^ king.bit(),
            by_leapers: masks::attacked_by_leapers::<WHITE>(board, other_pieces),
            by_sliders: Bitboard::EMPTY,
            blocking_squares: if blocking_squares.has(from) {
                Bitboard::ALL
            } else {
                blocking_squares
            },
        };
        danger.by_sliders = danger.attacked_by_sliders(sliders, danger.occupied);
        danger
    }

    #[inline(always)]
    fn attacked_by_sliders(&self, sliders: impl Sliders, occupied: Bitboard) -> Bitboard {
        masks::attacked_by_sliders(self.board, sliders, self.other_pieces, occupied)
    }

    /// The number of king moves, summed over moves of the piece to each of these squares.
    #[inline(always)]
    pub fn king_moves(
        &self,
        sliders: impl Sliders,
        dependencies: &Dependencies,
        targets: Bitboard,
    ) -> u64 {
        let mut one_by_one = targets;
        let mut total = 0;
        if targets.has_several() {
            let theirs = self.board.own::<ENEMY>();
            let attacked = self.by_leapers | self.by_sliders;
            let steps = attacks::king(self.king) & !theirs & !attacked;
            one_by_one &= self.interfering_targets(sliders, steps | dependencies.castling_paths);
            let rooks_and_queens = self.board.rooks_and_queens & self.other_pieces;
            let castling_moves =
                self.castling_moves(sliders, theirs, self.occupied, attacked, rooks_and_queens);
            let without_interference = u64::from(steps.count()) + castling_moves;
            total = u64::from((targets & !one_by_one).count()) * without_interference;
        }
        for to in one_by_one {
            total += self.king_moves_after(sliders, to);
        }
        total
    }

    /// The squares on which the moving piece would attack one of these squares or change what our other pieces attack.
    #[inline(always)]
    fn interfering_targets(&self, sliders: impl Sliders, squares: Bitboard) -> Bitboard {
        let mut interfering = self.blocking_squares;
        for square in squares {
            interfering |= attacks::of_piece::<ENEMY>(sliders, self.role, square, self.occupied);
        }
        interfering
    }

    /// The number of king steps, castling excluded, after a move of the piece to a square.
    #[inline(always)]
    pub fn king_steps_after(&self, sliders: impl Sliders, to: Square) -> u64 {
        let attacked = self.attacked_after(sliders, to);
        let theirs = self.board.own::<ENEMY>() & !to.bit();
        u64::from((attacks::king(self.king) & !theirs & !attacked).count())
    }

    #[inline(always)]
    fn attacked_after(&self, sliders: impl Sliders, to: Square) -> Bitboard {
        let occupied = self.occupied | to.bit();
        let by_sliders = if self.blocking_squares.has(to) && self.by_sliders.has(to) {
            self.attacked_by_sliders(sliders, occupied)
        } else {
            self.by_sliders
        };
        let by_mover = attacks::of_piece::<WHITE>(sliders, self.role, to, occupied);
        self.by_leapers | by_sliders | by_mover
    }

    #[inline(always)]
    fn king_moves_after(&self, sliders: impl Sliders, to: Square) -> u64 {
        let attacked = self.attacked_after(sliders, to);
        let theirs = self.board.own::<ENEMY>() & !to.bit();
        let steps = attacks::king(self.king) & !theirs & !attacked;
        let mut rooks_and_queens = self.board.rooks_and_queens & self.other_pieces;
        if matches!(self.role, Role::Rook | Role::Queen) {
            rooks_and_queens |= to.bit();
        }
        let occupied = self.occupied | to.bit();
        u64::from(steps.count())
            + self.castling_moves(sliders, theirs, occupied, attacked, rooks_and_queens)
    }

    /// The number of legal castling moves, given the remaining enemy pieces, the occupied squares, the squares that we
    /// attack, and our rooks and queens.
    #[inline(always)]
    fn castling_moves(
        &self,
        sliders: impl Sliders,
        theirs: Bitboard,
        occupied: Bitboard,
        attacked: Bitboard,
        rooks_and_queens: Bitboard,
    ) -> u64 {
        let mut castling_moves = 0;
        for rook in self.board.castling & theirs {
            let Corridor { vacant, king_path } = castling::corridor::<ENEMY>(self.king, rook);
            if (vacant & occupied).any() {
                continue;
            }
            // The castling rook leaves its square, which extends attacks along the home rank.
            let mut attacked = attacked;
            for slider in rooks_and_queens & Bitboard::rank(rook.rank()) {
                attacked |= sliders.rook(slider, occupied ^ rook.bit());
            }
            castling_moves += u64::from((king_path & attacked).is_empty());
        }
        castling_moves
    }
}

/// The number of king moves after a plain pawn move of ours. Each square is tested for attackers, which for a single
/// move is cheaper than to compute all squares that we attack.
#[inline(always)]
pub fn king_moves_after_pawn_move<const WHITE: bool, const ENEMY: bool>(
    sliders: impl Sliders,
    board: &Board,
    from: Square,
    to: Square,
) -> u64 {
    let king = masks::king::<ENEMY>(board);
    let theirs = board.own::<ENEMY>() & !to.bit();
    let occupied = board.occupied() ^ from.bit() ^ king.bit() | to.bit();
    let other_pieces = board.own::<WHITE>() ^ from.bit();
    let is_safe = |square, occupied| {
        !masks::is_attacked_by::<ENEMY>(board, sliders, other_pieces, square, occupied)
    };
    let by_pawn = attacks::pawn::<WHITE>(to);
    let mut count = 0;
    for square in attacks::king(king) & !theirs & !by_pawn {
        count += u64::from(is_safe(square, occupied));
    }
    for rook in board.castling & theirs {
        let Corridor { vacant, king_path } = castling::corridor::<ENEMY>(king, rook);
        if (vacant & occupied | king_path & by_pawn).is_empty() {
            let mut path = king_path;
            count += u64::from(path.all(|square| is_safe(square, occupied ^ rook.bit())));
        }
    }
    count
}
