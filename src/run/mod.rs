//! Long work, cut into tasks, on all cores or many machines, that may end at any moment and go on later.
//!
//! In walks a [`Plan`]: a description of everything that decides the results, and named [`Task`]s, of which a
//! [`Shard`] is one machine's part. The pool, [`run_tasks`], takes them to the cores, the [`Ledger`] keeps every result
//! from the moment it is there, and [`Stop`] turns a signal into an orderly end. Out walk results in the order of the plan, from one ledger or put together from many by [`merge()`]: the same
//! ones however the work was spread and however often it was interrupted.
//!
//! The room does not know what is computed. A result is any JSON value.

mod cancel;
mod ledger;
mod lines;
mod merge;
mod plan;
mod pool;
mod runs;
mod shard;
mod stop;

pub use cancel::Cancel;
pub use ledger::{Ledger, LedgerError};
pub use lines::{Fault, Torn};
pub use merge::{MergeError, Merged, merge};
pub use plan::{Plan, PlanError, Task};
pub use pool::{End, run_tasks};
pub use runs::{Runs, SortedRecords};
pub use shard::{Shard, ShardError};
pub use stop::{Signal, Stop};
