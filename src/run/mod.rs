//! Long jobs cut into tasks, on all cores or many machines, that can end at any moment and go on later.
//!
//! A [`Job`] says what to compute and plans its [`Task`]s; [`execute`] runs them with [`RunOptions`], tells an
//! [`Observer`] about it, obeys a [`Cancel`] flag, and keeps finished tasks in a ledger if there is one. [`merge()`] puts the
//! ledgers of several machines together. However the work was spread and however often it was interrupted, the report
//! is the same.
//!
//! The module knows nothing about what is computed.

mod cancel;
mod cgroup;
mod execute;
mod files;
mod job;
mod ledger;
mod memory;
mod merge;
mod plan;
mod record;
mod shard;
mod spill;
mod threads;

pub use cancel::Cancel;
pub use execute::{Complete, Outcome, RunError, execute};
pub use files::{FileRef, ResultFileError, ResultFiles};
pub use job::{Env, Event, Job, Observer, RunOptions, TaskError};
pub use ledger::LedgerError;
pub(crate) use ledger::read_identity;
pub(crate) use memory::free_bytes;
pub use memory::{Memory, MemoryError, MemoryShortage, SizeError, parse_size, require_memory};
pub use merge::{MergeError, Merged, merge};
pub use plan::{Plan, Task};
pub(crate) use record::Identity;
pub use record::{Fault, Torn};
pub use shard::{Shard, ShardError};
pub(crate) use spill::{SpillFile, Spilled};
pub use threads::thread_pool;
