//! The promise: the moves and counts of Z-Chess are those of a second, independent implementation of its rules.

#[path = "../common/mod.rs"]
mod common;
mod program;
mod reference;

use std::collections::BTreeSet;

use ninesixty::chess::MoveError;
use ninesixty::perft::Merger;
use ninesixty::perft::{CountOptions, Position, Sharing, naive_perft};
use ninesixty::zchess::{Board, Circle, Move};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use reference::{Reference, Seen};

const START: &str = "rnbqkqbnr/pppppppp/9/8/9/8/9/PPPPPPPP/RNBQKQBNR w LRlr";

/// Positions with few pieces, so that the reference can count four plies. Together they cover every rule.
const ENDINGS: [&str; 26] = [
    // Castling: both wings, one wing, through attacked circles, with the rook as the only blocker.
    "4k4/8/9/8/9/8/9/P6P/R3K3R w LR",
    "r3k3r/p6p/9/8/9/8/9/8/4K4 b lr",
    "4k4/8/9/8/9/8/9/P7/R3K4 w L",
    "4k3r/7p/9/8/9/8/9/8/4K4 b r",
    "4k4/8/9/8/9/8/3n5/P6P/R3K3R w LR",
    "r3k3r/p6p/3N5/8/9/8/9/8/4K4 b lr",
    "4k4/8/9/8/9/8/9/P5pP/R3K3R w LR",
    "4k4/8/9/8/9/8/9/PP6/R3K4 b L",
    // A piece pinned by a rook that turns behind it, before it, and on both paths at once.
    "4k4/8/9/6r1/4KN3/8/9/8/9 w -",
    "9/4r3/4B4/5P2/K8/8/9/8/8k w -",
    "9/8/9/8/3nk4/1R6/9/8/8K b -",
    "k8/8/9/8/9/8/7r1/6N1/4K4 w -",
    // A pinned rook captures the pinning piece.
    "7k1/8/9/8/2b6/8/1R7/8/K8 w -",
    "k8/8/1r7/8/2Q6/8/9/8/8K b -",
    // Promotions, with captures and with the king next to the pawn.
    "9/P7/9/8/9/8/9/8/4K2k1 w -",
    "4k4/8/9/8/9/8/9/p6p/4K4 b -",
    "nb2k4/P7/9/8/9/8/9/8/4K4 w -",
    "k8/1P6/K8/8/9/8/9/8/9 w -",
    // Stalemates and mates near the corners.
    "9/8/9/8/9/8/2Q6/8/k3K4 w -",
    "9/8/9/8/9/8/3N5/3N4/k2K5 w -",
    "9/8/9/8/9/8/2B6/8/k2K5 w -",
    "8K/8/8p/8/9/8/9/8/k8 b -",
    // Pawns against pawns: double steps, captures ahead, no en passant.
    "4k4/p2p4/9/1P6/9/6p1/9/P3P3/4K4 w -",
    "4k4/2p5/9/8/9/2P5/9/5P2/4K4 b -",
    // Discovered and double checks.
    "k8/8/9/3B4/4N4/8/9/8/K8 w -",
    "k8/8/9/8/4q4/8/9/2P5/K8 w -",
];

fn board(text: &str) -> Board {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn moves(board: &Board) -> Vec<String> {
    let mut moves: Vec<String> = board.legal_moves().iter().map(Move::to_string).collect();
    moves.sort();
    moves
}

/// The targets of the piece on a circle.
fn targets(board: &Board, from: &str) -> Vec<String> {
    let circle: Circle = from.parse().unwrap();
    let mut targets: Vec<String> = board
        .legal_moves()
        .into_iter()
        .filter_map(|mv| match mv {
            Move::Plain { from, to } if from == circle => Some(to.to_string()),
            _ => None,
        })
        .collect();
    targets.sort();
    targets
}

/// Checks that all moves, the positions after them and whether it is check are those of the reference.
fn agrees(board: &Board) {
    let reference = Reference::read(&board.to_string());
    let mut found: Vec<(String, String)> = board
        .legal_moves()
        .into_iter()
        .map(|mv| (mv.to_string(), board.play(mv).to_string()))
        .collect();
    found.sort();
    let expected: Vec<(String, String)> = reference
        .moves()
        .into_iter()
        .map(|(text, after)| (text, after.text()))
        .collect();
    assert_eq!(found, expected, "{board}");
    assert_eq!(board.is_check(), reference.is_check(), "{board}");
    assert_eq!(Position::perft(board, 1), expected.len() as u64, "{board}");
    for mv in board.legal_moves() {
        assert_eq!(board.parse_move(&mv.to_string()), Ok(mv), "{board}");
        assert_eq!(board.parse_move(&board.long_form(mv)), Ok(mv), "{board}");
    }
}

#[test]
fn the_moves_of_10_000_random_positions_match_the_reference() {
    (0..200_u64).into_par_iter().for_each(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut board = Board::start();
        for _ in 0..25 {
            agrees(&board);
            let moves = board.legal_moves();
            board = if moves.is_empty() {
                Board::start()
            } else {
                board.play(moves[random.random_range(0..moves.len())])
            };
            for _ in 0..random.random_range(0..4) {
                let moves = board.legal_moves();
                if !moves.is_empty() {
                    board = board.play(moves[random.random_range(0..moves.len())]);
                }
            }
        }
        for _ in 0..25 {
            agrees(&random_placement(&mut random));
        }
    });
}

/// A legal position with randomly placed pieces, in which kings and rooks on their start circles and pawns about to
/// promote are more frequent than by chance. Most placements are illegal, so it repeats until one is legal.
fn random_placement(random: &mut impl Rng) -> Board {
    loop {
        if let Ok(board) = random_text(random).parse() {
            return board;
        }
    }
}

fn random_text(random: &mut impl Rng) -> String {
    let length = |row: usize| 9 - row % 2;
    let mut rows: Vec<Vec<char>> = (0..9).map(|row| vec!['.'; length(row)]).collect();
    let mut castling = String::new();
    for _ in 0..random.random_range(0..16) {
        let piece = ['P', 'p', 'N', 'n', 'B', 'b', 'R', 'r', 'R', 'r', 'Q', 'q'];
        let piece = piece[random.random_range(0..piece.len())];
        let row = match (piece, random.random_range(0..3)) {
            ('P', 0) => 7,
            ('p', 0) => 1,
            ('P' | 'p', _) => random.random_range(1..8),
            _ => random.random_range(0..9),
        };
        let place = random.random_range(0..length(row));
        rows[row][place] = piece;
    }
    for (home, king, rook) in [(0, 'K', 'R'), (8, 'k', 'r')] {
        if random.random() {
            rows[home][4] = king;
            for (corner, right) in [(0, 'L'), (8, 'R')] {
                if random.random() {
                    rows[home][corner] = rook;
                    let is_white = king == 'K';
                    castling.push(if is_white {
                        right
                    } else {
                        right.to_ascii_lowercase()
                    });
                }
            }
        } else {
            let row = random.random_range(0..9);
            let place = random.random_range(0..length(row));
            rows[row][place] = king;
        }
    }
    let turn = if random.random() { 'w' } else { 'b' };
    let castling = if castling.is_empty() { "-" } else { &castling };
    format!("{} {turn} {castling}", placement(&rows))
}

/// The placement field for rows from a upwards, with dots for empty circles.
fn placement(rows: &[Vec<char>]) -> String {
    let rows: Vec<String> = rows.iter().rev().map(|row| row.iter().collect()).collect();
    let dots = rows.join("/");
    (1..=9).rev().fold(dots, |text, empty| {
        text.replace(&".".repeat(empty), &empty.to_string())
    })
}

/// The position with these pieces, each written as its letter and its circle.
fn position(pieces: &str, rest: &str) -> Board {
    let mut rows: Vec<Vec<char>> = (0..9).map(|row| vec!['.'; 9 - row % 2]).collect();
    for piece in pieces.split(' ') {
        let row = usize::from(piece.as_bytes()[1] - b'a');
        let number: usize = piece[2..].parse().unwrap();
        rows[row][(number - 1) / 2] = piece.chars().next().unwrap();
    }
    board(&format!("{} {rest}", placement(&rows)))
}

/// Kings that no rook can attack.
const HIDDEN_KINGS: &str = "Ka17 Na15 ki17 ni15";

#[test]
fn perft_to_depth_4_matches_the_reference() {
    let seen: Vec<Seen> = ENDINGS
        .par_iter()
        .map(|text| every_counter_agrees(text, 4))
        .collect();
    let sum = |count: fn(&Seen) -> u64| seen.iter().map(count).sum::<u64>();
    assert!(sum(|seen| seen.castles_left) > 100, "{seen:#?}");
    assert!(sum(|seen| seen.castles_right) > 100, "{seen:#?}");
    assert!(sum(|seen| seen.promotions) > 100, "{seen:#?}");
    assert!(sum(|seen| seen.pins_around_a_corner) > 100, "{seen:#?}");
    assert!(sum(|seen| seen.stalemates) > 10, "{seen:#?}");
    assert!(sum(|seen| seen.mates) > 10, "{seen:#?}");
}

#[test]
#[ignore = "takes minutes: before a release"]
fn perft_of_the_start_to_depth_4_matches_the_reference() {
    every_counter_agrees(START, 4);
}

#[test]
#[ignore = "takes minutes: before a release"]
fn perft_of_20_random_positions_to_depth_3_matches_the_reference() {
    (0..20).into_par_iter().for_each(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1_000 + seed);
        every_counter_agrees(&random_placement(&mut random).to_string(), 3);
    });
}

/// Compares every counter with the reference.
fn every_counter_agrees(text: &str, depth: u32) -> Seen {
    let board = board(text);
    let mut seen = Seen::default();
    Reference::read(text).perft(depth, &mut seen);
    assert_eq!(board.perft(depth), seen.nodes, "{text}");
    assert_eq!(naive_perft(&board, depth), seen.nodes, "{text}");
    for (bytes, seed) in [(1 << 20, 1), (64 << 20, 2)] {
        let mut merger = Merger::new(bytes, seed);
        let merged = merger.perft(&board, depth, &CountOptions::default());
        assert_eq!(merged.unwrap(), u128::from(seen.nodes), "{text}");
    }
    seen
}

#[test]
fn the_start_has_32_moves_and_1024_positions_after_two_plies() {
    let start = Board::start();
    assert_eq!(start.to_string(), START);
    assert_eq!((start.perft(1), start.perft(2)), (32, 1_024));
    every_counter_agrees(START, 3);
}

#[test]
fn the_table_of_the_start_is_reproduced_to_depth_5() {
    let table = include_str!("../../data/zchess.csv");
    let row = table.lines().nth(1).unwrap();
    let counts = row.strip_prefix(START).unwrap().split(',').skip(1);
    let counts: Vec<u64> = counts.map(|count| count.parse().unwrap()).collect();
    assert_eq!(counts.len(), 7);
    for (depth, &count) in (1..=5).zip(&counts) {
        assert_eq!(Board::start().perft(depth), count, "depth {depth}");
    }
    // The count of an earlier program for this game.
    assert_eq!(counts[6], 93_422_245_632);

    let shown: String = include_str!("../../docs/ZCHESS.md")
        .lines()
        .filter(|line| line.starts_with("| nodes |"))
        .collect::<String>()
        .replace(',', "");
    for count in counts {
        assert!(shown.contains(&format!(" {count} ")), "{count}");
    }
}

#[test]
fn merged_and_unmerged_counts_of_the_start_agree_with_any_seed() {
    let start = Board::start();
    let expected = u128::from(start.perft(5));
    for (bytes, seed) in [(1 << 20, 1), (256 << 20, 1), (256 << 20, 2)] {
        let mut merger = Merger::new(bytes, seed);
        let options = CountOptions {
            sharing: Sharing::Pool,
            ..CountOptions::default()
        };
        let merged = merger.perft(&start, 5, &options);
        assert_eq!(merged.unwrap(), expected, "{bytes} bytes, seed {seed}");
    }
}

#[test]
fn packing_loses_nothing() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..2_000 {
        let board = random_placement(&mut random);
        assert_eq!(Board::unpack(board.pack(), board.turn()), board);
        assert_ne!(Board::unpack(board.pack(), !board.turn()), board);
    }
}

#[test]
fn a_position_may_have_more_moves_than_in_chess() {
    let rooks = board("NRKRRBRnk/8/9/8/Q8/8/9/8/NRRQRRRRB w -");
    assert_eq!(rooks.perft(1), 608);
    agrees(&rooks);
    let mut merger = Merger::new(0, 1);
    let merged = merger.perft(&rooks, 3, &CountOptions::default()).unwrap();
    assert_eq!(merged, u128::from(rooks.perft(3)));
}

#[test]
fn kings_bishops_and_queens_move_along_rows_and_diagonals() {
    let king = position("Ke5 ki17", "w -");
    assert_eq!(targets(&king, "e5"), ["d4", "d6", "e3", "e7", "f4", "f6"]);
    let bishop = position(&format!("Be5 Pg3 pd6 {HIDDEN_KINGS}"), "w -");
    let diagonals = ["a1", "b2", "c3", "d4", "d6", "f4", "f6", "g7", "h8", "i9"];
    assert_eq!(targets(&bishop, "e5"), diagonals);
    let queen = position(&format!("Qe5 Pg3 pd6 Pe11 {HIDDEN_KINGS}"), "w -");
    let mut lines = [&diagonals[..], &["e1", "e3", "e7", "e9"]].concat();
    lines.sort_unstable();
    assert_eq!(targets(&queen, "e5"), lines);
}

#[test]
fn a_rook_may_turn_once_from_a_diagonal_onto_a_row() {
    let rook = position(&format!("Ra5 {HIDDEN_KINGS}"), "w -");
    for text in ["Ra5-(e1)-e9", "Ra5-(e9)-e7", "Ra5-a1", "Ra5-(e9)-e1"] {
        assert!(rook.parse_move(text).is_ok(), "{text}");
    }
    let ways_to_e5 = moves(&rook).into_iter().filter(|text| text == "a5e5");
    assert_eq!(ways_to_e5.count(), 1, "two paths are one move");

    // With e3 occupied, e1 could be reached only by stopping on the diagonal.
    let blocked = position(&format!("Ra5 Pe3 {HIDDEN_KINGS}"), "w -");
    assert!(rook.parse_move("a5e1").is_ok() && blocked.parse_move("a5e1").is_err());
    // From e1 it could not continue to e5, only from e9.
    let via_e9 = blocked.parse_move("Ra5-(e9)-e5").unwrap();
    assert_eq!(blocked.long_form(via_e9), "Ra5-(e9)-e5");
    assert!(rook.parse_move("Ra5-(e1)-e5").is_ok() && blocked.parse_move("Ra5-(e1)-e5").is_err());
    // With both diagonals blocked, only the row is left.
    let shut = position(&format!("Ra5 Pb4 pb6 {HIDDEN_KINGS}"), "w -");
    let row = ["a1", "a11", "a13", "a3", "a7", "a9"];
    assert_eq!(targets(&shut, "a5"), row);

    let capture = position(&format!("Ra5 pe7 {HIDDEN_KINGS}"), "w -");
    assert!(capture.parse_move("Ra5-(e9)xe7").is_ok());
    assert!(
        capture.parse_move("Ra5-(e9)-e7").is_err(),
        "it is a capture"
    );
}

#[test]
fn attacks_of_rooks_around_a_corner_are_not_symmetric() {
    let from_a5 = |pieces: &str| position(&format!("Ra5 ke3 pe5 Ka17 Na15 {pieces}"), "b -");
    assert!(from_a5("ni15").is_check(), "via e1");
    assert!(!from_a5("nc3").is_check(), "the path via e1 is blocked");

    let from_e3 = position(&format!("Re3 {HIDDEN_KINGS}"), "w -");
    assert!(from_e3.parse_move("Re3-(a7)-a5").is_ok());
    assert!(from_e3.parse_move("Re3-(e1)-a5").is_err());
    let shut = position(&format!("Re3 Pb6 {HIDDEN_KINGS}"), "w -");
    assert!(shut.parse_move("e3a5").is_err());
}

#[test]
fn a_pinned_rook_may_capture_the_pinning_piece_whatever_its_first_leg_uncovers() {
    let pinned = position("Ka1 Rc3 be5 ki17 ni15", "w -");
    assert_eq!(targets(&pinned, "c3"), ["b2", "d4", "e5"]);
    assert!(pinned.parse_move("Rc3-(e1)xe5").is_ok());
}

#[test]
fn a_knight_on_e5_reaches_exactly_eight_circles_and_jumps() {
    let reached = ["c5", "d2", "d8", "e3", "e7", "f2", "f8", "g5"];
    let alone = position(&format!("Ne5 {HIDDEN_KINGS}"), "w -");
    assert_eq!(targets(&alone, "e5"), reached);
    let crowded = position(
        &format!("Ne5 pd4 pd6 pe3 pe7 pf4 pf6 {HIDDEN_KINGS}"),
        "w -",
    );
    assert_eq!(targets(&crowded, "e5"), reached);
    let names: BTreeSet<String> = reference::knight((4, 5))
        .into_iter()
        .map(|(row, number)| format!("{}{number}", (b'a' + row as u8) as char))
        .collect();
    assert_eq!(names, reached.map(str::to_owned).into());
}

#[test]
fn pawns_move_and_capture_diagonally_ahead_and_their_double_step_does_not_bend() {
    let pawn = |pieces: &str| position(&format!("{pieces} {HIDDEN_KINGS}"), "w -");
    assert_eq!(targets(&pawn("Pb4"), "b4"), ["c3", "c5", "d2", "d6"]);
    assert_eq!(targets(&pawn("Pb2"), "b2"), ["c1", "c3", "d4"]);
    assert_eq!(targets(&pawn("Pb4 nc5 nd2"), "b4"), ["c3", "c5"]);
    assert_eq!(targets(&pawn("Pb4 Nc5"), "b4"), ["c3", "d2"]);
    assert_eq!(targets(&pawn("Pc5"), "c5"), ["d4", "d6"]);
    let black = position(&format!("ph16 {HIDDEN_KINGS}"), "b -");
    assert_eq!(targets(&black, "h16"), ["f14", "g15", "g17"]);
}

#[test]
fn there_is_no_en_passant() {
    let before = position(&format!("Pf4 ph4 {HIDDEN_KINGS}"), "b -");
    let passed = before.play(before.parse_move("h4f6").unwrap());
    let after = passed.play(passed.parse_move("Pf4-g5").unwrap());
    assert!(after.piece_at("f6".parse().unwrap()).is_some());
    assert!(passed.parse_move("Pf4xg5").is_err());
}

#[test]
fn a_pawn_on_the_last_row_becomes_one_of_four_pieces() {
    let pawn = position(&format!("Ph2 ni3 {HIDDEN_KINGS}"), "w -");
    let mut promotions = moves(&pawn);
    promotions.retain(|text| text.starts_with("h2"));
    let expected = [
        "h2i1b", "h2i1n", "h2i1q", "h2i1r", "h2i3b", "h2i3n", "h2i3q", "h2i3r",
    ];
    assert_eq!(promotions, expected);
    assert_eq!(pawn.parse_move("Ph2-i1Q"), pawn.parse_move("h2i1q"));
    assert_eq!(pawn.parse_move("Ph2xi3N"), pawn.parse_move("h2i3n"));
    for wrong in ["h2i1", "h2i1k", "h2i1p", "h2i1Q", "Ph2xi1Q"] {
        assert!(pawn.parse_move(wrong).is_err(), "{wrong}");
    }
}

/// The letters of the legal castling moves.
fn castles(pieces: &str) -> String {
    let kings = "Ka9 Ra1 Ra17 ki9 ni7 ni11";
    let board = position(&format!("{kings} {pieces}"), "w LR");
    let sides = ['L', 'R'].into_iter();
    sides
        .filter(|side| moves(&board).contains(&format!("0-0-0({side})")))
        .collect()
}

#[test]
fn castling_moves_the_king_two_circles_towards_the_rook_and_the_rook_to_the_circle_crossed() {
    let board = position("Ka9 Ra1 Ra17 ki9 ni7 ni11", "w LR");
    for (castling, pieces) in [("0-0-0(L)", "Ka5 Ra7 Ra17"), ("0-0-0(R)", "Ka13 Ra1 Ra11")] {
        let after = board.play(board.parse_move(castling).unwrap());
        assert_eq!(after, position(&format!("{pieces} ki9 ni7 ni11"), "b -"));
    }
    let black = position("Ka9 Na7 Na11 ki9 ri1 ri17", "b lr");
    for (castling, pieces) in [("0-0-0(L)", "ki5 ri7 ri17"), ("0-0-0(R)", "ki13 ri1 ri11")] {
        let after = black.play(black.parse_move(castling).unwrap());
        assert_eq!(after, position(&format!("{pieces} Ka9 Na7 Na11"), "w -"));
    }
}

#[test]
fn castling_needs_three_empty_circles_and_no_attack_on_the_kings_path() {
    assert_eq!(castles("pe1"), "LR");
    for (number, left) in [
        (3, "R"),
        (5, "R"),
        (7, "R"),
        (11, "L"),
        (13, "L"),
        (15, "L"),
    ] {
        assert_eq!(
            castles(&format!("Na{number}")),
            left,
            "a piece on a{number}"
        );
    }
    // A knight two rows above a circle attacks it.
    for (number, left) in [
        (9, ""),
        (7, "R"),
        (5, "R"),
        (3, "LR"),
        (1, "LR"),
        (11, "L"),
        (13, "L"),
    ] {
        assert_eq!(
            castles(&format!("nc{number}")),
            left,
            "an attack on a{number}"
        );
    }
}

#[test]
fn castling_through_check_follows_the_documentation() {
    // An enemy rook that can turn on the king's start circle attacks the circles next to it.
    assert_eq!(castles("rd12 Pc13"), "");
    // An enemy rook that can turn in the vacated corner attacks the castled king.
    assert_eq!(castles("rd4 Pc5"), "R");
    assert_eq!(castles("rd14 Pc13"), "L");
}

#[test]
fn the_right_to_castle_is_lost_with_the_first_move_of_king_or_rook_or_its_capture() {
    let board = position("Ka9 Ra1 Ra17 ki9 ni7 ni11 nc17", "w LR");
    let after = |board: &Board, texts: &[&str]| {
        let play = |board: Board, text: &&str| board.play(board.parse_move(text).unwrap());
        texts.iter().fold(*board, play)
    };
    let castling = |board: &Board| board.to_string().split(' ').next_back().unwrap().to_owned();
    assert_eq!(castling(&after(&board, &["a1a3", "c17c15", "a3a1"])), "R");
    assert_eq!(
        castling(&after(&board, &["a17a15", "c17c15", "a15a17"])),
        "L"
    );
    assert_eq!(castling(&after(&board, &["a9b8", "c17c15", "b8a9"])), "-");
    assert_eq!(castling(&after(&board, &["a1a3", "c17a17"])), "-");
}

#[test]
fn two_bare_kings_are_a_draw_and_a_single_knight_or_bishop_can_mate() {
    assert!(position("Ka1 ki17", "w -").is_dead());
    for pieces in ["ka1 Ka5 Nb4", "ka1 Ka5 Bc3"] {
        let mate = position(pieces, "b -");
        let reference = Reference::read(&mate.to_string());
        assert!(
            reference.is_check() && reference.moves().is_empty(),
            "{pieces}"
        );
        assert!(
            mate.is_check() && mate.legal_moves().is_empty() && !mate.is_dead(),
            "{pieces}"
        );
    }
}

#[test]
fn moves_are_parsed_in_the_long_form_of_the_rules() {
    let start = Board::start();
    assert_eq!(start.parse_move("Pb2-c3"), start.parse_move("b2c3"));
    let king = position("Ka1 pb2 ki17", "w -");
    assert_eq!(king.parse_move("Ka1xb2"), king.parse_move("a1b2"));
    let knight = position(&format!("Na7 {HIDDEN_KINGS}"), "w -");
    for text in ["Na7-(b6)-c7", "Na7-(b8)-c7", "Na7-c7"] {
        assert_eq!(knight.parse_move(text), knight.parse_move("a7c7"), "{text}");
    }
    assert_eq!(
        knight.long_form(knight.parse_move("a7c7").unwrap()),
        "Na7-(b6)-c7"
    );
    for wrong in [
        "",
        "a",
        "a7",
        "Na7",
        "Na7-",
        "Na7-(b6",
        "Na7-(b6)c7",
        "a7c7x",
        "Xa7-c7",
        "0-0-0",
        "é7c7",
    ] {
        assert_eq!(
            knight.parse_move(wrong),
            Err(MoveError::Syntax(wrong.to_owned()))
        );
    }
    for illegal in [
        "Na7-(b10)-c7",
        "Na7xc7",
        "Ba7-c7",
        "a7c9",
        "a7c7q",
        "0-0-0(L)",
    ] {
        let refused = knight.parse_move(illegal);
        assert!(
            matches!(refused, Err(MoveError::Illegal { .. })),
            "{illegal}: {refused:?}"
        );
    }
}

#[test]
fn an_illegal_position_is_refused_with_the_reason() {
    for (text, reason) in [
        ("", "the placement of the pieces is missing"),
        ("k8/8/9/8/9/8/9/8/8K", "the side to move is missing"),
        ("k8/8/9/8/9/8/9/8/8K w", "the castling field is missing"),
        (
            "k8/8/9/8/9/8/9/8/8K w - -",
            "\"-\" follows the castling rights",
        ),
        ("k8/8/9/8/9/8/9/8 w -", "there are 8, not 9"),
        ("k8/8/9/8/9/8/9/9/8K w -", "row b (9) has 9 circles, not 8"),
        (
            "k8/8/9/8/9/8/9/8/9K w -",
            "row a (9K) has 10 circles, not 9",
        ),
        ("k8/8/9/8/x8/8/9/8/8K w -", "'x' is neither a piece"),
        ("k8/8/9/8/0k8/8/9/8/8K w -", "'0' is neither a piece"),
        ("k8/8/9/8/9/8/9/8/8K x -", "the side to move \"x\" is wrong"),
        (
            "k8/8/9/8/9/8/9/8/R3K3R w RL",
            "the castling rights \"RL\" are wrong",
        ),
        (
            "k8/8/9/8/9/8/9/8/8K w L",
            "castling with a1 needs White's rook there",
        ),
        ("9/8/9/8/9/8/9/8/8K w -", "Black has 0 kings"),
        ("k8/8/9/8/9/8/9/8/K7K w -", "White has 2 kings"),
        ("k6P1/8/9/8/9/8/9/8/8K w -", "there is a pawn on i15"),
        ("k8/8/9/8/PP7/8/9/PPPPPPP1/8K w -", "White has 9 pawns"),
        (
            "k8/8/9/8/QQQ6/8/9/PPPPPPPP/8K w -",
            "White has at least 1 promoted pieces",
        ),
        (
            "k7R/8/9/8/9/8/9/8/8K w -",
            "Black is in check, but it is White to move",
        ),
    ] {
        let error = text.parse::<Board>().unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn damaged_positions_are_refused_or_round_trip_and_damaged_moves_are_refused() {
    let letters: Vec<char> = "KQRBNPkqrbnp123456789/ wb-LRlrax(é".chars().collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(77);
    let mut accepted = 0;
    for round in 0..20_000 {
        let mut text: Vec<char> = ENDINGS[round % ENDINGS.len()].chars().collect();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..text.len());
            let letter = letters[random.random_range(0..letters.len())];
            match random.random_range(0..3) {
                0 => text[at] = letter,
                1 => text.insert(at, letter),
                _ => drop(text.remove(at)),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(board) = text.parse::<Board>() {
            accepted += 1;
            assert_eq!(board.to_string().parse(), Ok(board), "{text}");
            assert_eq!(board.perft(2), naive_perft(&board, 2), "{text}");
        }
        let read = Board::start().parse_move(&text);
        assert!(read.is_err(), "{text}");
    }
    assert!(accepted > 100, "{accepted}");
}
