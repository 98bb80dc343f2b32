//! How far a job has got that reads files: bytes, games, and how fast.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::console::{Console, tell};

/// Bytes and games that have gone by. Threads report to it.
pub struct Meter {
    bar: ProgressBar,
    /// Without a terminal there is a line every half minute.
    is_plain: bool,
    /// All there is to read, if that is known.
    total_bytes: Option<u64>,
    begun: Instant,
    state: Mutex<State>,
}

struct State {
    bytes: u64,
    games: u64,
    spoken: Instant,
}

const SILENCE: Duration = Duration::from_secs(30);

impl Meter {
    pub fn new(console: &Console, total_bytes: Option<u64>) -> Meter {
        let is_seen = !console.is_quiet() && io::stderr().is_terminal();
        let bar = match total_bytes {
            _ if !is_seen => ProgressBar::hidden(),
            Some(bytes) => ProgressBar::new(bytes).with_style(
                ProgressStyle::with_template("{bar:30} {msg}, {eta} to go")
                    .expect("the template is well-formed"),
            ),
            None => ProgressBar::new_spinner(),
        };
        let now = Instant::now();
        Meter {
            bar,
            is_plain: !console.is_quiet() && !is_seen,
            total_bytes,
            begun: now,
            state: Mutex::new(State {
                bytes: 0,
                games: 0,
                spoken: now,
            }),
        }
    }

    /// So many more bytes of the files, and games in them, have been read.
    pub fn advance(&self, bytes: u64, games: u64) {
        let mut state = self
            .state
            .lock()
            .expect("nothing panics while it holds the lock");
        state.bytes += bytes;
        state.games += games;
        if self.is_plain && state.spoken.elapsed() >= SILENCE {
            state.spoken = Instant::now();
            tell(&self.line(&state));
        }
        self.bar.set_position(state.bytes);
        if !self.bar.is_hidden() {
            self.bar.set_message(self.message(&state));
        }
    }

    fn message(&self, state: &State) -> String {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        let megabytes = state.bytes as f64 / 1e6;
        let of = self.total_bytes.map_or(String::new(), |total| {
            format!(" of {:.0}", total as f64 / 1e6)
        });
        format!(
            "{megabytes:.0}{of} MB, {:.0} MB/s, {} games, {:.0} games/s",
            megabytes / seconds,
            state.games,
            state.games as f64 / seconds
        )
    }

    fn line(&self, state: &State) -> String {
        let elapsed = self.begun.elapsed();
        let left = self.total_bytes.map_or(String::new(), |total| {
            let share = total.saturating_sub(state.bytes) as f64 / state.bytes.max(1) as f64;
            let left = Duration::try_from_secs_f64(elapsed.as_secs_f64() * share);
            left.map_or(String::new(), |left| {
                format!(", {} to go", HumanDuration(left))
            })
        });
        format!(
            "{}, {} gone{left}",
            self.message(state),
            HumanDuration(elapsed)
        )
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
