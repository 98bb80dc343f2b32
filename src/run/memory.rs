//! How much memory a run may use.

use std::fs;
use std::str::FromStr;

/// The memory that the workers of a run share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Up to 4 GiB per thread, and no more than half of what is free.
    #[default]
    Auto,
    /// This many bytes in all.
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
            Memory::Bytes(bytes) => Some(bytes),
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

/// The memory that the system would hand out without swapping, or a modest guess where it does not say.
pub fn free_bytes() -> usize {
    let available = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text
            .lines()
            .find(|line| line.starts_with("MemAvailable:"))?;
        let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib << 10)
    });
    available.unwrap_or(4 * GIB)
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
