//! The promise: whatever names files go by, whatever the operating system refuses, and whenever a signal arrives, no
//! file is lost, no game is counted twice, and the program ends in time with an exit code and a sentence.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use common::{Run, run};
use tempfile::{TempDir, tempdir};

const GAMES: &str = "data/pgn/mainz-2009.pgn";

/// A temporary directory, and paths in it.
struct Workspace(TempDir);

impl Workspace {
    fn new() -> Workspace {
        Workspace(tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// Runs a command that has to fail with this code; returns its message.
fn fail(code: i32, args: &[&str]) -> String {
    let Run {
        code: found, err, ..
    } = run(args);
    assert_eq!(found, Some(code), "{args:?}: {err}");
    err
}

mod same_file {
    use super::*;

    #[test]
    fn a_file_with_several_names_counts_once_and_the_names_are_listed() {
        let workspace = Workspace::new();
        let file = workspace.write("a.pgn", fs::read(GAMES).unwrap());
        let [detour, link, hard_link] =
            ["./a.pgn", "link.pgn", "hard.pgn"].map(|name| workspace.path(name));
        symlink(&file, &link).unwrap();
        fs::hard_link(&file, &hard_link).unwrap();
        for names in [[&file, &detour, &link], [&hard_link, &link, &file]] {
            let names = names.map(String::as_str);
            let Run { code, err, .. } = run(&[&["stats"], &names[..]].concat());
            assert_eq!(code, Some(0), "{err}");
            assert!(
                err.contains("\n20 games read") || err.starts_with("20 games read"),
                "{err}"
            );
            let said = err
                .lines()
                .filter(|line| line.contains("are the same file"));
            assert_eq!(said.count(), 1, "{err}");
            for name in names {
                assert!(err.contains(name), "{name}: {err}");
            }
        }
        // A copy is another file.
        let copy = workspace.write("copy.pgn", fs::read(GAMES).unwrap());
        let err = run(&["stats", &file, &copy]).err;
        assert!(
            err.contains("40 games read") && !err.contains("same file"),
            "{err}"
        );
    }

    #[test]
    fn a_directory_and_a_file_in_it_count_once() {
        let workspace = Workspace::new();
        let file = workspace.write("a.pgn", fs::read(GAMES).unwrap());
        let directory = workspace.path("");
        for ledger in [None, Some(workspace.path("ledger"))] {
            let mut args = vec!["stats", &file, &directory];
            args.extend(ledger.as_deref().map(|_| "--ledger"));
            args.extend(ledger.as_deref());
            let err = run(&args).err;
            assert!(err.contains("20 games read"), "{err}");
        }
    }
}
