//! Random games from random starts and double starts.

use ninesixty::chess::Board;
use ninesixty::chess::random::random_start;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Calls `visit` with every position of random games from random starts and double starts.
pub fn for_each_random_position(seed: u64, positions: usize, mut visit: impl FnMut(&Board)) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut visited = 0;
    while visited < positions {
        let mut board = Board::from_double_start(random_start(&mut random));
        for _ in 0..200 {
            visit(&board);
            visited += 1;
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board = board.play(moves[random.random_range(0..moves.len())]);
        }
    }
}
