//! What a search carries with it while it walks through the moves.
//!
//! The walk itself is in [`alphabeta`](super::alphabeta) and [`quiescence`](super::quiescence); here is what both
//! need: the limits, the path from the first position of the game with its repetitions, the best line so far, and
//! the scratch for moves, which is one stack for all plies.

use std::time::Instant;

use super::Limits;
use super::evaluation::Judge;
use super::ordering::{History, Ranked};
use super::score::{MOST_PLIES, Value};
use super::table::Table;
use crate::chess::{Board, Move, Role, Zobrist, ZobristKey};

/// How often the clock and the stop are looked at, in nodes.
const NODES_PER_LOOK: u64 = 1024;

pub(super) struct Tree<'a> {
    pub table: &'a mut Table,
    pub history: &'a mut History,
    pub keys: &'a Zobrist,
    pub judge: &'a mut dyn Judge,
    pub guard: Guard<'a>,
    /// The keys of all positions from the first of the game to the one that is being looked at.
    pub path: Vec<ZobristKey>,
    /// How many of them came before the search.
    pub played: usize,
    pub plies: Vec<Ply>,
    /// The moves that are left to try, ply after ply.
    pub moves: Vec<Ranked>,
    /// First moves that are not to be looked at: they head better lines.
    pub excluded: Vec<Move>,
    /// The best line of a search that is not finished.
    pub best_so_far: Option<(Value, Vec<Move>)>,
}

/// What is remembered about each ply of the path.
#[derive(Clone, Default)]
pub(super) struct Ply {
    /// The move that was made here; none if the player passed.
    pub made: Option<Move>,
    pub evaluation: Option<Value>,
    /// Quiet moves that were too good for the enemy in neighbouring positions.
    pub killers: [Option<Move>; 2],
    /// The best line from here.
    pub line: Vec<Move>,
}

/// A position on the path.
#[derive(Clone, Copy)]
pub(super) struct Node<'b> {
    pub board: &'b Board,
    pub key: ZobristKey,
    /// Plies since the search began.
    pub ply: usize,
}

/// Counts nodes, and says when it is enough.
pub(super) struct Guard<'a> {
    pub nodes: u64,
    most_nodes: u64,
    end: Option<Instant>,
    is_stopped: &'a (dyn Fn() -> bool + 'a),
}

impl<'a> Guard<'a> {
    pub fn new(limits: &Limits, is_stopped: &'a (dyn Fn() -> bool + 'a)) -> Guard<'a> {
        Guard {
            nodes: 0,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            end: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
            is_stopped,
        }
    }

    /// One more node; `None` when there may be no more.
    pub fn enter(&mut self) -> Option<()> {
        if self.nodes >= self.most_nodes {
            return None;
        }
        self.nodes += 1;
        let looks = self.nodes.is_multiple_of(NODES_PER_LOOK);
        (!looks || !self.is_over()).then_some(())
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end) || (self.is_stopped)()
    }
}

impl Tree<'_> {
    pub fn evaluate(&mut self, board: &Board) -> Value {
        self.judge.value(board)
    }

    /// Enters the position after a move, or after passing, for as long as `look` looks at it.
    pub fn visit(
        &mut self,
        node: Node,
        made: Option<Move>,
        after: &Board,
        look: impl FnOnce(&mut Self, Node) -> Option<Value>,
    ) -> Option<Value> {
        self.guard.enter()?;
        let key = self.keys.step(node.key, node.board, after);
        self.plies[node.ply].made = made;
        self.path.push(key);
        let below = Node {
            board: after,
            key,
            ply: node.ply + 1,
        };
        let value = look(self, below);
        self.path.pop();
        value.map(|value| -value)
    }

    /// Whether nobody can win, or the game has gone on for too long, or the position was there before. The second time on the path of the search is
    /// enough, as what led back once will again; before the search began it takes the third, as the rules say.
    pub fn is_draw(&self, node: Node) -> bool {
        let board = node.board;
        if cannot_be_won(board) || is_fifty_moves(board) {
            return true;
        }
        let here = self.path.len() - 1;
        let first = here.saturating_sub(usize::from(board.halfmove_clock()));
        let mut times = 0;
        let mut at = here;
        while at >= first + 2 {
            at -= 2;
            if self.path[at] == node.key {
                times += 1;
                if at > self.played || times == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Writes the line that begins with the move and goes on as the next ply's.
    pub fn begin_line(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.plies.split_at_mut(ply + 1);
        let line = &mut above[ply].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0].line);
    }

    /// The move before this ply.
    pub fn move_before(&self, ply: usize) -> Option<Move> {
        ply.checked_sub(1)
            .and_then(|before| self.plies[before].made)
    }
}

/// Scratch for the longest line.
pub(super) fn plies() -> Vec<Ply> {
    vec![Ply::default(); MOST_PLIES + 2]
}

/// Fifty moves of each player without a capture or a pawn's move, the last of them not a mate.
fn is_fifty_moves(board: &Board) -> bool {
    board.halfmove_clock() >= 100 && (!board.is_check() || board.count_moves() > 0)
}

/// Kings alone, or with one knight or bishop between them.
fn cannot_be_won(board: &Board) -> bool {
    let minors = board.with_role(Role::Bishop) | board.knights;
    board.occupied() == board.kings | minors && minors.count() <= 1
}
