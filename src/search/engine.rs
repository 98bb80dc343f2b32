//! The engine: iterative deepening over the alpha-beta search.
//!
//! Each iteration searches one ply deeper and is ordered by the transposition table of the one before; the last
//! completed iteration counts.

use super::alpha_beta::Window;
use super::evaluation::{Evaluator, HybridEvaluator};
use super::move_ordering::History;
use super::options::SearchOptions;
use super::result::{PvLine, SearchProgress, SearchResult};
use super::score::{DRAW, Score, Value, mated_in};
use super::search_state::{self, Limiter, Node, SearchState};
use super::transposition_table::TranspositionTable;
use crate::chess::{Board, Zobrist};

/// The deepest iteration of any search, in plies.
pub const MAX_DEPTH: u32 = 100;

/// The seed of the Zobrist keys. It is fixed, because another seed would give other collisions in the table.
const ZOBRIST_SEED: u64 = 960;

/// The embedded engine with its transposition table and history. One thread uses it; call [`clear`](Engine::clear)
/// before a search whose result must not depend on earlier ones.
pub struct Engine {
    zobrist: Box<Zobrist>,
    tt: TranspositionTable,
    history: History,
    evaluator: Box<dyn Evaluator>,
}

impl Engine {
    /// An engine with a transposition table of this many bytes and the built-in evaluation.
    pub fn new(tt_bytes: usize) -> Engine {
        Engine::with_evaluator(tt_bytes, Box::new(HybridEvaluator::default()))
    }

    /// An engine with another evaluation.
    pub fn with_evaluator(tt_bytes: usize, evaluator: Box<dyn Evaluator>) -> Engine {
        Engine {
            zobrist: Zobrist::new(ZOBRIST_SEED),
            tt: TranspositionTable::new(tt_bytes),
            history: History::new(),
            evaluator,
        }
    }

    /// Clears the transposition table and the history (UCI's `ucinewgame`).
    pub fn clear(&mut self) {
        self.tt.clear();
        self.history.clear();
    }

    /// Searches the last position of a game. The positions before it count for repetitions.
    ///
    /// `report` is called with each line of each completed iteration.
    ///
    /// # Panics
    ///
    /// Panics if the game has no position.
    pub fn search(
        &mut self,
        game: &[Board],
        options: &SearchOptions,
        report: &mut dyn FnMut(SearchProgress),
    ) -> SearchResult {
        let (board, earlier) = game.split_last().expect("a game has a position");
        let mut root_moves = board.legal_moves();
        if root_moves.is_empty() {
            return game_over(board);
        }
        self.tt.next_generation();
        let key_stack: Vec<_> = game.iter().map(|board| self.zobrist.of(board)).collect();
        let mut state = SearchState {
            tt: &mut self.tt,
            history: &mut self.history,
            zobrist: &self.zobrist,
            evaluator: &mut *self.evaluator,
            limiter: Limiter::new(options),
            root_index: earlier.len(),
            key_stack,
            stack: search_state::new_stack(),
            move_stack: Vec::with_capacity(1024),
            excluded_root_moves: Vec::new(),
            unfinished_pv: None,
        };
        let multipv = options.multipv.clamp(1, root_moves.len());
        let max_depth = options
            .limits
            .depth
            .unwrap_or(MAX_DEPTH)
            .clamp(1, MAX_DEPTH);
        // Without time for a single iteration, any legal move is better than none.
        root_moves.truncate(1);
        let mut lines = vec![PvLine::new(state.evaluate(board), 0, root_moves)];
        let mut scores_by_depth = Vec::new();
        for depth in 1..=max_depth {
            let is_completed = state.iterate(board, depth, multipv, &mut lines, report);
            if !is_completed {
                break;
            }
            scores_by_depth.push(lines[0].score);
        }
        SearchResult {
            lines,
            steady: Score::steady(&scores_by_depth),
            nodes: state.limiter.nodes,
        }
    }
}

/// The result of a position without legal moves: mate or stalemate.
fn game_over(board: &Board) -> SearchResult {
    let value = if board.is_check() { mated_in(0) } else { DRAW };
    SearchResult {
        lines: vec![PvLine::new(value, 0, Vec::new())],
        steady: None,
        nodes: 0,
    }
}

/// Aspiration windows begin this wide on either side.
const ASPIRATION_WIDTH: Value = 15;
/// Aspiration windows are used from this depth on: the values of shallower iterations change too much.
const ASPIRATION_MIN_DEPTH: u32 = 5;

impl SearchState<'_> {
    /// One iteration: searches all lines to this depth and replaces `lines` by them. Returns whether it was completed
    /// before a limit.
    fn iterate(
        &mut self,
        board: &Board,
        depth: u32,
        multipv: usize,
        lines: &mut Vec<PvLine>,
        report: &mut dyn FnMut(SearchProgress),
    ) -> bool {
        self.excluded_root_moves.clear();
        let mut iteration = Vec::with_capacity(multipv);
        for rank in 0..multipv {
            self.unfinished_pv = None;
            let expected = lines.get(rank).filter(|line| line.depth > 0);
            let expected = expected.map(|line| line.score.to_value());
            let Some(value) = self.search_aspiration(board, depth, expected) else {
                // A better move that was found before the limit is taken over. The same move, searched deeper but not
                // yet compared with the others, says nothing new.
                if let (1, Some((value, moves))) = (multipv, self.unfinished_pv.take())
                    && moves.first() != lines[0].moves.first()
                {
                    lines[0] = PvLine::new(value, lines[0].depth, moves);
                }
                return false;
            };
            let moves = self.stack[0].pv.clone();
            self.excluded_root_moves.push(moves[0]);
            iteration.push(PvLine::new(value, depth, moves));
        }
        iteration.sort_by_key(|line| -line.score.to_value());
        *lines = iteration;
        for (rank, line) in lines.iter().enumerate() {
            report(SearchProgress {
                line,
                rank,
                nodes: self.limiter.nodes,
                hashfull: self.tt.hashfull(),
            });
        }
        true
    }

    /// Aspiration windows: the value rarely changes much from one iteration to the next, so a narrow window around the
    /// last value prunes more. If the value falls outside, that side of the window is widened and the search repeated.
    fn search_aspiration(
        &mut self,
        board: &Board,
        depth: u32,
        expected: Option<Value>,
    ) -> Option<Value> {
        let mut width = ASPIRATION_WIDTH;
        let mut window = match expected {
            Some(expected) if depth >= ASPIRATION_MIN_DEPTH => Window::aspiration(expected, width),
            _ => Window::FULL,
        };
        let root = Node {
            board,
            key: *self.key_stack.last().expect("the root is on the key stack"),
            ply: 0,
        };
        loop {
            let value = self.search(root, depth as i32, window)?;
            width *= 2;
            if value <= window.alpha {
                window.alpha = Window::aspiration(value, width).alpha;
            } else if value >= window.beta {
                window.beta = Window::aspiration(value, width).beta;
            } else {
                return Some(value);
            }
        }
    }
}
