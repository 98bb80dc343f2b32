//! Merging transpositions changes the time a count takes and nothing else.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ninesixty::chess::{Board, Color, Move};
use ninesixty::perft::{
    CountError, CountOptions, Helpers, Merger, MoveTree, PackedPosition, Position, Sharing,
    unmerged,
};
use ninesixty::run::Cancel;
use ninesixty::start::{Selection, StartId};
use rayon::prelude::*;

const MIB: usize = 1 << 20;

fn merged(bytes: usize, seed: u64, sharing: Sharing, board: &Board, depth: u32) -> u128 {
    let mut merger = Merger::new(bytes, seed);
    merger.perft(board, depth, &shared(sharing)).unwrap()
}

fn shared(sharing: Sharing) -> CountOptions {
    CountOptions {
        sharing,
        ..CountOptions::default()
    }
}

fn starts(selection: &str) -> Vec<Board> {
    let selection: Selection = selection.parse().unwrap();
    selection.doubles().map(Board::from_double_start).collect()
}

#[test]
fn counts_do_not_depend_on_memory_seed_and_threads() {
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

/// A board that records whether a thread of a pool counts it.
#[derive(Clone, Copy)]
struct Watched(Board);

static COUNTED_IN_POOL: AtomicBool = AtomicBool::new(false);

impl MoveTree for Watched {
    type Move = Move;

    fn for_each_move(&self, visit: impl FnMut(Move)) {
        self.0.for_each_move(visit);
    }

    fn play(&self, mv: Move) -> Watched {
        Watched(self.0.play(mv))
    }
}

impl Position for Watched {
    fn perft(&self, depth: u32) -> u64 {
        let is_in_pool = rayon::current_thread_index().is_some();
        COUNTED_IN_POOL.fetch_or(is_in_pool, Ordering::Relaxed);
        self.0.perft(depth)
    }
}

impl PackedPosition for Watched {
    type Packed = <Board as PackedPosition>::Packed;
    type Turn = Color;

    const MAX_CHILDREN: usize = Board::MAX_CHILDREN;

    fn pack(&self) -> Self::Packed {
        self.0.pack()
    }

    fn unpack(packed: Self::Packed, turn: Color) -> Watched {
        Watched(Board::unpack(packed, turn))
    }

    fn turn(&self) -> Color {
        self.0.turn()
    }

    fn for_each_child(&self, mut visit: impl FnMut(&Watched)) {
        self.0.for_each_child(|child| visit(&Watched(*child)));
    }
}

#[test]
fn counts_do_not_depend_on_help_by_idle_threads() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    let board = Watched(starts("518")[0]);
    for questions_before_help in [0, 1, 7, usize::MAX] {
        let asked = AtomicUsize::new(0);
        let are_idle = || asked.fetch_add(1, Ordering::Relaxed) >= questions_before_help;
        let helpers = Helpers {
            pool: &pool,
            are_idle: &are_idle,
        };
        let options = shared(Sharing::Helped(helpers));
        let is_helped = questions_before_help != usize::MAX;

        let merged = Merger::new(MIB, 1).perft(&board, 6, &options);
        assert_eq!(merged.unwrap(), 119_060_324);
        assert_eq!(COUNTED_IN_POOL.swap(false, Ordering::Relaxed), is_helped);

        asked.store(0, Ordering::Relaxed);
        let unmerged = unmerged(&board, 6, &options);
        assert_eq!(unmerged.unwrap(), 119_060_324);
        assert_eq!(COUNTED_IN_POOL.swap(false, Ordering::Relaxed), is_helped);
    }
}

#[test]
fn published_counts_are_reproduced_at_every_depth() {
    // The classical start, from the well-known perft tables.
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
        let found = merger.perft(&board, depth, &shared(Sharing::Pool)).unwrap();
        assert_eq!(found, nodes, "depth {depth}");
    }
}

#[test]
fn a_table_that_is_far_too_small_changes_no_count() {
    // Kiwipete has some hundred thousand distinct positions after three plies; this table holds a few thousand.
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let board: Board = kiwipete.parse().unwrap();
    assert_eq!(merged(1, 1, Sharing::Alone, &board, 5), 193_690_690);
}

#[test]
fn counts_beyond_64_bits_are_exact() {
    // Two bare kings in opposite corners cannot meet within 4 plies, so the count is the product of the counts of two
    // lone kings.
    let board: Board = "7k/8/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
    let lone_king = perft_of_a_lone_king(2);
    assert_eq!(
        merged(MIB, 1, Sharing::Alone, &board, 4),
        lone_king * lone_king
    );
    // A queen on an open board: there are more than 2^64 sequences of 20 plies.
    let queens: Board = "k7/8/8/8/8/8/8/K5Q1 w - - 0 1".parse().unwrap();
    let deep = merged(64 * MIB, 1, Sharing::Alone, &queens, 20);
    assert!(deep > u128::from(u64::MAX));
    assert_eq!(deep, merged(64 * MIB, 2, Sharing::Alone, &queens, 20));
}

/// The number of move sequences of a lone king from a corner, by dynamic programming over the squares.
fn perft_of_a_lone_king(plies: u32) -> u128 {
    let mut walks = [[0_u128; 8]; 8];
    walks[0][0] = 1;
    for _ in 0..plies {
        let mut next = [[0; 8]; 8];
        for (file, rank) in (0..64_usize).map(|square| (square % 8, square / 8)) {
            for (x, y) in (0..64).map(|square| (square % 8, square / 8)) {
                let is_step =
                    file.abs_diff(x) <= 1 && rank.abs_diff(y) <= 1 && (file, rank) != (x, y);
                if is_step {
                    next[x][y] += walks[file][rank];
                }
            }
        }
        walks = next;
    }
    walks.iter().flatten().sum()
}

#[test]
fn unique_counts_match_published_counts() {
    // After each ply of the classical start, en passant only where a capture is legal.
    let published = [20, 400, 5_362, 72_078, 822_518];
    let board = Board::from_start(StartId::CLASSICAL);
    let mut merger = Merger::new(512 * MIB, 1);
    assert_eq!(merger.unique(&board, 5, Cancel::NEVER).unwrap(), published);
    let mut small = Merger::<Board>::new(MIB, 1);
    let refused = small.unique(&board, 5, Cancel::NEVER);
    assert!(matches!(refused, Err(CountError::MemoryLimit)));
}

/// A breadth-first search that identifies positions by their FEN without the clocks. Returns the number of distinct
/// positions after each ply, and the largest number of paths to one position after the last ply.
fn distinct_by_fen(board: &Board, plies: u32) -> (Vec<u64>, u128) {
    let identity = |board: &Board| {
        let fen = board.x_fen();
        fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
    };
    let mut level = HashMap::from([(identity(board), (*board, 1))]);
    let mut counts = Vec::new();
    for _ in 0..plies {
        let mut next = HashMap::new();
        for (board, paths) in level.into_values() {
            for mv in board.legal_moves() {
                let after = board.play(mv);
                next.entry(identity(&after)).or_insert((after, 0)).1 += paths;
            }
        }
        counts.push(next.len() as u64);
        level = next;
    }
    let most_paths = level.into_values().map(|(_, paths)| paths).max();
    (counts, most_paths.unwrap())
}

#[test]
fn a_position_reached_by_more_than_2_to_the_64_paths_counts_once() {
    // Two bare kings have 3,612 legal positions with each side to move, and about six moves in each of them.
    let board: Board = "7k/8/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
    let (expected, most_paths) = distinct_by_fen(&board, 30);
    assert!(most_paths > u128::from(u64::MAX), "{most_paths}");
    let mut merger = Merger::new(64 * MIB, 1);
    assert_eq!(merger.unique(&board, 30, Cancel::NEVER).unwrap(), expected);
}

#[test]
#[ignore = "needs a gigabyte: before a release"]
fn unique_counts_match_published_counts_to_ply_6() {
    let published = [20, 400, 5_362, 72_078, 822_518, 9_417_681];
    let board = Board::from_start(StartId::CLASSICAL);
    let mut merger = Merger::new(4096 * MIB, 1);
    assert_eq!(merger.unique(&board, 6, Cancel::NEVER).unwrap(), published);
}

#[test]
fn a_cancelled_count_ends_and_the_next_one_is_right() {
    let board = Board::from_start(StartId::CLASSICAL);
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = |sharing| CountOptions {
        sharing,
        cancel: &cancel,
    };
    let mut merger = Merger::new(64 * MIB, 1);
    let outcome = merger.perft(&board, 6, &cancelled(Sharing::Alone));
    assert!(matches!(outcome, Err(CountError::Cancelled)));
    let found = merger.perft(&board, 5, &CountOptions::default()).unwrap();
    assert_eq!(found, 4_865_609);
    for sharing in [Sharing::Alone, Sharing::Pool] {
        let outcome = unmerged(&board, 6, &cancelled(sharing));
        assert!(matches!(outcome, Err(CountError::Cancelled)));
        let found = unmerged(&board, 6, &shared(sharing)).unwrap();
        assert_eq!(found, 119_060_324);
    }
}

#[test]
fn packing_keeps_everything_except_the_clocks() {
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
