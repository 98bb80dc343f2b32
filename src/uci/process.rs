//! A child process that exchanges lines with us over pipes.
//!
//! Each child has three threads: one starts it and reads its output, one drains its standard error, one writes its input.
//! No pipe can therefore block the owner: it only waits for lines, and every wait has a deadline.

#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "a closure that runs between fork and exec")
)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::CommandLine;
use crate::run::Cancel;
use crate::table::escape_control;

/// How many unread lines are buffered before the reader stops reading, which blocks the child.
const BUFFERED_LINES: usize = 1_000;
/// How much of the end of standard error is kept for error messages.
const STDERR_TAIL_BYTES: usize = 500;
/// How often a wait checks whether it is cancelled.
const CANCEL_POLL: Duration = Duration::from_millis(20);
/// How long a child that has closed its output may take to exit, and the rest of its standard error to arrive.
const EXIT_TIMEOUT: Duration = Duration::from_secs(30);

/// A running child. On drop, its process group is killed and the child is reaped.
pub struct ChildProcess {
    child: Child,
    /// Known once the child is reaped.
    status: Option<ExitStatus>,
    /// Lines for the child's standard input; `None` once that is closed.
    stdin: Option<Sender<String>>,
    lines: Receiver<OutputLine>,
    stderr: StderrTail,
    /// Keeps the thread alive that started the child: the kernel kills the child when that thread exits.
    _parent_thread: Sender<()>,
}

enum OutputLine {
    Line(String),
    TooLong,
}

/// Why there is no next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    TimedOut,
    Cancelled,
    /// The child has closed its output.
    Eof,
    TooLong,
}

impl ChildProcess {
    pub fn start(
        command_line: &CommandLine,
        more_arguments: &[String],
        line_bytes: usize,
    ) -> io::Result<ChildProcess> {
        let mut command = prepare(command_line, more_arguments);
        let (sender, lines) = mpsc::sync_channel(BUFFERED_LINES);
        let (spawned_sender, spawned) = mpsc::channel();
        let (parent_thread, until_dropped) = mpsc::channel::<()>();
        thread::Builder::new()
            .name(format!("reader of {}", command_line.program()))
            .spawn(move || {
                let mut child = match command.spawn() {
                    Ok(child) => child,
                    Err(error) => return drop(spawned_sender.send(Err(error))),
                };
                let output = child.stdout.take().expect("it is piped");
                if spawned_sender.send(Ok(child)).is_ok() {
                    read_lines(output, line_bytes, &sender);
                    drop(sender);
                    // Returns an error when the owner drops its end.
                    let _ = until_dropped.recv();
                }
            })?;
        let child = spawned
            .recv()
            .map_err(|_| io::Error::other("the thread that starts it has ended"))??;
        // From here on, an error drops `process`, which reaps the child.
        let mut process = ChildProcess {
            child,
            status: None,
            stdin: None,
            lines,
            stderr: StderrTail::default(),
            _parent_thread: parent_thread,
        };
        process.stdin = process.child.stdin.take().map(write_lines).transpose()?;
        if let Some(stderr) = process.child.stderr.take() {
            process.stderr = StderrTail::collect(stderr)?;
        }
        Ok(process)
    }

    /// Sends a line. If the child is dead the line is lost; the caller notices when it reads the answer.
    pub fn send(&self, line: &str) {
        if let Some(stdin) = &self.stdin {
            let _ = stdin.send(format!("{line}\n"));
        }
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The next line of the child, without its line end.
    pub fn next_line(&self, deadline: Instant, cancel: &Cancel) -> Result<String, NoLine> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(CANCEL_POLL)) {
                Ok(OutputLine::Line(line)) => return Ok(line),
                Ok(OutputLine::TooLong) => return Err(NoLine::TooLong),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Eof),
                Err(RecvTimeoutError::Timeout) if cancel.is_set() => return Err(NoLine::Cancelled),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(NoLine::TimedOut),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The exit status, if the child exits before the deadline.
    pub fn wait(&mut self, deadline: Instant) -> Option<ExitStatus> {
        while !self.has_exited() {
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
        self.reap().ok()
    }

    /// The exit status of a child that has closed its output, in words.
    pub fn exit_status_text(&mut self) -> String {
        match self.wait(Instant::now() + EXIT_TIMEOUT) {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        }
    }

    /// The end of the child's standard error, as one line.
    pub fn stderr_tail(&self) -> String {
        self.stderr.to_line()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Checks without reaping: the system does not reuse the process id of a child that is not reaped.
    fn has_exited(&self) -> bool {
        if self.status.is_some() {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.pid()), options), Ok(None))
    }

    /// Kills what is left of the child's process group and reaps the child.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        // Fails if the process group is already gone.
        let _ = kill_process_group(self.pid(), Signal::KILL);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // There is no one to report an error to; `wait` fails only for a process that is not our child.
        let _ = self.reap();
    }
}

fn prepare(command_line: &CommandLine, more_arguments: &[String]) -> Command {
    let mut command = Command::new(command_line.program());
    command
        .args(command_line.arguments())
        .args(more_arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Its own process group, so that Ctrl-C reaches only us and the whole group can be killed.
        .process_group(0);
    #[cfg(target_os = "linux")]
    kill_when_parent_dies(&mut command);
    command
}

/// Makes the kernel kill the child when the thread that started it exits for any reason.
#[cfg(target_os = "linux")]
fn kill_when_parent_dies(command: &mut Command) {
    let parent = rustix::process::getpid();
    let request_death_signal = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the request.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(rustix::io::Errno::SRCH.into())
        }
    };
    // SAFETY: between fork and exec the closure makes two system calls and allocates nothing.
    unsafe { command.pre_exec(request_death_signal) };
}

fn read_lines(output: ChildStdout, longest: usize, lines: &SyncSender<OutputLine>) {
    let mut output = BufReader::new(output);
    let longest_with_end = longest as u64 + 1;
    let mut bytes = Vec::new();
    // A read error ends the output like an end of file.
    while let Ok(1..) = (&mut output)
        .take(longest_with_end)
        .read_until(b'\n', &mut bytes)
    {
        let is_cut = bytes.len() as u64 == longest_with_end && !bytes.ends_with(b"\n");
        let line = if is_cut {
            OutputLine::TooLong
        } else {
            OutputLine::Line(String::from_utf8_lossy(&bytes).trim_end().to_owned())
        };
        if lines.send(line).is_err() || is_cut {
            return;
        }
        bytes.clear();
    }
}

/// Writes to the child from a thread of its own, so that a child that does not read cannot block the sender.
fn write_lines(mut stdin: ChildStdin) -> io::Result<Sender<String>> {
    let (sender, lines) = mpsc::channel::<String>();
    thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(move || {
            for line in lines {
                if stdin.write_all(line.as_bytes()).is_err() {
                    return;
                }
            }
        })?;
    Ok(sender)
}

/// The end of what a child wrote to standard error.
#[derive(Default)]
struct StderrTail {
    tail: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when all of it is read.
    eof: Option<Receiver<()>>,
}

impl StderrTail {
    fn collect(mut stderr: ChildStderr) -> io::Result<StderrTail> {
        let tail = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&tail);
        let (until_eof, eof) = mpsc::channel::<()>();
        thread::Builder::new()
            .name("stderr".to_owned())
            .spawn(move || {
                let _until_eof = until_eof;
                let mut chunk = [0; 4096];
                while let Ok(bytes @ 1..) = stderr.read(&mut chunk) {
                    let mut tail = collected
                        .lock()
                        .expect("nothing panics while it holds the lock");
                    tail.extend_from_slice(&chunk[..bytes]);
                    let surplus = tail.len().saturating_sub(STDERR_TAIL_BYTES);
                    tail.drain(..surplus);
                }
            })?;
        let eof = Some(eof);
        Ok(StderrTail { tail, eof })
    }

    /// As one line without control characters.
    fn to_line(&self) -> String {
        if let Some(eof) = &self.eof {
            // A grandchild may keep standard error open for ever.
            let _ = eof.recv_timeout(EXIT_TIMEOUT);
        }
        let tail = self.tail.lock();
        let tail = tail.expect("nothing panics while it holds the lock");
        let text = String::from_utf8_lossy(&tail);
        escape_control(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
