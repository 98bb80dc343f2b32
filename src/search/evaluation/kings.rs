//! How safe the kings are: what attacks them, what shelters them, and whether they may still castle.

use super::pawns::nearest_before;
use super::pieces::reach;
use super::{Camp, PIECES, Pair, Terms, rank_of};
use crate::chess::castling::corridor;
use crate::chess::{Bitboard, Board, Role};

impl Camp {
    /// What the own pieces do to the enemy's king.
    pub(super) fn king_attack(&self, terms: &Terms, board: &Board, enemy: &Camp) -> Pair {
        let most = terms.king_attackers.len() - 1;
        let mut sum = terms.king_attackers[self.ring_attackers.min(most)];
        let safe = !(self.pieces | enemy.by_any);
        let [bishop, rook] =
            [Role::Bishop, Role::Rook].map(|role| reach(role, enemy.king, board.occupied()));
        let checking = [
            reach(Role::Knight, enemy.king, board.occupied()),
            bishop,
            rook,
            bishop | rook,
        ];
        for (piece, checking) in checking.into_iter().enumerate() {
            sum += terms.king_ring_hit[piece] * self.ring_hits[piece];
            let checks = self.by_pieces[piece] & checking & safe;
            sum += terms.safe_check[piece] * checks.count();
        }
        sum + self.aim(terms, board, enemy)
    }

    /// Long pieces that will see the enemy's king when lines are opened.
    fn aim(&self, terms: &Terms, board: &Board, enemy: &Camp) -> Pair {
        let mut sum = Pair::NOTHING;
        for (worth, role) in terms.aimed_at_king.iter().zip(&PIECES[1..]) {
            for square in board.with_role(*role) & self.pieces {
                let lines = reach(*role, square, Bitboard::EMPTY);
                sum += *worth * (lines & enemy.ring).count();
            }
        }
        sum
    }

    /// The own pawns before the king and the enemy's that come against it, on its file and those beside it.
    pub(super) fn shelter<const WHITE: bool>(&self, terms: &Terms, enemy: &Camp) -> Pair {
        let mut sum = Pair::NOTHING;
        let king_file = self.king.file();
        let middle = king_file.clamp(1, 6);
        for file in middle - 1..=middle + 1 {
            let aside = usize::from(file != king_file);
            let rank = |pawns| {
                nearest_before::<WHITE>(pawns, self.king, file)
                    .map_or(0, |pawn| usize::from(rank_of::<WHITE>(pawn)))
            };
            sum += terms.shelter[aside][rank(self.pawns)];
            sum += terms.storm[aside][rank(enemy.pawns)];
        }
        sum
    }

    /// The rights to castle, and how many pieces stand in the way of each.
    pub(super) fn castling<const WHITE: bool>(&self, terms: &Terms, board: &Board) -> Pair {
        let mut sum = Pair::NOTHING;
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
