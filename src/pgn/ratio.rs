//! A limit on what a compressed file may unpack to.
//!
//! A file of two megabytes can hold 64 gigabytes of zeros. Reading it takes no more memory than any other, but hours. PGN
//! compresses to about a seventh, and a database of a single game, repeated, to a hundredth or less. What goes far beyond
//! that is a mistake or an attack, and an error unless the limit is removed.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How many times the size of a compressed file its text may be.
pub const MAX_RATIO: u64 = 1_000;

/// Text of this length is read in a second, however well it was compressed.
const HARMLESS_BYTES: u64 = 256 << 20;

/// The limit for one file, shared by the threads that decode parts of it.
#[derive(Debug, Default)]
pub struct RatioLimit {
    compressed_bytes: Arc<AtomicU64>,
    text_bytes: AtomicU64,
    is_removed: AtomicBool,
}

/// The text is too long for its file.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{text_bytes} bytes of text came from {compressed_bytes} bytes")]
pub struct RatioExceeded {
    pub text_bytes: u64,
    pub compressed_bytes: u64,
}

/// A decoder that fails beyond the limit.
pub struct LimitedDecoder<R> {
    text: R,
    limit: Arc<RatioLimit>,
}

impl RatioLimit {
    /// The limit for a file; the counter holds how much of it has been read.
    pub fn new(compressed_bytes: Arc<AtomicU64>) -> RatioLimit {
        RatioLimit {
            compressed_bytes,
            ..RatioLimit::default()
        }
    }

    /// Accepts any ratio from now on.
    pub fn remove(&self) {
        self.is_removed.store(true, Ordering::Relaxed);
    }

    fn add(&self, bytes: usize) -> Result<(), RatioExceeded> {
        let bytes = bytes as u64;
        let text_bytes = self.text_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let compressed_bytes = self.compressed_bytes.load(Ordering::Relaxed);
        let most = compressed_bytes
            .saturating_mul(MAX_RATIO)
            .max(HARMLESS_BYTES);
        if text_bytes <= most || self.is_removed.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(RatioExceeded {
            text_bytes,
            compressed_bytes,
        })
    }
}

impl RatioExceeded {
    /// The reason of an error, if it is this one.
    pub fn of(error: &io::Error) -> Option<RatioExceeded> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl<R> LimitedDecoder<R> {
    pub fn new(text: R, limit: &Arc<RatioLimit>) -> LimitedDecoder<R> {
        LimitedDecoder {
            text,
            limit: Arc::clone(limit),
        }
    }
}

impl<R: Read> Read for LimitedDecoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.text.read(buffer)?;
        self.limit.add(bytes).map_err(io::Error::other)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_text_out_of_little_is_refused() {
        let limit = |compressed| RatioLimit::new(Arc::new(AtomicU64::new(compressed)));
        let mib = 1 << 20;
        // A text of 256 MiB out of nothing, and 1,000 times as much as there is.
        for (compressed, most) in [(0, 256 * mib), (mib as u64, 1_000 * mib)] {
            let limit = limit(compressed);
            assert!(limit.add(most).is_ok());
            let exceeded = limit.add(1).unwrap_err();
            assert_eq!(exceeded.text_bytes, most as u64 + 1);
            assert_eq!(exceeded.compressed_bytes, compressed);
            limit.remove();
            assert!(limit.add(most).is_ok());
        }
    }

    #[test]
    fn the_reason_is_found_in_the_error_of_a_reader() {
        let limit = Arc::new(RatioLimit::default());
        let mut text = LimitedDecoder::new(io::repeat(0), &limit);
        let mut buffer = vec![0; 1 << 24];
        let error = loop {
            match text.read(&mut buffer) {
                Ok(bytes) => assert_eq!(bytes, buffer.len()),
                Err(error) => break error,
            }
        };
        let exceeded = RatioExceeded::of(&error).unwrap();
        assert_eq!(exceeded.text_bytes, HARMLESS_BYTES + (1 << 24));
        assert!(RatioExceeded::of(&io::Error::other("another")).is_none());
        assert!(RatioExceeded::of(&io::ErrorKind::NotFound.into()).is_none());
    }
}
