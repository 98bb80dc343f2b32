//! Perft by recursion, with and without bulk counting.
//!
//! [`perft`](super::perft) counts the last two plies without making their moves. The two counters here do what other
//! generators do, so that they can be compared with them: [`bulk_perft`] makes every move but those of the last ply,
//! which it counts, and [`every_move_perft`] makes them all. Both use the same move generator as `perft`.

use std::hint::black_box;

use super::super::attacks::{AnySliders, SliderKernel, Sliders};
use super::super::moves;
use super::super::{Board, Color};
use super::bulk::BulkCount;
use super::children::MakeMoves;
use crate::cpu::Level;

/// The number of legal move sequences of `depth` plies, by bulk counting: the moves of the last ply are counted and not
/// made.
pub fn bulk_perft(board: &Board, depth: u32) -> u64 {
    count::<true>(AnySliders::best(), board, depth)
}

/// [`bulk_perft`] compiled for one of the instruction sets that this machine supports.
pub fn bulk_perft_at(level: Level, board: &Board, depth: u32) -> u64 {
    count::<true>(AnySliders::for_level(level), board, depth)
}

/// The number of legal move sequences of `depth` plies, every move of which is made.
pub fn every_move_perft(board: &Board, depth: u32) -> u64 {
    count::<false>(AnySliders::best(), board, depth)
}

fn count<const BULK: bool>(sliders: AnySliders, board: &Board, depth: u32) -> u64 {
    match (depth, board.turn()) {
        (0, _) => 1,
        (_, Color::White) => sliders.call(Subtree::<true, BULK> { board, depth }),
        (_, Color::Black) => sliders.call(Subtree::<false, BULK> { board, depth }),
    }
}

/// The tree below a position with the side `WHITE` to move, at least one ply deep if `BULK`.
struct Subtree<'a, const WHITE: bool, const BULK: bool> {
    board: &'a Board,
    depth: u32,
}

impl<const WHITE: bool, const BULK: bool> SliderKernel for Subtree<'_, WHITE, BULK> {
    type Output = u64;

    #[inline(always)]
    fn run(self, sliders: impl Sliders) -> u64 {
        let Subtree { board, depth } = self;
        match depth {
            0 => {
                // Without this the compiler may drop the move, because its result is not used.
                black_box(board);
                1
            }
            1 if BULK => sliders.call(BulkCount::<WHITE>(board)),
            2 if BULK => {
                let mut total = 0;
                for_each_child::<WHITE>(sliders, board, |child| {
                    total += if WHITE {
                        sliders.call(BulkCount::<false>(child))
                    } else {
                        sliders.call(BulkCount::<true>(child))
                    };
                });
                total
            }
            _ => {
                let depth = depth - 1;
                let mut total = 0;
                for_each_child::<WHITE>(sliders, board, |board| {
                    total += if WHITE {
                        sliders.call(Subtree::<false, BULK> { board, depth })
                    } else {
                        sliders.call(Subtree::<true, BULK> { board, depth })
                    };
                });
                total
            }
        }
    }
}

#[inline(always)]
fn for_each_child<const WHITE: bool>(
    sliders: impl Sliders,
    board: &Board,
    visit: impl FnMut(&Board),
) {
    let mut make_moves = MakeMoves::<_, _, WHITE> {
        sliders,
        board,
        visit,
    };
    moves::visit_moves::<WHITE>(board, sliders, &mut make_moves);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts published on the Chess Programming Wiki's page of perft results: start, kiwipete, positions 3 and 5.
    const PUBLISHED: [(&str, u32, u64); 4] = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            5,
            4_865_609,
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            4,
            4_085_603,
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            4,
            2_103_487,
        ),
    ];

    #[test]
    fn both_methods_find_the_published_counts_at_every_level() {
        for (fen, depth, nodes) in PUBLISHED {
            let board: Board = fen.parse().unwrap();
            for level in Level::all() {
                assert_eq!(bulk_perft_at(level, &board, depth), nodes, "{fen}");
            }
            assert_eq!(bulk_perft(&board, depth), nodes, "{fen}");
            assert_eq!(every_move_perft(&board, depth), nodes, "{fen}");
        }
    }

    #[test]
    fn all_methods_agree_at_small_depths() {
        for line in include_str!("../../../data/tricky.epd").lines() {
            let fen = line.split(" ;").next().unwrap();
            let board: Board = fen.parse().unwrap();
            for depth in 0..=3 {
                let nodes = super::super::perft(&board, depth);
                assert_eq!(bulk_perft(&board, depth), nodes, "{fen}, depth {depth}");
                assert_eq!(
                    every_move_perft(&board, depth),
                    nodes,
                    "{fen}, depth {depth}"
                );
            }
        }
    }
}
