//! The command line with `--rules zchess`.

use std::collections::BTreeMap;
use std::fs;

use tempfile::tempdir;

use super::common::{Run, run, shell};
use super::reference::Reference;
use super::{ENDINGS, START, board};
use ninesixty::perft::Position;

fn done(args: &[&str]) -> String {
    let Run { code, out, err } = run(args);
    assert_eq!(code, Some(0), "{args:?}: {err}");
    out
}

/// Runs `perft --rules zchess` quietly, with a table as CSV.
fn perft(args: &[&str]) -> String {
    let rules = ["perft", "--rules", "zchess", "--format", "csv", "--quiet"];
    done(&[&rules, args].concat())
}

fn refused(args: &[&str], code: i32, reason: &str) {
    let run = run(args);
    assert_eq!(run.code, Some(code), "{args:?}: {}", run.err);
    assert!(run.err.contains(reason), "{args:?}: {}", run.err);
    assert_eq!(run.out, "", "{args:?}");
}

#[test]
fn perft_of_the_start_is_the_same_with_every_option() {
    let start = board(START);
    let counts: Vec<String> = (1..=4)
        .map(|depth| start.perft(depth).to_string())
        .collect();
    let table = format!("fen,d1,d2,d3,d4\n{START},{}\n", counts.join(","));
    for flags in [
        &[][..],
        &["--hash", "off"],
        &["--hash", "1M", "--seed", "2"],
        &["--threads", "1"],
        &["--check", "1"],
        &["--fen", START],
    ] {
        assert_eq!(
            perft(&[&["--depth", "4"], flags].concat()),
            table,
            "{flags:?}"
        );
    }
}

#[test]
fn check_counts_with_another_seed_and_without_merging() {
    let checked = run(&["perft", "--rules", "zchess", "--depth", "3", "--check", "1"]);
    assert_eq!(checked.code, Some(0));
    assert!(
        checked
            .err
            .contains("checked 1 positions, 6 counts in all: 0 differ"),
        "{}",
        checked.err
    );
}

#[test]
fn every_format_has_the_position_and_its_counts() {
    let epd = [
        "perft", "--rules", "zchess", "--depth", "2", "--quiet", "--format", "epd",
    ];
    assert_eq!(done(&epd), format!("{START} ;D1 32 ;D2 1024\n"));
    for format in ["text", "json", "jsonl", "md"] {
        let args = [
            "perft", "--rules", "zchess", "--depth", "2", "--format", format,
        ];
        let table = done(&args);
        assert!(table.contains(START) && table.contains("32"), "{table}");
        if format == "json" {
            assert!(
                table.contains(r#""command":"perft --rules zchess --depth 2""#),
                "{table}"
            );
        }
    }
}

#[test]
fn divide_names_every_first_move_twice_and_adds_up() {
    let castling = ENDINGS[0];
    let table = perft(&["--fen", castling, "--depth", "3", "--divide"]);
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("move,long,nodes"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let total: u64 = rows.iter().map(|row| row[2].parse::<u64>().unwrap()).sum();
    assert_eq!(total, board(castling).perft(3));
    let names: Vec<[&str; 2]> = rows.iter().map(|row| [row[0], row[1]]).collect();
    assert!(names.contains(&["0-0-0(L)", "0-0-0(L)"]), "{table}");
    assert!(names.contains(&["a9a11", "Ka9-a11"]), "{table}");
}

#[test]
fn unique_counts_match_the_reference() {
    let mut found = vec![Reference::read(START)];
    let mut counts = Vec::new();
    for _ in 0..3 {
        let children = found.iter().flat_map(Reference::moves);
        let distinct: BTreeMap<String, Reference> =
            children.map(|(_, after)| (after.text(), after)).collect();
        counts.push(distinct.len().to_string());
        found = distinct.into_values().collect();
    }
    let table = format!("fen,u1,u2,u3\n{START},{}\n", counts.join(","));
    assert_eq!(perft(&["--depth", "3", "--unique"]), table);
}

#[test]
fn shards_and_resumed_ledgers_merge_to_the_bytes_of_one_run() {
    let directory = tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let positions: Vec<&str> = ENDINGS[..6].iter().flat_map(|fen| ["--fen", fen]).collect();
    let count = |flags: &[&str]| perft(&[&positions[..], &["--depth", "3"], flags].concat());
    let whole = count(&[]);
    assert_eq!(whole.lines().count(), 7);

    let [one, two] = ["1", "2"].map(path);
    assert_eq!(count(&["--shard", "1/2", "--ledger", &one]), "");
    refused(&["merge", &one], 1, "3 of 6 positions are missing");
    assert_eq!(count(&["--shard", "2/2", "--ledger", &two]), "");
    assert_eq!(done(&["merge", &two, &one, "--format", "csv"]), whole);
    assert_eq!(
        count(&["--ledger", &one, "--seed", "7"]),
        whole,
        "a shard is resumed"
    );

    let torn = fs::read(&one).unwrap();
    fs::write(&one, &torn[..torn.len() - 3]).unwrap();
    assert_eq!(
        count(&["--ledger", &one]),
        whole,
        "a torn ledger is resumed"
    );
}

#[test]
fn a_ledger_of_one_game_is_refused_by_the_other_and_old_chess_ledgers_stay_valid() {
    let directory = tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let ledger = path("zchess");
    perft(&["--depth", "2", "--ledger", &ledger]);
    refused(
        &["perft", "518", "--depth", "2", "--ledger", &ledger],
        2,
        "rules is \"zchess\" there and \"chess960\" here",
    );
    let chess = path("chess");
    fs::copy("data/shard-1-of-2.jsonl", &chess).unwrap();
    let args = ["perft", "sample:4", "--depth", "3", "--ledger", &chess];
    let run = run(&args);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.err.contains("2 of 4 positions are already finished"),
        "{}",
        run.err
    );
}

#[test]
fn options_that_do_not_apply_are_refused() {
    let zchess =
        |args: &[&'static str]| [&["perft", "--rules", "zchess", "--depth", "1"], args].concat();
    refused(&zchess(&["518"]), 2, "Z-Chess has only one start");
    refused(
        &zchess(&["--epd", "data/tricky.epd"]),
        2,
        "EPD files hold chess positions",
    );
    refused(
        &zchess(&["--breakdown"]),
        2,
        "--breakdown is not available for --rules zchess",
    );
    refused(&zchess(&["--fen", "8/8 w -"]), 2, "there are 2, not 9");
    refused(
        &zchess(&["--divide", "--fen", ENDINGS[0], "--fen", ENDINGS[1]]),
        2,
        "--divide shows one position, not 2",
    );
    let twice = run(&zchess(&[
        "--fen", START, "--fen", START, "--format", "csv",
    ]));
    assert_eq!((twice.code, twice.out.lines().count()), (Some(0), 1 + 2));
    refused(
        &["perft", "--depth", "1", "--fen", START],
        2,
        "'--fen <FEN>'",
    );
    refused(
        &["perft", "--depth", "1", "--rules", "checkers"],
        2,
        "chess960, zchess",
    );
    refused(
        &["show", "--rules", "zchess", "--format", "csv"],
        2,
        "use --format text",
    );
    refused(
        &["show", "--rules", "zchess", "--letters", "german"],
        2,
        "only English letters",
    );
    refused(
        &["show", "--rules", "zchess", "518"],
        2,
        "there are 1, not 9",
    );
}

#[test]
fn show_draws_the_circles_and_the_state_of_the_game() {
    let page = done(&["show", "--rules", "zchess"]);
    let row = |letter: char| {
        let row = page
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{letter} ")));
        row.unwrap_or_else(|| panic!("row {letter} is missing: {page}"))
            .to_owned()
    };
    // The circles of row b are half-way between those of row a.
    let columns = |letter| -> Vec<usize> {
        let row = row(letter);
        let pieces = row.chars().enumerate().skip(4);
        pieces
            .filter(|(_, piece)| *piece != ' ')
            .map(|(column, _)| column)
            .collect()
    };
    let (a, b) = (columns('a'), columns('b'));
    assert_eq!((a.len(), b.len()), (9, 8));
    for (place, column) in b.iter().enumerate() {
        assert_eq!((a[place] + a[place + 1]) / 2, *column);
    }
    let circles: usize = ('a'..='i').map(|letter| columns(letter).len()).sum();
    assert_eq!(circles, 77);

    let title: Run = shell("ninesixty show --rules zchess | head -n 1")
        .output()
        .unwrap()
        .into();
    assert_eq!(
        (title.out.as_str(), title.err.as_str()),
        ("Z-Chess: the start\n", "")
    );

    let show = |fen: &str| done(&["show", "--rules", "zchess", fen]);
    assert!(show("9/8/9/8/9/8/9/1N6/k1K6 b -").contains("Black, checkmated"));
    assert!(show("8k/8/9/8/9/8/9/8/K8 w -").contains("too little material to mate"));
    assert!(show("k8/8/N8/8/9/8/9/8/8K b -").contains("Black, in check"));
}
