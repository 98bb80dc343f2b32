//! Deeper and deeper: each search is ordered by the one before, and the last one that was finished counts.

use std::time::Duration;

use super::alphabeta::Window;
use super::chances::Chances;
use super::evaluation::{Judge, Learned};
use super::ordering::History;
use super::score::{DRAW, Score, Value, mated_after};
use super::table::Table;
use super::tree::{self, Guard, Node, Tree};
use crate::chess::{Board, Move, Zobrist};

/// When a search ends; the first limit that is reached counts. Without any it goes on until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub time: Option<Duration>,
}

/// A line of play, best for both players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the side to move has at its end.
    pub score: Score,
    /// The chances of the side to move, where they are known otherwise than from the score.
    pub chances: Option<Chances>,
    /// The depth of the last search that was finished.
    pub depth: u32,
    /// Empty only where the position has no legal move.
    pub moves: Vec<Move>,
}

impl Line {
    fn new(value: Value, depth: u32, moves: Vec<Move>) -> Line {
        Line {
            score: Score::from_value(value),
            chances: None,
            depth,
            moves,
        }
    }
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Best first; as many as were asked for, or as there are legal moves. Never empty.
    pub lines: Vec<Line>,
    /// The score of the best line as a [mean of the last depths](Score::steady).
    pub steady: Option<Score>,
    pub nodes: u64,
}

/// What is told of a search while it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub line: &'a Line,
    /// The place of the line among the best, from 0.
    pub rank: usize,
    pub nodes: u64,
    /// How full the table is, in thousandths.
    pub fullness: usize,
}

/// The deepest that a search is asked to go.
pub const DEEPEST: u32 = 100;

/// Windows around the value of the search before begin this wide, from this depth on.
const ASPIRATION: Value = 15;
const ASPIRATION_DEPTH: u32 = 5;

/// A searcher with its memory. It is used by one thread; a search for its own sake begins with
/// [`clear`](Engine::clear).
pub struct Engine {
    keys: Box<Zobrist>,
    table: Table,
    history: History,
    judge: Box<dyn Judge>,
}

/// The keys of all searches: another seed would give other collisions in the table.
const SEED: u64 = 960;

impl Engine {
    /// An engine that remembers positions in so many bytes.
    pub fn new(table_bytes: usize) -> Engine {
        Engine::with_judge(table_bytes, Box::new(Learned::default()))
    }

    /// An engine that leaves it to another to judge positions.
    pub fn with_judge(table_bytes: usize, judge: Box<dyn Judge>) -> Engine {
        Engine {
            keys: Zobrist::new(SEED),
            table: Table::new(table_bytes),
            history: History::new(),
            judge,
        }
    }

    /// Forgets everything, so that the next search does not depend on those before.
    pub fn clear(&mut self) {
        self.table.clear();
        self.history.clear();
    }

    /// Searches the last position of a game.
    ///
    /// - `game` is the positions from the first to the one to search; those before the last count for repetitions.
    /// - `lines` is how many of the best moves are wanted.
    /// - `is_stopped` is asked now and then, and ends the search.
    /// - `report` is told each line of each depth as it is finished.
    pub fn search(
        &mut self,
        game: &[Board],
        limits: &Limits,
        lines: usize,
        is_stopped: &dyn Fn() -> bool,
        report: &mut dyn FnMut(Report),
    ) -> Found {
        let (board, earlier) = game.split_last().expect("a game has a position");
        let mut first_moves = board.legal_moves();
        if first_moves.is_empty() {
            return nothing_to_play(board);
        }
        self.table.grow_old();
        let path: Vec<_> = game.iter().map(|board| self.keys.of(board)).collect();
        let mut tree = Tree {
            table: &mut self.table,
            history: &mut self.history,
            keys: &self.keys,
            judge: &mut *self.judge,
            guard: Guard::new(limits, is_stopped),
            played: earlier.len(),
            path,
            plies: tree::plies(),
            moves: Vec::with_capacity(1024),
            excluded: Vec::new(),
            best_so_far: None,
        };
        let wanted = lines.clamp(1, first_moves.len());
        let deepest = limits.depth.unwrap_or(DEEPEST).clamp(1, DEEPEST);
        // Where there is no time for anything, any move is better than none.
        first_moves.truncate(1);
        let mut found = vec![Line::new(tree.evaluate(board), 0, first_moves)];
        let mut by_depth = Vec::new();
        for depth in 1..=deepest {
            let is_finished = tree.deepen(board, depth, wanted, &mut found, report);
            if !is_finished {
                break;
            }
            by_depth.push(found[0].score);
        }
        Found {
            lines: found,
            steady: Score::steady(&by_depth),
            nodes: tree.guard.nodes,
        }
    }
}

fn nothing_to_play(board: &Board) -> Found {
    let value = if board.is_check() {
        mated_after(0)
    } else {
        DRAW
    };
    Found {
        lines: vec![Line::new(value, 0, Vec::new())],
        steady: None,
        nodes: 0,
    }
}

impl Tree<'_> {
    /// One round of all lines to this depth, into `found`. Says whether there was time to finish it.
    fn deepen(
        &mut self,
        board: &Board,
        depth: u32,
        wanted: usize,
        found: &mut Vec<Line>,
        report: &mut dyn FnMut(Report),
    ) -> bool {
        self.excluded.clear();
        let mut round = Vec::with_capacity(wanted);
        for rank in 0..wanted {
            self.best_so_far = None;
            let guess = found.get(rank).filter(|line| line.depth > 0);
            let guess = guess.map(|line| line.score.to_value());
            let Some(value) = self.aspire(board, depth, guess) else {
                // A better move that was found before the time was up is worth more than the last round's. The same
                // move, seen deeper but not yet set against the others, is not.
                if let (1, Some((value, moves))) = (wanted, self.best_so_far.take())
                    && moves.first() != found[0].moves.first()
                {
                    found[0] = Line::new(value, found[0].depth, moves);
                }
                return false;
            };
            let moves = self.plies[0].line.clone();
            self.excluded.push(moves[0]);
            round.push(Line::new(value, depth, moves));
        }
        round.sort_by_key(|line| -line.score.to_value());
        *found = round;
        for (rank, line) in found.iter().enumerate() {
            report(Report {
                line,
                rank,
                nodes: self.guard.nodes,
                fullness: self.table.fullness(),
            });
        }
        true
    }

    /// Searches with a small window around the value that is expected, and with wider ones until it holds.
    fn aspire(&mut self, board: &Board, depth: u32, guess: Option<Value>) -> Option<Value> {
        let mut width = ASPIRATION;
        let mut window = match guess {
            Some(guess) if depth >= ASPIRATION_DEPTH => Window::around(guess, width),
            _ => Window::WHOLE,
        };
        let root = Node {
            board,
            key: *self.path.last().expect("the path begins with the game"),
            ply: 0,
        };
        loop {
            let value = self.search(root, depth as i32, window)?;
            width *= 2;
            if value <= window.alpha {
                window.alpha = Window::around(value, width).alpha;
            } else if value >= window.beta {
                window.beta = Window::around(value, width).beta;
            } else {
                return Some(value);
            }
        }
    }
}
