//! `ninesixty man`: the manual page of the program or of one verb.

use anyhow::anyhow;
use clap::{Args as ClapArgs, CommandFactory};
use clap_mangen::Man;

use super::Cli;
use super::exit::{Answer, Failure, OrFail};

/// Print a manual page, to be read with `man -l -`
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty man
  ninesixty man perft")]
pub struct Args {
    /// The verb to describe [default: the whole program]
    verb: Option<String>,
}

pub fn run(args: &Args) -> Result<Answer, Failure> {
    let mut program = Cli::command();
    program.build();
    let command = match &args.verb {
        None => program,
        Some(verb) => program
            .find_subcommand(verb)
            .cloned()
            .ok_or_else(|| anyhow!("unknown verb {verb:?}"))
            .or_usage()?,
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page).or_unfinished()?;
    super::output::print_bytes(&page)?;
    Ok(Answer::Yes)
}
