//! A UCI engine as a child process: handshake, options, commands, answers, restart.

use std::time::Duration;

use super::answer::Answer;
use super::process::{ChildEnd, ChildProcess, NoLine};
use super::wait::{Wait, WaitError};
use super::{CHESS960_OPTION, CommandLine, EngineError, EngineLimits};
use crate::run::Cancel;

/// How often an engine that died over a command is restarted for it.
const RESTARTS: u32 = 3;
/// How long an engine may take to obey `quit` before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);
/// How long an engine that is ready may take to answer a question that it may not understand.
const PROBE_GRACE: Duration = Duration::from_secs(2);
/// What an engine answers to `isready` when it has obeyed all commands before it.
const READY: &str = "readyok";

/// A running UCI engine that has completed its handshake. On drop it is sent `quit`, and killed if it does not exit.
pub struct EngineProcess {
    command_line: CommandLine,
    limits: EngineLimits,
    process: ChildProcess,
    name: Option<String>,
    author: Option<String>,
    /// The names of the options that the engine offers.
    options: Vec<String>,
    /// The options that were set, to be set again after a restart.
    set_options: Vec<(String, String)>,
    /// The last command sent, for error messages.
    last_command: String,
}

/// A command whose answer is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Commands to send before it, such as `position`. What the engine prints until it has obeyed them belongs to no answer.
    pub setup: &'a [String],
    /// The command.
    pub command: &'a str,
}

impl EngineProcess {
    /// Starts the engine and waits for its `uciok`. If the engine dies before that, it is started again up to three times.
    pub fn start(
        command_line: &CommandLine,
        limits: EngineLimits,
        cancel: &Cancel,
    ) -> Result<EngineProcess, EngineError> {
        let wait = Wait::new(limits.start, cancel);
        let mut engine = EngineProcess {
            command_line: command_line.clone(),
            limits,
            process: spawn(command_line, &limits)?,
            name: None,
            author: None,
            options: Vec::new(),
            set_options: Vec::new(),
            last_command: String::new(),
        };
        engine.introduce(&wait)?;
        Ok(engine)
    }

    /// Kills the engine, whatever it is doing, and starts it again with the options that were set.
    pub fn restart(&mut self, cancel: &Cancel) -> Result<(), EngineError> {
        self.restart_within(&Wait::new(self.limits.start, cancel))
    }

    fn restart_within(&mut self, wait: &Wait) -> Result<(), EngineError> {
        self.process = spawn(&self.command_line, &self.limits)?;
        self.introduce(wait)?;
        for (name, value) in self.set_options.clone() {
            self.send(&setoption(&name, &value));
        }
        self.obey(&[], wait)
    }

    /// The command line that the engine was started with.
    pub fn command_line(&self) -> &CommandLine {
        &self.command_line
    }

    /// The name that the engine gives itself (`id name`).
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The author that the engine names (`id author`).
    pub fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// The names of the engine's options, in its own spelling.
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Whether the engine has this option. UCI ignores case in option names.
    pub fn has_option(&self, option: &str) -> bool {
        self.options
            .iter()
            .any(|offered| offered.eq_ignore_ascii_case(option))
    }

    /// Sets an option, now and after every restart.
    pub fn set_option(&mut self, name: &str, value: &str) {
        self.send(&setoption(name, value));
        self.set_options
            .retain(|(set, _)| !set.eq_ignore_ascii_case(name));
        self.set_options.push((name.to_owned(), value.to_owned()));
    }

    /// Switches Chess960 on or off, if the engine has the option for it; returns whether it has.
    ///
    /// An engine without `UCI_Chess960` plays classical chess and does not say so when it is given a Chess960 position.
    pub fn set_chess960(&mut self, is_on: bool) -> bool {
        let has_option = self.has_option(CHESS960_OPTION);
        if has_option {
            self.set_option(CHESS960_OPTION, &is_on.to_string());
        }
        has_option
    }

    /// Sends a command without waiting for an answer.
    pub fn send(&mut self, command: &str) {
        self.last_command = command.to_owned();
        self.process.send(command);
    }

    /// Sends `isready` and waits until the engine has obeyed all commands before it. What it prints meanwhile is lost.
    pub fn synchronize(&mut self, cancel: &Cancel) -> Result<(), EngineError> {
        self.obey(&[], &Wait::new(self.limits.start, cancel))
    }

    /// Asks a question and reads the answer. If the engine dies over it, it is restarted up to three times and asked again,
    /// all within the time-out of one answer. After any other error its state is unknown: restart it before asking again.
    ///
    /// The answer is what the engine prints up to the first line that `is_last` accepts, and on to the `readyok` that
    /// follows. An engine that says more than it was asked for, or says it twice, cannot be heard in the next answer.
    pub fn ask(
        &mut self,
        question: &Question,
        cancel: &Cancel,
        is_last: impl Fn(&str) -> bool,
    ) -> Result<String, EngineError> {
        let wait = Wait::new(self.limits.answer, cancel);
        let mut answer = self.answer(question, &wait, &is_last);
        for _ in 0..RESTARTS {
            if !answer.as_ref().is_err_and(EngineError::is_exit) {
                break;
            }
            answer = self
                .restart_within(&wait.at_most(self.limits.start))
                .and_then(|()| self.answer(question, &wait, &is_last));
        }
        answer
    }

    /// Asks a question once, with a time-out of its own. `is_last` sees every line as it arrives.
    pub fn ask_once(
        &mut self,
        question: &Question,
        timeout: Duration,
        cancel: &Cancel,
        is_last: impl FnMut(&str) -> bool,
    ) -> Result<String, EngineError> {
        self.answer(question, &Wait::new(timeout, cancel), is_last)
    }

    /// Asks a question that the engine may not understand, and returns what it prints: up to the first line that `is_last`
    /// accepts, or else for a while after its `readyok`, and on to another `readyok`.
    ///
    /// An engine that counts on a thread of its own is ready before it has counted, so that silence at the first `readyok`
    /// does not say that there is no answer.
    pub fn probe(
        &mut self,
        question: &Question,
        cancel: &Cancel,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<String, EngineError> {
        let wait = Wait::new(self.limits.start, cancel);
        self.obey(question.setup, &wait)?;
        self.send(question.command);
        self.process.send("isready");
        let mut answer = Answer::new(self.limits.answer_bytes);
        let mut is_over = false;
        self.read(&mut answer, &wait, |line| {
            is_over |= is_last(line);
            line == READY
        })?;
        if !is_over {
            match self.read(&mut answer, &wait.at_most(PROBE_GRACE), is_last) {
                Ok(()) | Err(EngineError::TimedOut { .. }) => {}
                Err(error) => return Err(error),
            }
            self.process.send("isready");
            self.read(&mut answer, &wait, |line| line == READY)?;
        }
        Ok(answer.into_text())
    }

    /// Ends a search that is in progress and waits for its `bestmove`.
    pub fn stop(&mut self, cancel: &Cancel) -> Result<(), EngineError> {
        let wait = Wait::new(self.limits.start, cancel);
        self.send("stop");
        let mut ignored = Answer::new(self.limits.answer_bytes);
        self.read(&mut ignored, &wait, |line| line.starts_with("bestmove"))?;
        self.obey(&[], &wait)
    }

    fn answer(
        &mut self,
        question: &Question,
        wait: &Wait,
        is_last: impl FnMut(&str) -> bool,
    ) -> Result<String, EngineError> {
        self.obey(question.setup, wait)?;
        self.send(question.command);
        let mut answer = Answer::new(self.limits.answer_bytes);
        self.read(&mut answer, wait, is_last)?;
        self.process.send("isready");
        self.read(&mut answer, wait, |line| line == READY)?;
        Ok(answer.into_text())
    }

    /// Sends commands that have no answer and waits until they are obeyed.
    fn obey(&mut self, commands: &[String], wait: &Wait) -> Result<(), EngineError> {
        commands.iter().for_each(|command| self.send(command));
        self.send("isready");
        let mut ignored = Answer::new(self.limits.answer_bytes);
        let wait = wait.at_most(self.limits.start);
        self.read(&mut ignored, &wait, |line| line == READY)
    }

    /// Reads lines up to and including the first one that `is_last` accepts. `readyok` is never part of an answer.
    fn read(
        &mut self,
        answer: &mut Answer,
        wait: &Wait,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<(), EngineError> {
        loop {
            let line = self.process.next_line(wait);
            let line = line.map_err(|reason| self.error(reason, wait))?;
            if line != READY && answer.push(&line).is_err() {
                return Err(EngineError::AnswerTooLong {
                    program: self.command_line.to_string(),
                    command: self.last_command.clone(),
                    limit: self.limits.answer_bytes,
                });
            }
            if is_last(&line) {
                return Ok(());
            }
        }
    }

    /// The handshake, with an engine that dies during it started again.
    fn introduce(&mut self, wait: &Wait) -> Result<(), EngineError> {
        let mut handshake = self.handshake(wait);
        for _ in 0..RESTARTS {
            if !handshake.as_ref().is_err_and(EngineError::is_exit) {
                break;
            }
            self.process = spawn(&self.command_line, &self.limits)?;
            handshake = self.handshake(wait);
        }
        handshake
    }

    fn handshake(&mut self, wait: &Wait) -> Result<(), EngineError> {
        self.send("uci");
        let mut answer = Answer::new(self.limits.answer_bytes);
        self.read(&mut answer, wait, |line| line == "uciok")?;
        let answer = answer.into_text();
        let value_of = |key: &str| {
            let mut values = answer.lines().filter_map(|line| line.strip_prefix(key));
            values.next().map(|value| value.trim().to_owned())
        };
        self.name = value_of("id name ");
        self.author = value_of("id author ");
        self.options = answer
            .lines()
            .filter_map(|line| option_name(line).map(str::to_owned))
            .collect();
        Ok(())
    }

    fn error(&mut self, reason: NoLine, wait: &Wait) -> EngineError {
        let program = self.command_line.to_string();
        let command = self.last_command.clone();
        match reason {
            NoLine::Wait(WaitError::TimedOut) => EngineError::TimedOut {
                program,
                command,
                waited: wait.timeout(),
            },
            NoLine::Wait(WaitError::Cancelled) => EngineError::Cancelled,
            NoLine::Eof => match self.process.end(wait) {
                Err(_) => EngineError::Cancelled,
                Ok(ChildEnd {
                    status: Some(status),
                    stderr,
                }) => EngineError::Exited {
                    program,
                    command,
                    status: status.to_string(),
                    stderr,
                },
                Ok(ChildEnd {
                    status: None,
                    stderr,
                }) => EngineError::ClosedOutput {
                    program,
                    command,
                    stderr,
                },
            },
            NoLine::TooLong => EngineError::LineTooLong {
                program,
                command,
                limit: self.limits.line_bytes,
            },
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.process.note_descendants();
        self.process.send("quit");
        self.process.close_stdin();
        // An engine that does not obey is killed when `process` is dropped.
        let _ = self.process.wait(&Wait::new(QUIT_TIMEOUT, Cancel::NEVER));
    }
}

fn spawn(command_line: &CommandLine, limits: &EngineLimits) -> Result<ChildProcess, EngineError> {
    ChildProcess::start(command_line, &[], limits.line_bytes).map_err(|source| EngineError::Start {
        program: command_line.to_string(),
        source,
    })
}

fn setoption(name: &str, value: &str) -> String {
    format!("setoption name {name} value {value}")
}

/// The name in a line like `option name Clear Hash type button`.
fn option_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("option name ")?;
    rest.split(" type ").next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_may_contain_spaces() {
        let line = "option name Clear Hash type button";
        assert_eq!(option_name(line), Some("Clear Hash"));
        let line = "option name UCI_Chess960 type check default false";
        assert_eq!(option_name(line), Some("UCI_Chess960"));
        assert_eq!(option_name("id name option"), None);
    }
}
