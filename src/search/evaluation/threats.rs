//! Pieces that are attacked by cheaper ones, or that nobody protects.

use super::{Camp, Pair, Terms};
use crate::chess::{Board, Role};

impl Camp {
    pub(super) fn threats(&self, terms: &Terms, board: &Board, enemy: &Camp) -> Pair {
        let [knights, bishops, rooks, _] = self.by_pieces;
        let attacks = [
            self.by_pawns,
            (knights | bishops) & !enemy.by_pawns,
            rooks & !enemy.by_pawns,
        ];
        let mut sum = Pair::NOTHING;
        for (threat, attacked) in terms.threat.iter().zip(attacks) {
            let prey = attacked & enemy.pieces;
            for (worth, role) in threat.iter().zip(Role::ALL) {
                sum += *worth * (prey & board.with_role(role)).count();
            }
        }
        let hanging = enemy.pieces & self.by_any & !enemy.by_any;
        let unprotected = self.pieces & !self.by_any & !self.king.bit();
        sum + terms.hanging * hanging.count()
            + terms.unprotected[0] * (unprotected & self.pawns).count()
            + terms.unprotected[1] * (unprotected & !self.pawns).count()
    }
}
