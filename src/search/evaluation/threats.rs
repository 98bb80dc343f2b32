//! Men that are attacked by cheaper ones, or that nobody protects.

use super::{Camp, Pair, Terms};
use crate::chess::{Bitboard, Board, Role};

/// c3 to f6.
const CENTRE: Bitboard = Bitboard(0x0000_3C3C_3C3C_0000);

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
            let prey = attacked & enemy.men;
            for (worth, role) in threat.iter().zip(Role::ALL) {
                sum += *worth * (prey & board.with_role(role)).count();
            }
        }
        let hanging = enemy.men & self.by_any & !enemy.by_any;
        let unprotected = self.men & !self.by_any & !self.king.bit();
        sum + terms.hanging * hanging.count()
            + terms.unprotected[0] * (unprotected & self.pawns).count()
            + terms.unprotected[1] * (unprotected & !self.pawns).count()
    }

    pub(super) fn centre(&self, terms: &Terms) -> Pair {
        let by_pieces = self.by_pieces[0] | self.by_pieces[1] | self.by_pieces[2];
        terms.centre_control[0] * (self.by_pawns & CENTRE).count()
            + terms.centre_control[1] * (by_pieces & CENTRE).count()
    }
}
