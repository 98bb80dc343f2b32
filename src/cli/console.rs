//! Messages, progress and colour.

use clap::{Args, ValueEnum};

use super::progress::{ByteProgress, Progress};
use super::stderr::print_line;

#[derive(Args)]
pub struct ConsoleArgs {
    /// Print only results and errors
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        display_order = 990
    )]
    quiet: bool,
    /// Print more messages
    #[arg(short, long, global = true, display_order = 991)]
    verbose: bool,
    /// When to use colour (NO_COLOR turns `auto` off)
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        display_order = 992
    )]
    color: When,
}

#[derive(Clone, Copy, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

/// Where messages go.
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

    /// Whether output is coloured.
    pub fn has_color(&self, is_terminal: bool) -> bool {
        let no_color = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal && !no_color(),
        }
    }

    /// Prints a message unless `--quiet` is given.
    pub fn info(&self, message: impl AsRef<str>) {
        if !self.quiet {
            print_line(message.as_ref());
        }
    }

    /// Prints a message if `--verbose` is given.
    pub fn detail(&self, message: impl AsRef<str>) {
        if self.verbose {
            print_line(message.as_ref());
        }
    }

    /// Prints a message, even if `--quiet` is given.
    pub fn warn(&self, message: impl AsRef<str>) {
        print_line(message.as_ref());
    }

    /// Progress through steps with a total weight.
    pub fn progress(&self, steps: u64, weight: u64, unit: &'static str) -> Progress {
        Progress::new(self.quiet, steps, weight, unit)
    }

    /// Progress through the bytes of files.
    pub fn byte_progress(&self, total_bytes: Option<u64>) -> ByteProgress {
        ByteProgress::new(self.quiet, total_bytes)
    }
}
