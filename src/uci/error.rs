//! What can go wrong with a child process.

use std::io;
use std::time::Duration;

/// Why a program gave no answer.
///
/// `program` is the command line of the child, `command` the last line that was sent to it (for a script: its arguments).
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("cannot start `{program}`")]
    Start { program: String, source: io::Error },
    #[error("`{program}` gave no answer to `{command}` within {} s", .waited.as_secs_f32())]
    TimedOut {
        program: String,
        command: String,
        waited: Duration,
    },
    /// It closed its output in the middle of an answer.
    #[error("`{program}` exited ({status}) before it answered `{command}`{}", quote_stderr(.stderr))]
    Exited {
        program: String,
        command: String,
        /// The exit code or signal, in words.
        status: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// A script reported failure by its exit code.
    #[error("`{program}` failed ({status}){}", quote_stderr(.stderr))]
    Failed {
        program: String,
        status: String,
        stderr: String,
    },
    #[error("`{program}` answered `{command}` with a line of more than {limit} bytes")]
    LineTooLong {
        program: String,
        command: String,
        limit: usize,
    },
    #[error("`{program}` answered `{command}` with more than {limit} bytes")]
    AnswerTooLong {
        program: String,
        command: String,
        limit: usize,
    },
    #[error("the wait for an answer was cancelled")]
    Cancelled,
}

impl EngineError {
    /// Whether a restart may help: the process died, perhaps by accident. A program that hangs or prints without end
    /// would do so again and cost the same time.
    pub fn is_exit(&self) -> bool {
        matches!(self, EngineError::Exited { .. })
    }
}

fn quote_stderr(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; stderr: {stderr}")
    }
}
