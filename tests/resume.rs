//! The promise: a long count may end at any moment, be cut into shards and have its ledger damaged, and the table
//! is still the same to the last byte, or there is none and a message that says why.

mod common;

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
use tempfile::{TempDir, tempdir};

/// A count that takes a while, a short one, and one that nobody will live to see the end of.
const LONG: [&str; 4] = ["perft", "sample:20", "--depth", "6"];
const SHORT: [&str; 4] = ["perft", "sample:6", "--depth", "3"];
const ENDLESS: [&str; 4] = ["perft", "518", "--depth", "12"];

/// A directory with a ledger in it, and whatever else a run leaves there.
struct Place {
    directory: TempDir,
    ledger: String,
    table: String,
}

impl Place {
    fn new() -> Place {
        let directory = tempdir().unwrap();
        let path = |name| directory.path().join(name).to_str().unwrap().to_owned();
        Place {
            ledger: path("run.jsonl"),
            table: path("table.csv"),
            directory,
        }
    }

    /// The flags to count with this ledger.
    fn flags<'a>(&'a self, job: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
        let csv = ["--format", "csv", "--ledger", &self.ledger];
        [job, &csv, more].concat()
    }

    fn count(&self, job: &[&str], more: &[&str]) -> Run {
        run(&self.flags(job, more))
    }

    /// The same, begun and left alone.
    fn begin(&self, job: &[&str], more: &[&str]) -> Child {
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

    /// Waits until the ledger has so many lines.
    fn wait_for(&self, lines: usize) {
        let begun = Instant::now();
        let written = || self.bytes().iter().filter(|&&byte| byte == b'\n').count();
        while written() < lines {
            assert!(
                begun.elapsed() < Duration::from_secs(1_800),
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

/// The table of a job that nothing gets in the way of.
fn undisturbed(job: &[&str]) -> String {
    done(&[job, &["--format", "csv"]].concat())
}

fn done(args: &[&str]) -> String {
    let Run { code, out, err } = run(args);
    assert_eq!(code, Some(0), "{args:?}: {err}");
    out
}

/// The message of a run that must fail with this code and print no data.
fn refused(code: i32, args: &[&str]) -> String {
    let Run {
        code: found,
        out,
        err,
    } = run(args);
    assert_eq!((found, out.as_str()), (Some(code), ""), "{args:?}: {err}");
    err
}

/// A line of a ledger with the count of the last ply one too high, under a checksum that is right.
fn miscounted(identity: &str, line: &str) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    let counts = record["output"]["nodes"].as_array_mut().unwrap();
    let last = counts.last_mut().unwrap();
    let nodes: u64 = last.as_str().unwrap().parse().unwrap();
    *last = (nodes + 1).to_string().into();
    sealed(identity, &record["task"], &record["output"])
}

/// A line of a ledger with its checksum, which is the first half of the SHA-256 of the identity and what stands before.
fn sealed(identity: &str, task: &Value, output: &Value) -> String {
    let body = format!(r#"{{"task":{task},"name":{task},"output":{output}"#);
    let sum = digest(&format!("{identity}\n{body}"));
    format!("{body},\"sum\":\"{sum}\"}}\n")
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text);
    let bytes = digest[..16].iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of what decides the results in a ledger, as its header says it.
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
        let expected = undisturbed(&LONG);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        for resumed_with in [
            &["--hash", "16M"][..],
            &["--hash", "16M", "--threads", "1"],
            &["--hash", "16M", "--seed", "7"],
            &["--hash", "1M"],
            &["--hash", "off", "--threads", "8"],
        ] {
            let place = loop {
                let place = Place::new();
                let mut child = place.begin(&LONG, &["--hash", "16M", "--threads", "2"]);
                // The header is the first line.
                place.wait_for(random.random_range(2..10));
                sleep(Duration::from_micros(random.random_range(0..20_000)));
                child.kill().unwrap();
                let ended = child.wait_with_output().unwrap();
                // On a busy machine the run may have ended before we came to kill it.
                if !ended.status.success() {
                    assert_eq!((ended.status.signal(), ended.stdout), (Some(9), vec![]));
                    break place;
                }
            };

            let Run { code, out, err } = place.count(&LONG, resumed_with);
            assert_eq!(code, Some(0), "{resumed_with:?}: {err}");
            assert!(
                err.contains("of 20 positions are already finished"),
                "{err}"
            );
            assert_eq!(out, expected, "{resumed_with:?}");
        }
    }

    /// On a busy machine it may take a while; a run that does not listen would never end.
    const PATIENCE: Duration = Duration::from_secs(300);

    #[test]
    fn signals_end_a_run_that_goes_on_to_the_same_bytes() {
        let expected = undisturbed(&LONG);
        for (signal, name, code) in [(Signal::INT, "SIGINT", 130), (Signal::TERM, "SIGTERM", 143)] {
            for (lines, hash) in [(1, "16M"), (4, "off")] {
                let (place, ended) = loop {
                    let place = Place::new();
                    let flags = ["--hash", hash, "--quiet", "--output", &place.table];
                    let child = place.begin(&LONG, &[&flags[..], &["--threads", "2"]].concat());
                    place.wait_for(lines);
                    let (ended, _) = end(child, signal);
                    // It may have been done before the signal came.
                    if ended.code != Some(0) {
                        break (place, ended);
                    }
                };
                let flags = ["--hash", hash, "--quiet", "--output", &place.table];
                assert_eq!(
                    (ended.code, ended.out.as_str()),
                    (Some(code), ""),
                    "{ended:?}"
                );
                let Place { ledger, .. } = &place;
                let told = format!("stopped by {name}; {ledger} holds ");
                let how = "of 20 positions: run the same command again to continue\n";
                assert!(ended.err.starts_with(&told), "{}", ended.err);
                assert!(ended.err.ends_with(how), "{}", ended.err);
                assert_eq!(place.names(), [Path::new("run.jsonl")]);

                let Run { code, out, err } = place.count(&LONG, &flags);
                assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", ""));
                assert_eq!(fs::read_to_string(&place.table).unwrap(), expected);
                assert_eq!(place.names(), ["run.jsonl", "table.csv"].map(Path::new));
            }
        }
    }

    #[test]
    fn every_way_of_counting_one_position_listens_to_signals() {
        for way in [
            &["--hash", "64M"][..],
            &["--hash", "64M", "--threads", "1"],
            &["--hash", "off"],
            &["--hash", "off", "--threads", "1"],
            &["--unique", "--hash", "1G"],
            &["--breakdown"],
            &["--divide"],
        ] {
            let (Run { code, out, err }, _) = end(begin_endless(way), Signal::INT);
            assert_eq!((code, out.as_str()), (Some(130), ""), "{way:?}: {err}");
            assert!(err.starts_with("stopped by SIGINT"), "{way:?}: {err}");
        }
    }

    /// A machine that has no time may be late once, but not every time.
    #[test]
    fn signals_end_a_run_within_2_seconds() {
        for signal in [Signal::INT, Signal::TERM] {
            let took = |_| end(begin_endless(&["--hash", "64M"]), signal).1;
            let soonest = (0..10)
                .map(took)
                .find(|time| *time < Duration::from_secs(2));
            assert!(soonest.is_some(), "{signal:?}");
        }
    }

    /// A count without end that has begun and listens.
    fn begin_endless(way: &[&str]) -> Child {
        let child = Command::new(cargo_bin!("ninesixty"))
            .args([&ENDLESS[..], way].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for_ears(&child);
        sleep(Duration::from_millis(300));
        child
    }

    /// Waits until the process listens to signals, as the system tells.
    fn wait_for_ears(child: &Child) {
        let begun = Instant::now();
        let caught = || {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            u64::from_str_radix(mask.unwrap().trim(), 16).unwrap()
        };
        let of = |signal: Signal| 1 << (signal.as_raw() - 1);
        while caught() & of(Signal::INT) == 0 || caught() & of(Signal::TERM) == 0 {
            assert!(begun.elapsed() < PATIENCE, "it never listens");
            sleep(Duration::from_millis(5));
        }
    }

    /// Sends a signal, and tells how the process ended and how long that took.
    fn end(child: Child, signal: Signal) -> (Run, Duration) {
        let sent = Instant::now();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let ended = child.wait_with_output().unwrap();
        let time = sent.elapsed();
        assert!(time < PATIENCE, "{time:?}");
        (ended.into(), time)
    }
}

mod shards {
    use super::*;

    /// The ledgers of all shards of a job.
    fn ledgers_of(job: &[&str], count: usize) -> (Vec<Place>, Vec<String>) {
        let places: Vec<Place> = (0..count).map(|_| Place::new()).collect();
        for (place, index) in places.iter().zip(1..) {
            let shard = format!("{index}/{count}");
            let Run { code, out, err } = place.count(job, &["--shard", &shard]);
            assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
            assert!(err.contains("shard complete"), "{err}");
        }
        let paths = places.iter().map(|place| place.ledger.clone()).collect();
        (places, paths)
    }

    fn merge<'a>(ledgers: impl IntoIterator<Item = &'a String>, format: &'a str) -> Run {
        let mut args = vec!["merge", "--format", format];
        args.extend(ledgers.into_iter().map(String::as_str));
        run(&args)
    }

    #[test]
    fn merged_shards_are_the_bytes_of_a_single_run() {
        for job in [
            &["perft", "sample:10", "--depth", "4"][..],
            &["perft", "sample:4", "--depth", "3", "--unique"],
            &["perft", "sample:4", "--depth", "3", "--breakdown"],
            &["perft", "518/0,0-2,0/518", "--depth", "2"],
            &["perft", "--epd", "data/tricky.epd", "--depth", "2"],
        ] {
            let (_places, paths) = ledgers_of(job, 3);
            for format in ["csv", "json", "text"] {
                let single = done(&[job, &["--format", format]].concat());
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
    fn a_single_position_is_merged_whatever_it_is_called() {
        let classical = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let ending = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
        for position in [&["--fen", classical][..], &["--fen", ending], &["518"]] {
            let job = [&["perft", "--depth", "2"], position].concat();
            let place = Place::new();
            let out = place.count(&job, &["--shard", "1/1"]).out;
            assert_eq!(out, undisturbed(&job));
            assert_eq!(merge([&place.ledger], "csv").out, out);
        }
    }

    #[test]
    fn what_epd_cannot_hold_is_not_merged_into_it() {
        for (count, named) in [
            ("--unique", "distinct positions"),
            ("--breakdown", "a breakdown"),
        ] {
            let job = ["perft", "0-1", "--depth", "2", count];
            let place = Place::new();
            place.count(&job, &[]);
            for args in [&job[..], &["merge", &place.ledger]] {
                let message = refused(2, &[args, &["--format", "epd"]].concat());
                let told = format!("error: EPD cannot hold {named}\n");
                assert_eq!(message, told);
            }
        }
    }

    #[test]
    fn a_part_is_code_1_and_the_missing_are_named() {
        let (_places, paths) = ledgers_of(&SHORT, 3);
        let table = undisturbed(&SHORT);
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
        let told = format!("2 of 6 positions are missing: {}\n", missing.join(", "));
        assert_eq!(merged.err, told);
    }

    #[test]
    fn other_settings_are_code_2_and_the_difference_is_named() {
        let place = Place::new();
        place.count(&SHORT, &[]);
        let before = place.bytes();
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
            let message = refused(2, &place.flags(other, &[]));
            assert!(message.contains(difference), "{message}");
            assert_eq!(place.bytes(), before);

            let elsewhere = Place::new();
            elsewhere.count(other, &[]);
            let merged = merge([&elsewhere.ledger, &place.ledger], "csv");
            assert_eq!((merged.code, merged.out.as_str()), (Some(2), ""));
            assert!(merged.err.contains(difference), "{}", merged.err);
        }
    }

    #[test]
    fn a_selection_may_grow_and_only_what_is_new_is_counted() {
        let place = Place::new();
        place.count(&["perft", "0-2", "--depth", "3"], &[]);
        let before = place.bytes();
        let larger = ["perft", "0-5,518", "--depth", "3"];
        let Run { code, out, err } = place.count(&larger, &[]);
        assert_eq!(
            (code, out.as_str()),
            (Some(0), undisturbed(&larger).as_str())
        );
        assert!(
            err.contains("3 of 7 positions are already finished"),
            "{err}"
        );
        let after = place.bytes();
        assert!(after.starts_with(&before));
        let lines = after.iter().filter(|&&byte| byte == b'\n').count();
        // The header, two runs and seven positions.
        assert_eq!(lines, 1 + 2 + 7);
        // The same position under another name is not counted again.
        let classical = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 3 7";
        let by_fen = ["perft", "--fen", classical, "--depth", "3"];
        let Run { out, err, .. } = place.count(&by_fen, &[]);
        assert_eq!(out, undisturbed(&by_fen));
        assert!(
            err.contains("1 of 1 positions are already finished"),
            "{err}"
        );
    }

    #[test]
    fn ledgers_of_different_selections_merge_into_one_table() {
        let [one, other] = [Place::new(), Place::new()];
        one.count(&["perft", "0-3", "--depth", "3"], &[]);
        other.count(&["perft", "2-5", "--depth", "3"], &[]);
        let merged = merge([&one.ledger, &other.ledger], "csv");
        assert_eq!(merged.code, Some(0), "{}", merged.err);
        assert_eq!(merged.out, undisturbed(&["perft", "0-5", "--depth", "3"]));
    }

    #[test]
    fn a_ledger_belongs_to_one_shard() {
        let place = Place::new();
        place.count(&SHORT, &["--shard", "1/3"]);
        let before = place.bytes();
        let message = refused(2, &place.flags(&SHORT, &["--shard", "2/3"]));
        assert!(
            message.contains("belongs to shard 1/3 and not to shard 2/3"),
            "{message}"
        );
        assert_eq!(place.bytes(), before);
        // A run of everything may take it over.
        assert_eq!(place.count(&SHORT, &[]).out, undisturbed(&SHORT));
    }

    #[test]
    fn a_ledger_of_format_1_is_code_3_and_the_message_says_what_to_do() {
        let place = Place::new();
        // The first line of a ledger as version 0.1.0 wrote it.
        let old = r#"{"schema":"ninesixty.ledger/1","version":"0.1.0","plan":"796432176256e4c96547c3e0751f655f","description":{"count":"sequences","depth":"3","positions":"sample:6","verb":"perft","version":"0.1.0"},"tasks":["0"],"sum":"0"}"#;
        fs::write(&place.ledger, format!("{old}\n")).unwrap();
        for args in [place.flags(&SHORT, &[]), vec!["merge", &place.ledger]] {
            let message = refused(3, &args);
            assert!(message.contains("ninesixty.ledger/1"), "{message}");
            assert!(message.contains("start a new ledger"), "{message}");
        }
    }

    #[test]
    fn conflicting_counts_are_code_3_and_the_position_and_both_ledgers_are_named() {
        let [place, other] = [Place::new(), Place::new()];
        place.count(&SHORT, &[]);
        let text = fs::read_to_string(&place.ledger).unwrap();
        let line = text.lines().nth(2).unwrap();
        let task: Value = serde_json::from_str::<Value>(line).unwrap()["task"].clone();
        let wrong = miscounted(&identity_of(&text), line);
        fs::write(&other.ledger, text.replace(&format!("{line}\n"), &wrong)).unwrap();
        let Run { code, out, err } = merge([&place.ledger, &other.ledger], "csv");
        assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
        for named in [&task.to_string(), &place.ledger, &other.ledger] {
            assert!(err.contains(named), "{err}");
        }

        fs::write(&other.ledger, text + &wrong).unwrap();
        for args in [other.flags(&SHORT, &[]), vec!["merge", &other.ledger]] {
            let message = refused(3, &args);
            assert!(message.contains("line 9 has another result"), "{message}");
        }
    }

    #[test]
    fn an_array_job_knows_its_shard() {
        let slurm = |id| {
            let ids = ["ID", "COUNT", "MIN"].map(|name| format!("SLURM_ARRAY_TASK_{name}"));
            ids.into_iter().zip([id, "3", "0"]).collect::<Vec<_>>()
        };
        let kubernetes = |index| {
            let names = ["INDEX", "COUNT"].map(|name| format!("JOB_COMPLETION_{name}"));
            names.into_iter().zip([index, "3"]).collect::<Vec<_>>()
        };
        let (_places, named) = ledgers_of(&SHORT, 3);
        for (index, ledger) in ["0", "1", "2"].into_iter().zip(&named) {
            for environment in [slurm(index), kubernetes(index)] {
                let place = Place::new();
                let ended = in_array_job(&place, environment);
                assert_eq!(ended.code, Some(0), "{}", ended.err);
                let sorted = |bytes: Vec<u8>| {
                    let text = String::from_utf8(bytes).unwrap();
                    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                    lines.sort_unstable();
                    lines
                };
                assert_eq!(sorted(place.bytes()), sorted(fs::read(ledger).unwrap()));
            }
        }
    }

    #[test]
    fn auto_outside_of_an_array_job_is_code_2_and_what_is_missing_is_named() {
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
            let place = Place::new();
            let environment = environment
                .iter()
                .map(|&(name, value)| (name.to_owned(), value));
            let ended = in_array_job(&place, environment);
            assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
            assert!(ended.err.contains(missing), "{}", ended.err);
            assert!(place.names().is_empty());
        }
        let message = refused(2, &["perft", "0", "--depth", "1", "--shard", "1/2"]);
        assert!(message.contains("--ledger <FILE>"), "{message}");
    }

    fn in_array_job<'a>(
        place: &Place,
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
            .args(place.flags(&SHORT, &["--shard", "auto"]))
            .envs(environment)
            .output()
            .unwrap()
            .into()
    }
}

mod damage {
    use super::*;

    /// A finished ledger and its table.
    fn finished() -> (Place, String) {
        let place = Place::new();
        let table = place.count(&SHORT, &[]).out;
        assert_eq!(table, undisturbed(&SHORT));
        (place, table)
    }

    #[test]
    fn a_ledger_cut_at_any_byte_of_its_last_two_lines_gives_the_same_table() {
        let (place, table) = finished();
        let whole = place.bytes();
        let lines = whole.split_inclusive(|&byte| byte == b'\n').rev();
        let last_two: usize = lines.take(2).map(<[u8]>::len).sum();
        assert!((100..300).contains(&last_two));
        for cut in whole.len() - last_two..=whole.len() {
            fs::write(&place.ledger, &whole[..cut]).unwrap();
            let Run { code, out, err } = place.count(&SHORT, &[]);
            assert_eq!(code, Some(0), "cut at {cut}: {err}");
            assert_eq!(out, table, "cut at {cut}");
            let is_torn = whole[cut - 1] != b'\n';
            assert_eq!(
                err.contains("the last line was incomplete"),
                is_torn,
                "{err}"
            );
            assert_eq!(place.bytes().len(), whole.len(), "cut at {cut}");
        }
    }

    #[test]
    fn a_flipped_bit_gives_the_same_table_or_none() {
        let (place, table) = finished();
        let whole = place.bytes();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        let mut refusals = 0;
        for _ in 0..100 {
            let bit = random.random_range(0..whole.len() * 8);
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&place.ledger, &damaged).unwrap();
            let merged = run(&["merge", &place.ledger, "--format", "csv"]);
            assert!(matches!(merged.code, Some(1 | 3)), "bit {bit}: {merged:?}");
            assert_eq!(merged.out, "", "bit {bit}");

            let Run { code, out, err } = place.count(&SHORT, &[]);
            if code == Some(0) {
                assert_eq!(out, table, "bit {bit}");
                continue;
            }
            refusals += 1;
            assert_eq!((code, out.as_str()), (Some(3), ""), "bit {bit}: {err}");
            assert!(err.contains(&place.ledger), "{err}");
            assert_eq!(place.bytes(), damaged, "bit {bit}");
        }
        assert!((10..100).contains(&refusals), "{refusals}");
    }

    #[test]
    fn a_result_that_fits_no_table_is_code_3() {
        let (place, _) = finished();
        let text = fs::read_to_string(&place.ledger).unwrap();
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
            let forged = sealed(&identity_of(&text), task, &output);
            fs::write(&place.ledger, text.replace(&format!("{line}\n"), &forged)).unwrap();
            for args in [place.flags(&SHORT, &[]), vec!["merge", &place.ledger]] {
                let message = refused(3, &args);
                let task = task.as_str().unwrap();
                assert!(message.contains(task), "{message}");
            }
        }
    }
}

mod ledger {
    use super::*;

    #[test]
    fn a_full_disk_is_code_4_and_the_ledger_goes_on() {
        let job = ["perft", "sample:40", "--depth", "3"];
        let expected = undisturbed(&job);
        for blocks in [0, 1, 2] {
            let place = Place::new();
            let line = format!(
                "ulimit -f {blocks}; ninesixty {} --ledger \"$0\"",
                job.join(" ")
            );
            let full: Run = shell(&line).arg(&place.ledger).output().unwrap().into();
            assert_eq!((full.code, full.out.as_str()), (Some(4), ""), "{full:?}");
            let message = format!("the ledger {}: File too large", place.ledger);
            assert!(full.err.contains(&message), "{}", full.err);
            assert_eq!(place.bytes().len(), blocks * 1024);

            let Run { code, out, err } = place.count(&job, &[]);
            assert_eq!((code, out.as_str()), (Some(0), expected.as_str()), "{err}");
            let has_results = err.contains("of 40 positions are already finished");
            assert_eq!(has_results, blocks > 0, "{err}");
        }
    }

    #[test]
    fn what_is_not_a_file_is_code_2() {
        for path in ["/dev/full", "data"] {
            let args = [&SHORT[..], &["--ledger", path]].concat();
            let message = refused(2, &args);
            assert!(
                message.contains(&format!("{path} is not a regular file")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_ledger_in_use_is_code_4_and_the_one_who_has_it_goes_on() {
        let place = Place::new();
        let mut first = place.begin(&ENDLESS, &["--hash", "16M"]);
        place.wait_for(1);
        let Run { code, out, err } = place.count(&ENDLESS, &[]);
        // Whatever came of it, nothing endless is left behind.
        let ended = first.try_wait();
        first.kill().unwrap();
        first.wait().unwrap();
        assert_eq!((code, out.as_str()), (Some(4), ""), "{err}");
        assert!(err.contains("is in use by another process"), "{err}");
        assert!(ended.unwrap().is_none());
        // The lock went with the process.
        assert!(refused(2, &place.flags(&SHORT, &[])).contains("different settings"));
    }

    #[test]
    fn a_table_does_not_take_the_place_of_its_ledger() {
        let place = Place::new();
        let Place { ledger, .. } = &place;
        place.count(&SHORT, &[]);
        let before = place.bytes();
        let beside = place.directory.path().join(".").join("run.jsonl");
        for path in [ledger, beside.to_str().unwrap()] {
            for args in [place.flags(&SHORT, &[]), vec!["merge", ledger]] {
                let message = refused(2, &[&args[..], &["--output", path]].concat());
                assert!(message.contains(ledger), "{message}");
                assert_eq!(place.bytes(), before);
            }
        }
        let new = Place::new();
        refused(2, &new.flags(&SHORT, &["--output", &new.ledger]));
    }
}

mod ways {
    use super::*;

    #[test]
    fn memory_order_and_threads_change_nothing_in_the_table() {
        let job = ["perft", "sample:6", "--depth", "5"];
        let expected = undisturbed(&[&job[..], &["--hash", "off"]].concat());
        for way in [
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
            assert_eq!(undisturbed(&[&job[..], way].concat()), expected, "{way:?}");
        }
    }

    #[test]
    fn a_check_counts_again_in_other_ways_and_agrees() {
        let Run { code, err, .. } = run(&["perft", "sample:5", "--depth", "4", "--check", "3"]);
        assert_eq!(code, Some(0));
        // Three positions, four depths, and each with another seed, without merging and by shakmaty.
        let told = "checked 3 positions, 36 counts in all: 0 differ\n";
        assert!(err.ends_with(told), "{err}");
    }

    #[test]
    fn a_check_finds_a_count_that_is_wrong() {
        let place = Place::new();
        place.count(&["perft", "518", "--depth", "4"], &[]);
        let text = fs::read_to_string(&place.ledger).unwrap();
        let line = text.lines().nth(2).unwrap();
        let wrong = miscounted(&identity_of(&text), line);
        fs::write(&place.ledger, text.replace(&format!("{line}\n"), &wrong)).unwrap();
        let job = ["perft", "518", "--depth", "4"];
        let Run { code, err, .. } = place.count(&job, &["--check", "1", "--quiet"]);
        assert_eq!(code, Some(1));
        let found = |way| format!("518, depth 4: counted 197282, but 197281 {way}\n");
        let ways = ["with another seed", "without merging", "by shakmaty"];
        assert_eq!(err, ways.map(found).concat());
    }

    #[test]
    fn a_check_of_a_shard_is_refused_because_a_shard_has_no_table_to_check() {
        let place = Place::new();
        let flags = ["--shard", "1/2", "--check", "1"];
        let message = refused(2, &place.flags(&SHORT, &flags));
        assert!(message.contains("--check"), "{message}");
    }

    /// Distinct positions after so many plies, OEIS A083276.
    const DISTINCT: &str = ",20,400,5362,72078,822518\n";

    #[test]
    fn unique_counts_are_the_published_ones_or_none() {
        let job = ["perft", "518", "--depth", "5", "--unique"];
        for way in [
            &[][..],
            &["--hash", "off"],
            &["--seed", "2", "--threads", "1"],
        ] {
            let table = undisturbed(&[&job[..], way].concat());
            assert!(
                table.starts_with("id,back_rank,fen,u1,u2,u3,u4,u5\n"),
                "{table}"
            );
            assert!(table.ends_with(DISTINCT), "{table}");
        }
        let message = refused(4, &[&job[..], &["--hash", "1M"]].concat());
        assert!(message.contains("do not fit into the memory"), "{message}");
        assert!(message.contains("--hash"), "{message}");
    }
}
