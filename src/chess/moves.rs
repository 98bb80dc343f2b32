//! The legal moves of Chess960, pushed to a visitor.
//!
//! A board walks in; sets of target squares walk out, one call per piece, or per kind of pawn move for all
//! pawns at once. A visitor that wants moves takes the sets apart, one that wants a count adds up their
//! sizes: both see the same rules, and nobody builds a list who does not need it.

use super::attacks::{self, HYPERBOLA, Sliders};
use super::bitboard::Bitboard;
use super::board::Board;
use super::castling::{self, Corridor};
use super::masks::{self, Masks};
use super::square::{Color, Role, Square};

/// A move in a position that is known from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    pub role: Role,
    pub from: Square,
    /// The target; for castling the square of the rook, as in UCI.
    pub to: Square,
    pub kind: MoveKind,
}

/// What a move does besides going from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveKind {
    /// Nothing: it goes there, and captures what stands there.
    Plain,
    DoublePush,
    EnPassant,
    Promotion(Role),
    Castling,
}

/// Takes the legal moves of a position. All moves along diagonals come before those along ranks and files.
pub trait Visitor {
    /// A piece goes from a square to any of the targets. A queen may come twice, with different targets.
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard);

    /// A bishop or queen goes along diagonals.
    #[inline(always)]
    fn diagonal(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.piece(role, from, targets);
    }

    /// A rook or queen goes along ranks and files.
    #[inline(always)]
    fn straight(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.piece(role, from, targets);
    }

    /// Pawns go to the targets, each from the square `step` before it, and stay pawns.
    fn pawns(&mut self, step: i8, targets: Bitboard);

    /// Pawns go two squares to the targets, each from the square twice `step` before it.
    fn double_pushes(&mut self, step: i8, targets: Bitboard);

    /// Pawns go to the targets on the last rank, each from the square `step` before it.
    fn promotions(&mut self, step: i8, targets: Bitboard);

    fn en_passant(&mut self, from: Square, to: Square);

    fn castling(&mut self, king: Square, rook: Square);
}

impl Board {
    /// Calls `visit` with every legal move.
    pub fn for_each_move(&self, visit: impl FnMut(Move)) {
        let mut taking_apart = TakingApart { visit };
        match self.turn {
            Color::White => visit_moves::<true>(self, HYPERBOLA, &mut taking_apart),
            Color::Black => visit_moves::<false>(self, HYPERBOLA, &mut taking_apart),
        }
    }

    /// Calls `visit` with every legal move of a piece of this role to this square, castling aside.
    pub fn for_each_move_to(&self, role: Role, to: Square, visit: impl FnMut(Move)) {
        let mut narrowed = Narrowed {
            to: to.bit(),
            visitor: TakingApart { visit },
        };
        match self.turn {
            Color::White => visit_moves_to::<true>(self, role, to, &mut narrowed),
            Color::Black => visit_moves_to::<false>(self, role, to, &mut narrowed),
        }
    }

    /// Calls `visit` with every legal castling.
    pub fn for_each_castling(&self, visit: impl FnMut(Move)) {
        let mut taking_apart = TakingApart { visit };
        if self.is_check() {
            return;
        }
        match self.turn {
            Color::White => visit_castling::<true>(self, HYPERBOLA, &mut taking_apart),
            Color::Black => visit_castling::<false>(self, HYPERBOLA, &mut taking_apart),
        }
    }

    /// The legal moves, in no particular order.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(48);
        self.for_each_move(|mv| moves.push(mv));
        moves
    }

    /// The number of legal moves, counted without listing them.
    pub fn count_moves(&self) -> u64 {
        match self.turn {
            Color::White => count_moves::<true>(self, HYPERBOLA),
            Color::Black => count_moves::<false>(self, HYPERBOLA),
        }
    }
}

/// Pushes every legal move of the player `WHITE`, whose turn it is, to the visitor.
#[inline(always)]
pub(crate) fn visit_moves<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    visitor: &mut impl Visitor,
) {
    let masks = Masks::of::<WHITE>(board);
    visit_moves_within::<WHITE>(board, sliders, &masks, visitor);
    visit_en_passant::<WHITE>(board, sliders, visitor);
}

/// Pushes every legal move of the player `WHITE` but en passant captures, with the masks already known.
#[inline(always)]
pub(crate) fn visit_moves_within<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    masks: &Masks,
    visitor: &mut impl Visitor,
) {
    visit_king::<WHITE>(board, sliders, visitor);
    if masks.is_double_check() {
        return;
    }
    visit_pieces::<WHITE>(board, sliders, masks, visitor);
    visit_pawns::<WHITE>(board, masks, visitor);
    if masks.checkers.is_empty() {
        visit_castling::<WHITE>(board, sliders, visitor);
    }
}

/// Pushes the legal moves of the pieces of one role that could go to a square, looking only at pieces that see it.
fn visit_moves_to<const WHITE: bool>(
    board: &Board,
    role: Role,
    to: Square,
    visitor: &mut Narrowed<impl Visitor>,
) {
    if role == Role::King {
        if attacks::king(to).has(masks::king::<WHITE>(board)) {
            visit_king::<WHITE>(board, HYPERBOLA, visitor);
        }
        return;
    }
    let masks = Masks::of::<WHITE>(board);
    if !masks.is_double_check() {
        let seen_from = attacks::of_piece::<WHITE>(HYPERBOLA, role, to, board.occupied());
        match role {
            Role::Pawn => visit_pawns::<WHITE>(board, &masks, visitor),
            _ => visit_pieces_among::<WHITE>(
                board,
                HYPERBOLA,
                &masks,
                board.with_role(role) & seen_from,
                visitor,
            ),
        }
    }
    if role == Role::Pawn && board.en_passant == Some(to) {
        visit_en_passant::<WHITE>(board, HYPERBOLA, visitor);
    }
}

/// Pushes every legal en passant capture of the player `WHITE`, whose turn it is, to the visitor.
#[inline(always)]
pub(crate) fn visit_en_passant<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    visitor: &mut impl Visitor,
) {
    if let Some(target) = board.en_passant {
        for from in en_passant_captures::<WHITE>(board, sliders, target) {
            visitor.en_passant(from, target);
        }
    }
}

/// The number of legal moves of the player `WHITE`, whose turn it is.
#[inline(always)]
pub(crate) fn count_moves<const WHITE: bool>(board: &Board, sliders: impl Sliders) -> u64 {
    let mut count = Counting(0);
    visit_moves::<WHITE>(board, sliders, &mut count);
    count.0
}

/// Whether the side to move can legally capture en passant on this square, which an enemy pawn has just
/// passed over.
pub(crate) fn can_capture_en_passant(board: &Board, target: Square) -> bool {
    match board.turn {
        Color::White => en_passant_captures::<true>(board, HYPERBOLA, target).any(),
        Color::Black => en_passant_captures::<false>(board, HYPERBOLA, target).any(),
    }
}

/// From more steps of a king on, it is cheaper to find all that the enemy attacks than to ask step by step.
const MANY_STEPS: u32 = 3;

#[inline(always)]
fn visit_king<const WHITE: bool>(board: &Board, sliders: impl Sliders, visitor: &mut impl Visitor) {
    let king = masks::king::<WHITE>(board);
    // The king does not shield the squares behind it from the piece that it flees.
    let occupied = board.occupied() ^ king.bit();
    let mut targets = attacks::king(king) & !board.own::<WHITE>();
    if targets.count() > MANY_STEPS {
        targets &= !masks::attacked_by_enemy::<WHITE>(board, sliders, occupied);
    } else {
        for target in targets {
            if masks::is_attacked::<WHITE>(board, sliders, target, occupied) {
                targets ^= target.bit();
            }
        }
    }
    visitor.piece(Role::King, king, targets);
}

#[inline(always)]
fn visit_pieces<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    masks: &Masks,
    visitor: &mut impl Visitor,
) {
    visit_pieces_among::<WHITE>(board, sliders, masks, Bitboard::ALL, visitor);
}

/// Pushes the moves of those of the player's pieces that are among these pieces.
#[inline(always)]
fn visit_pieces_among<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    masks: &Masks,
    pieces: Bitboard,
    visitor: &mut impl Visitor,
) {
    let own = board.own::<WHITE>() & pieces;
    let occupied = board.occupied();
    let targets = masks.targets & !board.own::<WHITE>();
    let pins = masks.straight_pins | masks.diagonal_pins;
    for from in board.knights & own & !pins {
        visitor.piece(Role::Knight, from, attacks::knight(from) & targets);
    }
    for from in board.bishops_and_queens & own & !pins {
        let reach = sliders.bishop(from, occupied) & targets;
        visitor.diagonal(diagonal_role(board, from), from, reach);
    }
    for from in board.bishops_and_queens & own & masks.diagonal_pins {
        let reach = sliders.bishop(from, occupied) & targets & masks.diagonal_pins;
        visitor.diagonal(diagonal_role(board, from), from, reach);
    }
    for from in board.rooks_and_queens & own & !pins {
        let reach = sliders.rook(from, occupied) & targets;
        visitor.straight(straight_role(board, from), from, reach);
    }
    for from in board.rooks_and_queens & own & masks.straight_pins {
        let reach = sliders.rook(from, occupied) & targets & masks.straight_pins;
        visitor.straight(straight_role(board, from), from, reach);
    }
}

#[inline(always)]
fn diagonal_role(board: &Board, from: Square) -> Role {
    if board.rooks_and_queens.has(from) {
        Role::Queen
    } else {
        Role::Bishop
    }
}

#[inline(always)]
fn straight_role(board: &Board, from: Square) -> Role {
    if board.bishops_and_queens.has(from) {
        Role::Queen
    } else {
        Role::Rook
    }
}

#[inline(always)]
fn visit_pawns<const WHITE: bool>(board: &Board, masks: &Masks, visitor: &mut impl Visitor) {
    let reach = PawnReach::of::<WHITE>(board, masks);
    let last_rank = PawnReach::last_rank::<WHITE>();
    let free = !board.occupied();
    let prey = board.enemy::<WHITE>() & masks.targets;
    let pushes = reach.ahead & free & masks.targets;
    let steps = [
        (forward::<WHITE>(), pushes),
        (forward::<WHITE>() - 1, reach.towards_a & prey),
        (forward::<WHITE>() + 1, reach.towards_h & prey),
    ];
    visitor.double_pushes(
        forward::<WHITE>(),
        reach.double_pushes::<WHITE>(free) & masks.targets,
    );
    for (step, targets) in steps {
        visitor.pawns(step, targets & !last_rank);
        visitor.promotions(step, targets & last_rank);
    }
}

/// The squares that a player's pawns point at, as far as pins let them go there, whatever stands on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PawnReach {
    pub ahead: Bitboard,
    pub towards_a: Bitboard,
    pub towards_h: Bitboard,
}

impl PawnReach {
    #[inline(always)]
    pub fn of<const WHITE: bool>(board: &Board, masks: &Masks) -> PawnReach {
        let forward = forward::<WHITE>();
        let pawns = board.pawns & board.own::<WHITE>();
        let pushers = pawns & !masks.diagonal_pins;
        let capturers = pawns & !masks.straight_pins;
        let from_a = capturers & !Bitboard::FILE_A;
        let from_h = capturers & !Bitboard::FILE_H;
        PawnReach {
            ahead: shifted_within_pins(pushers, forward, masks.straight_pins),
            towards_a: shifted_within_pins(from_a, forward - 1, masks.diagonal_pins),
            towards_h: shifted_within_pins(from_h, forward + 1, masks.diagonal_pins),
        }
    }

    /// Where double pushes go if these squares are free.
    #[inline(always)]
    pub fn double_pushes<const WHITE: bool>(&self, free: Bitboard) -> Bitboard {
        let third_rank = Bitboard::rank(if WHITE { 2 } else { 5 });
        (self.ahead & free & third_rank).shifted(forward::<WHITE>()) & free
    }

    #[inline(always)]
    pub const fn last_rank<const WHITE: bool>() -> Bitboard {
        Bitboard::rank(if WHITE { 7 } else { 0 })
    }
}

/// The step of a pawn of the player `WHITE`.
#[inline(always)]
pub(crate) const fn forward<const WHITE: bool>() -> i8 {
    if WHITE { 8 } else { -8 }
}

#[inline(always)]
fn shifted_within_pins(pawns: Bitboard, step: i8, pins: Bitboard) -> Bitboard {
    (pawns & !pins).shifted(step) | (pawns & pins).shifted(step) & pins
}

/// The pawns that may capture en passant on the target.
///
/// Two pieces leave the rank at once, so pins and checks as [`Masks`] knows them do not tell: the position
/// after the capture is looked at as it will be.
#[inline(always)]
pub(crate) fn en_passant_captures<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    target: Square,
) -> Bitboard {
    let king = masks::king::<WHITE>(board);
    let captured = target.offset(if WHITE { -8 } else { 8 }).bit();
    // A pawn of the enemy's on the target would attack just the squares from which it can be taken there.
    let candidates = if WHITE {
        attacks::pawn::<false>(target)
    } else {
        attacks::pawn::<true>(target)
    };
    let mut captures = Bitboard::EMPTY;
    for from in candidates & board.pawns & board.own::<WHITE>() {
        let occupied = board.occupied() ^ from.bit() ^ captured ^ target.bit();
        let attackers = board.attackers::<WHITE>(sliders, king, occupied);
        if (attackers & !captured).is_empty() {
            captures |= from.bit();
        }
    }
    captures
}

#[inline(always)]
fn visit_castling<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    visitor: &mut impl Visitor,
) {
    let king = masks::king::<WHITE>(board);
    for rook in board.castling & board.own::<WHITE>() {
        let Corridor { vacant, king_path } = castling::corridor::<WHITE>(king, rook);
        if (board.occupied() & vacant).any() {
            continue;
        }
        // King and rook are both lifted: the rook may be all that stands between the king and an enemy.
        let occupied = board.occupied() ^ king.bit() ^ rook.bit();
        let mut is_safe = true;
        for square in king_path {
            is_safe &= !masks::is_attacked::<WHITE>(board, sliders, square, occupied);
        }
        if is_safe {
            visitor.castling(king, rook);
        }
    }
}

/// Adds up the moves.
struct Counting(u64);

impl Counting {
    #[inline(always)]
    fn add(&mut self, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }
}

impl Visitor for Counting {
    #[inline(always)]
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.add(targets);
    }

    #[inline(always)]
    fn pawns(&mut self, _: i8, targets: Bitboard) {
        self.add(targets);
    }

    #[inline(always)]
    fn double_pushes(&mut self, _: i8, targets: Bitboard) {
        self.add(targets);
    }

    #[inline(always)]
    fn promotions(&mut self, _: i8, targets: Bitboard) {
        self.0 += Role::PROMOTIONS.len() as u64 * u64::from(targets.count());
    }

    #[inline(always)]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }

    #[inline(always)]
    fn castling(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }
}

/// Hands on the moves to some squares.
struct Narrowed<V> {
    to: Bitboard,
    visitor: V,
}

impl<V: Visitor> Visitor for Narrowed<V> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.visitor.piece(role, from, targets & self.to);
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        self.visitor.pawns(step, targets & self.to);
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        self.visitor.double_pushes(step, targets & self.to);
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        self.visitor.promotions(step, targets & self.to);
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.visitor.en_passant(from, to);
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.visitor.castling(king, rook);
    }
}

/// Hands on one [`Move`] at a time.
struct TakingApart<F> {
    visit: F,
}

impl<F: FnMut(Move)> TakingApart<F> {
    fn hand_on(&mut self, role: Role, from: Square, to: Square, kind: MoveKind) {
        (self.visit)(Move {
            role,
            from,
            to,
            kind,
        });
    }
}

impl<F: FnMut(Move)> Visitor for TakingApart<F> {
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.hand_on(role, from, to, MoveKind::Plain);
        }
    }

    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            self.hand_on(Role::Pawn, to.offset(-step), to, MoveKind::Plain);
        }
    }

    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            self.hand_on(Role::Pawn, to.offset(-2 * step), to, MoveKind::DoublePush);
        }
    }

    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.hand_on(Role::Pawn, to.offset(-step), to, MoveKind::Promotion(role));
            }
        }
    }

    fn en_passant(&mut self, from: Square, to: Square) {
        self.hand_on(Role::Pawn, from, to, MoveKind::EnPassant);
    }

    fn castling(&mut self, king: Square, rook: Square) {
        self.hand_on(Role::King, king, rook, MoveKind::Castling);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::chess::random::{from_a_game, thrown_together};

    #[test]
    fn moves_to_a_square_are_those_of_all_moves_that_go_there() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        for round in 0..4_000 {
            let board = match round % 2 {
                0 => from_a_game(&mut random),
                _ => thrown_together(&mut random),
            };
            let (mut found, mut expected) = (Vec::new(), board.legal_moves());
            for role in Role::ALL {
                for to in Bitboard::ALL {
                    board.for_each_move_to(role, to, |mv| found.push(mv));
                }
            }
            board.for_each_castling(|mv| found.push(mv));
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{}", board.x_fen());
        }
    }
}
