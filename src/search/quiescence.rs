//! Quiescence search: resolves captures, so that the evaluation is only trusted in quiet positions.
//!
//! Called at the horizon of the main search, it searches captures and queen promotions, and every evasion in check,
//! until neither side gains from another one.

use super::alpha_beta::Window;
use super::move_ordering::{self, OrderingContext, ScoredMove};
use super::score::{DRAW, MAX_PLY, Value, mated_in};
use super::search_state::{Node, SearchState};
use super::see::{self, piece_value};
use super::transposition_table::{Bound, TtEntry};
use crate::chess::attacks::HYPERBOLA;
use crate::chess::moves::{Visitor, visit_moves};
use crate::chess::{Bitboard, Board, Color, Move, MoveKind, PackedMove, Role, Square};

/// The depth of quiescence results in the transposition table.
const TT_DEPTH: i32 = 0;

impl SearchState<'_> {
    /// The value of the node when only captures and promotions are searched; `None` if a limit ended the search.
    pub fn quiescence(&mut self, node: Node, mut window: Window) -> Option<Value> {
        let Node { board, key, ply } = node;
        self.stack[ply].pv.clear();
        if self.is_draw(node) {
            return Some(DRAW);
        }
        let tt_entry = self.tt.probe(key, ply);
        if let Some(entry) = tt_entry
            && !window.is_pv()
            && window.is_cut_off_by(&entry)
        {
            return Some(entry.value);
        }
        let is_check = board.is_check();
        let static_eval = tt_entry.map_or_else(|| self.evaluate(board), |entry| entry.static_eval);
        if ply >= MAX_PLY {
            return Some(static_eval);
        }
        // Stand pat: the side to move need not capture, so the static evaluation is a lower bound, assuming that some
        // quiet move is at least as good. Not in check, where a mate is possible.
        let mut best_value = if is_check { mated_in(ply) } else { static_eval };
        if best_value >= window.beta {
            return Some(best_value);
        }
        let original_alpha = window.alpha;
        window.alpha = window.alpha.max(best_value);
        let first = self.move_stack.len();
        self.generate_tactical(node, is_check, tt_entry.and_then(|entry| entry.best_move));
        let mut best_move = None;
        for index in first..self.move_stack.len() {
            let ScoredMove { mv, score } = move_ordering::pick_next(&mut self.move_stack, index);
            // SEE pruning: a capture that loses material is worse than standing pat.
            if !is_check
                && (move_ordering::is_losing_capture(score)
                    || delta_pruning(board, mv, static_eval, window))
            {
                continue;
            }
            let after = board.play(mv);
            let value = self.search_child(node, Some(mv), &after, |state, child| {
                state.quiescence(child, window.negated())
            })?;
            if value > best_value {
                best_value = value;
                if value > window.alpha {
                    best_move = Some(mv);
                    window.alpha = value;
                    if value >= window.beta {
                        break;
                    }
                }
            }
        }
        self.move_stack.truncate(first);
        self.tt.store(
            key,
            ply,
            TtEntry {
                depth: TT_DEPTH,
                bound: Bound::of(best_value, original_alpha, window.beta),
                value: best_value,
                static_eval,
                best_move: best_move.map(PackedMove::from),
            },
        );
        Some(best_value)
    }

    /// Pushes the scored captures and promotions of a node, or in check all its moves, on the move stack.
    fn generate_tactical(&mut self, node: Node, is_check: bool, tt_move: Option<PackedMove>) {
        let board = node.board;
        let first = self.move_stack.len();
        if is_check {
            let moves = &mut self.move_stack;
            board.for_each_move(|mv| moves.push(ScoredMove { mv, score: 0 }));
        } else {
            push_tactical_moves(board, &mut self.move_stack);
        }
        let context = OrderingContext {
            tt_move,
            killers: [None; 2],
            previous_move: self.previous_move(node.ply),
            history: self.history,
        };
        move_ordering::score_moves(board, &mut self.move_stack[first..], &context);
    }
}

/// Delta pruning: even winning the whole victim for nothing, plus a margin for what changes in the position, would not
/// reach alpha. Underpromotions are not searched, because in a capture sequence they are hardly ever better.
fn delta_pruning(board: &Board, mv: Move, static_eval: Value, window: Window) -> bool {
    const MARGIN: Value = 150;
    let gain = see::victim(board, mv).map_or(0, piece_value);
    match mv.kind {
        MoveKind::Promotion(role) => role != Role::Queen,
        _ => static_eval + gain + MARGIN <= window.alpha,
    }
}

/// Pushes the captures and the promotions to a queen.
fn push_tactical_moves(board: &Board, moves: &mut Vec<ScoredMove>) {
    let mut visitor = TacticalMoves {
        victims: board.pieces_of(!board.turn),
        moves,
    };
    match board.turn {
        Color::White => visit_moves::<true>(board, HYPERBOLA, &mut visitor),
        Color::Black => visit_moves::<false>(board, HYPERBOLA, &mut visitor),
    }
}

/// Collects captures and queen promotions from the move generator.
struct TacticalMoves<'m> {
    victims: Bitboard,
    moves: &'m mut Vec<ScoredMove>,
}

impl TacticalMoves<'_> {
    fn push(&mut self, role: Role, from: Square, to: Square, kind: MoveKind) {
        let mv = Move {
            role,
            from,
            to,
            kind,
        };
        self.moves.push(ScoredMove { mv, score: 0 });
    }
}

impl Visitor for TacticalMoves<'_> {
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets & self.victims {
            self.push(role, from, to, MoveKind::Plain);
        }
    }

    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets & self.victims {
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
