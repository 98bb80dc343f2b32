//! Stockfish as a yardstick.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ninesixty::chess::Board;

/// A Stockfish process: the one that `STOCKFISH` names, or the one that is installed.
pub struct Stockfish {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stockfish {
    pub fn start() -> Option<Stockfish> {
        let asked = std::env::var("STOCKFISH").ok();
        let mut candidates = asked
            .as_deref()
            .into_iter()
            .chain(["stockfish", "/usr/games/stockfish"]);
        let mut child = candidates.find_map(|program| {
            let mut command = Command::new(program);
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .ok()
        })?;
        let input = child.stdin.take()?;
        let output = BufReader::new(child.stdout.take()?);
        let mut stockfish = Stockfish {
            child,
            input,
            output,
        };
        stockfish.say("setoption name UCI_Chess960 value true");
        stockfish.say("isready");
        stockfish.answer("readyok");
        Some(stockfish)
    }

    pub fn perft(&mut self, board: &Board, depth: u32) -> u64 {
        self.say(&format!("position fen {}", board.shredder_fen()));
        self.say(&format!("go perft {depth}"));
        let total = self.answer("Nodes searched: ");
        total
            .trim()
            .parse()
            .expect("Stockfish ends a perft with its total")
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("Stockfish listens");
    }

    /// Reads up to the line that begins so, and gives its rest.
    fn answer(&mut self, beginning: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            let bytes = self
                .output
                .read_line(&mut line)
                .expect("Stockfish speaks text");
            assert_ne!(bytes, 0, "Stockfish has ended");
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.to_owned();
            }
        }
    }
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        self.say("quit");
        self.child.wait().expect("Stockfish quits when told");
    }
}
