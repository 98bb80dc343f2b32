//! A UCI engine: started, introduced, told, listened to, started again.

use std::time::{Duration, Instant};

use super::process::{NoLine, Process};
use super::{CommandLine, EngineError, Limits};

/// How often an engine that died over a question is started again for it.
const RESTARTS: u32 = 3;
/// How long an engine that was told to quit may take before it is killed.
const QUITTING: Duration = Duration::from_millis(500);

/// A running engine that has introduced itself. Dropped, it is told to quit, and killed if it does not.
pub struct Engine {
    command: CommandLine,
    limits: Limits,
    process: Process,
    name: Option<String>,
    author: Option<String>,
    /// The names of the options that it offers.
    offers: Vec<String>,
    /// What was set, to be set again after a restart.
    set: Vec<(String, String)>,
    /// What it was last told, for errors.
    last_order: String,
}

impl Engine {
    /// Starts the engine and waits for its `uciok`.
    pub fn start(
        command: &CommandLine,
        limits: Limits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Engine, EngineError> {
        let mut engine = Engine {
            command: command.clone(),
            limits,
            process: begin(command, &limits)?,
            name: None,
            author: None,
            offers: Vec::new(),
            set: Vec::new(),
            last_order: String::new(),
        };
        engine.introduce(is_stopped)?;
        Ok(engine)
    }

    /// Ends the engine, however it stands, and starts it anew with the options that were set.
    pub fn restart(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<(), EngineError> {
        self.process = begin(&self.command, &self.limits)?;
        self.introduce(is_stopped)?;
        for (name, value) in self.set.clone() {
            self.send(&option_order(&name, &value));
        }
        self.synchronize(is_stopped)
    }

    pub fn command(&self) -> &CommandLine {
        &self.command
    }

    /// What it calls itself (`id name`).
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// The names of its options, as it spells them.
    pub fn options(&self) -> &[String] {
        &self.offers
    }

    /// Whether it has this option. Case does not matter in the names of options.
    pub fn offers(&self, option: &str) -> bool {
        self.offers
            .iter()
            .any(|offered| offered.eq_ignore_ascii_case(option))
    }

    /// Sets an option, also for after a restart.
    pub fn set_option(&mut self, name: &str, value: &str) {
        self.send(&option_order(name, value));
        self.set.retain(|(set, _)| !set.eq_ignore_ascii_case(name));
        self.set.push((name.to_owned(), value.to_owned()));
    }

    /// Tells the engine a line, and does not wait for anything.
    pub fn send(&mut self, line: &str) {
        self.last_order = line.to_owned();
        self.process.send(line);
    }

    /// Asks the engine to end what it is doing; what it still has to say is to be read.
    pub fn stop(&mut self) {
        self.process.send("stop");
    }

    /// Waits until it has done all that it was told.
    pub fn synchronize(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<(), EngineError> {
        self.send("isready");
        self.read_until(self.limits.start, is_stopped, |line| line == "readyok")?;
        Ok(())
    }

    /// The lines of an answer, to the one that `is_last` takes for the last. It sees every line as it comes.
    pub fn read_until(
        &mut self,
        timeout: Duration,
        is_stopped: &dyn Fn() -> bool,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<Vec<String>, EngineError> {
        let deadline = Instant::now() + timeout;
        let mut lines = Vec::new();
        let mut bytes = 0;
        loop {
            let line = self.process.next_line(deadline, is_stopped);
            let line = line.map_err(|none| self.explain(none, timeout))?;
            bytes += line.len() + 1;
            let is_last = is_last(&line);
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
            if bytes > self.limits.answer_bytes {
                return Err(EngineError::LongAnswer {
                    program: self.command.to_string(),
                    order: self.last_order.clone(),
                    limit: self.limits.answer_bytes,
                });
            }
        }
    }

    /// Gives orders and reads the answer. An engine that dies over them is started again, up to three times, and
    /// told the same. After any other error its state is unknown; before it is asked more, it has to be restarted.
    pub fn ask(
        &mut self,
        orders: &[String],
        is_stopped: &dyn Fn() -> bool,
        is_last: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, EngineError> {
        let mut restarts = 0;
        loop {
            orders.iter().for_each(|order| self.send(order));
            match self.read_until(self.limits.answer, is_stopped, &is_last) {
                Err(error) if error.is_death() && restarts < RESTARTS => {
                    restarts += 1;
                    self.restart(is_stopped)?;
                }
                answer => return answer,
            }
        }
    }

    fn introduce(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<(), EngineError> {
        self.send("uci");
        let lines = self.read_until(self.limits.start, is_stopped, |line| line == "uciok")?;
        let told = |beginning: &str| {
            let mut rests = lines.iter().filter_map(|line| line.strip_prefix(beginning));
            rests.next().map(|rest| rest.trim().to_owned())
        };
        self.name = told("id name ");
        self.author = told("id author ");
        self.offers = lines
            .iter()
            .filter_map(|line| option_name(line).map(str::to_owned))
            .collect();
        Ok(())
    }

    fn explain(&mut self, none: NoLine, waited: Duration) -> EngineError {
        let program = self.command.to_string();
        let order = self.last_order.clone();
        match none {
            NoLine::TimeOut => EngineError::Silent {
                program,
                order,
                waited,
            },
            NoLine::Stopped => EngineError::Stopped,
            NoLine::End => EngineError::Ended {
                program,
                order,
                ending: self.process.ending(),
                stderr: self.process.last_words(),
            },
            NoLine::TooLong => EngineError::LongLine {
                program,
                order,
                limit: self.limits.line_bytes,
            },
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.process.send("quit");
        self.process.close_input();
        self.process.wait(Instant::now() + QUITTING);
    }
}

fn begin(command: &CommandLine, limits: &Limits) -> Result<Process, EngineError> {
    Process::start(command, &[], limits.line_bytes).map_err(|source| EngineError::Start {
        program: command.to_string(),
        source,
    })
}

fn option_order(name: &str, value: &str) -> String {
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
    fn names_of_options_may_hold_spaces() {
        let line = "option name Clear Hash type button";
        assert_eq!(option_name(line), Some("Clear Hash"));
        let line = "option name UCI_Chess960 type check default false";
        assert_eq!(option_name(line), Some("UCI_Chess960"));
        assert_eq!(option_name("id name option"), None);
    }
}
