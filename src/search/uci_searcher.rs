//! Searches with another engine over UCI.
//!
//! A [`UciSearcher`] takes a position and [`SearchOptions`], like [`Engine`](super::Engine), and returns the engine's
//! answer as a [`SearchResult`] in which every move has been checked. Each search is a new game (`ucinewgame`), so
//! that it does not depend on earlier ones. An engine without `UCI_Chess960` would castle by other rules and is
//! refused.

use std::time::Duration;

use super::options::{SearchLimits, SearchOptions};
use super::result::{PvLine, SearchResult};
use super::score::Score;
use super::wdl::Wdl;
use crate::chess::{Board, Move};
use crate::run::Cancel;
use crate::uci::{self, CommandLine, EngineError, EngineLimits, EngineProcess, Question};

/// Why a search by a UCI engine failed.
#[derive(Debug, thiserror::Error)]
pub enum UciSearchError {
    /// The engine does not start, answer in time or stay alive.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine lacks an option that is needed.
    #[error("`{program}` does not offer the option {option}")]
    MissingOption {
        /// The engine's program.
        program: String,
        /// The option.
        option: String,
    },
    /// The engine's answer makes no sense.
    #[error("`{program}` searched {fen} and answered {answer:?}: {reason}")]
    InvalidAnswer {
        /// The engine's program.
        program: String,
        /// The position.
        fen: String,
        /// The line of the answer.
        answer: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// How a UCI engine is started.
#[derive(Clone, Copy, Debug)]
pub struct UciSearcherOptions<'a> {
    /// Names and values of options to set. The engine has to offer each of them.
    pub engine_options: &'a [(String, String)],
    /// The number of lines that searches will ask for. An engine that cannot do so is refused at once, not at the first
    /// search.
    pub multipv: usize,
    /// Time-outs and size limits.
    pub limits: EngineLimits,
    /// Ends the start when it is set.
    pub cancel: &'a Cancel,
}

impl Default for UciSearcherOptions<'_> {
    /// No options, one line, the usual limits, never cancelled.
    fn default() -> Self {
        UciSearcherOptions {
            engine_options: &[],
            multipv: 1,
            limits: EngineLimits::default(),
            cancel: Cancel::NEVER,
        }
    }
}

/// A UCI engine that is ready to search.
pub struct UciSearcher {
    engine: EngineProcess,
    timeout: Duration,
    /// The value of the engine's `MultiPV` option.
    multipv: usize,
}

const MULTIPV: &str = "MultiPV";
const SHOW_WDL: &str = "UCI_ShowWDL";

/// How often a search is tried before it has failed: a hung engine may recover after a restart.
const ATTEMPTS: u32 = 2;

/// How much longer than its time limit an engine may take to answer.
const GRACE: Duration = Duration::from_secs(30);

impl UciSearcher {
    /// Starts an engine and sets its options.
    pub fn start(
        command: &CommandLine,
        options: &UciSearcherOptions,
    ) -> Result<UciSearcher, UciSearchError> {
        let engine = EngineProcess::start(command, options.limits, options.cancel)?;
        let mut searcher = UciSearcher {
            engine,
            timeout: options.limits.answer,
            multipv: 1,
        };
        for (option, value) in options.engine_options {
            searcher.set_option(option, value)?;
        }
        if !searcher.engine.set_chess960(true) {
            return Err(UciSearchError::MissingOption {
                program: command.to_string(),
                option: uci::CHESS960_OPTION.to_owned(),
            });
        }
        searcher.set_multipv(options.multipv)?;
        if searcher.engine.has_option(SHOW_WDL) {
            searcher.engine.set_option(SHOW_WDL, "true");
        }
        searcher.engine.synchronize(options.cancel)?;
        Ok(searcher)
    }

    fn set_option(&mut self, option: &str, value: &str) -> Result<(), UciSearchError> {
        if !self.engine.has_option(option) {
            return Err(UciSearchError::MissingOption {
                program: self.engine.command_line().to_string(),
                option: option.to_owned(),
            });
        }
        self.engine.set_option(option, value);
        Ok(())
    }

    fn set_multipv(&mut self, multipv: usize) -> Result<(), UciSearchError> {
        let multipv = multipv.max(1);
        if multipv != self.multipv {
            self.set_option(MULTIPV, &multipv.to_string())?;
            self.multipv = multipv;
        }
        Ok(())
    }

    /// The name of the engine (`id name`), or its program if it gives none.
    pub fn name(&self) -> &str {
        self.engine
            .name()
            .unwrap_or(self.engine.command_line().program())
    }

    /// Searches a position. An engine that dies, hangs or gives an invalid answer is restarted and asked once more.
    pub fn search(
        &mut self,
        board: &Board,
        options: &SearchOptions,
    ) -> Result<SearchResult, UciSearchError> {
        let mut attempt = 1;
        loop {
            match self.try_search(board, options) {
                Err(error) if attempt < ATTEMPTS && !error.is_final() => {
                    attempt += 1;
                    self.engine.restart(options.cancel)?;
                }
                outcome => return outcome,
            }
        }
    }

    fn try_search(
        &mut self,
        board: &Board,
        options: &SearchOptions,
    ) -> Result<SearchResult, UciSearchError> {
        self.set_multipv(options.multipv)?;
        let timeout = match options.limits.time {
            Some(time) => time.saturating_add(GRACE).min(self.timeout),
            None => self.timeout,
        };
        let question = Question {
            setup: &[
                "ucinewgame".to_owned(),
                format!("position fen {}", board.shredder_fen()),
            ],
            command: &go_command(&options.limits),
        };
        let answer = self
            .engine
            .ask_once(&question, timeout, options.cancel, is_best_move)?;
        let result = parse_answer(board, &answer, self.multipv);
        result.map_err(
            |InvalidAnswer { line, reason }| UciSearchError::InvalidAnswer {
                program: self.engine.command_line().to_string(),
                fen: board.x_fen(),
                answer: line,
                reason,
            },
        )
    }
}

impl UciSearchError {
    /// Whether another attempt cannot help.
    fn is_final(&self) -> bool {
        matches!(
            self,
            UciSearchError::MissingOption { .. }
                | UciSearchError::Engine(EngineError::Cancelled | EngineError::Start { .. })
        )
    }
}

fn go_command(limits: &SearchLimits) -> String {
    let SearchLimits { depth, nodes, time } = limits;
    let mut command = "go".to_owned();
    if let Some(depth) = depth {
        command += &format!(" depth {depth}");
    }
    if let Some(nodes) = nodes {
        command += &format!(" nodes {nodes}");
    }
    if let Some(time) = time {
        command += &format!(" movetime {}", time.as_millis().max(1));
    }
    command
}

/// A line of an answer that cannot be right.
struct InvalidAnswer {
    line: String,
    reason: &'static str,
}

/// What an `info` line says about one principal variation.
#[derive(Default)]
struct InfoLine<'a> {
    rank: usize,
    depth: u32,
    nodes: u64,
    score: Option<Score>,
    is_bound: bool,
    wdl: Option<Wdl>,
    moves: Vec<&'a str>,
}

fn is_best_move(line: &str) -> bool {
    line.starts_with("bestmove")
}

/// The best move first, with the last score and variation that begin with it, then the last ones of the other ranks. A score
/// that is only a bound is used if there is no exact one.
fn parse_answer(
    board: &Board,
    answer: &str,
    multipv: usize,
) -> Result<SearchResult, InvalidAnswer> {
    let invalid = |line: &str, reason| InvalidAnswer {
        line: line.to_owned(),
        reason,
    };
    // What comes after the best move belongs to nothing that was asked.
    let last = answer.lines().find(|line| is_best_move(line)).unwrap_or("");
    let best_move = match last.split_whitespace().nth(1).unwrap_or("") {
        _ if board.legal_moves().is_empty() => None,
        text => Some(
            board
                .parse_uci(text)
                .map_err(|_| invalid(last, "the move is not legal"))?,
        ),
    };
    let mut by_rank: Vec<Option<PvLine>> = vec![None; multipv];
    let mut of_best_move: Option<PvLine> = None;
    let mut scores_by_depth: Vec<(u32, Score)> = Vec::new();
    let mut nodes = 0;
    for text in answer.lines().take_while(|line| !is_best_move(line)) {
        let Some(info) = InfoLine::parse(text) else {
            continue;
        };
        nodes = nodes.max(info.nodes);
        let Some(score) = info.score else {
            continue;
        };
        let is_news = |kept: &Option<PvLine>| !info.is_bound || kept.is_none();
        let mut kept = Vec::new();
        kept.extend(by_rank.get_mut(info.rank).filter(|kept| is_news(kept)));
        let is_of_best = best_move.is_some() && first_move(board, &info) == best_move;
        kept.extend(Some(&mut of_best_move).filter(|kept| is_of_best && is_news(kept)));
        if kept.is_empty() {
            continue;
        }
        if info.rank == 0 && !info.is_bound {
            scores_by_depth.pop_if(|(depth, _)| *depth == info.depth);
            scores_by_depth.push((info.depth, score));
        }
        let moves = board.parse_line(&info.moves);
        let line = PvLine {
            score,
            wdl: info.wdl,
            depth: info.depth,
            moves: moves.ok_or_else(|| invalid(text, "the variation is not legal"))?,
        };
        for kept in kept {
            *kept = Some(line.clone());
        }
    }
    let has_scores = by_rank.iter().any(Option::is_some) || of_best_move.is_some();
    if !has_scores {
        return Err(invalid(last, "there was no score before it"));
    }
    let (lines, is_first) = put_first(by_rank, best_move, of_best_move)
        .ok_or_else(|| invalid(last, "no score before it is that of this move"))?;
    let scores: Vec<Score> = scores_by_depth
        .into_iter()
        .map(|(_, score)| score)
        .collect();
    Ok(SearchResult {
        lines,
        steady: Score::steady(&scores).filter(|_| is_first),
        nodes,
    })
}

fn first_move(board: &Board, info: &InfoLine) -> Option<Move> {
    board.parse_uci(info.moves.first()?).ok()
}

/// The lines with that of the best move first, and whether that has the first rank. `None` if there is no line of the best
/// move: the score of another move must not stand beside it.
fn put_first(
    by_rank: Vec<Option<PvLine>>,
    best_move: Option<Move>,
    of_best_move: Option<PvLine>,
) -> Option<(Vec<PvLine>, bool)> {
    let multipv = by_rank.len();
    let mut first = by_rank.first().cloned().flatten();
    if let Some(line) = &mut first
        && line.moves.is_empty()
    {
        // Engines may give a score and a best move without a variation.
        line.moves.extend(best_move);
    }
    let is_first = |line: &PvLine| line.moves.first() == best_move.as_ref();
    let is_of_first_rank = first.as_ref().is_some_and(is_first);
    let best = first.clone().filter(is_first).or(of_best_move)?;
    let others = first
        .into_iter()
        .chain(by_rank.into_iter().skip(1).flatten());
    let others = others.filter(|line| !line.moves.is_empty() && !is_first(line));
    let lines = [best].into_iter().chain(others).take(multipv);
    Some((lines.collect(), is_of_first_rank))
}

impl InfoLine<'_> {
    /// `None` for lines that are no `info`, are `info string`, or are malformed.
    fn parse(text: &str) -> Option<InfoLine<'_>> {
        let mut words = text.strip_prefix("info ")?.split_whitespace();
        let mut info = InfoLine::default();
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
                    info.wdl = Wdl::new(part()?, part()?, part()?);
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

    fn parse_lines(lines: &[&str], multipv: usize) -> Result<SearchResult, String> {
        parse_answer(&classical(), &lines.join("\n"), multipv)
            .map_err(|invalid| invalid.reason.to_owned())
    }

    #[test]
    fn the_last_exact_score_of_each_rank_counts() {
        let result = parse_lines(
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
        let result = result.unwrap();
        let [first, second] = &result.lines[..] else {
            panic!("{result:?}");
        };
        assert_eq!((first.score, first.depth), (Score::Centipawns(31), 2));
        assert_eq!(first.moves.len(), 2);
        assert_eq!(first.wdl, Wdl::new(90, 880, 30));
        assert_eq!(second.score, Score::Centipawns(25));
        assert_eq!(result.steady, Some(Score::Centipawns(21)));
        assert_eq!(result.nodes, 70);
    }

    #[test]
    fn invalid_answers_are_refused() {
        let score = "info depth 1 score cp 10 nodes 20 pv e2e4";
        let cases: [(&[&str], &str); 5] = [
            (&["bestmove e2e4"], "there was no score before it"),
            (&[score, "bestmove e2e5"], "the move is not legal"),
            (&[score, "bestmove"], "the move is not legal"),
            (&[score, "bestmove (none)"], "the move is not legal"),
            (
                &["info depth 1 score cp 10 pv e2e4 e2e4", "bestmove e2e4"],
                "the variation is not legal",
            ),
        ];
        for (lines, reason) in cases {
            assert_eq!(parse_lines(lines, 1).unwrap_err(), reason, "{lines:?}");
        }
    }

    #[test]
    fn the_best_move_never_gets_the_score_of_another_move() {
        let first_two = |lines: &[&str]| {
            let result = parse_lines(lines, 2).unwrap();
            let line = |line: &PvLine| (line.moves[0].to_string(), line.score.to_string());
            let lines: Vec<(String, String)> = result.lines.iter().map(line).collect();
            (lines, result.steady.is_some())
        };
        let pair = |mv: &str, score: &str| (mv.to_owned(), score.to_owned());
        // The best move has the second rank.
        let lines = [
            "info depth 2 multipv 1 score cp 31 pv e2e4",
            "info depth 2 multipv 2 score cp 25 pv d2d4",
            "bestmove d2d4",
        ];
        let expected = vec![pair("d2d4", "cp 25"), pair("e2e4", "cp 31")];
        assert_eq!(first_two(&lines), (expected, false));
        // It was the best of an earlier depth.
        let lines = [
            "info depth 1 multipv 1 score cp 12 pv g1f3",
            "info depth 2 multipv 1 score cp 31 pv e2e4",
            "bestmove g1f3",
        ];
        let expected = vec![pair("g1f3", "cp 12"), pair("e2e4", "cp 31")];
        assert_eq!(first_two(&lines), (expected, false));
        // There is no first rank.
        let lines = [
            "info depth 2 multipv 2 score cp 25 pv d2d4",
            "bestmove d2d4",
        ];
        assert_eq!(first_two(&lines), (vec![pair("d2d4", "cp 25")], false));
        for lines in [
            [
                "info depth 2 multipv 2 score cp 25 pv d2d4",
                "bestmove e2e4",
            ],
            ["info depth 2 score cp 31 pv e2e4", "bestmove g1f3"],
        ] {
            let reason = parse_lines(&lines, 2).unwrap_err();
            assert_eq!(
                reason, "no score before it is that of this move",
                "{lines:?}"
            );
        }
        // A score without a variation is that of the best move.
        let lines = ["info depth 2 score cp 7", "bestmove e2e4"];
        assert_eq!(first_two(&lines), (vec![pair("e2e4", "cp 7")], true));
    }

    #[test]
    fn what_comes_after_the_best_move_is_ignored() {
        let lines = [
            "info depth 2 score cp 31 nodes 5 pv e2e4",
            "bestmove e2e4",
            "info depth 3 score cp 99 nodes 7 pv d2d4",
            "bestmove d2d4",
        ];
        let result = parse_lines(&lines, 1).unwrap();
        assert_eq!(result.lines[0].score, Score::Centipawns(31));
        assert_eq!(result.nodes, 5);
    }

    #[test]
    fn a_mated_position_has_no_best_move() {
        let board = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        let answer = "info depth 0 score mate 0\nbestmove (none)\n";
        let result = parse_answer(&board, answer, 1).ok().unwrap();
        assert_eq!(result.lines[0].score, Score::Mate(0));
        assert!(result.lines[0].moves.is_empty());
    }

    #[test]
    fn all_limits_are_sent() {
        let limits = SearchLimits {
            depth: Some(18),
            nodes: Some(1000),
            time: Some(Duration::from_millis(1500)),
        };
        assert_eq!(go_command(&limits), "go depth 18 nodes 1000 movetime 1500");
    }
}
