//! A place on disk for what does not fit into memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// A temporary file without a name, which the system deletes when the last reader or the process ends.
#[derive(Debug)]
pub struct SpillFile {
    file: Arc<File>,
    bytes: u64,
}

/// Bytes that were written to a [`SpillFile`].
#[derive(Debug)]
pub struct Spilled {
    file: Arc<File>,
    at: u64,
}

impl SpillFile {
    /// Creates the file in the directory for temporary files.
    pub fn create() -> io::Result<SpillFile> {
        Ok(SpillFile {
            file: Arc::new(tempfile::tempfile()?),
            bytes: 0,
        })
    }

    /// Appends parts one after the other.
    pub fn append<P: AsRef<[u8]>>(
        &mut self,
        parts: impl IntoIterator<Item = P>,
    ) -> io::Result<Spilled> {
        let at = self.bytes;
        for part in parts {
            self.file.write_all_at(part.as_ref(), self.bytes)?;
            self.bytes += part.as_ref().len() as u64;
        }
        Ok(Spilled {
            file: Arc::clone(&self.file),
            at,
        })
    }
}

impl Spilled {
    /// Fills the buffer with the bytes from an offset on.
    pub fn read_exact(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, self.at + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_back_from_any_offset() {
        let mut file = SpillFile::create().unwrap();
        let first = file.append([&b"abc"[..], b"de"]).unwrap();
        let second = file.append([b"fgh"]).unwrap();
        let mut buffer = [0; 3];
        first.read_exact(&mut buffer, 2).unwrap();
        assert_eq!(&buffer, b"cde");
        second.read_exact(&mut buffer, 0).unwrap();
        assert_eq!(&buffer, b"fgh");
        assert!(second.read_exact(&mut buffer, 1).is_err());
    }
}
