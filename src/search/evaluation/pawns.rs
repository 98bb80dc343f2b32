//! How the pawns stand to each other, and those that nobody can stop.

use super::{Camp, Pair, Terms, ahead, beside, files_of, rank_of};
use crate::chess::{Bitboard, Square};

impl Camp {
    pub(super) fn pawn_structure<const WHITE: bool>(&self, terms: &Terms, enemy: &Camp) -> Pair {
        let pawns = self.pawns;
        let neighbours = beside(files_of(pawns));
        let mut sum = terms.doubled_pawn * (pawns & ahead::<WHITE>(pawns)).count();
        sum += terms.isolated_pawn * (pawns & !neighbours).count();
        sum += terms.backward_pawn * self.backward_pawns::<WHITE>(enemy).count();
        for pawn in pawns & beside(pawns) {
            sum += terms.phalanx[usize::from(rank_of::<WHITE>(pawn))];
        }
        for pawn in pawns & self.by_pawns {
            sum += terms.supported[usize::from(rank_of::<WHITE>(pawn))];
        }
        for pawn in self.passed_pawns::<WHITE>(enemy) {
            sum += self.passed_pawn::<WHITE>(terms, enemy, pawn);
        }
        sum
    }

    /// Pawns that no own pawn can protect where they are, and whose next square an enemy's pawn guards.
    fn backward_pawns<const WHITE: bool>(&self, enemy: &Camp) -> Bitboard {
        let protectable = ahead::<WHITE>(beside(self.pawns)) | beside(self.pawns);
        let stopped = if WHITE {
            enemy.by_pawns.shifted(-8)
        } else {
            enemy.by_pawns.shifted(8)
        };
        self.pawns & !protectable & stopped & beside(files_of(self.pawns))
    }

    /// The foremost pawns that no enemy's pawn stands in the way of or can take.
    fn passed_pawns<const WHITE: bool>(&self, enemy: &Camp) -> Bitboard {
        let (guarded, doubled) = if WHITE {
            (ahead::<false>(enemy.pawns), ahead::<false>(self.pawns))
        } else {
            (ahead::<true>(enemy.pawns), ahead::<true>(self.pawns))
        };
        self.pawns & !(guarded | beside(guarded) | doubled)
    }

    fn passed_pawn<const WHITE: bool>(&self, terms: &Terms, enemy: &Camp, pawn: Square) -> Pair {
        let rank = usize::from(rank_of::<WHITE>(pawn));
        let next = pawn.offset(if WHITE { 8 } else { -8 });
        let mut sum = terms.passed[rank];
        if !(self.pieces | enemy.pieces | enemy.by_any).has(next) {
            sum += terms.passed_and_free[rank];
        }
        sum + terms.passed_from_own_king[distance(self.king, next)]
            + terms.passed_from_enemy_king[distance(enemy.king, next)]
    }
}

/// The moves that a king needs from one square to another.
fn distance(a: Square, b: Square) -> usize {
    let files = a.file().abs_diff(b.file());
    usize::from(files.max(a.rank().abs_diff(b.rank())))
}

/// The pawn on this file that is nearest to the king among those beside and before it.
pub(super) fn nearest_before<const WHITE: bool>(
    pawns: Bitboard,
    king: Square,
    file: u8,
) -> Option<Square> {
    let here = Square::at(file, king.rank()).bit();
    let before = pawns & (ahead::<WHITE>(here) | here);
    if before.is_empty() {
        None
    } else if WHITE {
        Some(before.first())
    } else {
        Some(before.last())
    }
}
