//! What can go wrong with a child process.

use std::io;
use std::time::Duration;

/// Why a program gave no answer.
///
/// `program` is the command line of the child, `command` the last line that was sent to it (for a script: its arguments).
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The program does not start.
    #[error("cannot start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// Why it does not start.
        source: io::Error,
    },
    /// The program does not answer in time.
    #[error("`{program}` gave no answer to `{command}` within {} s", .waited.as_secs_f32())]
    TimedOut {
        /// The program.
        program: String,
        /// The command that it was sent.
        command: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// It exited in the middle of an answer.
    #[error("`{program}` exited ({status}) before it answered `{command}`{}", quote_stderr(.stderr))]
    Exited {
        /// The program.
        program: String,
        /// The command that it was sent.
        command: String,
        /// The exit code or signal, in words.
        status: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// It closed its output in the middle of an answer and kept running.
    #[error("`{program}` closed its output before it answered `{command}`, and kept running{}", quote_stderr(.stderr))]
    ClosedOutput {
        /// The program.
        program: String,
        /// The command that it was sent.
        command: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// A script reported failure by its exit code.
    #[error("`{program}` failed ({status}){}", quote_stderr(.stderr))]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// A line of the answer is too long.
    #[error("`{program}` answered `{command}` with a line of more than {limit} bytes")]
    LineTooLong {
        /// The program.
        program: String,
        /// The command that it was sent.
        command: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer is too long.
    #[error("`{program}` answered `{command}` with more than {limit} bytes")]
    AnswerTooLong {
        /// The program.
        program: String,
        /// The command that it was sent.
        command: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The wait was cancelled.
    #[error("the wait for an answer was cancelled")]
    Cancelled,
}

impl EngineError {
    /// Whether a restart may help: the process died or cannot answer any more, perhaps by accident. A program that hangs or prints without end
    /// would do so again and cost the same time.
    pub fn is_exit(&self) -> bool {
        matches!(
            self,
            EngineError::Exited { .. } | EngineError::ClosedOutput { .. }
        )
    }
}

/// The end of a program's standard error, to follow a message.
pub(crate) fn quote_stderr(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; stderr: {stderr}")
    }
}
