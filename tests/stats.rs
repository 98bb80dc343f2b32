//! The promise: the results of `ninesixty stats` do not depend on the order of files, threads, shards or interruptions;
//! filters select exactly the games they describe; and the summary says which games were not counted.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{Run, run, shell};
use ninesixty::start::{BackRank, CastlingSide, StartId};
use tempfile::tempdir;

const ALL: [&str; 6] = [
    "data/pgn/fics.pgn",
    "data/pgn/lichess-layout-960.pgn",
    "data/pgn/lichess-standard.pgn",
    "data/pgn/mainz-2009.pgn",
    "data/pgn/tcec-dfrc.pgn",
    "data/pgn/tcec-frc.pgn",
];

const EVERYTHING: [&str; 4] = [
    "--doubles",
    "--include-standard",
    "--repair",
    "--format=csv",
];

fn stats(args: &[&str]) -> Run {
    let args: Vec<&str> = ["stats"].into_iter().chain(args.iter().copied()).collect();
    run(&args)
}

fn succeeds(args: &[&str]) -> Run {
    let run = stats(args);
    assert_eq!(run.code, Some(0), "{args:?}: {}", run.err);
    run
}

/// The rows of a CSV table, by column name.
fn rows(table: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = table.lines().map(|line| line.split(',').map(str::to_owned));
    let columns: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|fields| columns.iter().cloned().zip(fields).collect())
        .collect()
}

fn sum(rows: &[BTreeMap<String, String>], column: &str) -> u64 {
    rows.iter()
        .map(|row| row[column].parse::<u64>().unwrap())
        .sum()
}

fn games(args: &[&str]) -> u64 {
    sum(&rows(&succeeds(args).out), "games")
}

/// The games as python-chess reads them.
fn expected() -> Vec<BTreeMap<String, String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pgn/games.csv");
    rows(&fs::read_to_string(path).unwrap())
}

/// The games that have moves.
fn expected_games() -> impl Iterator<Item = BTreeMap<String, String>> {
    expected().into_iter().filter(|game| game["plies"] != "0")
}

#[test]
fn the_table_matches_the_counts_of_python_chess() {
    let table = rows(&succeeds(&[&ALL[..], &EVERYTHING].concat()).out);
    let games: Vec<_> = expected_games().collect();
    let mut starts: BTreeMap<String, Vec<&BTreeMap<String, String>>> = BTreeMap::new();
    for game in &games {
        let (white, black) = game["start"].split_once('/').unwrap();
        let id = if white == black {
            white
        } else {
            &game["start"]
        };
        starts.entry(id.to_owned()).or_default().push(game);
    }
    assert_eq!(table.len(), starts.len());
    for row in &table {
        let games = &starts[&row["id"]];
        let count = |is: &dyn Fn(&BTreeMap<String, String>) -> bool| {
            games.iter().filter(|game| is(game)).count().to_string()
        };
        let id = &row["id"];
        assert_eq!(row["games"], games.len().to_string(), "{id}");
        for (column, result) in [
            ("white_wins", "1-0"),
            ("draws", "1/2-1/2"),
            ("black_wins", "0-1"),
            ("unfinished", "*"),
        ] {
            assert_eq!(
                row[column],
                count(&|game| game["result"] == result),
                "{id} {column}"
            );
        }
        for (column, field, side) in [
            ("white_a_side", "white_castled", "a"),
            ("white_h_side", "white_castled", "h"),
            ("black_a_side", "black_castled", "a"),
            ("black_h_side", "black_castled", "h"),
        ] {
            assert_eq!(
                row[column],
                count(&|game| game[field].ends_with(side)),
                "{id} {column}"
            );
        }
        let plies: f64 = games
            .iter()
            .map(|game| game["plies"].parse::<f64>().unwrap())
            .sum();
        assert_eq!(
            row["plies"],
            format!("{:.1}", plies / games.len() as f64),
            "{id}"
        );
    }
}

#[test]
fn castling_by_method_matches_the_counts_of_python_chess() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("castling.csv");
    let castling = ["--castling", path.to_str().unwrap()];
    succeeds(&[&ALL[..], &EVERYTHING, &castling].concat());
    let table = rows(&fs::read_to_string(&path).unwrap());
    let mut expected: BTreeMap<[String; 3], (u64, u64, u64, u64)> = BTreeMap::new();
    for game in expected_games() {
        let (white, black) = game["start"].split_once('/').unwrap();
        for (player, start, first_ply) in [("white", white, 1), ("black", black, 2)] {
            let back_rank = BackRank::from(start.parse::<StartId>().unwrap());
            for (side, letter) in [(CastlingSide::ASide, 'a'), (CastlingSide::HSide, 'h')] {
                let method = back_rank.castling(side).method().to_string();
                let kind = [player.to_owned(), side.to_string(), method];
                let (games, castled, plies, on_move_1) = expected.entry(kind).or_default();
                *games += 1;
                if let Some(ply) = game[&format!("{player}_castled")].strip_suffix(letter) {
                    let ply: u64 = ply.parse().unwrap();
                    *castled += 1;
                    *plies += ply;
                    *on_move_1 += u64::from(ply == first_ply);
                }
            }
        }
    }
    assert_eq!(table.len(), expected.len());
    for row in &table {
        let kind = ["player", "side", "method"].map(|column| row[column].clone());
        let (games, castled, plies, on_move_1) = expected[&kind];
        assert_eq!(row["games"], games.to_string(), "{kind:?}");
        assert_eq!(row["castled"], castled.to_string(), "{kind:?}");
        assert_eq!(row["castled_on_move_1"], on_move_1.to_string(), "{kind:?}");
        let ply = plies as f64 / castled as f64;
        let ply = if castled > 0 {
            format!("{ply:.1}")
        } else {
            String::new()
        };
        assert_eq!(row["ply"], ply, "{kind:?}");
    }
    assert!(expected.values().any(|(_, _, _, on_move_1)| *on_move_1 > 0));
}

#[test]
fn the_summary_lists_rejected_games_and_where_they_are() {
    let run = succeeds(&[&ALL[..], &["--format=csv"]].concat());
    let standard = expected()
        .iter()
        .filter(|game| game["file"] == "lichess-standard.pgn")
        .count();
    assert!(
        run.err.contains(&format!(
            "  {standard}: classical chess (--include-standard counts it); the first is in \
             data/pgn/lichess-standard.pgn, byte 0\n"
        )),
        "{}",
        run.err
    );
    assert!(run.err.starts_with("177 games read: "), "{}", run.err);
    assert!(
        run.err.contains("a double start (--doubles counts it)"),
        "{}",
        run.err
    );
    let quiet = succeeds(&[&ALL[..], &["--format=csv", "--quiet"]].concat());
    assert_eq!((quiet.err.as_str(), quiet.out), ("", run.out));
}

#[test]
fn output_bytes_do_not_depend_on_threads_or_the_order_of_files() {
    let directory = tempdir().unwrap();
    let tree = directory.path().join("tree.csv");
    let tree = tree.to_str().unwrap();
    let flags = [&EVERYTHING[..], &["--moves", tree, "--min-games=1"]].concat();
    let table = succeeds(&[&ALL[..], &flags].concat());
    let moves = fs::read(tree).unwrap();
    let mut backwards = ALL;
    backwards.reverse();
    for (files, threads) in [(&ALL[..], "--threads=1"), (&backwards[..], "--threads=7")] {
        let on_disk = ["--memory=1K", threads, "data/pgn/fics.pgn"];
        let again = succeeds(&[files, &flags, &on_disk].concat());
        assert!(
            again.out == table.out && again.err == table.err,
            "{threads}"
        );
        assert!(fs::read(tree).unwrap() == moves, "{threads}");
    }
    let directory = succeeds(&[&["data/pgn"][..], &flags].concat());
    assert!(directory.out == table.out);
    let piped = shell(
        "cat data/pgn/*.pgn | ninesixty stats - --doubles --include-standard --repair --format csv",
    )
    .output()
    .unwrap();
    assert_eq!(Run::from(piped).out, table.out);
}

#[test]
fn the_tree_holds_every_game_at_each_ply() {
    let directory = tempdir().unwrap();
    let tree = directory.path().join("tree.csv");
    let path = tree.to_str().unwrap();
    let flags = [
        &EVERYTHING[..],
        &["--moves", path, "--min-games=1", "--plies=4"],
    ]
    .concat();
    let table = rows(&succeeds(&[&ALL[..], &flags].concat()).out);
    let branches = rows(&fs::read_to_string(&tree).unwrap());
    let at = |ply: u64| -> Vec<_> {
        branches
            .iter()
            .filter(|branch| branch["ply"] == ply.to_string())
            .cloned()
            .collect()
    };
    // Every game of the samples has at least four plies or none.
    for ply in 1..=4 {
        assert_eq!(sum(&at(ply), "games"), sum(&table, "games"), "ply {ply}");
    }
    assert!(at(5).is_empty());
    let expected = expected();
    let first = at(1);
    let e4 = first
        .iter()
        .find(|branch| branch["id"] == "518" && branch["move"] == "e4")
        .unwrap();
    let counted = expected
        .iter()
        .filter(|game| game["start"] == "518/518" && game["first_move"] == "e2e4");
    assert_eq!(e4["games"], counted.count().to_string());
    let pruned = [
        &EVERYTHING[..],
        &["--moves", path, "--min-games=3", "--plies=4"],
    ]
    .concat();
    let run = succeeds(&[&ALL[..], &pruned].concat());
    let kept: Vec<_> = branches
        .iter()
        .filter(|branch| branch["games"].parse::<u64>().unwrap() >= 3)
        .cloned()
        .collect();
    let omitted = branches.len() - kept.len();
    let message = format!(
        "{} moves; {omitted} moves were played in fewer than 3 games and omitted (--min-games)",
        kept.len()
    );
    assert!(run.err.contains(&message), "{}", run.err);
    assert_eq!(rows(&fs::read_to_string(&tree).unwrap()), kept);
}

#[test]
fn filters_select_the_games_that_python_chess_selects() {
    let expected = expected();
    let played: Vec<_> = expected
        .iter()
        .filter(|game| game["plies"] != "0")
        .collect();
    let counted = |is: &dyn Fn(&BTreeMap<String, String>) -> bool| {
        played.iter().filter(|game| is(game)).count() as u64
    };
    let with = |flags: &[&str]| games(&[&ALL[..], &EVERYTHING, flags].concat());
    let rating = |game: &BTreeMap<String, String>, name: &str| game[name].parse::<i64>().ok();
    let both = |game: &BTreeMap<String, String>| {
        Some((rating(game, "white_elo")?, rating(game, "black_elo")?))
    };
    assert_eq!(
        with(&["--min-rating=2000"]),
        counted(&|game| both(game).is_some_and(|(white, black)| white >= 2000 && black >= 2000))
    );
    assert_eq!(
        with(&["--max-rating=2000", "--average-rating"]),
        counted(&|game| both(game).is_some_and(|(white, black)| white + black <= 4000))
    );
    assert_eq!(
        with(&["--max-difference=50"]),
        counted(&|game| both(game).is_some_and(|(white, black)| (white - black).abs() <= 50))
    );
    assert_eq!(
        with(&["--result=1-0"]),
        counted(&|game| game["result"] == "1-0")
    );
    assert_eq!(
        with(&["--result=0-1,1/2-1/2"]),
        counted(&|game| game["result"] == "0-1" || game["result"] == "1/2-1/2")
    );
    assert_eq!(
        with(&["--min-plies=100"]),
        counted(&|game| game["plies"].parse::<u64>().unwrap() >= 100)
    );
    assert_eq!(
        with(&["--starts=518"]),
        counted(&|game| game["start"] == "518/518")
    );
    let mainz = counted(&|game| game["file"] == "mainz-2009.pgn");
    let fics = counted(&|game| game["file"] == "fics.pgn");
    assert_eq!(with(&["--variant=chess 960"]), mainz);
    assert_eq!(with(&["--until=2009", "--since=2009-07-28"]), mainz + fics);
    assert_eq!(with(&["--until=2009-08-11"]), mainz);
    assert!(with(&["--player=nakamura, hikaru"]) > 0);
    assert_eq!(with(&["--player=no player"]), 0);
    let total = with(&[]);
    let speeds = [
        "ultrabullet",
        "bullet",
        "blitz",
        "rapid",
        "classical",
        "correspondence",
        "unknown",
    ];
    let by_speed: u64 = speeds
        .iter()
        .map(|speed| with(&["--time-control", speed]))
        .sum();
    assert_eq!(by_speed, total);
    assert_eq!(with(&["--time-control", &speeds.join(",")]), total);
    assert!(with(&["--termination=time-forfeit"]) < with(&["--termination=time-forfeit,normal"]));
    let is_of_bot = |game: &&str| game.contains("Title \"BOT\"]");
    let bots = ALL.iter().map(|name| {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        text.split("[Event ").filter(is_of_bot).count() as u64
    });
    assert_eq!(with(&["--no-bots"]), total - bots.sum::<u64>());
}

#[test]
fn dedup_counts_duplicates_once() {
    let directory = tempdir().unwrap();
    let copy = directory.path().join("copy.pgn");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(ALL[3])).unwrap();
    fs::write(&copy, text.replace('\n', "\r\n")).unwrap();
    let files = [ALL[3], copy.to_str().unwrap(), "--format=csv"];
    assert_eq!(games(&files), 40);
    let once = succeeds(&[&files[..], &["--dedup"]].concat());
    assert_eq!(sum(&rows(&once.out), "games"), 20);
    assert!(
        once.err
            .contains("20 counted, 0 filtered out, 20 duplicates"),
        "{}",
        once.err
    );
}

#[test]
fn ledgers_and_shards_give_the_same_table() {
    let directory = tempdir().unwrap();
    let path_of = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (tree, ledger) = (path_of("tree.csv"), path_of("ledger"));
    let flags = [&EVERYTHING[..], &["--moves", &tree, "--min-games=1"]].concat();
    let plain = succeeds(&[&ALL[..], &flags].concat());
    let moves = fs::read(&tree).unwrap();
    let kept = [&ALL[..], &flags, &["--ledger", &ledger]].concat();
    assert_eq!(succeeds(&kept).out, plain.out);
    assert!(fs::read(&tree).unwrap() == moves);

    // A ledger without its last lines, as a killed run leaves it.
    let text = fs::read_to_string(&ledger).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // The header, the run and six files.
    assert_eq!(lines.len(), 8);
    fs::write(&ledger, lines[..5].concat() + &lines[5][..50]).unwrap();
    let resumed = succeeds(&kept);
    assert_eq!(resumed.out, plain.out);
    assert!(
        resumed.err.contains("3 of 6 files are already finished"),
        "{}",
        resumed.err
    );
    assert!(fs::read(&tree).unwrap() == moves);

    let shards: Vec<String> = (1..=3)
        .map(|index| path_of(&format!("shard-{index}")))
        .collect();
    for (index, shard) in (1..).zip(&shards) {
        let part = format!("--shard={index}/3");
        let run = succeeds(&[&ALL[..], &flags, &["--ledger", shard, &part]].concat());
        assert!(
            run.out.is_empty() && run.err.contains("2 of 6 files"),
            "{}",
            run.err
        );
    }
    let mut merge: Vec<&str> = vec!["merge", "--format=csv"];
    merge.extend(shards.iter().map(String::as_str));
    merge.extend(["--moves", &tree, "--min-games=1"]);
    fs::remove_file(&tree).unwrap();
    let merged = run(&merge);
    assert_eq!(
        (merged.code, &merged.out),
        (Some(0), &plain.out),
        "{}",
        merged.err
    );
    assert!(fs::read(&tree).unwrap() == moves);
    let partial = run(&["merge", &shards[0], &shards[1]]);
    assert_eq!(partial.code, Some(1));
    assert!(
        partial.err.contains("2 of 6 files are missing"),
        "{}",
        partial.err
    );
    let other = stats(&[&ALL[..], &EVERYTHING, &["--ledger", &ledger]].concat());
    assert_eq!(other.code, Some(2), "{}", other.err);
}

#[test]
fn groups_hold_the_games_that_filters_select() {
    let everything = |flags: &[&str]| succeeds(&[&ALL[..], &EVERYTHING, flags].concat()).out;
    let all = rows(&everything(&[]));
    for (by, column, filter) in [
        ("speed", "speed", "--time-control"),
        ("start,speed", "speed", "--time-control"),
    ] {
        let grouped = rows(&everything(&["--by", by]));
        assert_eq!(sum(&grouped, "games"), sum(&all, "games"));
        let speeds: Vec<&String> = grouped.iter().map(|row| &row[column]).collect();
        for speed in speeds {
            let selected = rows(&everything(&[filter, speed]));
            let group: Vec<_> = grouped.iter().filter(|row| &row[column] == speed).collect();
            for count in ["games", "white_wins", "draws", "repaired", "white_h_side"] {
                let grouped: u64 = group
                    .iter()
                    .map(|row| row[count].parse::<u64>().unwrap())
                    .sum();
                assert_eq!(grouped, sum(&selected, count), "{by} {speed} {count}");
            }
            assert_eq!(group.len(), if by == "speed" { 1 } else { selected.len() });
        }
    }
    // The month of a group is the first and the last of its dates.
    for row in rows(&everything(&["--by", "month"])) {
        let month = &row["month"];
        if !month.is_empty() {
            assert!(row["first_date"].starts_with(month.as_str()), "{row:?}");
            assert!(row["last_date"].starts_with(month.as_str()), "{row:?}");
        }
    }
}

#[test]
fn rating_groups_match_the_games_of_python_chess() {
    let grouped = rows(&succeeds(&[&ALL[..], &EVERYTHING, &["--by", "rating:200"]].concat()).out);
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for game in expected_games() {
        let rating = |name: &str| game[name].parse::<u64>().ok();
        let average = rating("white_elo").zip(rating("black_elo"));
        let group = average.map(|(white, black)| (white + black) / 2 / 200 * 200);
        let group = group.map_or_else(String::new, |low| low.to_string());
        *expected.entry(group).or_default() += 1;
    }
    let found = grouped.iter().map(|row| {
        let games = row["games"].parse().unwrap();
        (row["rating_group"].clone(), games)
    });
    assert_eq!(found.collect::<BTreeMap<String, u64>>(), expected);
    assert!(expected.len() > 5);
}

#[test]
fn the_trees_of_groups_add_up_to_the_tree_of_all_games() {
    let directory = tempdir().unwrap();
    let tree = directory.path().join("tree.csv");
    let path = tree.to_str().unwrap();
    let moves = |flags: &[&str]| {
        let common = ["--moves", path, "--min-games=1"];
        succeeds(&[&ALL[..], &EVERYTHING, &common, flags].concat());
        let mut sums: BTreeMap<[String; 3], u64> = BTreeMap::new();
        for row in rows(&fs::read_to_string(&tree).unwrap()) {
            let key = ["id", "ply", "move"].map(|name| row[name].clone());
            *sums.entry(key).or_default() += row["games"].parse::<u64>().unwrap();
        }
        sums
    };
    assert_eq!(moves(&["--by", "speed,rating:100"]), moves(&[]));
}

#[test]
fn a_directory_that_grows_by_a_month_reads_only_that_month() {
    let directory = tempdir().unwrap();
    let months = directory.path().join("months");
    fs::create_dir(&months).unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join(ALL[1]);
    let sample = fs::read_to_string(sample).unwrap();
    let month = |number: usize| {
        let text = sample.replace("2024", &format!("{}", 2000 + number));
        fs::write(
            months.join(format!("{number:02}.pgn")),
            text + &"\n".repeat(number),
        )
        .unwrap();
    };
    (1..=11).for_each(month);
    let path_of = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (ledger, tree) = (path_of("ledger"), path_of("tree.csv"));
    let files = months.to_str().unwrap();
    let common = [files, "--moves", &tree, "--format=csv", "--by=start,month"];
    let with_ledger = [&common[..], &["--ledger", &ledger]].concat();
    succeeds(&with_ledger);
    month(12);
    let grown = succeeds(&with_ledger);
    assert!(
        grown.err.contains("11 of 12 files are already finished"),
        "{}",
        grown.err
    );
    let moves = fs::read(&tree).unwrap();
    assert_eq!(grown.out, succeeds(&common).out);
    assert!(fs::read(&tree).unwrap() == moves);
}

/// The promise: a ledger identifies files by their content.
#[test]
fn changed_files_are_counted_again_and_renamed_or_copied_ones_are_not() {
    let directory = tempdir().unwrap();
    let path_of = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (file, ledger) = (path_of("month.pgn"), path_of("ledger"));
    let source = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let with_ledger = |file: &str| succeeds(&[file, "--doubles", "--ledger", &ledger]);
    let without = |file: &str| succeeds(&[file, "--doubles"]);
    fs::copy(source(ALL[0]), &file).unwrap();
    let first = with_ledger(&file).out;
    assert_eq!(first, without(&file).out);

    fs::copy(source(ALL[1]), &file).unwrap();
    let changed = with_ledger(&file);
    assert_eq!(changed.out, without(&file).out);
    assert_ne!(changed.out, first);

    let renamed = path_of("renamed.pgn");
    fs::rename(&file, &renamed).unwrap();
    let again = with_ledger(&renamed);
    assert_eq!(again.out, changed.out);
    assert!(
        again.err.contains("1 of 1 files are already finished"),
        "{}",
        again.err
    );
    // Messages about rejected games name the current path.
    assert!(!again.err.contains("month.pgn"), "{}", again.err);

    fs::copy(&renamed, path_of("copy.pgn")).unwrap();
    fs::copy(source(ALL[0]), path_of("other.pgn")).unwrap();
    let all = directory.path().to_str().unwrap();
    let grown = with_ledger(all);
    assert_eq!(grown.out, without(all).out);
    assert!(
        grown.err.contains("2 of 2 files are already finished"),
        "{}",
        grown.err
    );
}

#[test]
fn a_missing_opening_tree_is_computed_again_and_a_damaged_one_exits_with_3() {
    let directory = tempdir().unwrap();
    let path_of = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (tree, ledger) = (path_of("tree.csv"), path_of("ledger"));
    let args = [
        ALL[0],
        ALL[1],
        "--doubles",
        "--moves",
        &tree,
        "--min-games=1",
        "--ledger",
        &ledger,
    ];
    succeeds(&args);
    let moves = fs::read(&tree).unwrap();
    let result_files = format!("{ledger}.d");
    let files = || -> Vec<PathBuf> {
        let entries = fs::read_dir(&result_files).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    assert_eq!(files().len(), 2);
    fs::remove_file(&files()[0]).unwrap();
    let again = succeeds(&args);
    assert!(
        again.err.contains("result files are missing"),
        "{}",
        again.err
    );
    assert!(fs::read(&tree).unwrap() == moves);

    let damaged = &files()[0];
    let mut bytes = fs::read(damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(damaged, &bytes).unwrap();
    fs::remove_file(&tree).unwrap();
    for args in [&args[..], &["merge", &ledger, "--moves", &tree]] {
        let refused = match args[0] {
            "merge" => run(args),
            _ => stats(args),
        };
        assert_eq!(
            (refused.code, refused.out.as_str()),
            (Some(3), ""),
            "{}",
            refused.err
        );
        let name = damaged.file_name().unwrap().to_str().unwrap();
        assert!(refused.err.contains(name), "{}", refused.err);
        assert!(!Path::new(&tree).exists());
    }
    fs::remove_file(damaged).unwrap();
    succeeds(&args);
    assert!(fs::read(&tree).unwrap() == moves);
}

fn damaged_file(directory: &Path) -> PathBuf {
    let path = directory.join("damaged.pgn.zst");
    let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(ALL[1])).unwrap();
    let whole = zstd::encode_all(&text[..], 3).unwrap();
    fs::write(&path, &whole[..whole.len() * 2 / 3]).unwrap();
    path
}

#[test]
fn damaged_files_exit_with_3_and_are_counted_only_with_keep_going() {
    let directory = tempdir().unwrap();
    let path = damaged_file(directory.path());
    let path = path.to_str().unwrap();
    let refused = stats(&[path, ALL[3], "--format=csv"]);
    assert_eq!((refused.code, refused.out.as_str()), (Some(3), ""));
    assert!(
        refused.err.contains("is damaged or truncated: "),
        "{}",
        refused.err
    );
    let kept = stats(&[path, ALL[3], "--format=csv", "--keep-going", "--doubles"]);
    assert_eq!(kept.code, Some(3));
    let games = sum(&rows(&kept.out), "games");
    assert!(games > 20 && games < 95, "{games}");
    assert!(
        kept.err.contains("is damaged or truncated: "),
        "{}",
        kept.err
    );
    for missing in [
        &["no-such-file.pgn"][..],
        &["src"],
        &["no-such-file.pgn", "--keep-going"],
    ] {
        let run = stats(missing);
        assert_eq!(run.code, Some(3), "{missing:?} {}", run.err);
        assert!(run.err.starts_with("error: "), "{}", run.err);
    }
}

#[test]
fn stats_usage_errors_exit_with_2_and_name_the_argument() {
    for (args, message) in [
        (&["--starts=960"][..], "start 960 does not exist"),
        (&["--since=yesterday"], "is not a date"),
        (&["--time-control=fast"], "unknown time control"),
        (&["--plies=0"], "0 is not in 1..=20"),
        (
            &["--min-rating=2001", "--max-rating=2000"],
            "no rating is at least 2001",
        ),
        (
            &["--since=2010", "--until=2009"],
            "no date is 2010 or later (--since) and 2009 or earlier",
        ),
        (&["--format=epd"], "no `fen` column"),
        (&["--min-games=2"], "--moves"),
        (&["--shard=1/2"], "--ledger"),
        (&["--dedup", "--ledger=x"], "cannot be used with"),
        (&["--output=data/pgn/fics.pgn"], "would overwrite"),
        (&["--moves=data/pgn/fics.pgn"], "would overwrite"),
        (
            &["--castling=data/pgn/fics.pgn"],
            "overwrite data/pgn/fics.pgn",
        ),
        (
            &["--output=target/x.csv", "--moves=target/x.csv"],
            "the opening tree would",
        ),
        (
            &["--moves=target/x.csv", "--castling=target/x.csv"],
            "the castling table would",
        ),
    ] {
        let run = stats(&[&["data/pgn/fics.pgn"][..], args].concat());
        assert_eq!(run.code, Some(2), "{args:?} {}", run.err);
        assert!(run.err.contains(message), "{args:?} {}", run.err);
    }
    let run = stats(&["-", "--ledger=x"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
}

#[test]
fn every_format_is_written_and_hostile_names_are_escaped() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("\u{1b}[31m.pgn");
    fs::write(&path, "[Event \"x\"]\n[Variant \"Chess960\"]\n\n1. e4 *\n").unwrap();
    let run = stats(&[path.to_str().unwrap(), "--format=json"]);
    assert_eq!(run.code, Some(0));
    assert!(
        !run.err.contains('\u{1b}') && !run.out.contains('\u{1b}'),
        "{run:?}"
    );
    for format in ["text", "csv", "json", "jsonl", "md"] {
        let run = succeeds(&["data/pgn/mainz-2009.pgn", "--format", format]);
        assert!(run.out.contains("NNRBKRBQ"), "{format}");
    }
    let wide = succeeds(&["data/pgn/mainz-2009.pgn", "--all-columns"]);
    assert!(wide.out.contains("castling_a_side"));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_refused_by_a_build_without_it() {
    for args in [&["--format=parquet"][..], &["--moves=target/x.parquet"]] {
        let run = stats(&[&["data/pgn/fics.pgn"][..], args].concat());
        assert_eq!(run.code, Some(2), "{args:?} {}", run.err);
        assert!(run.err.contains("--features parquet"), "{}", run.err);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_have_the_cells_of_the_csv_tables() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let directory = tempdir().unwrap();
    let tables = ["starts", "moves", "castling"];
    let path_of = |table: &str, format: &str| directory.path().join(format!("{table}.{format}"));
    for format in ["csv", "parquet"] {
        let [starts, moves, castling] =
            tables.map(|table| path_of(table, format).to_str().unwrap().to_owned());
        let flags = [
            "--doubles",
            "--include-standard",
            "--min-games=1",
            "--quiet",
        ];
        let files = [
            "--output",
            &starts,
            "--moves",
            &moves,
            "--castling",
            &castling,
        ];
        succeeds(&[&ALL[..], &flags, &files, &["--format", format]].concat());
    }
    for table in tables {
        let expected = rows(&fs::read_to_string(path_of(table, "csv")).unwrap());
        assert!(!expected.is_empty(), "{table}");
        let file = fs::File::open(path_of(table, "parquet")).unwrap();
        let found = SerializedFileReader::new(file).unwrap();
        let found: Vec<_> = found.get_row_iter(None).unwrap().collect();
        assert_eq!(found.len(), expected.len(), "{table}");
        for (found, expected) in found.into_iter().zip(&expected) {
            let found = found.unwrap();
            assert_eq!(found.len(), expected.len(), "{table}");
            for (name, field) in found.get_column_iter() {
                let expected = &expected[name];
                match field {
                    Field::Double(number) => {
                        assert_eq!(*number, expected.parse::<f64>().unwrap(), "{name}");
                    }
                    Field::Null => assert_eq!(expected, "", "{name}"),
                    Field::Str(text) => assert_eq!(text, expected, "{name}"),
                    Field::Long(number) => assert_eq!(number.to_string(), *expected, "{name}"),
                    Field::Bool(is) => assert_eq!(is.to_string(), *expected, "{name}"),
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn the_reader_changes_no_byte_of_the_tables() {
    let directory = tempdir().unwrap();
    let tables = |reader: &str| {
        let moves = directory.path().join(format!("{reader}.csv"));
        let flags = [
            "--reader",
            reader,
            "--moves",
            moves.to_str().unwrap(),
            "--min-games=1",
        ];
        let run = succeeds(&[&ALL[..], &EVERYTHING, &flags].concat());
        (run.out, run.err, fs::read(&moves).unwrap())
    };
    assert_eq!(tables("scanner"), tables("pgn-reader"));
}

#[test]
fn files_that_are_not_pgn_are_named_for_what_they_are() {
    let directory = tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let text = fs::read_to_string(ALL[3]).unwrap();
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16 = file("utf16.pgn", &utf16);
    let html = file("page.pgn", format!("<html>{text}</html>").as_bytes());
    for (path, message) in [
        (
            &utf16,
            "is UTF-16 text: convert it with `iconv -f UTF-16LE -t UTF-8`",
        ),
        (&html, "is an HTML page: download the PGN file itself"),
    ] {
        let run = stats(&[path]);
        assert_eq!(run.code, Some(3), "{}", run.err);
        assert!(
            run.err.ends_with(&format!("{path} {message}\n")),
            "{}",
            run.err
        );
        let run = stats(&[path, ALL[3], "--keep-going", "--format=csv"]);
        assert_eq!(run.code, Some(3), "{}", run.err);
        assert_eq!(sum(&rows(&run.out), "games"), 20);
    }
    let titled = file("titled.pgn", format!("Mainz 2009\n\n{text}").as_bytes());
    let run = succeeds(&[&titled, "--format=csv"]);
    assert_eq!(sum(&rows(&run.out), "games"), 20);
    let first = format!("  1: text that is not a game; the first is in {titled}, byte 0\n");
    assert!(
        run.err.starts_with("20 games read: 20 counted") && run.err.contains(&first),
        "{}",
        run.err
    );
}

#[test]
fn games_without_moves_count_on_request() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("moveless.pgn");
    let text = fs::read_to_string(ALL[3]).unwrap();
    let end = text.find("\n1. ").unwrap();
    fs::write(&path, format!("{}\n1-0\n\n{text}", &text[..end])).unwrap();
    let path = path.to_str().unwrap();
    let run = succeeds(&[path, "--format=csv"]);
    let without = rows(&run.out);
    assert_eq!(sum(&without, "games"), 20);
    let reason = "1: no moves (--include-moveless counts it if it has a result)";
    assert!(run.err.contains(reason), "{}", run.err);
    let castling = directory.path().join("castling.csv");
    let flags = [
        "--include-moveless",
        "--castling",
        castling.to_str().unwrap(),
        "--format=csv",
    ];
    let run = succeeds(&[&[path][..], &flags].concat());
    let table = rows(&run.out);
    assert_eq!(sum(&table, "games"), 21);
    for column in ["plies", "first_move", "first_move_games", "white_castled"] {
        let values = |table: &[BTreeMap<String, String>]| -> Vec<String> {
            table.iter().map(|row| row[column].clone()).collect()
        };
        assert_eq!(values(&table), values(&without), "{column}");
    }
    let castling = rows(&fs::read_to_string(&castling).unwrap());
    let white: Vec<_> = castling
        .into_iter()
        .filter(|row| row["player"] == "white")
        .collect();
    assert_eq!(sum(&white, "games"), 2 * 20);
    let json = succeeds(&[path, "--include-moveless", "--format=json"]).out;
    assert!(json.contains("--include-moveless"), "{json}");
}
