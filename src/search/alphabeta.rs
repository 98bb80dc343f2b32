//! The best move by alpha-beta: a principal variation search.
//!
//! A position, a depth and a [`Window`] walk in; a value walks out that is exact within the window and a bound
//! outside it. The first move is searched with the whole window, the others only to show that they are no better.
//! Moves that hardly ever turn out best are searched less deeply or not at all. Each such shortcut is a function
//! of its own, with its numbers beside it.

use super::exchange;
use super::ordering::{self, Hints, Ranked};
use super::score::{DRAW, INFINITE, MOST_PLIES, NEAREST_TO_MATE, Value, mated_after, mating_after};
use super::table::{Bound, Known, Tag};
use super::tree::{Node, Tree};
use crate::chess::{Board, Move};

/// The values that matter: whatever is not above alpha or not below beta will not be played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    pub const WHOLE: Window = Window {
        alpha: -INFINITE,
        beta: INFINITE,
    };

    /// Whether a value between the two is possible: such a position may be on the best line.
    pub fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }

    /// The window of the other player.
    pub fn turned(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// The values up to so far from the one that is expected; beyond a thousand centipawns, all of them.
    pub fn around(value: Value, width: Value) -> Window {
        if width > 1_000 || value.abs() >= NEAREST_TO_MATE {
            return Window::WHOLE;
        }
        Window {
            alpha: value - width,
            beta: value + width,
        }
    }

    /// Only the question whether a value is above alpha.
    fn narrow(self) -> Window {
        Window {
            alpha: self.alpha,
            beta: self.alpha + 1,
        }
    }

    /// Whether what is known answers all that is asked.
    pub fn is_settled_by(self, known: &Known) -> bool {
        match known.bound {
            Bound::Exact => true,
            Bound::AtLeast => known.value >= self.beta,
            Bound::AtMost => known.value <= self.alpha,
        }
    }
}

impl Bound {
    /// What a value is that was found with this window.
    pub fn of(value: Value, alpha: Value, beta: Value) -> Bound {
        if value >= beta {
            Bound::AtLeast
        } else if value > alpha {
            Bound::Exact
        } else {
            Bound::AtMost
        }
    }
}

/// What is known about a position before its moves are tried.
struct Situation {
    depth: i32,
    is_open: bool,
    is_check: bool,
    evaluation: Value,
    /// Whether the evaluation has risen since the player's last turn.
    is_improving: bool,
}

/// A position so far above beta that no quiet move of the enemy's makes up for it, per ply that is left.
const MARGIN_PER_PLY: Value = 80;
const MARGIN_DEPTH: i32 = 7;
/// Quiet moves of a position this far below alpha, plus so much per ply, are not tried.
const FUTILE: Value = 100;
const FUTILE_PER_PLY: Value = 90;
const FUTILE_DEPTH: i32 = 6;
/// A quiet move may lose so much, per ply that is left, before it is not tried; a capture, per ply squared.
const LOSS_PER_PLY: i32 = 60;
const LOSS_PER_SQUARED_PLY: i32 = 25;
const LOSS_DEPTH: i32 = 7;
/// Passing is tried with at least so many plies left.
const PASSING_DEPTH: i32 = 3;
/// A position without a best move from before is searched less deeply from this depth on.
const UNKNOWN_DEPTH: i32 = 5;

impl Tree<'_> {
    /// The value of the position after searching so many plies; `None` if there was no time to finish.
    pub fn search(&mut self, node: Node, depth: i32, window: Window) -> Option<Value> {
        let Node { board, key, ply } = node;
        let is_check = board.is_check();
        // A check leaves few answers: what comes after it is seen cheaply.
        let depth = if is_check { depth + 1 } else { depth };
        if depth <= 0 {
            return self.quiesce(node, window);
        }
        self.plies[ply].line.clear();
        let mut window = window;
        if ply > 0 {
            if self.is_draw(node) {
                return Some(DRAW);
            }
            if ply >= MOST_PLIES {
                return Some(self.evaluate(board));
            }
            // No mate from here is nearer than these.
            window.alpha = window.alpha.max(mated_after(ply));
            window.beta = window.beta.min(mating_after(ply + 1));
            if window.alpha >= window.beta {
                return Some(window.alpha);
            }
        }
        let known = self.table.look_up(key, ply);
        if let Some(known) = known
            && !window.is_open()
            && known.depth >= depth
            && window.is_settled_by(&known)
        {
            return Some(known.value);
        }
        let best_before = known.and_then(|known| known.best);
        let mut situation = self.situation(node, depth, window, is_check, known);
        if !window.is_open() && !is_check {
            if let Some(value) = situation.is_far_above(window) {
                return Some(value);
            }
            if let Some(value) = self.pass(node, &situation, window)? {
                return Some(value);
            }
        }
        if best_before.is_none() && depth >= UNKNOWN_DEPTH {
            situation.depth -= 1;
        }
        self.try_moves(node, &situation, window, best_before)
    }

    fn situation(
        &mut self,
        node: Node,
        depth: i32,
        window: Window,
        is_check: bool,
        known: Option<Known>,
    ) -> Situation {
        let evaluation = match known {
            Some(known) => known.evaluation,
            None => self.evaluate(node.board),
        };
        self.plies[node.ply].evaluation = (!is_check).then_some(evaluation);
        let before = node.ply.checked_sub(2);
        let before = before.and_then(|ply| self.plies[ply].evaluation);
        Situation {
            depth,
            is_open: window.is_open(),
            is_check,
            evaluation,
            is_improving: !is_check && before.is_some_and(|before| evaluation > before),
        }
    }

    /// Lets the enemy move twice: what is still too good for them then is too good in earnest. With hardly more than
    /// pawns, having to move may be the trouble, and nothing is shown.
    fn pass(&mut self, node: Node, situation: &Situation, window: Window) -> Option<Option<Value>> {
        let has_just_passed = node.ply > 0 && self.move_before(node.ply).is_none();
        let may_pass = situation.depth >= PASSING_DEPTH
            && situation.evaluation >= window.beta
            && !has_just_passed
            && node.ply > 0
            && has_several_pieces(node.board)
            && window.beta > -NEAREST_TO_MATE;
        if !may_pass {
            return Some(None);
        }
        let surplus = (situation.evaluation - window.beta) / 200;
        let depth = situation.depth - 3 - situation.depth / 4 - surplus.min(3);
        let after = Board {
            // What was there before passing does not come again by the rules.
            halfmove_clock: 0,
            ..node.board.after_passing()
        };
        let question = Window {
            alpha: window.beta - 1,
            beta: window.beta,
        };
        let value = self.visit(node, None, &after, |tree, below| {
            tree.search(below, depth, question.turned())
        })?;
        // A mate after passing is a threat and no proof.
        let is_proof = value >= window.beta && value < NEAREST_TO_MATE;
        Some(is_proof.then_some(value))
    }

    fn try_moves(
        &mut self,
        node: Node,
        situation: &Situation,
        mut window: Window,
        best_before: Option<Tag>,
    ) -> Option<Value> {
        let Node { board, key, ply } = node;
        let floor = window.alpha;
        let first = self.list_moves(node, best_before);
        let (mut best, mut best_move) = (-INFINITE, None);
        let mut tried_quiet = Vec::new();
        for index in first..self.moves.len() {
            let candidate = ordering::bring_best(&mut self.moves, index);
            let mv = candidate.mv;
            let number = index - first;
            let is_tactical = ordering::is_tactical(board, mv);
            let is_safe_to_skip = number > 0 && ply > 0 && best > -NEAREST_TO_MATE;
            if is_safe_to_skip && self.is_skipped(board, situation, window, candidate, number) {
                continue;
            }
            let value = self.try_move(node, situation, window, candidate, number)?;
            if value > best {
                best = value;
                if value > window.alpha {
                    best_move = Some(mv);
                    window.alpha = value;
                    self.begin_line(ply, mv);
                    if ply == 0 && value < window.beta {
                        self.best_so_far = Some((value, self.plies[0].line.clone()));
                    }
                    if value >= window.beta {
                        if !is_tactical {
                            self.remember(node, mv, &tried_quiet, situation.depth);
                        }
                        break;
                    }
                }
            }
            if !is_tactical {
                tried_quiet.push(mv);
            }
        }
        let has_moves = self.moves.len() > first;
        self.moves.truncate(first);
        if !has_moves {
            return Some(if situation.is_check {
                mated_after(ply)
            } else {
                DRAW
            });
        }
        if self.excluded.is_empty() || ply > 0 {
            self.table.keep(
                key,
                ply,
                Known {
                    depth: situation.depth,
                    bound: Bound::of(best, floor, window.beta),
                    value: best,
                    evaluation: situation.evaluation,
                    best: best_move.map(Tag::of),
                },
            );
        }
        Some(best)
    }

    /// Puts the moves of a position on the stack, ranked, and says where they begin.
    fn list_moves(&mut self, node: Node, best_before: Option<Tag>) -> usize {
        let first = self.moves.len();
        let moves = &mut self.moves;
        node.board
            .for_each_move(|mv| moves.push(Ranked { mv, rank: 0 }));
        if node.ply == 0 {
            let excluded = &self.excluded;
            self.moves.retain(|ranked| !excluded.contains(&ranked.mv));
        }
        let hints = Hints {
            best_before,
            killers: self.plies[node.ply].killers,
            before: self.move_before(node.ply),
            history: self.history,
        };
        ordering::rank(node.board, &mut self.moves[first..], &hints);
        first
    }

    fn try_move(
        &mut self,
        node: Node,
        situation: &Situation,
        window: Window,
        candidate: Ranked,
        number: usize,
    ) -> Option<Value> {
        let after = node.board.play(candidate.mv);
        let depth = situation.depth - 1;
        let made = Some(candidate.mv);
        if number == 0 {
            return self.visit(node, made, &after, |tree, below| {
                tree.search(below, depth, window.turned())
            });
        }
        let less = self.reduction(node.board, situation, candidate, number, &after);
        let question = window.narrow().turned();
        self.visit(node, made, &after, |tree, below| {
            let mut value = tree.search(below, depth - less, question)?;
            if -value > window.alpha && less > 0 {
                value = tree.search(below, depth, question)?;
            }
            if -value > window.alpha && -value < window.beta {
                value = tree.search(below, depth, window.turned())?;
            }
            Some(value)
        })
    }

    /// How many plies less a late move is searched.
    fn reduction(
        &self,
        board: &Board,
        situation: &Situation,
        candidate: Ranked,
        number: usize,
        after: &Board,
    ) -> i32 {
        let is_early = number < 2 + usize::from(situation.is_open);
        let is_quiet = !ordering::is_tactical(board, candidate.mv);
        if situation.depth < 3 || is_early || !is_quiet && !ordering::is_losing(candidate.rank) {
            return 0;
        }
        let mut less = usual_reduction(situation.depth, number);
        if is_quiet {
            less -= candidate.rank.clamp(-16_384, 16_384) / 8_192;
        }
        less -= i32::from(situation.is_open)
            + i32::from(situation.is_check)
            + i32::from(after.is_check());
        less += i32::from(!situation.is_improving);
        less.clamp(0, situation.depth - 2)
    }

    /// Whether a late move is not worth trying at all, so near to the end of the search. A check is always tried: it
    /// may be mate.
    fn is_skipped(
        &self,
        board: &Board,
        situation: &Situation,
        window: Window,
        candidate: Ranked,
        number: usize,
    ) -> bool {
        let is_hopeless = if ordering::is_tactical(board, candidate.mv) {
            situation.is_hopeless_capture(board, candidate)
        } else {
            situation.is_hopeless_quiet(board, window, candidate, number)
        };
        is_hopeless && !situation.is_check && !board.play(candidate.mv).is_check()
    }

    /// A quiet move was too good for the enemy: it will be tried early elsewhere.
    fn remember(&mut self, node: Node, mv: Move, tried: &[Move], depth: i32) {
        let killers = &mut self.plies[node.ply].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let before = self.move_before(node.ply);
        self.history
            .learn(node.board.turn, before, mv, tried, depth);
    }
}

impl Situation {
    fn is_hopeless_capture(&self, board: &Board, candidate: Ranked) -> bool {
        let affordable = -LOSS_PER_SQUARED_PLY * self.depth * self.depth;
        self.depth <= LOSS_DEPTH
            && ordering::is_losing(candidate.rank)
            && !exchange::wins_at_least(board, candidate.mv, affordable)
    }

    fn is_hopeless_quiet(
        &self,
        board: &Board,
        window: Window,
        candidate: Ranked,
        number: usize,
    ) -> bool {
        let depth = self.depth;
        let enough = (3 + depth * depth) / if self.is_improving { 1 } else { 2 };
        let hope = self.evaluation + FUTILE + FUTILE_PER_PLY * depth;
        let is_late = number as i32 > enough;
        let is_futile = hope <= window.alpha && !self.is_open;
        depth <= FUTILE_DEPTH && (is_late || is_futile)
            || depth <= LOSS_DEPTH
                && !exchange::wins_at_least(board, candidate.mv, -LOSS_PER_PLY * depth)
    }

    /// The value of a position that is above beta by more than the plies left are likely to change.
    fn is_far_above(&self, window: Window) -> Option<Value> {
        let plies = self.depth - i32::from(self.is_improving);
        let is_far = self.depth <= MARGIN_DEPTH
            && self.evaluation - MARGIN_PER_PLY * plies >= window.beta
            && window.beta.abs() < NEAREST_TO_MATE
            && self.evaluation < NEAREST_TO_MATE;
        is_far.then_some(self.evaluation)
    }
}

/// Whether the side to move has more than king, pawns and a single piece.
fn has_several_pieces(board: &Board) -> bool {
    let own = board.pieces_of(board.turn);
    (own & !board.pawns & !board.kings).has_several()
}

/// How many plies less a move is searched for being late: the logarithms of depth and number, multiplied.
fn usual_reduction(depth: i32, number: usize) -> i32 {
    const MOST: usize = 64;
    static LOGARITHMS: [i32; MOST] = {
        let mut table = [0; MOST];
        let mut n = 1;
        while n < MOST {
            // Sixteenths of the logarithm to base 2, the same on every machine.
            table[n] = (n as u128).pow(16).ilog2() as i32;
            n += 1;
        }
        table
    };
    let depth = LOGARITHMS[(depth as usize).min(MOST - 1)];
    let number = LOGARITHMS[number.min(MOST - 1)];
    // 0.6 + ln(depth) * ln(number) / 2.2
    (154 * 100 + depth * number * 22) / 25_600
}
