//! How much memory the positions that were met may take.

use std::fs;
use std::str::FromStr;

use clap::Args;

#[derive(Args)]
pub struct HashArgs {
    /// Memory to merge transpositions in, such as 512M or 4G, or `off` [default: up to 4G a thread, at most
    /// half of what is free]
    #[arg(long, value_name = "SIZE")]
    hash: Option<Hash>,
    /// Keep positions in another order in that memory; the counts do not depend on it
    #[arg(long, value_name = "N", default_value_t = 960)]
    pub seed: u64,
}

/// What was typed for `--hash`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Off,
    Bytes(usize),
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is neither `off` nor a size such as 512M or 4G")]
struct HashError(String);

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a size such as 512M or 4G")]
pub struct SizeError(String);

const GIB: usize = 1 << 30;

impl HashArgs {
    /// The memory for all threads together; `None` if nothing is to be merged.
    pub fn bytes(&self, threads: usize) -> Option<usize> {
        match self.hash {
            Some(Hash::Off) => None,
            Some(Hash::Bytes(bytes)) => Some(bytes),
            None => Some((4 * GIB * threads).min(free_bytes() / 2)),
        }
    }
}

impl FromStr for Hash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Hash, HashError> {
        if text == "off" {
            return Ok(Hash::Off);
        }
        let bytes = bytes(text).map_err(|SizeError(text)| HashError(text))?;
        Ok(Hash::Bytes(bytes))
    }
}

/// A size with its unit, such as 512M or 4G.
pub fn bytes(text: &str) -> Result<usize, SizeError> {
    let wrong = || SizeError(text.to_owned());
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => GIB,
        _ => return Err(wrong()),
    };
    let size: usize = digits.parse().map_err(|_| wrong())?;
    size.checked_mul(unit).ok_or_else(wrong)
}

/// The memory that the system would hand out without swapping, or a modest guess where it does not tell.
fn free_bytes() -> usize {
    let told = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text
            .lines()
            .find(|line| line.starts_with("MemAvailable:"))?;
        let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib << 10)
    });
    told.unwrap_or(4 * GIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_need_a_unit() {
        assert_eq!("off".parse::<Hash>().unwrap(), Hash::Off);
        assert_eq!("512M".parse::<Hash>().unwrap(), Hash::Bytes(512 << 20));
        assert_eq!("4g".parse::<Hash>().unwrap(), Hash::Bytes(4 << 30));
        for wrong in ["", "4", "G", "4T", "-1G", "1.5G", "99999999999999999999G"] {
            assert!(wrong.parse::<Hash>().is_err(), "{wrong}");
        }
    }
}
