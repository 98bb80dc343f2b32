//! `ninesixty uci`: this program as a UCI engine.

use std::io;

use clap::Args as ClapArgs;
use ninesixty::search::{UciSession, UciSessionError};

use super::exit::{Answer, Failure};

/// Run as a UCI engine that plays and counts: go depth, nodes, movetime, perft
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty uci <<< 'go perft 4'
  ninesixty uci <<< $'position startpos moves e2e4\\ngo depth 8'")]
pub struct Args {}

pub fn run(_: &Args) -> Result<Answer, Failure> {
    match UciSession::new(io::stdout()).run(io::stdin().lock()) {
        Ok(()) => Ok(Answer::Yes),
        Err(UciSessionError::Output(error)) => Err(Failure::writing(error)),
        Err(error @ UciSessionError::Input(_)) => Err(Failure::Input(error.into())),
    }
}
