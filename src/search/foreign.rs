//! Another engine asked for its best lines, over UCI.
//!
//! A position and [`Limits`] walk in, and what the engine found walks out in our own words, every move of it
//! checked. Each search is a game of its own to the engine (`ucinewgame`), so that it does not depend on those
//! before. An engine without `UCI_Chess960` would silently play another game and is refused.

use std::time::Duration;

use super::chances::Chances;
use super::engine::{Found, Limits, Line};
use super::score::Score;
use crate::chess::Board;
use crate::uci::{self, CommandLine, EngineError};

/// Why another engine found nothing.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("`{program}` does not offer the option {option}")]
    NoOption { program: String, option: String },
    #[error("`{program}` answered with {answer:?} to {fen}, which {reason}")]
    Nonsense {
        program: String,
        fen: String,
        answer: String,
        reason: &'static str,
    },
}

/// An engine that is ready to search.
pub struct Foreign {
    engine: uci::Engine,
    timeout: Duration,
    /// How many lines it finds.
    lines: usize,
}

const CHESS960: &str = "UCI_Chess960";
const LINES: &str = "MultiPV";
const CHANCES: &str = "UCI_ShowWDL";

/// How often a search is tried before it has failed: a hung engine may do better afresh.
const ATTEMPTS: u32 = 2;

/// How much longer than it is told an engine may take with its answer.
const GRACE: Duration = Duration::from_secs(30);

impl Foreign {
    /// Starts an engine that is to find so many lines, and sets its options, each of which it has to offer.
    pub fn start(
        command: &CommandLine,
        options: &[(String, String)],
        lines: usize,
        limits: uci::Limits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Foreign, ForeignError> {
        let mut engine = uci::Engine::start(command, limits, is_stopped)?;
        let mut needed = vec![(CHESS960.to_owned(), "true".to_owned())];
        if lines > 1 {
            needed.push((LINES.to_owned(), lines.to_string()));
        }
        for (option, value) in options.iter().chain(&needed) {
            if !engine.offers(option) {
                return Err(ForeignError::NoOption {
                    program: command.to_string(),
                    option: option.clone(),
                });
            }
            engine.set_option(option, value);
        }
        if engine.offers(CHANCES) {
            engine.set_option(CHANCES, "true");
        }
        engine.synchronize(is_stopped)?;
        Ok(Foreign {
            engine,
            timeout: limits.answer,
            lines,
        })
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        self.engine
            .name()
            .unwrap_or(self.engine.command().program())
    }

    /// Searches a position. An engine that dies, hangs or talks nonsense is started again and asked once more.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Found, ForeignError> {
        let mut attempt = 1;
        loop {
            match self.try_search(board, limits, is_stopped) {
                Err(error) if attempt < ATTEMPTS && !error.is_final() => {
                    attempt += 1;
                    self.engine.restart(is_stopped)?;
                }
                outcome => return outcome,
            }
        }
    }

    fn try_search(
        &mut self,
        board: &Board,
        limits: &Limits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Found, ForeignError> {
        self.engine.send("ucinewgame");
        self.engine.synchronize(is_stopped)?;
        let fen = board.shredder_fen();
        self.engine.send(&format!("position fen {fen}"));
        self.engine.send(&go(limits));
        let timeout = match limits.time {
            Some(time) => time.saturating_add(GRACE).min(self.timeout),
            None => self.timeout,
        };
        let answer = self
            .engine
            .read_until(timeout, is_stopped, |line| line.starts_with("bestmove"))?;
        let found = read(board, &answer, self.lines);
        found.map_err(|Flaw { answer, reason }| ForeignError::Nonsense {
            program: self.engine.command().to_string(),
            fen: board.x_fen(),
            answer,
            reason,
        })
    }
}

impl ForeignError {
    /// Whether another attempt cannot help.
    fn is_final(&self) -> bool {
        matches!(
            self,
            ForeignError::NoOption { .. }
                | ForeignError::Engine(EngineError::Stopped | EngineError::Start { .. })
        )
    }
}

fn go(limits: &Limits) -> String {
    let Limits { depth, nodes, time } = limits;
    let mut order = "go".to_owned();
    if let Some(depth) = depth {
        order += &format!(" depth {depth}");
    }
    if let Some(nodes) = nodes {
        order += &format!(" nodes {nodes}");
    }
    if let Some(time) = time {
        order += &format!(" movetime {}", time.as_millis().max(1));
    }
    order
}

/// An answer that cannot be true.
struct Flaw {
    answer: String,
    reason: &'static str,
}

/// What an `info` line tells about one line of play.
#[derive(Default)]
struct Info<'a> {
    rank: usize,
    depth: u32,
    nodes: u64,
    score: Option<Score>,
    is_bound: bool,
    chances: Option<Chances>,
    moves: Vec<&'a str>,
}

/// The last word of the engine on each of its lines. A score that is only a bound serves where there is no other.
fn read(board: &Board, answer: &[String], wanted: usize) -> Result<Found, Flaw> {
    let last = answer.last().map_or("", String::as_str);
    let flaw = |answer: &str, reason| Flaw {
        answer: answer.to_owned(),
        reason,
    };
    let mut lines: Vec<Option<Line>> = vec![None; wanted];
    let mut by_depth: Vec<(u32, Score)> = Vec::new();
    let mut nodes = 0;
    for text in answer {
        let Some(info) = Info::read(text) else {
            continue;
        };
        nodes = nodes.max(info.nodes);
        let (Some(score), Some(line)) = (info.score, lines.get_mut(info.rank)) else {
            continue;
        };
        if info.is_bound && line.is_some() {
            continue;
        }
        if info.rank == 0 && !info.is_bound {
            by_depth.pop_if(|(depth, _)| *depth == info.depth);
            by_depth.push((info.depth, score));
        }
        *line = Some(Line {
            score,
            chances: info.chances,
            depth: info.depth,
            moves: board
                .parse_line(&info.moves)
                .ok_or_else(|| flaw(text, "is no legal line"))?,
        });
    }
    let mut lines: Vec<Line> = lines.into_iter().flatten().collect();
    let Some(first) = lines.first_mut() else {
        return Err(flaw(last, "comes without any score"));
    };
    let best = last.split_whitespace().nth(1).unwrap_or("");
    if !board.legal_moves().is_empty() {
        let best = board.parse_uci(best);
        let best = best.map_err(|_| flaw(last, "is not a legal move"))?;
        // An engine may name a move without a line, or change its mind when it is told to stop.
        if first.moves.first() != Some(&best) {
            first.moves = vec![best];
        }
    }
    let scores: Vec<Score> = by_depth.into_iter().map(|(_, score)| score).collect();
    Ok(Found {
        lines,
        steady: Score::steady(&scores),
        nodes,
    })
}

impl Info<'_> {
    /// `None` for lines that tell something else.
    fn read(text: &str) -> Option<Info<'_>> {
        let mut words = text.strip_prefix("info ")?.split_whitespace();
        let mut info = Info::default();
        while let Some(word) = words.next() {
            match word {
                "multipv" => info.rank = words.next()?.parse::<usize>().ok()?.checked_sub(1)?,
                "depth" => info.depth = words.next()?.parse().ok()?,
                "nodes" => info.nodes = words.next()?.parse().ok()?,
                "score" => {
                    let (unit, number) = (words.next()?, words.next()?);
                    info.score = Some(format!("{unit} {number}").parse().ok()?);
                }
                "lowerbound" | "upperbound" => info.is_bound = true,
                "wdl" => {
                    let mut part = || words.next()?.parse().ok();
                    info.chances = Chances::new(part()?, part()?, part()?);
                }
                "pv" => info.moves.extend(words.by_ref()),
                "string" => return None,
                _ => {}
            }
        }
        Some(info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;

    fn classical() -> Board {
        Board::from_start(StartId::CLASSICAL)
    }

    fn read_lines(lines: &[&str], wanted: usize) -> Result<Found, String> {
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        read(&classical(), &lines, wanted).map_err(|flaw| flaw.reason.to_owned())
    }

    #[test]
    fn the_last_exact_score_of_each_line_counts() {
        let found = read_lines(
            &[
                "info string NNUE evaluation",
                "info depth 1 multipv 1 score cp 10 nodes 20 pv a2a3",
                "info depth 2 multipv 1 score cp 90 nodes 30 pv a2a3",
                "info depth 2 multipv 1 score cp 31 wdl 90 880 30 nodes 40 pv e2e4 e7e5",
                "info depth 2 multipv 2 score cp 25 nodes 44 pv d2d4",
                "info depth 3 multipv 1 score cp 99 lowerbound nodes 60 pv e2e4",
                "info depth 3 currmove e2e4 nodes 70",
                "bestmove e2e4 ponder e7e5",
            ],
            2,
        );
        let found = found.unwrap();
        let [first, second] = &found.lines[..] else {
            panic!("{found:?}");
        };
        assert_eq!((first.score, first.depth), (Score::Centipawns(31), 2));
        assert_eq!(first.moves.len(), 2);
        assert_eq!(first.chances, Chances::new(90, 880, 30));
        assert_eq!(second.score, Score::Centipawns(25));
        assert_eq!(found.steady, Some(Score::Centipawns(21)));
        assert_eq!(found.nodes, 70);
    }

    #[test]
    fn answers_that_cannot_be_true_are_refused() {
        let score = "info depth 1 score cp 10 nodes 20 pv e2e4";
        let cases: [(&[&str], &str); 5] = [
            (&["bestmove e2e4"], "comes without any score"),
            (&[score, "bestmove e2e5"], "is not a legal move"),
            (&[score, "bestmove"], "is not a legal move"),
            (&[score, "bestmove (none)"], "is not a legal move"),
            (
                &["info depth 1 score cp 10 pv e2e4 e2e4", "bestmove e2e4"],
                "is no legal line",
            ),
        ];
        for (lines, reason) in cases {
            assert_eq!(read_lines(lines, 1).unwrap_err(), reason, "{lines:?}");
        }
    }

    #[test]
    fn a_mated_player_needs_no_move() {
        let board = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        let lines = ["info depth 0 score mate 0", "bestmove (none)"].map(str::to_owned);
        let found = read(&board, &lines, 1).ok().unwrap();
        assert_eq!(found.lines[0].score, Score::Mate(0));
        assert!(found.lines[0].moves.is_empty());
    }

    #[test]
    fn all_limits_are_told() {
        let limits = Limits {
            depth: Some(18),
            nodes: Some(1000),
            time: Some(Duration::from_millis(1500)),
        };
        assert_eq!(go(&limits), "go depth 18 nodes 1000 movetime 1500");
    }
}
