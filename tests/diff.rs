//! A disagreement of two generators is traced to its move, in a position with few pieces; agreement is reported as such.
//!
//! The other generator is `tests/fixtures/broken.rs`, which makes one mistake at a time.

mod common;
#[path = "common/example.rs"]
mod example;
#[path = "common/stockfish.rs"]
mod stockfish;

use std::fs;
use std::process::Command;

use common::{Run, run, shell};
use example::example;
use serde_json::Value;
use stockfish::stockfish;
use tempfile::tempdir;

/// A mistake and what `diff` says about it.
struct Case {
    mistake: &'static str,
    /// The move that is too many or too few.
    mv: &'static str,
    kind: &'static str,
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

const CASES: [Case; 21] = [
    Case {
        mistake: "castle-through-check",
        mv: "e8a8",
        kind: "not legal: castling through check on d8",
    },
    Case {
        mistake: "castle-into-check",
        mv: "e8a8",
        kind: "not legal: castling into check on c8",
    },
    Case {
        mistake: "castle-out-of-check",
        mv: "a1f1",
        kind: "not legal: castling out of check",
    },
    Case {
        mistake: "castle-shield",
        mv: "c1b1",
        kind: "not legal: castling with the rook that shields c1 from check",
    },
    Case {
        mistake: "castle-over-piece",
        mv: "e1a1",
        kind: "not legal: castling over a piece on b1",
    },
    Case {
        mistake: "castle-outer-rook",
        mv: "f1g1",
        kind: "legal: castling on the h-side",
    },
    Case {
        mistake: "castle-king-stays",
        mv: "g1h1",
        kind: "legal: castling on the h-side",
    },
    Case {
        mistake: "king-keeps-right",
        mv: "d1h1",
        kind: "not legal: castling without the right to",
    },
    Case {
        mistake: "rook-keeps-right",
        mv: "e8h8",
        kind: "not legal: castling without the right to",
    },
    Case {
        mistake: "ep-pin",
        mv: "f4e3",
        kind: "not legal: en passant that uncovers a check by the rook on b4",
    },
    Case {
        mistake: "ep-no-evasion",
        mv: "b4c3",
        kind: "legal: en passant, which ends a check",
    },
    Case {
        mistake: "ep-late",
        mv: "f4e3",
        kind: "not legal: en passant without a double push just before",
    },
    Case {
        mistake: "promotion-no-knight",
        mv: "h2h1n",
        kind: "legal: promotion to a knight",
    },
    Case {
        mistake: "promotion-to-king",
        mv: "h2h1k",
        kind: "not legal: a pawn on the last rank must promote to a queen, rook, bishop or knight",
    },
    Case {
        mistake: "promotion-capture-queen",
        mv: "g7h8r",
        kind: "legal: capture and promotion to a rook",
    },
    Case {
        mistake: "double-push-over-piece",
        mv: "h2h4",
        kind: "not legal: a double push over a piece on h3",
    },
    Case {
        mistake: "pawn-wraps",
        mv: "h3a3",
        kind: "not legal: a pawn cannot go from h3 to a3 here",
    },
    Case {
        mistake: "king-next-to-king",
        mv: "f1e2",
        kind: "not legal: the king goes next to the other king",
    },
    Case {
        mistake: "king-through-xray",
        mv: "e2e3",
        kind: "not legal: the king goes into check by the rook on e1",
    },
    Case {
        mistake: "pinned-knight",
        mv: "c6d4",
        kind: "not legal: the knight is pinned by the bishop on b5",
    },
    Case {
        mistake: "double-check-capture",
        mv: "c4d2",
        kind: "not legal: the king stays in check by the rook on e1",
    },
];

fn broken(mistake: &str) -> String {
    format!("script:'{}' {mistake}", example("broken").display())
}

fn diff(more: &[&str]) -> Run {
    run(&[&["diff"], more].concat())
}

fn pieces_of(fen: &str) -> usize {
    let placement = fen.split(' ').next().unwrap();
    placement.chars().filter(char::is_ascii_alphabetic).count()
}

/// The mistakes that the broken generator knows, each with a depth and a position at which it shows.
fn demos() -> Vec<[String; 3]> {
    let output = Command::new(example("broken")).arg("list").output();
    let Run { out, .. } = output.unwrap().into();
    let demo = |line: &str| {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        fields.try_into().unwrap()
    };
    out.lines().map(demo).collect()
}

#[test]
fn every_mistake_is_traced_to_its_move_in_a_position_of_at_most_eight_pieces() {
    let demos = demos();
    for Case { mistake, mv, kind } in &CASES {
        let [_, depth, fen] = demos.iter().find(|[name, ..]| name == mistake).unwrap();
        let generator = broken(mistake);
        let Run { code, out, err } = diff(&["--b", &generator, "--fen", fen, "--depth", depth]);
        assert_eq!(code, Some(1), "{mistake}: {out}{err}");
        assert_eq!(err, "", "{mistake}");
        let verdict = format!("{mv:<5}  {kind}\n");
        assert!(out.contains(&verdict), "{mistake}:\n{out}");
        let smallest = out.lines().find_map(|line| line.strip_prefix("Smallest"));
        assert!(
            pieces_of(smallest.unwrap().trim()) <= 8,
            "{mistake}:\n{out}"
        );
    }
}

#[test]
fn every_mistake_has_its_case() {
    let known = CASES.map(|case| case.mistake);
    for [mistake, ..] in demos() {
        let is_tested_elsewhere = ["none", "dies-on-ep"].contains(&mistake.as_str());
        assert!(
            is_tested_elsewhere || known.contains(&mistake.as_str()),
            "{mistake}"
        );
    }
}

#[test]
fn the_tricky_suite_finds_every_mistake_at_the_default_depth_but_the_one_that_needs_four_plies() {
    for Case { mistake, .. } in &CASES {
        let generator = broken(mistake);
        let found = |depth: &str| {
            let suite = ["--epd", "@tricky", "--format", "csv", "--depth", depth];
            let Run { code, out, err } = diff(&[&["--b", &generator], &suite[..]].concat());
            match code {
                Some(1) => true,
                Some(0) => false,
                _ => panic!("{mistake}: {out}{err}"),
            }
        };
        // The rook is captured, another one takes back, and its king castles with it two plies later.
        let needs_four_plies = *mistake == "rook-keeps-right";
        assert_eq!(found("3"), !needs_four_plies, "{mistake}");
        assert!(!needs_four_plies || found("4"), "{mistake}");
    }
}

#[test]
fn a_generator_is_asked_about_an_en_passant_capture_that_is_not_legal() {
    let fen = "4k3/8/8/8/3Pp3/8/8/4R1K1 b - d3 0 1";
    let directory = tempdir().unwrap();
    let suite = directory.path().join("suite.epd");
    // Counted by python-chess.
    fs::write(&suite, format!("{fen} ;D1 6\n")).unwrap();
    let suite = suite.to_str().unwrap();
    let generator = broken("ep-pin");
    for positions in [["--fen", fen], ["--epd", suite]] {
        let Run { code, out, err } =
            diff(&[&["--b", &generator, "--depth", "1"], &positions[..]].concat());
        assert_eq!(code, Some(1), "{out}{err}");
        assert!(
            out.contains("Smallest  4k3/8/8/8/4p3/8/3P4/4R1K1 w - - 0 1\nThen      d4\n"),
            "{out}"
        );
        assert!(
            out.contains("Only B has e4d3   not legal: en passant "),
            "{out}"
        );
    }
    let verified = run(&[
        "verify",
        suite,
        "--generator",
        &generator,
        "--format",
        "csv",
    ]);
    assert_eq!(verified.code, Some(1), "{verified:?}");
    assert!(verified.out.contains(",1,6,7,"), "{verified:?}");
    for right in ["own", "shakmaty", "cozy-chess"] {
        let Run { code, err, .. } = run(&["verify", suite, "--generator", right]);
        assert_eq!(code, Some(0), "{right}: {err}");
    }
}

#[test]
fn a_generator_without_mistakes_agrees() {
    let generator = broken("none");
    for root in [["--fen", KIWIPETE], ["--random", "100"]] {
        let Run { code, out, err } =
            diff(&[&["--b", &generator, "--depth", "2"], &root[..]].concat());
        assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
        assert!(err.contains(" agree about "), "{err}");
        let deeper = "not covered: mistakes that need more than 2 plies to show (--depth 3), and ";
        assert!(err.contains(deeper), "{err}");
    }
}

#[test]
fn a_crash_is_reported_with_its_position() {
    let generator = broken("dies-on-ep");
    let Run { code, out, err } = diff(&["--b", &generator, "--fen", KIWIPETE, "--depth", "3"]);
    assert_eq!((code, err.as_str()), (Some(1), ""), "{out}");
    assert!(
        out.contains("fails on the position 4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 1"),
        "{out}"
    );
    assert!(out.contains("signal: 6 (SIGABRT)"), "{out}");
    assert!(out.contains("stderr: index out of bounds"), "{out}");
}

#[test]
fn a_generator_that_never_works_is_no_finding_and_its_last_words_are_shown() {
    for (script, words) in [
        ("script:false", "`false` failed (exit status: 1)"),
        (
            "script:sh -c '/nowhere/engine' sh",
            "failed (exit status: 127); stderr: sh: ",
        ),
        // The exit code of a pipe is that of its last command.
        (
            "script:sh -c '/nowhere/engine | sed p' sh",
            "its output has no total, that is, no number alone on its line or after `Nodes searched:`; \
             stderr: sh: ",
        ),
    ] {
        for args in [
            &["diff", "0-3", "--b", script][..],
            &["diff", "--a", script, "--b", "own", "--epd", "@tricky"],
            &["doctor", script, "--max-nodes", "100"],
            &[
                "verify",
                "@tricky",
                "--max-nodes",
                "10",
                "--generator",
                script,
            ],
        ] {
            let Run { code, out, err } = run(args);
            assert_eq!((code, out.as_str()), (Some(4), ""), "{args:?}: {err}");
            let expected = format!("error: {script} cannot be used: it does not work at all; ");
            assert!(err.starts_with(&expected), "{args:?}: {err}");
            assert!(err.contains(words), "{args:?}: {err}");
        }
    }
}

#[test]
fn a_generator_that_fails_on_bare_kings_only_is_a_finding() {
    let own = example("broken");
    let generator = format!(
        "script:sh -c 'case \"$2\" in \"4k3/8/8/8/8/8/8/4K\"*) exit 3;; esac; exec \"{}\" none \"$@\"' sh",
        own.display()
    );
    let Run { code, out, err } =
        diff(&["--b", &generator, "--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]);
    assert_eq!((code, err.as_str()), (Some(1), ""), "{out}");
    assert!(out.contains("exit status: 3"), "{out}");
}

#[test]
fn a_refusal_is_reported_and_is_not_agreement() {
    // cozy-chess refuses one en passant position.
    let Run { code, out, err } = diff(&[
        "--b",
        "cozy-chess",
        "--epd",
        "data/tricky.epd",
        "--depth",
        "2",
    ]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("cozy-chess refuses the position "), "{err}");
    assert!(err.contains("1 positions were refused"), "{err}");
}

#[test]
fn a_disagreement_is_a_row_in_every_other_format() {
    let generator = broken("castle-through-check");
    let Run { code, out, .. } = diff(&["--b", &generator, "--fen", KIWIPETE, "--format", "json"]);
    assert_eq!(code, Some(1));
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["schema"], "ninesixty.diff/1");
    let row = &document["rows"][0];
    assert_eq!(row["only_b"], "e8a8");
    assert_eq!(row["path"], "e5c6");
    assert_eq!(row["fen"], "r3k3/8/2N5/8/8/8/8/4K3 b q - 0 1");
}

fn others() -> Vec<String> {
    let libraries = ["shakmaty", "cozy-chess"].map(str::to_owned);
    libraries.into_iter().chain(stockfish()).collect()
}

#[test]
fn all_960_starts_agree_between_own_both_libraries_and_stockfish_at_depth_4() {
    for other in others() {
        let Run { code, err, .. } = diff(&["--b", &other, "--depth", "4"]);
        assert_eq!(code, Some(0), "{err}");
        let expected = format!(
            "own and {other} agree about 960 positions to depth 4: 181106056 sequences of 4 plies\n\
             not covered: mistakes that need more than 4 plies to show (--depth 5), and other positions \
             (--epd @tricky, --random 1000)\n"
        );
        assert_eq!(err, expected);
    }
}

fn suites_agree_up_to(nodes: &str) {
    for other in others() {
        for suite in ["data/fischer.epd", "data/tricky.epd"] {
            let Run { code, out, err } =
                run(&["verify", suite, "--max-nodes", nodes, "--generator", &other]);
            if (other.as_str(), suite) == ("cozy-chess", "data/tricky.epd") {
                // The one position that it refuses.
                assert_eq!(code, Some(1), "{err}");
                assert!(err.contains("refused or failed, the others agree"), "{err}");
                let rows = out.lines().skip(2);
                rows.for_each(|row| {
                    assert!(row.contains("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1"), "{row}");
                });
            } else {
                assert_eq!(
                    (code, out.as_str()),
                    (Some(0), ""),
                    "{other}, {suite}: {err}"
                );
            }
        }
    }
}

#[test]
fn the_suites_agree_with_both_libraries_and_stockfish() {
    suites_agree_up_to("100000");
}

#[test]
#[ignore = "minutes: before a release"]
fn the_suites_agree_with_both_libraries_and_stockfish_up_to_ten_million_nodes() {
    suites_agree_up_to("10000000");
}

#[test]
fn a_written_suite_names_its_generator_and_reads_back() {
    let directory = tempdir().unwrap();
    let suite = directory.path().join("suite.epd");
    let suite = suite.to_str().unwrap();
    let written = run(&[
        "verify",
        "--write",
        suite,
        "--starts",
        "518,0",
        "--depth",
        "3",
        "--generator",
        "shakmaty",
    ]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let text = fs::read_to_string(suite).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("# counted by shakmaty 0.30 (shakmaty), written by ninesixty "),
        "{text}"
    );
    assert!(
        lines[1].ends_with(" ;D1 20 ;D2 400 ;D3 9006 ;id \"0\""),
        "{text}"
    );
    assert!(
        lines[2].ends_with(" ;D1 20 ;D2 400 ;D3 8902 ;id \"518\""),
        "{text}"
    );
    let again = run(&["verify", suite]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(
        again.err.starts_with("6 counts checked, 0 skipped"),
        "{again:?}"
    );
    // From the positions of another suite, up to --max-nodes.
    let other = directory.path().join("other.epd");
    let other = other.to_str().unwrap();
    let copied = run(&[
        "verify",
        suite,
        "--write",
        other,
        "--depth",
        "3",
        "--max-nodes",
        "400",
    ]);
    assert_eq!(copied.code, Some(0), "{copied:?}");
    let text = fs::read_to_string(other).unwrap();
    assert!(text.contains(" ;D1 20 ;D2 400 ;id \"518\""), "{text}");
    let overwriting = run(&["verify", suite, "--write", suite]);
    assert_eq!(overwriting.code, Some(2), "{overwriting:?}");
    // A refused position is an error, not a missing count.
    let refused = run(&[
        "verify",
        "data/tricky.epd",
        "--write",
        other,
        "--depth",
        "1",
        "--generator",
        "cozy-chess",
    ]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(
        refused.err.contains("cozy-chess refuses the position"),
        "{refused:?}"
    );
}

#[test]
fn a_bench_prints_its_notes_and_exports_the_time_of_every_round() {
    let directory = tempdir().unwrap();
    let exports = ["csv", "json", "md"].map(|format| {
        let path = directory.path().join(format!("times.{format}"));
        path.to_str().unwrap().to_owned()
    });
    let fake = format!("uci:'{}'", example("fake_engine").display());
    let generators = format!("own,cozy-chess,{fake}");
    let mut args = vec![
        "bench",
        "--depth",
        "3",
        "--rounds",
        "3",
        "--generators",
        &generators,
    ];
    args.extend(exports.iter().flat_map(|path| ["--export", path]));
    let Run { code, out, err } = run(&args);
    assert_eq!(code, Some(0), "{err}");
    for rule in [
        "One thread each. Medians of 3 rounds in which all take turns",
        "every move made, last ply counted (bulk), last two plies counted; no hash table",
        "timed from the command to the last line, without the start of the process",
    ] {
        assert!(out.contains(rule), "{out}");
    }
    // For each of fifteen positions and for all together: cozy-chess is compared with our generator by two methods, our
    // two-ply counting with bulk counting, and the engine with nothing.
    let lines_with = |text: &str| out.lines().filter(|line| line.contains(text)).count();
    assert_eq!(lines_with(" than own"), 2 * 16, "{out}");
    assert_eq!(lines_with(" than bulk of cozy-chess"), 16, "{out}");
    assert_eq!(lines_with("as the engine counts"), 16, "{out}");
    // Three methods of our own, two of cozy-chess and the engine.
    let raw = fs::read_to_string(&exports[0]).unwrap();
    assert_eq!(raw.lines().count(), 1 + 3 * 15 * 6);
    let raw: Value = serde_json::from_str(&fs::read_to_string(&exports[1]).unwrap()).unwrap();
    assert_eq!(raw["rows"].as_array().unwrap().len(), 3 * 15 * 6);
    assert!(
        fs::read_to_string(&exports[2])
            .unwrap()
            .starts_with("| position |")
    );
}

#[test]
fn a_bench_of_a_wrong_generator_reports_the_wrong_count() {
    let generators = format!("own,{}", broken("double-push-over-piece"));
    let Run { code, out, err } = run(&[
        "bench",
        "--fen",
        KIWIPETE,
        "--depth",
        "1",
        "--generators",
        &generators,
    ]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(
        err.contains(" counts 51 sequences of 1 plies in ") && err.contains("own is 48"),
        "{err}"
    );
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_a_generator_is_started() {
    let directory = tempdir().unwrap();
    let trace = directory.path().join("started");
    let generator = format!("script:sh -c \"touch '{}'\"", trace.display());
    for (args, code, named) in [
        (
            &["bench", "--format", "epd", "--generators"][..],
            2,
            "a ninesixty.bench/2 table has no `fen` column, which epd needs",
        ),
        (
            &["bench", "--output", "/nowhere/table", "--generators"],
            4,
            "cannot open the directory /nowhere",
        ),
        (
            &["doctor", "--output", "/nowhere/table"],
            4,
            "cannot open the directory /nowhere",
        ),
        (
            &["diff", "--output", "/nowhere/table", "--b"],
            4,
            "cannot open the directory /nowhere",
        ),
        (
            &[
                "verify",
                "@tricky",
                "--output",
                "/nowhere/table",
                "--generator",
            ],
            4,
            "cannot open the directory /nowhere",
        ),
    ] {
        let Run {
            code: ended,
            out,
            err,
        } = run(&[args, &[&generator]].concat());
        assert_eq!((ended, out.as_str()), (Some(code), ""), "{args:?}: {err}");
        assert!(err.contains(named), "{args:?}: {err}");
        assert!(!trace.exists(), "{args:?}");
    }
}

#[test]
fn invalid_arguments_are_a_usage_error() {
    for (args, named) in [
        (
            &["diff", "--b", "stockfish"][..],
            "there is no generator \"stockfish\"",
        ),
        (&["diff", "--b", "uci:"], "there is no program"),
        (
            &["diff", "--b", "uci:a 'b"],
            "a quotation mark is not closed",
        ),
        (&["diff"], "--b"),
        (&["diff", "518", "--random", "5", "--b", "own"], "--random"),
        (
            &["bench", "--export", "times.txt"],
            "has to end in .csv, .json or .md",
        ),
        (&["bench", "--generators", "own,,own"], "has an empty name"),
        (&["verify", "--starts", "518"], "--write"),
        (&["verify"], "TABLE|EPD"),
    ] {
        let Run { code, out, err } = run(args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.contains(named), "{args:?}: {err}");
    }
    let missing = run(&["diff", "518", "--b", "uci:/nowhere/engine"]);
    assert_eq!(missing.code, Some(4), "{missing:?}");
    assert!(
        missing
            .err
            .contains("cannot start `/nowhere/engine`: No such file"),
        "{missing:?}"
    );
}

#[test]
fn a_closed_pipe_exits_with_0() {
    let line = format!(
        "ninesixty diff --b \"{}\" --fen '{KIWIPETE}' | true",
        broken("pawn-wraps")
    );
    let Run { code, err, .. } = shell(&line).output().unwrap().into();
    assert_eq!((code, err.as_str()), (Some(0), ""));
}
