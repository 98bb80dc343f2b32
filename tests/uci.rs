//! The promise: whatever somebody else's program does, we end in order, say what it did, and leave nothing of it
//! behind.
//!
//! The programs are `examples/fake_engine.rs` and the machine's own small tools.

#[path = "common/example.rs"]
mod example;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use example::example;
use ninesixty::uci::{CommandLine, Engine, EngineError, Limits, run_script};
use tempfile::tempdir;

/// Longer than any healthy program takes on the busiest machine.
const LONG: Duration = Duration::from_secs(120);
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
            fields[0] != "Z" && fields[0] != "X" && fields[2] == group.to_string()
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
