//! Whatever a child process does, we exit cleanly, report what it did, and leave no process behind.
//!
//! The programs are `tests/fixtures/fake_engine.rs` and standard tools such as `sleep`.

mod common;
#[path = "common/example.rs"]
mod example;
#[path = "common/stockfish.rs"]
mod stockfish;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use common::{Run, run, shell};
use example::example;
use ninesixty::run::Cancel;
use ninesixty::uci::{CommandLine, EngineError, EngineLimits, EngineProcess, Question, run_script};
use rustix::process::{Pid, Signal, kill_process};
use stockfish::stockfish;
use tempfile::{TempDir, tempdir};

/// Longer than any healthy program takes, even on a busy machine.
const LONG: Duration = Duration::from_secs(600);
/// For programs that never answer.
const SHORT: Duration = Duration::from_millis(300);

fn patient() -> EngineLimits {
    EngineLimits {
        start: LONG,
        answer: LONG,
        ..EngineLimits::default()
    }
}

fn fake(behaviour: &str) -> CommandLine {
    let program = example("fake_engine");
    format!("'{}' {behaviour}", program.display())
        .parse()
        .unwrap()
}

fn started(behaviour: &str, limits: EngineLimits) -> EngineProcess {
    EngineProcess::start(&fake(behaviour), limits, Cancel::NEVER).unwrap()
}

/// The process id, which the fake engine gives as its author.
fn pid(engine: &EngineProcess) -> u32 {
    engine.author().unwrap().parse().unwrap()
}

fn is_gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
}

fn ask(engine: &mut EngineProcess, depth: u32) -> Result<String, EngineError> {
    let question = Question {
        setup: &["position startpos".to_owned()],
        command: &format!("go perft {depth}"),
    };
    engine.ask(&question, Cancel::NEVER, |line| line.starts_with("Nodes"))
}

#[test]
fn an_engine_completes_its_handshake_and_answers() {
    let mut engine = started("healthy", patient());
    assert_eq!(engine.name(), Some("Fake, healthy"));
    assert_eq!(engine.options(), ["Clear Hash", "Threads", "UCI_Chess960"]);
    assert!(engine.has_option("uci_chess960") && !engine.has_option("Hash"));
    assert!(engine.set_chess960(true));
    engine.synchronize(Cancel::NEVER).unwrap();
    let answer = ask(&mut engine, 3).unwrap();
    assert!(answer.contains("e2e4: 600\n"), "{answer}");
    assert!(answer.ends_with("Nodes searched: 8902\n"), "{answer}");
}

#[test]
fn the_lines_of_a_search_are_seen_as_they_arrive() {
    let mut engine = started("healthy", patient());
    let question = Question {
        setup: &["position startpos moves e2e4".to_owned()],
        command: "go depth 3",
    };
    let mut depths = 0;
    let answer = engine
        .ask_once(&question, LONG, Cancel::NEVER, |line| {
            depths += usize::from(line.starts_with("info depth"));
            line.starts_with("bestmove")
        })
        .unwrap();
    assert_eq!((depths, answer.lines().count()), (3, 4), "{answer}");
}

#[test]
fn no_engine_process_survives_its_drop() {
    for behaviour in ["healthy", "ignores-quit", "has-children"] {
        let engine = started(behaviour, patient());
        let pid = pid(&engine);
        assert!(!is_gone(pid));
        drop(engine);
        assert!(is_gone(pid), "{behaviour}");
    }
}

#[test]
fn the_children_of_an_engine_are_killed_with_it() {
    let mut engine = started("has-children", patient());
    engine.synchronize(Cancel::NEVER).unwrap();
    let group = pid(&engine);
    assert!(members_of(group) >= 2, "the engine and its child");
    drop(engine);
    let begun = Instant::now();
    // The orphaned child is reaped by init, which may take a while.
    while members_of(group) > 0 {
        assert!(
            begun.elapsed() < LONG,
            "the engine's child is still running"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The number of living processes in a process group.
fn members_of(group: u32) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    stats
        .filter(|stat| {
            // After the name in brackets: state, parent, group.
            let fields = stat.rsplit(')').next().unwrap_or_default();
            let fields: Vec<&str> = fields.split_whitespace().collect();
            // A process may end while it is looked at.
            matches!(fields[..], [state, _, of, ..] if !"ZX".contains(state) && of == group.to_string())
        })
        .count()
}

#[test]
fn the_error_of_a_failed_start_names_the_program() {
    let command = "/nowhere/engine --x".parse().unwrap();
    let Err(error) = EngineProcess::start(&command, patient(), Cancel::NEVER) else {
        panic!("started")
    };
    assert_eq!(error.to_string(), "cannot start `/nowhere/engine --x`");
}

#[test]
fn an_engine_without_uciok_times_out() {
    for behaviour in ["silent", "no-uciok"] {
        let limits = EngineLimits {
            start: SHORT,
            ..patient()
        };
        let Err(error) = EngineProcess::start(&fake(behaviour), limits, Cancel::NEVER) else {
            panic!("{behaviour} introduced itself")
        };
        let message = error.to_string();
        assert!(
            message.ends_with("gave no answer to `uci` within 0.3 s"),
            "{message}"
        );
    }
}

#[test]
fn a_program_that_exits_during_the_handshake_is_an_error() {
    let Err(error) = EngineProcess::start(&"true".parse().unwrap(), patient(), Cancel::NEVER)
    else {
        panic!("introduced itself")
    };
    assert_eq!(
        error.to_string(),
        "`true` exited (exit status: 0) before it answered `uci`"
    );
}

#[test]
fn an_engine_that_hangs_times_out_and_can_be_restarted() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("pid");
    let behaviour = format!("hangs '{}'", log.display());
    let limits = EngineLimits {
        answer: SHORT,
        ..patient()
    };
    let mut engine = started(&behaviour, limits);
    let hanging = pid(&engine);
    let error = ask(&mut engine, 2).unwrap_err();
    assert!(matches!(error, EngineError::TimedOut { .. }), "{error}");
    engine.restart(Cancel::NEVER).unwrap();
    assert!(is_gone(hanging));
    engine.synchronize(Cancel::NEVER).unwrap();
}

#[test]
fn an_engine_that_always_crashes_is_restarted_three_times() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("options");
    let mut engine = started("crashes", patient());
    engine.set_option("Log", &log.display().to_string());
    let error = ask(&mut engine, 2).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("exited (exit status: 3) before it answered `go perft 2`"),
        "{message}"
    );
    assert!(
        message.ends_with("stderr: assertion failed: king is on the board"),
        "{message}"
    );
    // Options are set again after each restart.
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 4);
}

#[test]
fn an_engine_that_crashes_once_answers_after_the_restart() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("questions");
    let mut engine = started(&format!("dies-once '{}'", log.display()), patient());
    let first = pid(&engine);
    let answer = ask(&mut engine, 2).unwrap();
    assert!(answer.ends_with("Nodes searched: 400\n"), "{answer}");
    assert_ne!(pid(&engine), first);
}

#[test]
fn endless_output_is_an_error() {
    let limits = EngineLimits {
        line_bytes: 1_000,
        answer_bytes: 100_000,
        ..patient()
    };
    let error = ask(&mut started("endless", limits), 1).unwrap_err();
    assert!(
        error.to_string().ends_with("with more than 100000 bytes"),
        "{error}"
    );
    let error = ask(&mut started("endless-line", limits), 1).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("a line of more than 1000 bytes"),
        "{error}"
    );
}

#[test]
fn a_wait_can_be_cancelled() {
    let mut engine = started("healthy", patient());
    let cancel = Cancel::new();
    cancel.cancel();
    let error = engine.synchronize(&cancel).unwrap_err();
    assert!(matches!(error, EngineError::Cancelled), "{error}");
}

#[test]
fn a_script_gets_its_arguments_and_runs_to_its_end() {
    let script = "printf '%s|%s\\n' one".parse().unwrap();
    let arguments = [
        "two words".to_owned(),
        "$HOME".to_owned(),
        "`ls`".to_owned(),
    ];
    let output = run_script(&script, &arguments, &patient(), Cancel::NEVER).unwrap();
    assert_eq!(output.text, "one|two words\n$HOME|`ls`\n");
}

#[test]
fn a_script_that_fails_hangs_or_prints_without_end_is_an_error() {
    let run = |command: &str, arguments: &[&str], limits| {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let outcome = run_script(
            &command.parse().unwrap(),
            &arguments,
            &limits,
            Cancel::NEVER,
        );
        outcome.unwrap_err().to_string()
    };
    let message = run("sh -c", &["echo 1; echo it broke >&2; exit 7"], patient());
    assert_eq!(message, "`sh -c` failed (exit status: 7); stderr: it broke");
    let message = run("sh -c", &["kill -9 $$"], patient());
    assert!(message.contains("signal: 9"), "{message}");
    let short = EngineLimits {
        answer: SHORT,
        ..patient()
    };
    let message = run("sleep", &["100000"], short);
    assert_eq!(message, "`sleep` gave no answer to `100000` within 0.3 s");
    let small = EngineLimits {
        answer_bytes: 10_000,
        ..patient()
    };
    let message = run("yes", &["and so on"], small);
    assert!(message.contains("more than 10000 bytes"), "{message}");
}

/// Longer than any wait that is promised to be short, even on a busy machine, and shorter than the waits that were not.
const PROMPT: Duration = Duration::from_secs(20);

#[test]
fn an_engine_that_says_more_than_it_was_asked_is_not_heard_in_the_next_answer() {
    let mut engine = started("two-totals", patient());
    for (depth, total) in [(1, 20), (2, 400), (1, 20), (3, 8_902)] {
        let answer = ask(&mut engine, depth).unwrap();
        let ending = format!("\nNodes: {total}\nTotal: {total}\n");
        assert!(answer.ends_with(&ending), "{answer}");
        assert_eq!(answer.matches("Total").count(), 1, "{answer}");
    }
    for behaviour in ["two-totals", "answers-twice"] {
        let generator = generator(behaviour, "x");
        let run = run(&["diff", "0-5", "--depth", "3", "--b", &generator]);
        assert_eq!(run.code, Some(0), "{behaviour}: {}{}", run.out, run.err);
    }
}

#[test]
fn an_engine_that_dies_in_its_handshake_is_started_again() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("handshakes");
    let engine = started(&format!("dies-in-handshake '{}'", log.display()), patient());
    assert_eq!(engine.name(), Some("Fake, dies-in-handshake"));
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 2);
}

#[test]
fn a_closed_output_ends_the_wait() {
    let (_directory, suite) = suite("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D2 75");
    let tag = format!("tag-closes-{}", std::process::id());
    let generator = generator("closes-output ''", &tag);
    let begun = Instant::now();
    let Run { code, out, err } = run(&[
        "verify",
        &suite,
        "--generator",
        &generator,
        "--format",
        "csv",
    ]);
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
    assert_eq!(code, Some(1), "{err}");
    assert!(
        out.contains("closed its output before it answered `go perft 2`, and kept running"),
        "{out}"
    );
}

/// The process that the engine leaves behind holds its output and its standard error, and cannot be found any more.
#[test]
fn what_an_engine_leaves_behind_does_not_hold_up_the_error() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("daemons");
    let mut engine = started(&format!("leaves-daemon '{}'", log.display()), patient());
    let begun = Instant::now();
    let error = ask(&mut engine, 2).unwrap_err().to_string();
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
    for daemon in fs::read_to_string(&log).unwrap().lines() {
        let pid = Pid::from_raw(daemon.parse().unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
    }
    assert!(
        error.ends_with(
            "exited (exit status: 3) before it answered `go perft 2`; stderr: assertion failed: king is on the board"
        ),
        "{error}"
    );
}

#[test]
fn a_script_that_leaves_a_process_behind_has_answered() {
    let script = "sh -c".parse().unwrap();
    let arguments = ["sleep 300 & echo 20".to_owned()];
    let begun = Instant::now();
    let output = run_script(&script, &arguments, &patient(), Cancel::NEVER).unwrap();
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
    assert_eq!(output.text, "20\n");
}

#[test]
fn an_engine_that_prints_without_pause_does_not_outlast_its_time() {
    let limits = EngineLimits {
        answer: Duration::from_secs(1),
        ..patient()
    };
    let begun = Instant::now();
    let error = ask(&mut started("chatty", limits), 2).unwrap_err();
    assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
    assert!(matches!(error, EngineError::TimedOut { .. }), "{error}");
}

/// The most memory that this process has had, in bytes.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<u64>().unwrap() << 10
}

/// A list of as many empty lines would take 400 MB.
#[test]
fn a_flood_of_short_lines_is_held_in_bounded_memory() {
    let before = peak_memory();
    let error = ask(&mut started("floods", patient()), 1).unwrap_err();
    assert!(
        matches!(error, EngineError::AnswerTooLong { .. }),
        "{error}"
    );
    let grown = peak_memory() - before;
    assert!(grown < 200 << 20, "{grown} bytes");
}

#[test]
fn a_descendant_that_has_left_the_session_is_killed_with_its_engine() {
    for behaviour in ["has-daemon", "ignores-quit"] {
        let directory = tempdir().unwrap();
        let log = directory.path().join("daemon");
        // The second one has to be killed.
        let engine = match behaviour {
            "has-daemon" => fake(&format!("has-daemon '{}'", log.display())),
            _ => {
                let start = format!(
                    "setsid sleep 100000 >/dev/null 2>&1 & echo $! > '{}'; '{}' ignores-quit",
                    log.display(),
                    example("fake_engine").display()
                );
                format!("sh -c \"{start}\"")
                    .replace("$!", "\\$!")
                    .parse()
                    .unwrap()
            }
        };
        let engine = EngineProcess::start(&engine, patient(), Cancel::NEVER).unwrap();
        let daemon = fs::read_to_string(&log).unwrap().trim().parse().unwrap();
        assert!(!has_ended(daemon), "{behaviour}");
        drop(engine);
        wait_for_exit_of(daemon);
    }
}

/// The fake engine as a generator, with a tag among its arguments to find its process by.
fn generator(behaviour: &str, tag: &str) -> String {
    let program = example("fake_engine");
    format!("uci:'{}' {behaviour} {tag}", program.display())
}

/// Whether a process has this word among its arguments.
fn is_running(tag: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut commands = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    commands.any(|command| {
        command
            .split(|&byte| byte == 0)
            .any(|word| word == tag.as_bytes())
    })
}

#[test]
fn every_faulty_engine_gives_its_message_and_exit_code_and_leaves_no_process() {
    for (behaviour, flags, code, message) in [
        (
            "healthy",
            &[][..],
            0,
            "agree about 1 positions to depth 2: 400 sequences",
        ),
        ("ignores-quit", &[], 0, "agree about 1 positions"),
        ("has-children", &[], 0, "agree about 1 positions"),
        ("divides", &[], 0, "agree about 1 positions"),
        ("no-960", &[], 0, "agree about 1 positions"),
        (
            "silent",
            &["--start-timeout", "1"],
            4,
            "gave no answer to `uci` within 1 s",
        ),
        (
            "crashes",
            &[],
            4,
            "stderr: assertion failed: king is on the board",
        ),
        (
            "no-perft",
            &[],
            4,
            "it does not support perft: it answers none of `go perft 1`",
        ),
        ("garbage", &[], 4, "it does not support perft"),
        (
            "endless",
            &["--start-timeout", "1000"],
            4,
            "with more than 16777216 bytes",
        ),
        (
            "endless-line",
            &[],
            4,
            "with a line of more than 65536 bytes",
        ),
        ("miscounts", &[], 1, "but the counts at depth 2 differ"),
        (
            "wrong-total",
            &[],
            4,
            "it does not work at all; it fails even on bare kings and on the start of classical chess: it reports a total of 21, but its moves add up to 20",
        ),
        (
            "dies-on rnbqkbnr/pppppppp/8/8/4P3",
            &[],
            1,
            "Path      e4\n",
        ),
    ] {
        let tag = format!(
            "tag-{}-{}",
            behaviour.split(' ').next().unwrap(),
            std::process::id()
        );
        let generator = generator(behaviour, &tag);
        let args = [&["diff", "518", "--depth", "2", "--b", &generator], flags].concat();
        let Run {
            code: found,
            out,
            err,
        } = run(&args);
        assert_eq!(found, Some(code), "{behaviour}: {out}{err}");
        assert!(
            (out.clone() + &err).contains(message),
            "{behaviour}: {out}{err}"
        );
        assert!(!is_running(&tag), "{behaviour}");
    }
}

/// A suite of these lines, kept as long as its directory.
fn suite(epd: &str) -> (TempDir, String) {
    let directory = tempdir().unwrap();
    let path = directory.path().join("suite.epd");
    fs::write(&path, epd).unwrap();
    (directory, path.into_os_string().into_string().unwrap())
}

#[test]
fn a_count_that_hangs_is_reported_as_a_time_out() {
    // Only the count that never ends has a short time-out, so that a slow machine does not fail the test.
    let (_directory, suite) = suite("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D2 75");
    let tag = format!("tag-hangs-{}", std::process::id());
    let generator = generator("hangs ''", &tag);
    let args = [
        "verify",
        &suite,
        "--timeout",
        "1",
        "--generator",
        &generator,
        "--format",
        "csv",
    ];
    let Run { code, out, err } = run(&args);
    assert_eq!(code, Some(1), "{err}");
    assert!(
        out.contains("gave no answer to `go perft 2` within 1 s"),
        "{out}"
    );
    assert!(!is_running(&tag));
}

#[test]
fn an_engine_without_chess960_is_refused_with_that_reason() {
    let generator = generator("no-960", "x");
    let Run { code, err, .. } = run(&["diff", "0", "--depth", "1", "--b", &generator]);
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("it does not offer the option UCI_Chess960"),
        "{err}"
    );
}

#[test]
fn a_crash_on_one_position_leaves_the_other_counts_right() {
    let epd = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15\n\
               8/8/8/8/8/8/8/k1K5 w - - 0 1 ;D1 3\n\
               4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 ;D1 17\n";
    let (_directory, suite) = suite(epd);
    let generator = generator("dies-on 8/8/8/8/8/8/8/k1K5", "x");
    let Run { code, out, err } = run(&[
        "verify",
        &suite,
        "--generator",
        &generator,
        "--format",
        "csv",
    ]);
    assert_eq!(code, Some(1), "{out}{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(
        lines[1].contains("failed: ") && lines[1].contains("exit status: 3"),
        "{out}"
    );
    // Sixteen moves: the suite is wrong on purpose.
    assert!(lines[2].ends_with(",1,17,16,"), "{out}");
    assert!(err.ends_with("1 differ, 1 refused or failed\n"), "{err}");
}

/// A run of our program, killed when the test ends.
struct Running(Child);

impl Running {
    fn wait(&mut self) -> ExitStatus {
        self.0.wait().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).unwrap();
    }
}

/// A run of our program that waits for an engine which never answers, and the process id of the engine.
fn waiting_for(behaviour: &str) -> (Running, u32) {
    let directory = tempdir().unwrap();
    let log = directory.path().join("pid");
    let generator = generator(&format!("{behaviour} '{}'", log.display()), "x");
    let program = Command::new(cargo_bin!("ninesixty"))
        .args(["diff", "518", "--depth", "2", "--b", &generator])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let program = Running(program.unwrap());
    let begun = Instant::now();
    loop {
        let written = fs::read_to_string(&log).unwrap_or_default();
        if let Some(pid) = written.strip_suffix('\n') {
            return (program, pid.parse().unwrap());
        }
        assert!(begun.elapsed() < LONG, "the engine was never asked");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process is gone, or a zombie.
fn has_ended(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ") || stat.contains(") X ")
}

/// Waits until a process is gone, or a zombie.
fn wait_for_exit_of(pid: u32) {
    let begun = Instant::now();
    while !has_ended(pid) {
        assert!(begun.elapsed() < LONG, "the engine is still running");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_engine_is_killed_when_its_parent_is_killed() {
    let (mut program, engine) = waiting_for("hangs");
    program.0.kill().unwrap();
    program.wait();
    wait_for_exit_of(engine);
}

#[test]
fn a_signal_ends_the_wait_for_an_engine_and_the_engine() {
    for (behaviour, signal, code) in [
        ("hangs", Signal::INT, 130),
        ("hangs", Signal::TERM, 143),
        ("chatty", Signal::INT, 130),
        ("closes-output", Signal::INT, 130),
    ] {
        let (mut program, engine) = waiting_for(behaviour);
        let begun = Instant::now();
        kill_process(Pid::from_child(&program.0), signal).unwrap();
        assert_eq!(program.wait().code(), Some(code), "{behaviour}");
        assert!(
            begun.elapsed() < PROMPT,
            "{behaviour}: {:?}",
            begun.elapsed()
        );
        wait_for_exit_of(engine);
    }
}

#[test]
fn the_doctor_reports_whether_chess960_takes_effect() {
    for (behaviour, code, expected) in [
        ("healthy", 0, "has 5 moves with it and 6 without"),
        (
            "deaf-960",
            1,
            "has 5 moves, and this generator finds 6: UCI_Chess960 does not take effect",
        ),
        ("no-960", 1, "the option UCI_Chess960 is not offered"),
        ("dies-on 4k3/8/8/8/8/8/8/rRK5", 1, "NO: uci:"),
    ] {
        let generator = generator(behaviour, "x");
        let Run {
            code: found,
            out,
            err,
        } = run(&["doctor", &generator, "--max-nodes", "1000"]);
        assert_eq!(found, Some(code), "{behaviour}: {out}{err}");
        assert!(out.contains(expected), "{behaviour}: {out}");
    }
    if let Some(stockfish) = stockfish() {
        let Run { code, out, err } = run(&["doctor", &stockfish]);
        assert_eq!(code, Some(0), "{out}{err}");
        assert!(out.contains("has 5 moves with it and 6 without"), "{out}");
        assert!(
            out.contains("Tricky suite         275 counts: all agree"),
            "{out}"
        );
    }
}

#[test]
fn our_engine_answers_uci_commands() {
    let ask = |commands: &str| {
        let output = shell("printf \"$0\" | ninesixty uci")
            .arg(commands)
            .output();
        let Run { code, out, err } = output.unwrap().into();
        assert_eq!((code, err.as_str()), (Some(0), ""), "{commands}");
        out
    };
    let out = ask("uci\\nisready\\nquit\\n");
    assert!(
        out.contains("option name UCI_Chess960 type check default false\nuciok\nreadyok\n"),
        "{out}"
    );
    // A count is answered even if `quit` is already in the input.
    let out =
        ask("setoption name Threads value 2\\nposition startpos moves e2e4\\ngo perft 2\\nquit\\n");
    assert!(
        out.contains("e7e5: 29\n") && out.contains("\nNodes searched: 600\n"),
        "{out}"
    );
    let castling = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\\ngo perft 1\\n";
    assert!(ask(castling).contains("e1g1: 1\n"));
    let out = ask(&format!(
        "setoption name UCI_Chess960 value true\\n{castling}"
    ));
    assert!(out.contains("e1h1: 1\n") && !out.contains("e1g1"), "{out}");
    let out = ask("position startpos\\ngo perft 20\\nisready\\nstop\\nd\\n");
    let (ready, stopped) = (
        out.find("readyok"),
        out.find("info string the count was stopped"),
    );
    assert!(ready.unwrap() < stopped.unwrap(), "{out}");
    assert!(
        out.contains("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"),
        "{out}"
    );
    for (commands, complaint) in [
        ("position fen 8/8 w - -", "not a legal position: "),
        ("position startpos moves e2e5", "\"e2e5\" is not legal in "),
        ("go perft 0", "perft counts 1 to 20 plies"),
        ("go sideways", "go does not know \"sideways\""),
        (
            "setoption name Contempt value 1",
            "no such option: Contempt",
        ),
        (
            "setoption name Threads value 0",
            "Threads is a number from 1 to 1024",
        ),
        ("flip", "unknown command: flip"),
    ] {
        let out = ask(&format!("{commands}\\n"));
        assert!(
            out.starts_with(&format!("info string error: {complaint}")),
            "{commands}: {out}"
        );
    }
}

#[test]
fn our_engine_agrees_with_our_generator() {
    let line = "ninesixty diff sample:20 --depth 3 --b 'uci:ninesixty uci'";
    let Run { code, err, .. } = shell(line).output().unwrap().into();
    assert_eq!(code, Some(0), "{err}");
}
