//! Captures to their end: a position is worth its evaluation only when nothing hangs.

use super::alphabeta::Window;
use super::exchange;
use super::ordering::{self, Hints, Ranked};
use super::score::{DRAW, MOST_PLIES, Value, mated_after};
use super::table::{Bound, Known, Tag};
use super::tree::{Node, Tree};
use crate::chess::attacks::HYPERBOLA;
use crate::chess::moves::{Visitor, visit_moves};
use crate::chess::{Bitboard, Board, Color, Move, MoveKind, Role, Square};

/// A capture that falls short of alpha by more than this cannot help.
const HOPE: Value = 150;

/// The depth under which results of this search are kept.
const DEPTH: i32 = 0;

impl Tree<'_> {
    /// The value of the position when only captures and promotions are looked at, or, in check, every move.
    pub fn quiesce(&mut self, node: Node, mut window: Window) -> Option<Value> {
        let Node { board, key, ply } = node;
        self.plies[ply].line.clear();
        if self.is_draw(node) {
            return Some(DRAW);
        }
        let known = self.table.look_up(key, ply);
        if let Some(known) = known
            && !window.is_open()
            && window.is_settled_by(&known)
        {
            return Some(known.value);
        }
        let is_check = board.is_check();
        let evaluation = known.map_or_else(|| self.evaluate(board), |known| known.evaluation);
        if ply >= MOST_PLIES {
            return Some(evaluation);
        }
        let mut best = if is_check {
            mated_after(ply)
        } else {
            evaluation
        };
        if best >= window.beta {
            return Some(best);
        }
        let floor = window.alpha;
        window.alpha = window.alpha.max(best);
        let first = self.moves.len();
        self.list_tactical(node, is_check, known.and_then(|known| known.best));
        let mut best_move = None;
        for index in first..self.moves.len() {
            let Ranked { mv, rank } = ordering::bring_best(&mut self.moves, index);
            if !is_check
                && (ordering::is_losing(rank) || self.is_hopeless(board, mv, evaluation, window))
            {
                continue;
            }
            let after = board.play(mv);
            let value = self.visit(node, Some(mv), &after, |tree, below| {
                tree.quiesce(below, window.turned())
            })?;
            if value > best {
                best = value;
                if value > window.alpha {
                    best_move = Some(mv);
                    window.alpha = value;
                    if value >= window.beta {
                        break;
                    }
                }
            }
        }
        self.moves.truncate(first);
        self.table.keep(
            key,
            ply,
            Known {
                depth: DEPTH,
                bound: Bound::of(best, floor, window.beta),
                value: best,
                evaluation,
                best: best_move.map(Tag::of),
            },
        );
        Some(best)
    }

    /// Whether even the whole prey would leave the position below alpha.
    fn is_hopeless(&self, board: &Board, mv: Move, evaluation: Value, window: Window) -> bool {
        let gain = exchange::prey(board, mv).map_or(0, exchange::worth);
        match mv.kind {
            MoveKind::Promotion(role) => role != Role::Queen,
            _ => evaluation + gain + HOPE <= window.alpha,
        }
    }

    fn list_tactical(&mut self, node: Node, is_check: bool, best_before: Option<Tag>) {
        let board = node.board;
        let first = self.moves.len();
        if is_check {
            let moves = &mut self.moves;
            board.for_each_move(|mv| moves.push(Ranked { mv, rank: 0 }));
        } else {
            gather_tactical(board, &mut self.moves);
        }
        let hints = Hints {
            best_before,
            killers: [None; 2],
            before: self.move_before(node.ply),
            history: self.history,
        };
        ordering::rank(board, &mut self.moves[first..], &hints);
    }
}

/// Adds the captures and promotions.
fn gather_tactical(board: &Board, moves: &mut Vec<Ranked>) {
    let mut tactical = Tactical {
        prey: board.pieces_of(!board.turn),
        moves,
    };
    match board.turn {
        Color::White => visit_moves::<true>(board, HYPERBOLA, &mut tactical),
        Color::Black => visit_moves::<false>(board, HYPERBOLA, &mut tactical),
    }
}

struct Tactical<'m> {
    prey: Bitboard,
    moves: &'m mut Vec<Ranked>,
}

impl Tactical<'_> {
    fn push(&mut self, role: Role, from: Square, to: Square, kind: MoveKind) {
        let mv = Move {
            role,
            from,
            to,
            kind,
        };
        self.moves.push(Ranked { mv, rank: 0 });
    }
}

impl Visitor for Tactical<'_> {
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets & self.prey {
            self.push(role, from, to, MoveKind::Plain);
        }
    }

    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets & self.prey {
            self.push(Role::Pawn, to.offset(-step), to, MoveKind::Plain);
        }
    }

    fn double_pushes(&mut self, _: i8, _: Bitboard) {}

    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let kind = MoveKind::Promotion(Role::Queen);
            self.push(Role::Pawn, to.offset(-step), to, kind);
        }
    }

    fn en_passant(&mut self, from: Square, to: Square) {
        self.push(Role::Pawn, from, to, MoveKind::EnPassant);
    }

    fn castling(&mut self, _: Square, _: Square) {}
}
