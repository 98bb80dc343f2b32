//! The memory that control groups leave to this process.
//!
//! A container or a job of a cluster is limited by the kernel's control groups, and `/proc/meminfo` does not know of them:
//! it shows the memory of the whole machine. A process that takes more than its group allows is killed.

use std::fs;
use std::path::Path;

/// The files of one version of control groups.
struct Version {
    /// Where the hierarchy that counts memory is mounted.
    mount: &'static str,
    limits: &'static [&'static str],
    usage: &'static str,
    /// The field of `memory.stat` for file pages that the kernel drops before it kills.
    inactive_file: &'static str,
}

const V1: Version = Version {
    mount: "sys/fs/cgroup/memory",
    limits: &["memory.limit_in_bytes"],
    usage: "memory.usage_in_bytes",
    inactive_file: "total_inactive_file",
};

const V2: Version = Version {
    mount: "sys/fs/cgroup",
    limits: &["memory.max", "memory.high"],
    usage: "memory.current",
    inactive_file: "inactive_file",
};

/// The bytes that this process may still use, if a group limits it. `root` is `/`.
pub fn free_bytes(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let free = groups.lines().filter_map(|line| {
        // A number, a list of controllers, the path of the group; version 2 has no list.
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let version = match controllers {
            "" => V2,
            _ if controllers.split(',').any(|name| name == "memory") => V1,
            _ => return None,
        };
        version.free_bytes(root, path)
    });
    free.min()
}

impl Version {
    /// The least that is free in a group and in those around it. In a container the path may be one of the host, of which
    /// only the top is visible.
    fn free_bytes(&self, root: &Path, group: &str) -> Option<u64> {
        let mount = root.join(self.mount);
        let group = Path::new(group.trim_start_matches('/'));
        let directories = group.ancestors().map(|group| mount.join(group));
        directories
            .filter_map(|group| self.free_in_group(&group))
            .min()
    }

    fn free_in_group(&self, group: &Path) -> Option<u64> {
        let read = |name: &str| -> Option<u64> {
            let text = fs::read_to_string(group.join(name)).ok()?;
            text.trim().parse().ok()
        };
        let limit = self.limits.iter().filter_map(|name| read(name)).min()?;
        let used = read(self.usage)?.saturating_sub(self.inactive_file_bytes(group));
        Some(limit.saturating_sub(used))
    }

    fn inactive_file_bytes(&self, group: &Path) -> u64 {
        let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let mut fields = stat.lines().filter_map(|line| line.split_once(' '));
        let found = fields.find(|(name, _)| *name == self.inactive_file);
        found
            .and_then(|(_, bytes)| bytes.parse().ok())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use tempfile::{TempDir, tempdir};

    use super::*;

    /// A file system with these files.
    fn system(files: &[(&str, &str)]) -> TempDir {
        let root = tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_group_of_version_2_is_limited_by_those_around_it() {
        let system = system(&[
            ("proc/self/cgroup", "0::/user.slice/job\n"),
            ("sys/fs/cgroup/user.slice/job/memory.max", "max\n"),
            ("sys/fs/cgroup/user.slice/job/memory.high", "9000\n"),
            ("sys/fs/cgroup/user.slice/job/memory.current", "1000\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "7000\n"),
            ("sys/fs/cgroup/user.slice/memory.high", "max\n"),
            ("sys/fs/cgroup/user.slice/memory.current", "3000\n"),
            (
                "sys/fs/cgroup/user.slice/memory.stat",
                "anon 1500\ninactive_file 500\n",
            ),
        ]);
        assert_eq!(free_bytes(system.path()), Some(4500));
    }

    #[test]
    fn a_group_of_version_1_is_found_by_its_controller() {
        let system = system(&[
            (
                "proc/self/cgroup",
                "5:devices:/x\n4:cpu,memory:/docker/abc\n0::/\n",
            ),
            (
                "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes",
                "5000\n",
            ),
            (
                "sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes",
                "2000\n",
            ),
            (
                "sys/fs/cgroup/memory/docker/abc/memory.stat",
                "inactive_file 7\ntotal_inactive_file 300\n",
            ),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "80000\n"),
        ]);
        assert_eq!(free_bytes(system.path()), Some(3300));
    }

    #[test]
    fn a_container_that_sees_only_its_own_group_is_limited_by_it() {
        let system = system(&[
            ("proc/self/cgroup", "4:memory:/docker/of-the-host\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "6000\n"),
        ]);
        assert_eq!(free_bytes(system.path()), Some(0));
    }

    #[test]
    fn without_limits_there_is_none() {
        for files in [
            &[][..],
            &[("proc/self/cgroup", "0::/\n")],
            &[("proc/self/cgroup", "nonsense\n::\n4:memory\n")],
            &[
                ("proc/self/cgroup", "0::/job\n"),
                ("sys/fs/cgroup/job/memory.max", "max\n"),
                ("sys/fs/cgroup/job/memory.current", "1\n"),
            ],
        ] {
            assert_eq!(free_bytes(system(files).path()), None, "{files:?}");
        }
    }
}
