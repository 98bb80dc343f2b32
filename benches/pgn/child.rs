//! Child processes and what they cost.

use std::io::Read;
use std::mem::MaybeUninit;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a run has cost.
#[derive(Clone)]
pub struct Measured {
    pub seconds: f64,
    /// The time that all its threads have used a processor.
    pub cpu_seconds: f64,
    /// The peak of its memory, files that it has mapped included.
    pub peak_bytes: u64,
    pub stderr: String,
}

/// Runs a program to its end.
///
/// On Linux, the peak of a new process is at least that of the process that started it, so this one has to stay small.
///
/// # Panics
///
/// Panics if the program cannot be started or does not succeed.
#[expect(
    clippy::zombie_processes,
    reason = "`wait` reaps the process and returns what it has used"
)]
pub fn run(command: &mut Command) -> Measured {
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stderr = String::new();
    let pipe = child.stderr.as_mut().expect("it is piped");
    pipe.read_to_string(&mut stderr).expect("messages are text");
    let (status, usage) = wait(child.id());
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(status, 0, "{command:?}: {stderr}");
    let of = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Measured {
        seconds,
        cpu_seconds: of(usage.ru_utime) + of(usage.ru_stime),
        peak_bytes: usage.ru_maxrss as u64 * 1024,
        stderr,
    }
}

/// Waits for a child process. The standard library does not return its resource usage.
#[expect(
    unsafe_code,
    reason = "no safe function returns the resource usage of one child"
)]
fn wait(pid: u32) -> (i32, libc::rusage) {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are valid for writes, and an rusage may be zero. The process is a child, and only
    // this function waits for it.
    let (waited, usage) = unsafe {
        let waited = libc::wait4(pid as i32, &raw mut status, 0, usage.as_mut_ptr());
        (waited, usage.assume_init())
    };
    assert_eq!(waited, pid as i32, "{}", std::io::Error::last_os_error());
    (status, usage)
}
