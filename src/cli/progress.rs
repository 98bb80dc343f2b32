//! Progress of a verb: a bar on a terminal, otherwise a line every 30 seconds.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::stderr::print_line;

/// The time between two lines if standard error is not a terminal.
const INTERVAL: Duration = Duration::from_secs(30);
const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Where progress is shown.
struct Display {
    bar: ProgressBar,
    is_plain: bool,
    started: Instant,
    printed: Mutex<Instant>,
}

impl Display {
    fn new(is_quiet: bool, total: Option<u64>, template: &str) -> Display {
        let is_terminal = !is_quiet && io::stderr().is_terminal();
        let bar = match total {
            _ if !is_terminal => ProgressBar::hidden(),
            Some(total) => ProgressBar::new(total).with_style(
                ProgressStyle::with_template(template).expect("the template is well-formed"),
            ),
            None => ProgressBar::new_spinner(),
        };
        let now = Instant::now();
        Display {
            bar,
            is_plain: !is_quiet && !is_terminal,
            started: now,
            printed: Mutex::new(now),
        }
    }

    /// Updates the bar, or prints a line if the last one is older than the interval.
    fn show(
        &self,
        position: u64,
        message: impl Fn(Duration) -> String,
        line_end: impl Fn(Duration) -> String,
    ) {
        let elapsed = self.started.elapsed();
        if !self.bar.is_hidden() {
            self.bar.set_message(message(elapsed));
            self.bar.set_position(position);
        } else if self.is_plain {
            let mut printed = lock(&self.printed);
            if printed.elapsed() >= INTERVAL {
                *printed = Instant::now();
                print_line(&format!("{}{}", message(elapsed), line_end(elapsed)));
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The remaining time at the current pace.
fn remaining(done: u64, total: u64, elapsed: Duration) -> Duration {
    let share_left = total.saturating_sub(done) as f64 / done.max(1) as f64;
    let left = Duration::try_from_secs_f64(elapsed.as_secs_f64() * share_left);
    left.map_or(CENTURY, |left| left.min(CENTURY))
}

/// Progress through steps of different weights. Threads report to it.
pub struct Progress {
    display: Display,
    unit: &'static str,
    steps: u64,
    weight: u64,
    /// Steps that are done, and their weight.
    done: Mutex<(u64, u64)>,
}

impl Progress {
    pub fn new(is_quiet: bool, steps: u64, weight: u64, unit: &'static str) -> Progress {
        let template = "{bar:30} {msg}, {elapsed} elapsed, {eta} left";
        Progress {
            display: Display::new(is_quiet, Some(weight), template),
            unit,
            steps,
            weight,
            done: Mutex::default(),
        }
    }

    /// Counts a finished step of this weight.
    pub fn advance(&self, weight: u64) {
        let (steps, weight) = {
            let mut done = lock(&self.done);
            *done = (done.0 + 1, done.1.saturating_add(weight));
            *done
        };
        let message = |_| format!("{steps}/{} {}", self.steps, self.unit);
        self.display.show(weight, message, |elapsed| {
            let left = HumanDuration(remaining(weight, self.weight, elapsed));
            format!(", {} elapsed, {left} left", HumanDuration(elapsed))
        });
    }

    /// Removes the bar from the screen.
    pub fn finish(self) {
        self.display.bar.finish_and_clear();
    }
}

/// Progress through the bytes of files, and the games in them. Threads report to it.
pub struct ByteProgress {
    display: Display,
    /// The size of all files, if it is known.
    total_bytes: Option<u64>,
    /// Bytes and games.
    read: Mutex<(u64, u64)>,
}

impl ByteProgress {
    pub fn new(is_quiet: bool, total_bytes: Option<u64>) -> ByteProgress {
        ByteProgress {
            display: Display::new(is_quiet, total_bytes, "{bar:30} {msg}"),
            total_bytes,
            read: Mutex::default(),
        }
    }

    /// Counts bytes and games that have been read.
    pub fn advance(&self, bytes: u64, games: u64) {
        let (bytes, games) = {
            let mut read = lock(&self.read);
            *read = (read.0 + bytes, read.1 + games);
            *read
        };
        let message = |elapsed| describe(bytes, games, self.total_bytes, elapsed);
        self.display.show(bytes, message, |elapsed| {
            format!(", {} elapsed", HumanDuration(elapsed))
        });
    }

    /// Removes the bar from the screen.
    pub fn finish(&self) {
        self.display.bar.finish_and_clear();
    }
}

fn describe(bytes: u64, games: u64, total_bytes: Option<u64>, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let megabytes = bytes as f64 / 1e6;
    let of = total_bytes.map_or(String::new(), |total| {
        format!(" of {:.0}", total as f64 / 1e6)
    });
    let left = total_bytes
        .filter(|_| bytes > 0)
        .map_or(String::new(), |total| {
            let left = remaining(bytes, total, Duration::from_secs_f64(seconds));
            format!(", {} left", HumanDuration(left))
        });
    format!(
        "{megabytes:.0}{of} MB, {:.0} MB/s, {games} games, {:.0} games/s{left}",
        megabytes / seconds,
        games as f64 / seconds
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_is_shown_only_if_the_total_is_known() {
        let message = |bytes, games, total| describe(bytes, games, total, Duration::from_secs(2));
        assert_eq!(
            message(250_000_000, 50_000, Some(1_000_000_000)),
            "250 of 1000 MB, 125 MB/s, 50000 games, 25000 games/s, 6 seconds left"
        );
        assert_eq!(
            message(250_000_000, 50_000, None),
            "250 MB, 125 MB/s, 50000 games, 25000 games/s"
        );
        // Nothing has been read to extrapolate from.
        assert_eq!(
            message(0, 0, Some(1_000_000)),
            "0 of 1 MB, 0 MB/s, 0 games, 0 games/s"
        );
        // A file that has grown, and one that is empty.
        assert!(message(2, 1, Some(1)).ends_with(", 0 seconds left"));
        assert!(message(0, 0, Some(0)).ends_with("0 games/s"));
    }
}
