//! A flag that asks long work to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks work to end before it is done. Clones share the flag.
///
/// ```
/// use ninesixty::run::Cancel;
///
/// let cancel = Cancel::new();
/// let seen_by_a_worker = cancel.clone();
/// cancel.cancel();
/// assert!(seen_by_a_worker.is_set());
/// ```
#[derive(Clone, Debug)]
pub struct Cancel {
    /// Any of them ends the work; only the last one is our own to set.
    flags: Vec<Arc<AtomicBool>>,
}

impl Cancel {
    /// A flag that is not set.
    #[expect(
        clippy::new_without_default,
        reason = "a default could as well mean never"
    )]
    pub fn new() -> Cancel {
        Cancel::from(Arc::default())
    }

    /// For work that is always done to its end.
    pub const NEVER: &'static Cancel = &Cancel { flags: Vec::new() };

    /// A flag that is set together with this one, and can be set without it.
    pub fn child(&self) -> Cancel {
        let mut flags = self.flags.clone();
        flags.push(Arc::default());
        Cancel { flags }
    }

    /// Asks all work that checks this flag, or a child of it, to end. Does nothing to [`NEVER`](Cancel::NEVER).
    pub fn cancel(&self) {
        if let Some(flag) = self.flags.last() {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether to end. Cheap enough to be asked thousands of times a second.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.flags.iter().any(|flag| flag.load(Ordering::Relaxed))
    }
}

/// Shares a flag that is set elsewhere, for example by a signal handler.
impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Cancel {
        Cancel { flags: vec![flag] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_seen_by_clones_and_children_but_not_by_parents() {
        let parent = Cancel::new();
        let (clone, child) = (parent.clone(), parent.child());
        child.cancel();
        assert!(child.is_set() && !parent.is_set() && !clone.is_set());
        let other = parent.child();
        parent.cancel();
        assert!(clone.is_set() && other.is_set());
    }

    #[test]
    fn never_is_never_set() {
        Cancel::NEVER.cancel();
        assert!(!Cancel::NEVER.is_set());
        let child = Cancel::NEVER.child();
        child.cancel();
        assert!(child.is_set() && !Cancel::NEVER.is_set());
    }
}
