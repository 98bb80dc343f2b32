//! The standard positions of a benchmark, each with its published counts.

use super::BenchCase;

struct PublishedCase {
    name: &'static str,
    fen: &'static str,
    /// The number of sequences of 1, 2, 3, … plies.
    counts: &'static [u128],
}

/// The classical start, kiwipete, the endgame and the promotions are from the Chess Programming Wiki's perft results, the
/// others from `data/`. Those from "960 promotions" on are there because our two-ply counter is at its weakest in positions
/// of their kind: promotions, checks, pins, open kings, and few replies to the moves of open rooks.
const PUBLISHED: [PublishedCase; 15] = [
    PublishedCase {
        name: "start 518",
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
        counts: &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324],
    },
    PublishedCase {
        name: "start 0",
        fen: "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
        counts: &[20, 400, 9_006, 201_143, 4_975_808, 121_983_565],
    },
    PublishedCase {
        name: "opening",
        fen: "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        counts: &[21, 528, 12_189, 326_672, 8_146_062, 227_689_589],
    },
    PublishedCase {
        name: "kiwipete",
        fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w HAha - 0 1",
        counts: &[48, 2_039, 97_862, 4_085_603, 193_690_690],
    },
    PublishedCase {
        name: "endgame",
        fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        counts: &[14, 191, 2_812, 43_238, 674_624, 11_030_083],
    },
    PublishedCase {
        name: "promotions",
        fen: "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        counts: &[24, 496, 9_483, 182_838, 3_605_103],
    },
    PublishedCase {
        name: "960 promotions",
        fen: "2rkr3/5PP1/8/5Q2/5q2/8/5pp1/2RKR3 w CEce - 0 1",
        counts: &[
            51,
            1_904,
            71_005,
            2_583_102,
            94_370_149,
            3_396_258_275,
            123_548_897_773,
        ],
    },
    PublishedCase {
        name: "fischer 4",
        fen: "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
        counts: &[22, 593, 13_440, 382_958, 9_183_776, 274_103_539],
    },
    PublishedCase {
        name: "fischer 24",
        fen: "nbqnbrkr/2ppp1p1/pp3p1p/8/4N2P/1N6/PPPPPPP1/1BQ1BRKR w HFhf - 0 9",
        counts: &[26, 626, 17_268, 437_525, 12_719_546, 339_132_046],
    },
    PublishedCase {
        name: "open king",
        fen: "bbrqn1kr/1pppp1pp/4n3/5p2/p5P1/3P4/PPP1PPKP/BBRQNN1R w hc - 0 9",
        counts: &[24, 573, 12_963, 335_845, 8_191_054, 227_555_387],
    },
    PublishedCase {
        name: "open rooks",
        fen: "rkr3r1/8/8/8/8/8/8/RKR3R1 w CAca - 0 1",
        counts: &[29, 710, 20_488, 561_661, 16_690_417],
    },
    PublishedCase {
        name: "few replies",
        fen: "4k3/8/8/8/8/8/8/R1R1K2R w CH - 0 1",
        counts: &[33, 142, 5_218, 25_505, 986_409, 4_660_057],
    },
    PublishedCase {
        name: "checks",
        fen: "4r3/3k4/8/8/8/8/q5PP/1R1KR3 w Q - 2 2",
        counts: &[25, 828, 16_802, 533_977, 11_251_144],
    },
    PublishedCase {
        name: "pinned pawn",
        fen: "1b1k4/8/8/1rPpK3/8/8/8/8 w - d6 0 1",
        counts: &[5, 100, 555, 11_994, 73_640, 1_645_645],
    },
    PublishedCase {
        name: "pawn ending",
        fen: "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
        counts: &[17, 242, 3_931, 57_700, 985_298, 14_751_778],
    },
];

/// Without a depth, each position is counted as deep as it has no more nodes than this.
const MAX_NODES: u128 = 20_000_000;

/// The standard positions, all at this depth, or each at the deepest published one of at most 20 million nodes.
pub fn standard_cases(depth: Option<u32>) -> Vec<BenchCase> {
    let cases = PUBLISHED.iter();
    cases.map(|published| case(published, depth)).collect()
}

fn case(published: &PublishedCase, depth: Option<u32>) -> BenchCase {
    let counts = published.counts;
    let affordable = counts.iter().filter(|&&nodes| nodes <= MAX_NODES).count() as u32;
    let depth = depth.unwrap_or(affordable);
    let nodes = (depth as usize).checked_sub(1);
    BenchCase {
        name: published.name.to_owned(),
        board: published.fen.parse().expect("the positions are legal"),
        depth,
        nodes: nodes.and_then(|index| counts.get(index).copied()),
    }
}

#[cfg(test)]
mod tests {
    use crate::perft::Position;

    use super::*;

    #[test]
    fn our_counts_equal_the_published_ones() {
        for depth in [None, Some(3)] {
            for case in standard_cases(depth) {
                let nodes = case.board.perft(case.depth);
                assert_eq!(case.nodes, Some(nodes.into()), "{}", case.name);
            }
        }
    }
}
