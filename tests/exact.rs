//! The promise: the fast perft is exact. On every instruction set it agrees with the naive perft.

use ninesixty::chess::count::perft_at;
use ninesixty::chess::random::random_placement;
use ninesixty::cpu::Level;
use ninesixty::perft::naive_perft;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

fn every_instruction_set_agrees_with_naive_perft(
    seeds: std::ops::Range<u64>,
    positions_per_seed: usize,
    depth: u32,
) {
    let levels = Level::all();
    seeds.into_par_iter().for_each(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..positions_per_seed {
            let board = random_placement(&mut random);
            let expected = naive_perft(&board, depth);
            for &level in &levels {
                assert_eq!(
                    perft_at(level, &board, depth),
                    expected,
                    "{} {board:?}",
                    level.name()
                );
            }
        }
    });
}

#[test]
fn two_plies_are_exact_in_random_placements() {
    every_instruction_set_agrees_with_naive_perft(0..40, 2_500, 2);
}

#[test]
fn three_plies_are_exact_in_random_placements() {
    every_instruction_set_agrees_with_naive_perft(1_000..1_040, 125, 3);
}

#[test]
#[ignore = "minutes: before a release"]
fn two_and_three_plies_are_exact_in_two_million_random_placements() {
    every_instruction_set_agrees_with_naive_perft(2_000..2_400, 2_500, 2);
    every_instruction_set_agrees_with_naive_perft(3_000..3_400, 2_500, 3);
}
