//! The promise: what the README shows is what the program does.

#[test]
fn every_command_of_the_readme_prints_what_is_shown() {
    trycmd::TestCases::new()
        .register_bin(
            "ninesixty",
            assert_cmd::cargo::cargo_bin!("ninesixty").to_owned(),
        )
        .env("NO_COLOR", "1")
        .case("README.md");
}
