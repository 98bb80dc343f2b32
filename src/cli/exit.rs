//! How a run ends: the one place that knows the exit codes.

use std::io;
use std::process::ExitCode;

use anyhow::{Error, anyhow};
use ninesixty::generator::CounterError;
use ninesixty::perft::CountError;
use ninesixty::run::{Signal, Stop};
use ninesixty::table::reveal;

use super::console;

/// What a verb that finished has to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Done (exit code 0).
    Yes,
    /// Done, and the answer is no: something differs (exit code 1).
    No,
}

/// Why a verb did not finish.
pub enum Failure {
    /// What was typed cannot be meant (exit code 2).
    Usage(Error),
    /// An input cannot be read or is damaged (exit code 3).
    Input(Error),
    /// Everything was in order, but the machine could not do it (exit code 4).
    Unfinished(Error),
    /// A signal asked for an end before it was reached (exit code 130 or 143).
    Stopped(Signal, Error),
    /// Whoever read our output has seen enough (exit code 0).
    BrokenPipe,
}

impl Failure {
    /// Tells the user and gives the exit code.
    pub fn report(self) -> ExitCode {
        let (error, code) = match self {
            Failure::Usage(error) => (error, 2),
            Failure::Input(error) => (error, 3),
            Failure::Unfinished(error) => (error, 4),
            Failure::Stopped(signal, message) => {
                console::tell(&format!("{message:#}"));
                return ExitCode::from(signal.exit_code());
            }
            Failure::BrokenPipe => return ExitCode::SUCCESS,
        };
        console::tell(&format!("error: {}", presentable(&format!("{error:#}"))));
        ExitCode::from(code)
    }

    /// A failure to count.
    pub fn counting(error: CountError, stop: &Stop) -> Failure {
        match (error, stop.requested()) {
            (CountError::Stopped, Some(signal)) => {
                Failure::Stopped(signal, anyhow!("stopped by {signal}"))
            }
            (error, _) => Failure::Unfinished(error.into()),
        }
    }

    /// A failure of a generator.
    pub fn of_counter(error: CounterError, stop: &Stop) -> Failure {
        match error {
            CounterError::Count(error) => Failure::counting(error, stop),
            error => Failure::Unfinished(error.into()),
        }
    }

    /// A failure to write to standard output.
    pub fn writing(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::BrokenPipe
        } else {
            Failure::Unfinished(Error::new(error).context("cannot write to standard output"))
        }
    }
}

/// A message that quotes a damaged file, made fit for a terminal. It begins with where and ends with why, so
/// that a quotation without end is cut out of the middle.
fn presentable(message: &str) -> String {
    const LONGEST_HALF_CHARS: usize = 500;
    let message = reveal(message);
    let head = message.char_indices().nth(LONGEST_HALF_CHARS);
    let tail = message.char_indices().nth_back(LONGEST_HALF_CHARS - 1);
    match (head, tail) {
        (Some((head, _)), Some((tail, _))) if head < tail => {
            format!("{} … {}", &message[..head], &message[tail..])
        }
        _ => message,
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Unfinished(error.into())
    }
}

/// Says what kind of failure an error is.
pub trait OrFail<T> {
    fn or_usage(self) -> Result<T, Failure>;
    fn or_input(self) -> Result<T, Failure>;
    fn or_unfinished(self) -> Result<T, Failure>;
}

impl<T, E: Into<Error>> OrFail<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Usage(error.into()))
    }

    fn or_input(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Input(error.into()))
    }

    fn or_unfinished(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Unfinished(error.into()))
    }
}
