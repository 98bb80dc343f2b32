//! UCI engines that count: Stockfish and its derivatives answer `go perft N`, some others `divide N` or `perft N`.
//!
//! `UCI_Chess960` is always set. An engine that does not offer it plays classical chess and would count something else
//! without a warning, so it is asked only about positions whose castling is classical.

use std::sync::{Mutex, MutexGuard};

use super::divide_output;
use super::{
    Branches, CountMethod, CountRequest, Counter, CounterError, CounterHost, MoveLine, Profile,
};
use crate::chess::{Board, Color, MoveKind};
use crate::perft::CountError;
use crate::run::Cancel;
use crate::table::escape_control;
use crate::uci::{
    CHESS960_OPTION, CommandLine, EngineError, EngineLimits, EngineProcess, Question,
};

/// A UCI engine that counts. Threads that count at the same time get a process each.
pub struct UciCounter {
    name: String,
    command_line: CommandLine,
    limits: EngineLimits,
    /// The value of `UCI_Chess960`.
    is_chess960: bool,
    idle: Mutex<Vec<ReadyEngine>>,
}

/// What a UCI engine says about itself, besides its name.
#[derive(Clone, Debug)]
pub struct EngineInfo {
    /// The command that starts the engine.
    pub command_line: CommandLine,
    /// What the engine gave as `id author`.
    pub author: Option<String>,
    /// The names of its options.
    pub options: Vec<String>,
}

/// An engine that waits for commands.
struct ReadyEngine {
    process: EngineProcess,
    perft_command: PerftCommand,
    supports_chess960: bool,
}

/// The command with which an engine is asked for a count. UCI has none, so engines differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PerftCommand {
    GoPerft,
    Divide,
    Perft,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "it does not support perft: it answers none of `go perft 1`, `divide 1` and `perft 1` with a line per move and a total"
)]
struct NoPerft;

type BoxedError = Box<dyn std::error::Error + Send + Sync>;

impl UciCounter {
    /// A counter of this name that starts the engine when it is first asked.
    pub fn new(name: &str, command_line: CommandLine, limits: EngineLimits) -> UciCounter {
        UciCounter {
            name: name.to_owned(),
            command_line,
            limits,
            is_chess960: true,
            idle: Mutex::default(),
        }
    }

    /// The same engine with `UCI_Chess960` turned off, to find out whether the option has an effect.
    pub fn without_chess960(&self) -> UciCounter {
        UciCounter {
            is_chess960: false,
            ..UciCounter::new(&self.name, self.command_line.clone(), self.limits)
        }
    }

    /// What the engine says about itself.
    pub fn info(&self, cancel: &Cancel) -> Result<EngineInfo, CounterError> {
        self.with_engine(cancel, |engine| {
            let process = &engine.process;
            Ok(EngineInfo {
                command_line: process.command_line().clone(),
                author: process.author().map(str::to_owned),
                options: process.options().to_vec(),
            })
        })
    }

    /// Runs `ask` with an idle engine, or a new one if there is none. The engine is reused only if its state is known
    /// afterwards.
    fn with_engine<T>(
        &self,
        cancel: &Cancel,
        ask: impl FnOnce(&mut ReadyEngine) -> Result<T, CounterError>,
    ) -> Result<T, CounterError> {
        let idle = self.idle().pop();
        let mut engine = match idle {
            Some(engine) => engine,
            None => self.start(cancel)?,
        };
        let answer = ask(&mut engine);
        if matches!(answer, Ok(_) | Err(CounterError::Refused { .. })) {
            self.idle().push(engine);
        }
        answer
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ReadyEngine>> {
        self.idle
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    fn start(&self, cancel: &Cancel) -> Result<ReadyEngine, CounterError> {
        let start = || -> Result<ReadyEngine, EngineError> {
            let mut process = EngineProcess::start(&self.command_line, self.limits, cancel)?;
            let supports_chess960 = process.set_chess960(self.is_chess960);
            process.synchronize(cancel)?;
            Ok(ReadyEngine {
                process,
                perft_command: PerftCommand::GoPerft,
                supports_chess960,
            })
        };
        let mut engine = start().map_err(|error| self.engine_error(error))?;
        let command = engine.find_perft_command(cancel);
        engine.perft_command = command
            .map_err(|error| self.engine_error(error))?
            .ok_or_else(|| self.unusable(NoPerft.into()))?;
        Ok(engine)
    }

    fn engine_error(&self, error: EngineError) -> CounterError {
        match error {
            EngineError::Cancelled => CountError::Cancelled.into(),
            error => self.unusable(error.into()),
        }
    }

    fn unusable(&self, source: BoxedError) -> CounterError {
        CounterError::Unusable {
            counter: self.name.clone(),
            source,
        }
    }

    fn failed(&self, board: &Board, source: BoxedError) -> CounterError {
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

    fn profile(&self, cancel: &Cancel) -> Result<Profile, CounterError> {
        self.with_engine(cancel, |engine| {
            let process = &engine.process;
            Ok(Profile {
                identity: process
                    .name()
                    .map_or_else(|| process.command_line().to_string(), escape_control),
                protocol: engine.perft_command.template(),
                methods: known_methods(process.name()),
                uses_hash: None,
                supports_chess960: engine.supports_chess960,
                host: CounterHost::ChildProcess,
            })
        })
    }

    fn branches(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<Branches, CounterError> {
        if depth == 0 {
            return Ok(Vec::new());
        }
        let end = line.end();
        let cancel = request.options.cancel;
        self.with_engine(cancel, |engine| {
            if !engine.supports_chess960 && !is_classical(line) {
                return Err(CounterError::Refused {
                    counter: self.name.clone(),
                    fen: end.x_fen(),
                    reason: format!(
                        "it does not offer the option {CHESS960_OPTION}, and castling here is not classical"
                    ),
                });
            }
            let question = Question {
                setup: &[engine.position_command(line)],
                command: &engine.perft_command.with_depth(depth),
            };
            let is_last = |line: &str| divide_output::total(line).is_some();
            let answer = engine.process.ask(&question, cancel, is_last);
            let answer = answer.map_err(|error| match error {
                EngineError::Cancelled => CountError::Cancelled.into(),
                error => self.failed(&end, error.into()),
            })?;
            divide_output::parse(&answer, &end).map_err(|error| self.failed(&end, error.into()))
        })
    }
}

impl ReadyEngine {
    /// The `position` command for a line.
    fn position_command(&self, line: &MoveLine) -> String {
        let fen = if self.supports_chess960 {
            line.board.shredder_fen()
        } else {
            line.board.x_fen()
        };
        let mut command = format!("position fen {fen}");
        if !line.moves.is_empty() {
            command += " moves";
        }
        for mv in line.moves {
            // In classical UCI, castling is written as the king's move of two squares.
            let is_two_squares = mv.kind == MoveKind::Castling && !self.supports_chess960;
            command += &match (is_two_squares, mv.to > mv.from) {
                (true, true) => format!(" {}{}", mv.from, mv.from.offset(2)),
                (true, false) => format!(" {}{}", mv.from, mv.from.offset(-2)),
                (false, _) => format!(" {mv}"),
            };
        }
        command
    }

    /// Tries the perft commands one after the other. An engine that does not know `go perft` starts to search and is
    /// stopped; an engine that does not know a command prints a complaint, or nothing.
    fn find_perft_command(&mut self, cancel: &Cancel) -> Result<Option<PerftCommand>, EngineError> {
        for command in [
            PerftCommand::GoPerft,
            PerftCommand::Divide,
            PerftCommand::Perft,
        ] {
            let question = Question {
                setup: &["position startpos".to_owned()],
                command: &command.with_depth(1),
            };
            let is_last = |line: &str| divide_output::total(line).is_some() || is_refusal(line);
            match self.process.probe(&question, cancel, is_last) {
                // Whether these are the right moves is not checked here.
                Ok(answer) if has_branches_and_total(&answer) => return Ok(Some(command)),
                Ok(answer) if is_searching(&answer) => self.process.stop(cancel)?,
                Ok(_) => {}
                Err(EngineError::TimedOut { .. }) => self.process.restart(cancel)?,
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl PerftCommand {
    fn template(self) -> &'static str {
        match self {
            PerftCommand::GoPerft => "go perft N",
            PerftCommand::Divide => "divide N",
            PerftCommand::Perft => "perft N",
        }
    }

    fn with_depth(self, depth: u32) -> String {
        self.template().replace('N', &depth.to_string())
    }
}

/// The methods of engines whose source is known: Stockfish's perft takes the size of the move list at the last ply, that
/// is, it counts in bulk.
fn known_methods(name: Option<&str>) -> Option<&'static [CountMethod]> {
    let is_stockfish = name.is_some_and(|name| name.starts_with("Stockfish "));
    is_stockfish.then_some(&[CountMethod::Bulk])
}

/// Whether a line shows that an engine did not understand the command, or took it for another one.
fn is_refusal(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let complaints = ["unknown", "invalid", "unrecognized", "illegal"];
    is_search_info(&line)
        || line.starts_with("bestmove")
        || !line.starts_with("info") && complaints.iter().any(|word| line.contains(word))
}

fn has_branches_and_total(answer: &str) -> bool {
    answer.lines().any(divide_output::is_branch)
        && answer
            .lines()
            .any(|line| divide_output::total(line).is_some())
}

/// Whether the last that was heard is a search that goes on.
fn is_searching(answer: &str) -> bool {
    answer.lines().any(is_search_info) && !answer.lines().any(|line| line.starts_with("bestmove"))
}

/// Whether a line reports the progress of a search.
fn is_search_info(line: &str) -> bool {
    line.starts_with("info ") && line.contains(" score ")
}

/// Whether classical chess has the same moves: neither side can castle, or only from the classical squares.
fn is_classical(line: &MoveLine) -> bool {
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
