//! What happens when the system has no more memory: a sentence and exit code 4.
//!
//! Rust's own answer is to abort the process (exit code 134), and a library cannot return an error from every place that
//! allocates. What a process has finished is safe in its ledger, as if it had been killed.

#![expect(unsafe_code, reason = "the trait of allocators is unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Cursor, Write};

#[cfg(target_env = "gnu")]
use rustix::process::{Resource, getrlimit};
use signal_hook::low_level;

use super::exit::UNFINISHED;

/// The system's allocator; ends the process when it has nothing to give.
pub struct ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

// SAFETY: every method hands its arguments to the same method of `System` and returns what that returns, unless it
// does not return.
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`, which is that of `System`.
        or_exit(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_exit(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        or_exit(unsafe { System.realloc(memory, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Keeps the C library from reserving 64 MiB of address space for each thread if that is limited. A thread for which the
/// library then has no memory at all would be aborted by the library itself.
pub fn respect_address_space_limit() {
    #[cfg(target_env = "gnu")]
    if getrlimit(Resource::As).current.is_some() {
        // SAFETY: it has no requirements.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

#[inline]
fn or_exit(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        exit(bytes);
    }
    memory
}

/// Prints the sentence without allocating, and without a lock that this thread may hold.
#[cold]
fn exit(bytes: usize) -> ! {
    let mut line = [0; 128];
    let mut out = Cursor::new(&mut line[..]);
    // The line is long enough for any number.
    let _ = writeln!(
        out,
        "error: out of memory: the system refused {bytes} bytes"
    );
    let length = out.position() as usize;
    let _ = rustix::io::write(std::io::stderr(), &line[..length]);
    low_level::exit(UNFINISHED.into())
}
