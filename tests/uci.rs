//! The promise: whatever somebody else's program does, we end in order, say what it did, and leave nothing of it
//! behind.
//!
//! The programs are `examples/fake_engine.rs` and the machine's own small tools.

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
use ninesixty::uci::{CommandLine, Engine, EngineError, Limits, run_script};
use rustix::process::{Pid, Signal, kill_process};
use stockfish::stockfish;
use tempfile::{TempDir, tempdir};

/// Longer than any healthy program takes on the busiest machine.
const LONG: Duration = Duration::from_secs(600);
/// For programs that would take for ever.
const SHORT: Duration = Duration::from_millis(300);

fn patient() -> Limits {
    Limits {
        start: LONG,
        answer: LONG,
        ..Limits::default()
    }
}

fn fake(behaviour: &str) -> CommandLine {
    let program = example("fake_engine");
    format!("'{}' {behaviour}", program.display())
        .parse()
        .unwrap()
}

fn never() -> bool {
    false
}

fn started(behaviour: &str, limits: Limits) -> Engine {
    Engine::start(&fake(behaviour), limits, &never).unwrap()
}

/// The process id, which the fake gives as its author.
fn pid(engine: &Engine) -> u32 {
    engine.author().unwrap().parse().unwrap()
}

fn is_gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
}

fn ask(engine: &mut Engine, depth: u32) -> Result<Vec<String>, EngineError> {
    let orders = ["position startpos".to_owned(), format!("go perft {depth}")];
    engine.ask(&orders, &never, |line| line.starts_with("Nodes searched"))
}

#[test]
fn an_engine_introduces_itself_is_told_and_answers() {
    let mut engine = started("healthy", patient());
    assert_eq!(engine.name(), Some("Fake, healthy"));
    assert_eq!(engine.options(), ["Clear Hash", "Threads", "UCI_Chess960"]);
    assert!(engine.offers("uci_chess960") && !engine.offers("Hash"));
    engine.set_option("UCI_Chess960", "true");
    engine.synchronize(&never).unwrap();
    let lines = ask(&mut engine, 3).unwrap();
    assert!(lines.contains(&"e2e4: 600".to_owned()), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 8902");
}

#[test]
fn a_search_is_followed_line_by_line() {
    let mut engine = started("healthy", patient());
    engine.send("position startpos moves e2e4");
    engine.send("go depth 3");
    let mut depths = 0;
    let lines = engine
        .read_until(LONG, &never, |line| {
            depths += usize::from(line.starts_with("info depth"));
            line.starts_with("bestmove")
        })
        .unwrap();
    assert_eq!((depths, lines.len()), (3, 4), "{lines:?}");
}

#[test]
fn nothing_is_left_of_an_engine_that_quits_ignores_quit_or_has_children() {
    for behaviour in ["healthy", "ignores-quit", "has-children"] {
        let engine = started(behaviour, patient());
        let pid = pid(&engine);
        assert!(!is_gone(pid));
        drop(engine);
        assert!(is_gone(pid), "{behaviour}");
    }
}

#[test]
fn the_children_of_an_engine_end_with_it() {
    let mut engine = started("has-children", patient());
    engine.synchronize(&never).unwrap();
    let group = pid(&engine);
    assert!(members_of(group) >= 2, "the engine and its child");
    drop(engine);
    let begun = Instant::now();
    // The child is reaped by whoever inherits it, which may take its time.
    while members_of(group) > 0 {
        assert!(begun.elapsed() < LONG, "the engine's child lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The number of processes of a group that are not dead.
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
fn a_program_that_cannot_be_started_is_named() {
    let command = "/nowhere/engine --x".parse().unwrap();
    let Err(error) = Engine::start(&command, patient(), &never) else {
        panic!("started")
    };
    assert_eq!(error.to_string(), "cannot start `/nowhere/engine --x`");
}

#[test]
fn an_engine_that_does_not_introduce_itself_is_given_up() {
    for behaviour in ["silent", "no-uciok"] {
        let limits = Limits {
            start: SHORT,
            ..patient()
        };
        let Err(error) = Engine::start(&fake(behaviour), limits, &never) else {
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
fn a_program_that_is_no_engine_is_given_up() {
    let Err(error) = Engine::start(&"true".parse().unwrap(), patient(), &never) else {
        panic!("introduced itself")
    };
    assert_eq!(
        error.to_string(),
        "`true` ended (exit status: 0) before it had answered `uci`"
    );
}

#[test]
fn an_engine_that_hangs_in_an_answer_is_given_up_and_can_be_started_again() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("pid");
    let behaviour = format!("hangs '{}'", log.display());
    let limits = Limits {
        answer: SHORT,
        ..patient()
    };
    let mut engine = started(&behaviour, limits);
    let hanging = pid(&engine);
    let error = ask(&mut engine, 2).unwrap_err();
    assert!(matches!(error, EngineError::Silent { .. }), "{error}");
    engine.restart(&never).unwrap();
    assert!(is_gone(hanging));
    engine.synchronize(&never).unwrap();
}

#[test]
fn an_engine_that_always_dies_is_started_three_times_more_and_then_given_up() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("options");
    let mut engine = started("crashes", patient());
    engine.set_option("Log", &log.display().to_string());
    let error = ask(&mut engine, 2).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("ended (exit status: 3) before it had answered `go perft 2`"),
        "{message}"
    );
    assert!(
        message.ends_with("its last words: assertion failed: king is on the board"),
        "{message}"
    );
    // Options are set again after each restart.
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 4);
}

#[test]
fn an_engine_that_dies_once_answers_in_its_second_life() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("questions");
    let mut engine = started(&format!("dies-once '{}'", log.display()), patient());
    let first = pid(&engine);
    let lines = ask(&mut engine, 2).unwrap();
    assert_eq!(lines.last().unwrap(), "Nodes searched: 400");
    assert_ne!(pid(&engine), first);
}

#[test]
fn output_without_end_is_cut() {
    let limits = Limits {
        line_bytes: 1_000,
        answer_bytes: 100_000,
        ..patient()
    };
    let error = ask(&mut started("endless", limits), 1).unwrap_err();
    assert!(
        error.to_string().ends_with("more than 100000 bytes so far"),
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
fn a_wait_can_be_stopped() {
    let mut engine = started("healthy", patient());
    let error = engine.read_until(LONG, &|| true, |_| false).unwrap_err();
    assert!(matches!(error, EngineError::Stopped), "{error}");
}

#[test]
fn a_script_gets_its_arguments_and_runs_to_its_end() {
    let script = "printf '%s|%s\\n' one".parse().unwrap();
    let arguments = [
        "two words".to_owned(),
        "$HOME".to_owned(),
        "`ls`".to_owned(),
    ];
    let lines = run_script(&script, &arguments, &patient(), &never).unwrap();
    assert_eq!(lines, ["one|two words", "$HOME|`ls`"]);
}

#[test]
fn a_script_that_fails_hangs_or_babbles_is_given_up() {
    let run = |command: &str, arguments: &[&str], limits| {
        let arguments: Vec<String> = arguments.iter().map(|word| word.to_string()).collect();
        let outcome = run_script(&command.parse().unwrap(), &arguments, &limits, &never);
        outcome.unwrap_err().to_string()
    };
    let message = run("sh -c", &["echo 1; echo it broke >&2; exit 7"], patient());
    assert_eq!(
        message,
        "`sh -c` failed (exit status: 7); its last words: it broke"
    );
    let message = run("sh -c", &["kill -9 $$"], patient());
    assert!(message.contains("signal: 9"), "{message}");
    let short = Limits {
        answer: SHORT,
        ..patient()
    };
    let message = run("sleep", &["100000"], short);
    assert_eq!(message, "`sleep` gave no answer to `100000` within 0.3 s");
    let small = Limits {
        answer_bytes: 10_000,
        ..patient()
    };
    let message = run("yes", &["and so on"], small);
    assert!(message.contains("more than 10000 bytes"), "{message}");
}

/// The fake as a generator, with a word among its arguments by which it can be recognised.
fn generator(behaviour: &str, tag: &str) -> String {
    let program = example("fake_engine");
    format!("uci:'{}' {behaviour} {tag}", program.display())
}

/// Whether a process has this word among its arguments.
fn lives(tag: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut commands = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    commands.any(|command| {
        command
            .split(|&byte| byte == 0)
            .any(|word| word == tag.as_bytes())
    })
}

#[test]
fn every_ill_engine_ends_in_its_message_and_code_and_leaves_nothing_behind() {
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
            "its last words: assertion failed: king is on the board",
        ),
        (
            "no-perft",
            &[],
            4,
            "it counts no moves: it answers none of `go perft 1`",
        ),
        ("garbage", &[], 4, "it counts no moves"),
        (
            "endless",
            &["--start-timeout", "1000"],
            4,
            "does not come to an end of its answer",
        ),
        (
            "endless-line",
            &[],
            4,
            "with a line of more than 65536 bytes",
        ),
        ("miscounts", &[], 1, "but not the counts of 2 plies"),
        (
            "wrong-total",
            &[],
            1,
            "it says that there are 6 sequences, but its moves add up to 5",
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
        assert!(!lives(&tag), "{behaviour}");
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
fn a_count_in_which_an_engine_hangs_is_told_as_such() {
    // Nothing but the count that it never finishes is timed so shortly: a slow machine is not an illness.
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
    assert!(!lives(&tag));
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
fn one_position_on_which_an_engine_dies_leaves_the_others_right() {
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

/// A run of ours that ends with the test, however that ends.
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

/// A run that waits for an engine which never answers, and the engine's process id.
fn waiting() -> (Running, u32) {
    let directory = tempdir().unwrap();
    let log = directory.path().join("pid");
    let generator = generator(&format!("hangs '{}'", log.display()), "x");
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

/// Waits until a process is gone, or dead and not yet reaped by whoever inherited it.
fn wait_for_the_end_of(pid: u32) {
    let is_over = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ") || stat.contains(") X ")
    };
    let begun = Instant::now();
    while !is_over() {
        assert!(begun.elapsed() < LONG, "the engine lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_engine_dies_with_us_when_we_are_killed() {
    let (mut program, engine) = waiting();
    program.0.kill().unwrap();
    program.wait();
    wait_for_the_end_of(engine);
}

#[test]
fn a_signal_ends_the_wait_for_an_engine_and_the_engine() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let (mut program, engine) = waiting();
        kill_process(Pid::from_child(&program.0), signal).unwrap();
        assert_eq!(program.wait().code(), Some(code));
        wait_for_the_end_of(engine);
    }
}

#[test]
fn the_doctor_tells_whether_chess960_takes_effect() {
    for (behaviour, code, finding) in [
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
        assert!(out.contains(finding), "{behaviour}: {out}");
    }
    if let Some(stockfish) = stockfish() {
        let Run { code, out, err } = run(&["doctor", &stockfish]);
        assert_eq!(code, Some(0), "{out}{err}");
        assert!(out.contains("has 5 moves with it and 6 without"), "{out}");
        assert!(
            out.contains("Tricky suite         220 counts: all agree"),
            "{out}"
        );
    }
}

#[test]
fn we_are_an_engine_that_others_can_ask() {
    let ask = |orders: &str| {
        let output = shell("printf \"$0\" | ninesixty uci").arg(orders).output();
        let Run { code, out, err } = output.unwrap().into();
        assert_eq!((code, err.as_str()), (Some(0), ""), "{orders}");
        out
    };
    let out = ask("uci\\nisready\\nquit\\n");
    assert!(
        out.contains("option name UCI_Chess960 type check default false\nuciok\nreadyok\n"),
        "{out}"
    );
    // The answer comes also if the order to quit is there before it.
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
    for (orders, complaint) in [
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
        let out = ask(&format!("{orders}\\n"));
        assert!(
            out.starts_with(&format!("info string error: {complaint}")),
            "{orders}: {out}"
        );
    }
}

#[test]
fn we_agree_with_ourselves_as_an_engine() {
    let line = "ninesixty diff sample:20 --depth 3 --b 'uci:ninesixty uci'";
    let Run { code, err, .. } = shell(line).output().unwrap().into();
    assert_eq!(code, Some(0), "{err}");
}
