//! Any program that follows the convention of perftree: it is given a depth, a FEN and, if there are any, the moves
//! played from it, and prints a line per first move, an empty line and the total.

use super::answer;
use super::{Ask, Branches, Counter, CounterError, Line, Profile};
use crate::chess::Board;
use crate::perft::CountError;
use crate::uci::{CommandLine, EngineError, Limits, run_script};

/// A script that counts.
pub struct Script {
    name: String,
    command: CommandLine,
    limits: Limits,
}

impl Script {
    pub fn new(name: &str, command: CommandLine, limits: Limits) -> Script {
        Script {
            name: name.to_owned(),
            command,
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

    fn profile(&self, _: &Ask) -> Result<Profile, CounterError> {
        Ok(Profile {
            identity: self.command.to_string(),
            asked_by: "arguments: DEPTH FEN [MOVES]",
            last_moves: None,
            is_hashed: None,
            knows_chess960: true,
            starts_anew: true,
        })
    }

    fn branches(&self, line: &Line, depth: u32, ask: &Ask) -> Result<Branches, CounterError> {
        if depth == 0 {
            return Ok(Vec::new());
        }
        let mut arguments = vec![depth.to_string(), line.board.x_fen()];
        if !line.moves.is_empty() {
            let moves: Vec<String> = line.moves.iter().map(|mv| mv.to_string()).collect();
            arguments.push(moves.join(" "));
        }
        let end = line.end();
        let lines = run_script(&self.command, &arguments, &self.limits, &ask.is_stopped);
        let lines = lines.map_err(|error| match error {
            EngineError::Stopped => CountError::Stopped.into(),
            EngineError::Start { .. } => CounterError::Unusable {
                counter: self.name.clone(),
                source: error.into(),
            },
            error => self.failed(&end, error),
        })?;
        answer::read(&lines, &end).map_err(|error| self.failed(&end, error))
    }
}
