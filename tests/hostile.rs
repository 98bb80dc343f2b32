//! No text makes a parser panic, and every value that a parser accepts can be written and parsed again.
//!
//! Valid texts are mutated at random: bytes are changed, deleted, duplicated, moved or taken from another text. The
//! seeds are fixed, so a failure is reproducible, and the message shows the text that caused it.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use ninesixty::chess::Board;
use ninesixty::perft::{Position, naive_perft};
use ninesixty::start::{Letters, Selection, StartId};
use ninesixty::table::read::{Sheet, parse_epd};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

const MUTATIONS: u64 = 100_000;

const POSITIONS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1",
    "1r2k3/P6P/8/8/8/8/p6p/1R2K3 w - - 65535 65535",
    "rk2r3/8/8/8/8/8/8/RKR1R2R w CAa -",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAgb - 0 1",
];

/// Bytes that have a meaning to one of the parsers, so that mutations are often almost valid.
const MEANINGFUL: &[u8] =
    b"KQRBNPkqrbnpwabcdefgh012345678/- ;,\"?:xO=+#\n\r\0\xef\xbb\xbf\xd0\xe2\xff";

fn mutate(text: &[u8], donor: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..random.random_range(1..=3) {
        let at = random.random_range(0..=text.len());
        let end = random.random_range(at..=text.len().min(at + 8));
        match random.random_range(0..7) {
            0 => text.insert(at, random.random()),
            1 => text.insert(at, MEANINGFUL[random.random_range(0..MEANINGFUL.len())]),
            2 if at < text.len() => text[at] = MEANINGFUL[random.random_range(0..MEANINGFUL.len())],
            3 => drop(text.drain(at..end)),
            4 => text.extend_from_within(at..end),
            5 if at < end => text.swap(at, end - 1),
            _ => {
                let from = random.random_range(0..=donor.len());
                text.splice(
                    at..end,
                    donor[from..donor.len().min(from + 12)].iter().copied(),
                );
            }
        }
    }
    text
}

/// Parses mutations of these texts, and shows the one that causes a panic.
fn parse_mutations(texts: &[impl AsRef<[u8]> + Sync], parse: impl Fn(&[u8]) + Sync) {
    (0..MUTATIONS).into_par_iter().for_each(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let text = texts[random.random_range(0..texts.len())].as_ref();
        let donor = texts[random.random_range(0..texts.len())].as_ref();
        let mutation = mutate(text, donor, &mut random);
        if catch_unwind(AssertUnwindSafe(|| parse(&mutation))).is_err() {
            panic!("{:?} causes a panic", String::from_utf8_lossy(&mutation));
        }
    });
}

/// Asserts that the text of a value parses as the same value.
fn assert_parses_back<T: PartialEq + Debug>(
    value: &T,
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
) {
    assert_eq!(parse(text).as_ref(), Some(value), "{text}");
}

#[test]
fn fens_are_rejected_or_parse_back_to_the_same_board() {
    let accepted = AtomicU64::new(0);
    parse_mutations(&POSITIONS, |bytes| {
        let Ok(board) = String::from_utf8_lossy(bytes).parse::<Board>() else {
            return;
        };
        for fen in [board.x_fen(), board.shredder_fen()] {
            assert_parses_back(&board, &fen, |fen| fen.parse().ok());
        }
        assert_eq!(board.perft(2), naive_perft(&board, 2), "{board:?}");
        accepted.fetch_add(1, Ordering::Relaxed);
    });
    let accepted = accepted.into_inner();
    let is_meaningful = (MUTATIONS / 50..MUTATIONS / 2).contains(&accepted);
    assert!(is_meaningful, "{accepted} of {MUTATIONS} were accepted");
}

#[test]
fn selections_are_rejected_or_have_starts_in_ascending_order() {
    let texts = [
        "all",
        "518",
        "0-99",
        "0,5,10-20",
        "RNBQKBNR",
        "R??K???R",
        "sample:96",
        "959,bbqnnrkr,??????k?",
        "ЛКСФКрСКЛ",
        "♖♘♗♕♔♗♘♖",
        "BHFVKFHB,7",
        "TSLDKLST",
        "sample:960,0-959",
        "100-200,300-400,ЛКСФКр???",
    ];
    parse_mutations(&texts, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for letters in Letters::ALL {
            // A selection of double starts allocates an entry for all 921,600 of them, so try it in one language only.
            if text.contains('/') && letters != Letters::English {
                continue;
            }
            match Selection::read(&text, letters) {
                Ok(Selection::Singles(starts)) => {
                    assert!(!starts.is_empty() && starts.is_sorted_by(|a, b| a < b));
                    let listed: Vec<String> = starts.iter().map(StartId::to_string).collect();
                    let starts = Selection::Singles(starts);
                    assert_parses_back(&starts, &listed.join(","), |text| text.parse().ok());
                }
                Ok(Selection::Doubles(starts)) => assert!(!starts.is_empty()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    });
}

#[test]
fn epd_lines_are_rejected_or_have_each_depth_once() {
    let suite: Vec<&str> = include_str!("../data/tricky.epd")
        .lines()
        .chain(include_str!("../data/fischer.epd").lines().take(50))
        .chain(["# comment\r\n\r\n8/8 w - - D1 20; id \"a;b\";\r\n8/8 b - - 0 1 ;D2 3"])
        .collect();
    parse_mutations(&suite, |bytes| {
        let Ok(lines) = parse_epd(Path::new("hostile.epd"), bytes) else {
            return;
        };
        for line in lines {
            assert!(
                line.line > 0 && line.fen.split(' ').count() >= 4,
                "{line:?}"
            );
            let mut depths: Vec<u32> = line.counts.iter().map(|&(depth, _)| depth).collect();
            depths.sort_unstable();
            assert!(
                depths.is_sorted_by(|a, b| a < b) && !depths.contains(&0),
                "{line:?}"
            );
        }
    });
}

#[test]
fn tables_are_rejected_or_have_a_field_for_every_column() {
    let tables = [
        "id,back_rank,fen,d1,d2\n518,RNBQKBNR,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,20,400\n",
        "\u{feff}fen,d1\r\n\r\n\"4k3/8/8/8/8/8/8/4K3 w - -\",5\r\n",
        "a,\"b\"\"c\",d10\n\"x\ny\",,340282366920938463463374607431768211455\n",
    ];
    parse_mutations(&tables, |bytes| {
        let Ok(sheet) = Sheet::parse(Path::new("hostile.csv"), bytes) else {
            return;
        };
        for record in sheet.records() {
            assert_eq!(record.fields.len(), sheet.columns().len());
            for (column, depth) in sheet.depths() {
                assert!(depth > 0);
                let count = sheet.count(record, column);
                assert!(count.is_ok() || !count.unwrap_err().to_string().is_empty());
            }
        }
    });
}

#[test]
fn moves_are_rejected_or_legal_and_parse_back_to_the_same_move() {
    let boards: Vec<Board> = POSITIONS.iter().map(|fen| fen.parse().unwrap()).collect();
    let mut texts: Vec<String> = ["O-O", "0-0-0+", "e8=Q#", "exd6!?", "Nb1xd2", "R1a3"]
        .map(str::to_owned)
        .to_vec();
    for board in &boards {
        texts.extend(board.legal_moves().into_iter().map(|mv| board.san(mv)));
        texts.extend(board.legal_moves().iter().map(ToString::to_string));
    }
    parse_mutations(&texts, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for board in &boards {
            let moves = board.legal_moves();
            for mv in [board.parse_san(&text), board.parse_uci(&text)]
                .into_iter()
                .flatten()
            {
                assert!(moves.contains(&mv), "{text} {board:?}");
                assert_parses_back(&mv, &board.san(mv), |san| board.parse_san(san).ok());
                assert_parses_back(&mv, &mv.to_string(), |uci| board.parse_uci(uci).ok());
            }
        }
    });
}
