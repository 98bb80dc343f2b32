//! Bulk counting: the number of legal moves in a position, from the sizes of the target sets, without making or listing
//! a move.

use crate::chess::attacks::{HYPERBOLA, SliderKernel, Sliders};
use crate::chess::moves::{self, Visitor};
use crate::chess::{Bitboard, Board, Color, Role, Square};

impl Board {
    /// The number of legal moves, counted without listing them.
    pub fn count_moves(&self) -> u64 {
        match self.turn() {
            Color::White => count_moves::<true>(self, HYPERBOLA),
            Color::Black => count_moves::<false>(self, HYPERBOLA),
        }
    }
}

/// The number of legal moves in a position with side `WHITE` to move.
pub(crate) struct BulkCount<'a, const WHITE: bool>(pub &'a Board);

impl<const WHITE: bool> SliderKernel for BulkCount<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        count_moves::<WHITE>(self.0, sliders)
    }
}

#[inline(always)]
fn count_moves<const WHITE: bool>(board: &Board, sliders: impl Sliders) -> u64 {
    let mut counter = BulkCounter(0);
    moves::visit_moves::<WHITE>(board, sliders, &mut counter);
    counter.0
}

/// A visitor that adds up the sizes of the target sets.
struct BulkCounter(u64);

impl BulkCounter {
    #[inline(always)]
    fn add(&mut self, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }
}

impl Visitor for BulkCounter {
    #[inline(always)]
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.add(targets);
    }

    #[inline(always)]
    fn pawns(&mut self, _: i8, targets: Bitboard) {
        self.add(targets);
    }

    #[inline(always)]
    fn double_pushes(&mut self, _: i8, targets: Bitboard) {
        self.add(targets);
    }

    #[inline(always)]
    fn promotions(&mut self, _: i8, targets: Bitboard) {
        self.0 += Role::PROMOTIONS.len() as u64 * u64::from(targets.count());
    }

    #[inline(always)]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }
}
