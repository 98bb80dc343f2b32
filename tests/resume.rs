//! The promise: a job that is killed, stopped, split into shards or resumed from a damaged ledger gives a table with the
//! same bytes, or an error that says why there is none.

mod common;
#[path = "common/signals.rs"]
mod signals;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use common::{Run, run, shell};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use sha2::{Digest, Sha256};
use signals::wait_for_signal_handlers;
use tempfile::{TempDir, tempdir};

/// A job that takes some seconds, a short one, and one that would take years.
const LONG: [&str; 4] = ["perft", "sample:20", "--depth", "6"];
const SHORT: [&str; 4] = ["perft", "sample:6", "--depth", "3"];
const ENDLESS: [&str; 4] = ["perft", "518", "--depth", "12"];

/// A temporary directory with a ledger and an output file.
struct Workspace {
    directory: TempDir,
    ledger: String,
    table: String,
}

impl Workspace {
    fn new() -> Workspace {
        let directory = tempdir().unwrap();
        let path = |name| directory.path().join(name).to_str().unwrap().to_owned();
        Workspace {
            ledger: path("run.jsonl"),
            table: path("table.csv"),
            directory,
        }
    }

    /// The arguments of a job with this ledger.
    fn flags<'a>(&'a self, job: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
        let csv = ["--format", "csv", "--ledger", &self.ledger];
        [job, &csv, more].concat()
    }

    fn count(&self, job: &[&str], more: &[&str]) -> Run {
        run(&self.flags(job, more))
    }

    /// Starts the job in the background.
    fn spawn(&self, job: &[&str], more: &[&str]) -> Child {
        Command::new(cargo_bin!("ninesixty"))
            .args(self.flags(job, more))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.ledger).unwrap_or_default()
    }

    /// Waits until the ledger has this many lines.
    fn wait_for_lines(&self, lines: usize) {
        let started = Instant::now();
        let written = || self.bytes().iter().filter(|&&byte| byte == b'\n').count();
        while written() < lines {
            assert!(
                started.elapsed() < Duration::from_secs(1_800),
                "no {lines} lines"
            );
            sleep(Duration::from_millis(1));
        }
    }

    fn names(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.directory).unwrap();
        let mut names: Vec<PathBuf> = entries
            .map(|entry| entry.unwrap().file_name().into())
            .collect();
        names.sort_unstable();
        names
    }
}

/// The table of a job in a single run without a ledger.
fn single_run(job: &[&str]) -> String {
    succeed(&[job, &["--format", "csv"]].concat())
}

/// Runs a command that has to succeed; returns its output.
fn succeed(args: &[&str]) -> String {
    let Run { code, out, err } = run(args);
    assert_eq!(code, Some(0), "{args:?}: {err}");
    out
}

/// Runs a command that has to fail with this code and print no data; returns its message.
fn fail(code: i32, args: &[&str]) -> String {
    let Run {
        code: found,
        out,
        err,
    } = run(args);
    assert_eq!((found, out.as_str()), (Some(code), ""), "{args:?}: {err}");
    err
}

/// A line of a ledger with a count that is one too high and a valid checksum.
fn miscounted(identity: &str, line: &str) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    let counts = record["output"]["nodes"].as_array_mut().unwrap();
    let last = counts.last_mut().unwrap();
    let nodes: u64 = last.as_str().unwrap().parse().unwrap();
    *last = (nodes + 1).to_string().into();
    with_checksum(identity, &record["task"], &record["output"])
}

/// A line of a ledger with its checksum: the first half of the SHA-256 of the identity and the rest of the line.
fn with_checksum(identity: &str, task: &Value, output: &Value) -> String {
    let body = format!(r#"{{"task":{task},"name":{task},"output":{output}"#);
    let sum = digest(&format!("{identity}\n{body}"));
    format!("{body},\"sum\":\"{sum}\"}}\n")
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text);
    let bytes = digest[..16].iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of everything that decides the results in a ledger, from its header.
fn identity_of(ledger: &str) -> String {
    let header = ledger.lines().next().unwrap();
    let (_, rest) = header.split_once("\"settings\":").unwrap();
    let (settings, _) = rest.split_once(",\"version\"").unwrap();
    digest(&format!("perft\n1\n{settings}"))
}

mod interruption {
    use super::*;

    #[test]
    fn resume_after_kill_gives_the_same_bytes() {
        let expected = single_run(&LONG);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        for resumed_with in [
            &["--hash", "16M"][..],
            &["--hash", "16M", "--threads", "1"],
            &["--hash", "16M", "--seed", "7"],
            &["--hash", "1M"],
            &["--hash", "off", "--threads", "8"],
        ] {
            let workspace = loop {
                let workspace = Workspace::new();
                let mut child = workspace.spawn(&LONG, &["--hash", "16M", "--threads", "2"]);
                // The header is the first line.
                workspace.wait_for_lines(random.random_range(2..10));
                sleep(Duration::from_micros(random.random_range(0..20_000)));
                child.kill().unwrap();
                let ended = child.wait_with_output().unwrap();
                // On a busy machine the run may end before it is killed.
                if !ended.status.success() {
                    assert_eq!((ended.status.signal(), ended.stdout), (Some(9), vec![]));
                    break workspace;
                }
            };

            let Run { code, out, err } = workspace.count(&LONG, resumed_with);
            assert_eq!(code, Some(0), "{resumed_with:?}: {err}");
            assert!(
                err.contains("of 20 positions are already finished"),
                "{err}"
            );
            assert_eq!(out, expected, "{resumed_with:?}");
        }
    }

    /// Long enough for a busy machine: a run that ignores the signal would never end.
    const TIMEOUT: Duration = Duration::from_secs(300);

    #[test]
    fn a_run_stopped_by_a_signal_resumes_to_the_same_bytes() {
        let expected = single_run(&LONG);
        for (signal, name, code) in [(Signal::INT, "SIGINT", 130), (Signal::TERM, "SIGTERM", 143)] {
            for (lines, hash) in [(1, "16M"), (4, "off")] {
                let (workspace, ended) = loop {
                    let workspace = Workspace::new();
                    let flags = ["--hash", hash, "--quiet", "--output", &workspace.table];
                    let child = workspace.spawn(&LONG, &[&flags[..], &["--threads", "2"]].concat());
                    workspace.wait_for_lines(lines);
                    let (ended, _) = send_signal(child, signal);
                    // The run may end before the signal arrives.
                    if ended.code != Some(0) {
                        break (workspace, ended);
                    }
                };
                let flags = ["--hash", hash, "--quiet", "--output", &workspace.table];
                assert_eq!(
                    (ended.code, ended.out.as_str()),
                    (Some(code), ""),
                    "{ended:?}"
                );
                let Workspace { ledger, .. } = &workspace;
                let start = format!("stopped by {name}; {ledger} holds ");
                // How many positions it holds is left out by a run that a busy machine does not let end in time.
                let end = ": run the same command again to continue\n";
                assert!(ended.err.starts_with(&start), "{}", ended.err);
                assert!(ended.err.ends_with(end), "{}", ended.err);
                assert_eq!(workspace.names(), [Path::new("run.jsonl")]);

                let Run { code, out, err } = workspace.count(&LONG, &flags);
                assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", ""));
                assert_eq!(fs::read_to_string(&workspace.table).unwrap(), expected);
                assert_eq!(workspace.names(), ["run.jsonl", "table.csv"].map(Path::new));
            }
        }
    }

    #[test]
    fn signals_stop_every_method_of_counting() {
        for options in [
            &["--hash", "64M"][..],
            &["--hash", "64M", "--threads", "1"],
            &["--hash", "off"],
            &["--hash", "off", "--threads", "1"],
            &["--unique", "--hash", "1G"],
            &["--breakdown"],
            &["--divide"],
        ] {
            let (Run { code, out, err }, _) = send_signal(spawn_endless(options), Signal::INT);
            assert_eq!((code, out.as_str()), (Some(130), ""), "{options:?}: {err}");
            assert!(err.starts_with("stopped by SIGINT"), "{options:?}: {err}");
        }
    }

    /// One of ten attempts has to be in time, because the machine may be busy.
    #[test]
    fn signals_end_a_run_within_2_seconds() {
        for signal in [Signal::INT, Signal::TERM] {
            let took = |_| send_signal(spawn_endless(&["--hash", "64M"]), signal).1;
            let in_time = (0..10)
                .map(took)
                .find(|time| *time < Duration::from_secs(2));
            assert!(in_time.is_some(), "{signal:?}");
        }
    }

    /// An endless count that has started and handles signals.
    fn spawn_endless(options: &[&str]) -> Child {
        let child = Command::new(cargo_bin!("ninesixty"))
            .args([&ENDLESS[..], options].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for_signal_handlers(&child);
        sleep(Duration::from_millis(300));
        child
    }

    /// Sends a signal; returns how the process ended and how long that took.
    fn send_signal(child: Child, signal: Signal) -> (Run, Duration) {
        let sent = Instant::now();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let ended = child.wait_with_output().unwrap();
        let time = sent.elapsed();
        assert!(time < TIMEOUT, "{time:?}");
        (ended.into(), time)
    }
}

mod shards {
    use super::*;

    /// Runs all shards of a job; returns their ledgers.
    fn ledgers_of(job: &[&str], count: usize) -> (Vec<Workspace>, Vec<String>) {
        let workspaces: Vec<Workspace> = (0..count).map(|_| Workspace::new()).collect();
        for (workspace, index) in workspaces.iter().zip(1..) {
            let shard = format!("{index}/{count}");
            let Run { code, out, err } = workspace.count(job, &["--shard", &shard]);
            assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
            assert!(err.contains("shard complete"), "{err}");
        }
        let paths = workspaces
            .iter()
            .map(|workspace| workspace.ledger.clone())
            .collect();
        (workspaces, paths)
    }

    fn merge<'a>(ledgers: impl IntoIterator<Item = &'a String>, format: &'a str) -> Run {
        let mut args = vec!["merge", "--format", format];
        args.extend(ledgers.into_iter().map(String::as_str));
        run(&args)
    }

    #[test]
    fn merged_shards_give_the_bytes_of_a_single_run() {
        for job in [
            &["perft", "sample:10", "--depth", "4"][..],
            &["perft", "sample:4", "--depth", "3", "--unique"],
            &["perft", "sample:4", "--depth", "3", "--breakdown"],
            &["perft", "518/0,0-2,0/518", "--depth", "2"],
            &["perft", "--epd", "data/tricky.epd", "--depth", "2"],
        ] {
            let (_workspaces, paths) = ledgers_of(job, 3);
            for format in ["csv", "json", "text"] {
                let single = succeed(&[job, &["--format", format]].concat());
                for order in [[0, 1, 2], [2, 0, 1]] {
                    let Run { code, out, err } = merge(order.map(|i| &paths[i]), format);
                    assert_eq!((code, err.as_str()), (Some(0), ""), "{job:?}");
                    assert_eq!(out, single, "{job:?}");
                }
                let twice = merge(paths.iter().chain(&paths[..1]), format);
                assert_eq!((twice.code, twice.out), (Some(0), single), "{job:?}");
            }
        }
    }

    #[test]
    fn a_position_merges_under_any_name() {
        let classical = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let ending = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
        for position in [&["--fen", classical][..], &["--fen", ending], &["518"]] {
            let job = [&["perft", "--depth", "2"], position].concat();
            let workspace = Workspace::new();
            let out = workspace.count(&job, &["--shard", "1/1"]).out;
            assert_eq!(out, single_run(&job));
            assert_eq!(merge([&workspace.ledger], "csv").out, out);
        }
    }

    #[test]
    fn merging_refuses_results_that_epd_cannot_hold() {
        for (count, named) in [
            ("--unique", "distinct positions"),
            ("--breakdown", "a breakdown"),
        ] {
            let job = ["perft", "0-1", "--depth", "2", count];
            let workspace = Workspace::new();
            workspace.count(&job, &[]);
            for args in [&job[..], &["merge", &workspace.ledger]] {
                let message = fail(2, &[args, &["--format", "epd"]].concat());
                assert_eq!(message, format!("error: EPD cannot hold {named}\n"));
            }
        }
    }

    #[test]
    fn missing_tasks_exit_with_1_and_are_named() {
        let (_workspaces, paths) = ledgers_of(&SHORT, 3);
        let table = single_run(&SHORT);
        let merged = merge([&paths[0], &paths[2]], "csv");
        assert_eq!((merged.code, merged.out.as_str()), (Some(1), ""));
        let ledger = fs::read_to_string(&paths[1]).unwrap();
        let missing = table.lines().skip(1).filter_map(|row| {
            let id = row.split(',').next()?;
            ledger
                .contains(&format!("{{\"task\":\"{id}\""))
                .then_some(id)
        });
        let missing: Vec<&str> = missing.collect();
        let expected = format!("2 of 6 positions are missing: {}\n", missing.join(", "));
        assert_eq!(merged.err, expected);
    }

    #[test]
    fn other_settings_exit_with_2_and_the_difference_is_named() {
        let workspace = Workspace::new();
        workspace.count(&SHORT, &[]);
        let before = workspace.bytes();
        for (other, difference) in [
            (
                &["perft", "sample:6", "--depth", "4"][..],
                "depth is 3 there and 4 here",
            ),
            (
                &["perft", "sample:6", "--depth", "3", "--unique"],
                r#"kind is "nodes" there and "unique" here"#,
            ),
        ] {
            let message = fail(2, &workspace.flags(other, &[]));
            assert!(message.contains(difference), "{message}");
            assert_eq!(workspace.bytes(), before);

            let elsewhere = Workspace::new();
            elsewhere.count(other, &[]);
            let merged = merge([&elsewhere.ledger, &workspace.ledger], "csv");
            assert_eq!((merged.code, merged.out.as_str()), (Some(2), ""));
            assert!(merged.err.contains(difference), "{}", merged.err);
        }
    }

    #[test]
    fn a_larger_selection_counts_only_the_new_positions() {
        let workspace = Workspace::new();
        workspace.count(&["perft", "0-2", "--depth", "3"], &[]);
        let before = workspace.bytes();
        let larger = ["perft", "0-5,518", "--depth", "3"];
        let Run { code, out, err } = workspace.count(&larger, &[]);
        assert_eq!(
            (code, out.as_str()),
            (Some(0), single_run(&larger).as_str())
        );
        assert!(
            err.contains("3 of 7 positions are already finished"),
            "{err}"
        );
        let after = workspace.bytes();
        assert!(after.starts_with(&before));
        let lines = after.iter().filter(|&&byte| byte == b'\n').count();
        // The header, two runs and seven positions.
        assert_eq!(lines, 1 + 2 + 7);
        // The same position under another name is not counted again.
        let classical = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 3 7";
        let by_fen = ["perft", "--fen", classical, "--depth", "3"];
        let Run { out, err, .. } = workspace.count(&by_fen, &[]);
        assert_eq!(out, single_run(&by_fen));
        assert!(
            err.contains("1 of 1 positions are already finished"),
            "{err}"
        );
    }

    #[test]
    fn ledgers_of_different_selections_merge_into_one_table() {
        let [one, other] = [Workspace::new(), Workspace::new()];
        one.count(&["perft", "0-3", "--depth", "3"], &[]);
        other.count(&["perft", "2-5", "--depth", "3"], &[]);
        let merged = merge([&one.ledger, &other.ledger], "csv");
        assert_eq!(merged.code, Some(0), "{}", merged.err);
        assert_eq!(merged.out, single_run(&["perft", "0-5", "--depth", "3"]));
    }

    #[test]
    fn a_ledger_belongs_to_one_shard() {
        let workspace = Workspace::new();
        workspace.count(&SHORT, &["--shard", "1/3"]);
        let before = workspace.bytes();
        let message = fail(2, &workspace.flags(&SHORT, &["--shard", "2/3"]));
        assert!(
            message.contains("belongs to shard 1/3 and not to shard 2/3"),
            "{message}"
        );
        assert_eq!(workspace.bytes(), before);
        // A run without --shard may continue it.
        assert_eq!(workspace.count(&SHORT, &[]).out, single_run(&SHORT));
    }

    #[test]
    fn a_ledger_of_format_1_exits_with_3_and_says_what_to_do() {
        let workspace = Workspace::new();
        // The header of a ledger of format 1.
        let old = r#"{"schema":"ninesixty.ledger/1","version":"0.1.0","plan":"796432176256e4c96547c3e0751f655f","description":{"count":"sequences","depth":"3","positions":"sample:6","verb":"perft","version":"0.1.0"},"tasks":["0"],"sum":"0"}"#;
        fs::write(&workspace.ledger, format!("{old}\n")).unwrap();
        for args in [
            workspace.flags(&SHORT, &[]),
            vec!["merge", &workspace.ledger],
        ] {
            let message = fail(3, &args);
            assert!(message.contains("ninesixty.ledger/1"), "{message}");
            assert!(message.contains("start a new ledger"), "{message}");
        }
    }

    #[test]
    fn conflicting_counts_exit_with_3_and_name_the_position_and_both_ledgers() {
        let [workspace, other] = [Workspace::new(), Workspace::new()];
        workspace.count(&SHORT, &[]);
        let text = fs::read_to_string(&workspace.ledger).unwrap();
        let line = text.lines().nth(2).unwrap();
        let task: Value = serde_json::from_str::<Value>(line).unwrap()["task"].clone();
        let wrong = miscounted(&identity_of(&text), line);
        fs::write(&other.ledger, text.replace(&format!("{line}\n"), &wrong)).unwrap();
        let Run { code, out, err } = merge([&workspace.ledger, &other.ledger], "csv");
        assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
        for named in [&task.to_string(), &workspace.ledger, &other.ledger] {
            assert!(err.contains(named), "{err}");
        }

        fs::write(&other.ledger, text + &wrong).unwrap();
        for args in [other.flags(&SHORT, &[]), vec!["merge", &other.ledger]] {
            let message = fail(3, &args);
            assert!(message.contains("line 9 has another result"), "{message}");
        }
    }

    #[test]
    fn auto_takes_the_shard_from_an_array_job() {
        let slurm = |id| {
            let ids = ["ID", "COUNT", "MIN"].map(|name| format!("SLURM_ARRAY_TASK_{name}"));
            ids.into_iter().zip([id, "3", "0"]).collect::<Vec<_>>()
        };
        let kubernetes = |index| {
            let names = ["INDEX", "COUNT"].map(|name| format!("JOB_COMPLETION_{name}"));
            names.into_iter().zip([index, "3"]).collect::<Vec<_>>()
        };
        let (_workspaces, named) = ledgers_of(&SHORT, 3);
        for (index, ledger) in ["0", "1", "2"].into_iter().zip(&named) {
            for environment in [slurm(index), kubernetes(index)] {
                let workspace = Workspace::new();
                let ended = in_array_job(&workspace, environment);
                assert_eq!(ended.code, Some(0), "{}", ended.err);
                let sorted = |bytes: Vec<u8>| {
                    let text = String::from_utf8(bytes).unwrap();
                    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                    lines.sort_unstable();
                    lines
                };
                assert_eq!(sorted(workspace.bytes()), sorted(fs::read(ledger).unwrap()));
            }
        }
    }

    #[test]
    fn auto_outside_an_array_job_exits_with_2_and_names_the_missing_variable() {
        for (environment, missing) in [
            (
                &[][..],
                "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set",
            ),
            (
                &[("SLURM_ARRAY_TASK_ID", "1")],
                "SLURM_ARRAY_TASK_COUNT is not",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "1")],
                "JOB_COMPLETION_COUNT is not",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "3"), ("JOB_COMPLETION_COUNT", "3")],
                "there is no shard 4 of 3",
            ),
        ] {
            let workspace = Workspace::new();
            let environment = environment
                .iter()
                .map(|&(name, value)| (name.to_owned(), value));
            let ended = in_array_job(&workspace, environment);
            assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
            assert!(ended.err.contains(missing), "{}", ended.err);
            assert!(workspace.names().is_empty());
        }
        let message = fail(2, &["perft", "0", "--depth", "1", "--shard", "1/2"]);
        assert!(message.contains("--ledger <FILE>"), "{message}");
    }

    fn in_array_job<'a>(
        workspace: &Workspace,
        environment: impl IntoIterator<Item = (String, &'a str)>,
    ) -> Run {
        let mut command = Command::new(cargo_bin!("ninesixty"));
        for name in [
            "SLURM_ARRAY_TASK_ID",
            "SLURM_ARRAY_TASK_COUNT",
            "SLURM_ARRAY_TASK_MIN",
            "JOB_COMPLETION_INDEX",
            "JOB_COMPLETION_COUNT",
        ] {
            command.env_remove(name);
        }
        command
            .args(workspace.flags(&SHORT, &["--shard", "auto"]))
            .envs(environment)
            .output()
            .unwrap()
            .into()
    }
}

mod damage {
    use super::*;

    /// A finished ledger and its table.
    fn finished() -> (Workspace, String) {
        let workspace = Workspace::new();
        let table = workspace.count(&SHORT, &[]).out;
        assert_eq!(table, single_run(&SHORT));
        (workspace, table)
    }

    #[test]
    fn a_ledger_cut_at_any_byte_of_its_last_two_lines_gives_the_same_table() {
        let (workspace, table) = finished();
        let whole = workspace.bytes();
        let lines = whole.split_inclusive(|&byte| byte == b'\n').rev();
        let last_two: usize = lines.take(2).map(<[u8]>::len).sum();
        assert!((100..300).contains(&last_two));
        for cut in whole.len() - last_two..=whole.len() {
            fs::write(&workspace.ledger, &whole[..cut]).unwrap();
            let Run { code, out, err } = workspace.count(&SHORT, &[]);
            assert_eq!(code, Some(0), "cut at {cut}: {err}");
            assert_eq!(out, table, "cut at {cut}");
            let is_torn = whole[cut - 1] != b'\n';
            assert_eq!(
                err.contains("the last line was incomplete"),
                is_torn,
                "{err}"
            );
            assert_eq!(workspace.bytes().len(), whole.len(), "cut at {cut}");
        }
    }

    #[test]
    fn a_flipped_bit_gives_the_same_table_or_an_error() {
        let (workspace, table) = finished();
        let whole = workspace.bytes();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        let mut refusals = 0;
        for _ in 0..100 {
            let bit = random.random_range(0..whole.len() * 8);
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&workspace.ledger, &damaged).unwrap();
            let merged = run(&["merge", &workspace.ledger, "--format", "csv"]);
            assert!(matches!(merged.code, Some(1 | 3)), "bit {bit}: {merged:?}");
            assert_eq!(merged.out, "", "bit {bit}");

            let Run { code, out, err } = workspace.count(&SHORT, &[]);
            if code == Some(0) {
                assert_eq!(out, table, "bit {bit}");
                continue;
            }
            refusals += 1;
            assert_eq!((code, out.as_str()), (Some(3), ""), "bit {bit}: {err}");
            assert!(err.contains(&workspace.ledger), "{err}");
            assert_eq!(workspace.bytes(), damaged, "bit {bit}");
        }
        assert!((10..100).contains(&refusals), "{refusals}");
    }

    #[test]
    fn an_output_that_does_not_fit_its_task_exits_with_3() {
        let (workspace, _) = finished();
        let text = fs::read_to_string(&workspace.ledger).unwrap();
        let line = text.lines().last().unwrap();
        let task = &serde_json::from_str::<Value>(line).unwrap()["task"];
        for output in [
            serde_json::json!({"nodes": ["20", "400"]}),
            serde_json::json!({"nodes": ["20", "400", "8902", "197281"]}),
            serde_json::json!({"nodes": ["20", "400", "many"]}),
            serde_json::json!({"nodes": [20, 400, 8902]}),
            serde_json::json!({"unique": ["20", "400", "5362"]}),
            serde_json::json!(null),
        ] {
            let forged = with_checksum(&identity_of(&text), task, &output);
            fs::write(
                &workspace.ledger,
                text.replace(&format!("{line}\n"), &forged),
            )
            .unwrap();
            for args in [
                workspace.flags(&SHORT, &[]),
                vec!["merge", &workspace.ledger],
            ] {
                let message = fail(3, &args);
                let task = task.as_str().unwrap();
                assert!(message.contains(task), "{message}");
            }
        }
    }
}

mod ledger {
    use super::*;

    #[test]
    fn a_full_disk_exits_with_4_and_the_ledger_can_be_resumed() {
        let job = ["perft", "sample:40", "--depth", "3"];
        let expected = single_run(&job);
        for blocks in [0, 1, 2] {
            let workspace = Workspace::new();
            let line = format!(
                "ulimit -f {blocks}; ninesixty {} --ledger \"$0\"",
                job.join(" ")
            );
            let full: Run = shell(&line).arg(&workspace.ledger).output().unwrap().into();
            assert_eq!((full.code, full.out.as_str()), (Some(4), ""), "{full:?}");
            let message = format!("the ledger {}: File too large", workspace.ledger);
            assert!(full.err.contains(&message), "{}", full.err);
            assert_eq!(workspace.bytes().len(), blocks * 1024);

            let Run { code, out, err } = workspace.count(&job, &[]);
            assert_eq!((code, out.as_str()), (Some(0), expected.as_str()), "{err}");
            let has_results = err.contains("of 40 positions are already finished");
            assert_eq!(has_results, blocks > 0, "{err}");
        }
    }

    #[test]
    fn a_ledger_that_is_not_a_regular_file_exits_with_2() {
        for path in ["/dev/full", "data"] {
            let args = [&SHORT[..], &["--ledger", path]].concat();
            let message = fail(2, &args);
            assert!(
                message.contains(&format!("{path} is not a regular file")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_ledger_in_use_exits_with_4_and_its_owner_continues() {
        let workspace = Workspace::new();
        let mut first = workspace.spawn(&ENDLESS, &["--hash", "16M"]);
        workspace.wait_for_lines(1);
        let Run { code, out, err } = workspace.count(&ENDLESS, &[]);
        // Killed before the assertions, so that no endless process is left.
        let ended = first.try_wait();
        first.kill().unwrap();
        first.wait().unwrap();
        assert_eq!((code, out.as_str()), (Some(4), ""), "{err}");
        assert!(err.contains("is in use by another process"), "{err}");
        assert!(ended.unwrap().is_none());
        // The lock is released with the process.
        assert!(fail(2, &workspace.flags(&SHORT, &[])).contains("different settings"));
    }

    #[test]
    fn an_output_never_overwrites_its_ledger() {
        let workspace = Workspace::new();
        let Workspace { ledger, .. } = &workspace;
        workspace.count(&SHORT, &[]);
        let before = workspace.bytes();
        let other_path = workspace.directory.path().join(".").join("run.jsonl");
        for path in [ledger, other_path.to_str().unwrap()] {
            for args in [workspace.flags(&SHORT, &[]), vec!["merge", ledger]] {
                let message = fail(2, &[&args[..], &["--output", path]].concat());
                assert!(message.contains(ledger), "{message}");
                assert_eq!(workspace.bytes(), before);
            }
        }
        let new = Workspace::new();
        fail(2, &new.flags(&SHORT, &["--output", &new.ledger]));
    }
}

mod options {
    use super::*;

    #[test]
    fn the_table_does_not_depend_on_memory_seed_or_threads() {
        let job = ["perft", "sample:6", "--depth", "5"];
        let expected = single_run(&[&job[..], &["--hash", "off"]].concat());
        for options in [
            &[][..],
            &["--hash", "1M"],
            &["--hash", "1K"],
            &["--seed", "2"],
            &["--seed", "18446744073709551615"],
            &["--threads", "1"],
            &["--threads", "2"],
            &["--threads", "8"],
            &["--threads", "8", "--hash", "1M", "--seed", "2"],
        ] {
            assert_eq!(
                single_run(&[&job[..], options].concat()),
                expected,
                "{options:?}"
            );
        }
    }

    #[test]
    fn a_check_recounts_with_other_methods_and_agrees() {
        let Run { code, err, .. } = run(&["perft", "sample:5", "--depth", "4", "--check", "3"]);
        assert_eq!(code, Some(0));
        // 3 positions times 4 depths times 3 methods: with another seed, without merging, and by shakmaty.
        let summary = "checked 3 positions, 36 counts in all: 0 differ\n";
        assert!(err.ends_with(summary), "{err}");
    }

    #[test]
    fn a_check_finds_a_wrong_count() {
        let workspace = Workspace::new();
        workspace.count(&["perft", "518", "--depth", "4"], &[]);
        let text = fs::read_to_string(&workspace.ledger).unwrap();
        let line = text.lines().nth(2).unwrap();
        let wrong = miscounted(&identity_of(&text), line);
        fs::write(
            &workspace.ledger,
            text.replace(&format!("{line}\n"), &wrong),
        )
        .unwrap();
        let job = ["perft", "518", "--depth", "4"];
        let Run { code, err, .. } = workspace.count(&job, &["--check", "1", "--quiet"]);
        assert_eq!(code, Some(1));
        let line = |method| format!("518, depth 4: counted 197282, but 197281 {method}\n");
        let methods = ["with another seed", "without merging", "by shakmaty"];
        assert_eq!(err, methods.map(line).concat());
    }

    #[test]
    fn a_check_of_a_shard_is_refused() {
        let workspace = Workspace::new();
        let flags = ["--shard", "1/2", "--check", "1"];
        let message = fail(2, &workspace.flags(&SHORT, &flags));
        assert!(message.contains("--check"), "{message}");
    }

    /// The number of distinct positions after 1 to 5 plies, OEIS A083276.
    const DISTINCT: &str = ",20,400,5362,72078,822518\n";

    #[test]
    fn unique_counts_match_oeis_a083276() {
        let job = ["perft", "518", "--depth", "5", "--unique"];
        for options in [
            &[][..],
            &["--hash", "off"],
            &["--seed", "2", "--threads", "1"],
        ] {
            let table = single_run(&[&job[..], options].concat());
            assert!(
                table.starts_with("id,back_rank,fen,u1,u2,u3,u4,u5\n"),
                "{table}"
            );
            assert!(table.ends_with(DISTINCT), "{table}");
        }
        let message = fail(4, &[&job[..], &["--hash", "1M"]].concat());
        assert!(message.contains("do not fit into the memory"), "{message}");
        assert!(message.contains("--hash"), "{message}");
    }
}
