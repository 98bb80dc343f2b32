//! The engine's side of the UCI protocol: a session that plays and counts.
//!
//! A [`UciSession`] reads commands, one per line, and writes the answers. A search or a count runs on a thread of its own,
//! so that `stop` and `isready` are obeyed meanwhile; every other command waits for it to end.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::engine::{Engine, MAX_DEPTH};
use super::options::{SearchLimits, SearchOptions};
use super::result::SearchProgress;
use crate::chess::{Board, Color, Move, MoveKind, Square};
use crate::perft::{CountError, CountOptions, Sharing, divide};
use crate::run::{Cancel, require_memory, thread_pool};
use crate::start::StartId;

/// The deepest count that is started.
const MAX_PERFT_DEPTH: u32 = 20;

/// Why a session ended early.
#[derive(Debug, thiserror::Error)]
pub enum UciSessionError {
    /// Commands cannot be read.
    #[error("cannot read UCI commands")]
    Input(#[source] io::Error),
    /// Answers cannot be written.
    #[error("cannot write UCI answers")]
    Output(#[source] io::Error),
}

/// A conversation with a GUI or a match driver.
///
/// ```
/// use ninesixty::search::UciSession;
///
/// let mut answers = Vec::new();
/// UciSession::new(&mut answers).run(&b"position startpos moves e2e4\ngo perft 2\nquit\n"[..])?;
/// assert!(String::from_utf8(answers)?.contains("Nodes searched: 600"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct UciSession<W> {
    out: SharedWriter<W>,
    state: EngineState,
}

/// What the engine knows between two commands.
struct EngineState {
    /// The positions of the game, up to the one to search.
    game: Vec<Board>,
    is_chess960: bool,
    threads: usize,
    multipv: usize,
    engine: Arc<Mutex<Engine>>,
}

/// Where answers go, from any thread.
struct SharedWriter<W>(Mutex<W>);

impl<W: Write> SharedWriter<W> {
    /// Prints lines and flushes: the reader of a pipe waits for them.
    fn print(&self, lines: &str) -> io::Result<()> {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{lines}")?;
        out.flush()
    }
}

/// A command from the GUI.
enum UciCommand<'a> {
    Uci,
    IsReady,
    SetOption(&'a str),
    NewGame,
    Position(&'a str),
    Go(&'a str),
    Stop,
    Display,
    Quit,
    Nothing,
    Unknown(&'a str),
}

impl UciCommand<'_> {
    fn parse(line: &str) -> UciCommand<'_> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "uci" => UciCommand::Uci,
            "isready" => UciCommand::IsReady,
            "setoption" => UciCommand::SetOption(rest),
            "ucinewgame" => UciCommand::NewGame,
            "position" => UciCommand::Position(rest),
            "go" => UciCommand::Go(rest),
            "stop" => UciCommand::Stop,
            "d" => UciCommand::Display,
            "quit" => UciCommand::Quit,
            "" => UciCommand::Nothing,
            _ => UciCommand::Unknown(line),
        }
    }
}

/// What `go` asks for.
enum GoCommand {
    Perft(u32),
    Search(SearchLimits),
}

/// The number of moves that a game without a time control is expected to last.
const MOVES_TO_GO: u32 = 25;
/// What sending a move may cost, of the time that is left.
const MOVE_OVERHEAD: Duration = Duration::from_millis(30);

impl GoCommand {
    fn parse(rest: &str, turn: Color) -> Result<GoCommand, String> {
        let mut limits = SearchLimits::default();
        let mut clock = Clock::default();
        let mut words = rest.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || {
                let value = words.next().unwrap_or("");
                let number = value.parse::<i64>();
                number.map_err(|_| format!("{word} needs a number, not {value:?}"))
            };
            // GUIs report the time of a lost game below zero.
            let at_least_one = |number: i64| number.max(1).unsigned_abs();
            let time = |number: i64| Duration::from_millis(number.max(0).unsigned_abs());
            match (word, turn) {
                ("perft", _) => {
                    let depth = u32::try_from(number()?).ok();
                    let depth = depth.filter(|depth| (1..=MAX_PERFT_DEPTH).contains(depth));
                    return depth
                        .map(GoCommand::Perft)
                        .ok_or_else(|| format!("perft counts 1 to {MAX_PERFT_DEPTH} plies"));
                }
                ("depth", _) => {
                    let depth = at_least_one(number()?).min(MAX_DEPTH.into());
                    limits.depth = Some(depth as u32);
                }
                ("nodes", _) => limits.nodes = Some(at_least_one(number()?)),
                ("movetime", _) => limits.time = Some(time(number()?)),
                ("wtime", Color::White) | ("btime", Color::Black) => {
                    clock.left = Some(time(number()?));
                }
                ("winc", Color::White) | ("binc", Color::Black) => {
                    clock.increment = time(number()?);
                }
                ("movestogo", _) => {
                    clock.moves = at_least_one(number()?).min(MOVES_TO_GO.into()) as u32;
                }
                ("wtime" | "btime" | "winc" | "binc", _) => {
                    number()?;
                }
                ("infinite", _) => {}
                (word, _) => return Err(format!("go does not know {word:?}")),
            }
        }
        limits.time = limits.time.or(clock.for_one_move());
        Ok(GoCommand::Search(limits))
    }
}

/// The time that a player has for the rest of the game.
struct Clock {
    left: Option<Duration>,
    increment: Duration,
    moves: u32,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock {
            left: None,
            increment: Duration::ZERO,
            moves: MOVES_TO_GO,
        }
    }
}

impl Clock {
    fn for_one_move(&self) -> Option<Duration> {
        let usable = self.left?.saturating_sub(MOVE_OVERHEAD);
        Some((usable / self.moves + self.increment * 3 / 4).min(usable / 2))
    }
}

/// An option with an integer value.
struct SpinOption {
    name: &'static str,
    default: usize,
    min: usize,
    max: usize,
}

/// Threads to count with; a search runs on one, so that it is the same every time.
const THREADS: SpinOption = SpinOption {
    name: "Threads",
    default: 1,
    min: 1,
    max: 1024,
};

const HASH_MIB: SpinOption = SpinOption {
    name: "Hash",
    default: 16,
    min: 1,
    max: 65_536,
};

const MULTIPV: SpinOption = SpinOption {
    name: "MultiPV",
    default: 1,
    min: 1,
    max: 500,
};

impl SpinOption {
    fn parse(&self, value: &str) -> Result<usize, String> {
        let (min, max) = (self.min, self.max);
        let number = value.parse().ok();
        let number = number.filter(|value| (min..=max).contains(value));
        number.ok_or_else(|| format!("{} is a number from {min} to {max}", self.name))
    }
}

impl fmt::Display for SpinOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SpinOption {
            name,
            default,
            min,
            max,
        } = self;
        write!(
            f,
            "option name {name} type spin default {default} min {min} max {max}"
        )
    }
}

/// A search or a count on a thread of its own, which prints its result.
struct Running<'scope> {
    thread: ScopedJoinHandle<'scope, io::Result<()>>,
    cancel: Cancel,
    /// Whether only `stop` ends it.
    is_infinite: bool,
}

impl Running<'_> {
    /// Waits for the end; a search without limits is ended.
    fn wait(self) -> io::Result<()> {
        if self.is_infinite {
            self.cancel.cancel();
        }
        match self.thread.join() {
            Ok(outcome) => outcome,
            Err(panic) => resume_unwind(panic),
        }
    }
}

impl<W: Write + Send> UciSession<W> {
    /// Starts a session that writes its answers to `out`.
    pub fn new(out: W) -> UciSession<W> {
        UciSession {
            out: SharedWriter(Mutex::new(out)),
            state: EngineState::default(),
        }
    }

    /// Obeys commands until `quit` or the end of the input.
    pub fn run(self, input: impl BufRead) -> Result<(), UciSessionError> {
        let UciSession { out, mut state } = self;
        let out = &out;
        thread::scope(|scope| {
            let mut running: Option<Running> = None;
            let finish = |running: &mut Option<Running>| {
                let outcome = running.take().map_or(Ok(()), Running::wait);
                outcome.map_err(UciSessionError::Output)
            };
            for line in input.lines() {
                let line = line.map_err(UciSessionError::Input)?;
                let command = UciCommand::parse(&line);
                match command {
                    UciCommand::IsReady => {
                        out.print("readyok").map_err(UciSessionError::Output)?;
                        continue;
                    }
                    UciCommand::Nothing => continue,
                    UciCommand::Stop => {
                        if let Some(running) = &running {
                            running.cancel.cancel();
                        }
                        finish(&mut running)?;
                        continue;
                    }
                    _ => {}
                }
                // A search or count in progress is finished first, also before `quit`: a script that pipes commands in wants
                // the answers.
                finish(&mut running)?;
                let outcome = match command {
                    UciCommand::Quit => return Ok(()),
                    UciCommand::Go(rest) => state
                        .go(rest)
                        .and_then(|work| work.start(scope, out))
                        .map(|work| running = Some(work)),
                    command => state.obey(&command, out).map_err(UciSessionError::Output)?,
                };
                if let Err(complaint) = outcome {
                    let line = format!("info string error: {complaint}");
                    out.print(&line).map_err(UciSessionError::Output)?;
                }
            }
            finish(&mut running)
        })
    }
}

impl Default for EngineState {
    fn default() -> EngineState {
        EngineState {
            game: vec![Board::from_start(StartId::CLASSICAL)],
            is_chess960: false,
            threads: THREADS.default,
            multipv: MULTIPV.default,
            engine: Arc::new(Mutex::new(Engine::new(HASH_MIB.default << 20))),
        }
    }
}

/// `Err` holds what to tell the GUI about a command that makes no sense.
type Obeyed = Result<(), String>;

impl EngineState {
    /// Obeys a command that ends at once.
    fn obey<W: Write>(
        &mut self,
        command: &UciCommand,
        out: &SharedWriter<W>,
    ) -> io::Result<Obeyed> {
        match command {
            UciCommand::Uci => introduce(out)?,
            UciCommand::Display => self.display(out)?,
            UciCommand::NewGame => self.engine().clear(),
            UciCommand::SetOption(rest) => return Ok(self.set_option(rest)),
            UciCommand::Position(rest) => return Ok(self.set_position(rest)),
            UciCommand::Unknown(line) => return Ok(Err(format!("unknown command: {line}"))),
            UciCommand::Go(_)
            | UciCommand::IsReady
            | UciCommand::Stop
            | UciCommand::Nothing
            | UciCommand::Quit => {}
        }
        Ok(Ok(()))
    }

    fn set_option(&mut self, rest: &str) -> Obeyed {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let ["name", name, "value", value] = words[..] else {
            return Err("an option is set by `setoption name NAME value VALUE`".to_owned());
        };
        match (name.to_ascii_lowercase().as_str(), value) {
            ("uci_chess960", _) => {
                let value = value.parse();
                self.is_chess960 = value.map_err(|_| "UCI_Chess960 is true or false")?;
            }
            ("threads", threads) => self.threads = THREADS.parse(threads)?,
            ("hash", mib) => {
                let bytes = HASH_MIB.parse(mib)? << 20;
                require_memory(bytes).map_err(|error| error.to_string())?;
                *self.engine() = Engine::new(bytes);
            }
            ("multipv", lines) => self.multipv = MULTIPV.parse(lines)?,
            _ => return Err(format!("no such option: {name}")),
        }
        Ok(())
    }

    fn engine(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn board(&self) -> &Board {
        self.game.last().expect("a game has a position")
    }

    fn set_position(&mut self, rest: &str) -> Obeyed {
        let (position, moves) = match rest.split_once("moves") {
            Some((position, moves)) => (position.trim(), moves),
            None => (rest, ""),
        };
        let first = match position.split_once(' ') {
            Some(("fen", fen)) => fen
                .parse()
                .map_err(|error| format!("not a legal position: {error}"))?,
            _ if position == "startpos" => Board::from_start(StartId::CLASSICAL),
            _ => {
                let usage =
                    "a position is `startpos` or `fen FEN`, optionally followed by `moves …`";
                return Err(usage.to_owned());
            }
        };
        let mut game = vec![first];
        for mv in moves.split_whitespace() {
            let board = game[game.len() - 1];
            let mv = board.parse_uci(mv).map_err(|error| error.to_string())?;
            game.push(board.play(mv));
        }
        self.game = game;
        Ok(())
    }

    fn go(&self, rest: &str) -> Result<Work, String> {
        let board = *self.board();
        let castling = CastlingNotation::of(self);
        Ok(match GoCommand::parse(rest, board.turn())? {
            GoCommand::Perft(depth) => Work::Perft {
                pool: thread_pool(self.threads)
                    .map_err(|error| format!("cannot start threads: {error}"))?,
                board,
                depth,
                castling,
            },
            GoCommand::Search(limits) => Work::Search {
                engine: Arc::clone(&self.engine),
                game: self.game.clone(),
                limits,
                multipv: self.multipv,
                castling,
            },
        })
    }

    fn display<W: Write>(&self, out: &SharedWriter<W>) -> io::Result<()> {
        let board = self.board();
        out.print(&format!(
            "\n{}\nFen: {}\nShredder-FEN: {}",
            board.diagram(),
            board.x_fen(),
            board.shredder_fen()
        ))
    }
}

fn introduce<W: Write>(out: &SharedWriter<W>) -> io::Result<()> {
    out.print(concat!(
        "id name ninesixty ",
        env!("CARGO_PKG_VERSION"),
        "\nid author the ninesixty authors"
    ))?;
    out.print(&format!("{THREADS}\n{HASH_MIB}\n{MULTIPV}"))?;
    out.print("option name UCI_Chess960 type check default false\nuciok")
}

/// What takes its time.
enum Work {
    Perft {
        pool: rayon::ThreadPool,
        board: Board,
        depth: u32,
        castling: CastlingNotation,
    },
    Search {
        engine: Arc<Mutex<Engine>>,
        game: Vec<Board>,
        limits: SearchLimits,
        multipv: usize,
        castling: CastlingNotation,
    },
}

impl Work {
    fn start<'scope, W: Write + Send>(
        self,
        scope: &'scope Scope<'scope, '_>,
        out: &'scope SharedWriter<W>,
    ) -> Result<Running<'scope>, String> {
        let cancel = Cancel::new();
        let seen = cancel.clone();
        let is_infinite =
            matches!(&self, Work::Search { limits, .. } if *limits == SearchLimits::default());
        let thread = thread::Builder::new().spawn_scoped(scope, move || self.run(&seen, out));
        Ok(Running {
            thread: thread.map_err(|error| format!("cannot start a thread: {error}"))?,
            cancel,
            is_infinite,
        })
    }

    fn run<W: Write>(self, cancel: &Cancel, out: &SharedWriter<W>) -> io::Result<()> {
        match self {
            Work::Perft {
                pool,
                board,
                depth,
                castling,
            } => {
                let options = CountOptions {
                    sharing: Sharing::Pool,
                    cancel,
                };
                let branches = pool.install(|| divide(&board, depth, &options));
                out.print(&describe_divide(branches, castling))
            }
            Work::Search {
                engine,
                game,
                limits,
                multipv,
                castling,
            } => {
                let options = SearchOptions {
                    limits,
                    multipv,
                    cancel,
                };
                let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
                search(&mut engine, &game, &options, castling, out)
            }
        }
    }
}

fn describe_divide(
    branches: Result<Vec<(Move, u128)>, CountError>,
    castling: CastlingNotation,
) -> String {
    let branches = match branches {
        Ok(branches) => branches,
        Err(CountError::Cancelled) => return "info string the count was stopped".to_owned(),
        Err(error) => return format!("info string error: {error}"),
    };
    let mut answer = String::new();
    for (mv, nodes) in &branches {
        answer += &format!("{}: {nodes}\n", castling.format(*mv));
    }
    let total: u128 = branches.iter().map(|&(_, nodes)| nodes).sum();
    format!("{answer}\nNodes searched: {total}\n")
}

fn search<W: Write>(
    engine: &mut Engine,
    game: &[Board],
    options: &SearchOptions,
    castling: CastlingNotation,
    out: &SharedWriter<W>,
) -> io::Result<()> {
    let started = Instant::now();
    let mut printed = Ok(());
    let result = engine.search(game, options, &mut |progress| {
        if printed.is_ok() {
            printed = out.print(&describe_progress(&progress, started.elapsed(), castling));
        }
    });
    printed?;
    match result.lines[0].moves.first() {
        Some(&best) => out.print(&format!("bestmove {}", castling.format(best))),
        None => out.print("bestmove (none)"),
    }
}

fn describe_progress(
    progress: &SearchProgress,
    elapsed: Duration,
    castling: CastlingNotation,
) -> String {
    let SearchProgress { line, nodes, .. } = progress;
    let moves: Vec<String> = line.moves.iter().map(|&mv| castling.format(mv)).collect();
    let nps = (*nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64;
    format!(
        "info depth {} multipv {} score {} nodes {nodes} nps {nps} hashfull {} time {} pv {}",
        line.depth,
        progress.rank + 1,
        line.score,
        progress.hashfull,
        elapsed.as_millis(),
        moves.join(" ")
    )
}

/// How castling is written.
#[derive(Clone, Copy)]
enum CastlingNotation {
    /// King takes rook, as in Chess960: `e1h1`.
    KingTakesRook,
    /// The king's two steps, as in classical chess: `e1g1`.
    KingSteps,
}

impl CastlingNotation {
    fn of(state: &EngineState) -> CastlingNotation {
        let board = state.board();
        let king = board.king_of(board.turn());
        if state.is_chess960 || king.file() != 4 {
            CastlingNotation::KingTakesRook
        } else {
            CastlingNotation::KingSteps
        }
    }

    fn format(self, mv: Move) -> String {
        let is_classical = matches!(mv.to.file(), 0 | 7);
        match (self, mv.kind) {
            (CastlingNotation::KingSteps, MoveKind::Castling) if is_classical => {
                let file = if mv.to > mv.from { 6 } else { 2 };
                format!("{}{}", mv.from, Square::at(file, mv.from.rank()))
            }
            _ => mv.to_string(),
        }
    }
}
