//! Processes that are sent signals.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

/// Waits until the process has installed its signal handlers, according to /proc.
pub fn wait_for_signal_handlers(child: &Child) {
    let started = Instant::now();
    let caught = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        u64::from_str_radix(mask.unwrap().trim(), 16).unwrap()
    };
    let of = |signal: Signal| 1 << (signal.as_raw() - 1);
    while caught() & of(Signal::INT) == 0 || caught() & of(Signal::TERM) == 0 {
        assert!(
            started.elapsed() < Duration::from_secs(300),
            "no signal handlers"
        );
        sleep(Duration::from_millis(5));
    }
}
