//! The fast counter for chess: moves of the last ply are counted, not played, and most of those before them
//! neither.
//!
//! The recursion is written once, over the colour and over the `Machine` that it runs on; which sliders
//! that is, is decided once, when the program first counts.

mod two_ply;

use super::attacks::{AnySliders, SliderKernel, Sliders};
use super::moves::{self, Visitor};
use super::{Bitboard, Board, Color, Role, Square};
use crate::cpu::Level;

/// The number of legal move sequences of `depth` plies.
pub fn perft(board: &Board, depth: u32) -> u64 {
    count(AnySliders::best(), board, depth)
}

/// [`perft`] compiled for one of the instruction sets that this sliders supports.
pub fn perft_at(level: Level, board: &Board, depth: u32) -> u64 {
    count(AnySliders::for_level(level), board, depth)
}

fn count(sliders: AnySliders, board: &Board, depth: u32) -> u64 {
    match (depth, board.turn()) {
        (0, _) => 1,
        (_, Color::White) => sliders.call(Tree::<true> { board, depth }),
        (_, Color::Black) => sliders.call(Tree::<false> { board, depth }),
    }
}

/// Calls `visit` with the position after every legal move.
pub fn for_each_child(board: &Board, visit: impl FnMut(&Board)) {
    let sliders = AnySliders::best();
    match board.turn() {
        Color::White => sliders.call(Children::<_, true> { board, visit }),
        Color::Black => sliders.call(Children::<_, false> { board, visit }),
    }
}

/// The tree below a position, at least one ply deep.
struct Tree<'a, const WHITE: bool> {
    board: &'a Board,
    depth: u32,
}

impl<const WHITE: bool> SliderKernel for Tree<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        match self.depth {
            1 => sliders.call(Leaves::<WHITE>(self.board)),
            2 => two_ply::count_replies::<WHITE>(sliders, self.board),
            _ => count_below::<WHITE>(sliders, self.board, self.depth),
        }
    }
}

/// The moves in a position.
pub(super) struct Leaves<'a, const WHITE: bool>(pub &'a Board);

impl<const WHITE: bool> SliderKernel for Leaves<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        moves::count_moves::<WHITE>(self.0, sliders)
    }
}

/// Plays every move and adds up what is counted below.
#[inline(always)]
fn count_below<const WHITE: bool>(sliders: impl Sliders, board: &Board, depth: u32) -> u64 {
    let depth = depth - 1;
    let mut total = 0;
    let add = |board: &Board| {
        total += if WHITE {
            sliders.call(Tree::<false> { board, depth })
        } else {
            sliders.call(Tree::<true> { board, depth })
        };
    };
    let mut playing = Playing::<_, _, WHITE> {
        sliders,
        board,
        visit: add,
    };
    moves::visit_moves::<WHITE>(board, sliders, &mut playing);
    total
}

/// The positions after every move.
struct Children<'a, F, const WHITE: bool> {
    board: &'a Board,
    visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> SliderKernel for Children<'_, F, WHITE> {
    type Output = ();

    #[inline(always)]
    fn run(self, sliders: impl Sliders) {
        let Children { board, visit } = self;
        let mut playing = Playing::<_, _, WHITE> {
            sliders,
            board,
            visit,
        };
        moves::visit_moves::<WHITE>(board, sliders, &mut playing);
    }
}

/// Plays each move and hands on the position after it.
struct Playing<'a, S, F, const WHITE: bool> {
    sliders: S,
    board: &'a Board,
    visit: F,
}

impl<S: Sliders, F: FnMut(&Board), const WHITE: bool> Visitor for Playing<'_, S, F, WHITE> {
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
