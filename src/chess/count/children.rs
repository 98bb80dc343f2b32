//! The child positions of a position: every legal move is made on a copy of the board (copy-make), without a move list.

use crate::chess::attacks::{AnySliders, SliderKernel, Sliders};
use crate::chess::moves::{self, Visitor};
use crate::chess::{Bitboard, Board, Color, Role, Square};

/// Calls `visit` with the position after every legal move.
pub fn for_each_child(board: &Board, visit: impl FnMut(&Board)) {
    let sliders = AnySliders::best();
    match board.turn() {
        Color::White => sliders.call(ChildrenKernel::<_, true> { board, visit }),
        Color::Black => sliders.call(ChildrenKernel::<_, false> { board, visit }),
    }
}

struct ChildrenKernel<'a, F, const WHITE: bool> {
    board: &'a Board,
    visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> SliderKernel for ChildrenKernel<'_, F, WHITE> {
    type Output = ();

    #[inline(always)]
    fn run(self, sliders: impl Sliders) {
        let ChildrenKernel { board, visit } = self;
        let mut make_moves = MakeMoves::<_, _, WHITE> {
            sliders,
            board,
            visit,
        };
        moves::visit_moves::<WHITE>(board, sliders, &mut make_moves);
    }
}

/// A visitor that makes each move and passes on the position after it.
pub(super) struct MakeMoves<'a, S, F, const WHITE: bool> {
    pub sliders: S,
    pub board: &'a Board,
    pub visit: F,
}

impl<S: Sliders, F: FnMut(&Board), const WHITE: bool> Visitor for MakeMoves<'_, S, F, WHITE> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            (self.visit)(&self.board.after_plain::<WHITE>(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-step);
            (self.visit)(&self.board.after_plain::<WHITE>(Role::Pawn, from, to));
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-2 * step);
            (self.visit)(
                &self
                    .board
                    .after_double_push::<WHITE>(self.sliders, from, to),
            );
        }
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            for role in Role::PROMOTIONS {
                let from = to.offset(-step);
                (self.visit)(&self.board.after_promotion::<WHITE>(role, from, to));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        (self.visit)(&self.board.after_en_passant::<WHITE>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        (self.visit)(&self.board.after_castling::<WHITE>(king, rook));
    }
}
