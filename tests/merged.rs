//! The promise: merging transpositions changes the time a count takes and nothing else.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ninesixty::chess::{Board, Color};
use ninesixty::perft::Merger;
use ninesixty::perft::{CountError, Helpers, Position, Sharing, unmerged};
use ninesixty::start::{Selection, StartId};
use rayon::prelude::*;

const MIB: usize = 1 << 20;

fn merged(bytes: usize, seed: u64, sharing: Sharing, board: &Board, depth: u32) -> u128 {
    let mut merger = Merger::new(bytes, seed);
    merger.perft(board, depth, sharing, &|| false).unwrap()
}

fn starts(selection: &str) -> Vec<Board> {
    let selection: Selection = selection.parse().unwrap();
    selection.doubles().map(Board::from_double_start).collect()
}

#[test]
fn memory_seed_and_threads_do_not_change_a_count() {
    let doubles = starts("sample:4/sample:3");
    let boards: Vec<Board> = starts("sample:48").into_iter().chain(doubles).collect();
    boards.par_iter().for_each(|board| {
        let plain = u128::from(board.perft(5));
        for (bytes, seed) in [(MIB, 1), (MIB, 2), (64 * MIB, 1), (64 * MIB, 3)] {
            assert_eq!(
                merged(bytes, seed, Sharing::Alone, board, 5),
                plain,
                "{board:?}"
            );
        }
    });
    for board in &boards[..4] {
        let plain = u128::from(board.perft(5));
        assert_eq!(merged(MIB, 1, Sharing::Pool, board, 5), plain, "{board:?}");
    }
}

#[test]
fn idle_threads_help_and_change_no_count() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    let board = starts("518")[0];
    for questions_before_help in [0, 1, 7, usize::MAX] {
        let asked = AtomicUsize::new(0);
        let are_idle = || asked.fetch_add(1, Ordering::Relaxed) >= questions_before_help;
        let helpers = Helpers {
            pool: &pool,
            are_idle: &are_idle,
        };
        // The question whether to stop is asked wherever something is counted.
        let helped = AtomicBool::new(false);
        let is_stopped = || {
            helped.fetch_or(pool.current_thread_index().is_some(), Ordering::Relaxed);
            false
        };
        let sharing = Sharing::Helped(helpers);
        let merged = Merger::new(MIB, 1).perft(&board, 6, sharing, &is_stopped);
        assert_eq!(merged.unwrap(), 119_060_324);
        asked.store(0, Ordering::Relaxed);
        let unmerged = unmerged(&board, 6, sharing, &is_stopped);
        assert_eq!(unmerged.unwrap(), 119_060_324);
        assert_eq!(helped.into_inner(), questions_before_help != usize::MAX);
    }
}

#[test]
fn published_counts_come_out_at_every_depth() {
    // The classical start, as every perft table has it.
    let counts = [
        1,
        20,
        400,
        8_902,
        197_281,
        4_865_609,
        119_060_324,
        3_195_901_860,
    ];
    let board = Board::from_start(StartId::CLASSICAL);
    let mut merger = Merger::new(256 * MIB, 1);
    for (depth, nodes) in (0..).zip(counts) {
        let found = merger
            .perft(&board, depth, Sharing::Pool, &|| false)
            .unwrap();
        assert_eq!(found, nodes, "depth {depth}");
    }
}

#[test]
fn a_table_far_too_small_only_costs_time() {
    // Kiwipete at depth 5 has some hundred thousand positions three plies deep; this holds a few thousand.
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let board: Board = kiwipete.parse().unwrap();
    assert_eq!(merged(1, 1, Sharing::Alone, &board, 5), 193_690_690);
}

#[test]
fn counts_beyond_64_bits_are_exact() {
    // Two bare kings far apart, and still far apart after 6 plies, do not notice each other: from a corner
    // a king's walks alone multiply.
    let board: Board = "7k/8/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
    let walks = |plies: u32| perft_of_a_lone_king(plies);
    assert_eq!(
        merged(MIB, 1, Sharing::Alone, &board, 4),
        walks(2) * walks(2)
    );
    // A queen on an open board: there are more than 2^64 sequences of 20 plies.
    let queens: Board = "k7/8/8/8/8/8/8/K5Q1 w - - 0 1".parse().unwrap();
    let deep = merged(64 * MIB, 1, Sharing::Alone, &queens, 20);
    assert!(deep > u128::from(u64::MAX));
    assert_eq!(deep, merged(64 * MIB, 2, Sharing::Alone, &queens, 20));
}

/// Walks of a king alone on the board from a corner, counted square by square.
fn perft_of_a_lone_king(plies: u32) -> u128 {
    let mut ways = [[0_u128; 8]; 8];
    ways[0][0] = 1;
    for _ in 0..plies {
        let mut next = [[0; 8]; 8];
        for (file, rank) in (0..64_usize).map(|square| (square % 8, square / 8)) {
            for (x, y) in (0..64).map(|square| (square % 8, square / 8)) {
                let is_step =
                    file.abs_diff(x) <= 1 && rank.abs_diff(y) <= 1 && (file, rank) != (x, y);
                if is_step {
                    next[x][y] += ways[file][rank];
                }
            }
        }
        ways = next;
    }
    ways.iter().flatten().sum()
}

#[test]
fn distinct_positions_are_as_many_as_published() {
    // After each ply of the classical start, en passant only where a capture is legal.
    let published = [20, 400, 5_362, 72_078, 822_518];
    let board = Board::from_start(StartId::CLASSICAL);
    let mut merger = Merger::new(512 * MIB, 1);
    assert_eq!(merger.distinct(&board, 5, &|| false).unwrap(), published);
    let mut small = Merger::<Board>::new(MIB, 1);
    let refused = small.distinct(&board, 5, &|| false);
    assert!(matches!(refused, Err(CountError::NoRoom)));
}

#[test]
#[ignore = "needs a gigabyte: before a release"]
fn distinct_positions_are_as_many_as_published_to_ply_6() {
    let published = [20, 400, 5_362, 72_078, 822_518, 9_417_681];
    let board = Board::from_start(StartId::CLASSICAL);
    let mut merger = Merger::new(4096 * MIB, 1);
    assert_eq!(merger.distinct(&board, 6, &|| false).unwrap(), published);
}

#[test]
fn a_stopped_count_stops_and_the_next_one_is_right() {
    let board = Board::from_start(StartId::CLASSICAL);
    let mut merger = Merger::new(64 * MIB, 1);
    let stopped = merger.perft(&board, 6, Sharing::Alone, &|| true);
    assert!(matches!(stopped, Err(CountError::Stopped)));
    let found = merger.perft(&board, 5, Sharing::Alone, &|| false).unwrap();
    assert_eq!(found, 4_865_609);
    for sharing in [Sharing::Alone, Sharing::Pool] {
        let stopped = unmerged(&board, 6, sharing, &|| true);
        assert!(matches!(stopped, Err(CountError::Stopped)));
        let found = unmerged(&board, 6, sharing, &|| false).unwrap();
        assert_eq!(found, 119_060_324);
    }
}

#[test]
fn packing_loses_nothing_but_the_clocks() {
    let text = include_str!("../data/tricky.epd")
        .lines()
        .chain(include_str!("../data/fischer.epd").lines());
    for line in text {
        let fen = line.split(" ;").next().unwrap();
        let fen: Vec<&str> = fen.split(' ').take(4).collect();
        let board: Board = fen.join(" ").parse().unwrap();
        let other = if board.turn() == Color::White {
            Color::Black
        } else {
            Color::White
        };
        assert_eq!(Board::unpack(board.pack(), board.turn()), board);
        assert_ne!(Board::unpack(board.pack(), other), board);
    }
}
