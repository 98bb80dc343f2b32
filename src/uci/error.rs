//! What can go wrong with somebody else's program.

use std::io;
use std::time::Duration;

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("cannot start `{program}`")]
    Start { program: String, source: io::Error },
    #[error("`{program}` gave no answer to `{order}` within {} s", .waited.as_secs_f32())]
    Silent {
        program: String,
        order: String,
        waited: Duration,
    },
    #[error("`{program}` ended ({ending}) before it had answered `{order}`{}", last_words(.stderr))]
    Ended {
        program: String,
        order: String,
        /// How: an exit code, a signal.
        ending: String,
        /// What it wrote to standard error last.
        stderr: String,
    },
    #[error("`{program}` failed ({ending}){}", last_words(.stderr))]
    Failed {
        program: String,
        ending: String,
        stderr: String,
    },
    #[error("`{program}` answered `{order}` with a line of more than {limit} bytes")]
    LongLine {
        program: String,
        order: String,
        limit: usize,
    },
    #[error(
        "`{program}` does not come to an end of its answer to `{order}`: more than {limit} bytes so far"
    )]
    LongAnswer {
        program: String,
        order: String,
        limit: usize,
    },
    #[error("the wait for an answer was stopped")]
    Stopped,
}

impl EngineError {
    /// Whether it may help to start the program again and to repeat the question: it died, which may have been an
    /// accident. A program that hangs or babbles would only cost the same time again.
    pub fn is_death(&self) -> bool {
        matches!(self, EngineError::Ended { .. })
    }
}

fn last_words(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; its last words: {stderr}")
    }
}
