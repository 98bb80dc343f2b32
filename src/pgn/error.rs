//! Why a file could not be read to its end.

use std::io;
use std::path::PathBuf;

/// What went wrong with a file, and how far it had been read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot open {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot read {} beyond byte {bytes}", path.display())]
    Read {
        path: PathBuf,
        bytes: u64,
        source: io::Error,
    },
    /// The compression, not what is in it.
    #[error("{} is damaged or cut short: {bytes} bytes of text came out of it", path.display())]
    Damaged {
        path: PathBuf,
        bytes: u64,
        source: io::Error,
    },
    #[error("{} has shrunk while it was read: it ends at byte {bytes}", path.display())]
    Shrunk { path: PathBuf, bytes: u64 },
    #[error("{} has changed while it was read", path.display())]
    Changed { path: PathBuf },
}
