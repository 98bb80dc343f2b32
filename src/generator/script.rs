//! Any program that follows the convention of perftree: its arguments are a depth, a FEN and, if there are any, the moves
//! played from it; it prints a line per first move, an empty line and the total.

use super::divide_output::{self, DivideOutputError};
use super::{Branches, CountRequest, Counter, CounterError, CounterHost, MoveLine, Profile};
use crate::chess::{Board, Move};
use crate::perft::CountError;
use crate::run::Cancel;
use crate::uci::{CommandLine, EngineError, EngineLimits, quote_stderr, run_script};

/// A program that is started for every count.
pub struct Script {
    name: String,
    command_line: CommandLine,
    limits: EngineLimits,
}

/// A script that exits with 0 may still have complained, for example about a program that it does not find.
#[derive(Debug, thiserror::Error)]
#[error("{reason}{}", quote_stderr(.stderr))]
struct OutputError {
    reason: DivideOutputError,
    stderr: String,
}

impl Script {
    /// A counter of this name that runs the command line.
    pub fn new(name: &str, command_line: CommandLine, limits: EngineLimits) -> Script {
        Script {
            name: name.to_owned(),
            command_line,
            limits,
        }
    }

    fn failed(
        &self,
        board: &Board,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> CounterError {
        CounterError::Failed {
            counter: self.name.clone(),
            fen: board.x_fen(),
            source: error.into(),
        }
    }
}

impl Counter for Script {
    fn name(&self) -> &str {
        &self.name
    }

    fn profile(&self, _: &Cancel) -> Result<Profile, CounterError> {
        Ok(Profile {
            identity: self.command_line.to_string(),
            protocol: "arguments: DEPTH FEN [MOVES]",
            methods: None,
            uses_hash: None,
            supports_chess960: true,
            host: CounterHost::ProcessPerCount,
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
        let mut arguments = vec![depth.to_string(), line.board.x_fen()];
        if !line.moves.is_empty() {
            let moves: Vec<String> = line.moves.iter().map(Move::to_string).collect();
            arguments.push(moves.join(" "));
        }
        let end = line.end();
        let cancel = request.options.cancel;
        let output = run_script(&self.command_line, &arguments, &self.limits, cancel);
        let output = output.map_err(|error| match error {
            EngineError::Cancelled => CountError::Cancelled.into(),
            EngineError::Start { .. } => CounterError::Unusable {
                counter: self.name.clone(),
                source: error.into(),
            },
            error => self.failed(&end, error),
        })?;
        let stderr = output.stderr;
        divide_output::parse(&output.text, &end)
            .map_err(|reason| self.failed(&end, OutputError { reason, stderr }))
    }
}
