//! A signal turned into an orderly end.
//!
//! In walk SIGINT (Ctrl-C) and SIGTERM (what a cluster sends before it kills); out walks a flag that long work asks
//! now and then. Whoever cannot wait sends a second signal, which ends the process at once.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A signal that asks the process to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
}

/// Whether work should end before it is done. Clones tell the same.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// The number of the signal that came, 0 if none did.
    signal: Arc<AtomicUsize>,
    is_halted: Arc<AtomicBool>,
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

/// The default is a stop that no signal sets.
impl Stop {
    /// Listens to signals for the rest of the process's life: the first one of either kind sets the stop, the next
    /// one of either kind ends the process with [`exit_code`](Signal::exit_code).
    pub fn install() -> io::Result<Stop> {
        let stop = Stop::default();
        let has_come = Arc::new(AtomicBool::new(false));
        for signal in Signal::ALL {
            let number = signal.number();
            // In this order, because the signal that sets the flag must not find it set.
            flag::register_conditional_shutdown(
                number,
                signal.exit_code().into(),
                Arc::clone(&has_come),
            )?;
            flag::register_usize(number, Arc::clone(&stop.signal), number as usize)?;
            flag::register(number, Arc::clone(&has_come))?;
        }
        Ok(stop)
    }

    /// Sets the stop as the signal would.
    pub fn request(&self, signal: Signal) {
        self.signal
            .store(signal.number() as usize, Ordering::Relaxed);
    }

    /// The signal that asked for an end.
    pub fn requested(&self) -> Option<Signal> {
        let number = self.signal.load(Ordering::Relaxed);
        let mut signals = Signal::ALL.into_iter();
        signals.find(|signal| signal.number() as usize == number)
    }

    /// Whether to end, because of a signal or because other work of the same run has failed. Cheap enough to be asked
    /// thousands of times a second.
    pub fn is_set(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0 || self.is_halted.load(Ordering::Relaxed)
    }

    /// A stop that the same signals set, and that can be halted without the others.
    pub(super) fn for_one_run(&self) -> Stop {
        Stop {
            signal: Arc::clone(&self.signal),
            is_halted: Arc::default(),
        }
    }

    pub(super) fn halt(&self) {
        self.is_halted.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::Command;

    use signal_hook::low_level::raise;

    use super::*;

    const SIGNALS: &str = "NINESIXTY_TEST_SIGNALS";

    /// Sends this process signals and exits as a program would: signals are for whole processes.
    fn receive(signals: &str) -> ! {
        let stop = Stop::install().unwrap();
        let other = stop.clone();
        assert_eq!(stop.requested(), None);
        for signal in signals.split(',') {
            raise(signal.parse().unwrap()).unwrap();
        }
        let received = other.requested().unwrap();
        assert!(stop.is_set());
        std::process::exit(i32::from(received.exit_code()) - 100)
    }

    #[test]
    fn the_first_signal_sets_the_stop_and_the_second_ends_the_process() {
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
                "run::stop::tests::",
                "the_first_signal_sets_the_stop_and_the_second_ends_the_process"
            );
            let child = Command::new(env::current_exe().unwrap())
                .args(["--exact", this_test])
                .env(SIGNALS, signals)
                .output()
                .unwrap();
            assert_eq!(child.status.code(), Some(code), "{signals}: {child:?}");
        }
    }

    #[test]
    fn a_request_is_seen_by_clones_and_runs_and_tells_the_signal() {
        for signal in Signal::ALL {
            let stop = Stop::default();
            let (clone, run) = (stop.clone(), stop.for_one_run());
            assert!(!clone.is_set() && !run.is_set());
            stop.request(signal);
            assert!(clone.is_set() && run.is_set());
            assert_eq!(run.requested(), Some(signal));
        }
    }

    #[test]
    fn a_halted_run_stops_nothing_else() {
        let stop = Stop::default();
        let run = stop.for_one_run();
        run.halt();
        assert!(run.is_set());
        assert_eq!(run.requested(), None);
        assert!(!stop.is_set());
    }
}
