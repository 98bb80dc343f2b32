//! Standard error.

use std::io::{self, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Writes a line to standard error.
pub fn print_line(line: &str) {
    // A job goes on when its messages cannot be written: standard error may be closed, or its disk full.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a line to standard error if that does not have to wait: the pipe behind it may be full, the terminal stopped.
pub fn print_line_if_ready(line: &str) {
    const AT_ONCE: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let stderr = io::stderr();
    let stderr = stderr.as_fd();
    let mut fds = [PollFd::new(&stderr, PollFlags::OUT)];
    if poll(&mut fds, Some(&AT_ONCE)).is_ok_and(|ready| ready > 0) {
        // Not through the lock of `io::stderr()`, which another thread may hold while it waits.
        let _ = rustix::io::write(stderr, format!("{line}\n").as_bytes());
    }
}
