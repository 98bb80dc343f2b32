//! Memory maps of files that other processes may truncate while they are read.
//!
//! [`GuardedMap`] maps a file. If a page of it is lost, because the file became shorter or the disk or the server failed,
//! an access to the page raises SIGBUS, which would end the process. A handler, installed while there are maps, puts
//! pages of zeros in place of the lost ones, so that the access succeeds, and records where they were. The reader asks
//! for that ([`GuardedMap::lost_at`]) before it trusts anything that it has read. SIGBUS for any other reason is left to
//! the handler that was there before.
//!
//! This is the one place in the program with state of its own beside the stop flag: a signal handler belongs to the
//! process, and it gets no argument to find the map by.
//!
//! `libc` is used directly, as `rustix` has no `sigaction` for programs that link a C library. It is what `memmap2` and
//! `rustix` are built on.
//!
//! # What a map promises, and what it does not
//!
//! The text of a map is a `&[u8]`, and Rust assumes that the bytes behind it are not written to. The file system does not
//! promise that: another process may write to the file. The kernel copies whole pages or words, so no read gives
//! anything but some byte, yet in Rust's terms it is a data race. No safe way to read a map avoids this, other than to
//! copy it. The reader therefore relies on the following, and on nothing stronger:
//!
//! - the address range stays mapped and readable as long as the [`GuardedMap`] lives, whatever happens to the file;
//! - the code that parses has no `unsafe` of its own: it uses indexes that are checked against the length of the text,
//!   and the length does not change;
//! - no `str` is made of these bytes, but of copies of them: functions on `str` trust its encoding, which may change
//!   after it was checked;
//! - results count only if the file was the same at the end ([`Source`](super::Source) compares size and time).

#![expect(
    unsafe_code,
    reason = "a map and the handler of a signal that it raises"
)]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libc::{c_int, c_void, siginfo_t};
use memmap2::{Mmap, MmapOptions};

/// A file in memory.
pub struct GuardedMap {
    /// Dropped before the map, as fields are in their order: an address must not be registered once it may be reused.
    slot: RegisteredSlot,
    map: Mmap,
}

/// The maps that the handler knows. Few files are read at the same time: at most one for each thread.
static SLOTS: [Slot; 256] = [const { Slot::free() }; 256];

/// The handler that was there before ours, for SIGBUS that has nothing to do with a map.
static PREVIOUS_HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static PREVIOUS_TAKES_INFO: AtomicBool = AtomicBool::new(false);

static INSTALLATION: Mutex<Installation> = Mutex::new(Installation {
    maps: 0,
    previous: None,
    was_replaced: false,
});

/// Everything about the handler that it does not need itself.
struct Installation {
    /// The number of maps that are registered. The handler is installed as long as there are any.
    maps: usize,
    previous: Option<libc::sigaction>,
    /// Whether another library installed a handler while ours was. Its handler may call ours: installed again, ours
    /// would call it, in circles. So no further file is mapped.
    was_replaced: bool,
}

/// The address range of a map, in atomics that a signal handler can read.
struct Slot {
    /// Odd while the range changes, and different after each change.
    version: AtomicUsize,
    start: AtomicUsize,
    /// The end of the range; 0 if the slot is free.
    end: AtomicUsize,
    /// The offset in the map of the first access that failed; `usize::MAX` if none did.
    lost: AtomicUsize,
}

struct RegisteredSlot(&'static Slot);

impl GuardedMap {
    /// Maps the first `bytes` of a file. An error means that the file has to be read in another way: it is empty, its
    /// file system has no maps, or the handler cannot be installed.
    pub fn new(file: &File, bytes: u64) -> io::Result<GuardedMap> {
        let bytes = usize::try_from(bytes).map_err(|_| io::ErrorKind::FileTooLarge)?;
        if bytes == 0 || cfg!(not(target_pointer_width = "64")) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        // SAFETY: the bytes of the map may change, which the module's documentation deals with; the address range stays
        // readable, as the slot is registered before the first access and until after the last.
        let map = unsafe { MmapOptions::new().len(bytes).map(file)? };
        let slot = RegisteredSlot::new(map.as_ptr() as usize, bytes)?;
        Ok(GuardedMap { slot, map })
    }

    /// The text of the file.
    pub fn text(&self) -> &[u8] {
        &self.map
    }

    /// The offset of a byte that was not there when it was read, if there was one. From there on the text is zeros.
    pub fn lost_at(&self) -> Option<u64> {
        let lost = self.slot.0.lost.load(SeqCst);
        (lost != usize::MAX).then_some(lost as u64)
    }
}

impl RegisteredSlot {
    fn new(start: usize, bytes: usize) -> io::Result<RegisteredSlot> {
        let mut installation = lock();
        let free = SLOTS.iter().find(|slot| slot.end.load(SeqCst) == 0);
        let slot = free.ok_or(io::ErrorKind::ResourceBusy)?;
        installation.add_map()?;
        slot.set(start, start + bytes);
        Ok(RegisteredSlot(slot))
    }
}

impl Drop for RegisteredSlot {
    fn drop(&mut self) {
        let mut installation = lock();
        self.0.set(0, 0);
        installation.remove_map();
    }
}

fn lock() -> MutexGuard<'static, Installation> {
    INSTALLATION.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    const fn free() -> Slot {
        Slot {
            version: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            lost: AtomicUsize::new(usize::MAX),
        }
    }

    /// Called with the lock held, so there is one writer.
    fn set(&self, start: usize, end: usize) {
        self.version.fetch_add(1, SeqCst);
        self.start.store(start, SeqCst);
        self.end.store(end, SeqCst);
        self.lost.store(usize::MAX, SeqCst);
        self.version.fetch_add(1, SeqCst);
    }

    /// The range, if it contains the address. A slot that changes meanwhile is another's: the map in which a thread
    /// faults stays registered until the thread has gone on.
    fn range_with(&self, address: usize) -> Option<(usize, usize)> {
        let version = self.version.load(SeqCst);
        let (start, end) = (self.start.load(SeqCst), self.end.load(SeqCst));
        let is_stable = version.is_multiple_of(2) && self.version.load(SeqCst) == version;
        (is_stable && (start..end).contains(&address)).then_some((start, end))
    }
}

impl Installation {
    fn add_map(&mut self) -> io::Result<()> {
        if self.was_replaced {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        if self.maps == 0 {
            let previous = current_action()?;
            PREVIOUS_HANDLER.store(previous.sa_sigaction, SeqCst);
            PREVIOUS_TAKES_INFO.store(previous.sa_flags & libc::SA_SIGINFO != 0, SeqCst);
            install(&our_action())?;
            self.previous = Some(previous);
        }
        self.maps += 1;
        Ok(())
    }

    fn remove_map(&mut self) {
        self.maps -= 1;
        if self.maps > 0 {
            return;
        }
        let is_ours = |action: &libc::sigaction| action.sa_sigaction == our_action().sa_sigaction;
        self.was_replaced = !current_action().as_ref().is_ok_and(is_ours);
        if let Some(previous) = self.previous.take()
            && !self.was_replaced
        {
            // It was accepted before, so it is again.
            install(&previous).ok();
        }
    }
}

fn our_action() -> libc::sigaction {
    // SAFETY: all zeros are a valid `sigaction`: no flags, an empty mask, the default handler.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_bus_error;
    action.sa_sigaction = handler as usize;
    // On the alternative stack, because the previous handler may be the one that reports stack overflow.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    action
}

fn current_action() -> io::Result<libc::sigaction> {
    let mut action = our_action();
    // SAFETY: nothing is installed, and the current action is written to a `sigaction` that is ours.
    match unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut action) } {
        0 => Ok(action),
        _ => Err(io::Error::last_os_error()),
    }
}

fn install(action: &libc::sigaction) -> io::Result<()> {
    // SAFETY: the handler is `on_bus_error`, which may run at any time, or one that was installed before.
    match unsafe { libc::sigaction(libc::SIGBUS, action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes the failed access succeed if it was to a map.
///
/// Only what a signal handler may do happens here: atomics, system calls, no memory, no locks, no panics. `mmap` is not on
/// POSIX's list, but it is a plain system call on every system that has SIGBUS for lost pages.
extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid `siginfo_t`, which has an address if the signal is a fault.
    let (is_fault, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as usize) };
    let is_replaced = is_fault
        && SLOTS.iter().any(|slot| {
            let range = slot.range_with(address);
            range.is_some_and(|(start, end)| {
                slot.lost.fetch_min(address - start, SeqCst);
                replace_with_zeros(address, end)
            })
        });
    if !is_replaced {
        call_previous_handler(signal, info, context, is_fault);
    }
}

/// Puts zeros in place of the map from the page of this address to the end: if a file ends before the page, everything
/// behind it is lost, too.
fn replace_with_zeros(address: usize, end: usize) -> bool {
    // SAFETY: `sysconf` has no preconditions and may be called from a handler.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let page = address - address % page_bytes;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // SAFETY: the pages from `page` to `end` belong to a map that is registered, so its owner has not unmapped it, and
    // nothing else lives there. They stay readable throughout.
    let mapped = unsafe {
        let page = ptr::with_exposed_provenance_mut(page);
        libc::mmap(
            page,
            end - address + address % page_bytes,
            libc::PROT_READ,
            flags,
            -1,
            0,
        )
    };
    mapped != libc::MAP_FAILED
}

fn call_previous_handler(
    signal: c_int,
    info: *mut siginfo_t,
    context: *mut c_void,
    is_fault: bool,
) {
    let handler = PREVIOUS_HANDLER.load(SeqCst);
    if handler != libc::SIG_DFL && handler != libc::SIG_IGN {
        // SAFETY: this is a handler that was installed for SIGBUS, called as the kernel would have called it.
        unsafe {
            if PREVIOUS_TAKES_INFO.load(SeqCst) {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    std::mem::transmute(handler);
                handler(signal, info, context);
            } else {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
        return;
    }
    // The access is repeated when the handler returns, and ends the process. A signal that was sent is sent again.
    // SAFETY: both functions may be called from a handler, and the default action is a valid one.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if !is_fault {
            libc::raise(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitStatus};

    use super::*;

    fn file() -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[b'x'; 100_000]).unwrap();
        file
    }

    /// Runs a test in a process of its own, where no other test has maps. In that process it returns `None`.
    fn run_alone(test: &str) -> Option<ExitStatus> {
        const ALONE: &str = "NINESIXTY_TEST_ALONE";
        if env::var_os(ALONE).is_some() {
            return None;
        }
        let test = format!("pgn::map_guard::tests::{test}");
        let mut run = Command::new(env::current_exe().unwrap());
        run.args(["--exact", &test]).env(ALONE, "1");
        Some(run.output().unwrap().status)
    }

    #[test]
    fn the_previous_handler_is_back_after_the_last_map() {
        if let Some(status) = run_alone("the_previous_handler_is_back_after_the_last_map") {
            return assert!(status.success());
        }
        let handler = || current_action().unwrap().sa_sigaction;
        let before = handler();
        let [first, second] = [file(), file()].map(|file| GuardedMap::new(&file, 100_000).unwrap());
        let ours = handler();
        assert_ne!(ours, before);
        drop(first);
        assert_eq!(handler(), ours);
        drop(second);
        assert_eq!(handler(), before);
        let again = GuardedMap::new(&file(), 100_000).unwrap();
        assert_eq!(handler(), ours);
        drop(again);
        assert_eq!(handler(), before);
    }

    #[test]
    fn a_lost_page_of_another_map_still_ends_the_process() {
        if let Some(status) = run_alone("a_lost_page_of_another_map_still_ends_the_process") {
            return assert_eq!(status.signal(), Some(libc::SIGBUS));
        }
        let (file, other) = (file(), file());
        let guarded = GuardedMap::new(&file, 100_000).unwrap();
        // SAFETY: it is not safe, which is the point.
        let map = unsafe { MmapOptions::new().map(&other).unwrap() };
        file.set_len(0).unwrap();
        assert_eq!(guarded.text()[50_000], 0);
        other.set_len(0).unwrap();
        assert_eq!(map[50_000], 0);
    }

    #[test]
    fn lost_pages_are_zeros_from_the_first_access_on_and_are_reported() {
        let file = file();
        let map = GuardedMap::new(&file, 100_000).unwrap();
        assert_eq!((map.text()[99_999], map.lost_at()), (b'x', None));
        file.set_len(10).unwrap();
        // The first page still belongs to the file, which has zeros behind its end.
        assert_eq!((map.text()[9], map.text()[10]), (b'x', 0));
        assert_eq!(map.lost_at(), None);
        assert_eq!(map.text()[70_000], 0);
        assert_eq!(map.lost_at(), Some(70_000));
        assert_eq!(map.text()[99_999], 0);
        assert_eq!(map.text()[66_000], 0);
        assert_eq!(map.lost_at(), Some(66_000));
        assert!(GuardedMap::new(&file, 0).is_err());
    }
}
