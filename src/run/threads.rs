//! Threads, or an error that says why there are none.

use std::io;

use super::memory::address_space_bytes;

/// The address space of a thread: its stack, which is 2 MiB in Rust, and what the C library keeps for it.
const THREAD_BYTES: u64 = (2 << 20) + (64 << 10);

/// What a process needs beside its threads.
const OTHER_BYTES: u64 = 8 << 20;

/// A pool of threads.
pub fn thread_pool(threads: usize) -> io::Result<rayon::ThreadPool> {
    require_threads(threads)?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        // Its source has the same text as the error itself.
        .map_err(|error| io::Error::other(error.to_string()))
}

/// Fails if there is no address space for this many threads. To find out by starting them is dangerous: the C library aborts
/// the process if the last one that it has started finds no memory.
pub fn require_threads(threads: usize) -> io::Result<()> {
    let needed = THREAD_BYTES * threads as u64 + OTHER_BYTES;
    match address_space_bytes() {
        Some(left) if left < needed => Err(io::Error::new(
            io::ErrorKind::OutOfMemory,
            format!(
                "{threads} threads need {} MiB of address space, and `ulimit` leaves {} MiB",
                needed >> 20,
                left >> 20
            ),
        )),
        _ => Ok(()),
    }
}
