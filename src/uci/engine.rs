//! A UCI engine as a child process: handshake, options, commands, answers, restart.

use std::time::{Duration, Instant};

use super::process::{ChildProcess, NoLine};
use super::{CHESS960_OPTION, CommandLine, EngineError, EngineLimits};
use crate::run::Cancel;

/// How often an engine that died over a command is restarted for it.
const RESTARTS: u32 = 3;
/// How long an engine may take to obey `quit` before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);

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

impl EngineProcess {
    /// Starts the engine and waits for its `uciok`.
    pub fn start(
        command_line: &CommandLine,
        limits: EngineLimits,
        cancel: &Cancel,
    ) -> Result<EngineProcess, EngineError> {
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
        engine.handshake(cancel)?;
        Ok(engine)
    }

    /// Kills the engine, whatever it is doing, and starts it again with the options that were set.
    pub fn restart(&mut self, cancel: &Cancel) -> Result<(), EngineError> {
        self.process = spawn(&self.command_line, &self.limits)?;
        self.handshake(cancel)?;
        for (name, value) in self.set_options.clone() {
            self.send(&setoption(&name, &value));
        }
        self.synchronize(cancel)
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

    /// Sends `stop`. The output up to the `bestmove` still has to be read.
    pub fn stop(&mut self) {
        self.process.send("stop");
    }

    /// Sends `isready` and waits until the engine has processed all commands before it.
    pub fn synchronize(&mut self, cancel: &Cancel) -> Result<(), EngineError> {
        self.send("isready");
        self.read_until(self.limits.start, cancel, |line| line == "readyok")?;
        Ok(())
    }

    /// Reads lines up to and including the first one that `is_last` accepts. `is_last` sees every line as it arrives.
    pub fn read_until(
        &mut self,
        timeout: Duration,
        cancel: &Cancel,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<Vec<String>, EngineError> {
        let deadline = Instant::now() + timeout;
        let mut lines = Vec::new();
        let mut bytes = 0;
        loop {
            let line = self.process.next_line(deadline, cancel);
            let line = line.map_err(|reason| self.error(reason, timeout))?;
            bytes += line.len() + 1;
            let is_last = is_last(&line);
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
            if bytes > self.limits.answer_bytes {
                return Err(EngineError::AnswerTooLong {
                    program: self.command_line.to_string(),
                    command: self.last_command.clone(),
                    limit: self.limits.answer_bytes,
                });
            }
        }
    }

    /// Sends commands and reads the answer. If the engine dies over them, it is restarted up to three times and sent
    /// them again. After any other error its state is unknown: restart it before asking again.
    pub fn ask(
        &mut self,
        commands: &[String],
        cancel: &Cancel,
        is_last: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, EngineError> {
        let mut restarts = 0;
        loop {
            commands.iter().for_each(|command| self.send(command));
            match self.read_until(self.limits.answer, cancel, &is_last) {
                Err(error) if error.is_exit() && restarts < RESTARTS => {
                    restarts += 1;
                    self.restart(cancel)?;
                }
                answer => return answer,
            }
        }
    }

    fn handshake(&mut self, cancel: &Cancel) -> Result<(), EngineError> {
        self.send("uci");
        let lines = self.read_until(self.limits.start, cancel, |line| line == "uciok")?;
        let value_of = |key: &str| {
            let mut values = lines.iter().filter_map(|line| line.strip_prefix(key));
            values.next().map(|value| value.trim().to_owned())
        };
        self.name = value_of("id name ");
        self.author = value_of("id author ");
        self.options = lines
            .iter()
            .filter_map(|line| option_name(line).map(str::to_owned))
            .collect();
        Ok(())
    }

    fn error(&mut self, reason: NoLine, waited: Duration) -> EngineError {
        let program = self.command_line.to_string();
        let command = self.last_command.clone();
        match reason {
            NoLine::TimedOut => EngineError::TimedOut {
                program,
                command,
                waited,
            },
            NoLine::Cancelled => EngineError::Cancelled,
            NoLine::Eof => EngineError::Exited {
                program,
                command,
                status: self.process.exit_status_text(),
                stderr: self.process.stderr_tail(),
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
        self.process.send("quit");
        self.process.close_stdin();
        self.process.wait(Instant::now() + QUIT_TIMEOUT);
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
