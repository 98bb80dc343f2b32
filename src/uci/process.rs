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
use super::descendants::Descendants;
use super::wait::{Wait, WaitError};
use crate::run::Cancel;
use crate::table::escape_control;

/// How many unread lines are buffered before the reader stops reading, which blocks the child.
const BUFFERED_LINES: usize = 1_000;
/// How much of the end of standard error is kept for error messages.
const STDERR_TAIL_BYTES: usize = 500;
/// How long a child that has closed its output may take to exit, and the rest of its output to arrive when it has exited.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// How often a wait checks whether the child has exited.
const EXIT_POLL: Duration = Duration::from_millis(2);

/// A running child. On drop, it is killed and reaped together with its process group and the descendants that can be found.
pub struct ChildProcess {
    child: Child,
    /// Known once the child is reaped.
    status: Option<ExitStatus>,
    /// Lines for the child's standard input; `None` once that is closed.
    stdin: Option<Sender<String>>,
    lines: Receiver<OutputLine>,
    /// Since when the child is known to have exited and has printed nothing.
    silent_since: Option<Instant>,
    stderr: StderrTail,
    descendants: Descendants,
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
    Wait(WaitError),
    /// The child has closed its output, or it has exited and nothing more comes.
    Eof,
    TooLong,
}

/// How a child ended that has closed its output.
pub struct ChildEnd {
    /// `None` if it kept running and was killed.
    pub status: Option<ExitStatus>,
    /// The end of its standard error, as one line.
    pub stderr: String,
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
            silent_since: None,
            stderr: StderrTail::default(),
            descendants: Descendants::default(),
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
    pub fn next_line(&mut self, wait: &Wait) -> Result<String, NoLine> {
        let line = wait.until(|time| match self.lines.recv_timeout(time) {
            Ok(OutputLine::Line(line)) => Some(Ok(line)),
            Ok(OutputLine::TooLong) => Some(Err(NoLine::TooLong)),
            Err(RecvTimeoutError::Disconnected) => Some(Err(NoLine::Eof)),
            Err(RecvTimeoutError::Timeout) => self.is_abandoned().then_some(Err(NoLine::Eof)),
        });
        let line = line.map_err(NoLine::Wait)??;
        self.silent_since = None;
        Ok(line)
    }

    /// Whether the child has exited and its output is silent, held open by a process that it has left behind.
    fn is_abandoned(&mut self) -> bool {
        if self.has_exited() {
            self.silent_since.get_or_insert_with(Instant::now);
        }
        self.silent_since
            .is_some_and(|since| since.elapsed() >= EXIT_GRACE)
    }

    /// The exit status, if the child exits in time. What it leaves behind is killed.
    pub fn wait(&mut self, wait: &Wait) -> Result<ExitStatus, WaitError> {
        self.until_exit(wait)?;
        self.kill().ok_or(WaitError::TimedOut)
    }

    /// How a child ended that has closed its output. One that does not exit is killed after a moment.
    pub fn end(&mut self, wait: &Wait) -> Result<ChildEnd, WaitError> {
        if self.until_exit(&wait.at_most(EXIT_GRACE)) == Err(WaitError::Cancelled) {
            return Err(WaitError::Cancelled);
        }
        let has_exited = self.has_exited();
        let status = self.kill();
        Ok(ChildEnd {
            status: status.filter(|_| has_exited),
            stderr: self.stderr_tail(wait),
        })
    }

    /// Waits without reaping.
    fn until_exit(&self, wait: &Wait) -> Result<(), WaitError> {
        wait.until(|time| {
            let has_exited = self.has_exited();
            if !has_exited {
                thread::sleep(time.min(EXIT_POLL));
            }
            has_exited.then_some(())
        })
    }

    /// The end of the child's standard error, as one line. All of it has been read if the child has ended, unless a process
    /// that it has left behind keeps it open.
    pub fn stderr_tail(&mut self, wait: &Wait) -> String {
        if !self.is_abandoned() {
            self.stderr.read_to_end(&wait.at_most(EXIT_GRACE));
        }
        self.stderr.to_line()
    }

    /// Remembers the descendants of the child, to kill them when it has exited.
    pub fn note_descendants(&mut self) {
        if !self.has_exited() {
            self.descendants.note(self.pid());
        }
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

    /// Kills what is left of the child, its process group and its descendants, and reaps the child.
    ///
    /// The status is `None` only for a process that not even the kernel can end, because it hangs in a system call. It is
    /// reaped by init.
    fn kill(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.descendants.stop(self.pid());
            // Fails if the process group is already gone.
            let _ = kill_process_group(self.pid(), Signal::KILL);
            self.descendants.kill();
            if self
                .until_exit(&Wait::new(EXIT_GRACE, Cancel::NEVER))
                .is_ok()
            {
                self.status = self.child.wait().ok();
            }
        }
        self.status
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
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

    /// Waits until all of it is read. Whatever ends the wait, there is a tail to show.
    fn read_to_end(&self, wait: &Wait) {
        if let Some(eof) = &self.eof {
            // Nothing is ever sent.
            let _ = wait.until(|time| match eof.recv_timeout(time) {
                Err(RecvTimeoutError::Timeout) => None,
                _ => Some(()),
            });
        }
    }

    /// As one line without control characters.
    fn to_line(&self) -> String {
        let tail = self.tail.lock();
        let tail = tail.expect("nothing panics while it holds the lock");
        let text = String::from_utf8_lossy(&tail);
        escape_control(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
