//! `ninesixty uci`: this program as an engine, which plays and counts.
//!
//! Orders walk in on standard input, one per line; answers walk out on standard output. A search or a count runs on a
//! thread of its own, so that `stop` and `isready` are heard while it does; every other order waits for it to end.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Args as ClapArgs;
use ninesixty::chess::{Board, Color, Move, MoveKind, Square};
use ninesixty::perft::{CountError, Sharing, divide};
use ninesixty::search::{self, Engine, Limits, Report};
use ninesixty::start::StartId;
use rayon::ThreadPoolBuilder;

use super::exit::{Answer, Failure, OrFail};
use super::perft::DEEPEST;
use super::show::draw;

/// Be a UCI engine, to play or to count: go depth, nodes, movetime, perft
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty uci <<< 'go perft 4'
  ninesixty uci <<< $'position startpos moves e2e4\\ngo depth 8'")]
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

/// What `go` asks for.
enum Errand {
    Count(u32),
    Search(Limits),
}

/// A game without a plan for its clock is taken to last so many more moves.
const MOVES_TO_GO: u32 = 25;
/// What telling a move may cost, of the time that is left.
const RESERVE: Duration = Duration::from_millis(30);

impl Errand {
    fn read(rest: &str, turn: Color) -> anyhow::Result<Errand> {
        let mut limits = Limits::default();
        let mut clock = Clock::default();
        let mut words = rest.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || {
                let value = words.next().unwrap_or("");
                let number = value.parse::<i64>();
                number.with_context(|| format!("{word} needs a number, not {value:?}"))
            };
            // Engines count the time of a lost game below zero.
            let at_least_one = |number: i64| number.max(1).unsigned_abs();
            let time = |number: i64| Duration::from_millis(number.max(0).unsigned_abs());
            match (word, turn) {
                ("perft", _) => {
                    let depth = u32::try_from(number()?).ok();
                    let depth = depth.filter(|depth| (1..=DEEPEST).contains(depth));
                    let depth =
                        depth.ok_or_else(|| anyhow!("perft counts 1 to {DEEPEST} plies"))?;
                    return Ok(Errand::Count(depth));
                }
                ("depth", _) => {
                    let depth = at_least_one(number()?).min(search::DEEPEST.into());
                    limits.depth = Some(depth as u32);
                }
                ("nodes", _) => limits.nodes = Some(at_least_one(number()?)),
                ("movetime", _) => limits.time = Some(time(number()?)),
                ("wtime", Color::White) | ("btime", Color::Black) => {
                    clock.left = Some(time(number()?));
                }
                ("winc", Color::White) | ("binc", Color::Black) => clock.more = time(number()?),
                ("movestogo", _) => {
                    clock.moves = at_least_one(number()?).min(MOVES_TO_GO.into()) as u32
                }
                ("wtime" | "btime" | "winc" | "binc", _) => {
                    number()?;
                }
                ("infinite", _) => {}
                (word, _) => return Err(anyhow!("go does not know {word:?}")),
            }
        }
        limits.time = limits.time.or(clock.for_one_move());
        Ok(Errand::Search(limits))
    }
}

/// The time that a player has for the rest of the game.
struct Clock {
    left: Option<Duration>,
    more: Duration,
    moves: u32,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock {
            left: None,
            more: Duration::ZERO,
            moves: MOVES_TO_GO,
        }
    }
}

impl Clock {
    fn for_one_move(&self) -> Option<Duration> {
        let usable = self.left?.saturating_sub(RESERVE);
        Some((usable / self.moves + self.more * 3 / 4).min(usable / 2))
    }
}

/// An option with a whole number for its value.
struct Spin {
    name: &'static str,
    usual: usize,
    least: usize,
    most: usize,
}

/// Threads to count with; a search runs on one, so that it is the same every time.
const THREADS: Spin = Spin {
    name: "Threads",
    usual: 1,
    least: 1,
    most: 1024,
};

const HASH_MIB: Spin = Spin {
    name: "Hash",
    usual: 16,
    least: 1,
    most: 65_536,
};

const LINES: Spin = Spin {
    name: "MultiPV",
    usual: 1,
    least: 1,
    most: 500,
};

impl Spin {
    fn read(&self, value: &str) -> anyhow::Result<usize> {
        let (least, most) = (self.least, self.most);
        let number = value
            .parse()
            .ok()
            .filter(|value| (least..=most).contains(value));
        number.ok_or_else(|| anyhow!("{} is a number from {least} to {most}", self.name))
    }
}

impl fmt::Display for Spin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spin {
            name,
            usual,
            least,
            most,
        } = self;
        write!(
            f,
            "option name {name} type spin default {usual} min {least} max {most}"
        )
    }
}

#[derive(PartialEq, Eq)]
enum Next {
    Listen,
    Quit,
}

/// What the engine knows between two orders.
struct Session {
    /// The positions of the game, up to the one to look at.
    game: Vec<Board>,
    is_chess960: bool,
    threads: usize,
    lines: usize,
    /// Taken along by a search, and brought back.
    engine: Arc<Mutex<Engine>>,
    running: Option<Running>,
}

/// A command that takes its time on a thread of its own, which says what comes of it.
struct Running {
    thread: JoinHandle<Result<(), Failure>>,
    is_stopped: Arc<AtomicBool>,
    /// Whether only a stop ends it.
    is_endless: bool,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            game: vec![Board::from_start(StartId::CLASSICAL)],
            is_chess960: false,
            threads: THREADS.usual,
            lines: 1,
            engine: Arc::new(Mutex::new(Engine::new(HASH_MIB.usual << 20))),
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
            Order::NewGame => {
                self.engine().clear();
                Ok(())
            }
            Order::IsReady | Order::Stop | Order::Nothing => Ok(()),
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
        match (name.to_ascii_lowercase().as_str(), value) {
            ("uci_chess960", _) => {
                self.is_chess960 = value.parse().context("UCI_Chess960 is true or false")?;
            }
            ("threads", threads) => self.threads = THREADS.read(threads)?,
            ("hash", mib) => *self.engine() = Engine::new(HASH_MIB.read(mib)? << 20),
            ("multipv", lines) => self.lines = LINES.read(lines)?,
            _ => return Err(anyhow!("no such option: {name}")),
        }
        Ok(())
    }

    fn engine(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().expect("no search has panicked")
    }

    fn board(&self) -> &Board {
        self.game.last().expect("a game has a position")
    }

    fn set_position(&mut self, rest: &str) -> anyhow::Result<()> {
        let (position, moves) = match rest.split_once("moves") {
            Some((position, moves)) => (position.trim(), moves),
            None => (rest, ""),
        };
        let first = match position.split_once(' ') {
            Some(("fen", fen)) => fen.parse().context("not a legal position")?,
            _ if position == "startpos" => Board::from_start(StartId::CLASSICAL),
            _ => {
                return Err(anyhow!(
                    "a position is `startpos` or `fen FEN`, with `moves …` behind it"
                ));
            }
        };
        let mut game = vec![first];
        for mv in moves.split_whitespace() {
            let board = game[game.len() - 1];
            game.push(board.play(board.parse_uci(mv)?));
        }
        self.game = game;
        Ok(())
    }

    fn go(&mut self, rest: &str) -> anyhow::Result<()> {
        let (board, spelling) = (*self.board(), Spelling::of(self));
        match Errand::read(rest, board.turn())? {
            Errand::Count(depth) => {
                let pool = ThreadPoolBuilder::new().num_threads(self.threads).build()?;
                self.run(false, move |is_stopped| {
                    pool.install(|| perft(&board, depth, spelling, is_stopped))
                })
            }
            Errand::Search(limits) => {
                let (game, lines) = (self.game.clone(), self.lines);
                let engine = Arc::clone(&self.engine);
                let is_endless = limits == Limits::default();
                self.run(is_endless, move |is_stopped| {
                    let mut engine = engine.lock().expect("no search has panicked");
                    search(&mut engine, &game, &limits, lines, spelling, is_stopped)
                })
            }
        }
    }

    /// Begins something that takes its time.
    fn run(
        &mut self,
        is_endless: bool,
        work: impl FnOnce(&AtomicBool) -> Result<(), Failure> + Send + 'static,
    ) -> anyhow::Result<()> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_stopped);
        let thread = thread::Builder::new().spawn(move || work(&flag))?;
        self.running = Some(Running {
            thread,
            is_stopped,
            is_endless,
        });
        Ok(())
    }

    fn stop(&mut self) -> Result<(), Failure> {
        if let Some(running) = &self.running {
            running.is_stopped.store(true, Ordering::Relaxed);
        }
        self.finish()
    }

    /// Waits for what is running, or ends it if it would never end.
    fn finish(&mut self) -> Result<(), Failure> {
        let Some(running) = self.running.take() else {
            return Ok(());
        };
        if running.is_endless {
            running.is_stopped.store(true, Ordering::Relaxed);
        }
        match running.thread.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn draw(&self) -> Result<(), Failure> {
        let (x_fen, shredder_fen) = (self.board().x_fen(), self.board().shredder_fen());
        let drawing = draw(self.board(), false);
        say(&format!(
            "\n{drawing}\nFen: {x_fen}\nShredder-FEN: {shredder_fen}"
        ))
    }
}

fn introduce() -> Result<(), Failure> {
    say(concat!(
        "id name ninesixty ",
        env!("CARGO_PKG_VERSION"),
        "\nid author the ninesixty authors"
    ))?;
    say(&format!("{THREADS}\n{HASH_MIB}\n{LINES}"))?;
    say("option name UCI_Chess960 type check default false\nuciok")
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

fn search(
    engine: &mut Engine,
    game: &[Board],
    limits: &Limits,
    lines: usize,
    spelling: Spelling,
    is_stopped: &AtomicBool,
) -> Result<(), Failure> {
    let begun = Instant::now();
    let is_stopped = || is_stopped.load(Ordering::Relaxed);
    let mut told = Ok(());
    let found = engine.search(game, limits, lines, &is_stopped, &mut |report| {
        // Whoever has gone away is told so once, at the end.
        if told.is_ok() {
            told = say(&describe(&report, begun.elapsed(), spelling));
        }
    });
    told?;
    let mut moves = found.lines[0].moves.iter();
    match moves.next() {
        Some(&best) => say(&format!("bestmove {}", spelling.write(best))),
        None => say("bestmove (none)"),
    }
}

fn describe(report: &Report, elapsed: Duration, spelling: Spelling) -> String {
    let Report { line, nodes, .. } = report;
    let moves: Vec<String> = line.moves.iter().map(|&mv| spelling.write(mv)).collect();
    let per_second = (*nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64;
    format!(
        "info depth {} multipv {} score {} nodes {nodes} nps {per_second} hashfull {} time {} pv {}",
        line.depth,
        report.rank + 1,
        line.score,
        report.fullness,
        elapsed.as_millis(),
        moves.join(" ")
    )
}

/// How castling is written: as king takes rook, or in classical chess as the king's leap.
#[derive(Clone, Copy)]
enum Spelling {
    KingTakesRook,
    Leap,
}

impl Spelling {
    fn of(session: &Session) -> Spelling {
        let board = session.board();
        let king = board.king_of(board.turn());
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
