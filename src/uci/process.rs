//! A child process with which lines are exchanged.
//!
//! One thread starts the child and reads its lines, one drains its standard error, one writes what it is told:
//! none of them can keep the owner waiting, who only ever waits for a line, and only for as long as it wants to.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::CommandLine;
use crate::table::reveal;

/// So many lines may wait to be read; then the child has to wait with more.
const LINES_AHEAD: usize = 1_000;
/// As much of standard error as an error message can carry.
const LAST_WORDS_BYTES: usize = 500;
/// How often a wait looks whether it is to be stopped.
const LOOK_UP: Duration = Duration::from_millis(20);
/// How long a child that has closed its output may take to end, and its last words to arrive.
const FAREWELL: Duration = Duration::from_secs(30);

/// A running child. It is killed, together with whatever it has started, and reaped when it is dropped.
pub struct Process {
    child: Child,
    /// How it ended, once it is reaped.
    status: Option<ExitStatus>,
    /// The child's input; `None` once it was closed.
    orders: Option<Sender<String>>,
    lines: Receiver<Said>,
    stderr: LastWords,
    /// The thread that started the child lives until this is dropped: with it the system would end the child.
    _keeper: Sender<()>,
}

enum Said {
    Line(String),
    TooLong,
}

/// Why there is no next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    TimeOut,
    Stopped,
    /// The child has closed its output.
    End,
    TooLong,
}

impl Process {
    pub fn start(
        command: &CommandLine,
        more_arguments: &[String],
        line_bytes: usize,
    ) -> io::Result<Process> {
        let mut prepared = prepare(command, more_arguments);
        let (sender, lines) = mpsc::sync_channel(LINES_AHEAD);
        let (report, birth) = mpsc::channel();
        let (keeper, death) = mpsc::channel::<()>();
        thread::Builder::new()
            .name(format!("reader of {}", command.program()))
            .spawn(move || {
                let mut child = match prepared.spawn() {
                    Ok(child) => child,
                    // The owner waits for this report.
                    Err(error) => return drop(report.send(Err(error))),
                };
                let output = child.stdout.take().expect("it is piped");
                if report.send(Ok(child)).is_ok() {
                    read_lines(output, line_bytes, &sender);
                    drop(sender);
                    // Ends with an error, when the owner has reaped the child.
                    let _ = death.recv();
                }
            })?;
        let child = birth
            .recv()
            .map_err(|_| io::Error::other("the thread that starts it has ended"))??;
        // From here on the child is reaped whatever happens.
        let mut process = Process {
            child,
            status: None,
            orders: None,
            lines,
            stderr: LastWords::default(),
            _keeper: keeper,
        };
        process.orders = process.child.stdin.take().map(write_orders).transpose()?;
        if let Some(stderr) = process.child.stderr.take() {
            process.stderr = LastWords::of(stderr)?;
        }
        Ok(process)
    }

    /// Tells the child a line. What a dead one is told is lost: its end shows when the answer is read.
    pub fn send(&self, line: &str) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(format!("{line}\n"));
        }
    }

    pub fn close_input(&mut self) {
        self.orders = None;
    }

    /// The next line of the child, without its line end.
    pub fn next_line(
        &self,
        deadline: Instant,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<String, NoLine> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(LOOK_UP)) {
                Ok(Said::Line(line)) => return Ok(line),
                Ok(Said::TooLong) => return Err(NoLine::TooLong),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::End),
                Err(RecvTimeoutError::Timeout) if is_stopped() => return Err(NoLine::Stopped),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(NoLine::TimeOut),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How the child ended, if it does so before the deadline.
    pub fn wait(&mut self, deadline: Instant) -> Option<ExitStatus> {
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
        self.reap().ok()
    }

    /// How a child ended that has closed its output, in words.
    pub fn ending(&mut self) -> String {
        match self.wait(Instant::now() + FAREWELL) {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        }
    }

    /// The end of what it wrote to standard error, in one line.
    pub fn last_words(&self) -> String {
        self.stderr.heard()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Looks without reaping: as long as it is not reaped, nobody else can get its process id.
    fn has_ended(&self) -> bool {
        if self.status.is_some() {
            return true;
        }
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.pid()), look), Ok(None))
    }

    /// Kills what is left of the child's process group and reaps the child.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        // It fails where nobody is left to be killed.
        let _ = kill_process_group(self.pid(), Signal::KILL);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nobody can be told that a child could not be reaped, which the system only refuses if it is not ours.
        let _ = self.reap();
    }
}

fn prepare(command: &CommandLine, more_arguments: &[String]) -> Command {
    let mut prepared = Command::new(command.program());
    prepared
        .args(command.arguments())
        .args(more_arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C is for us: we tell the child.
        .process_group(0);
    #[cfg(target_os = "linux")]
    die_with_us(&mut prepared);
    prepared
}

/// Lets the system kill the child when the thread that started it is gone, however that came about.
#[cfg(target_os = "linux")]
fn die_with_us(command: &mut Command) {
    let parent = rustix::process::getpid();
    let ask_for_the_signal = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // We may have died before it could ask.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(rustix::io::Errno::SRCH.into())
        }
    };
    // SAFETY: between fork and exec the closure makes two system calls and allocates nothing.
    unsafe { command.pre_exec(ask_for_the_signal) };
}

fn read_lines(output: ChildStdout, longest: usize, lines: &SyncSender<Said>) {
    let mut output = BufReader::new(output);
    let longest_with_end = longest as u64 + 1;
    let mut bytes = Vec::new();
    // A read that fails is an end like any other: the child cannot be heard any more.
    while let Ok(1..) = (&mut output)
        .take(longest_with_end)
        .read_until(b'\n', &mut bytes)
    {
        let is_cut = bytes.len() as u64 == longest_with_end && !bytes.ends_with(b"\n");
        let said = if is_cut {
            Said::TooLong
        } else {
            Said::Line(String::from_utf8_lossy(&bytes).trim_end().to_owned())
        };
        if lines.send(said).is_err() || is_cut {
            return;
        }
        bytes.clear();
    }
}

/// Writes what the child is told, which waits here if the child does not read it.
fn write_orders(mut input: ChildStdin) -> io::Result<Sender<String>> {
    let (sender, orders) = mpsc::channel::<String>();
    thread::Builder::new()
        .name("orders".to_owned())
        .spawn(move || {
            for order in orders {
                if input.write_all(order.as_bytes()).is_err() {
                    return;
                }
            }
        })?;
    Ok(sender)
}

/// What a child wrote to standard error, as far as it is kept.
#[derive(Default)]
struct LastWords {
    tail: Arc<Mutex<Vec<u8>>>,
    /// Ends when all was read.
    end: Option<Receiver<()>>,
}

impl LastWords {
    fn of(mut stderr: ChildStderr) -> io::Result<LastWords> {
        let words = Arc::new(Mutex::new(Vec::new()));
        let tail = Arc::clone(&words);
        let (until_end, end) = mpsc::channel::<()>();
        thread::Builder::new()
            .name("stderr".to_owned())
            .spawn(move || {
                let _until_end = until_end;
                let mut chunk = [0; 4096];
                while let Ok(bytes @ 1..) = stderr.read(&mut chunk) {
                    let mut words = words
                        .lock()
                        .expect("nothing panics while it holds the lock");
                    words.extend_from_slice(&chunk[..bytes]);
                    let surplus = words.len().saturating_sub(LAST_WORDS_BYTES);
                    words.drain(..surplus);
                }
            })?;
        let end = Some(end);
        Ok(LastWords { tail, end })
    }

    /// In one line, and fit for a terminal.
    fn heard(&self) -> String {
        if let Some(end) = &self.end {
            // Whatever the child has started may hold its standard error open for ever.
            let _ = end.recv_timeout(FAREWELL);
        }
        let tail = self.tail.lock();
        let tail = tail.expect("nothing panics while it holds the lock");
        let text = String::from_utf8_lossy(&tail);
        reveal(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
