//! What the person at the terminal sees besides the data: messages, progress, colour.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum, value_parser};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::exit::{Failure, OrFail};
use super::output::OutputArgs;

#[derive(Args)]
pub struct ConsoleArgs {
    /// Say nothing but results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more about what is being done and how
    #[arg(short, long, global = true)]
    verbose: bool,
    /// When to use colour (NO_COLOR turns `auto` off)
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: When,
}

#[derive(Clone, Copy, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

/// How many threads a verb may use.
#[derive(Args)]
pub struct ThreadsArgs {
    /// Threads to work with [default: one per core]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadsArgs {
    /// How many threads that is.
    pub fn count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .context("cannot start the threads to count with")
            .or_unfinished()
    }
}

/// The user's side of the program.
pub struct Console {
    quiet: bool,
    verbose: bool,
    color: When,
}

impl Console {
    pub fn new(args: &ConsoleArgs) -> Console {
        Console {
            quiet: args.quiet,
            verbose: args.verbose,
            color: args.color,
        }
    }

    /// Whether this output is to be coloured.
    pub fn has_color(&self, output: &OutputArgs) -> bool {
        let is_unwanted = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => output.is_terminal() && !is_unwanted(),
        }
    }

    /// A message for everybody who did not ask for quiet.
    pub fn say(&self, message: impl AsRef<str>) {
        if !self.quiet {
            tell(message.as_ref());
        }
    }

    /// A message for those who want to know more.
    pub fn detail(&self, message: impl AsRef<str>) {
        if self.verbose {
            tell(message.as_ref());
        }
    }

    /// A message that must not be missed, however quiet it is to be.
    pub fn alarm(&self, message: impl AsRef<str>) {
        tell(message.as_ref());
    }

    /// Whether nothing is to be said.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Progress that nobody sees.
    pub fn no_progress(&self) -> Progress {
        let silent = Console {
            quiet: true,
            verbose: false,
            color: When::Never,
        };
        silent.progress(0, 0, "")
    }

    /// Progress through some steps that together weigh `weight`: a bar on a terminal, otherwise a line now
    /// and then.
    pub fn progress(&self, steps: u64, weight: u64, unit: &'static str) -> Progress {
        let is_seen = !self.quiet && io::stderr().is_terminal();
        let bar = if is_seen {
            ProgressBar::new(weight)
        } else {
            ProgressBar::hidden()
        };
        let style = ProgressStyle::with_template("{bar:30} {msg}, {elapsed} gone, {eta} to go");
        let now = Instant::now();
        Progress {
            bar: bar.with_style(style.expect("the template is well-formed")),
            is_plain: !self.quiet && !is_seen,
            unit,
            steps,
            weight,
            begun: now,
            state: Mutex::new(State {
                steps: 0,
                weight: 0,
                spoken: now,
            }),
        }
    }
}

/// Writes a line to standard error.
pub fn tell(line: &str) {
    // A job goes on when nobody can be told about it: standard error may be closed, or its disk full.
    let _ = writeln!(io::stderr(), "{line}");
}

/// How far a job has got. Workers report to it from any thread.
pub struct Progress {
    bar: ProgressBar,
    /// Without a terminal there is a line every half minute.
    is_plain: bool,
    unit: &'static str,
    steps: u64,
    weight: u64,
    begun: Instant,
    state: Mutex<State>,
}

struct State {
    steps: u64,
    weight: u64,
    spoken: Instant,
}

const SILENCE: Duration = Duration::from_secs(30);
const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

impl Progress {
    /// One more step of this weight is done.
    pub fn advance(&self, weight: u64) {
        let mut state = self
            .state
            .lock()
            .expect("nothing panics while it holds the lock");
        state.steps += 1;
        state.weight = state.weight.saturating_add(weight);
        let message = format!("{}/{} {}", state.steps, self.steps, self.unit);
        if self.is_plain && state.spoken.elapsed() >= SILENCE {
            state.spoken = Instant::now();
            let elapsed = self.begun.elapsed();
            let left = HumanDuration(self.remaining(state.weight, elapsed));
            tell(&format!(
                "{message}, {} gone, {left} to go",
                HumanDuration(elapsed)
            ));
        }
        self.bar.set_position(state.weight);
        self.bar.set_message(message);
    }

    /// How long the rest takes if it goes on as it went.
    fn remaining(&self, done: u64, elapsed: Duration) -> Duration {
        let share_left = self.weight.saturating_sub(done) as f64 / done.max(1) as f64;
        let left = Duration::try_from_secs_f64(elapsed.as_secs_f64() * share_left);
        left.map_or(CENTURY, |left| left.min(CENTURY))
    }

    /// Takes the bar off the screen.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}
