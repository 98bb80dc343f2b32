//! The promise: exit codes, streams and output bytes of the program are as documented, and errors name what is wrong.
//! Only data goes to standard output.

mod common;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;
use common::{Run, run, shell};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

const CLASSICAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const FORMATS: [&str; 6] = ["text", "csv", "json", "jsonl", "md", "epd"];

/// Runs a command that has to succeed; returns its output.
fn succeed(args: &[&str]) -> String {
    let Run { code, out, err } = run(args);
    assert_eq!(code, Some(0), "{args:?}: {err}");
    out
}

/// Runs a command that has to fail with this code and print no data; returns its message.
fn fail(code: i32, args: &[&str]) -> String {
    let run = run(args);
    assert_eq!(run.code, Some(code), "{args:?}: {run:?}");
    assert_eq!(run.out, "", "{args:?}");
    assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    run.err
}

/// A file with this content, and its temporary directory.
fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, String) {
    let directory = tempdir().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, content).unwrap();
    (directory, path.into_os_string().into_string().unwrap())
}

fn names(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into())
        .collect()
}

mod usage {
    use super::*;

    #[test]
    fn usage_errors_exit_with_2_and_name_the_argument() {
        for (args, named) in [
            (
                &["list", "960"][..],
                "start 960 does not exist: the starts are 0 to 959",
            ),
            (&["list", "5,,6"], "`5,,6`"),
            (&["list", "RNBQKBNX"], "`X` is not a piece"),
            (&["list", "9-3"], "write 3-9"),
            (&["list", "--letters", "klingon"], "klingon"),
            (
                &["list", "--format", "xml"],
                "\"xml\": use text, csv, json, jsonl, md or epd",
            ),
            (&["list", "--colour", "never"], "--colour"),
            (&["show", "R??K???R"], "R??K???R selects 18 starts"),
            (&["show", "8/8/8/8/8/8/8/8 w - - 0 1"], "White has 0 kings"),
            (&["show", KIWIPETE, "--format", "csv"], "not a start"),
            (&["random", "--count", "0"], "'0'"),
            (
                &["random", "--count", "18446744073709551615"],
                "18446744073709551615",
            ),
            (&["random", "--seed", "x"], "'x'"),
            (&["perft"], "--depth"),
            (&["perft", "--depth", "0"], "'0'"),
            (&["perft", "--depth", "21"], "'21'"),
            (&["perft", "--depth", "1", "--threads", "0"], "'0'"),
            (
                &["perft", "--depth", "1", "--threads", "1000000"],
                "1000000",
            ),
            (
                &["perft", "--depth", "1", "--fen", "8/8 w - -"],
                "it has 2 ranks, not 8",
            ),
            (
                &["perft", "518", "--depth", "1", "--fen", CLASSICAL],
                "'--fen <FEN>'",
            ),
            (
                &["perft", "518", "--depth", "1", "--epd", "data/tricky.epd"],
                "'--epd <FILE>'",
            ),
            (
                &["perft", "0-1", "--depth", "1", "--divide"],
                "one position, not 2",
            ),
            (
                &["perft", "0", "--depth", "1", "--divide", "--format", "epd"],
                "no `fen` column",
            ),
            (
                &["perft", "0", "--depth", "1", "--divide", "--breakdown"],
                "'--breakdown'",
            ),
            (
                &[
                    "perft",
                    "0",
                    "--depth",
                    "1",
                    "--breakdown",
                    "--format",
                    "epd",
                ],
                "EPD cannot hold a breakdown",
            ),
            (
                &["perft", "0", "--depth", "1", "--quiet", "--verbose"],
                "--verbose",
            ),
            (&["verify"], "<TABLE|EPD>"),
            (
                &["verify", "data/tricky.epd", "--max-nodes", "1"],
                "data/tricky.epd: none of its",
            ),
            (&["completions", "tcsh"], "tcsh"),
            (&["man", "woman"], "\"woman\""),
            (&["play"], "'play'"),
        ] {
            let message = fail(2, args);
            assert!(message.contains(named), "{args:?}: {message}");
        }
    }

    #[test]
    fn no_arguments_exit_with_2_and_print_the_help_to_standard_error() {
        let Run { code, out, err } = run::<&str>(&[]);
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(err.contains("Usage: ninesixty"));
    }

    #[test]
    fn unwritable_results_are_refused_before_anything_is_counted() {
        // Depth 12 would take years.
        let endless = ["perft", "518", "--depth", "12"];
        let divide = [&endless[..], &["--divide", "--format", "epd"]].concat();
        fail(2, &divide);
        let missing_directory = [&endless[..], &["--output", "no/such/table.csv"]].concat();
        let message = fail(4, &missing_directory);
        assert!(
            message.contains("cannot open the directory no/such"),
            "{message}"
        );
        let (_directory, suite) = file("t.epd", format!("{CLASSICAL} ;D12 1"));
        fail(4, &["verify", &suite, "--output", "no/such/table.csv"]);
    }
}

mod input {
    use super::*;

    #[test]
    fn unreadable_files_exit_with_3_and_are_named() {
        for path in ["no/such/file.epd", "no/such/file.csv", "data", "no\x1bsuch"] {
            for args in [
                &["verify", path][..],
                &["perft", "--depth", "1", "--epd", path],
            ] {
                let message = fail(3, args);
                let named = path.replace('\x1b', r"\u{1b}");
                assert!(
                    message.contains(&format!("cannot read {named}: ")),
                    "{message}"
                );
            }
        }
    }

    #[test]
    fn a_damaged_suite_exits_with_3_and_names_file_line_and_reason() {
        let good = format!("{CLASSICAL} ;D1 20\n");
        for (damage, reason) in [
            (&b"\xff\xfe\x00binary\x9b"[..], "not UTF-8"),
            (b"\0\0\0\0", "a position needs four fields"),
            (
                b"a\0b \0 - - ;D1 1",
                r#"the piece placement field "a\0b" is wrong"#,
            ),
            (b"8/8/8/8/8/8/8/4K3 w - - ;D1 5", "Black has 0 kings"),
            (b"8/8 w - - ;D1 x", r#""D1 x" is not a depth and a count"#),
            (b"8/8 w - - ;D1 20 ;D1 20", "depth 1 is given twice"),
            (b"8/8 w - - ;id \"open", "a quotation mark is not closed"),
            (b"rnbq", "a position needs four fields"),
            (
                b"4k3/8/8/8/8/8/8/4K3 w - - ;D21 1",
                "depth 21 is beyond the maximum, 20",
            ),
            (
                b"4k3/8/8/8/8/8/8/4K3 w - - ;D4000000000 1",
                "depth 4000000000 is beyond the maximum, 20",
            ),
            (
                b"4k3/8/8/8/8/8/8/4K3 w - - ;D4294967296 1",
                "is not a depth and a count",
            ),
        ] {
            let (_directory, path) = file("t.epd", [good.as_bytes(), b"\n", damage].concat());
            let message = fail(3, &["verify", &path]);
            let place = format!("error: {path}, line 3: ");
            assert!(
                message.starts_with(&place) && message.contains(reason),
                "{message}"
            );
        }
    }

    #[test]
    fn a_damaged_table_exits_with_3_and_names_file_line_and_reason() {
        let good = format!("id,fen,d1\n518,{CLASSICAL},20\n");
        for (damage, reason) in [
            (&b"\xff\xfe\x00binary\x9b"[..], "not UTF-8"),
            (b"\0", "the header names 3 columns and this line has 1"),
            (b"1,2,3,4", "the header names 3 columns and this line has 4"),
            (b"0,8/8 w - -,20", "it has 2 ranks, not 8"),
            (
                b"0,4k3/8/8/8/8/8/8/4K3 w - -,many",
                r#""many" in the column "d1" is not a count"#,
            ),
            (
                b"\"0,open",
                "the header names 3 columns and this line has 1",
            ),
        ] {
            let (_directory, path) = file("t.csv", [good.as_bytes(), damage].concat());
            let message = fail(3, &["verify", &path]);
            let place = format!("error: {path}, line 3: ");
            assert!(
                message.starts_with(&place) && message.contains(reason),
                "{message}"
            );
        }
        let (_directory, path) = file("t.csv", "id,d1\n0,20\n");
        assert!(fail(3, &["verify", &path]).contains(r#"line 1: no column "fen""#));
        let (_directory, path) = file("t.csv", "fen,d1,d1\n");
        assert!(fail(3, &["verify", &path]).contains(r#"line 1: the column "d1" is named twice"#));
    }

    #[test]
    fn an_empty_file_exits_with_3() {
        for (name, content) in [
            ("t.epd", ""),
            ("t.epd", "\n\r\n# only a comment\n"),
            ("t.csv", ""),
            ("t.csv", "fen,d1\n"),
            ("t.csv", "\u{feff}"),
        ] {
            let (_directory, path) = file(name, content);
            let message = fail(3, &["verify", &path]);
            assert!(message.contains(&path), "{message}");
        }
        let (_directory, path) = file("t.epd", "");
        let message = fail(3, &["perft", "--depth", "1", "--epd", &path]);
        assert!(message.contains("holds no positions"), "{message}");
    }

    #[test]
    fn byte_order_marks_and_all_line_endings_are_accepted() {
        for end in ["\n", "\r\n", "\r"] {
            let suite = format!("\u{feff}# suite{end}{CLASSICAL} ;D1 20 ;D2 400{end}");
            let table = format!("\u{feff}fen,d1,d2{end}{CLASSICAL},20,400{end}");
            for (name, content) in [("t.epd", suite), ("t.csv", table)] {
                let (_directory, path) = file(name, content);
                let Run { code, err, .. } = run(&["verify", &path]);
                assert_eq!(code, Some(0), "{name} {end:?}: {err}");
                assert_eq!(err, "2 counts checked, 0 skipped, 420 nodes: all agree\n");
            }
        }
    }

    #[test]
    fn a_huge_line_is_refused_with_a_short_message() {
        let header: Vec<String> = (0..300_000).map(|column| format!("c{column}")).collect();
        for (name, content) in [
            ("t.epd", "x".repeat(10_000_000) + " w - - ;D1 1"),
            ("t.epd", "x ".repeat(5_000_000) + ";D1 1"),
            (
                "t.epd",
                format!("4k3/8/8/8/8/8/8/4K3 w - - ;D{}", "1".repeat(10_000_000)),
            ),
            ("t.csv", header.join(",")),
            (
                "t.csv",
                format!("fen,d1\n{},20\n", "\u{1b}".repeat(1_000_000)),
            ),
        ] {
            let (_directory, path) = file(name, content);
            let message = fail(3, &["verify", &path]);
            assert!(message.contains(&format!("{path}, line ")), "{message}");
            let is_plain = message.trim_end().chars().all(|c| !c.is_control());
            assert!(message.len() < 5_000 && is_plain, "{} bytes", message.len());
        }
    }
}

mod verify {
    use super::*;

    fn table_of_starts() -> String {
        succeed(&["perft", "0-3", "--depth", "3", "--format", "csv"])
    }

    #[test]
    fn a_table_verifies_against_itself_until_a_number_is_changed() {
        let table = table_of_starts();
        let (_directory, path) = file("t.csv", &table);
        let Run { code, out, err } = run(&["verify", &path]);
        assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
        assert!(err.starts_with("12 counts checked, 0 skipped"), "{err}");

        // Start 1 has 20 first moves: 16 of pawns and 4 of knights.
        let changed = table.replacen(" 1,20,", " 1,21,", 1);
        assert_ne!(changed, table);
        let (_directory, path) = file("t.csv", &changed);
        let Run { code, out, err } = run(&["verify", &path, "--format", "csv"]);
        assert_eq!(code, Some(1));
        let rows: Vec<&str> = out.lines().collect();
        assert_eq!(rows[0], "line,fen,depth,expected,found");
        assert!(
            rows[1].starts_with("2,") && rows[1].ends_with(",1,21,20"),
            "{out}"
        );
        assert_eq!(rows.len(), 2);
        assert!(err.ends_with(": 1 differ\n"), "{err}");
    }

    #[test]
    fn every_difference_is_listed_with_expected_and_found() {
        let suite = format!(
            "# wrong, right, right\n{CLASSICAL} ;D1 21 ;D2 400 ;D3 8902\n{KIWIPETE} ;D1 48 ;D2 2093 ;D3 0\n"
        );
        let (_directory, path) = file("t.epd", suite);
        let run = run(&["verify", &path, "--format", "csv", "--quiet"]);
        let expected = format!(
            "line,fen,depth,expected,found\n2,{CLASSICAL},1,21,20\n3,{KIWIPETE},2,2093,2039\n3,{KIWIPETE},3,0,97862\n"
        );
        assert_eq!(
            (run.code, run.out.as_str(), run.err.as_str()),
            (Some(1), expected.as_str(), "")
        );
    }

    #[test]
    fn a_count_of_u128_max_is_a_mismatch_and_not_an_error() {
        let max = u128::MAX;
        let (_directory, path) = file("t.epd", format!("{CLASSICAL} ;D1 {max} ;D2 {max}\n"));
        let run = run(&["verify", &path, "--format", "csv"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains(&format!(",1,{max},20\n")), "{}", run.out);
    }

    #[test]
    fn counts_over_the_limit_are_skipped_and_reported() {
        let (_directory, path) = file("t.epd", format!("{CLASSICAL} ;D1 20 ;D2 400 ;D3 1000000\n"));
        let Run { code, err, .. } = run(&["verify", &path, "--max-nodes", "400"]);
        assert_eq!(code, Some(0));
        assert_eq!(err, "2 counts checked, 1 skipped, 420 nodes: all agree\n");
    }

    #[test]
    fn the_bundled_suites_verify() {
        for suite in ["data/fischer.epd", "data/tricky.epd"] {
            succeed(&["verify", suite, "--max-nodes", "100000"]);
        }
    }
}

mod streams {
    use super::*;

    #[test]
    fn a_closed_pipe_exits_with_0() {
        for line in [
            "ninesixty list --format csv | head -n 1; exit ${PIPESTATUS[0]}",
            "ninesixty list --output /dev/stdout | head -n 1; exit ${PIPESTATUS[0]}",
            "ninesixty show 518 | true; exit ${PIPESTATUS[0]}",
            "ninesixty man perft | true; exit ${PIPESTATUS[0]}",
            "ninesixty completions bash | head -n 1; exit ${PIPESTATUS[0]}",
            "ninesixty perft --help | true; exit ${PIPESTATUS[0]}",
            "{ ninesixty perft 0 --depth 1 2>&1 >&3 | true; exit ${PIPESTATUS[0]}; } 3>&1",
        ] {
            let run: Run = shell(line).output().unwrap().into();
            assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
        }
    }

    #[test]
    fn a_full_device_exits_with_4() {
        for line in [
            "ninesixty list > /dev/full",
            "ninesixty list --output /dev/full",
            "ninesixty show 518 > /dev/full",
            "ninesixty random > /dev/full",
            "ninesixty perft 518 --depth 1 --quiet > /dev/full",
            "ninesixty man > /dev/full",
            "ninesixty completions fish > /dev/full",
            "ninesixty --help > /dev/full",
            "ninesixty --version > /dev/full",
        ] {
            let run: Run = shell(line).output().unwrap().into();
            assert_eq!(run.code, Some(4), "{line}: {run:?}");
            assert!(
                run.err.starts_with("error: cannot write"),
                "{line}: {}",
                run.err
            );
            assert!(
                run.err.contains("No space left on device"),
                "{line}: {}",
                run.err
            );
        }
    }

    #[test]
    fn unwritable_messages_do_not_stop_the_work() {
        for (line, code) in [
            ("ninesixty perft 518 --depth 1 2> /dev/full", 0),
            ("ninesixty perft 518 --depth 1 2>&-", 0),
            ("ninesixty list 960 2> /dev/full", 2),
            ("ninesixty verify no/such.epd 2> /dev/full", 3),
        ] {
            let run: Run = shell(line).output().unwrap().into();
            assert_eq!(run.code, Some(code), "{line}: {run:?}");
        }
    }

    #[test]
    fn quiet_prints_no_messages_and_the_same_data() {
        let args = ["perft", "518", "--depth", "2"];
        let (normal, quiet) = (run(&args), run(&[&args[..], &["--quiet"]].concat()));
        assert_eq!(normal.out, quiet.out);
        assert!(
            normal.err.starts_with("400 nodes at depth 2"),
            "{}",
            normal.err
        );
        assert_eq!(quiet.err, "");
        let verbose = run(&[&args[..], &["--verbose", "--threads", "2"]].concat());
        assert!(
            verbose.err.starts_with("counting on 2 threads"),
            "{}",
            verbose.err
        );
    }
}

mod files {
    use super::*;

    #[test]
    fn output_files_have_the_bytes_of_standard_output_which_stays_empty() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t");
        let path_text = path.to_str().unwrap();
        for format in FORMATS {
            let args = ["list", "0-9", "--format", format];
            assert_eq!(succeed(&[&args[..], &["--output", path_text]].concat()), "");
            assert_eq!(
                fs::read_to_string(&path).unwrap(),
                succeed(&args),
                "{format}"
            );
        }
        assert_eq!(names(directory.path()), [Path::new("t")]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_intact() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t.csv");
        fs::write(&path, "old").unwrap();
        for blocks in [0, 1, 8, 100] {
            let run: Run = shell(&format!(
                "ulimit -f {blocks}; ninesixty list --format csv --output \"$0\""
            ))
            .arg(&path)
            .output()
            .unwrap()
            .into();
            assert_eq!(run.code, Some(4), "{run:?}");
            assert!(run.err.contains("t.csv: File too large"), "{}", run.err);
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
            assert_eq!(names(directory.path()), [Path::new("t.csv")]);
        }
    }

    #[test]
    fn standard_output_at_the_file_size_limit_exits_with_4() {
        let directory = tempdir().unwrap();
        let run: Run = shell("ulimit -f 1; ninesixty list > \"$0\"")
            .arg(directory.path().join("t"))
            .output()
            .unwrap()
            .into();
        assert_eq!(run.code, Some(4), "{run:?}");
        assert!(
            run.err
                .starts_with("error: cannot write to standard output"),
            "{}",
            run.err
        );
    }

    #[test]
    fn a_missing_output_directory_exits_with_4_and_is_named() {
        for verb in [
            &["list"][..],
            &["show", "518"],
            &["random"],
            &["perft", "0", "-d", "1"],
        ] {
            let message = fail(4, &[verb, &["--output", "no/such/table.csv"]].concat());
            assert!(message.contains("no/such"), "{message}");
        }
    }
}

mod color {
    use super::*;

    /// What the program prints to a terminal.
    fn on_terminal(args: &[&str], set: &[(&str, &str)]) -> String {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let terminal = File::options().read(true).write(true).open(name).unwrap();
        let mut child = Command::new(cargo_bin!("ninesixty"))
            .args(args)
            .env_remove("NO_COLOR")
            .envs(set.iter().copied())
            .stdout(Stdio::from(terminal))
            .spawn()
            .unwrap();
        let mut screen = Vec::new();
        // Reading the master side fails with EIO once the last process on the terminal has ended.
        File::from(master).read_to_end(&mut screen).unwrap_err();
        assert!(child.wait().unwrap().success());
        String::from_utf8(screen).unwrap()
    }

    #[test]
    fn colour_is_used_on_terminals_or_on_request() {
        let show = ["show", "518"];
        let with = |when| [&show[..], &["--color", when]].concat();
        let is_colored = |text: &str| text.contains('\x1b');
        assert!(!is_colored(&succeed(&show)));
        assert!(!is_colored(&succeed(&with("never"))));
        assert!(is_colored(&succeed(&with("always"))));
        assert!(is_colored(&on_terminal(&show, &[])));
        assert!(is_colored(&on_terminal(&show, &[("NO_COLOR", "")])));
        assert!(!is_colored(&on_terminal(&show, &[("NO_COLOR", "1")])));
        assert!(!is_colored(&on_terminal(&with("never"), &[])));
        assert!(is_colored(&on_terminal(
            &with("always"),
            &[("NO_COLOR", "1")]
        )));
    }

    #[test]
    fn an_output_file_has_no_colour_even_on_a_terminal() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t");
        on_terminal(&["show", "518", "--output", path.to_str().unwrap()], &[]);
        assert_eq!(fs::read_to_string(path).unwrap(), succeed(&["show", "518"]));
    }
}

mod starts {
    use super::*;

    fn column(csv: &str, name: &str) -> Vec<String> {
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let index = reader
            .headers()
            .unwrap()
            .iter()
            .position(|found| found == name);
        let records = reader.records().map(Result::unwrap);
        records
            .map(|record| record[index.unwrap()].to_owned())
            .collect()
    }

    #[test]
    fn the_first_columns_of_list_are_id_back_rank_and_fen() {
        let table = succeed(&["list", "518", "--format", "csv"]);
        assert!(table.starts_with("id,back_rank,fen,"), "{table}");
        assert!(
            table.contains(&format!("\n518,RNBQKBNR,{CLASSICAL},")),
            "{table}"
        );
        assert_eq!(
            column(&succeed(&["list", "--format", "csv"]), "id").len(),
            960
        );
        let doubles = succeed(&["list", "518/0-1", "--format", "csv"]);
        assert_eq!(column(&doubles, "id"), ["518/0", "518/1"]);
    }

    #[test]
    fn a_selection_is_a_number_a_range_a_back_rank_a_pattern_or_a_sample() {
        let ids = |selection| column(&succeed(&["list", selection, "--format", "csv"]), "id");
        assert_eq!(ids("RNBQKBNR,0-2,959"), ["0", "1", "2", "518", "959"]);
        assert_eq!(ids("R??K???R").len(), 18);
        assert_eq!(ids("sample:96").len(), 96);
    }

    #[test]
    fn letters_are_read_and_written_in_the_given_language() {
        for (language, classical) in [
            ("english", "RNBQKBNR"),
            ("german", "TSLDKLST"),
            ("hungarian", "BHFVKFHB"),
            ("russian", "ЛКСФКрСКЛ"),
            ("figurines", "♖♘♗♕♔♗♘♖"),
        ] {
            for verb in ["list", "show"] {
                let args = [verb, classical, "--letters", language, "--format", "csv"];
                let table = succeed(&args);
                assert_eq!(column(&table, "id"), ["518"], "{language}");
                assert_eq!(column(&table, "back_rank"), [classical]);
                assert_eq!(column(&table, "fen"), [CLASSICAL], "a FEN is in English");
            }
            let page = succeed(&["show", "518", "--letters", language]);
            assert!(
                page.starts_with(&format!("Start 518: {classical}")),
                "{page}"
            );
        }
    }

    #[test]
    fn show_recognises_the_fen_of_a_start_quoted_or_not() {
        let page = succeed(&["show", "518"]);
        assert_eq!(succeed(&["show", CLASSICAL]), page);
        assert_eq!(
            succeed(&[&["show"], &CLASSICAL.split(' ').collect::<Vec<_>>()[..]].concat()),
            page
        );
        assert!(page.contains("\nMoves            20: "), "{page}");
        assert!(succeed(&["show", KIWIPETE]).contains("\nMoves            48: "));
        assert!(succeed(&["show", "518/0"]).starts_with("Double start 518/0"));
    }

    #[test]
    fn equal_seeds_draw_equal_starts_and_other_seeds_others() {
        for dice in [&[][..], &["--dice"]] {
            let draw =
                |seed| succeed(&[&["random", "--count", "20", "--seed", seed], dice].concat());
            assert_eq!(draw("960"), draw("960"));
            assert_ne!(draw("960"), draw("961"));
        }
        let unseeded = ["random", "--count", "20"];
        assert_ne!(succeed(&unseeded), succeed(&unseeded));
    }

    #[test]
    fn verbose_random_prints_a_seed_that_repeats_the_draw() {
        let first = run(&["random", "--count", "5", "--format", "csv", "--verbose"]);
        let seed = first.err.trim().rsplit(' ').next().unwrap();
        let again = succeed(&["random", "--count", "5", "--format", "csv", "--seed", seed]);
        assert_eq!(first.out, again);
    }
}

mod perft {
    use super::*;

    #[test]
    fn csv_has_exactly_the_documented_columns() {
        let expected =
            format!("id,back_rank,fen,d1,d2,d3,d4\n518,RNBQKBNR,{CLASSICAL},20,400,8902,197281\n");
        assert_eq!(
            succeed(&["perft", "518", "--depth", "4", "--format", "csv"]),
            expected
        );
    }

    #[test]
    fn every_format_holds_the_same_counts() {
        let output_as = |format| succeed(&["perft", "518", "--depth", "4", "--format", format]);
        assert!(output_as("text").ends_with(&format!("{CLASSICAL}  20  400  8,902  197,281\n")));
        assert!(
            output_as("md").ends_with(&format!("| {CLASSICAL} | 20 | 400 | 8,902 | 197,281 |\n"))
        );
        let epd = format!("{CLASSICAL} ;D1 20 ;D2 400 ;D3 8902 ;D4 197281 ;id \"518\"\n");
        assert_eq!(output_as("epd"), epd);

        let json: Value = serde_json::from_str(&output_as("json")).unwrap();
        assert_eq!(json["schema"], "ninesixty.perft/1");
        assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(json["command"], "perft 518 --depth 4");
        assert_eq!(json["rows"][0]["d4"], 197_281);
        let jsonl = output_as("jsonl");
        let lines: Vec<Value> = jsonl
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines[0]["schema"], "ninesixty.perft/1");
        assert_eq!(lines[1], json["rows"][0]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn epd_and_csv_output_verifies() {
        for format in ["epd", "csv"] {
            let (_directory, path) = file(
                &format!("t.{format}"),
                succeed(&[
                    "perft",
                    "sample:12,518/0",
                    "--depth",
                    "3",
                    "--format",
                    format,
                ]),
            );
            let Run { code, err, .. } = run(&["verify", &path]);
            assert_eq!(code, Some(0), "{err}");
            assert!(err.starts_with("39 counts checked"), "{err}");
        }
    }

    #[test]
    fn output_bytes_do_not_depend_on_the_number_of_threads() {
        let (_directory, wrong) = file("t.epd", format!("{CLASSICAL} ;D1 1 ;D2 2\n").repeat(50));
        let jobs = [
            &["perft", "sample:8", "--depth", "4"][..],
            &["perft", "518/0,0/518", "--depth", "3"],
            &["perft", "518", "--depth", "5", "--divide"],
            &["perft", "sample:8", "--depth", "4", "--breakdown"],
            &["verify", &wrong],
        ];
        for job in jobs {
            for format in FORMATS {
                let with = |threads| {
                    let flags = ["--quiet", "--format", format, "--threads", threads];
                    let Run { code, out, err } = run(&[job, &flags[..]].concat());
                    (code, out, err)
                };
                let single = with("1");
                let supports_epd = !job.contains(&"--divide") && !job.contains(&"--breakdown");
                assert!(format == "epd" && !supports_epd || !single.1.is_empty());
                for threads in ["2", "8"] {
                    assert_eq!(with(threads), single, "{job:?} {format} {threads}");
                }
            }
        }
    }

    #[test]
    fn a_double_start_has_both_numbers_and_both_back_ranks() {
        let table = succeed(&["perft", "518/0", "--depth", "2", "--format", "csv"]);
        // Both sides can only move pawns and knights at first: 20 times 20.
        let expected = "id,back_rank,fen,d1,d2\n518/0,RNBQKBNR/BBQNNRKR,\
                        bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,20,400\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_fen_is_counted_and_named_by_its_id_if_it_is_a_start() {
        let csv = |fen| succeed(&["perft", "--fen", fen, "--depth", "3", "--format", "csv"]);
        assert_eq!(
            csv(KIWIPETE),
            format!("id,back_rank,fen,d1,d2,d3\n,,{KIWIPETE},48,2039,97862\n")
        );
        let shredder = CLASSICAL.replace("KQkq", "HAha");
        let row = format!("\n518,RNBQKBNR,{CLASSICAL},20,400,8902\n");
        assert!(csv(&shredder).ends_with(&row));
        assert!(csv(CLASSICAL.strip_suffix(" 0 1").unwrap()).ends_with(&row));
    }

    #[test]
    fn the_positions_of_an_epd_file_are_counted_in_file_order() {
        let table = succeed(&[
            "perft",
            "--epd",
            "data/fischer.epd",
            "--depth",
            "2",
            "--format",
            "csv",
        ]);
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows.len(), 961);
        assert!(rows[1].ends_with(" w KQkq - 2 9,21,528"));
        assert!(rows[2].ends_with(" 1 9,21,807"), "{}", rows[2]);
    }

    #[test]
    fn divide_shows_the_published_count_of_each_first_move() {
        let table = succeed(&[
            "perft", "518", "--depth", "3", "--divide", "--format", "csv",
        ]);
        let expected = "\
move,san,nodes
a2a3,a3,380
a2a4,a4,420
b1a3,Na3,400
b1c3,Nc3,440
b2b3,b3,420
b2b4,b4,421
c2c3,c3,420
c2c4,c4,441
d2d3,d3,539
d2d4,d4,560
e2e3,e3,599
e2e4,e4,600
f2f3,f3,380
f2f4,f4,401
g1f3,Nf3,440
g1h3,Nh3,400
g2g3,g3,420
g2g4,g4,421
h2h3,h3,380
h2h4,h4,420
";
        assert_eq!(table, expected);
    }

    #[test]
    fn breakdown_has_a_row_for_each_position_and_depth_with_the_published_columns() {
        let args = ["perft", "518,0", "--depth", "4", "--breakdown"];
        let Run { out, err, .. } = run(&[&args[..], &["--format", "json"]].concat());
        let json: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(json["schema"], "ninesixty.breakdown/1");
        assert_eq!(json["command"], "perft 518,0 --depth 4 --breakdown");
        let rows = json["rows"].as_array().unwrap();
        let keys: Vec<_> = rows
            .iter()
            .map(|row| (row["id"].as_u64().unwrap(), row["depth"].as_u64().unwrap()))
            .collect();
        let depths = |id| (1..=4).map(move |depth| (id, depth));
        assert_eq!(keys, depths(0).chain(depths(518)).collect::<Vec<_>>());
        let classical = serde_json::json!({
            "id": 518, "back_rank": "RNBQKBNR", "fen": CLASSICAL, "depth": 4, "nodes": 197_281,
            "captures": 1_576, "en_passant": 0, "castles": 0, "promotions": 0, "checks": 469,
            "discovered_checks": 0, "double_checks": 0, "mates": 8,
        });
        assert_eq!(rows[7], classical);
        // Start 0 has 201,143 sequences of four plies in the published table.
        assert!(err.starts_with("398424 nodes at depth 4 in "), "{err}");
    }

    #[test]
    fn divide_adds_up_to_the_published_totals() {
        for (position, depth, total) in [
            (&["518"][..], "1", 20),
            (&["518"], "4", 197_281),
            (&["518"], "5", 4_865_609),
            (&["--fen", KIWIPETE], "4", 4_085_603),
        ] {
            let args = [&["perft"], position, &["--depth", depth, "--divide"]].concat();
            let Run { out, err, .. } = run(&[&args[..], &["--format", "json"]].concat());
            let json: Value = serde_json::from_str(&out).unwrap();
            let branches = json["rows"].as_array().unwrap().iter();
            let sum: u64 = branches.map(|row| row["nodes"].as_u64().unwrap()).sum();
            assert_eq!(sum, total, "{args:?}");
            assert!(
                err.starts_with(&format!("{total} nodes at depth {depth} in ")),
                "{err}"
            );
        }
    }
}

#[test]
fn help_and_version_exit_with_0_and_print_to_standard_output() {
    assert_eq!(
        succeed(&["--version"]),
        format!("ninesixty {}\n", env!("CARGO_PKG_VERSION"))
    );
    for args in [&["--help"][..], &["help", "perft"], &["verify", "-h"]] {
        assert!(succeed(args).contains("Usage: ninesixty"), "{args:?}");
    }
}
