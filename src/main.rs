//! The command line: parse, run the verb, turn what came of it into an exit code.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().unwrap_or_else(|failure| failure.report())
}
