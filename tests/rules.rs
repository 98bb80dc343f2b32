//! The promise: the rules of Chess960 are implemented correctly. They are compared with published perft results and
//! with two other move generators.

#[path = "common/games.rs"]
mod games;

use ninesixty::chess::count::perft_at;
use ninesixty::chess::random::random_start;
use ninesixty::chess::{Board, FenError, Move, SetupError, Zobrist};
use ninesixty::cpu::Level;
use ninesixty::generator::Counter;
use ninesixty::generator::{Cozy, Own, Shakmaty};
use ninesixty::perft::{Position, naive_perft};
use ninesixty::start::StartId;
use ninesixty::table::read::parse_epd;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

use games::for_each_random_position;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MILLION: u64 = 1_000_000;

fn board(fen: &str) -> Board {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn shakmaty_position(board: &Board) -> Chess {
    let fen: Fen = board.shredder_fen().parse().unwrap();
    fen.into_position(CastlingMode::Chess960).unwrap()
}

fn shakmaty_fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

fn shakmaty_move(position: &Chess, mv: Move) -> shakmaty::Move {
    let uci: UciMove = mv.to_string().parse().unwrap();
    uci.to_move(position).unwrap()
}

fn suite_agrees(text: &str, max_nodes: u64) {
    let entries = parse_epd(std::path::Path::new("suite"), text.as_bytes()).unwrap();
    entries.par_iter().for_each(|entry| {
        let board = board(&entry.fen);
        for &(depth, nodes) in &entry.counts {
            if nodes <= max_nodes.into() {
                let found = board.perft(depth);
                assert_eq!(u128::from(found), nodes, "{} depth {depth}", entry.fen);
            }
        }
    });
}

#[test]
fn every_position_of_the_fischer_suite_has_its_published_counts() {
    suite_agrees(include_str!("../data/fischer.epd"), MILLION);
}

#[test]
fn every_position_of_the_tricky_suite_has_its_published_counts() {
    suite_agrees(include_str!("../data/tricky.epd"), MILLION);
}

#[test]
#[ignore = "a minute and more: before a release"]
fn the_suites_have_their_published_counts_to_a_hundred_million_nodes() {
    suite_agrees(include_str!("../data/fischer.epd"), 100 * MILLION);
    suite_agrees(include_str!("../data/tricky.epd"), 100 * MILLION);
}

#[test]
fn the_classical_start_and_kiwipete_have_their_well_known_counts() {
    let start = Board::from_start(StartId::CLASSICAL);
    for (depth, nodes) in (0..).zip([1, 20, 400, 8_902, 197_281, 4_865_609]) {
        assert_eq!(start.perft(depth), nodes);
    }
    let kiwipete = board(KIWIPETE);
    for (depth, nodes) in (1..).zip([48, 2_039, 97_862, 4_085_603]) {
        assert_eq!(kiwipete.perft(depth), nodes);
    }
}

#[test]
fn all_960_starts_have_the_counts_of_shakmaty_and_cozy_chess_to_depth_4() {
    StartId::all()
        .collect::<Vec<_>>()
        .into_par_iter()
        .for_each(|start| {
            let board = Board::from_start(start);
            for depth in 1..=4 {
                let own = Own.perft(&board, depth).unwrap();
                assert_eq!(
                    own,
                    Shakmaty.perft(&board, depth).unwrap(),
                    "start {start} depth {depth}"
                );
                assert_eq!(
                    own,
                    Cozy.perft(&board, depth).unwrap(),
                    "start {start} depth {depth}"
                );
            }
        });
}

#[test]
fn legal_moves_agree_with_shakmaty_in_a_hundred_thousand_random_positions() {
    (0..20).into_par_iter().for_each(|seed| {
        for_each_random_position(seed, 5_000, |board| {
            let own = Own.divide(board, 1).unwrap();
            let shakmaty = Shakmaty.divide(board, 1).unwrap();
            assert_eq!(own, shakmaty, "{board:?}");
        });
    });
}

#[test]
fn bulk_counting_agrees_with_naive_perft_on_every_instruction_set() {
    let levels = Level::all();
    (100..108).into_par_iter().for_each(|seed| {
        for_each_random_position(seed, 400, |board| {
            let expected = naive_perft(board, 3);
            for &level in &levels {
                assert_eq!(perft_at(level, board, 3), expected, "{level:?} {board:?}");
            }
        });
    });
}

#[test]
fn colour_flipped_positions_have_equal_counts() {
    for_each_random_position(7, 2_000, |board| {
        assert_eq!(board.perft(2), board.flipped().perft(2), "{board:?}");
    });
}

#[test]
fn fens_round_trip() {
    for_each_random_position(1, 20_000, |position| {
        for fen in [position.x_fen(), position.shredder_fen()] {
            assert_eq!(board(&fen), *position, "{fen}");
        }
        assert_eq!(board(&position.x_fen()).x_fen(), position.x_fen());
        assert_eq!(
            board(&position.x_fen()).shredder_fen(),
            position.shredder_fen()
        );
    });
}

#[test]
fn fens_agree_with_shakmaty() {
    for_each_random_position(2, 20_000, |board| {
        assert_eq!(board.x_fen(), shakmaty_fen(&shakmaty_position(board)));
    });
}

#[test]
fn k_and_q_of_an_x_fen_are_the_outermost_rooks() {
    for (placement, x_fen, shredder_fen) in [
        // The usual example of X-FEN: the rook on h1 is outside the one that may castle.
        (
            "rn2k1r1/ppp1pp1p/3p2p1/5bn1/P7/2N2B2/1PPPPP2/2BNK1RR",
            "Gkq",
            "Gga",
        ),
        // From the tricky suite: castling with the inner rook, and with the outermost.
        ("rkr3r1/8/8/8/8/8/8/RKR3R1", "CQcq", "CAca"),
        ("rkr3r1/8/8/8/8/8/8/RKR3R1", "KQkq", "GAga"),
        ("4k3/8/8/8/8/8/8/R1R1K2R", "KC", "HC"),
        ("4k3/8/8/8/8/8/8/R1R1K2R", "KQ", "HA"),
    ] {
        let x_fen = format!("{placement} w {x_fen} - 4 11");
        let shredder_fen = format!("{placement} w {shredder_fen} - 4 11");
        assert_eq!(board(&x_fen).shredder_fen(), shredder_fen);
        assert_eq!(board(&shredder_fen).x_fen(), x_fen);
    }
}

fn every_move_agrees(board: &Board) {
    let theirs = shakmaty_position(board);
    for mv in board.legal_moves() {
        let mut after = theirs.clone();
        after.play_unchecked(shakmaty_move(&theirs, mv));
        let after = shakmaty_fen(&after);
        assert_eq!(board.play(mv).x_fen(), after, "{mv} in {board:?}");
    }
}

#[test]
fn positions_after_every_move_agree_with_shakmaty_clocks_included() {
    for_each_random_position(5, 5_000, every_move_agrees);
    // Random games seldom have a promotion that captures a rook with a castling right.
    let rooks_en_prise = board("2rkr3/5PP1/8/5Q2/5q2/8/5pp1/2RKR3 w CEce - 0 1");
    every_move_agrees(&rooks_en_prise);
    every_move_agrees(&rooks_en_prise.flipped());
}

#[test]
fn sans_round_trip_and_agree_with_shakmaty() {
    for_each_random_position(3, 5_000, |board| {
        let theirs = shakmaty_position(board);
        for mv in board.legal_moves() {
            let san = board.san(mv);
            assert_eq!(board.parse_san(&san), Ok(mv), "{board:?}");
            assert_eq!(board.parse_uci(&mv.to_string()), Ok(mv), "{board:?}");
            let their_san = SanPlus::from_move(theirs.clone(), shakmaty_move(&theirs, mv));
            assert_eq!(san, their_san.to_string(), "{board:?}");
        }
    });
}

#[test]
fn incrementally_updated_zobrist_keys_are_those_computed_from_scratch() {
    let zobrist = Zobrist::new(960);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for _ in 0..100 {
        let mut board = Board::from_double_start(random_start(&mut random));
        let mut key = zobrist.of(&board);
        for _ in 0..100 {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let after = board.play(moves[random.random_range(0..moves.len())]);
            key = zobrist.update(key, &board, &after);
            assert_eq!(key, zobrist.of(&after), "{after:?}");
            board = after;
        }
    }
}

#[test]
fn equal_positions_have_equal_zobrist_keys_and_distinct_ones_distinct_keys() {
    let zobrist = Zobrist::new(1);
    // The published numbers of distinct positions after each ply of the classical start.
    let mut level = vec![Board::from_start(StartId::CLASSICAL)];
    for distinct in [20, 400, 5_362, 72_078] {
        let mut seen = std::collections::HashMap::new();
        for board in level {
            board.for_each_move(|mv| {
                let after = board.play(mv);
                seen.insert(zobrist.of(&after), after);
            });
        }
        level = seen.into_values().collect();
        assert_eq!(level.len(), distinct);
    }
}

fn refusal(fen: &str) -> String {
    fen.parse::<Board>().unwrap_err().to_string()
}

#[test]
fn illegal_positions_are_refused_with_the_reason() {
    for (fen, reason) in [
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has 0 kings, not one"),
        (
            "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
            "White has 2 kings, not one",
        ),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "there is a pawn on a8"),
        ("4k3/8/8/8/P7/8/PPPPPPPP/4K3 w - - 0 1", "White has 9 pawns"),
        (
            "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1",
            "White has 17 pieces",
        ),
        (
            "qq2k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1",
            "Black has at least 1 promoted pieces, but only 0 pawns are missing",
        ),
        (
            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
            "Black is in check, but it is White to move",
        ),
        ("8/8/8/8/8/8/3k4/4K3 w - - 0 1", "Black is in check"),
        (
            "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
            "K needs a White rook between e1 and the h-file",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w KH - 0 1",
            "it names the rook on h1 twice",
        ),
        (
            "4k3/8/8/8/8/8/8/4K1RR w HG - 0 1",
            "two rooks on the same side",
        ),
        (
            "4k3/8/8/8/8/8/4K3/7R w H - 0 1",
            "H needs White's king on its home rank",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w X - 0 1",
            "'X' is neither one of KQkq nor a file",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
            "en passant on e6 needs the pawn",
        ),
        (
            "4k3/8/8/4p3/8/8/8/4K3 w - e5 0 1",
            "en passant on e5 is not on the rank",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "\"e9\" is not a square"),
        ("4k3/8/8/8/8/8/8 w - - 0 1", "it has 7 ranks, not 8"),
        (
            "4k3/8/8/8/8/8/8/4K4 w - - 0 1",
            "rank 1 (4K4) has 9 squares, not 8",
        ),
        (
            "4k3/8/8/8/8/8/8/4X3 w - - 0 1",
            "'X' is neither a piece nor",
        ),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "it is neither w nor b"),
        ("4k3/8/8/8/8/8/8/4K3 w", "the castling field is missing"),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
            "halfmove clock field \"-1\"",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 e4",
            "\"e4\" follows the six fields",
        ),
    ] {
        let message = refusal(fen);
        assert!(message.contains(reason), "{fen}: {message}");
    }
}

#[test]
fn errors_are_typed() {
    let error = "8/8/8/8/8/8/8/4K3 w - - 0 1".parse::<Board>().unwrap_err();
    assert!(matches!(
        error,
        FenError::Setup(SetupError::Kings { count: 0, .. })
    ));
}

#[test]
fn the_en_passant_square_is_kept_only_if_a_capture_is_legal() {
    let kept = "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1";
    assert_eq!(board(kept).x_fen(), kept);
    let no_capturer = "4k3/8/8/8/3P4/8/8/4K3 b - d3 0 1";
    assert_eq!(board(no_capturer).en_passant(), None);
    // The published position "ep vertical pin": the capture would open the e-file.
    let pinned = "4k3/8/8/8/3Pp3/8/8/4R1K1 b - d3 0 1";
    assert_eq!(board(pinned).en_passant(), None);
}

#[test]
fn castling_is_parsed_in_every_notation_in_use() {
    let classical = board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let short = classical.parse_uci("e1h1").unwrap();
    for text in ["O-O", "0-0", "O-O+", "0-0!?"] {
        assert_eq!(classical.parse_san(text), Ok(short), "{text}");
    }
    assert_eq!(classical.parse_uci("e1g1"), Ok(short));
    let long = classical.parse_uci("e1a1").unwrap();
    for text in ["O-O-O", "0-0-0"] {
        assert_eq!(classical.parse_san(text), Ok(long), "{text}");
    }
    // With the king on f1, f1g1 is a king step and not castling.
    let shuffled = board("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    assert_ne!(shuffled.parse_uci("f1g1"), shuffled.parse_uci("f1h1"));
    assert!(shuffled.parse_uci("e1e2").is_err());
    for nonsense in ["", "e", "é1", "♔e1", "Kx", "e1g1qq", "=Q", "x"] {
        assert!(classical.parse_uci(nonsense).is_err(), "{nonsense}");
        assert!(classical.parse_san(nonsense).is_err(), "{nonsense}");
    }
}
