//! Legal move generation.
//!
//! The generator passes sets of target squares to a [`Visitor`]: one call per piece, and one call per kind of pawn move
//! for all pawns at once. A move list collector splits the sets into single moves; a counter adds up their sizes. Both
//! use the same rules, and no list is built unless it is needed.
//!
//! Only legal moves are generated: [`Masks`] has the pins and the check mask of the position, so that most moves need
//! no test of their own.

use super::attacks::{self, HYPERBOLA, Sliders};
use super::bitboard::Bitboard;
use super::board::Board;
use super::castling::{self, Corridor};
use super::masks::{self, Masks};
use super::square::{Color, Role, Square};

/// A move. It has a meaning only together with the position that it was generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The piece that moves; for castling the king.
    pub role: Role,
    /// The origin square.
    pub from: Square,
    /// The target square; for castling the square of the rook, as in UCI.
    pub to: Square,
    /// What else the move does.
    pub kind: MoveKind,
}

/// What a move does besides moving a piece from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveKind {
    /// Nothing else; an enemy piece on the target square is captured.
    Plain,
    /// A pawn moves two squares.
    DoublePush,
    /// A pawn captures a pawn that has just made a double push.
    EnPassant,
    /// A pawn becomes a piece of this role.
    Promotion(Role),
    /// King and rook move at once.
    Castling,
}

/// Receives the legal moves of a position. All diagonal moves of sliders come before their orthogonal moves.
pub trait Visitor {
    /// A piece moves from a square to any of the targets. A queen may be visited twice, with different targets.
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard);

    /// A bishop or queen moves along diagonals.
    #[inline(always)]
    fn diagonal(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.piece(role, from, targets);
    }

    /// A rook or queen moves along ranks and files.
    #[inline(always)]
    fn orthogonal(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.piece(role, from, targets);
    }

    /// Pawns push or capture without promoting, each from the square `step` before its target.
    fn pawns(&mut self, step: i8, targets: Bitboard);

    /// Pawns make double pushes, each from the square twice `step` before its target.
    fn double_pushes(&mut self, step: i8, targets: Bitboard);

    /// Pawns push or capture on the last rank and promote, each from the square `step` before its target.
    fn promotions(&mut self, step: i8, targets: Bitboard);

    /// A pawn captures en passant.
    fn en_passant(&mut self, from: Square, to: Square);

    /// The king castles with a rook.
    fn castling(&mut self, king: Square, rook: Square);
}

impl Board {
    /// Calls `visit` with every legal move.
    pub fn for_each_move(&self, visit: impl FnMut(Move)) {
        let mut collector = MoveCollector { visit };
        match self.turn {
            Color::White => visit_moves::<true>(self, HYPERBOLA, &mut collector),
            Color::Black => visit_moves::<false>(self, HYPERBOLA, &mut collector),
        }
    }

    /// Calls `visit` with every legal move of a piece of this role to this square, except castling.
    pub(crate) fn for_each_move_to(&self, role: Role, to: Square, visit: impl FnMut(Move)) {
        let mut filter = TargetFilter {
            to: to.bit(),
            visitor: MoveCollector { visit },
        };
        match self.turn {
            Color::White => visit_moves_to::<true>(self, role, to, &mut filter),
            Color::Black => visit_moves_to::<false>(self, role, to, &mut filter),
        }
    }

    /// Calls `visit` with every legal castling move.
    pub(crate) fn for_each_castling(&self, visit: impl FnMut(Move)) {
        let mut collector = MoveCollector { visit };
        if self.is_check() {
            return;
        }
        match self.turn {
            Color::White => visit_castling::<true>(self, HYPERBOLA, &mut collector),
            Color::Black => visit_castling::<false>(self, HYPERBOLA, &mut collector),
        }
    }

    /// The legal moves, in no particular order.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(48);
        self.for_each_move(|mv| moves.push(mv));
        moves
    }
}

/// Passes every legal move of side `WHITE`, which is to move, to the visitor.
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

/// Passes every legal move of side `WHITE` except en passant captures to the visitor. The masks are known already.
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

/// Passes the legal moves of the pieces of one role that attack a square to the visitor.
fn visit_moves_to<const WHITE: bool>(
    board: &Board,
    role: Role,
    to: Square,
    visitor: &mut TargetFilter<impl Visitor>,
) {
    if role == Role::King {
        if attacks::king(to).has(masks::king::<WHITE>(board)) {
            visit_king::<WHITE>(board, HYPERBOLA, visitor);
        }
        return;
    }
    let masks = Masks::of::<WHITE>(board);
    if !masks.is_double_check() {
        let attacked_from = attacks::of_piece::<WHITE>(HYPERBOLA, role, to, board.occupied());
        match role {
            Role::Pawn => visit_pawns::<WHITE>(board, &masks, visitor),
            _ => visit_pieces_among::<WHITE>(
                board,
                HYPERBOLA,
                &masks,
                board.with_role(role) & attacked_from,
                visitor,
            ),
        }
    }
    if role == Role::Pawn && board.en_passant == Some(to) {
        visit_en_passant::<WHITE>(board, HYPERBOLA, visitor);
    }
}

/// Passes every legal en passant capture of side `WHITE`, which is to move, to the visitor.
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

/// Whether the side to move can legally capture en passant on this square, which an enemy pawn has just passed.
pub(crate) fn can_capture_en_passant(board: &Board, target: Square) -> bool {
    match board.turn {
        Color::White => en_passant_captures::<true>(board, HYPERBOLA, target).any(),
        Color::Black => en_passant_captures::<false>(board, HYPERBOLA, target).any(),
    }
}

/// For more king steps than this, it is cheaper to compute all enemy attacks than to test each target.
const MANY_STEPS: u32 = 3;

#[inline(always)]
fn visit_king<const WHITE: bool>(board: &Board, sliders: impl Sliders, visitor: &mut impl Visitor) {
    let king = masks::king::<WHITE>(board);
    // The king is removed: it does not block a slider's attack on the square behind it.
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

/// Passes the moves of those of these pieces that belong to side `WHITE` to the visitor.
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
    let targets = masks.check_mask & !board.own::<WHITE>();
    let pins = masks.orthogonal_pins | masks.diagonal_pins;
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
        visitor.orthogonal(orthogonal_role(board, from), from, reach);
    }
    for from in board.rooks_and_queens & own & masks.orthogonal_pins {
        let reach = sliders.rook(from, occupied) & targets & masks.orthogonal_pins;
        visitor.orthogonal(orthogonal_role(board, from), from, reach);
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
fn orthogonal_role(board: &Board, from: Square) -> Role {
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
    let empty = !board.occupied();
    let victims = board.enemy::<WHITE>() & masks.check_mask;
    let pushes = reach.ahead & empty & masks.check_mask;
    let steps = [
        (forward::<WHITE>(), pushes),
        (forward::<WHITE>() - 1, reach.towards_a & victims),
        (forward::<WHITE>() + 1, reach.towards_h & victims),
    ];
    visitor.double_pushes(
        forward::<WHITE>(),
        reach.double_pushes::<WHITE>(empty) & masks.check_mask,
    );
    for (step, targets) in steps {
        visitor.pawns(step, targets & !last_rank);
        visitor.promotions(step, targets & last_rank);
    }
}

/// The squares in front of a side's pawns and those that they attack, as far as pins allow a move there, whether
/// occupied or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PawnReach {
    /// The squares of single pushes.
    pub ahead: Bitboard,
    /// The squares of captures towards the a-file.
    pub towards_a: Bitboard,
    /// The squares of captures towards the h-file.
    pub towards_h: Bitboard,
}

impl PawnReach {
    #[inline(always)]
    pub fn of<const WHITE: bool>(board: &Board, masks: &Masks) -> PawnReach {
        let forward = forward::<WHITE>();
        let pawns = board.pawns & board.own::<WHITE>();
        let pushers = pawns & !masks.diagonal_pins;
        let capturers = pawns & !masks.orthogonal_pins;
        let from_a = capturers & !Bitboard::FILE_A;
        let from_h = capturers & !Bitboard::FILE_H;
        PawnReach {
            ahead: shifted_within_pins(pushers, forward, masks.orthogonal_pins),
            towards_a: shifted_within_pins(from_a, forward - 1, masks.diagonal_pins),
            towards_h: shifted_within_pins(from_h, forward + 1, masks.diagonal_pins),
        }
    }

    /// The targets of double pushes if these squares are empty.
    #[inline(always)]
    pub fn double_pushes<const WHITE: bool>(&self, empty: Bitboard) -> Bitboard {
        let third_rank = Bitboard::rank(if WHITE { 2 } else { 5 });
        (self.ahead & empty & third_rank).shifted(forward::<WHITE>()) & empty
    }

    #[inline(always)]
    pub const fn last_rank<const WHITE: bool>() -> Bitboard {
        Bitboard::rank(if WHITE { 7 } else { 0 })
    }
}

/// The step of a pawn push of side `WHITE`, in square indices.
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
/// Two pawns leave the same rank at once, which the pins of [`Masks`] do not cover. So each capture is tested for
/// attacks on the king with the occupancy after it.
#[inline(always)]
pub(crate) fn en_passant_captures<const WHITE: bool>(
    board: &Board,
    sliders: impl Sliders,
    target: Square,
) -> Bitboard {
    let king = masks::king::<WHITE>(board);
    let captured = target.offset(if WHITE { -8 } else { 8 }).bit();
    // The squares from which a pawn attacks the target are those that an enemy pawn on the target would attack.
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
        // King and rook are both removed: the rook may be the only piece between the king's path and an enemy slider.
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

/// A visitor that passes on only the moves to some squares.
struct TargetFilter<V> {
    to: Bitboard,
    visitor: V,
}

impl<V: Visitor> Visitor for TargetFilter<V> {
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

/// A move list collector: a visitor that splits the target sets into single [`Move`]s.
struct MoveCollector<F> {
    visit: F,
}

impl<F: FnMut(Move)> MoveCollector<F> {
    fn emit(&mut self, role: Role, from: Square, to: Square, kind: MoveKind) {
        (self.visit)(Move {
            role,
            from,
            to,
            kind,
        });
    }
}

impl<F: FnMut(Move)> Visitor for MoveCollector<F> {
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.emit(role, from, to, MoveKind::Plain);
        }
    }

    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            self.emit(Role::Pawn, to.offset(-step), to, MoveKind::Plain);
        }
    }

    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            self.emit(Role::Pawn, to.offset(-2 * step), to, MoveKind::DoublePush);
        }
    }

    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.emit(Role::Pawn, to.offset(-step), to, MoveKind::Promotion(role));
            }
        }
    }

    fn en_passant(&mut self, from: Square, to: Square) {
        self.emit(Role::Pawn, from, to, MoveKind::EnPassant);
    }

    fn castling(&mut self, king: Square, rook: Square) {
        self.emit(Role::King, king, rook, MoveKind::Castling);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::chess::random::{random_game_position, random_placement};

    #[test]
    fn moves_to_each_square_are_together_all_legal_moves() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        for round in 0..4_000 {
            let board = match round % 2 {
                0 => random_game_position(&mut random),
                _ => random_placement(&mut random),
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
