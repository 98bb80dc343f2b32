//! Threats: attacks on more valuable pieces, hanging pieces, and own pieces without protection.

use super::{EvalInfo, TaperedScore, Terms};
use crate::chess::{Board, Role};

impl EvalInfo {
    pub(super) fn threats(&self, terms: &Terms, board: &Board, enemy: &EvalInfo) -> TaperedScore {
        let [knights, bishops, rooks, _] = self.piece_attacks;
        let attacks = [
            self.pawn_attacks,
            (knights | bishops) & !enemy.pawn_attacks,
            rooks & !enemy.pawn_attacks,
        ];
        let mut sum = TaperedScore::ZERO;
        for (weights, attacked) in terms.threat.iter().zip(attacks) {
            let victims = attacked & enemy.pieces;
            for (weight, role) in weights.iter().zip(Role::ALL) {
                sum += *weight * (victims & board.with_role(role)).count();
            }
        }
        let hanging = enemy.pieces & self.all_attacks & !enemy.all_attacks;
        let unprotected = self.pieces & !self.all_attacks & !self.king.bit();
        sum + terms.hanging_piece * hanging.count()
            + terms.unprotected[0] * (unprotected & self.pawns).count()
            + terms.unprotected[1] * (unprotected & !self.pawns).count()
    }
}
