//! The contender of `cargo bench --bench pgn` counts what `stats` counts: two programs without common code for reading games.

#[path = "../benches/pgn/compare.rs"]
mod compare;
#[path = "../benches/pgn/contender/mod.rs"]
mod contender;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use compare::{Tables, compare};
use contender::Options;
use tempfile::tempdir;

/// Counts a file with both programs, with these flags of `stats` and a tree of this many plies.
fn assert_same(path: &Path, flags: &[&str], plies: usize, min_games: u64, threads: u64) {
    let directory = tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let ours = [file("ours.csv"), file("our-moves.csv")];
    let theirs = [file("theirs.csv"), file("their-moves.csv")];
    let options = Options {
        plies,
        moves: Some(theirs[1].clone()),
        min_games,
        include_standard: flags.contains(&"--include-standard"),
        doubles: flags.contains(&"--doubles"),
        repair: flags.contains(&"--repair"),
        threads,
        output: theirs[0].clone(),
    };
    let summary = contender::run(path, &options).unwrap();
    let text = |path: &PathBuf| path.display().to_string();
    let (plies, min_games) = (plies.to_string(), min_games.to_string());
    let (table, moves) = (text(&ours[0]), text(&ours[1]));
    let args: [&[&str]; 2] = [
        &[
            "stats",
            path.to_str().unwrap(),
            "--format=csv",
            "--output",
            &table,
            "--moves",
            &moves,
            "--plies",
            &plies,
            "--min-games",
            &min_games,
        ],
        flags,
    ];
    let mut command = Command::new(cargo_bin!("ninesixty"));
    let run = command.args(args.concat()).output().unwrap();
    let messages = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(0), "{messages}");
    let counted = format!("{} games read: {} counted,", summary.read, summary.counted);
    assert!(messages.contains(&counted), "{messages}{counted}");
    let tables = |files| {
        let [starts, moves]: &[PathBuf; 2] = files;
        Tables {
            starts,
            moves: Some(moves),
        }
    };
    let compared = compare(tables(&ours), tables(&theirs));
    assert_eq!(compared, Ok(()), "{}", path.display());
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name)
}

#[test]
fn samples_of_every_origin_are_counted_alike() {
    for (name, flags) in [
        ("fics.pgn", &[][..]),
        ("lichess-layout-960.pgn", &["--doubles"][..]),
        ("lichess-standard.pgn", &["--include-standard"][..]),
        ("lichess-standard.pgn", &[][..]),
        ("mainz-2009.pgn", &[][..]),
        ("tcec-dfrc.pgn", &["--doubles"][..]),
        ("tcec-dfrc.pgn", &[][..]),
        ("tcec-frc.pgn", &["--repair"][..]),
    ] {
        for (plies, threads) in [(1, 1), (20, 2)] {
            assert_same(&data("pgn").join(name), flags, plies, 1, threads);
        }
    }
}

#[test]
fn thousands_of_real_games_are_counted_alike() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("corpus.pgn");
    let corpus = File::open(data("corpus/lichess-layout-960.pgn.zst")).unwrap();
    let text = zstd::decode_all(corpus).unwrap();
    fs::write(&path, text).unwrap();
    assert_same(&path, &["--doubles"], 20, 1, 2);
    assert_same(&path, &[], 8, 3, 1);
}
