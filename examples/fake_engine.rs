//! A UCI engine for tests, which misbehaves as its first argument says: what engines do when they are ill, on order.
//!
//!     fake_engine healthy
//!     fake_engine dies-on 'FEN' …
//!
//! It gives its process id as its author, so that a test can look whether it is gone. Arguments that a behaviour
//! does not use may serve to recognise it.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::process::{self, Command};
use std::thread;
use std::time::Duration;

use ninesixty::chess::Board;
use ninesixty::generator::Counter;
use ninesixty::generator::Own;

const CLASSICAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Castling is not legal here, which an engine that plays classical chess does not see.
const SCREEN: &str = "4k3/8/8/8/8/8/8/rRK5 w";

struct Fake {
    behaviour: String,
    /// What the behaviour needs besides: a FEN, a file.
    detail: String,
    board: Board,
    is_chess960: bool,
}

fn main() {
    let mut arguments = env::args().skip(1);
    let mut fake = Fake {
        behaviour: arguments.next().unwrap_or_else(|| "healthy".to_owned()),
        detail: arguments.next().unwrap_or_default(),
        board: CLASSICAL.parse().expect("the classical start is legal"),
        is_chess960: false,
    };
    if fake.is("silent") {
        sleep_for_ever();
    }
    if fake.is("has-children") {
        let child = Command::new("sleep").arg("100000").spawn();
        say(&format!("info string child {}", child.expect("sleep").id()));
    }
    for line in io::stdin().lock().lines() {
        let line = line.expect("orders are text");
        if line == "quit" && !fake.is("ignores-quit") {
            return;
        }
        fake.obey(&line);
    }
    if fake.is("ignores-quit") {
        sleep_for_ever();
    }
}

impl Fake {
    fn is(&self, behaviour: &str) -> bool {
        self.behaviour == behaviour
    }

    fn obey(&mut self, line: &str) {
        let (order, rest) = line.split_once(' ').unwrap_or((line, ""));
        match order {
            "uci" => self.introduce(),
            "isready" => say("readyok"),
            "setoption" => self.set_option(rest),
            "position" => self.set_position(rest),
            "go" => match rest.strip_prefix("perft ") {
                Some(depth) if !self.is("no-perft") && !self.is("divides") => self.perft(depth),
                _ => self.search(rest),
            },
            "divide" if self.is("divides") => self.perft(rest),
            "quit" | "stop" | "ucinewgame" => {}
            other => say(&format!("Unknown command: '{other}'")),
        }
    }

    fn introduce(&self) {
        say(&format!("id name Fake, {}", self.behaviour));
        say(&format!("id author {}", process::id()));
        say("option name Clear Hash type button");
        say("option name Threads type spin default 1 min 1 max 64");
        if !self.is("no-960") {
            say("option name UCI_Chess960 type check default false");
        }
        if self.is("no-uciok") {
            sleep_for_ever();
        }
        say("uciok");
    }

    fn set_option(&mut self, rest: &str) {
        if rest.starts_with("name UCI_Chess960") && !self.is("deaf-960") {
            self.is_chess960 = rest.ends_with("true");
        }
        if let Some(file) = rest.strip_prefix("name Log value ") {
            log(file, "option set");
        }
    }

    fn set_position(&mut self, rest: &str) {
        let (position, moves) = rest.split_once(" moves ").unwrap_or((rest, ""));
        let fen = match position.strip_prefix("fen ") {
            Some(fen) => fen,
            None => CLASSICAL,
        };
        self.board = fen.parse().expect("only legal positions are sent");
        for mv in moves.split_whitespace() {
            let mv = self.board.parse_uci(mv).expect("only legal moves are sent");
            self.board = self.board.play(mv);
        }
    }

    fn perft(&self, depth: &str) {
        let depth: u32 = depth.parse().expect("a depth");
        match self.behaviour.as_str() {
            "crashes" => self.die(),
            "dies-on" if self.meets(&self.board, depth) => self.die(),
            // It dies over its first question, and lives on in its second life.
            "dies-once" if log(&self.detail, "asked") == 1 => self.die(),
            "endless" => loop {
                say("info string and so on");
            },
            "endless-line" => loop {
                print!("and so on ");
            },
            _ => {}
        }
        let mut branches = self.branches(depth);
        if self.is("miscounts") && depth > 1 {
            branches[0].1 += 1;
        }
        for (number, (mv, nodes)) in branches.iter().enumerate() {
            if self.is("hangs") && depth > 1 && number == branches.len() / 2 {
                log(&self.detail, &process::id().to_string());
                sleep_for_ever();
            }
            if self.is("garbage") {
                io::stdout()
                    .write_all(b"\xff\xfe %s \x1b[31m e2e4e5: -1\n")
                    .expect("somebody listens");
            } else {
                say(&format!("{mv}: {nodes}"));
            }
        }
        let total: u128 = branches.iter().map(|(_, nodes)| nodes).sum();
        let surplus = u128::from(self.is("wrong-total"));
        say("");
        say(&format!("Nodes searched: {}", total + surplus));
    }

    /// Whether a count of so many plies comes by the position that the detail names.
    fn meets(&self, board: &Board, depth: u32) -> bool {
        let mut after = board.legal_moves().into_iter().map(|mv| board.play(mv));
        board.x_fen().starts_with(&self.detail)
            || depth > 1 && after.any(|board| self.meets(&board, depth - 1))
    }

    /// What there is to count, with castling as it is written without `UCI_Chess960`.
    fn branches(&self, depth: u32) -> Vec<(String, u128)> {
        let mut branches = Own.divide(&self.board, depth).expect("it can be counted");
        if !self.is_chess960 {
            for (mv, _) in &mut branches {
                *mv = match mv.as_str() {
                    "e1h1" => "e1g1".to_owned(),
                    "e1a1" => "e1c1".to_owned(),
                    "e8h8" => "e8g8".to_owned(),
                    "e8a8" => "e8c8".to_owned(),
                    _ => mv.clone(),
                };
            }
            // Classical chess has no rook that screens the king of its own castling.
            if self.board.x_fen().starts_with(SCREEN) && depth == 1 {
                branches.push(("c1b1".to_owned(), 1));
            }
        }
        branches
    }

    fn search(&self, rest: &str) {
        match self.behaviour.as_str() {
            "crashes" => self.die(),
            "dies-on" if self.board.x_fen().starts_with(&self.detail) => self.die(),
            "dies-once" if log(&self.detail, "asked") == 1 => self.die(),
            "endless" => loop {
                say("info string and so on");
            },
            "garbage" => return say("bestmove \u{fffd}%s"),
            _ => {}
        }
        let moves = self.board.legal_moves();
        let best = moves.first().map_or("0000".to_owned(), |mv| mv.to_string());
        let depth = rest
            .strip_prefix("depth ")
            .and_then(|depth| depth.parse().ok());
        for depth in 1..=depth.unwrap_or(1_u32) {
            let nodes = depth * 100;
            say(&format!(
                "info depth {depth} score cp {depth} nodes {nodes} pv {best}"
            ));
        }
        if self.is("hangs") {
            sleep_for_ever();
        }
        say(&format!("bestmove {best}"));
    }

    fn die(&self) -> ! {
        eprintln!("assertion failed: king is on the board");
        process::exit(3)
    }
}

fn say(line: &str) {
    // Whoever closed our output knows why.
    if writeln!(io::stdout(), "{line}").is_err() {
        process::exit(0);
    }
}

/// Adds a line to a file, and counts its lines.
fn log(file: &str, line: &str) -> usize {
    if file.is_empty() {
        return 0;
    }
    let mut log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .expect("the log can be written");
    writeln!(log, "{line}").expect("the log can be written");
    std::fs::read_to_string(file)
        .expect("it was just written")
        .lines()
        .count()
}

fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}
