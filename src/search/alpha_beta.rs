//! Alpha-beta: a fail-soft principal variation search with pruning and reductions.
//!
//! [`SearchState::search`] takes a node, a depth and a [`Window`], and returns a value that is exact inside the window
//! and a bound outside it. Every pruning rule is a function of its own, introduced by its usual name, and holds its
//! constants.

use super::move_ordering::{self, OrderingContext, ScoredMove};
use super::score::{DRAW, INFINITE, MATE_IN_MAX_PLY, MAX_PLY, Value, mate_in, mated_in};
use super::search_state::{Node, SearchState};
use super::see::see_ge;
use super::transposition_table::{Bound, TtEntry};
use crate::chess::{Board, Move, PackedMove};

/// The alpha-beta window: only values strictly between alpha and beta can change the result at the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    pub const FULL: Window = Window {
        alpha: -INFINITE,
        beta: INFINITE,
    };

    /// Whether this is the window of a PV node. A null window has no value between alpha and beta.
    pub fn is_pv(self) -> bool {
        self.beta - self.alpha > 1
    }

    /// The window from the opponent's point of view (negamax).
    pub fn negated(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// An aspiration window around an expected value. It is full if it would be wider than 1,000 centipawns on a side,
    /// or if a mate is expected.
    pub fn aspiration(value: Value, width: Value) -> Window {
        if width > 1_000 || value.abs() >= MATE_IN_MAX_PLY {
            return Window::FULL;
        }
        Window {
            alpha: value - width,
            beta: value + width,
        }
    }

    /// The null window at alpha: asks only whether a value is above alpha.
    fn null_window(self) -> Window {
        Window {
            alpha: self.alpha,
            beta: self.alpha + 1,
        }
    }

    /// Whether a transposition table entry of sufficient depth decides this window.
    pub fn is_cut_off_by(self, entry: &TtEntry) -> bool {
        match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.value >= self.beta,
            Bound::Upper => entry.value <= self.alpha,
        }
    }
}

impl Bound {
    /// What a search with this window says about its value.
    pub fn of(value: Value, alpha: Value, beta: Value) -> Bound {
        if value >= beta {
            Bound::Lower
        } else if value > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

/// What the pruning rules know about a node before its moves are searched.
struct NodeFacts {
    /// Plies left.
    depth: i32,
    is_pv: bool,
    is_check: bool,
    static_eval: Value,
    /// Whether the static evaluation is higher than at the side's previous turn.
    is_improving: bool,
}

/// Internal iterative reductions apply from this depth on.
const IIR_MIN_DEPTH: i32 = 5;

impl SearchState<'_> {
    /// The value of the node after searching `depth` plies; `None` if a limit ended the search.
    pub fn search(&mut self, node: Node, depth: i32, window: Window) -> Option<Value> {
        let Node { board, key, ply } = node;
        let is_check = board.is_check();
        // Check extension: a check leaves few replies, so a ply more is cheap, and forced lines are seen to their end.
        let depth = if is_check { depth + 1 } else { depth };
        if depth <= 0 {
            return self.quiescence(node, window);
        }
        self.stack[ply].pv.clear();
        let mut window = window;
        if ply > 0 {
            if self.is_draw(node) {
                return Some(DRAW);
            }
            if ply >= MAX_PLY {
                return Some(self.evaluate(board));
            }
            // Mate distance pruning: no line from here is better than mating with the next move or worse than being
            // mated now, so a window outside these bounds is already decided.
            window.alpha = window.alpha.max(mated_in(ply));
            window.beta = window.beta.min(mate_in(ply + 1));
            if window.alpha >= window.beta {
                return Some(window.alpha);
            }
        }
        // Transposition table cutoff: the position was already searched at least this deep. Not in PV nodes, whose
        // variation would be cut short.
        let tt_entry = self.tt.probe(key, ply);
        if let Some(entry) = tt_entry
            && !window.is_pv()
            && entry.depth >= depth
            && window.is_cut_off_by(&entry)
        {
            return Some(entry.value);
        }
        let tt_move = tt_entry.and_then(|entry| entry.best_move);
        let mut facts = self.node_facts(node, depth, window, is_check, tt_entry);
        if !window.is_pv() && !is_check {
            if let Some(value) = facts.reverse_futility_pruning(window) {
                return Some(value);
            }
            if let Some(value) = self.null_move_pruning(node, &facts, window)? {
                return Some(value);
            }
        }
        // Internal iterative reduction (IIR): without a move from the transposition table the ordering is poor and the
        // node was probably unimportant so far. A shallower search costs less and stores a move for the next time.
        if tt_move.is_none() && depth >= IIR_MIN_DEPTH {
            facts.depth -= 1;
        }
        self.search_moves(node, &facts, window, tt_move)
    }

    fn node_facts(
        &mut self,
        node: Node,
        depth: i32,
        window: Window,
        is_check: bool,
        tt_entry: Option<TtEntry>,
    ) -> NodeFacts {
        let static_eval = match tt_entry {
            Some(entry) => entry.static_eval,
            None => self.evaluate(node.board),
        };
        self.stack[node.ply].static_eval = (!is_check).then_some(static_eval);
        let previous = node.ply.checked_sub(2);
        let previous = previous.and_then(|ply| self.stack[ply].static_eval);
        NodeFacts {
            depth,
            is_pv: window.is_pv(),
            is_check,
            static_eval,
            is_improving: !is_check && previous.is_some_and(|previous| static_eval > previous),
        }
    }

    /// Null-move pruning: if passing still fails high in a reduced search, a real move would too, and the node is
    /// pruned.
    ///
    /// This assumes that some move is better than passing, which is wrong in zugzwang; so it is skipped when the side
    /// has at most one piece besides king and pawns. Two null moves in a row would prove nothing. The outer `None`
    /// means that a limit ended the search.
    fn null_move_pruning(
        &mut self,
        node: Node,
        facts: &NodeFacts,
        window: Window,
    ) -> Option<Option<Value>> {
        const MIN_DEPTH: i32 = 3;
        let is_after_null_move = node.ply > 0 && self.previous_move(node.ply).is_none();
        let is_tried = facts.depth >= MIN_DEPTH
            && facts.static_eval >= window.beta
            && !is_after_null_move
            && node.ply > 0
            && has_several_pieces(node.board)
            && window.beta > -MATE_IN_MAX_PLY;
        if !is_tried {
            return Some(None);
        }
        let surplus = (facts.static_eval - window.beta) / 200;
        let depth = facts.depth - 3 - facts.depth / 4 - surplus.min(3);
        let after = Board {
            // A null move is not reversible by the rules: positions before it do not count as repetitions.
            halfmove_clock: 0,
            ..node.board.after_null_move()
        };
        let null_window = Window {
            alpha: window.beta - 1,
            beta: window.beta,
        };
        let value = self.search_child(node, None, &after, |state, child| {
            state.search(child, depth, null_window.negated())
        })?;
        // A mate found after a null move is a threat, not a proof.
        let is_cutoff = value >= window.beta && value < MATE_IN_MAX_PLY;
        Some(is_cutoff.then_some(value))
    }

    fn search_moves(
        &mut self,
        node: Node,
        facts: &NodeFacts,
        mut window: Window,
        tt_move: Option<PackedMove>,
    ) -> Option<Value> {
        let Node { board, key, ply } = node;
        let original_alpha = window.alpha;
        let first = self.generate_moves(node, tt_move);
        let (mut best_value, mut best_move) = (-INFINITE, None);
        let mut searched_quiets = Vec::new();
        for index in first..self.move_stack.len() {
            let candidate = move_ordering::pick_next(&mut self.move_stack, index);
            let mv = candidate.mv;
            let move_number = index - first;
            let is_tactical = move_ordering::is_tactical(board, mv);
            // One move has to be searched for a value, and while the side is being mated every move may be the way out.
            let may_prune = move_number > 0 && ply > 0 && best_value > -MATE_IN_MAX_PLY;
            if may_prune && facts.is_pruned(board, window, candidate, move_number) {
                continue;
            }
            let value = self.search_move(node, facts, window, candidate, move_number)?;
            if value > best_value {
                best_value = value;
                if value > window.alpha {
                    best_move = Some(mv);
                    window.alpha = value;
                    self.update_pv(ply, mv);
                    if ply == 0 && value < window.beta {
                        self.unfinished_pv = Some((value, self.stack[0].pv.clone()));
                    }
                    if value >= window.beta {
                        if !is_tactical {
                            self.update_quiet_ordering(node, mv, &searched_quiets, facts.depth);
                        }
                        break;
                    }
                }
            }
            if !is_tactical {
                searched_quiets.push(mv);
            }
        }
        let has_moves = self.move_stack.len() > first;
        self.move_stack.truncate(first);
        if !has_moves {
            return Some(if facts.is_check { mated_in(ply) } else { DRAW });
        }
        if self.excluded_root_moves.is_empty() || ply > 0 {
            self.tt.store(
                key,
                ply,
                TtEntry {
                    depth: facts.depth,
                    bound: Bound::of(best_value, original_alpha, window.beta),
                    value: best_value,
                    static_eval: facts.static_eval,
                    best_move: best_move.map(PackedMove::from),
                },
            );
        }
        Some(best_value)
    }

    /// Pushes the scored moves of a node on the move stack. Returns the index of the first.
    fn generate_moves(&mut self, node: Node, tt_move: Option<PackedMove>) -> usize {
        let first = self.move_stack.len();
        let moves = &mut self.move_stack;
        node.board
            .for_each_move(|mv| moves.push(ScoredMove { mv, score: 0 }));
        if node.ply == 0 {
            let excluded = &self.excluded_root_moves;
            self.move_stack
                .retain(|scored| !excluded.contains(&scored.mv));
        }
        let context = OrderingContext {
            tt_move,
            killers: self.stack[node.ply].killers,
            previous_move: self.previous_move(node.ply),
            history: self.history,
        };
        move_ordering::score_moves(node.board, &mut self.move_stack[first..], &context);
        first
    }

    /// Principal variation search (PVS): the first move gets the whole window. With good ordering it is the best, so
    /// the others get a null window, which is cheaper, and are searched again only if they turn out better.
    fn search_move(
        &mut self,
        node: Node,
        facts: &NodeFacts,
        window: Window,
        candidate: ScoredMove,
        move_number: usize,
    ) -> Option<Value> {
        let after = node.board.play(candidate.mv);
        let depth = facts.depth - 1;
        let mv = Some(candidate.mv);
        if move_number == 0 {
            return self.search_child(node, mv, &after, |state, child| {
                state.search(child, depth, window.negated())
            });
        }
        let reduction = late_move_reduction(node.board, facts, candidate, move_number, &after);
        let null_window = window.null_window().negated();
        self.search_child(node, mv, &after, |state, child| {
            let mut value = state.search(child, depth - reduction, null_window)?;
            if -value > window.alpha && reduction > 0 {
                value = state.search(child, depth, null_window)?;
            }
            if -value > window.alpha && -value < window.beta {
                value = state.search(child, depth, window.negated())?;
            }
            Some(value)
        })
    }

    /// Records a quiet move that caused a beta cutoff, as killer move and in the history, so that it comes early
    /// elsewhere.
    fn update_quiet_ordering(&mut self, node: Node, mv: Move, searched: &[Move], depth: i32) {
        let killers = &mut self.stack[node.ply].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let previous = self.previous_move(node.ply);
        self.history
            .update(node.board.turn, previous, mv, searched, depth);
    }
}

impl NodeFacts {
    /// Whether a late move of a node close to the horizon is not searched at all. Moves out of check and moves that
    /// give check are always searched: they may be forced or mate.
    fn is_pruned(
        &self,
        board: &Board,
        window: Window,
        candidate: ScoredMove,
        move_number: usize,
    ) -> bool {
        let is_prunable = if move_ordering::is_tactical(board, candidate.mv) {
            self.see_pruning_of_capture(board, candidate)
        } else {
            self.late_move_pruning(move_number)
                || self.futility_pruning(window)
                || self.see_pruning_of_quiet(board, candidate)
        };
        is_prunable && !self.is_check && !board.play(candidate.mv).is_check()
    }

    /// Reverse futility pruning (static null-move pruning): the static evaluation is so far above beta that the plies
    /// left are unlikely to lose the margin. Returns the value of the pruned node.
    fn reverse_futility_pruning(&self, window: Window) -> Option<Value> {
        const MAX_DEPTH: i32 = 7;
        const MARGIN_PER_PLY: Value = 80;
        let plies = self.depth - i32::from(self.is_improving);
        let is_cutoff = self.depth <= MAX_DEPTH
            && self.static_eval - MARGIN_PER_PLY * plies >= window.beta
            && window.beta.abs() < MATE_IN_MAX_PLY
            && self.static_eval < MATE_IN_MAX_PLY;
        is_cutoff.then_some(self.static_eval)
    }

    /// Late move pruning (LMP): with good ordering, a quiet move after this many others is hardly ever the best.
    fn late_move_pruning(&self, move_number: usize) -> bool {
        const MAX_DEPTH: i32 = 6;
        let enough = (3 + self.depth * self.depth) / if self.is_improving { 1 } else { 2 };
        self.depth <= MAX_DEPTH && move_number as i32 > enough
    }

    /// Futility pruning: a quiet move is unlikely to gain what the static evaluation is short of alpha.
    fn futility_pruning(&self, window: Window) -> bool {
        const MAX_DEPTH: i32 = 6;
        const MARGIN: Value = 100;
        const MARGIN_PER_PLY: Value = 90;
        let optimistic = self.static_eval + MARGIN + MARGIN_PER_PLY * self.depth;
        self.depth <= MAX_DEPTH && optimistic <= window.alpha && !self.is_pv
    }

    /// SEE pruning: a quiet move that loses material is unlikely to regain it in the plies left.
    fn see_pruning_of_quiet(&self, board: &Board, candidate: ScoredMove) -> bool {
        const LOSS_PER_PLY: i32 = 60;
        let affordable = -LOSS_PER_PLY * self.depth;
        self.depth <= SEE_PRUNING_MAX_DEPTH && !see_ge(board, candidate.mv, affordable)
    }

    /// SEE pruning of captures: they may lose more, because sacrifices are mostly captures.
    fn see_pruning_of_capture(&self, board: &Board, candidate: ScoredMove) -> bool {
        const LOSS_PER_SQUARED_PLY: i32 = 25;
        let affordable = -LOSS_PER_SQUARED_PLY * self.depth * self.depth;
        self.depth <= SEE_PRUNING_MAX_DEPTH
            && move_ordering::is_losing_capture(candidate.score)
            && !see_ge(board, candidate.mv, affordable)
    }
}

/// SEE pruning applies up to this depth.
const SEE_PRUNING_MAX_DEPTH: i32 = 7;

/// Late move reduction (LMR): how many plies less a move is searched because it comes late in the ordering. A move that
/// turns out better than alpha is searched again at full depth, so a wrong reduction delays a good move but seldom
/// loses it.
fn late_move_reduction(
    board: &Board,
    facts: &NodeFacts,
    candidate: ScoredMove,
    move_number: usize,
    after: &Board,
) -> i32 {
    let is_early = move_number < 2 + usize::from(facts.is_pv);
    let is_quiet = !move_ordering::is_tactical(board, candidate.mv);
    if facts.depth < 3
        || is_early
        || !is_quiet && !move_ordering::is_losing_capture(candidate.score)
    {
        return 0;
    }
    let mut reduction = base_lmr(facts.depth, move_number);
    if is_quiet {
        // For quiet moves the ordering score is that of the history heuristic.
        reduction -= candidate.score.clamp(-16_384, 16_384) / 8_192;
    }
    reduction -= i32::from(facts.is_pv) + i32::from(facts.is_check) + i32::from(after.is_check());
    reduction += i32::from(!facts.is_improving);
    reduction.clamp(0, facts.depth - 2)
}

/// The late move reduction before adjustments: 0.6 + ln(depth) * ln(move number) / 2.2, in integers so that it is the
/// same on every machine.
fn base_lmr(depth: i32, move_number: usize) -> i32 {
    const SIZE: usize = 64;
    // Sixteenths of the logarithm to base 2.
    static LOGARITHMS: [i32; SIZE] = {
        let mut table = [0; SIZE];
        let mut n = 1;
        while n < SIZE {
            table[n] = (n as u128).pow(16).ilog2() as i32;
            n += 1;
        }
        table
    };
    let depth = LOGARITHMS[(depth as usize).min(SIZE - 1)];
    let move_number = LOGARITHMS[move_number.min(SIZE - 1)];
    (154 * 100 + depth * move_number * 22) / 25_600
}

/// Whether the side to move has more than king, pawns and a single piece.
fn has_several_pieces(board: &Board) -> bool {
    let own = board.pieces_of(board.turn);
    (own & !board.pawns & !board.kings).has_several()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integer_reduction_follows_its_formula() {
        for depth in 1..64 {
            for move_number in 1..64_u32 {
                let logarithms = f64::from(depth).ln() * f64::from(move_number).ln();
                let exact = 0.6 + logarithms / 2.2;
                let reduction = base_lmr(depth, move_number as usize);
                let error = f64::from(reduction) - exact.floor();
                assert!(
                    error == 0.0 || error.abs() <= 1.0 && (exact - exact.round()).abs() < 0.15,
                    "{depth} {move_number}: {reduction}, not {exact}"
                );
            }
        }
    }
}
