//! The fast perft of Chess960.
//!
//! The moves of the last ply are counted in bulk instead of being made (`bulk`), and the last two plies are counted
//! together, which leaves most moves of the ply before unmade as well (`two_ply`). Further up the tree every move is
//! made (`children`).
//!
//! The recursion is generic in the side to move and in the implementation of slider attacks. That implementation is
//! chosen once per count, for the machine that the program runs on.

mod bulk;
mod children;
mod recursive;
mod two_ply;

pub(super) use bulk::BulkCount;
pub use children::for_each_child;
pub use recursive::{bulk_perft, bulk_perft_at, every_move_perft};

use super::attacks::{AnySliders, SliderKernel, Sliders};
use super::moves;
use super::{Board, Color};
use crate::cpu::Level;
use children::MakeMoves;

/// The number of legal move sequences of `depth` plies.
pub fn perft(board: &Board, depth: u32) -> u64 {
    count(AnySliders::best(), board, depth)
}

/// [`perft`] compiled for one of the instruction sets that this machine supports.
pub fn perft_at(level: Level, board: &Board, depth: u32) -> u64 {
    count(AnySliders::for_level(level), board, depth)
}

fn count(sliders: AnySliders, board: &Board, depth: u32) -> u64 {
    match (depth, board.turn()) {
        (0, _) => 1,
        (_, Color::White) => sliders.call(PerftKernel::<true> { board, depth }),
        (_, Color::Black) => sliders.call(PerftKernel::<false> { board, depth }),
    }
}

/// Perft of a position, at least one ply deep.
struct PerftKernel<'a, const WHITE: bool> {
    board: &'a Board,
    depth: u32,
}

impl<const WHITE: bool> SliderKernel for PerftKernel<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        match self.depth {
            1 => sliders.call(BulkCount::<WHITE>(self.board)),
            2 => two_ply::count_two_plies::<WHITE>(sliders, self.board),
            _ => count_by_making_moves::<WHITE>(sliders, self.board, self.depth),
        }
    }
}

/// Makes every move and adds up the perft of the positions after it.
#[inline(always)]
fn count_by_making_moves<const WHITE: bool>(
    sliders: impl Sliders,
    board: &Board,
    depth: u32,
) -> u64 {
    let depth = depth - 1;
    let mut total = 0;
    let add = |board: &Board| {
        total += if WHITE {
            sliders.call(PerftKernel::<false> { board, depth })
        } else {
            sliders.call(PerftKernel::<true> { board, depth })
        };
    };
    let mut make_moves = MakeMoves::<_, _, WHITE> {
        sliders,
        board,
        visit: add,
    };
    moves::visit_moves::<WHITE>(board, sliders, &mut make_moves);
    total
}
