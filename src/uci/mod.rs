//! Other people's programs as child processes: UCI engines, and scripts that run to their end.
//!
//! In walks a command as it was typed, and what to say to the program; out walk the lines of its answer, or the
//! reason why there is none. A program that is dead, silent, endless or full of nonsense is an everyday thing
//! here, so every wait has an end, every line and every answer a longest size, and no child outlives its owner:
//! it is killed with its whole process group and reaped when it is dropped, and by the system should we be
//! killed ourselves. There is no shell: a command is split into words and run as it is.
//!
//! The room knows how to speak to an engine, not what to ask it. What an option must be called, what `go perft`
//! prints and what a search tells is the business of those who ask.

mod command;
mod engine;
mod error;
mod process;
mod script;

pub use command::{CommandError, CommandLine};
pub use engine::Engine;
pub use error::EngineError;
pub use script::run_script;

use std::time::Duration;

/// How long a program may take and how much it may say.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the start of an engine to the end of its handshake, and for each `isready`.
    pub start: Duration,
    /// For the whole answer to a question.
    pub answer: Duration,
    /// The longest line.
    pub line_bytes: usize,
    /// The longest answer.
    pub answer_bytes: usize,
}

impl Default for Limits {
    /// Enough for every healthy engine on a machine that has other things to do.
    fn default() -> Limits {
        Limits {
            start: Duration::from_secs(30),
            answer: Duration::from_secs(600),
            line_bytes: 64 << 10,
            answer_bytes: 16 << 20,
        }
    }
}
