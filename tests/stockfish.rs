//! Our counts equal Stockfish's, first move by first move. (All 960 starts at depth 4 are in `tests/diff.rs`.)

#[path = "common/stockfish.rs"]
mod stockfish;

use ninesixty::chess::Board;
use ninesixty::generator::{CountMethod, Counter, Own, named};
use ninesixty::run::Cancel;
use ninesixty::start::Selection;
use ninesixty::uci::EngineLimits;
use rayon::prelude::*;

use stockfish::stockfish;

fn counts_equal_stockfishs(selection: &str, depths: &[u32]) {
    let Some(name) = stockfish() else { return };
    // The counter starts an engine per thread, sets UCI_Chess960 and checks that the branches add up to the total.
    let stockfish = named(&name, &EngineLimits::default()).unwrap();
    let profile = stockfish.profile(Cancel::NEVER).unwrap();
    assert!(profile.supports_chess960);
    assert_eq!(profile.methods, Some(&[CountMethod::Bulk][..]));
    let selection: Selection = selection.parse().unwrap();
    let boards: Vec<Board> = selection.doubles().map(Board::from_double_start).collect();
    boards.par_iter().for_each(|board| {
        for &depth in depths {
            let ours = Own.divide(board, depth).unwrap();
            let theirs = stockfish.divide(board, depth).unwrap();
            assert_eq!(ours, theirs, "{board:?} depth {depth}");
        }
    });
}

#[test]
fn counts_of_24_starts_match_stockfish_to_depth_5() {
    counts_equal_stockfishs("sample:24", &[1, 2, 3, 4, 5]);
}

#[test]
fn counts_of_double_starts_match_stockfish_at_depth_4() {
    counts_equal_stockfishs("518/0,0/518,959/17,34/692,700/263,11/12", &[4]);
}

#[test]
#[ignore = "minutes: before a release"]
fn counts_of_96_starts_match_stockfish_at_depth_6() {
    counts_equal_stockfishs("sample:96", &[6]);
}
