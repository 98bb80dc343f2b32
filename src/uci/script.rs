//! A program that takes its question as arguments, prints the answer and exits.

use std::time::Instant;

use super::process::{ChildProcess, NoLine};
use super::{CommandLine, EngineError, EngineLimits};
use crate::run::Cancel;

/// What a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOutput {
    /// The lines of its standard output.
    pub lines: Vec<String>,
    /// The end of its standard error, as one line.
    pub stderr: String,
}

/// Runs a program to its end and returns what it printed.
///
/// It is an error if the program does not exit in time, prints more than the limits allow, or exits with a code other
/// than zero.
pub fn run_script(
    command_line: &CommandLine,
    arguments: &[String],
    limits: &EngineLimits,
    cancel: &Cancel,
) -> Result<ScriptOutput, EngineError> {
    let deadline = Instant::now() + limits.answer;
    let program = command_line.to_string();
    let command = || arguments.join(" ");
    let started = ChildProcess::start(command_line, arguments, limits.line_bytes);
    let mut process = started.map_err(|source| EngineError::Start {
        program: program.clone(),
        source,
    })?;
    process.close_stdin();
    let timed_out = || EngineError::TimedOut {
        program: program.clone(),
        command: command(),
        waited: limits.answer,
    };
    let mut lines = Vec::new();
    let mut bytes = 0;
    loop {
        match process.next_line(deadline, cancel) {
            Ok(line) => {
                bytes += line.len() + 1;
                lines.push(line);
            }
            Err(NoLine::Eof) => break,
            Err(NoLine::TimedOut) => return Err(timed_out()),
            Err(NoLine::Cancelled) => return Err(EngineError::Cancelled),
            Err(NoLine::TooLong) => {
                return Err(EngineError::LineTooLong {
                    program,
                    command: command(),
                    limit: limits.line_bytes,
                });
            }
        }
        if bytes > limits.answer_bytes {
            return Err(EngineError::AnswerTooLong {
                program,
                command: command(),
                limit: limits.answer_bytes,
            });
        }
    }
    match process.wait(deadline) {
        None => Err(timed_out()),
        Some(status) if status.success() => Ok(ScriptOutput {
            lines,
            stderr: process.stderr_tail(),
        }),
        Some(status) => Err(EngineError::Failed {
            program,
            status: status.to_string(),
            stderr: process.stderr_tail(),
        }),
    }
}
