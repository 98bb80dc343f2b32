//! What a position is worth without looking ahead.
//!
//! A board walks into a [`Judge`], centipawns for the side to move walk out. [`Terms`] are one: each player's pieces are
//! looked at once for where they stand and what they attack, which makes a `Camp`; what depends on the attacks of
//! both comes after that. Everything is a sum of terms, in two versions that are mixed by how many pieces are left.
//! What can be said in terms is not all: the engine's own judge, [`Learned`], adds what a small [`network`] has learned
//! to correct.

mod kings;
pub mod network;
mod pawns;
mod pieces;
mod terms;
mod threats;

use std::ops::{Add, AddAssign, Mul, Sub};

use crate::chess::attacks;
use crate::chess::{Bitboard, Board, Color, Role, Square};

pub use network::Network;
pub use terms::{Pair, Squares, TERMS, Terms};

/// The pieces that have mobility, in the order in which arrays speak of them.
const PIECES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// How much of the opening each piece still holds, and all of them in a full game.
const PHASES: [i32; 4] = [1, 1, 2, 4];
const FULL_BOARD: i32 = 24;

/// Without pawns, so much more material than the enemy has rarely wins.
const SLIGHT_ADVANTAGE: i32 = 400;
const HARD_TO_WIN: i32 = 8;

/// One who judges positions without looking ahead.
pub trait Judge: Send {
    /// Centipawns for the side to move.
    fn value(&mut self, board: &Board) -> i32;
}

/// Judges by the terms, and by the network that corrects them.
#[derive(Default)]
pub struct Learned {
    network: Network,
}

impl Judge for Learned {
    fn value(&mut self, board: &Board) -> i32 {
        evaluate(&TERMS, board) + self.network.correction(board)
    }
}

/// Terms alone judge too.
impl Judge for Terms {
    fn value(&mut self, board: &Board) -> i32 {
        evaluate(self, board)
    }
}

/// Centipawns for the side to move, by the terms.
pub fn evaluate(terms: &Terms, board: &Board) -> i32 {
    let mut white = Camp::of::<true>(board);
    let mut black = Camp::of::<false>(board);
    let mut sum = white.place_pieces::<true>(terms, board, &black)
        - black.place_pieces::<false>(terms, board, &white);
    sum += white.judge::<true>(terms, board, &black) - black.judge::<false>(terms, board, &white);
    let phase = phase(board);
    let advantage = sum.at(phase);
    let advantage = if is_hard_to_win(terms, board, advantage) {
        advantage / HARD_TO_WIN
    } else {
        advantage
    };
    let tempo = terms.tempo.at(phase);
    match board.turn {
        Color::White => tempo + advantage,
        Color::Black => tempo - advantage,
    }
}

fn phase(board: &Board) -> i32 {
    let pieces = PIECES.map(|role| board.with_role(role).count() as i32);
    let phases = PHASES
        .iter()
        .zip(pieces)
        .map(|(phase, count)| phase * count);
    phases.sum::<i32>().min(FULL_BOARD)
}

/// Whether the player who is ahead has no pawns and at most a minor piece more.
fn is_hard_to_win(terms: &Terms, board: &Board, advantage: i32) -> bool {
    let ahead = if advantage > 0 {
        Color::White
    } else {
        Color::Black
    };
    if (board.pawns & board.pieces_of(ahead)).any() {
        return false;
    }
    let pieces = |color| -> i32 {
        let worth = PIECES.map(|role| {
            let count = (board.with_role(role) & board.pieces_of(color)).count();
            count as i32 * terms.material[role as usize].ending
        });
        worth.iter().sum()
    };
    pieces(ahead) - pieces(!ahead) < SLIGHT_ADVANTAGE
}

/// One player's pieces, and what they attack.
struct Camp {
    pieces: Bitboard,
    pawns: Bitboard,
    king: Square,
    /// The king's square and those around it.
    ring: Bitboard,
    by_pawns: Bitboard,
    /// Attacked by knights, bishops, rooks, queens.
    by_pieces: [Bitboard; 4],
    by_any: Bitboard,
    /// How many pieces attack the enemy's ring, and how many of its squares each kind does.
    ring_attackers: usize,
    ring_hits: [u32; 4],
}

impl Camp {
    fn of<const WHITE: bool>(board: &Board) -> Camp {
        let pieces = board.own::<WHITE>();
        let pawns = board.pawns & pieces;
        let king = (board.kings & pieces).first();
        let by_pawns = attacks::pawns::<WHITE>(pawns);
        Camp {
            pieces,
            pawns,
            king,
            ring: attacks::king(king) | king.bit(),
            by_pawns,
            by_pieces: [Bitboard::EMPTY; 4],
            by_any: by_pawns | attacks::king(king),
            ring_attackers: 0,
            ring_hits: [0; 4],
        }
    }

    /// What is seen when the attacks of both players are known.
    fn judge<const WHITE: bool>(&self, terms: &Terms, board: &Board, enemy: &Camp) -> Pair {
        self.pawn_structure::<WHITE>(terms, enemy)
            + self.king_attack(terms, board, enemy)
            + self.shelter::<WHITE>(terms, enemy)
            + self.castling::<WHITE>(terms, board)
            + self.threats(terms, board, enemy)
    }
}

/// What turns squares into places in [`Squares`], for the owner of this king.
fn turned_to<const WHITE: bool>(king: Square) -> usize {
    let ranks = if WHITE { 0 } else { 56 };
    let files = if king.file() < 4 { 7 } else { 0 };
    ranks ^ files
}

/// The rank of a square, 0 to 7, as the player sees it.
fn rank_of<const WHITE: bool>(square: Square) -> u8 {
    if WHITE {
        square.rank()
    } else {
        7 - square.rank()
    }
}

/// All squares in front of these, as the player sees it.
fn ahead<const WHITE: bool>(squares: Bitboard) -> Bitboard {
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

/// All files on which any of these squares is.
fn files_of(squares: Bitboard) -> Bitboard {
    ahead::<true>(squares) | squares | ahead::<false>(squares)
}

/// The neighbours of these squares on their ranks.
fn beside(squares: Bitboard) -> Bitboard {
    (squares & !Bitboard::FILE_A).shifted(-1) | (squares & !Bitboard::FILE_H).shifted(1)
}

impl Pair {
    const NOTHING: Pair = Pair {
        opening: 0,
        ending: 0,
    };

    /// The mixture for a phase of the game.
    fn at(self, phase: i32) -> i32 {
        (self.opening * phase + self.ending * (FULL_BOARD - phase)) / FULL_BOARD
    }
}

impl Add for Pair {
    type Output = Pair;
    #[inline(always)]
    fn add(self, other: Pair) -> Pair {
        Pair {
            opening: self.opening + other.opening,
            ending: self.ending + other.ending,
        }
    }
}

impl Sub for Pair {
    type Output = Pair;
    #[inline(always)]
    fn sub(self, other: Pair) -> Pair {
        Pair {
            opening: self.opening - other.opening,
            ending: self.ending - other.ending,
        }
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl Mul<u32> for Pair {
    type Output = Pair;
    #[inline(always)]
    fn mul(self, times: u32) -> Pair {
        Pair {
            opening: self.opening * times as i32,
            ending: self.ending * times as i32,
        }
    }
}
