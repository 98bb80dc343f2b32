//! Large outputs in files beside a ledger.
//!
//! An output that is too large for a line of the ledger goes into the directory `LEDGER.d`, in a file named by the
//! SHA-256 of its content. The ledger's line refers to it by that digest, which is checked when the file is read.

use std::fs::{self, File, Permissions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::table::temporary_file;

/// The directory of a ledger's large outputs.
#[derive(Clone, Debug)]
pub struct ResultFiles {
    directory: PathBuf,
}

/// A file of [`ResultFiles`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    sha256: String,
    bytes: u64,
}

/// Why a file of results cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} {}", path.display())]
pub struct ResultFileError {
    operation: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl ResultFileError {
    /// Whether the content is wrong, rather than the disk full or the file out of reach.
    pub fn is_damage(&self) -> bool {
        matches!(
            self.source.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof
        )
    }
}

impl ResultFiles {
    pub(super) fn of_ledger(ledger: &Path) -> ResultFiles {
        let mut name = ledger.as_os_str().to_owned();
        name.push(".d");
        ResultFiles {
            directory: name.into(),
        }
    }

    /// Removes what killed processes have left behind. Called once per run, as listing a large directory takes time.
    pub(super) fn remove_stale(&self) {
        temporary_file::remove_stale(&self.directory);
    }

    /// Writes a file, which is there completely or not at all, also after a crash.
    pub fn write(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<FileRef, ResultFileError> {
        self.try_write(fill).map_err(|source| ResultFileError {
            operation: "write to",
            path: self.directory.clone(),
            source,
        })
    }

    fn try_write(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<FileRef> {
        fs::create_dir_all(&self.directory)?;
        let temporary = temporary_file::create_in(&self.directory, Permissions::from_mode(0o600))?;
        let mut out = Hashing::new(BufWriter::new(temporary.as_file()));
        fill(&mut out)?;
        out.inner.flush()?;
        let file = out.finish();
        temporary.as_file().sync_all()?;
        temporary
            .persist(self.path(&file))
            .map_err(|error| error.error)?;
        File::open(&self.directory)?.sync_all()?;
        Ok(file)
    }

    /// Reads a file with `read`, and then checks that it was all of it and undamaged.
    pub fn read<E: From<ResultFileError>>(
        &self,
        file: &FileRef,
        read: impl FnOnce(&mut dyn Read) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = self.path(file);
        let failed = |source| ResultFileError {
            operation: "use the result file",
            path: path.clone(),
            source,
        };
        let opened = File::open(&path).map_err(failed)?;
        let mut checked = Hashing::new(BufReader::with_capacity(1 << 16, opened));
        let outcome = read(&mut checked);
        // What follows a damaged place makes no sense; that it is damaged is what the user has to know.
        io::copy(&mut checked, &mut io::sink()).map_err(failed)?;
        if checked.finish() != *file {
            let message =
                "its content does not match its name: delete it, and its task is computed again";
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, message)).into());
        }
        outcome
    }

    /// Whether the file is there, as far as its size tells.
    pub(super) fn has(&self, file: &FileRef) -> bool {
        fs::metadata(self.path(file)).is_ok_and(|found| found.len() == file.bytes)
    }

    fn path(&self, file: &FileRef) -> PathBuf {
        // The digest comes out of a ledger, which is untrusted.
        let name: String = file
            .sha256
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        self.directory.join(name)
    }
}

/// Hashes what passes through.
struct Hashing<T> {
    inner: T,
    hash: Sha256,
    bytes: u64,
}

impl<T> Hashing<T> {
    fn new(inner: T) -> Hashing<T> {
        Hashing {
            inner,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    fn finish(self) -> FileRef {
        FileRef {
            sha256: hex::encode(self.hash.finalize()),
            bytes: self.bytes,
        }
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(room)?;
        self.update(&room[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;

    fn content(files: &ResultFiles, file: &FileRef) -> Result<Vec<u8>, ResultFileError> {
        let mut content = Vec::new();
        files.read(file, |input| {
            input.read_to_end(&mut content).unwrap();
            Ok::<(), ResultFileError>(())
        })?;
        Ok(content)
    }

    #[test]
    fn a_file_is_named_by_its_content_and_read_back() {
        let directory = tempdir().unwrap();
        let files = ResultFiles::of_ledger(&directory.path().join("run.jsonl"));
        let file = files.write(|out| out.write_all(b"abc")).unwrap();
        // printf abc | sha256sum
        let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(directory.path().join("run.jsonl.d").join(name).is_file());
        assert!(files.has(&file));
        assert_eq!(content(&files, &file).unwrap(), b"abc");
        assert_eq!(files.write(|out| out.write_all(b"abc")).unwrap(), file);
    }

    #[test]
    fn a_file_that_is_damaged_cut_or_gone_is_an_error() {
        let directory = tempdir().unwrap();
        let files = ResultFiles::of_ledger(&directory.path().join("run.jsonl"));
        let file = files.write(|out| out.write_all(b"abc")).unwrap();
        let path = files.path(&file);
        for wrong in ["abd", "ab", "abcd", ""] {
            fs::write(&path, wrong).unwrap();
            let error = content(&files, &file).unwrap_err();
            assert!(error.is_damage(), "{wrong:?}: {error}");
        }
        fs::remove_file(&path).unwrap();
        assert!(!files.has(&file));
        assert!(content(&files, &file).unwrap_err().is_damage());
    }

    #[test]
    fn a_name_out_of_a_ledger_stays_in_the_directory() {
        let files = ResultFiles::of_ledger(Path::new("/tmp/run"));
        let hostile = FileRef {
            sha256: "../../etc/passwd".to_owned(),
            bytes: 1,
        };
        assert_eq!(files.path(&hostile), Path::new("/tmp/run.d/etcpasswd"));
    }
}
