//! The promise: the fast counter never gives another number than playing every move.

use ninesixty::chess::count::perft_at;
use ninesixty::chess::random::thrown_together;
use ninesixty::cpu::Level;
use ninesixty::perft::perft_by_listing;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

fn every_instruction_set_agrees_with_listing(
    seeds: std::ops::Range<u64>,
    positions_per_seed: usize,
    depth: u32,
) {
    let levels = Level::all();
    seeds.into_par_iter().for_each(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..positions_per_seed {
            let board = thrown_together(&mut random);
            let listed = perft_by_listing(&board, depth);
            for &level in &levels {
                assert_eq!(
                    perft_at(level, &board, depth),
                    listed,
                    "{} {board:?}",
                    level.name()
                );
            }
        }
    });
}

#[test]
fn two_plies_agree_with_listing_in_positions_thrown_together() {
    every_instruction_set_agrees_with_listing(0..40, 2_500, 2);
}

#[test]
fn three_plies_agree_with_listing_in_positions_thrown_together() {
    every_instruction_set_agrees_with_listing(1_000..1_040, 125, 3);
}

#[test]
#[ignore = "minutes: before a release"]
fn a_million_positions_thrown_together_agree_with_listing() {
    every_instruction_set_agrees_with_listing(2_000..2_400, 2_500, 2);
    every_instruction_set_agrees_with_listing(3_000..3_400, 2_500, 3);
}
