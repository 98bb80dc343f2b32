//! Material, piece-square tables, mobility, and terms of single pieces: bishops, outposts, rooks on open files.

use super::{EvalInfo, PIECES, TaperedScore, Terms, file_fill, front_span, orientation};
use crate::chess::attacks::{self, HYPERBOLA};
use crate::chess::{Bitboard, Board, Role, Square};

const CORNERS: Bitboard = Bitboard(0x8100_0000_0000_0081);
const LIGHT_SQUARES: Bitboard = Bitboard(0x55AA_55AA_55AA_55AA);

impl EvalInfo {
    /// Evaluates the pieces one by one and records their attacks on the way.
    pub(super) fn evaluate_pieces<const WHITE: bool>(
        &mut self,
        terms: &Terms,
        board: &Board,
        enemy: &EvalInfo,
    ) -> TaperedScore {
        let mut sum = self.material_and_psqt::<WHITE>(terms, board);
        let mobility_area = !(self.pieces | enemy.pawn_attacks);
        let mobilities: [&[TaperedScore]; 4] = [
            &terms.knight_mobility,
            &terms.bishop_mobility,
            &terms.rook_mobility,
            &terms.queen_mobility,
        ];
        for (piece, role) in PIECES.into_iter().enumerate() {
            for square in board.with_role(role) & self.pieces {
                let attacks = attacks_of(role, square, board.occupied());
                sum += mobilities[piece][(attacks & mobility_area).count() as usize];
                self.record_attacks(piece, attacks, enemy);
            }
        }
        sum + self.minor_pieces::<WHITE>(terms, board, enemy) + self.rooks(terms, board, enemy)
    }

    fn material_and_psqt<const WHITE: bool>(&self, terms: &Terms, board: &Board) -> TaperedScore {
        let mut sum = TaperedScore::ZERO;
        let orientation = orientation::<WHITE>(self.king);
        for role in Role::ALL {
            let pieces = board.with_role(role) & self.pieces;
            for square in pieces {
                sum += terms.psqt[role as usize][square.index() ^ orientation];
            }
            if role != Role::King {
                sum += terms.material[role as usize] * pieces.count();
            }
        }
        sum
    }

    fn record_attacks(&mut self, piece: usize, attacks: Bitboard, enemy: &EvalInfo) {
        self.piece_attacks[piece] |= attacks;
        self.all_attacks |= attacks;
        let king_ring_attacks = attacks & enemy.king_ring;
        if king_ring_attacks.any() {
            self.king_ring_attackers += 1;
            self.king_ring_attacks[piece] += king_ring_attacks.count();
        }
    }

    fn minor_pieces<const WHITE: bool>(
        &self,
        terms: &Terms,
        board: &Board,
        enemy: &EvalInfo,
    ) -> TaperedScore {
        let mut sum = TaperedScore::ZERO;
        let bishops = board.with_role(Role::Bishop) & self.pieces;
        let knights = board.knights & self.pieces;
        if (bishops & LIGHT_SQUARES).any() && (bishops & !LIGHT_SQUARES).any() {
            sum += terms.bishop_pair;
        }
        for bishop in bishops {
            let same_colour = if LIGHT_SQUARES.has(bishop) {
                LIGHT_SQUARES
            } else {
                !LIGHT_SQUARES
            };
            sum += terms.bishop_pawn * (self.pawns & same_colour).count();
        }
        for corner in bishops & CORNERS {
            let only_exit = attacks::king(corner) & attacks::bishop_rays(corner);
            if (only_exit & self.pawns).any() {
                sum += terms.cornered_bishop;
            }
        }
        let outposts = self.outposts::<WHITE>(enemy);
        sum += terms.outpost[0] * (knights & outposts).count();
        sum += terms.outpost[1] * (bishops & outposts).count();
        let behind_pawns = self.pawns.shifted(if WHITE { -8 } else { 8 });
        sum + terms.minor_behind_pawn * ((knights | bishops) & behind_pawns).count()
    }

    /// Outposts: squares on the ranks 4 to 6 that an own pawn protects and no enemy pawn can ever attack.
    fn outposts<const WHITE: bool>(&self, enemy: &EvalInfo) -> Bitboard {
        let (ranks, attackable) = if WHITE {
            let enemy_pawn_paths = enemy.pawns | front_span::<false>(enemy.pawns);
            (
                0x0000_FFFF_FF00_0000,
                attacks::pawns::<false>(enemy_pawn_paths),
            )
        } else {
            let enemy_pawn_paths = enemy.pawns | front_span::<true>(enemy.pawns);
            (
                0x0000_00FF_FFFF_0000,
                attacks::pawns::<true>(enemy_pawn_paths),
            )
        };
        Bitboard(ranks) & self.pawn_attacks & !attackable
    }

    fn rooks(&self, terms: &Terms, board: &Board, enemy: &EvalInfo) -> TaperedScore {
        let rooks = board.with_role(Role::Rook) & self.pieces & !file_fill(self.pawns);
        let enemy_pawn_files = file_fill(enemy.pawns);
        terms.rook_on_open_file * (rooks & !enemy_pawn_files).count()
            + terms.rook_on_half_open_file * (rooks & enemy_pawn_files).count()
    }
}

/// The attacks of a knight, bishop, rook or queen, which do not depend on its colour.
pub(super) fn attacks_of(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
    attacks::of_piece::<true>(HYPERBOLA, role, from, occupied)
}
