//! `ninesixty uci`: this program as an engine, as far as counting goes.
//!
//! Orders walk in on standard input, one per line; answers walk out on standard output. A count runs on a thread of
//! its own, so that `stop` and `isready` are heard while it does; every other order waits for it to end.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use anyhow::{Context, anyhow};
use clap::Args as ClapArgs;
use ninesixty::chess::{Board, Move, MoveKind, Square};
use ninesixty::perft::{CountError, Sharing, divide};
use ninesixty::start::StartId;
use rayon::ThreadPoolBuilder;

use super::exit::{Answer, Failure, OrFail};
use super::perft::DEEPEST;
use super::show::draw;

/// Be a UCI engine as far as counting goes (go perft N)
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty uci <<< 'go perft 4'
  ninesixty uci <<< $'position startpos moves e2e4\\ngo perft 3'")]
pub struct Args {}

pub fn run(_: &Args) -> Result<Answer, Failure> {
    let mut session = Session::default();
    for line in io::stdin().lock().lines() {
        let line = line.context("cannot read standard input").or_input()?;
        if session.obey(&Order::read(&line))? == Next::Quit {
            break;
        }
    }
    session.finish()?;
    Ok(Answer::Yes)
}

const MOST_THREADS: usize = 1024;

/// What the engine is told.
enum Order<'a> {
    Uci,
    IsReady,
    SetOption(&'a str),
    NewGame,
    Position(&'a str),
    Go(&'a str),
    Stop,
    Draw,
    Quit,
    Nothing,
    Unknown(&'a str),
}

impl Order<'_> {
    fn read(line: &str) -> Order<'_> {
        let line = line.trim();
        let (order, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match order {
            "uci" => Order::Uci,
            "isready" => Order::IsReady,
            "setoption" => Order::SetOption(rest),
            "ucinewgame" => Order::NewGame,
            "position" => Order::Position(rest),
            "go" => Order::Go(rest),
            "stop" => Order::Stop,
            "d" => Order::Draw,
            "quit" => Order::Quit,
            "" => Order::Nothing,
            _ => Order::Unknown(line),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Next {
    Listen,
    Quit,
}

/// What the engine knows between two orders.
struct Session {
    board: Board,
    is_chess960: bool,
    threads: usize,
    running: Option<Running>,
}

/// A command that takes its time on a thread of its own, which says what comes of it.
struct Running {
    thread: JoinHandle<Result<(), Failure>>,
    is_stopped: Arc<AtomicBool>,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            board: Board::from_start(StartId::CLASSICAL),
            is_chess960: false,
            threads: 1,
            running: None,
        }
    }
}

impl Session {
    fn obey(&mut self, order: &Order) -> Result<Next, Failure> {
        match order {
            Order::IsReady => say("readyok")?,
            Order::Stop => self.stop()?,
            Order::Nothing => {}
            order => {
                self.finish()?;
                return self.obey_at_rest(order);
            }
        }
        Ok(Next::Listen)
    }

    /// Orders that nothing may run beside. A count that was begun is finished before, also before `quit`: whoever
    /// pipes orders in wants the answers.
    fn obey_at_rest(&mut self, order: &Order) -> Result<Next, Failure> {
        let outcome = match order {
            Order::Uci => return introduce().map(|()| Next::Listen),
            Order::SetOption(rest) => self.set_option(rest),
            Order::Position(rest) => self.set_position(rest),
            Order::Go(rest) => self.go(rest),
            Order::Draw => return self.draw().map(|()| Next::Listen),
            Order::Quit => return Ok(Next::Quit),
            Order::Unknown(line) => Err(anyhow!("unknown command: {line}")),
            Order::NewGame | Order::IsReady | Order::Stop | Order::Nothing => Ok(()),
        };
        if let Err(complaint) = outcome {
            say(&format!("info string error: {complaint:#}"))?;
        }
        Ok(Next::Listen)
    }

    fn set_option(&mut self, rest: &str) -> anyhow::Result<()> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let ["name", name, "value", value] = words[..] else {
            return Err(anyhow!(
                "an option is set by `setoption name NAME value VALUE`"
            ));
        };
        match (name.to_ascii_lowercase().as_str(), value.parse()) {
            ("uci_chess960", _) => {
                self.is_chess960 = value.parse().context("UCI_Chess960 is true or false")?;
            }
            ("threads", Ok(threads @ 1..=MOST_THREADS)) => self.threads = threads,
            ("threads", _) => return Err(anyhow!("Threads is a number from 1 to {MOST_THREADS}")),
            _ => return Err(anyhow!("no such option: {name}")),
        }
        Ok(())
    }

    fn set_position(&mut self, rest: &str) -> anyhow::Result<()> {
        let (position, moves) = match rest.split_once("moves") {
            Some((position, moves)) => (position.trim(), moves),
            None => (rest, ""),
        };
        let mut board = match position.split_once(' ') {
            Some(("fen", fen)) => fen.parse().context("not a legal position")?,
            _ if position == "startpos" => Board::from_start(StartId::CLASSICAL),
            _ => {
                return Err(anyhow!(
                    "a position is `startpos` or `fen FEN`, with `moves …` behind it"
                ));
            }
        };
        for mv in moves.split_whitespace() {
            board = board.play(board.parse_uci(mv)?);
        }
        self.board = board;
        Ok(())
    }

    fn go(&mut self, rest: &str) -> anyhow::Result<()> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        match words[..] {
            ["perft", depth] => {
                let depth = depth
                    .parse()
                    .ok()
                    .filter(|depth| (1..=DEEPEST).contains(depth));
                let depth = depth.ok_or_else(|| anyhow!("perft counts 1 to {DEEPEST} plies"))?;
                let (board, spelling) = (self.board, Spelling::of(self));
                let pool = ThreadPoolBuilder::new().num_threads(self.threads).build()?;
                self.run(move |is_stopped| {
                    pool.install(|| perft(&board, depth, spelling, is_stopped))
                })
            }
            _ => Err(anyhow!(
                "this engine counts and does not search: go perft N"
            )),
        }
    }

    /// Begins something that takes its time.
    fn run(
        &mut self,
        work: impl FnOnce(&AtomicBool) -> Result<(), Failure> + Send + 'static,
    ) -> anyhow::Result<()> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_stopped);
        let thread = thread::Builder::new().spawn(move || work(&flag))?;
        self.running = Some(Running { thread, is_stopped });
        Ok(())
    }

    fn stop(&mut self) -> Result<(), Failure> {
        if let Some(running) = &self.running {
            running.is_stopped.store(true, Ordering::Relaxed);
        }
        self.finish()
    }

    /// Waits for what is running.
    fn finish(&mut self) -> Result<(), Failure> {
        match self.running.take().map(|running| running.thread.join()) {
            None => Ok(()),
            Some(Ok(outcome)) => outcome,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }

    fn draw(&self) -> Result<(), Failure> {
        let (x_fen, shredder_fen) = (self.board.x_fen(), self.board.shredder_fen());
        let drawing = draw(&self.board, false);
        say(&format!(
            "\n{drawing}\nFen: {x_fen}\nShredder-FEN: {shredder_fen}"
        ))
    }
}

fn introduce() -> Result<(), Failure> {
    say(concat!(
        "id name ninesixty ",
        env!("CARGO_PKG_VERSION"),
        "\nid author the ninesixty authors\n",
        "option name Threads type spin default 1 min 1 max 1024\n",
        "option name UCI_Chess960 type check default false\nuciok"
    ))
}

fn perft(
    board: &Board,
    depth: u32,
    spelling: Spelling,
    is_stopped: &AtomicBool,
) -> Result<(), Failure> {
    let is_stopped = || is_stopped.load(Ordering::Relaxed);
    let branches = match divide(board, depth, Sharing::Pool, &is_stopped) {
        Ok(branches) => branches,
        Err(CountError::Stopped) => return say("info string the count was stopped"),
        Err(error) => return say(&format!("info string error: {error}")),
    };
    let mut answer = String::new();
    for (mv, nodes) in &branches {
        answer += &format!("{}: {nodes}\n", spelling.write(*mv));
    }
    let total: u128 = branches.iter().map(|&(_, nodes)| nodes).sum();
    say(&format!("{answer}\nNodes searched: {total}\n"))
}

/// How castling is written: as king takes rook, or in classical chess as the king's leap.
#[derive(Clone, Copy)]
enum Spelling {
    KingTakesRook,
    Leap,
}

impl Spelling {
    fn of(session: &Session) -> Spelling {
        let king = session.board.king_of(session.board.turn());
        if session.is_chess960 || king.file() != 4 {
            Spelling::KingTakesRook
        } else {
            Spelling::Leap
        }
    }

    fn write(self, mv: Move) -> String {
        let is_classical = matches!(mv.to.file(), 0 | 7);
        match (self, mv.kind) {
            (Spelling::Leap, MoveKind::Castling) if is_classical => {
                let file = if mv.to > mv.from { 6 } else { 2 };
                format!("{}{}", mv.from, Square::at(file, mv.from.rank()))
            }
            _ => mv.to_string(),
        }
    }
}

/// Prints lines at once: whoever waits for them reads a pipe.
fn say(lines: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{lines}").map_err(Failure::writing)?;
    out.flush().map_err(Failure::writing)
}
