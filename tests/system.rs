//! The promise: whatever names files go by, whatever the operating system refuses, and whenever a signal arrives, no
//! file is lost, no game is counted twice, and the program ends in time with an exit code and a sentence.

mod common;
#[path = "common/signals.rs"]
mod signals;

use std::fs;
use std::io::{self, Cursor, Read};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant, SystemTime};

use assert_cmd::cargo::cargo_bin;
use common::{Run, run, shell};
use rustix::process::{Pid, Signal, kill_process};
use signals::wait_for_signal_handlers;
use tempfile::{TempDir, tempdir};

const GAMES: &str = "data/pgn/mainz-2009.pgn";

/// A temporary directory, and paths in it.
struct Workspace(TempDir);

impl Workspace {
    fn new() -> Workspace {
        Workspace(tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// Runs a command that has to fail with this code; returns its message.
fn fail(code: i32, args: &[&str]) -> String {
    let Run {
        code: found,
        out,
        err,
    } = run(args);
    assert_eq!((found, out.as_str()), (Some(code), ""), "{args:?}: {err}");
    err
}

mod same_file {
    use super::*;

    #[test]
    fn a_file_with_several_names_counts_once_and_the_names_are_listed() {
        let workspace = Workspace::new();
        let file = workspace.write("a.pgn", fs::read(GAMES).unwrap());
        let [detour, link, hard_link] =
            ["./a.pgn", "link.pgn", "hard.pgn"].map(|name| workspace.path(name));
        symlink(&file, &link).unwrap();
        fs::hard_link(&file, &hard_link).unwrap();
        for names in [[&file, &detour, &link], [&hard_link, &link, &file]] {
            let names = names.map(String::as_str);
            let Run { code, err, .. } = run(&[&["stats"], &names[..]].concat());
            assert_eq!(code, Some(0), "{err}");
            assert!(
                err.contains("\n20 games read") || err.starts_with("20 games read"),
                "{err}"
            );
            let said = err
                .lines()
                .filter(|line| line.contains("are the same file"));
            assert_eq!(said.count(), 1, "{err}");
            for name in names {
                assert!(err.contains(name), "{name}: {err}");
            }
        }
        // A copy is another file.
        let copy = workspace.write("copy.pgn", fs::read(GAMES).unwrap());
        let err = run(&["stats", &file, &copy]).err;
        assert!(
            err.contains("40 games read") && !err.contains("same file"),
            "{err}"
        );
    }

    #[test]
    fn a_directory_and_a_file_in_it_count_once() {
        let workspace = Workspace::new();
        let file = workspace.write("a.pgn", fs::read(GAMES).unwrap());
        let directory = workspace.path("");
        for ledger in [None, Some(workspace.path("ledger"))] {
            let mut args = vec!["stats", &file, &directory];
            args.extend(ledger.as_deref().map(|_| "--ledger"));
            args.extend(ledger.as_deref());
            let err = run(&args).err;
            assert!(err.contains("20 games read"), "{err}");
        }
    }
}

mod overwriting {
    use super::*;

    const EPD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\n";

    /// Other names of a file that may not exist yet.
    fn names_of(workspace: &Workspace, name: &str) -> Vec<String> {
        let exists = Path::new(&workspace.path(name)).exists();
        let [link, links, directory] =
            ["link", "link-to-link", "directory"].map(|name| workspace.path(name));
        let _ = fs::create_dir(&directory);
        symlink(name, &link).unwrap();
        symlink("link", &links).unwrap();
        let mut names = vec![
            workspace.path(name),
            workspace.path(&format!("./{name}")),
            format!("{directory}/../{name}"),
            link,
            links,
        ];
        if exists {
            names.push(workspace.path("hard-link"));
            fs::hard_link(workspace.path(name), workspace.path("hard-link")).unwrap();
        }
        names
    }

    /// A command that must not replace the file `name`, under any of its names as its last argument.
    fn refuses(workspace: &Workspace, name: &str, command: &[&str], flag: &str) {
        let path = workspace.path(name);
        let before = fs::read(&path).ok();
        for other in names_of(workspace, name) {
            let err = fail(2, &[command, &[flag, &other]].concat());
            assert!(err.contains("would overwrite"), "{other}: {err}");
            assert!(err.contains(name), "{other}: {err}");
            assert_eq!(fs::read(&path).ok(), before, "{other}");
        }
    }

    #[test]
    fn an_output_never_replaces_the_ledger() {
        for exists in [false, true] {
            let workspace = Workspace::new();
            let ledger = workspace.path("run.jsonl");
            let count = ["perft", "518", "--depth", "2", "--ledger", &ledger];
            if exists {
                assert_eq!(run(&count).code, Some(0));
            }
            refuses(&workspace, "run.jsonl", &count, "--output");
        }
    }

    #[test]
    fn an_output_never_replaces_an_input() {
        let suite = |workspace: &Workspace| workspace.write("t.epd", EPD);
        let to_csv = ["--format", "csv"];
        for command in [
            &["perft", "--depth", "1", "--epd"][..],
            &["perft", "--depth", "1", "--divide", "--epd"],
            &["search", "--depth", "1", "--epd"],
            &["diff", "--b", "own", "--depth", "1", "--epd"],
            &["bench", "--depth", "1", "--rounds", "1", "--epd"],
            &["verify"],
        ] {
            let workspace = Workspace::new();
            let input = suite(&workspace);
            let command = [command, &[&input], &to_csv[..]].concat();
            refuses(&workspace, "t.epd", &command, "--output");
        }
        let workspace = Workspace::new();
        let input = suite(&workspace);
        refuses(&workspace, "t.epd", &["verify", &input], "--write");

        let workspace = Workspace::new();
        let games = workspace.write("a.pgn", fs::read(GAMES).unwrap());
        for flag in ["--output", "--castling", "--moves"] {
            let workspace = Workspace::new();
            fs::copy(&games, workspace.path("a.pgn")).unwrap();
            let input = workspace.path("a.pgn");
            refuses(&workspace, "a.pgn", &["stats", &input], flag);
        }

        let workspace = Workspace::new();
        let table = workspace.path("sf.csv");
        let scores = ["search", "518", "--depth", "1", "--format", "csv"];
        assert_eq!(
            run(&[&scores[..], &["--output", &table]].concat()).code,
            Some(0)
        );
        let compare = [&scores[..], &["--compare", &table]].concat();
        refuses(&workspace, "sf.csv", &compare, "--output");
        let from = [
            "search",
            "--from",
            &table,
            "--compare",
            "@stockfish18",
            "--output",
            &table,
        ];
        assert!(fail(2, &from).contains("would overwrite"));
    }

    #[test]
    fn a_ledger_is_never_one_of_the_inputs() {
        let workspace = Workspace::new();
        let empty = workspace.write("empty.pgn", "");
        refuses(&workspace, "empty.pgn", &["stats", &empty], "--ledger");
    }

    #[test]
    fn standard_output_is_never_appended_to_a_file_that_is_read() {
        let workspace = Workspace::new();
        let ledger = workspace.path("run.jsonl");
        let suite = workspace.write("t.epd", EPD);
        for (file, command) in [
            (&ledger, "ninesixty perft 518 --depth 1 --ledger $0 >> $0"),
            (&suite, "ninesixty perft --epd $0 --depth 1 >> $0"),
        ] {
            let before = fs::read(file).unwrap_or_default();
            let Run { code, err, .. } = shell(command).arg(file).output().unwrap().into();
            assert_eq!(code, Some(2), "{err}");
            assert!(err.contains("would overwrite"), "{err}");
            assert_eq!(fs::read(file).unwrap(), before);
        }
    }

    #[test]
    fn devices_are_read_and_written_at_once() {
        let line = "ninesixty stats /dev/null --output /dev/null --castling /dev/null";
        let Run { code, err, .. } = shell(line).output().unwrap().into();
        assert_eq!(code, Some(0), "{err}");
    }

    #[test]
    fn temporary_files_of_dead_processes_are_removed() {
        let workspace = Workspace::new();
        let (table, ledger) = (workspace.path("t.csv"), workspace.path("l.jsonl"));
        let trees = workspace.path("l.jsonl.d");
        fs::create_dir(&trees).unwrap();
        let stale = [
            workspace.write(".ninesixty-dead", "x"),
            workspace.write("l.jsonl.d/.ninesixty-dead", "x"),
        ];
        for path in &stale {
            let hour_ago = SystemTime::now() - Duration::from_secs(3600);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(hour_ago).unwrap();
        }
        let moves = workspace.path("tree.csv");
        let job = [
            "stats", GAMES, "--moves", &moves, "--ledger", &ledger, "--output", &table,
        ];
        assert_eq!(run(&job).code, Some(0));
        for path in &stale {
            assert!(!Path::new(path).exists(), "{path}");
        }
    }
}

mod stopping {
    use super::*;

    /// The program promises two seconds. A machine that is busy may take longer, but one that waits takes forever.
    const TIMEOUT: Duration = Duration::from_secs(20);

    /// Starts a shell line in which `exec ninesixty` is the program. Its output is a pipe that is never read.
    fn spawn(line: &str, argument: &str) -> Child {
        let directory = cargo_bin!("ninesixty").parent().unwrap();
        Command::new("/bin/bash")
            .args(["-c", line, argument])
            .env("PATH", format!("{}:/usr/bin:/bin", directory.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Waits until the process sleeps in a system call and its processor time does not grow.
    fn wait_until_blocked(child: &Child) {
        let started = Instant::now();
        let time_used = || {
            let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split(' ').collect();
            (fields[12].to_owned(), fields[13].to_owned())
        };
        let mut before = time_used();
        loop {
            sleep(Duration::from_millis(300));
            let now = time_used();
            if now == before {
                return;
            }
            assert!(
                started.elapsed() < Duration::from_secs(300),
                "never blocked"
            );
            before = now;
        }
    }

    /// Ends the process with a signal; returns its exit code as a shell sees it, and its messages.
    fn stop(mut child: Child, signal: Signal) -> (i32, String) {
        wait_until_blocked(&child);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let sent = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if sent.elapsed() > TIMEOUT {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{signal:?} was ignored");
            }
            sleep(Duration::from_millis(10));
        };
        let mut err = String::new();
        child.stderr.unwrap().read_to_string(&mut err).unwrap();
        let by_signal = || 128 + status.signal().unwrap();
        (status.code().unwrap_or_else(by_signal), err)
    }

    #[test]
    fn a_process_that_waits_for_input_or_output_ends_by_the_first_signal() {
        let ends = &|line: &str, waits_with_handlers: bool, signal, code| {
            let workspace = Workspace::new();
            let fifo = workspace.path("fifo");
            let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
            assert!(made.success());
            let child = spawn(line, &fifo);
            if waits_with_handlers {
                wait_for_signal_handlers(&child);
            }
            let (found, err) = stop(child, signal);
            assert_eq!(found, code, "{line}: {err}");
            if waits_with_handlers && !line.ends_with("2>&1") {
                assert!(err.contains("stopped by SIG"), "{line}: {err}");
            }
        };
        thread::scope(|scope| {
            for (line, waits_with_handlers) in [
                ("exec ninesixty stats -", true),
                ("exec ninesixty stats $0", true),
                ("exec ninesixty stats --keep-going $0", true),
                ("exec ninesixty perft --depth 1 --format json", true),
                ("exec ninesixty perft --depth 1 --format json 2>&1", true),
                ("exec ninesixty perft 518 --depth 1 --output $0", true),
                ("exec ninesixty perft --depth 1 --epd $0", false),
                ("exec ninesixty verify $0", false),
                ("exec ninesixty list --format json", false),
                ("exec ninesixty uci", false),
            ] {
                for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
                    scope.spawn(move || ends(line, waits_with_handlers, signal, code));
                }
            }
        });
    }
}

mod memory {
    use super::*;

    /// Runs a shell line in which `ninesixty` is the program, with this much address space.
    fn within(mib: u32, line: &str) -> Run {
        let line = format!("ulimit -v {}; {line}", mib << 10);
        shell(&line).output().unwrap().into()
    }

    /// A size that no machine has.
    const TOO_MUCH: &str = "10000000G";

    #[test]
    fn a_transposition_table_that_does_not_fit_exits_with_4_and_says_how_much_is_free() {
        for command in [
            ["search", "518", "--depth", "1", "--hash", TOO_MUCH],
            ["search", "sample:3", "--nodes", "9", "--hash", TOO_MUCH],
        ] {
            let err = fail(4, &command);
            assert!(err.starts_with("error: --hash 10240000000M"), "{err}");
            assert!(err.contains("MiB are free"), "{err}");
        }
        let Run { code, err, .. } = within(500, "ninesixty search 518 --depth 1 --hash 1G");
        assert_eq!(code, Some(4), "{err}");
        assert!(err.contains("1024 MiB of memory are needed, and "), "{err}");
    }

    #[test]
    fn the_uci_engine_keeps_its_table_if_a_larger_one_does_not_fit() {
        let commands = "setoption name Hash value 65536\\ngo depth 1\\nisready\\n";
        let Run { code, out, err } = within(500, &format!("echo -e '{commands}' | ninesixty uci"));
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let error = "info string error: 65536 MiB of memory are needed, and ";
        assert!(out.contains(error), "{out}");
        assert!(out.contains("bestmove") && out.contains("readyok"), "{out}");
    }

    #[test]
    fn what_the_system_refuses_is_exit_code_4_and_never_an_abort() {
        let mut failed = 0;
        for command in [
            "list",
            "perft sample:20 --depth 4",
            "perft 518 --depth 5 --unique",
            "perft 518 --depth 3 --threads 300",
            "perft 518 --depth 3 --divide --threads 300",
            "search 518 --depth 4",
            "search sample:9 --depth 4 --threads 9",
            "stats data/pgn/mainz-2009.pgn --moves /dev/null",
            "stats data/pgn/mainz-2009.pgn --threads 300",
            "verify @tricky --max-nodes 1000 --threads 100",
            "diff --b shakmaty 518 --threads 100",
        ] {
            for mib in [20, 30, 40, 60, 80, 120, 200] {
                let Run { code, err, .. } = within(mib, &format!("ninesixty {command}"));
                assert!(
                    matches!(code, Some(0 | 4)),
                    "{command}, {mib} MiB: {code:?} {err}"
                );
                if code == Some(4) {
                    failed += 1;
                    assert!(err.contains("error: "), "{command}, {mib} MiB: {err}");
                }
            }
        }
        assert!(
            failed > 20,
            "the limits are too large to try anything: {failed}"
        );
    }
}

mod bombs {
    use super::*;

    /// A game, and then many zeros.
    fn bomb_text() -> impl Read {
        let game = fs::read(GAMES).unwrap();
        Cursor::new(game).chain(io::repeat(0).take(400 << 20))
    }

    /// Frames of `pzstd`: each is announced by a skippable one that has its size.
    fn pzstd(frames: usize) -> Vec<u8> {
        let frame = zstd::encode_all(io::repeat(b' ').take(20 << 20), 1).unwrap();
        let mut file = Vec::new();
        for _ in 0..frames {
            file.extend([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]);
            file.extend((frame.len() as u32).to_le_bytes());
            file.extend(&frame);
        }
        file
    }

    #[test]
    fn a_file_that_unpacks_to_a_thousand_times_its_size_is_refused_unless_asked_for() {
        let workspace = Workspace::new();
        let one_frame = zstd::encode_all(bomb_text(), 1).unwrap();
        let mut bzip2 = Vec::new();
        let mut encoder = bzip2::read::BzEncoder::new(bomb_text(), bzip2::Compression::fast());
        encoder.read_to_end(&mut bzip2).unwrap();
        for (name, bytes) in [
            ("zeros.pgn.zst", one_frame),
            ("zeros.pgn.bz2", bzip2),
            ("frames.pgn.zst", pzstd(20)),
        ] {
            let bomb = workspace.write(name, bytes);
            let err = fail(3, &["stats", &bomb]);
            assert!(
                err.contains("unpacks to more than 1000 times its size"),
                "{err}"
            );
            assert!(err.contains(&bomb) && err.contains("--any-ratio"), "{err}");
            let Run { code, err, .. } = run(&["stats", &bomb, "--any-ratio"]);
            assert_eq!(code, Some(0), "{name}: {err}");
            // Standard input has the same limit.
            let line = "ninesixty stats - < $0";
            let Run { code, err, .. } = shell(line).arg(&bomb).output().unwrap().into();
            assert_eq!(code, Some(3), "{name}: {err}");
        }
        // What comes before counts, if that is wanted, but for the last of 20 games: nothing shows where it ends.
        let bomb = workspace.path("zeros.pgn.zst");
        let Run { code, err, .. } = run(&["stats", &bomb, "--keep-going"]);
        assert_eq!(code, Some(3), "{err}");
        assert!(err.contains("19 counted"), "{err}");
    }

    #[test]
    fn what_is_not_a_ledger_is_refused_by_its_first_line() {
        let workspace = Workspace::new();
        // A file with a hole, larger than any memory.
        let hole = workspace.path("hole");
        fs::File::create(&hole).unwrap().set_len(1 << 43).unwrap();
        for (line, code) in [
            ("ninesixty merge /dev/zero", 3),
            ("ninesixty merge $0", 3),
            ("ninesixty perft 518 --depth 1 --ledger $0", 3),
            ("ninesixty perft 518 --depth 1 --ledger /dev/zero", 2),
        ] {
            // Without the limit, a failure would take all memory of the machine.
            let line = format!("ulimit -v {}; {line}", 2 << 20);
            let Run {
                code: found, err, ..
            } = shell(&line).arg(&hole).output().unwrap().into();
            assert_eq!(found, Some(code), "{line}: {err}");
            assert!(
                err.contains("ledger") && !err.contains("out of memory"),
                "{line}: {err}"
            );
        }
    }
}
