//! The promise: the examples that `--help` shows run as they stand.

mod common;

use std::path::Path;

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

#[test]
fn every_verb_shows_two_examples_and_they_run_as_they_stand() {
    let verbs = verbs();
    assert!(verbs.len() >= 7, "{verbs:?}");
    verbs.par_iter().for_each(|verb| {
        let examples = lines_under(&run(&[verb, "--help"]).out, "Examples:");
        assert!(
            examples.len() >= 2,
            "{verb} shows {} examples",
            examples.len()
        );
        for example in examples {
            assert!(
                example.starts_with(&format!("ninesixty {verb}")),
                "{example}"
            );
            succeeds(&example);
        }
    });
}

/// Runs a line where the data is and where it may leave files behind.
fn succeeds(example: &str) {
    let directory = tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    std::os::unix::fs::symlink(data, directory.path().join("data")).unwrap();
    let output = shell(example).current_dir(directory.path()).output();
    let Run { code, out, err } = output.unwrap().into();
    assert_eq!(code, Some(0), "{example}: {err}");
    assert!(!(out + &err).is_empty(), "{example} says nothing");
}
