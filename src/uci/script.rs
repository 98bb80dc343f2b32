//! A program that is given its question as arguments, prints the answer and ends.

use std::time::Instant;

use super::process::{NoLine, Process};
use super::{CommandLine, EngineError, Limits};

/// Runs a program to its end and gives the lines that it printed.
///
/// It is an error if it does not end in time, prints without end, or says by its exit code that it failed.
pub fn run_script(
    command: &CommandLine,
    arguments: &[String],
    limits: &Limits,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<String>, EngineError> {
    let deadline = Instant::now() + limits.answer;
    let program = command.to_string();
    let order = || arguments.join(" ");
    let started = Process::start(command, arguments, limits.line_bytes);
    let mut process = started.map_err(|source| EngineError::Start {
        program: program.clone(),
        source,
    })?;
    process.close_input();
    let silent = || EngineError::Silent {
        program: program.clone(),
        order: order(),
        waited: limits.answer,
    };
    let mut lines = Vec::new();
    let mut bytes = 0;
    loop {
        match process.next_line(deadline, is_stopped) {
            Ok(line) => {
                bytes += line.len() + 1;
                lines.push(line);
            }
            Err(NoLine::End) => break,
            Err(NoLine::TimeOut) => return Err(silent()),
            Err(NoLine::Stopped) => return Err(EngineError::Stopped),
            Err(NoLine::TooLong) => {
                return Err(EngineError::LongLine {
                    program,
                    order: order(),
                    limit: limits.line_bytes,
                });
            }
        }
        if bytes > limits.answer_bytes {
            return Err(EngineError::LongAnswer {
                program,
                order: order(),
                limit: limits.answer_bytes,
            });
        }
    }
    match process.wait(deadline) {
        None => Err(silent()),
        Some(status) if status.success() => Ok(lines),
        Some(status) => Err(EngineError::Failed {
            program,
            ending: status.to_string(),
            stderr: process.last_words(),
        }),
    }
}
