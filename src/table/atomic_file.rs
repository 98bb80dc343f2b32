//! Files that are replaced atomically: written completely or not at all.
//!
//! [`write_atomically`] takes a path and a function that writes the content. The content goes to a temporary file in
//! the directory of the target, is synced, and is renamed to the target in one step. On failure the old file is
//! unchanged and the error names path and operation. The result has the same attributes as a file written in the
//! ordinary way: a new file has the mode that the umask allows, an existing one keeps its mode, and a symbolic link
//! still points to it.
//!
//! A device, a pipe or an open descriptor (`/dev/stdout`) cannot be replaced by a rename and is written to directly.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::WriteError;
use super::temporary_file;

/// The links that Linux follows in one path.
const MAX_LINKS: usize = 40;

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum AtomicWriteError {
    /// An operation of the file system failed.
    #[error("cannot {operation} {}", path.display())]
    File {
        /// What was tried.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The content does not fit the output format.
    #[error("cannot write {}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why the table cannot be written.
        source: WriteError,
    },
}

/// Replaces the content of `path` by what `fill` writes, completely or not at all.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), AtomicWriteError> {
    match Target::find(path)? {
        Target::File { path, old } => replace(&path, old.as_ref(), fill),
        Target::Special(path) => write_directly(&path, fill),
    }
}

/// Fails if [`write_atomically`] could not create or replace the file. Changes nothing.
pub fn check_writable(path: &Path) -> Result<(), AtomicWriteError> {
    if let Target::File { path, old } = Target::find(path)? {
        open_directory(&path)?;
        create_temporary(&path, old.as_ref())?;
    }
    Ok(())
}

/// Whether two paths name the same file, which need not exist yet: links are followed, also those that lead to nothing,
/// and two hard links are the same file. A terminal or `/dev/null` can be read and written at once and is no such file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => {
            (one.dev(), one.ino()) == (other.dev(), other.ino())
                && !one.file_type().is_char_device()
        }
        (Err(_), Err(_)) => {
            let [one, other] = [one, other].map(future_path);
            matches!((one, other), (Ok(one), Ok(other)) if one == other)
        }
        _ => false,
    }
}

/// The absolute path at which a file would be created.
fn future_path(path: &Path) -> io::Result<PathBuf> {
    let path = follow_links(path)?;
    let directory = directory_of(&path).canonicalize()?;
    Ok(directory.join(path.file_name().unwrap_or_default()))
}

/// What a path names after all symbolic links are followed.
enum Target {
    /// A regular file, or a path where nothing exists yet.
    File {
        path: PathBuf,
        old: Option<Metadata>,
    },
    /// A device, a pipe or an open descriptor.
    Special(PathBuf),
}

impl Target {
    fn find(path: &Path) -> Result<Target, AtomicWriteError> {
        let old = existing(path).map_err(failed("inspect", path))?;
        let path = follow_links(path).map_err(failed("follow the link", path))?;
        let is_file = old.as_ref().is_none_or(Metadata::is_file);
        Ok(if is_file && !is_descriptor(&path) {
            Target::File { path, old }
        } else {
            Target::Special(path)
        })
    }
}

fn existing(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The path at the end of a chain of symbolic links, also if nothing exists there.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        if is_descriptor(&target) || !is_link(&target) {
            return Ok(target);
        }
        target = directory_of(&target).join(fs::read_link(&target)?);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether the path names a file that is already open. If stdout is redirected to a file, `/dev/stdout` leads to that
/// file, but replacing it by a rename would leave the shell writing to an unlinked one.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"]
        .iter()
        .any(|open| path.starts_with(open))
}

/// The directory that contains a path's last component.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn replace(
    target: &Path,
    old: Option<&Metadata>,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), AtomicWriteError> {
    let directory = open_directory(target)?;
    let temporary = create_temporary(target, old)?;

    fill_file(target, temporary.as_file(), fill)?;
    temporary
        .as_file()
        .sync_all()
        .map_err(failed("sync", target))?;
    temporary
        .persist(target)
        .map_err(|error| failed("replace", target)(error.error))?;
    directory
        .sync_all()
        .map_err(failed("sync the directory", directory_of(target)))
}

fn open_directory(target: &Path) -> Result<File, AtomicWriteError> {
    let directory = directory_of(target);
    File::open(directory).map_err(failed("open the directory", directory))
}

/// A temporary file in the directory of the target, with the mode that the target has or would get. A rename is atomic
/// only within one file system, so the directory has to be the same.
fn create_temporary(
    target: &Path,
    old: Option<&Metadata>,
) -> Result<NamedTempFile, AtomicWriteError> {
    if old.is_some() {
        // A rename needs no write permission on the file that it replaces, so check it here.
        OpenOptions::new()
            .write(true)
            .open(target)
            .map_err(failed("open", target))?;
    }
    let directory = directory_of(target);
    temporary_file::remove_stale(directory);
    let temporary = temporary_file::create_in(directory, Permissions::from_mode(0o666))
        .map_err(failed("create a file in", directory))?;
    if let Some(old) = old {
        let mode = old.permissions();
        temporary
            .as_file()
            .set_permissions(mode)
            .map_err(failed("preserve the mode of", target))?;
    }
    Ok(temporary)
}

fn write_directly(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), AtomicWriteError> {
    // Appending keeps what has been written to a redirected stdout so far.
    let file = OpenOptions::new()
        .append(true)
        .open(path)
        .map_err(failed("open", path))?;
    fill_file(path, &file, fill)
}

fn fill_file(
    path: &Path,
    file: &File,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), AtomicWriteError> {
    let mut out = BufWriter::new(file);
    // Dropping the buffer without a flush would lose the error of a full disk.
    let filled = fill(&mut out).and_then(|()| Ok(out.flush()?));
    filled.map_err(|error| match error {
        WriteError::Io(source) => failed("write", path)(source),
        source => AtomicWriteError::Content {
            path: path.to_owned(),
            source,
        },
    })
}

fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> AtomicWriteError {
    move |source| AtomicWriteError::File {
        operation,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::symlink;

    use tempfile::{TempDir, tempdir};

    use super::*;
    use crate::table::{Format, Table, write};

    fn put(path: &Path, text: &str) -> Result<(), AtomicWriteError> {
        write_atomically(path, |out| Ok(out.write_all(text.as_bytes())?))
    }

    fn descriptor_and_link(open: &impl AsRawFd, directory: &TempDir) -> [PathBuf; 2] {
        let descriptor = PathBuf::from(format!("/dev/fd/{}", open.as_raw_fd()));
        let link = directory.path().join("link");
        symlink(&descriptor, &link).unwrap();
        [descriptor, link]
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn names(directory: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_replaces_the_old_one_and_leaves_no_temporary_file() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t.csv");
        put(&path, "a longer first text").unwrap();
        put(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(names(&directory), ["t.csv"]);
    }

    #[test]
    fn a_failing_writer_leaves_the_old_file_intact() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t.csv");
        fs::write(&path, "old").unwrap();
        let error = write_atomically(&path, |out| {
            out.write_all(&[b'x'; 100_000])?;
            Err(io::Error::other("no more").into())
        });
        assert_eq!(
            error.unwrap_err().to_string(),
            format!("cannot write {}", path.display())
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(&directory), ["t.csv"]);
    }

    #[test]
    fn a_table_that_does_not_fit_the_format_is_an_error_with_the_path() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t.epd");
        let table = Table::new("ninesixty.stats/1", "", ["id"]);
        let error = write_atomically(&path, |out| write(&table, Format::Epd, out)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot write {}", path.display())
        );
        let cause = error
            .source()
            .unwrap()
            .downcast_ref::<WriteError>()
            .unwrap();
        assert!(matches!(cause, WriteError::NoFenColumn { .. }));
        assert!(names(&directory).is_empty());
    }

    #[test]
    fn a_full_device_is_an_error_even_if_the_text_fits_the_buffer() {
        let error = put(Path::new("/dev/full"), "short").unwrap_err();
        assert_eq!(error.to_string(), "cannot write /dev/full");
        let cause = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!(cause.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_link_is_followed_and_stays_a_link() {
        let directory = tempdir().unwrap();
        fs::create_dir(directory.path().join("results")).unwrap();
        for (target, old) in [("results/t.csv", Some("old")), ("results/new.csv", None)] {
            let link = directory.path().join(target.replace('/', "-"));
            symlink(target, &link).unwrap();
            if let Some(old) = old {
                fs::write(directory.path().join(target), old).unwrap();
            }
            put(&link, "linked").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(
                fs::read_to_string(directory.path().join(target)).unwrap(),
                "linked"
            );
        }
    }

    #[test]
    fn a_circle_of_links_is_an_error() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t.csv");
        symlink("t.csv", &path).unwrap();
        assert_eq!(
            put(&path, "x").unwrap_err().to_string(),
            format!("cannot inspect {}", path.display())
        );
    }

    #[test]
    fn a_new_file_has_the_default_mode() {
        let directory = tempdir().unwrap();
        let (ours, plain) = (
            directory.path().join("ours"),
            directory.path().join("plain"),
        );
        put(&ours, "x").unwrap();
        fs::write(&plain, "x").unwrap();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn an_old_file_keeps_its_mode() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t.csv");
        for kept in [0o600, 0o666, 0o755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(kept)).unwrap();
            put(&path, "new").unwrap();
            assert_eq!(mode(&path), kept);
        }
    }

    #[test]
    fn a_named_pipe_is_written_to_and_stays_a_pipe() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read_to_string(path).unwrap()
        });
        put(&path, "through the pipe").unwrap();
        assert_eq!(reader.join().unwrap(), "through the pipe");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    }

    #[test]
    fn an_open_descriptor_is_appended_to() {
        let directory = tempdir().unwrap();
        let log = directory.path().join("log");
        let mut open = File::create(&log).unwrap();
        open.write_all(b"before ").unwrap();
        for path in descriptor_and_link(&open, &directory) {
            put(&path, "ours ").unwrap();
        }
        assert_eq!(fs::read_to_string(&log).unwrap(), "before ours ours ");
        assert_eq!(names(&directory), ["link", "log"]);
    }

    #[test]
    fn a_missing_directory_is_named() {
        let directory = tempdir().unwrap();
        let missing = directory.path().join("missing");
        let error = put(&missing.join("t.csv"), "x").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot open the directory {}", missing.display())
        );
        let error = put(directory.path(), "x").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot open {}", directory.path().display())
        );
    }

    #[test]
    fn a_path_without_a_directory_is_in_the_current_one() {
        assert_eq!(directory_of(Path::new("t.csv")), Path::new("."));
        assert_eq!(
            directory_of(Path::new("results/t.csv")),
            Path::new("results")
        );
    }
}
