//! The state of a running search, shared by [`alpha_beta`](super::alpha_beta) and [`quiescence`](super::quiescence).
//!
//! It holds the search stack (one entry per ply), the Zobrist keys of the game and of the current path for detecting
//! repetitions, the stack of generated moves, and the limits.

use std::time::Instant;

use super::evaluation::Evaluator;
use super::move_ordering::{History, ScoredMove};
use super::options::SearchOptions;
use super::score::{MAX_PLY, Value};
use super::transposition_table::TranspositionTable;
use crate::chess::{Board, Move, Role, Zobrist, ZobristKey};
use crate::run::Cancel;

/// The clock and the cancel flag are checked once per this many nodes.
const NODES_PER_CHECK: u64 = 1024;

pub(super) struct SearchState<'a> {
    pub tt: &'a mut TranspositionTable,
    pub history: &'a mut History,
    pub zobrist: &'a Zobrist,
    pub evaluator: &'a mut dyn Evaluator,
    pub limiter: Limiter<'a>,
    /// The keys of all positions from the first of the game to the current node.
    pub key_stack: Vec<ZobristKey>,
    /// The index of the root in the key stack: how many positions of the game came before the search.
    pub root_index: usize,
    /// The search stack.
    pub stack: Vec<StackEntry>,
    /// The moves left to search at each ply: one stack for all plies, so that nodes allocate nothing.
    pub move_stack: Vec<ScoredMove>,
    /// MultiPV: root moves that already head a better line of this iteration.
    pub excluded_root_moves: Vec<Move>,
    /// The best line so far of the current iteration, in case it is not completed.
    pub unfinished_pv: Option<(Value, Vec<Move>)>,
}

/// What the search stack holds for a ply.
#[derive(Clone, Default)]
pub(super) struct StackEntry {
    /// The move that leads to the next ply; `None` for a null move.
    pub current_move: Option<Move>,
    /// `None` if the side to move is in check.
    pub static_eval: Option<Value>,
    /// Killer moves: quiet moves that caused a beta cutoff in sibling nodes.
    pub killers: [Option<Move>; 2],
    /// The principal variation from this ply on.
    pub pv: Vec<Move>,
}

/// A position on the current path.
#[derive(Clone, Copy)]
pub(super) struct Node<'b> {
    pub board: &'b Board,
    pub key: ZobristKey,
    /// The distance from the root.
    pub ply: usize,
}

/// Counts nodes and ends the search at its limits.
pub(super) struct Limiter<'a> {
    pub nodes: u64,
    max_nodes: u64,
    deadline: Option<Instant>,
    cancel: &'a Cancel,
}

impl<'a> Limiter<'a> {
    pub fn new(options: &SearchOptions<'a>) -> Limiter<'a> {
        let limits = &options.limits;
        Limiter {
            nodes: 0,
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            deadline: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
            cancel: options.cancel,
        }
    }

    /// Counts a node; `None` if the search has to end.
    pub fn count_node(&mut self) -> Option<()> {
        if self.nodes >= self.max_nodes {
            return None;
        }
        self.nodes += 1;
        let is_check_due = self.nodes.is_multiple_of(NODES_PER_CHECK);
        (!is_check_due || !self.is_over()).then_some(())
    }

    fn is_over(&self) -> bool {
        let is_late = self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        is_late || self.cancel.is_set()
    }
}

impl SearchState<'_> {
    pub fn evaluate(&mut self, board: &Board) -> Value {
        self.evaluator.evaluate(board)
    }

    /// Makes a move, or a null move (`None`), and searches the position after it with `search`. Returns the value for
    /// the side that moved; `None` if the search has to end.
    pub fn search_child(
        &mut self,
        node: Node,
        mv: Option<Move>,
        after: &Board,
        search: impl FnOnce(&mut Self, Node) -> Option<Value>,
    ) -> Option<Value> {
        self.limiter.count_node()?;
        let key = self.zobrist.update(node.key, node.board, after);
        self.stack[node.ply].current_move = mv;
        self.key_stack.push(key);
        let child = Node {
            board: after,
            key,
            ply: node.ply + 1,
        };
        let value = search(self, child);
        self.key_stack.pop();
        value.map(|value| -value)
    }

    /// Whether the position is drawn by insufficient material, the fifty-move rule or repetition.
    ///
    /// A single repetition within the search counts as a draw, because a side that can repeat once can repeat again. A
    /// position of the game before the root has to occur for the third time, as the rules say.
    pub fn is_draw(&self, node: Node) -> bool {
        let board = node.board;
        if is_insufficient_material(board) || is_fifty_move_draw(board) {
            return true;
        }
        let here = self.key_stack.len() - 1;
        let first = here.saturating_sub(usize::from(board.halfmove_clock()));
        let mut repetitions = 0;
        let mut index = here;
        while index >= first + 2 {
            index -= 2;
            if self.key_stack[index] == node.key {
                repetitions += 1;
                if index > self.root_index || repetitions == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Sets the principal variation of a ply to the move and the next ply's variation.
    pub fn update_pv(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.stack.split_at_mut(ply + 1);
        let pv = &mut above[ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&below[0].pv);
    }

    /// The move that led to this ply; `None` at the root and after a null move.
    pub fn previous_move(&self, ply: usize) -> Option<Move> {
        ply.checked_sub(1)
            .and_then(|previous| self.stack[previous].current_move)
    }
}

/// A search stack for the longest line.
pub(super) fn new_stack() -> Vec<StackEntry> {
    vec![StackEntry::default(); MAX_PLY + 2]
}

/// Fifty moves of each side without a capture or a pawn move. A mate on the last of them takes precedence.
fn is_fifty_move_draw(board: &Board) -> bool {
    board.halfmove_clock() >= 100 && (!board.is_check() || board.count_moves() > 0)
}

/// Bare kings, or one knight or bishop in all besides them.
fn is_insufficient_material(board: &Board) -> bool {
    let minors = board.with_role(Role::Bishop) | board.knights;
    board.occupied() == board.kings | minors && minors.count() <= 1
}
