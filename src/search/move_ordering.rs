//! Move ordering: which move to search first.
//!
//! Alpha-beta prunes most if the best move comes first. The order is: the transposition table's move, captures and
//! promotions that do not lose material (MVV-LVA), killer moves, quiet moves by the history heuristic, captures that
//! lose material by static exchange evaluation.

use super::see::{self, piece_value, see_ge};
use crate::chess::{Board, Color, Move, MoveKind, PackedMove, Role};

/// A move with its ordering score: the highest is searched first.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredMove {
    pub mv: Move,
    pub score: i32,
}

const TT_MOVE: i32 = 1 << 30;
const WINNING_CAPTURE: i32 = 1 << 24;
const KILLER: i32 = 1 << 22;
const LOSING_CAPTURE: i32 = -(1 << 24);

/// Whether the ordering score is that of a capture that loses material.
pub(super) fn is_losing_capture(score: i32) -> bool {
    score < LOSING_CAPTURE / 2
}

/// History heuristic: how often quiet moves were best in this search.
///
/// It assumes that a move that refutes one position is likely to be good in similar ones.
pub(super) struct History {
    /// Butterfly history, by colour, from-square and to-square.
    butterfly: Box<[[[i16; 64]; 64]; 2]>,
    /// Countermove history, by the piece and target of the previous move and the piece and target of the reply.
    countermove: Vec<[i16; PIECE_TO]>,
}

/// The number of (role, to-square) pairs.
const PIECE_TO: usize = 6 * 64;

/// History values stay within this range.
const MAX_HISTORY: i32 = 16_384;

impl History {
    pub fn new() -> History {
        History {
            butterfly: Box::new([[[0; 64]; 64]; 2]),
            countermove: vec![[0; PIECE_TO]; PIECE_TO],
        }
    }

    pub fn clear(&mut self) {
        self.butterfly.as_flattened_mut().fill([0; 64]);
        self.countermove.fill([0; PIECE_TO]);
    }

    /// The score of a quiet move.
    pub fn score(&self, turn: Color, previous: Option<Move>, mv: Move) -> i32 {
        let butterfly = self.butterfly[turn as usize][mv.from.index()][mv.to.index()];
        let countermove = previous.map_or(0, |previous| {
            self.countermove[piece_to(previous)][piece_to(mv)]
        });
        i32::from(butterfly) + i32::from(countermove)
    }

    /// Rewards a quiet move that caused a beta cutoff, and penalises the quiet moves that were searched before it.
    pub fn update(
        &mut self,
        turn: Color,
        previous: Option<Move>,
        best: Move,
        searched: &[Move],
        depth: i32,
    ) {
        let bonus = (16 * depth * depth + 32 * depth).min(1_600);
        self.add(turn, previous, best, bonus);
        for &mv in searched {
            self.add(turn, previous, mv, -bonus);
        }
    }

    fn add(&mut self, turn: Color, previous: Option<Move>, mv: Move, bonus: i32) {
        apply_gravity(
            &mut self.butterfly[turn as usize][mv.from.index()][mv.to.index()],
            bonus,
        );
        if let Some(previous) = previous {
            apply_gravity(
                &mut self.countermove[piece_to(previous)][piece_to(mv)],
                bonus,
            );
        }
    }
}

fn piece_to(mv: Move) -> usize {
    mv.role as usize * 64 + mv.to.index()
}

/// Adds a bonus to a history value, scaled down the nearer the value is to its limit. Old results fade.
fn apply_gravity(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / MAX_HISTORY) as i16;
}

/// What the ordering of a node's moves depends on.
pub(super) struct OrderingContext<'a> {
    pub tt_move: Option<PackedMove>,
    pub killers: [Option<Move>; 2],
    pub previous_move: Option<Move>,
    pub history: &'a History,
}

/// Sets the ordering scores of the legal moves of a position.
pub(super) fn score_moves(board: &Board, moves: &mut [ScoredMove], context: &OrderingContext) {
    for ScoredMove { mv, score } in moves {
        *score = if context.tt_move == Some(PackedMove::from(*mv)) {
            TT_MOVE
        } else if is_tactical(board, *mv) {
            score_tactical(board, *mv)
        } else if context.killers[0] == Some(*mv) {
            KILLER + 1
        } else if context.killers[1] == Some(*mv) {
            KILLER
        } else {
            context
                .history
                .score(board.turn, context.previous_move, *mv)
        };
    }
}

/// MVV-LVA: the most valuable victim first, and for equal victims the least valuable attacker first.
fn score_tactical(board: &Board, mv: Move) -> i32 {
    let gain = see::victim(board, mv).map_or(0, piece_value);
    let promotion = match mv.kind {
        MoveKind::Promotion(role) => piece_value(role),
        _ => 0,
    };
    let mvv_lva = 8 * (gain + promotion) - mv.role as i32;
    // Capturing a piece of at least the attacker's value never loses material: no SEE needed.
    let is_safe = mv.role != Role::King && piece_value(mv.role) <= gain;
    if is_safe || see_ge(board, mv, 0) {
        WINNING_CAPTURE + mvv_lva
    } else {
        LOSING_CAPTURE + mvv_lva
    }
}

/// Whether the move is a capture or a promotion; all others are quiet.
pub(super) fn is_tactical(board: &Board, mv: Move) -> bool {
    match mv.kind {
        MoveKind::EnPassant | MoveKind::Promotion(_) => true,
        MoveKind::Castling => false,
        MoveKind::Plain | MoveKind::DoublePush => board.occupied().has(mv.to),
    }
}

/// One step of a selection sort: swaps the best of the moves from `index` on to `index`, and returns it. A beta cutoff
/// usually comes after a few moves, so sorting all of them would be wasted.
pub(super) fn pick_next(moves: &mut [ScoredMove], index: usize) -> ScoredMove {
    let mut best = index;
    for other in index + 1..moves.len() {
        if moves[other].score > moves[best].score {
            best = other;
        }
    }
    moves.swap(index, best);
    moves[index]
}
