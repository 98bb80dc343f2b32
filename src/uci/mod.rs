//! Other programs as child processes: UCI engines, and scripts that print an answer and exit.
//!
//! A [`CommandLine`] names the program. [`EngineProcess`] starts a UCI engine, sends it commands and returns the lines
//! of its output; [`run_script`] runs a program to its end. Every wait has a time-out, every line and every answer has a
//! size limit, and every wait ends when a [`Cancel`](crate::run::Cancel) is set. A child never outlives its owner: its
//! process group is killed and the child is reaped on drop, and the kernel kills it if this process dies first. No shell
//! is involved.
//!
//! The module knows the UCI handshake and `setoption`. What `go perft` or a search prints is parsed by the callers.

mod command;
mod engine;
mod error;
mod process;
mod script;

pub use command::{CommandError, CommandLine};
pub use engine::EngineProcess;
pub use error::EngineError;
pub(crate) use error::quote_stderr;
pub use script::{ScriptOutput, run_script};

use std::time::Duration;

/// The UCI option that switches an engine to Chess960.
pub(crate) const CHESS960_OPTION: &str = "UCI_Chess960";

/// Time-outs and size limits for a child process.
#[derive(Clone, Copy, Debug)]
pub struct EngineLimits {
    /// Time-out of the UCI handshake (counted from the start of the process) and of every `isready`.
    pub start: Duration,
    /// Time-out of a whole answer.
    pub answer: Duration,
    /// The longest line.
    pub line_bytes: usize,
    /// The longest answer.
    pub answer_bytes: usize,
}

impl Default for EngineLimits {
    /// Generous enough for a healthy engine on a busy machine.
    fn default() -> EngineLimits {
        EngineLimits {
            start: Duration::from_secs(30),
            answer: Duration::from_secs(600),
            line_bytes: 64 << 10,
            answer_bytes: 16 << 20,
        }
    }
}
