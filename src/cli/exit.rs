//! How the program ends: the one place that turns errors into exit codes.

use std::io;
use std::process::ExitCode;

use anyhow::{Error, anyhow};
use ninesixty::generator::CounterError;
use ninesixty::job::{
    AnyMergeError, InputError, PerftError, PositionsError, SearchError, StatsError,
};
use ninesixty::perft::CountError;
use ninesixty::pgn::ReadError;
use ninesixty::run::{LedgerError, MergeError, RunError};
use ninesixty::table::escape_control;

use super::signals::{Signal, Signals};
use super::stderr::print_line;

/// The exit code of work that could not be finished.
pub const UNFINISHED: u8 = 4;

/// The answer of a verb that finished.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Done (exit code 0).
    Yes,
    /// Done, and the answer is no: something differs (exit code 1).
    No,
}

/// Why a verb did not finish.
pub enum Failure {
    /// A usage error (exit code 2).
    Usage(Error),
    /// An input cannot be read or is damaged (exit code 3).
    Input(Error),
    /// The work could not be finished: disk, memory, an engine (exit code 4).
    Unfinished(Error),
    /// A signal ended the work early (exit code 130 or 143).
    Stopped(Signal, Error),
    /// The reader of standard output has closed it (exit code 0).
    BrokenPipe,
}

impl Failure {
    /// Prints the error and returns the exit code.
    pub fn report(self) -> ExitCode {
        let (error, code) = match self {
            Failure::Usage(error) => (error, 2),
            Failure::Input(error) => (error, 3),
            Failure::Unfinished(error) => (error, UNFINISHED),
            Failure::Stopped(signal, message) => {
                print_line(&format!("{message:#}"));
                return ExitCode::from(signal.exit_code());
            }
            Failure::BrokenPipe => return ExitCode::SUCCESS,
        };
        print_line(&format!("error: {}", presentable(&format!("{error:#}"))));
        ExitCode::from(code)
    }

    /// A failure to count.
    pub fn counting(error: CountError, signals: &Signals) -> Failure {
        match (error, signals.requested()) {
            (CountError::Cancelled, Some(signal)) => {
                Failure::Stopped(signal, anyhow!("stopped by {signal}"))
            }
            (error, _) => Failure::Unfinished(error.into()),
        }
    }

    /// A failure of a generator.
    pub fn of_counter(error: CounterError, signals: &Signals) -> Failure {
        match error {
            CounterError::Count(error) => Failure::counting(error, signals),
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

/// Makes a message safe for a terminal: it may quote a damaged file. It begins with the place and ends with the reason,
/// so a message that is too long loses its middle.
fn presentable(message: &str) -> String {
    const LONGEST_HALF_CHARS: usize = 500;
    let message = escape_control(message);
    let head = message.char_indices().nth(LONGEST_HALF_CHARS);
    let tail = message.char_indices().nth_back(LONGEST_HALF_CHARS - 1);
    match (head, tail) {
        (Some((head, _)), Some((tail, _))) if head < tail => {
            format!("{} … {}", &message[..head], &message[tail..])
        }
        _ => message,
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Failure {
        match error {
            LedgerError::File { .. } | LedgerError::InUse { .. } | LedgerError::Broken { .. } => {
                Failure::Unfinished(error.into())
            }
            LedgerError::NotAFile { .. }
            | LedgerError::OtherSettings { .. }
            | LedgerError::OtherShard { .. } => Failure::Usage(error.into()),
            LedgerError::Fault { .. } | LedgerError::Output { .. } => Failure::Input(error.into()),
        }
    }
}

impl<E: JobError> From<RunError<E>> for Failure {
    fn from(error: RunError<E>) -> Failure {
        match error {
            RunError::Ledger(error) => error.into(),
            RunError::Job(source) => source.into_failure(None),
            RunError::Task { task, source } => source.into_failure(Some(task)),
            error @ RunError::Threads(_) => Failure::Unfinished(error.into()),
        }
    }
}

impl<E: JobError> From<MergeError<E>> for Failure {
    fn from(error: MergeError<E>) -> Failure {
        match error {
            // A ledger that is only read is an input.
            MergeError::Ledger(error @ LedgerError::OtherSettings { .. }) => {
                Failure::Usage(error.into())
            }
            MergeError::Ledger(error) => Failure::Input(error.into()),
            error @ MergeError::Conflict { .. } => Failure::Input(error.into()),
            error @ MergeError::NoLedger => Failure::Usage(error.into()),
            MergeError::Run(error) => error.into(),
        }
    }
}

/// An error of a job.
pub trait JobError: std::error::Error + Send + Sync + 'static {
    /// The kind of failure, as its constructor.
    fn kind(&self) -> fn(Error) -> Failure;

    fn into_failure(self, task: Option<String>) -> Failure
    where
        Self: Sized,
    {
        let kind = self.kind();
        let error = Error::new(self);
        kind(match task {
            Some(task) => error.context(task),
            None => error,
        })
    }
}

impl JobError for PerftError {
    fn kind(&self) -> fn(Error) -> Failure {
        match self {
            PerftError::Count(CountError::MemoryLimit) => {
                |error| Failure::Unfinished(anyhow!("{error:#}; give it more with --hash"))
            }
            PerftError::Count(_) => Failure::Unfinished,
            PerftError::NoBreakdown(_) => Failure::Usage,
            PerftError::Misfit(_) => Failure::Input,
        }
    }
}

impl JobError for StatsError {
    fn kind(&self) -> fn(Error) -> Failure {
        match self {
            StatsError::Input(InputError::Stream(_) | InputError::UnknownBuiltin(_)) => {
                Failure::Usage
            }
            StatsError::Read(ReadError::Ratio { .. }) => {
                |error| Failure::Input(anyhow!("{error:#}; --any-ratio reads it all the same"))
            }
            error if error.is_input() => Failure::Input,
            _ => Failure::Unfinished,
        }
    }
}

impl JobError for SearchError {
    fn kind(&self) -> fn(Error) -> Failure {
        match self {
            SearchError::Misfit(_) => Failure::Input,
            SearchError::Engine(_) | SearchError::NoEngine => Failure::Unfinished,
        }
    }
}

impl From<AnyMergeError> for Failure {
    fn from(error: AnyMergeError) -> Failure {
        match error {
            error @ AnyMergeError::NoLedger => Failure::Usage(error.into()),
            AnyMergeError::Perft(error) => error.into(),
            AnyMergeError::Search(error) => error.into(),
            AnyMergeError::Stats(error) => error.into(),
            error => Failure::Input(error.into()),
        }
    }
}

impl From<PositionsError> for Failure {
    fn from(error: PositionsError) -> Failure {
        if error.is_input() {
            Failure::Input(error.into())
        } else {
            Failure::Usage(error.into())
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Unfinished(error.into())
    }
}

/// Turns an error into a failure of one kind.
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
