//! A position in four words, for tables that hold millions.
//!
//! Three bits per square say what stands there; a rook that may castle is another piece than one that may
//! not. The fourth word says which pieces are White's and, by a mark on a square where nobody stands, where
//! an en passant capture is legal. Whose turn it is, and the clocks, are left out.

use super::bitboard::Bitboard;
use super::board::Board;
use super::square::{Color, Square};

/// A position without turn and clocks.
pub type Packed = [u64; 4];

impl Board {
    /// Packs the position. Two positions with the same side to move have equal packs only if they are equal
    /// but for the clocks.
    #[inline]
    pub fn pack(&self) -> Packed {
        let x = self.bishops_and_queens | self.pawns | self.castling;
        let y = self.rooks_and_queens | self.kings;
        let z = self.knights | self.pawns | self.kings | self.castling;
        let en_passant = self.en_passant.map_or(Bitboard::EMPTY, Square::bit);
        [x.0, y.0, z.0, (self.white | en_passant).0]
    }

    /// The position that was packed, with fresh clocks.
    #[inline]
    pub fn unpack(packed: Packed, turn: Color) -> Board {
        let [x, y, z, marked] = packed.map(Bitboard);
        let occupied = x | y | z;
        let castling = x & y & z;
        Board {
            pawns: x & z & !y,
            knights: z & !x & !y,
            bishops_and_queens: x & !z,
            rooks_and_queens: y & !z | castling,
            kings: y & z & !x,
            white: marked & occupied,
            black: occupied & !marked,
            castling,
            en_passant: (marked & !occupied).next(),
            turn,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }
}
