//! A program that takes its question as arguments, prints the answer and exits.

use super::answer::Answer;
use super::process::{ChildProcess, NoLine};
use super::wait::{Wait, WaitError};
use super::{CommandLine, EngineError, EngineLimits};
use crate::run::Cancel;

/// What a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOutput {
    /// Its standard output; every line ends with a line feed.
    pub text: String,
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
    let wait = Wait::new(limits.answer, cancel);
    let program = command_line.to_string();
    let command = || arguments.join(" ");
    let started = ChildProcess::start(command_line, arguments, limits.line_bytes);
    let mut process = started.map_err(|source| EngineError::Start {
        program: program.clone(),
        source,
    })?;
    process.close_stdin();
    let unfinished = |error| match error {
        WaitError::Cancelled => EngineError::Cancelled,
        WaitError::TimedOut => EngineError::TimedOut {
            program: program.clone(),
            command: command(),
            waited: limits.answer,
        },
    };
    let mut answer = Answer::new(limits.answer_bytes);
    loop {
        match process.next_line(&wait) {
            Ok(line) => {
                if answer.push(&line).is_err() {
                    return Err(EngineError::AnswerTooLong {
                        program,
                        command: command(),
                        limit: limits.answer_bytes,
                    });
                }
            }
            Err(NoLine::Eof) => break,
            Err(NoLine::Wait(error)) => return Err(unfinished(error)),
            Err(NoLine::TooLong) => {
                return Err(EngineError::LineTooLong {
                    program,
                    command: command(),
                    limit: limits.line_bytes,
                });
            }
        }
    }
    let status = process.wait(&wait).map_err(unfinished)?;
    let stderr = process.stderr_tail(&wait);
    if status.success() {
        Ok(ScriptOutput {
            text: answer.into_text(),
            stderr,
        })
    } else {
        Err(EngineError::Failed {
            program,
            status: status.to_string(),
            stderr,
        })
    }
}
