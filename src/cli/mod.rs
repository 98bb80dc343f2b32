//! The verbs, one file each: arguments become a job or a library call, and its result is written.
//!
//! Nothing else in the program prints. Data goes to standard output or to a file, messages go to standard error.

mod allocator;
mod batch;
mod bench;
mod completions;
mod console;
mod diff;
mod doctor;
mod exit;
mod generators;
mod input_path;
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
pub use exit::Failure;
use exit::{Answer, OrFail};

/// Chess960 tools: perft, search and opening statistics for all 960 starts, and tests of move generators
#[derive(Parser)]
#[command(
    name = "ninesixty",
    version,
    max_term_width = 100,
    after_help = "Examples:
  ninesixty show 518
  ninesixty perft 518 --depth 5 --divide
  ninesixty search 518 --depth 10
  ninesixty stats @mainz2009
  ninesixty diff --b shakmaty --epd @tricky

`ninesixty help VERB` has the flags and examples of a verb. In the repository, README.md is an
introduction, docs/GUIDE.md describes every verb, docs/GENERATORS.md how to connect a move generator
of your own, docs/COLUMNS.md the columns of tables, docs/CLUSTER.md long runs on many machines."
)]
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

/// Parses the command line and runs the verb.
pub fn run() -> Result<ExitCode, Failure> {
    allocator::respect_address_space_limit();
    ignore_file_size_signal()?;
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => error.exit(),
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

/// A write beyond `ulimit -f` raises SIGXFSZ, which kills the process. With a handler for it, the write fails with an
/// error instead.
fn ignore_file_size_signal() -> Result<(), Failure> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).or_unfinished()?;
    Ok(())
}
