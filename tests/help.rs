//! The promise: the examples that `--help` shows run as they stand, without the repository.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use assert_cmd::cargo::cargo_bin;
use common::{Run, run, shell};
use rayon::prelude::*;
use tempfile::tempdir;

/// The lines of a help text under a heading, to the next blank line.
fn lines_under(help: &str, heading: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.is_empty())
        .map(|line| line.trim().to_owned())
        .collect()
}

fn verbs() -> Vec<String> {
    let commands = lines_under(&run(&["--help"]).out, "Commands:");
    let names = commands.iter().filter_map(|line| line.split(' ').next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The examples of a verb may use each other's files, but nothing else: they run in order in one directory, which is empty
/// at first, and `ninesixty` is the only program on the `PATH`.
#[test]
fn every_verb_shows_two_examples_and_they_run_as_they_stand() {
    let programs = tempdir().unwrap();
    symlink(cargo_bin!("ninesixty"), programs.path().join("ninesixty")).unwrap();
    let verbs = verbs();
    assert!(verbs.len() >= 7, "{verbs:?}");
    verbs.par_iter().for_each(|verb| {
        let examples = lines_under(&run(&[verb, "--help"]).out, "Examples:");
        let of_verb = |example: &&String| example.starts_with(&format!("ninesixty {verb}"));
        let count = examples.iter().filter(of_verb).count();
        assert!(count >= 2, "{verb} shows {count} examples");
        let directory = tempdir().unwrap();
        for example in examples {
            assert!(example.starts_with("ninesixty "), "{example}");
            succeeds(&example, directory.path(), programs.path());
        }
    });
}

#[test]
fn the_program_shows_examples_and_they_run_as_they_stand() {
    let programs = tempdir().unwrap();
    symlink(cargo_bin!("ninesixty"), programs.path().join("ninesixty")).unwrap();
    let examples = lines_under(&run(&["--help"]).out, "Examples:");
    assert!(examples.len() >= 3, "{examples:?}");
    for example in examples {
        succeeds(&example, tempdir().unwrap().path(), programs.path());
    }
}

fn succeeds(example: &str, directory: &Path, programs: &Path) {
    let output = shell(example)
        .current_dir(directory)
        .env("PATH", programs)
        .output();
    let Run { code, out, err } = output.unwrap().into();
    assert_eq!(code, Some(0), "{example}: {err}");
    assert!(!(out + &err).is_empty(), "{example} prints nothing");
}

#[test]
fn an_unknown_builtin_is_a_usage_error_that_lists_the_names_and_a_file_may_have_such_a_name() {
    for args in [
        &["verify", "@nothing"][..],
        &["perft", "--depth", "1", "--epd", "@nothing"],
        &["search", "518", "--depth", "1", "--compare", "@nothing"],
        &["stats", "@nothing"],
    ] {
        let Run { code, err, .. } = run(args);
        assert_eq!(code, Some(2), "{args:?}: {err}");
        assert!(err.contains("there are @tricky, @fischer"), "{err}");
    }
    let directory = tempdir().unwrap();
    fs::write(
        directory.path().join("@tricky"),
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15\n",
    )
    .unwrap();
    let checked = |path: &str| {
        let line = format!("ninesixty verify {path} --max-nodes 100");
        let output = shell(&line).current_dir(directory.path()).output();
        Run::from(output.unwrap()).err
    };
    assert!(checked("./@tricky").starts_with("1 counts checked"));
    assert!(!checked("@tricky").starts_with("1 counts checked"));
}

#[test]
fn a_ledger_recognises_built_in_games() {
    let directory = tempdir().unwrap();
    let stats = "ninesixty stats @mainz2009 --ledger l.jsonl --format csv";
    let lines = format!("{stats} && {stats} && ninesixty merge l.jsonl --format csv");
    let output = shell(&lines).current_dir(directory.path()).output();
    let Run { code, out, err } = output.unwrap().into();
    assert_eq!(code, Some(0), "{err}");
    let direct = run(&["stats", "data/pgn/mainz-2009.pgn", "--format", "csv"]).out;
    assert_eq!(out, direct.repeat(3));
}
