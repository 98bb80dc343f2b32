//! A position packed into four words, for tables with millions of positions.
//!
//! Three bits per square encode the role of the piece on it, with a separate code for rooks that may castle. The fourth
//! word has a bit for each white piece; a bit on an empty square marks a legal en passant capture. The side to move and
//! the clocks are not packed.

use super::bitboard::Bitboard;
use super::board::Board;
use super::square::{Color, Square};

/// A position without side to move and clocks.
pub type Packed = [u64; 4];

impl Board {
    /// The packed form. Two positions with the same side to move have equal packed forms only if they are equal
    /// except for the clocks.
    #[inline]
    pub fn pack(&self) -> Packed {
        let x = self.bishops_and_queens | self.pawns | self.castling;
        let y = self.rooks_and_queens | self.kings;
        let z = self.knights | self.pawns | self.kings | self.castling;
        let en_passant = self.en_passant.map_or(Bitboard::EMPTY, Square::bit);
        [x.0, y.0, z.0, (self.white | en_passant).0]
    }

    /// The position with this packed form and side to move. The halfmove clock is 0 and the move number 1.
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
