//! Positions of every kind, each to a depth that takes about as long as the others.

use super::Case;

struct Published {
    name: &'static str,
    fen: &'static str,
    /// The number of sequences of 1, 2, 3, … plies.
    counts: &'static [u128],
}

/// The classical start, kiwipete, the endgame and the promotions are those of the Chess Programming Wiki's perft
/// results; start 0, the opening from fischer.epd and the Chess960 promotions are those of `data/`.
const SPREAD: [Published; 7] = [
    Published {
        name: "start 518",
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
        counts: &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324],
    },
    Published {
        name: "start 0",
        fen: "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
        counts: &[20, 400, 9_006, 201_143, 4_975_808, 121_983_565],
    },
    Published {
        name: "opening",
        fen: "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        counts: &[21, 528, 12_189, 326_672, 8_146_062, 227_689_589],
    },
    Published {
        name: "kiwipete",
        fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w HAha - 0 1",
        counts: &[48, 2_039, 97_862, 4_085_603, 193_690_690],
    },
    Published {
        name: "endgame",
        fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        counts: &[14, 191, 2_812, 43_238, 674_624, 11_030_083],
    },
    Published {
        name: "promotions",
        fen: "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        counts: &[24, 496, 9_483, 182_838, 3_605_103],
    },
    Published {
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
];

/// Trees of about this size, where nobody says how deep.
const NODES: u128 = 20_000_000;

/// The positions, all to this depth or each to its own.
pub fn cases(depth: Option<u32>) -> Vec<Case> {
    SPREAD
        .iter()
        .map(|published| case(published, depth))
        .collect()
}

fn case(published: &Published, depth: Option<u32>) -> Case {
    let counts = published.counts;
    let affordable = counts.iter().filter(|&&nodes| nodes <= NODES).count() as u32;
    let depth = depth.unwrap_or(affordable);
    Case {
        name: published.name.to_owned(),
        board: published
            .fen
            .parse()
            .expect("the spread is of legal positions"),
        depth,
        nodes: counts.get(depth as usize - 1).copied(),
    }
}

#[cfg(test)]
mod tests {
    use ninesixty::perft::Position;

    use super::*;

    #[test]
    fn every_position_is_legal_and_its_counts_are_found() {
        for depth in [None, Some(3)] {
            for case in cases(depth) {
                let nodes = case.board.perft(case.depth);
                assert_eq!(case.nodes, Some(nodes.into()), "{}", case.name);
            }
        }
    }
}
