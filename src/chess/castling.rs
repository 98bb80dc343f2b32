//! What castling asks of the home rank: for each place of king and rook, the squares that must be vacant
//! and those the king must cross unattacked. Two small tables, filled at compile time.

use crate::start::CastlingSide;

use super::bitboard::Bitboard;
use super::square::Square;

/// The squares that matter when a king castles with a rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corridor {
    /// Every square that king or rook crosses or lands on, but for the two where they stand.
    pub vacant: Bitboard,
    /// Every square that the king crosses and the one it lands on, also if it stands there already.
    pub king_path: Bitboard,
}

#[inline(always)]
pub(crate) fn corridor<const WHITE: bool>(king: Square, rook: Square) -> Corridor {
    let files = &CORRIDORS[king.index() & 7][rook.index() & 7];
    Corridor {
        vacant: on_home_rank::<WHITE>(files.vacant),
        king_path: on_home_rank::<WHITE>(files.king_path),
    }
}

/// Where king and rook stand after castling.
#[inline(always)]
pub(crate) fn destinations<const WHITE: bool>(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = destination_files(king.file(), rook.file());
    let rank = if WHITE { 0 } else { 7 };
    (Square::at(king_file, rank), Square::at(rook_file, rank))
}

/// A corridor as bits of one rank, file a lowest.
#[derive(Clone, Copy)]
struct Files {
    vacant: u8,
    king_path: u8,
}

static CORRIDORS: [[Files; 8]; 8] = {
    let mut table = [[Files {
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

const fn files(king: u8, rook: u8) -> Files {
    let (king_to, rook_to) = destination_files(king, rook);
    let standing = 1 << king | 1 << rook;
    let crossed_by_king = span(king, king_to);
    let king_path = if king == king_to {
        crossed_by_king
    } else {
        crossed_by_king & !(1 << king)
    };
    Files {
        vacant: (crossed_by_king | span(rook, rook_to)) & !standing,
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

/// The files from one to the other, both included.
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
    fn corridors_are_the_vacant_files_of_every_start() {
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
    fn a_king_that_stays_is_still_tested_where_it_stands() {
        let [c1, a1] = ["c1", "a1"].map(|name| name.parse::<Square>().unwrap());
        assert_eq!(corridor::<true>(c1, a1).king_path, c1.bit());
        let [b1, h1] = ["b1", "h1"].map(|name| name.parse::<Square>().unwrap());
        assert_eq!(corridor::<true>(b1, h1).king_path, Bitboard(0b0111_1100));
    }
}
