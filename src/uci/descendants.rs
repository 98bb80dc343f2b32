//! The descendants of a child, also those that have left its process group.
//!
//! A descendant that called `setsid` is not in the group any more, but it still has its parent. Linux lists the children of
//! a process; elsewhere nothing is found. A process whose parent has exited belongs to init and cannot be found either:
//! only a control group could hold it, and to make one takes rights that users rarely have.

use rustix::process::Pid;

pub use platform::Descendants;

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;
    use std::os::fd::OwnedFd;

    use rustix::process::{PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

    use super::Pid;

    /// Handles of processes. Unlike a process id, a handle never comes to mean another process.
    #[derive(Default)]
    pub struct Descendants(Vec<OwnedFd>);

    impl Descendants {
        /// Finds the descendants that a process has now.
        pub fn note(&mut self, root: Pid) {
            self.collect(root, &|_| ());
        }

        /// Stops a process and its descendants, so that they start no others, and finds them.
        pub fn stop(&mut self, root: Pid) {
            // Fails if the process has ended.
            let _ = kill_process(root, Signal::STOP);
            self.collect(root, &|process| {
                let _ = pidfd_send_signal(process, Signal::STOP);
            });
        }

        /// Kills all that were found and still live.
        pub fn kill(&mut self) {
            for process in self.0.drain(..) {
                let _ = pidfd_send_signal(process, Signal::KILL);
            }
        }

        fn collect(&mut self, root: Pid, on_found: &impl Fn(&OwnedFd)) {
            let mut parents = vec![root];
            while let Some(parent) = parents.pop() {
                let found = children(parent).into_iter();
                let opened: Vec<(Pid, OwnedFd)> = found
                    .filter_map(|pid| Some((pid, pidfd_open(pid, PidfdFlags::empty()).ok()?)))
                    .collect();
                // A child that is still listed had not ended when its handle was opened.
                let listed = children(parent);
                for (pid, process) in opened.into_iter().filter(|(pid, _)| listed.contains(pid)) {
                    on_found(&process);
                    self.0.push(process);
                    parents.push(pid);
                }
            }
        }
    }

    /// The children of all threads of a process. Empty if it has ended.
    fn children(parent: Pid) -> Vec<Pid> {
        let threads = fs::read_dir(format!("/proc/{}/task", parent.as_raw_nonzero()));
        let lists = threads.into_iter().flatten().flatten();
        let lists =
            lists.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let pids = |list: String| -> Vec<Pid> {
            let pids = list.split_whitespace().filter_map(|pid| pid.parse().ok());
            pids.filter_map(Pid::from_raw).collect()
        };
        lists.flat_map(pids).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::Pid;

    /// Nothing: only the process group is known.
    #[derive(Default)]
    pub struct Descendants;

    impl Descendants {
        pub fn note(&mut self, _: Pid) {}
        pub fn stop(&mut self, _: Pid) {}
        pub fn kill(&mut self) {}
    }
}
