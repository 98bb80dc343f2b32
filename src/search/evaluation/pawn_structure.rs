//! Pawn structure: doubled, isolated, backward, connected and passed pawns.

use super::{EvalInfo, TaperedScore, Terms, adjacent, file_fill, front_span, relative_rank};
use crate::chess::{Bitboard, Square};

impl EvalInfo {
    pub(super) fn pawn_structure<const WHITE: bool>(
        &self,
        terms: &Terms,
        enemy: &EvalInfo,
    ) -> TaperedScore {
        let pawns = self.pawns;
        let adjacent_files = adjacent(file_fill(pawns));
        let mut sum = terms.doubled_pawn * (pawns & front_span::<WHITE>(pawns)).count();
        sum += terms.isolated_pawn * (pawns & !adjacent_files).count();
        sum += terms.backward_pawn * self.backward_pawns::<WHITE>(enemy).count();
        for pawn in pawns & adjacent(pawns) {
            sum += terms.phalanx[usize::from(relative_rank::<WHITE>(pawn))];
        }
        for pawn in pawns & self.pawn_attacks {
            sum += terms.supported_pawn[usize::from(relative_rank::<WHITE>(pawn))];
        }
        for pawn in self.passed_pawns::<WHITE>(enemy) {
            sum += self.passed_pawn::<WHITE>(terms, enemy, pawn);
        }
        sum
    }

    /// Backward pawns: no own pawn can protect them where they are, and an enemy pawn attacks the square in front of
    /// them.
    fn backward_pawns<const WHITE: bool>(&self, enemy: &EvalInfo) -> Bitboard {
        let protectable = front_span::<WHITE>(adjacent(self.pawns)) | adjacent(self.pawns);
        let stopped = if WHITE {
            enemy.pawn_attacks.shifted(-8)
        } else {
            enemy.pawn_attacks.shifted(8)
        };
        self.pawns & !protectable & stopped & adjacent(file_fill(self.pawns))
    }

    /// Passed pawns: no enemy pawn blocks or guards the squares in front of them. Of doubled ones only the foremost.
    fn passed_pawns<const WHITE: bool>(&self, enemy: &EvalInfo) -> Bitboard {
        let (blocked, rear) = if WHITE {
            (
                front_span::<false>(enemy.pawns),
                front_span::<false>(self.pawns),
            )
        } else {
            (
                front_span::<true>(enemy.pawns),
                front_span::<true>(self.pawns),
            )
        };
        self.pawns & !(blocked | adjacent(blocked) | rear)
    }

    fn passed_pawn<const WHITE: bool>(
        &self,
        terms: &Terms,
        enemy: &EvalInfo,
        pawn: Square,
    ) -> TaperedScore {
        let rank = usize::from(relative_rank::<WHITE>(pawn));
        let stop = pawn.offset(if WHITE { 8 } else { -8 });
        let mut sum = terms.passed_pawn[rank];
        if !(self.pieces | enemy.pieces | enemy.all_attacks).has(stop) {
            sum += terms.free_passed_pawn[rank];
        }
        sum + terms.passed_pawn_own_king[king_distance(self.king, stop)]
            + terms.passed_pawn_enemy_king[king_distance(enemy.king, stop)]
    }
}

/// The number of king moves between two squares (Chebyshev distance).
fn king_distance(a: Square, b: Square) -> usize {
    let files = a.file().abs_diff(b.file());
    usize::from(files.max(a.rank().abs_diff(b.rank())))
}

/// The pawn on a file that is nearest to the king, among those level with it or in front of it.
pub(super) fn nearest_pawn<const WHITE: bool>(
    pawns: Bitboard,
    king: Square,
    file: u8,
) -> Option<Square> {
    let level = Square::at(file, king.rank()).bit();
    let in_front = pawns & (front_span::<WHITE>(level) | level);
    if in_front.is_empty() {
        None
    } else if WHITE {
        Some(in_front.first())
    } else {
        Some(in_front.last())
    }
}
