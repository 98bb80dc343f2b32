//! The programs in `tests/fixtures`. They are example targets, which `cargo test` builds together with the tests.

use std::path::PathBuf;

use assert_cmd::cargo::cargo_bin;

pub fn example(name: &str) -> PathBuf {
    let directory = cargo_bin!("ninesixty").parent().unwrap();
    let program = directory.join("examples").join(name);
    assert!(program.exists(), "run `cargo build --examples` first");
    program
}
