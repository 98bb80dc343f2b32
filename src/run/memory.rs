//! How much memory a run may use.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use rustix::process::{Resource, getrlimit};

use super::cgroup;

/// The memory that the workers of a run share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Up to 4 GiB per thread, and no more than half of what is free.
    #[default]
    Auto,
    /// This many bytes in all, or as many as can be had.
    Bytes(usize),
    /// None beyond what a worker cannot do without.
    Off,
}

const GIB: usize = 1 << 30;

impl Memory {
    /// The bytes for all threads together; `None` if it is off.
    pub fn bytes(self, threads: usize) -> Option<usize> {
        match self {
            Memory::Auto => Some((4 * GIB).saturating_mul(threads).min(free_bytes() / 2)),
            Memory::Bytes(bytes) => Some(bytes.min(obtainable_bytes())),
            Memory::Off => None,
        }
    }
}

/// The text is not a size with its unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a size such as 512M or 4G")]
pub struct SizeError(String);

/// The text is neither `off` nor a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is neither `off` nor a size such as 512M or 4G")]
pub struct MemoryError(String);

/// `off`, or a size such as 512M.
impl FromStr for Memory {
    type Err = MemoryError;

    fn from_str(text: &str) -> Result<Memory, MemoryError> {
        if text == "off" {
            return Ok(Memory::Off);
        }
        let bytes = parse_size(text).map_err(|SizeError(text)| MemoryError(text))?;
        Ok(Memory::Bytes(bytes))
    }
}

/// Parses a size with its unit, such as 512M or 4G, into bytes.
pub fn parse_size(text: &str) -> Result<usize, SizeError> {
    let malformed = || SizeError(text.to_owned());
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => GIB,
        _ => return Err(malformed()),
    };
    let size: usize = digits.parse().map_err(|_| malformed())?;
    size.checked_mul(unit).ok_or_else(malformed)
}

/// There is not as much memory as is needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} MiB of memory are needed, and {} MiB are free", needed_bytes >> 20, free_bytes >> 20)]
pub struct MemoryShortage {
    needed_bytes: usize,
    free_bytes: usize,
}

/// Fails if this many bytes cannot be had. To allocate them would end the process, at once or when they are written to.
pub fn require_memory(needed_bytes: usize) -> Result<(), MemoryShortage> {
    let free_bytes = obtainable_bytes();
    if needed_bytes <= free_bytes {
        return Ok(());
    }
    Err(MemoryShortage {
        needed_bytes,
        free_bytes,
    })
}

/// The memory that the system would hand out without swapping, or a modest guess where it does not say. No more than
/// the control groups and the resource limits of this process allow.
pub fn free_bytes() -> usize {
    let available = kib_field("/proc/meminfo", "MemAvailable");
    available.unwrap_or(4 * GIB).min(allowed_bytes())
}

/// The memory that can be had at all, with swapping.
fn obtainable_bytes() -> usize {
    let available = kib_field("/proc/meminfo", "MemAvailable");
    let swap = kib_field("/proc/meminfo", "SwapFree").unwrap_or(0);
    let obtainable = available.map_or(usize::MAX, |bytes| bytes.saturating_add(swap));
    obtainable.min(allowed_bytes())
}

/// What this process may take, however much there is.
fn allowed_bytes() -> usize {
    let in_group = cgroup::free_bytes(Path::new("/"));
    let limits = [in_group, address_space_bytes()];
    let least = limits.into_iter().flatten().min().unwrap_or(u64::MAX);
    usize::try_from(least).unwrap_or(usize::MAX)
}

/// What `ulimit -v` and `ulimit -d` leave, used or not: stacks count as a whole.
pub(super) fn address_space_bytes() -> Option<u64> {
    let left = |resource, used| {
        let limit = getrlimit(resource).current?;
        let used = kib_field("/proc/self/status", used)?;
        Some(limit.saturating_sub(used as u64))
    };
    let limits = [left(Resource::As, "VmSize"), left(Resource::Data, "VmData")];
    limits.into_iter().flatten().min()
}

/// A field of a file in /proc that has lines such as `MemAvailable:  123 kB`, in bytes.
fn kib_field(path: &str, name: &str) -> Option<usize> {
    let text = fs::read_to_string(path).ok()?;
    let field = |line: &str| {
        let value = line.strip_prefix(name)?.strip_prefix(':')?;
        let kib: usize = value.split_whitespace().next()?.parse().ok()?;
        kib.checked_mul(1 << 10)
    };
    text.lines().find_map(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_need_a_unit() {
        assert_eq!("off".parse(), Ok(Memory::Off));
        assert_eq!("512M".parse(), Ok(Memory::Bytes(512 << 20)));
        assert_eq!("4g".parse(), Ok(Memory::Bytes(4 << 30)));
        for wrong in ["", "4", "G", "4T", "-1G", "1.5G", "99999999999999999999G"] {
            assert!(wrong.parse::<Memory>().is_err(), "{wrong}");
        }
    }
}
