//! Generators on the command line, and the timeouts of those that are programs.

use std::time::Duration;

use clap::{Args, value_parser};
use ninesixty::generator::Counter;
use ninesixty::generator::named;
use ninesixty::uci::EngineLimits;

use super::exit::{Failure, OrFail};

/// The list of generators in the help of the verbs that use them.
pub const GENERATORS: &str = "\
Generators:
  own             the generator of this program
  shakmaty        a Rust library, used by Lichess
  cozy-chess      a Rust library, built for speed
  uci:COMMAND     a UCI engine that supports `go perft N`, such as Stockfish
  script:COMMAND  a program that is called with DEPTH FEN [MOVES] and prints a line `move count`
                  for each move, an empty line and the total
COMMAND may have arguments; quote those with spaces. It is not run by a shell.
docs/GENERATORS.md in the repository has examples of all three ways to connect your own.";

#[derive(Args)]
pub struct LimitArgs {
    /// Give up on an engine or script that takes longer than this to answer
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = value_parser!(u32).range(1..))]
    timeout: u32,
    /// Give up on an engine that takes longer than this to start
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u32).range(1..))]
    start_timeout: u32,
}

impl LimitArgs {
    pub fn limits(&self) -> EngineLimits {
        EngineLimits {
            start: Duration::from_secs(self.start_timeout.into()),
            answer: Duration::from_secs(self.timeout.into()),
            ..EngineLimits::default()
        }
    }

    pub fn generator(&self, name: &str) -> Result<Box<dyn Counter>, Failure> {
        named(name, &self.limits()).or_usage()
    }
}
