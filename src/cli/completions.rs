//! `ninesixty completions`: a script for tab completion in a shell.

use clap::{Args as ClapArgs, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use super::exit::{Answer, Failure};

/// Print a completion script for a shell
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty completions bash
  ninesixty completions zsh")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: &Args) -> Result<Answer, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ninesixty", &mut script);
    super::output::print_bytes(&script)?;
    Ok(Answer::Yes)
}
