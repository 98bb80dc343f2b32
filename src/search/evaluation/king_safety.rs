//! King safety: attacks on the king, pawn shelter and pawn storm, and castling rights.

use super::pawn_structure::nearest_pawn;
use super::pieces::attacks_of;
use super::{EvalInfo, PIECES, TaperedScore, Terms, relative_rank};
use crate::chess::castling::corridor;
use crate::chess::{Bitboard, Board, Role};

impl EvalInfo {
    /// The own pieces' attack on the enemy's king: attackers of the king ring, safe checks, and x-rays.
    pub(super) fn king_attack(
        &self,
        terms: &Terms,
        board: &Board,
        enemy: &EvalInfo,
    ) -> TaperedScore {
        let most = terms.king_ring_attackers.len() - 1;
        let mut sum = terms.king_ring_attackers[self.king_ring_attackers.min(most)];
        let safe = !(self.pieces | enemy.all_attacks);
        let [bishop, rook] =
            [Role::Bishop, Role::Rook].map(|role| attacks_of(role, enemy.king, board.occupied()));
        let checking_squares = [
            attacks_of(Role::Knight, enemy.king, board.occupied()),
            bishop,
            rook,
            bishop | rook,
        ];
        for (piece, checking_squares) in checking_squares.into_iter().enumerate() {
            sum += terms.king_ring_attack[piece] * self.king_ring_attacks[piece];
            let checks = self.piece_attacks[piece] & checking_squares & safe;
            sum += terms.safe_check[piece] * checks.count();
        }
        sum + self.king_ring_xrays(terms, board, enemy)
    }

    /// Sliders whose lines cross the enemy's king ring on an empty board: they attack it once the lines are opened.
    fn king_ring_xrays(&self, terms: &Terms, board: &Board, enemy: &EvalInfo) -> TaperedScore {
        let mut sum = TaperedScore::ZERO;
        for (weight, role) in terms.king_ring_xray.iter().zip(&PIECES[1..]) {
            for square in board.with_role(*role) & self.pieces {
                let lines = attacks_of(*role, square, Bitboard::EMPTY);
                sum += *weight * (lines & enemy.king_ring).count();
            }
        }
        sum
    }

    /// Pawn shelter and pawn storm: the nearest own and enemy pawns in front of the king, on its file and the adjacent
    /// ones.
    pub(super) fn shelter_and_storm<const WHITE: bool>(
        &self,
        terms: &Terms,
        enemy: &EvalInfo,
    ) -> TaperedScore {
        let mut sum = TaperedScore::ZERO;
        let king_file = self.king.file();
        let middle = king_file.clamp(1, 6);
        for file in middle - 1..=middle + 1 {
            let is_adjacent = usize::from(file != king_file);
            let rank = |pawns| {
                nearest_pawn::<WHITE>(pawns, self.king, file)
                    .map_or(0, |pawn| usize::from(relative_rank::<WHITE>(pawn)))
            };
            sum += terms.pawn_shelter[is_adjacent][rank(self.pawns)];
            sum += terms.pawn_storm[is_adjacent][rank(enemy.pawns)];
        }
        sum
    }

    /// Castling rights, and the pieces in the way of the least obstructed castling.
    pub(super) fn castling<const WHITE: bool>(&self, terms: &Terms, board: &Board) -> TaperedScore {
        let mut sum = TaperedScore::ZERO;
        let mut fewest = None;
        for rook in board.castling & self.pieces {
            let is_h_side = rook.file() > self.king.file();
            sum += terms.castling_right[usize::from(is_h_side)];
            let vacant = corridor::<WHITE>(self.king, rook).vacant;
            let blockers = (vacant & board.occupied()).count() as usize;
            fewest = Some(fewest.map_or(blockers, |fewest: usize| fewest.min(blockers)));
        }
        if let Some(blockers) = fewest {
            sum += terms.castling_blockers[blockers];
        }
        sum
    }
}
