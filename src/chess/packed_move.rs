//! A move in 16 bits, for tables that store many moves.
//!
//! The transposition table of the search and the opening tree of the statistics know the position that a move belongs
//! to, so the two squares and the promotion identify it. Piece and move kind follow from the board.

use serde::{Deserialize, Serialize};

use super::board::Board;
use super::moves::{Move, MoveKind};
use super::square::{Role, Square};

/// A move as `from | to << 6 | promotion << 12`, where the promotion is 0 for none and otherwise 1 + the role's index.
///
/// Castling is king takes own rook, as in UCI. No move is packed as 0, because no move starts and ends on one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PackedMove(pub u16);

impl From<Move> for PackedMove {
    #[inline]
    fn from(mv: Move) -> PackedMove {
        let promotion = match mv.kind {
            MoveKind::Promotion(role) => 1 + role as u16,
            _ => 0,
        };
        PackedMove(mv.from.index() as u16 | (mv.to.index() as u16) << 6 | promotion << 12)
    }
}

impl PackedMove {
    /// The legal move of this position that it stands for, if there is one.
    pub fn find_in(self, board: &Board) -> Option<Move> {
        let mut moves = board.legal_moves().into_iter();
        moves.find(|&mv| PackedMove::from(mv) == self)
    }

    /// The same without generating the legal moves, for a move that is known to be legal in this position.
    ///
    /// # Panics
    ///
    /// Panics if the from-square is empty, and in debug builds if the move is not legal.
    pub fn unpack_legal(self, board: &Board) -> Move {
        let (from, to) = self.squares();
        let (_, role) = board.piece_at(from).expect("a legal move moves a piece");
        let is_own = board.pieces_of(board.turn()).has(to);
        let kind = match (role, self.promotion()) {
            (_, Some(role)) => MoveKind::Promotion(role),
            (Role::King, _) if is_own => MoveKind::Castling,
            (Role::Pawn, _) if from.index().abs_diff(to.index()) == 16 => MoveKind::DoublePush,
            (Role::Pawn, _) if from.file() != to.file() && !board.occupied().has(to) => {
                MoveKind::EnPassant
            }
            _ => MoveKind::Plain,
        };
        let mv = Move {
            role,
            from,
            to,
            kind,
        };
        debug_assert_eq!(Some(mv), self.find_in(board));
        mv
    }

    /// The from-square and the to-square.
    fn squares(self) -> (Square, Square) {
        let from = Square::from_index(u32::from(self.0 & 63));
        let to = Square::from_index(u32::from(self.0 >> 6 & 63));
        (from, to)
    }

    fn promotion(self) -> Option<Role> {
        let index = usize::from(self.0 >> 12).checked_sub(1)?;
        Role::ALL.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions with castling on both sides, en passant, and promotions with and without capture.
    const POSITIONS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "1rkr4/8/8/8/8/8/8/1RKR4 b DBdb - 0 1",
        "8/8/3p4/KPp4r/1R3p1k/8/4P1P1/8 w - c6 0 2",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    ];

    #[test]
    fn every_legal_move_survives_packing() {
        for fen in POSITIONS {
            let board: Board = fen.parse().unwrap();
            let moves = board.legal_moves();
            for &mv in &moves {
                let packed = PackedMove::from(mv);
                assert_ne!(packed.0, 0, "{fen} {mv}");
                assert_eq!(packed.find_in(&board), Some(mv), "{fen}");
                assert_eq!(packed.unpack_legal(&board), mv, "{fen}");
            }
            let mut packed: Vec<_> = moves.iter().map(|&mv| PackedMove::from(mv)).collect();
            packed.sort();
            packed.dedup();
            assert_eq!(packed.len(), moves.len(), "{fen}");
        }
    }

    /// Files on disk hold these numbers.
    #[test]
    fn the_bit_layout_is_fixed() {
        let board: Board = POSITIONS[3].parse().unwrap();
        let packed = |uci| PackedMove::from(board.parse_uci(uci).unwrap()).0;
        assert_eq!(packed("d7d6"), 51 | 43 << 6);
        assert_eq!(packed("g2g1q"), 14 | 6 << 6 | 5 << 12);
        assert_eq!(packed("g2h1n"), 14 | 7 << 6 | 2 << 12);
    }

    #[test]
    fn an_illegal_move_is_not_found() {
        let board: Board = POSITIONS[0].parse().unwrap();
        for illegal in [PackedMove(0), PackedMove(4 | 20 << 6), PackedMove(u16::MAX)] {
            assert_eq!(illegal.find_in(&board), None);
        }
    }
}
