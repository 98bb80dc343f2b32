//! The verbs, one file each: arguments become a job or a library call, and its result is written.
//!
//! Nothing else in the program prints. Data goes to standard output or to a file, messages go to standard error.

mod batch;
mod bench;
mod completions;
mod console;
mod diff;
mod doctor;
mod exit;
mod generators;
mod list;
mod man;
mod merge;
mod output;
mod perft;
mod positions;
mod progress;
mod random;
mod search;
mod show;
mod signals;
mod stats;
mod stderr;
mod threads;
mod uci;
mod verify;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};
use signal_hook::consts::SIGXFSZ;

use console::{Console, ConsoleArgs};
use exit::{Answer, Failure, OrFail};

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
    Search(search::Args),
    Stats(Box<stats::Args>),
    Merge(merge::Args),
    Verify(verify::Args),
    Diff(diff::Args),
    Doctor(doctor::Args),
    Bench(bench::Args),
    Uci(uci::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs what the command line asks for.
pub fn run() -> Result<ExitCode, Failure> {
    take_file_size_limit_for_an_error()?;
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(mistake) if mistake.use_stderr() => mistake.exit(),
        Err(help) => {
            help.print().map_err(Failure::writing)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let console = Console::new(&cli.console);
    let answer = match cli.verb {
        Verb::List(args) => list::run(&args, &console),
        Verb::Show(args) => show::run(&args, &console),
        Verb::Random(args) => random::run(&args, &console),
        Verb::Perft(args) => perft::run(&args, &console),
        Verb::Search(args) => search::run(&args, &console),
        Verb::Stats(args) => stats::run(&args, &console),
        Verb::Merge(args) => merge::run(&args, &console),
        Verb::Verify(args) => verify::run(&args, &console),
        Verb::Diff(args) => diff::run(&args, &console),
        Verb::Doctor(args) => doctor::run(&args, &console),
        Verb::Bench(args) => bench::run(&args, &console),
        Verb::Uci(args) => uci::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    }?;
    Ok(match answer {
        Answer::Yes => ExitCode::SUCCESS,
        Answer::No => ExitCode::from(1),
    })
}

/// A file that reaches `ulimit -f` raises a signal that kills unless somebody listens; then it is a failed write
/// like any other.
fn take_file_size_limit_for_an_error() -> Result<(), Failure> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).or_unfinished()?;
    Ok(())
}
