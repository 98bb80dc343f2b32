//! The requirements of castling in Chess960: for each pair of king and rook files, the squares that must be vacant and
//! those that must not be attacked. The table is filled at compile time.

use crate::start::CastlingSide;

use super::bitboard::Bitboard;
use super::square::Square;

/// The castling corridor of a king and a rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corridor {
    /// The squares that must be empty: every square that king or rook crosses or lands on, except their own two.
    pub vacant: Bitboard,
    /// The squares that must not be attacked: every square that the king crosses and the one that it lands on, even
    /// if it does not move.
    pub king_path: Bitboard,
}

/// The corridor of a king and a rook of side `WHITE`.
#[inline(always)]
pub(crate) fn corridor<const WHITE: bool>(king: Square, rook: Square) -> Corridor {
    let files = &CORRIDORS[king.index() & 7][rook.index() & 7];
    Corridor {
        vacant: on_home_rank::<WHITE>(files.vacant),
        king_path: on_home_rank::<WHITE>(files.king_path),
    }
}

/// The squares of king and rook after castling.
#[inline(always)]
pub(crate) fn destinations<const WHITE: bool>(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = destination_files(king.file(), rook.file());
    let rank = if WHITE { 0 } else { 7 };
    (Square::at(king_file, rank), Square::at(rook_file, rank))
}

/// A corridor on one rank, as sets of files with file a in the lowest bit.
#[derive(Clone, Copy)]
struct CorridorFiles {
    vacant: u8,
    king_path: u8,
}

static CORRIDORS: [[CorridorFiles; 8]; 8] = {
    let mut table = [[CorridorFiles {
        vacant: 0,
        king_path: 0,
    }; 8]; 8];
    let mut king = 0;
    while king < 8 {
        let mut rook = 0;
        while rook < 8 {
            table[king as usize][rook as usize] = files(king, rook);
            rook += 1;
        }
        king += 1;
    }
    table
};

const fn files(king: u8, rook: u8) -> CorridorFiles {
    let (king_to, rook_to) = destination_files(king, rook);
    let origins = 1 << king | 1 << rook;
    let crossed_by_king = span(king, king_to);
    let king_path = if king == king_to {
        crossed_by_king
    } else {
        crossed_by_king & !(1 << king)
    };
    CorridorFiles {
        vacant: (crossed_by_king | span(rook, rook_to)) & !origins,
        king_path,
    }
}

const fn destination_files(king: u8, rook: u8) -> (u8, u8) {
    let side = if rook > king {
        CastlingSide::HSide
    } else {
        CastlingSide::ASide
    };
    (side.king_destination() as u8, side.rook_destination() as u8)
}

/// The files from one to another, both included.
const fn span(a: u8, b: u8) -> u8 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    (0xFF << low) & (0xFF >> (7 - high))
}

#[inline(always)]
fn on_home_rank<const WHITE: bool>(files: u8) -> Bitboard {
    Bitboard(u64::from(files) << if WHITE { 0 } else { 56 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::{BackRank, StartId};

    #[test]
    fn corridors_of_every_start_are_its_vacant_files() {
        for start in StartId::all() {
            for side in CastlingSide::ALL {
                let castling = BackRank::from(start).castling(side);
                let square = |file: crate::start::File| Square::at(file.index() as u8, 7);
                let corridor =
                    corridor::<false>(square(castling.king.from), square(castling.rook.from));
                let vacant: Bitboard = castling.vacant_files().map(square).collect();
                assert_eq!(corridor.vacant, vacant, "start {start} {side}");
            }
        }
    }

    #[test]
    fn a_king_that_does_not_move_must_not_be_attacked() {
        let [c1, a1] = ["c1", "a1"].map(|name| name.parse::<Square>().unwrap());
        assert_eq!(corridor::<true>(c1, a1).king_path, c1.bit());
        let [b1, h1] = ["b1", "h1"].map(|name| name.parse::<Square>().unwrap());
        assert_eq!(corridor::<true>(b1, h1).king_path, Bitboard(0b0111_1100));
    }
}
