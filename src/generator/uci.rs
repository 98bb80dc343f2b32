//! Any UCI engine that counts: Stockfish and its kin answer `go perft N`, some others `divide N`.
//!
//! Without the option `UCI_Chess960` an engine silently counts another game, so it is always set, and an engine that
//! does not offer it is only asked about positions that are the same in both games.

use std::sync::{Mutex, MutexGuard};

use super::answer;
use super::{Ask, Branches, Counter, CounterError, Line, Profile};
use crate::chess::{Board, Color, MoveKind};
use crate::perft::CountError;
use crate::table::reveal;
use crate::uci::{CommandLine, Engine, EngineError, Limits};

/// A UCI engine that counts. Threads that ask at the same time get a process each.
pub struct UciCounter {
    name: String,
    command: CommandLine,
    limits: Limits,
    /// What `UCI_Chess960` is set to.
    is_chess960: bool,
    idle: Mutex<Vec<Ready>>,
}

/// An engine that waits for a question.
struct Ready {
    engine: Engine,
    dialect: Dialect,
    knows_chess960: bool,
}

/// How an engine is asked for a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    GoPerft,
    Divide,
    Perft,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "it counts no moves: it answers none of `go perft 1`, `divide 1` and `perft 1` with a line per move and a total"
)]
struct CountsNothing;

const CHESS960: &str = "UCI_Chess960";

type Cause = Box<dyn std::error::Error + Send + Sync>;

impl UciCounter {
    pub fn new(name: &str, command: CommandLine, limits: Limits) -> UciCounter {
        UciCounter {
            name: name.to_owned(),
            command,
            limits,
            is_chess960: true,
            idle: Mutex::default(),
        }
    }

    /// The engine with `UCI_Chess960` turned off: not for counting, but to see whether the option makes a difference.
    pub fn without_chess960(name: &str, command: CommandLine, limits: Limits) -> UciCounter {
        UciCounter {
            is_chess960: false,
            ..UciCounter::new(name, command, limits)
        }
    }

    /// Asks an engine that is not busy, and keeps it if it is still good for anything afterwards.
    fn with_engine<T>(
        &self,
        is_stopped: &dyn Fn() -> bool,
        ask: impl FnOnce(&mut Ready) -> Result<T, CounterError>,
    ) -> Result<T, CounterError> {
        let idle = self.idle().pop();
        let mut ready = match idle {
            Some(ready) => ready,
            None => self.start(is_stopped)?,
        };
        let answer = ask(&mut ready);
        if matches!(answer, Ok(_) | Err(CounterError::Refused { .. })) {
            self.idle().push(ready);
        }
        answer
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Ready>> {
        self.idle
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    fn start(&self, is_stopped: &dyn Fn() -> bool) -> Result<Ready, CounterError> {
        let begin = || -> Result<Ready, EngineError> {
            let mut engine = Engine::start(&self.command, self.limits, is_stopped)?;
            let knows_chess960 = engine.offers(CHESS960);
            if knows_chess960 {
                engine.set_option(CHESS960, &self.is_chess960.to_string());
            }
            engine.synchronize(is_stopped)?;
            Ok(Ready {
                engine,
                dialect: Dialect::GoPerft,
                knows_chess960,
            })
        };
        let mut ready = begin().map_err(|error| self.unusable(error))?;
        let dialect = ready.find_dialect(&self.limits, is_stopped);
        ready.dialect = dialect
            .map_err(|error| self.unusable(error))?
            .ok_or_else(|| self.unusable_because(CountsNothing.into()))?;
        Ok(ready)
    }

    fn unusable(&self, error: EngineError) -> CounterError {
        match error {
            EngineError::Stopped => CountError::Stopped.into(),
            error => self.unusable_because(error.into()),
        }
    }

    fn unusable_because(&self, source: Cause) -> CounterError {
        CounterError::Unusable {
            counter: self.name.clone(),
            source,
        }
    }

    fn failed(&self, board: &Board, source: Cause) -> CounterError {
        CounterError::Failed {
            counter: self.name.clone(),
            fen: board.x_fen(),
            source,
        }
    }
}

impl Counter for UciCounter {
    fn name(&self) -> &str {
        &self.name
    }

    fn profile(&self, ask: &Ask) -> Result<Profile, CounterError> {
        self.with_engine(&ask.is_stopped, |ready| {
            let engine = &ready.engine;
            Ok(Profile {
                identity: engine
                    .name()
                    .map_or_else(|| engine.command().to_string(), reveal),
                asked_by: ready.dialect.words(),
                last_moves: None,
                is_hashed: None,
                knows_chess960: ready.knows_chess960,
                starts_anew: false,
            })
        })
    }

    fn branches(&self, line: &Line, depth: u32, ask: &Ask) -> Result<Branches, CounterError> {
        if depth == 0 {
            return Ok(Vec::new());
        }
        let end = line.end();
        self.with_engine(&ask.is_stopped, |ready| {
            if !ready.knows_chess960 && !is_classical(line) {
                return Err(CounterError::Refused {
                    counter: self.name.clone(),
                    fen: end.x_fen(),
                    reason: format!("it does not offer the option {CHESS960}, and castling here is not classical"),
                });
            }
            let orders = [ready.position(line), ready.dialect.order(depth)];
            let lines = ready.engine.ask(&orders, &ask.is_stopped, |line| answer::total(line).is_some());
            let lines = lines.map_err(|error| match error {
                EngineError::Stopped => CountError::Stopped.into(),
                error => self.failed(&end, error.into()),
            })?;
            answer::read(&lines, &end).map_err(|error| self.failed(&end, error.into()))
        })
    }
}

impl Ready {
    /// The order that sets up the end of a line.
    fn position(&self, line: &Line) -> String {
        let fen = if self.knows_chess960 {
            line.board.shredder_fen()
        } else {
            line.board.x_fen()
        };
        let mut order = format!("position fen {fen}");
        if !line.moves.is_empty() {
            order += " moves";
        }
        for mv in line.moves {
            let is_leap = mv.kind == MoveKind::Castling && !self.knows_chess960;
            order += &match (is_leap, mv.to > mv.from) {
                (true, true) => format!(" {}{}", mv.from, mv.from.offset(2)),
                (true, false) => format!(" {}{}", mv.from, mv.from.offset(-2)),
                (false, _) => format!(" {mv}"),
            };
        }
        order
    }

    /// Tries out how the engine counts. One that does not take `go perft` for a count begins to search, and is
    /// stopped; one that does not know a command says so, or nothing.
    fn find_dialect(
        &mut self,
        limits: &Limits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Dialect>, EngineError> {
        for dialect in [Dialect::GoPerft, Dialect::Divide, Dialect::Perft] {
            self.engine.send("position startpos");
            self.engine.send(&dialect.order(1));
            let mut branches = 0;
            let is_end = |line: &str| {
                branches += u32::from(answer::is_branch(line));
                answer::total(line).is_some() || is_refusal(line)
            };
            match self.engine.read_until(limits.start, is_stopped, is_end) {
                // Whether they are the right moves is for others to find out.
                Ok(_) if branches > 0 => return Ok(Some(dialect)),
                Ok(lines) if lines.last().is_some_and(|line| is_search(line)) => {
                    self.engine.stop();
                    let is_over = |line: &str| line.starts_with("bestmove");
                    self.engine.read_until(limits.start, is_stopped, is_over)?;
                }
                Ok(_) => {}
                Err(EngineError::Silent { .. }) if branches == 0 => {
                    self.engine.restart(is_stopped)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl Dialect {
    fn words(self) -> &'static str {
        match self {
            Dialect::GoPerft => "go perft N",
            Dialect::Divide => "divide N",
            Dialect::Perft => "perft N",
        }
    }

    fn order(self, depth: u32) -> String {
        self.words().replace('N', &depth.to_string())
    }
}

/// Whether a line shows that an engine did not understand, or understood something else.
fn is_refusal(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let complains = ["unknown", "invalid", "unrecognized", "illegal"];
    is_search(&line)
        || line.starts_with("bestmove")
        || !line.starts_with("info") && complains.iter().any(|word| line.contains(word))
}

/// Whether a line is of a search that is going on.
fn is_search(line: &str) -> bool {
    line.starts_with("info ") && line.contains(" score ")
}

/// Whether the line is the same in classical chess: nobody can castle, or from the classical squares only.
fn is_classical(line: &Line) -> bool {
    let board = line.board;
    board.castling_rooks().all(|rook| {
        let color = if rook.rank() == Color::White.home_rank() {
            Color::White
        } else {
            Color::Black
        };
        board.king_of(color).file() == 4 && matches!(rook.file(), 0 | 7)
    })
}
