//! Why a PGN file could not be read to its end.

use std::io;
use std::path::PathBuf;

use super::foreign_text::ForeignText;
use super::ratio::MAX_RATIO;

/// A file that cannot be opened, read or decompressed, or that changed while it was read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened, or its first bytes cannot be read.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why it cannot be opened.
        source: io::Error,
    },
    /// The file is not PGN.
    #[error("{} is {found}", path.display())]
    NotPgn {
        /// The file.
        path: PathBuf,
        /// What it is, and what to do about it.
        found: ForeignText,
    },
    /// Reading an uncompressed file failed after this many bytes.
    #[error("cannot read {} beyond byte {bytes}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// How many bytes were read before.
        bytes: u64,
        /// Why it failed.
        source: io::Error,
    },
    /// The compressed data are invalid or incomplete; this many bytes of text were decoded.
    #[error("{} is damaged or truncated: {bytes} bytes of text could be decoded", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How many bytes of text were decoded before.
        bytes: u64,
        /// What the decoder says.
        source: io::Error,
    },
    /// The text is more than a thousand times as long as the compressed file, see
    /// [`Source::with_any_ratio`](super::Source::with_any_ratio).
    #[error(
        "{} unpacks to more than {MAX_RATIO} times its size: {bytes} bytes of text came from {compressed_bytes} bytes",
        path.display()
    )]
    Ratio {
        /// The file.
        path: PathBuf,
        /// How many bytes of text were decoded.
        bytes: u64,
        /// How many bytes of the file had been read.
        compressed_bytes: u64,
    },
    /// The file became shorter after it was opened.
    #[error("{} shrank while it was read: it now ends at byte {bytes}", path.display())]
    Shrunk {
        /// The file.
        path: PathBuf,
        /// The byte at which it now ends.
        bytes: u64,
    },
    /// The size or the modification time of the file changed after it was opened.
    #[error("{} changed while it was read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}
