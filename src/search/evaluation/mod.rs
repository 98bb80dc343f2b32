//! Static evaluation: the value of a position without searching.
//!
//! An [`Evaluator`] takes a board and returns centipawns for the side to move. [`Terms`] are the hand-crafted
//! evaluation: a sum of named terms, each with a middlegame and an endgame weight, interpolated by the game phase
//! (tapered evaluation). [`HybridEvaluator`] is what the engine uses: it adds the correction that a small neural
//! network ([`nnue`]) has learned.

mod king_safety;
pub mod nnue;
mod pawn_structure;
mod pieces;
mod terms;
mod threats;

use std::ops::{Add, AddAssign, Mul, Sub};

use crate::chess::attacks;
use crate::chess::{Bitboard, Board, Color, Role, Square};

pub use nnue::Network;
pub use terms::{PieceSquareTable, TERMS, TaperedScore, Terms};

/// The roles with mobility terms. Arrays by piece are in this order.
const PIECES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// What each piece adds to the game phase, and the phase with all pieces on the board.
const PHASE_WEIGHTS: [i32; 4] = [1, 1, 2, 4];
const MAX_PHASE: i32 = 24;

/// Without pawns, a smaller material advantage than this rarely wins; the evaluation is divided by the scale.
const DRAWISH_ADVANTAGE: i32 = 400;
const DRAWISH_SCALE: i32 = 8;

/// Evaluates positions statically.
pub trait Evaluator: Send {
    /// Centipawns for the side to move.
    fn evaluate(&mut self, board: &Board) -> i32;
}

/// The engine's evaluation: the hand-crafted terms plus the NNUE that corrects them.
#[derive(Default)]
pub struct HybridEvaluator {
    network: Network,
}

impl Evaluator for HybridEvaluator {
    fn evaluate(&mut self, board: &Board) -> i32 {
        evaluate(&TERMS, board) + self.network.correction(board)
    }
}

/// The hand-crafted evaluation alone.
impl Evaluator for Terms {
    fn evaluate(&mut self, board: &Board) -> i32 {
        evaluate(self, board)
    }
}

/// The hand-crafted evaluation in centipawns for the side to move.
pub fn evaluate(terms: &Terms, board: &Board) -> i32 {
    let mut white = EvalInfo::new::<true>(board);
    let mut black = EvalInfo::new::<false>(board);
    let mut sum = white.evaluate_pieces::<true>(terms, board, &black)
        - black.evaluate_pieces::<false>(terms, board, &white);
    sum += white.evaluate_interactions::<true>(terms, board, &black)
        - black.evaluate_interactions::<false>(terms, board, &white);
    let phase = phase(board);
    let advantage = sum.tapered(phase);
    let advantage = if is_drawish(terms, board, advantage) {
        advantage / DRAWISH_SCALE
    } else {
        advantage
    };
    let tempo = terms.tempo.tapered(phase);
    match board.turn {
        Color::White => tempo + advantage,
        Color::Black => tempo - advantage,
    }
}

/// The game phase, from 0 without pieces to [`MAX_PHASE`] in the opening.
fn phase(board: &Board) -> i32 {
    let pieces = PIECES.map(|role| board.with_role(role).count() as i32);
    let phases = PHASE_WEIGHTS
        .iter()
        .zip(pieces)
        .map(|(weight, count)| weight * count);
    phases.sum::<i32>().min(MAX_PHASE)
}

/// Whether the side that is ahead has no pawns and at most a minor piece more.
fn is_drawish(terms: &Terms, board: &Board, advantage: i32) -> bool {
    let leader = if advantage > 0 {
        Color::White
    } else {
        Color::Black
    };
    if (board.pawns & board.pieces_of(leader)).any() {
        return false;
    }
    let material = |color| -> i32 {
        let values = PIECES.map(|role| {
            let count = (board.with_role(role) & board.pieces_of(color)).count();
            count as i32 * terms.material[role as usize].eg
        });
        values.iter().sum()
    };
    material(leader) - material(!leader) < DRAWISH_ADVANTAGE
}

/// The pieces of one side and their attacks, gathered once and used by several terms.
struct EvalInfo {
    pieces: Bitboard,
    pawns: Bitboard,
    king: Square,
    /// The king's square and those around it.
    king_ring: Bitboard,
    pawn_attacks: Bitboard,
    /// Attacks of knights, bishops, rooks, queens.
    piece_attacks: [Bitboard; 4],
    all_attacks: Bitboard,
    /// How many pieces attack the enemy's king ring.
    king_ring_attackers: usize,
    /// How many attacks on squares of the enemy's king ring each role makes.
    king_ring_attacks: [u32; 4],
}

impl EvalInfo {
    fn new<const WHITE: bool>(board: &Board) -> EvalInfo {
        let pieces = board.own::<WHITE>();
        let pawns = board.pawns & pieces;
        let king = (board.kings & pieces).first();
        let pawn_attacks = attacks::pawns::<WHITE>(pawns);
        EvalInfo {
            pieces,
            pawns,
            king,
            king_ring: attacks::king(king) | king.bit(),
            pawn_attacks,
            piece_attacks: [Bitboard::EMPTY; 4],
            all_attacks: pawn_attacks | attacks::king(king),
            king_ring_attackers: 0,
            king_ring_attacks: [0; 4],
        }
    }

    /// The terms that need the attacks of both sides, which [`evaluate_pieces`](Self::evaluate_pieces) gathers.
    fn evaluate_interactions<const WHITE: bool>(
        &self,
        terms: &Terms,
        board: &Board,
        enemy: &EvalInfo,
    ) -> TaperedScore {
        self.pawn_structure::<WHITE>(terms, enemy)
            + self.king_attack(terms, board, enemy)
            + self.shelter_and_storm::<WHITE>(terms, enemy)
            + self.castling::<WHITE>(terms, board)
            + self.threats(terms, board, enemy)
    }
}

/// The XOR mask that orients squares for a side: ranks are flipped for Black, and files are mirrored so that the own
/// king is on files e to h (horizontal mirroring).
fn orientation<const WHITE: bool>(king: Square) -> usize {
    let ranks = if WHITE { 0 } else { 56 };
    let files = if king.file() < 4 { 7 } else { 0 };
    ranks ^ files
}

/// The rank of a square, 0 to 7, from the side's point of view.
fn relative_rank<const WHITE: bool>(square: Square) -> u8 {
    if WHITE {
        square.rank()
    } else {
        7 - square.rank()
    }
}

/// The front spans: all squares in front of these, from the side's point of view.
fn front_span<const WHITE: bool>(squares: Bitboard) -> Bitboard {
    let mut filled = squares.0;
    if WHITE {
        filled |= filled << 8;
        filled |= filled << 16;
        filled |= filled << 32;
        Bitboard(filled << 8)
    } else {
        filled |= filled >> 8;
        filled |= filled >> 16;
        filled |= filled >> 32;
        Bitboard(filled >> 8)
    }
}

/// All squares of the files that any of these squares is on.
fn file_fill(squares: Bitboard) -> Bitboard {
    front_span::<true>(squares) | squares | front_span::<false>(squares)
}

/// The neighbours of these squares on their ranks.
fn adjacent(squares: Bitboard) -> Bitboard {
    (squares & !Bitboard::FILE_A).shifted(-1) | (squares & !Bitboard::FILE_H).shifted(1)
}

impl TaperedScore {
    const ZERO: TaperedScore = TaperedScore { mg: 0, eg: 0 };

    /// The interpolation between middlegame and endgame for a game phase.
    fn tapered(self, phase: i32) -> i32 {
        (self.mg * phase + self.eg * (MAX_PHASE - phase)) / MAX_PHASE
    }
}

impl Add for TaperedScore {
    type Output = TaperedScore;
    #[inline(always)]
    fn add(self, other: TaperedScore) -> TaperedScore {
        TaperedScore {
            mg: self.mg + other.mg,
            eg: self.eg + other.eg,
        }
    }
}

impl Sub for TaperedScore {
    type Output = TaperedScore;
    #[inline(always)]
    fn sub(self, other: TaperedScore) -> TaperedScore {
        TaperedScore {
            mg: self.mg - other.mg,
            eg: self.eg - other.eg,
        }
    }
}

impl AddAssign for TaperedScore {
    #[inline(always)]
    fn add_assign(&mut self, other: TaperedScore) {
        *self = *self + other;
    }
}

impl Mul<u32> for TaperedScore {
    type Output = TaperedScore;
    #[inline(always)]
    fn mul(self, count: u32) -> TaperedScore {
        TaperedScore {
            mg: self.mg * count as i32,
            eg: self.eg * count as i32,
        }
    }
}
