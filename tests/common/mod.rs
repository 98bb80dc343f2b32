//! The program as a user runs it.

use std::ffi::OsStr;
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;

/// Whoever takes longer has got stuck, however busy the machine is.
const HUNG: Duration = Duration::from_secs(1_800);

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

/// What stands on standard error but for the lines that tell the progress of a run that takes longer than usual.
fn without_progress(err: &str) -> String {
    let is_progress = |line: &str| {
        let line = line.trim_end();
        line.contains(" gone") && (line.ends_with(" to go") || line.ends_with(" gone"))
    };
    let lines = err.split_inclusive('\n');
    lines.filter(|line| !is_progress(line)).collect()
}

/// The program, in the directory of the package and with nothing in its environment that changes what it does.
fn program() -> Command {
    at_home(Command::new(cargo_bin!("ninesixty")))
}

/// A line of shell in which `ninesixty` is the program and `$0` the first argument.
pub fn shell(line: &str) -> Command {
    let directory = cargo_bin!("ninesixty").parent().unwrap();
    let mut command = at_home(Command::new("bash"));
    command
        .env("PATH", format!("{}:/usr/bin:/bin", directory.display()))
        .args(["-c", line]);
    command
}

fn at_home(mut command: Command) -> Command {
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
        .timeout(HUNG);
    command
}

pub fn run<S: AsRef<OsStr>>(args: &[S]) -> Run {
    program().args(args).output().unwrap().into()
}
