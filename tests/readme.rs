//! The promise: what the README shows is what the program does.

use std::env;

use assert_cmd::cargo::cargo_bin;

#[test]
fn every_command_of_the_readme_prints_what_is_shown() {
    let program = cargo_bin!("ninesixty");
    let directory = program.parent().unwrap();
    let path = env::var_os("PATH").unwrap_or_default();
    // The programs that the README's commands name as generators.
    let ours = [directory.to_owned(), directory.join("examples")];
    let path = env::join_paths(ours.into_iter().chain(env::split_paths(&path))).unwrap();
    trycmd::TestCases::new()
        .register_bin("ninesixty", program.to_owned())
        .env("NO_COLOR", "1")
        .env("PATH", path.to_str().unwrap())
        .case("README.md");
}
