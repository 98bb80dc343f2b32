//! Zobrist hashing: a key of 128 bits per position, updated incrementally from move to move.
//!
//! Every piece on a square, the side to move, every castling right and a legal en passant capture has a random number;
//! the Zobrist key is the exclusive or of them. The numbers come from a seed. Results that were computed with two seeds
//! agree only if no key collision has changed either of them.
//!
//! The clocks are left out. They do not change the legal moves, and the halfmove clock is another one whenever a position
//! comes again: with it in the key no repetition would be recognised, and move orders that lead to the same position
//! would seldom share an entry of a transposition table or a node of an opening tree. The price is that a result stored
//! under a key does not know how near the fifty-move rule is.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bitboard::Bitboard;
use super::board::Board;
use super::square::{Color, Role, Square};

/// The Zobrist key of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZobristKey(pub u128);

/// The random numbers from which Zobrist keys are computed.
pub struct Zobrist {
    pieces: [[[u128; 64]; 6]; 2],
    castling: [u128; 64],
    en_passant: [u128; 64],
    black_to_move: u128,
}

impl Zobrist {
    /// The random numbers for a seed.
    pub fn new(seed: u64) -> Box<Zobrist> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut number = || u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
        Box::new(Zobrist {
            pieces: std::array::from_fn(|_| {
                std::array::from_fn(|_| std::array::from_fn(|_| number()))
            }),
            castling: std::array::from_fn(|_| number()),
            en_passant: std::array::from_fn(|_| number()),
            black_to_move: number(),
        })
    }

    /// The Zobrist key of a position, computed from scratch.
    pub fn of(&self, board: &Board) -> ZobristKey {
        let mut key = self.of_state(board);
        for color in Color::BOTH {
            for role in Role::ALL {
                key ^= self.of_pieces(color, role, board.with_role(role) & board.pieces_of(color));
            }
        }
        ZobristKey(key)
    }

    /// The Zobrist key of the position `after` a move, given that of the position `before` it (incremental update).
    pub fn update(&self, key: ZobristKey, before: &Board, after: &Board) -> ZobristKey {
        let mut changed = self.of_state(before) ^ self.of_state(after);
        for color in Color::BOTH {
            for role in Role::ALL {
                let pieces_before = before.with_role(role) & before.pieces_of(color);
                let pieces_after = after.with_role(role) & after.pieces_of(color);
                changed ^= self.of_pieces(color, role, pieces_before ^ pieces_after);
            }
        }
        ZobristKey(key.0 ^ changed)
    }

    fn of_pieces(&self, color: Color, role: Role, squares: Bitboard) -> u128 {
        xor_all(&self.pieces[color as usize][role as usize], squares)
    }

    /// The part of the key that does not come from pieces: side to move, castling rights, en passant.
    fn of_state(&self, board: &Board) -> u128 {
        let turn = match board.turn {
            Color::White => 0,
            Color::Black => self.black_to_move,
        };
        let en_passant = board.en_passant.map_or(Bitboard::EMPTY, Square::bit);
        turn ^ xor_all(&self.castling, board.castling) ^ xor_all(&self.en_passant, en_passant)
    }
}

fn xor_all(numbers: &[u128; 64], squares: Bitboard) -> u128 {
    squares.fold(0, |key, square| key ^ numbers[square.index()])
}
