//! The promise: our counts are Stockfish's, first move by first move.
//!
//! The engine is the program that the variable `STOCKFISH` names, or `stockfish` on the PATH, or Debian's in
//! `/usr/games`. Without one there is nothing to compare, which only passes where `CI` is not `true`.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use ninesixty::chess::Board;
use ninesixty::generator::Own;
use ninesixty::perft::Counter;
use ninesixty::start::Selection;

type Branches = Vec<(String, u128)>;

struct Stockfish {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Stockfish {
    fn start(program: &Path) -> Stockfish {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
        let mut engine = Stockfish {
            orders: child.stdin.take().unwrap(),
            answers: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        let options = engine.ask("uci", |line| line == "uciok");
        // Without this option an engine silently counts another game.
        assert!(
            options
                .iter()
                .any(|line| line.starts_with("option name UCI_Chess960 ")),
            "{} does not offer UCI_Chess960",
            program.display()
        );
        engine.order("setoption name UCI_Chess960 value true");
        engine
    }

    /// Each first move with its count, in the order of the moves' names, and the total.
    fn divide(&mut self, board: &Board, depth: u32) -> (Branches, u128) {
        const TOTAL: &str = "Nodes searched: ";
        self.order(&format!("position fen {}", board.shredder_fen()));
        let is_total = |line: &str| line.starts_with(TOTAL);
        let lines = self.ask(&format!("go perft {depth}"), is_total);
        let total = lines.last().unwrap()[TOTAL.len()..].parse().unwrap();
        let mut branches: Branches = lines.iter().filter_map(|line| branch(line)).collect();
        branches.sort();
        (branches, total)
    }

    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
    }

    /// The answer to an order, to its last line.
    fn ask(&mut self, order: &str, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        self.order(order);
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| is_last(line)) {
            let mut line = String::new();
            let bytes = self.answers.read_line(&mut line).unwrap();
            assert!(bytes > 0, "Stockfish ended at {order:?}, after {lines:?}");
            lines.push(line.trim_end().to_owned());
        }
        lines
    }
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        // It may have ended by itself; either way nothing is left behind.
        self.child.kill().and_then(|()| self.child.wait()).unwrap();
    }
}

/// Reads `e2e4: 600`.
fn branch(line: &str) -> Option<(String, u128)> {
    let (mv, nodes) = line.split_once(": ")?;
    let is_move = matches!(mv.len(), 4 | 5) && mv.as_bytes()[1].is_ascii_digit();
    is_move.then(|| (mv.to_owned(), nodes.parse().unwrap()))
}

fn find_stockfish() -> Option<PathBuf> {
    if let Some(program) = env::var_os("STOCKFISH") {
        return Some(program.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|directory| directory.join("stockfish"))
        .find(|program| program.is_file())
}

fn counts_are_stockfishs(selection: &str, depths: &[u32]) {
    let Some(program) = find_stockfish() else {
        let message = "no Stockfish: set STOCKFISH to one, or install it (Debian: apt-get install stockfish); \
                       our counts were NOT compared with it";
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "{message}");
        // Not by `eprintln`, which is not shown for a test that passes.
        let line = format!("{message}\n");
        io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    };
    let selection: Selection = selection.parse().unwrap();
    let boards: Vec<Board> = selection.doubles().map(Board::from_double_start).collect();
    let engines = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for share in boards.chunks(boards.len().div_ceil(engines)) {
            scope.spawn(|| compare(&mut Stockfish::start(&program), share, depths));
        }
    });
}

fn compare(stockfish: &mut Stockfish, boards: &[Board], depths: &[u32]) {
    for board in boards {
        for &depth in depths {
            let (theirs, total) = stockfish.divide(board, depth);
            let ours: Branches = Own.divide(board, depth).unwrap();
            assert_eq!(ours, theirs, "{board:?} depth {depth}");
            let sum: u128 = ours.iter().map(|(_, nodes)| nodes).sum();
            assert_eq!(sum, total, "{board:?} depth {depth}");
        }
    }
}

#[test]
fn counts_of_24_starts_are_stockfishs_to_depth_5() {
    counts_are_stockfishs("sample:24", &[1, 2, 3, 4, 5]);
}

/// All 162 starts in which the first move can be to castle are among these.
#[test]
fn counts_of_all_starts_are_stockfishs_at_depth_3() {
    counts_are_stockfishs("all", &[3]);
}

#[test]
fn counts_of_double_starts_are_stockfishs_at_depth_4() {
    counts_are_stockfishs("518/0,0/518,959/17,34/692,700/263,11/12", &[4]);
}

#[test]
#[ignore = "minutes: before a release"]
fn counts_of_96_starts_are_stockfishs_at_depth_6() {
    counts_are_stockfishs("sample:96", &[6]);
}
