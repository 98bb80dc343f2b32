//! Temporary files beside the files that they will replace, and the removal of those whose process is gone.
//!
//! A process that is killed leaves its temporary file behind. Its name does not tell whether the process is alive: the
//! directory may be shared with another machine or container, where process ids mean nothing. So every temporary file is
//! locked as long as its process uses it, and the system releases the lock of a process that is gone.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::NamedTempFile;

const PREFIX: &str = ".ninesixty-";

/// A file is locked a moment after it is created. What is older and not locked has no process.
const LEAST_AGE: Duration = Duration::from_secs(60);

/// Creates a temporary file that [`remove_stale`] leaves alone as long as it is open.
pub(crate) fn create_in(directory: &Path, permissions: Permissions) -> io::Result<NamedTempFile> {
    let temporary = tempfile::Builder::new()
        .prefix(PREFIX)
        .permissions(permissions)
        .tempfile_in(directory)?;
    // A file system without locks cannot show that a process is gone either, so that nothing is removed there.
    let _ = temporary.as_file().try_lock();
    Ok(temporary)
}

/// Removes the temporary files of processes that are gone. Files that cannot be removed stay, and do no harm.
pub(crate) fn remove_stale(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // Only a regular file: opening a pipe could wait forever.
        if is_ours
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && is_abandoned(&entry.path())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_abandoned(path: &Path) -> bool {
    let is_old = |file: &File| {
        let modified = file.metadata().and_then(|found| found.modified()).ok();
        modified.is_some_and(|time| time.elapsed().is_ok_and(|age| age >= LEAST_AGE))
    };
    File::open(path).is_ok_and(|file| is_old(&file) && file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::SystemTime;

    use tempfile::tempdir;

    use super::*;

    fn age(file: &File, age: Duration) {
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn only_old_files_that_no_process_holds_are_removed() {
        let directory = tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let hour = Duration::from_secs(3600);
        for (name, old) in [
            (".ninesixty-dead", hour),
            (".ninesixty-new", Duration::ZERO),
            ("table.csv", hour),
            (".other-dead", hour),
        ] {
            age(&File::create(path(name)).unwrap(), old);
        }
        fs::create_dir(path(".ninesixty-directory")).unwrap();
        let live = create_in(directory.path(), Permissions::from_mode(0o600)).unwrap();
        age(live.as_file(), hour);

        remove_stale(directory.path());
        assert!(!path(".ninesixty-dead").exists());
        assert!(live.path().exists());
        for kept in [
            ".ninesixty-new",
            "table.csv",
            ".other-dead",
            ".ninesixty-directory",
        ] {
            assert!(path(kept).exists(), "{kept}");
        }
        assert_eq!(
            live.as_file().metadata().unwrap().permissions().mode() & 0o777,
            0o600
        );

        // The process is gone: its lock is, too, but not its file.
        let (closed, left) = live.keep().unwrap();
        drop(closed);
        remove_stale(directory.path());
        assert!(!left.exists());
        remove_stale(&path("missing"));
    }
}
