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
                ProgressStyle::with_template("{bar:30} {msg}")
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
        let elapsed = self.begun.elapsed();
        if self.is_plain && state.spoken.elapsed() >= SILENCE {
            state.spoken = Instant::now();
            let message = state.message(self.total_bytes, elapsed);
            tell(&format!("{message}, {} gone", HumanDuration(elapsed)));
        }
        if !self.bar.is_hidden() {
            self.bar
                .set_message(state.message(self.total_bytes, elapsed));
            self.bar.set_position(state.bytes);
        }
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl State {
    /// How much of how much, how fast, and how long the rest takes if it goes on as it went.
    fn message(&self, total_bytes: Option<u64>, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let megabytes = self.bytes as f64 / 1e6;
        let of = total_bytes.map_or(String::new(), |total| {
            format!(" of {:.0}", total as f64 / 1e6)
        });
        let left = total_bytes.filter(|_| self.bytes > 0).and_then(|total| {
            let share = total.saturating_sub(self.bytes) as f64 / self.bytes as f64;
            Duration::try_from_secs_f64(seconds * share).ok()
        });
        let left = left.map_or(String::new(), |left| {
            format!(", {} to go", HumanDuration(left))
        });
        format!(
            "{megabytes:.0}{of} MB, {:.0} MB/s, {} games, {:.0} games/s{left}",
            megabytes / seconds,
            self.games,
            self.games as f64 / seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: u64, games: u64, total_bytes: Option<u64>) -> String {
        let spoken = Instant::now();
        let state = State {
            bytes,
            games,
            spoken,
        };
        state.message(total_bytes, Duration::from_secs(2))
    }

    #[test]
    fn the_rest_is_told_where_it_is_known() {
        assert_eq!(
            message(250_000_000, 50_000, Some(1_000_000_000)),
            "250 of 1000 MB, 125 MB/s, 50000 games, 25000 games/s, 6 seconds to go"
        );
        assert_eq!(
            message(250_000_000, 50_000, None),
            "250 MB, 125 MB/s, 50000 games, 25000 games/s"
        );
        // Nothing has been read that one could conclude from.
        assert_eq!(
            message(0, 0, Some(1_000_000)),
            "0 of 1 MB, 0 MB/s, 0 games, 0 games/s"
        );
        // A file that has grown, and one that is empty.
        assert!(message(2, 1, Some(1)).ends_with(", 0 seconds to go"));
        assert!(message(0, 0, Some(0)).ends_with("0 games/s"));
    }
}
