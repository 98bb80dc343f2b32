//! Runs the program as a user does.

use std::ffi::OsStr;
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;

/// A command that takes longer hangs, however busy the machine is.
const TIMEOUT: Duration = Duration::from_secs(1_800);

/// How a run ended.
#[derive(Debug)]
pub struct Run {
    /// The exit code, or `None` if a signal ended the program.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: without_progress(&String::from_utf8(output.stderr).unwrap()),
        }
    }
}

/// Standard error without the progress lines that a run prints every 30 seconds, as it does on a busy machine.
fn without_progress(err: &str) -> String {
    let is_progress = |line: &str| {
        let line = line.trim_end();
        line.ends_with(" elapsed") || line.contains(" elapsed, ") && line.ends_with(" left")
    };
    let lines = err.split_inclusive('\n');
    lines.filter(|line| !is_progress(line)).collect()
}

/// The program, in the directory of the package and without environment variables that change its output.
fn program() -> Command {
    in_package(Command::new(cargo_bin!("ninesixty")))
}

/// A shell command in which `ninesixty` is the program and `$0` the first argument.
pub fn shell(line: &str) -> Command {
    let directory = cargo_bin!("ninesixty").parent().unwrap();
    let mut command = in_package(Command::new("/bin/bash"));
    command
        .env("PATH", format!("{}:/usr/bin:/bin", directory.display()))
        .args(["-c", line]);
    command
}

fn in_package(mut command: Command) -> Command {
    for name in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "BASH_ENV",
    ] {
        command.env_remove(name);
    }
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("LC_ALL", "C")
        .timeout(TIMEOUT);
    command
}

pub fn run<S: AsRef<OsStr>>(args: &[S]) -> Run {
    program().args(args).output().unwrap().into()
}
