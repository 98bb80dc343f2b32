//! Waiting for a child process: one deadline and the stop flag for every wait, checked in one place.

use std::time::{Duration, Instant};

use crate::run::Cancel;

/// How often a wait checks whether it is cancelled.
const CANCEL_POLL: Duration = Duration::from_millis(20);

/// How long a wait may last.
#[derive(Clone, Copy)]
pub struct Wait<'a> {
    /// `None` if it lies beyond what the clock can express.
    deadline: Option<Instant>,
    /// The time from the start of the wait to its deadline, for messages.
    timeout: Duration,
    cancel: &'a Cancel,
}

/// Why a wait ended without what it waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitError {
    TimedOut,
    Cancelled,
}

impl<'a> Wait<'a> {
    /// A wait that begins now.
    pub fn new(timeout: Duration, cancel: &'a Cancel) -> Wait<'a> {
        Wait {
            deadline: Instant::now().checked_add(timeout),
            timeout,
            cancel,
        }
    }

    /// A part of this wait that begins now: it ends with the whole, or after `timeout` if that is earlier.
    pub fn at_most(&self, timeout: Duration) -> Wait<'a> {
        let part = Wait::new(timeout, self.cancel);
        match (self.deadline, part.deadline) {
            (Some(whole), Some(end)) if end < whole => part,
            (None, Some(_)) => part,
            _ => *self,
        }
    }

    /// The time from its start to its deadline.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Calls `poll` until it finds something. `poll` may block for the time that it is given, and not longer.
    pub fn until<T>(&self, mut poll: impl FnMut(Duration) -> Option<T>) -> Result<T, WaitError> {
        loop {
            // Before every poll: a child that always has another line must not hide the flag or the deadline.
            if self.cancel.is_set() {
                return Err(WaitError::Cancelled);
            }
            let left = self.deadline.map_or(CANCEL_POLL, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            if left.is_zero() {
                return Err(WaitError::TimedOut);
            }
            if let Some(found) = poll(left.min(CANCEL_POLL)) {
                return Ok(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_that_is_always_there_does_not_hide_the_flag_or_the_deadline() {
        let cancel = Cancel::new();
        let wait = Wait::new(Duration::MAX, &cancel);
        assert_eq!(wait.until(|_| Some(1)), Ok(1));
        cancel.cancel();
        assert_eq!(wait.until(|_| Some(1)), Err(WaitError::Cancelled));
        let over = Wait::new(Duration::ZERO, Cancel::NEVER);
        assert_eq!(over.until(|_| Some(1)), Err(WaitError::TimedOut));
    }

    #[test]
    fn a_part_never_outlasts_the_whole() {
        let hour = Duration::from_secs(3600);
        let timeout = |whole, part| Wait::new(whole, Cancel::NEVER).at_most(part).timeout();
        assert_eq!(timeout(hour, 2 * hour), hour);
        assert_eq!(timeout(2 * hour, hour), hour);
        assert_eq!(timeout(Duration::MAX, hour), hour);
        assert_eq!(timeout(hour, Duration::MAX), hour);
    }
}
