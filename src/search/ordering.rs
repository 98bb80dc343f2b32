//! Which move to try first.
//!
//! Moves walk in as the rules give them, and out, one at a time, the likeliest to be best first: the one that was
//! best before, captures that win, moves that were good in neighbouring positions, the rest by how often such
//! moves have been good in this search, and captures that lose.

use super::exchange;
use super::table::Tag;
use crate::chess::{Board, Color, Move, MoveKind, Role};

/// A move and its place in the order: the highest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub mv: Move,
    pub rank: i32,
}

const BEST_BEFORE: i32 = 1 << 30;
const WINNING: i32 = 1 << 24;
const KILLER: i32 = 1 << 22;
const LOSING: i32 = -(1 << 24);

/// Whether the rank is that of a capture that loses material.
pub(super) fn is_losing(rank: i32) -> bool {
    rank < LOSING / 2
}

/// What has been learnt about moves in the course of a search.
pub(super) struct History {
    /// By the colour and the squares of a quiet move.
    squares: Box<[[[i16; 64]; 64]; 2]>,
    /// By the piece and the target of a quiet move, after the piece and the target of the move before it.
    replies: Vec<[i16; MEN]>,
}

/// A piece of some role on some square, as an index.
const MEN: usize = 6 * 64;

/// History never goes beyond this, so that what was learnt last counts most.
const MOST: i32 = 16_384;

impl History {
    pub fn new() -> History {
        History {
            squares: Box::new([[[0; 64]; 64]; 2]),
            replies: vec![[0; MEN]; MEN],
        }
    }

    pub fn clear(&mut self) {
        self.squares.as_flattened_mut().fill([0; 64]);
        self.replies.fill([0; MEN]);
    }

    /// How good such a quiet move has been.
    pub fn of(&self, turn: Color, before: Option<Move>, mv: Move) -> i32 {
        let by_squares = self.squares[turn as usize][mv.from.index()][mv.to.index()];
        let as_reply = before.map_or(0, |before| self.replies[piece(before)][piece(mv)]);
        i32::from(by_squares) + i32::from(as_reply)
    }

    /// A quiet move was best, and others that were tried before it were not.
    pub fn learn(
        &mut self,
        turn: Color,
        before: Option<Move>,
        best: Move,
        tried: &[Move],
        depth: i32,
    ) {
        let bonus = (16 * depth * depth + 32 * depth).min(1_600);
        self.adjust(turn, before, best, bonus);
        for &mv in tried {
            self.adjust(turn, before, mv, -bonus);
        }
    }

    fn adjust(&mut self, turn: Color, before: Option<Move>, mv: Move, bonus: i32) {
        nudge(
            &mut self.squares[turn as usize][mv.from.index()][mv.to.index()],
            bonus,
        );
        if let Some(before) = before {
            nudge(&mut self.replies[piece(before)][piece(mv)], bonus);
        }
    }
}

fn piece(mv: Move) -> usize {
    mv.role as usize * 64 + mv.to.index()
}

/// Moves a number by the bonus, less the nearer it is to the end of its range.
fn nudge(number: &mut i16, bonus: i32) {
    let now = i32::from(*number);
    *number = (now + bonus - now * bonus.abs() / MOST) as i16;
}

/// What is known where the moves are to be ranked.
pub(super) struct Hints<'a> {
    pub best_before: Option<Tag>,
    pub killers: [Option<Move>; 2],
    pub before: Option<Move>,
    pub history: &'a History,
}

/// Ranks the legal moves of a position.
pub(super) fn rank(board: &Board, moves: &mut [Ranked], hints: &Hints) {
    for Ranked { mv, rank } in moves {
        *rank = if hints.best_before == Some(Tag::of(*mv)) {
            BEST_BEFORE
        } else if is_tactical(board, *mv) {
            rank_tactical(board, *mv)
        } else if hints.killers[0] == Some(*mv) {
            KILLER + 1
        } else if hints.killers[1] == Some(*mv) {
            KILLER
        } else {
            hints.history.of(board.turn, hints.before, *mv)
        };
    }
}

/// Ranks captures and promotions: the most valuable prey first, of equal ones the cheapest piece that takes it.
pub(super) fn rank_tactical(board: &Board, mv: Move) -> i32 {
    let gain = exchange::prey(board, mv).map_or(0, exchange::worth);
    let promotion = match mv.kind {
        MoveKind::Promotion(role) => exchange::worth(role),
        _ => 0,
    };
    let order = 8 * (gain + promotion) - mv.role as i32;
    // Taking something dearer never loses.
    let is_cheap = mv.role != Role::King && exchange::worth(mv.role) <= gain;
    if is_cheap || exchange::wins_at_least(board, mv, 0) {
        WINNING + order
    } else {
        LOSING + order
    }
}

/// Whether the move captures or promotes.
pub(super) fn is_tactical(board: &Board, mv: Move) -> bool {
    match mv.kind {
        MoveKind::EnPassant | MoveKind::Promotion(_) => true,
        MoveKind::Castling => false,
        MoveKind::Plain | MoveKind::DoublePush => board.occupied().has(mv.to),
    }
}

/// Brings the highest-ranked of the moves from `index` on to the front of them.
pub(super) fn bring_best(moves: &mut [Ranked], index: usize) -> Ranked {
    let mut best = index;
    for other in index + 1..moves.len() {
        if moves[other].rank > moves[best].rank {
            best = other;
        }
    }
    moves.swap(index, best);
    moves[index]
}
