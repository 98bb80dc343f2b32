//! The verbs, one file each: flags walk in, become a job, and its table walks out.
//!
//! Nothing else in the program prints. Data goes to standard output or to a file, everything meant for
//! the person at the terminal to standard error.

mod completions;
mod console;
mod exit;
mod list;
mod man;
mod output;
mod perft;
mod positions;
mod random;
mod show;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use console::{Console, ConsoleArgs};
use exit::{Answer, Failure};

/// Chess960: the 960 starts, their move trees counted exactly, generators checked against each other.
#[derive(Parser)]
#[command(name = "ninesixty", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    console: ConsoleArgs,
}

#[derive(Subcommand)]
enum Verb {
    List(list::Args),
    Show(show::Args),
    Random(random::Args),
    Perft(perft::Args),
    Verify(verify::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs what the command line asks for.
pub fn run() -> Result<ExitCode, Failure> {
    let cli = Cli::parse();
    let console = Console::new(&cli.console);
    let answer = match cli.verb {
        Verb::List(args) => list::run(&args, &console),
        Verb::Show(args) => show::run(&args, &console),
        Verb::Random(args) => random::run(&args, &console),
        Verb::Perft(args) => perft::run(&args, &console),
        Verb::Verify(args) => verify::run(&args, &console),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    }?;
    Ok(match answer {
        Answer::Yes => ExitCode::SUCCESS,
        Answer::No => ExitCode::from(1),
    })
}
