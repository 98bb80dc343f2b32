//! The program: runs the command line and exits with its code.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().unwrap_or_else(cli::Failure::report)
}
