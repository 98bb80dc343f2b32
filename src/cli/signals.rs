//! SIGINT and SIGTERM as a cancel flag, and the end of the process if no thread sees it.
//!
//! A thread that waits for input or output does not see the flag: the other end of a pipe may be silent for hours. So the
//! flag is given some time, and then the process ends whatever it is doing. That loses nothing: a ledger and a table
//! survive a process that is killed.

use std::fmt;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use ninesixty::run::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use super::stderr::print_line_if_ready;

/// How long the flag is given. The process is to end within two seconds.
const GRACE: Duration = Duration::from_millis(1_500);

/// A signal that asks the process to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// Sent by a scheduler before it kills a job.
    Terminate,
}

/// The signals of this process.
pub struct Signals {
    received: Arc<Received>,
    cancel: Cancel,
}

#[derive(Default)]
struct Received {
    /// The number of the last signal, 0 if there was none.
    number: Arc<AtomicUsize>,
    /// How to continue a job that is stopped.
    advice: OnceLock<String>,
}

impl Signal {
    const ALL: [Signal; 2] = [Signal::Interrupt, Signal::Terminate];

    /// The code that a process ended by the signal is expected to exit with: 130 or 143.
    pub fn exit_code(self) -> u8 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }

    fn number(self) -> i32 {
        match self {
            Signal::Interrupt => SIGINT,
            Signal::Terminate => SIGTERM,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signal::Interrupt => "SIGINT",
            Signal::Terminate => "SIGTERM",
        })
    }
}

impl Signals {
    /// Installs handlers for the lifetime of the process: the first signal of either kind sets the cancel flag. The next
    /// one, or time, ends the process with [`exit_code`](Signal::exit_code).
    pub fn install() -> io::Result<Signals> {
        let is_received = Arc::new(AtomicBool::new(false));
        let signals = Signals {
            received: Arc::default(),
            cancel: Cancel::from(Arc::clone(&is_received)),
        };
        let (mut wake, waker) = UnixStream::pair()?;
        let received = Arc::clone(&signals.received);
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                if wake.read_exact(&mut [0]).is_ok() {
                    thread::sleep(GRACE);
                    received.end_process();
                }
            })
            .map_err(|error| {
                let message = format!("cannot start a thread that waits for signals: {error}");
                io::Error::new(error.kind(), message)
            })?;
        for signal in Signal::ALL {
            let number = signal.number();
            // Handlers run in this order: the check for an earlier signal comes before the flag is set.
            flag::register_conditional_shutdown(
                number,
                signal.exit_code().into(),
                Arc::clone(&is_received),
            )?;
            let last = Arc::clone(&signals.received.number);
            flag::register_usize(number, last, number as usize)?;
            flag::register(number, Arc::clone(&is_received))?;
            low_level::pipe::register(number, waker.try_clone()?)?;
        }
        Ok(signals)
    }

    /// The flag that a signal sets.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The last signal that was received.
    pub fn requested(&self) -> Option<Signal> {
        self.received.signal()
    }

    /// What to say if the process has to be ended.
    pub fn advise(&self, advice: String) {
        // A process has one job.
        let _ = self.received.advice.set(advice);
    }
}

impl Received {
    fn signal(&self) -> Option<Signal> {
        let number = self.number.load(Ordering::Relaxed);
        let mut signals = Signal::ALL.into_iter();
        signals.find(|signal| signal.number() as usize == number)
    }

    /// Ends the process without waiting for anything, not even for a message to be read.
    fn end_process(&self) {
        let Some(signal) = self.signal() else {
            return;
        };
        let advice = self.advice.get();
        let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
        print_line_if_ready(&format!("stopped by {signal}{advice}"));
        low_level::exit(signal.exit_code().into());
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::Command;

    use signal_hook::low_level::raise;

    use super::*;

    const SIGNALS: &str = "NINESIXTY_TEST_SIGNALS";

    /// Raises signals and exits as the program would. Runs in a child process, because signals are for whole processes.
    fn receive(numbers: &str) -> ! {
        let signals = Signals::install().unwrap();
        assert_eq!(signals.requested(), None);
        for signal in numbers.split(',') {
            raise(signal.parse().unwrap()).unwrap();
        }
        let received = signals.requested().unwrap();
        assert!(signals.cancel().is_set());
        std::process::exit(i32::from(received.exit_code()) - 100)
    }

    #[test]
    fn the_first_signal_sets_the_flag_and_the_second_ends_the_process() {
        if let Ok(signals) = env::var(SIGNALS) {
            receive(&signals);
        }
        for (signals, code) in [
            ("2", 30),
            ("15", 43),
            ("2,2", 130),
            ("15,15", 143),
            ("2,15", 143),
            ("15,2", 130),
        ] {
            let this_test = concat!(
                "cli::signals::tests::",
                "the_first_signal_sets_the_flag_and_the_second_ends_the_process"
            );
            let child = Command::new(env::current_exe().unwrap())
                .args(["--exact", this_test])
                .env(SIGNALS, signals)
                .output()
                .unwrap();
            assert_eq!(child.status.code(), Some(code), "{signals}: {child:?}");
        }
    }
}
