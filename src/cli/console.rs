//! What the person at the terminal sees besides the data: messages, progress, colour.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::exit::{Failure, OrFail};

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
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

impl ThreadsArgs {
    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, NonZeroUsize::get))
            .build()
            .or_unfinished()
    }
}

/// The user's side of the program.
pub struct Console {
    quiet: bool,
    verbose: bool,
    color: bool,
}

impl Console {
    pub fn new(args: &ConsoleArgs) -> Console {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Console {
            quiet: args.quiet,
            verbose: args.verbose,
            color: match args.color {
                When::Always => true,
                When::Never => false,
                When::Auto => io::stdout().is_terminal() && !no_color,
            },
        }
    }

    /// Whether what goes to standard output may be coloured.
    pub fn has_color(&self) -> bool {
        self.color
    }

    /// A message for everybody who did not ask for quiet.
    pub fn say(&self, message: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("{}", message.as_ref());
        }
    }

    /// A message for those who want to know more.
    pub fn detail(&self, message: impl AsRef<str>) {
        if self.verbose {
            eprintln!("{}", message.as_ref());
        }
    }

    /// Progress through `total` units of work: a bar on a terminal, otherwise a line now and then.
    pub fn progress(&self, total: u64, unit: &'static str) -> Progress {
        let bar = if self.quiet || !io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(total)
        };
        let template = format!(
            "{{bar:30}} {{human_pos}}/{{human_len}} {unit}, {{elapsed}} gone, {{eta}} to go"
        );
        let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
        let now = Instant::now();
        Progress {
            bar: bar.with_style(style),
            plain: (!self.quiet && !io::stderr().is_terminal()).then(|| Plain {
                unit,
                total,
                begun: now,
                state: Mutex::new(State {
                    done: 0,
                    spoken: now,
                }),
            }),
        }
    }
}

/// How far a job has got. Workers report to it from any thread.
pub struct Progress {
    bar: ProgressBar,
    plain: Option<Plain>,
}

impl Progress {
    pub fn advance(&self, units: u64) {
        self.bar.inc(units);
        if let Some(plain) = &self.plain {
            plain.advance(units);
        }
    }

    /// Takes the bar off the screen.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress where there is no terminal: one line every half minute.
struct Plain {
    unit: &'static str,
    total: u64,
    begun: Instant,
    state: Mutex<State>,
}

struct State {
    done: u64,
    spoken: Instant,
}

const SILENCE: Duration = Duration::from_secs(30);

impl Plain {
    fn advance(&self, units: u64) {
        let mut state = self
            .state
            .lock()
            .expect("nothing panics while it holds the lock");
        state.done += units;
        if state.spoken.elapsed() < SILENCE {
            return;
        }
        state.spoken = Instant::now();
        let elapsed = self.begun.elapsed();
        let share_left = self.total.saturating_sub(state.done) as f64 / state.done.max(1) as f64;
        let left = HumanDuration(elapsed.mul_f64(share_left));
        let (done, total, unit) = (state.done, self.total, self.unit);
        eprintln!(
            "{done}/{total} {unit}, {} gone, {left} to go",
            HumanDuration(elapsed)
        );
    }
}
