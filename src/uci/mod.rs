//! Other programs as child processes: UCI engines, and scripts that print an answer and exit.
//!
//! A [`CommandLine`] names the program. [`EngineProcess`] starts a UCI engine, asks it questions and returns what it
//! printed; [`run_script`] runs a program to its end. Every wait has a time-out, every line and every answer has a size
//! limit, and every wait ends when a [`Cancel`](crate::run::Cancel) is set. Every answer of an engine ends at a `readyok`,
//! so that nothing of it is taken for a part of the next one.
//!
//! A child never outlives its owner: its process group is killed and the child is reaped on drop, and the kernel kills it
//! if this process dies first. On Linux its descendants in other process groups and sessions are killed too, as long as
//! their parents live; a descendant that has left its group *and* lost its parent is beyond reach. No shell is involved.
//!
//! The module knows the UCI handshake and `setoption`. What `go perft` or a search prints is parsed by the callers.

mod answer;
mod command;
mod descendants;
mod engine;
mod error;
mod process;
mod script;
mod wait;

pub use command::{CommandError, CommandLine};
pub use engine::{EngineProcess, Question};
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
