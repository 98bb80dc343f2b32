//! The generators that a verb uses, and the time-outs for those that are programs.

use std::time::Duration;

use clap::{Args, value_parser};
use ninesixty::generator::Counter;
use ninesixty::generator::named;
use ninesixty::uci::EngineLimits;

use super::exit::{Failure, OrFail};

/// The list of generators in the help of the verbs that use them.
pub const GENERATORS: &str = "\
Generators:
  own             this program
  shakmaty        the library behind Lichess's tools
  cozy-chess      the fastest library for Rust
  uci:COMMAND     a UCI engine that answers `go perft N`, as Stockfish does
  script:COMMAND  a program that is given DEPTH FEN [MOVES] and prints `move count` lines, an empty line and the total
A COMMAND may have arguments; words with spaces are quoted. No shell runs it.";

#[derive(Args)]
pub struct LimitArgs {
    /// Give up on an engine or script that takes longer than this for an answer
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
