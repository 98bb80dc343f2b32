//! Where the pieces stand and how far they reach.

use super::{Camp, PIECES, Pair, Terms, ahead, files_of, turned_to};
use crate::chess::attacks::{self, HYPERBOLA};
use crate::chess::{Bitboard, Board, Role, Square};

const CORNERS: Bitboard = Bitboard(0x8100_0000_0000_0081);
const LIGHT_SQUARES: Bitboard = Bitboard(0x55AA_55AA_55AA_55AA);

impl Camp {
    /// Material, squares and mobility; and the attacks are noted on the way.
    pub(super) fn place_pieces<const WHITE: bool>(
        &mut self,
        terms: &Terms,
        board: &Board,
        enemy: &Camp,
    ) -> Pair {
        let mut sum = self.piece_square_and_material::<WHITE>(terms, board);
        let area = !(self.pieces | enemy.by_pawns);
        let mobilities: [&[Pair]; 4] = [
            &terms.knight_mobility,
            &terms.bishop_mobility,
            &terms.rook_mobility,
            &terms.queen_mobility,
        ];
        for (piece, role) in PIECES.into_iter().enumerate() {
            for square in board.with_role(role) & self.pieces {
                let reach = reach(role, square, board.occupied());
                sum += mobilities[piece][(reach & area).count() as usize];
                self.note_attacks(piece, reach, enemy);
            }
        }
        sum + self.minor_pieces::<WHITE>(terms, board, enemy) + self.rooks(terms, board, enemy)
    }

    fn piece_square_and_material<const WHITE: bool>(&self, terms: &Terms, board: &Board) -> Pair {
        let mut sum = Pair::NOTHING;
        let turned = turned_to::<WHITE>(self.king);
        for role in Role::ALL {
            let pieces = board.with_role(role) & self.pieces;
            for square in pieces {
                sum += terms.squares[role as usize][square.index() ^ turned];
            }
            if role != Role::King {
                sum += terms.material[role as usize] * pieces.count();
            }
        }
        sum
    }

    fn note_attacks(&mut self, piece: usize, reach: Bitboard, enemy: &Camp) {
        self.by_pieces[piece] |= reach;
        self.by_any |= reach;
        let hits = reach & enemy.ring;
        if hits.any() {
            self.ring_attackers += 1;
            self.ring_hits[piece] += hits.count();
        }
    }

    fn minor_pieces<const WHITE: bool>(&self, terms: &Terms, board: &Board, enemy: &Camp) -> Pair {
        let mut sum = Pair::NOTHING;
        let bishops = board.with_role(Role::Bishop) & self.pieces;
        let knights = board.knights & self.pieces;
        if (bishops & LIGHT_SQUARES).any() && (bishops & !LIGHT_SQUARES).any() {
            sum += terms.bishop_pair;
        }
        for bishop in bishops {
            let colour = if LIGHT_SQUARES.has(bishop) {
                LIGHT_SQUARES
            } else {
                !LIGHT_SQUARES
            };
            sum += terms.pawn_on_bishops_colour * (self.pawns & colour).count();
        }
        for corner in bishops & CORNERS {
            let only_way = attacks::king(corner) & attacks::bishop_rays(corner);
            if (only_way & self.pawns).any() {
                sum += terms.corner_bishop_shut;
            }
        }
        let outposts = self.outposts::<WHITE>(enemy);
        sum += terms.outpost[0] * (knights & outposts).count();
        sum += terms.outpost[1] * (bishops & outposts).count();
        let behind_pawns = self.pawns.shifted(if WHITE { -8 } else { 8 });
        sum + terms.minor_behind_pawn * ((knights | bishops) & behind_pawns).count()
    }

    /// Squares that a pawn protects and from which no enemy's pawn can ever drive anybody away.
    fn outposts<const WHITE: bool>(&self, enemy: &Camp) -> Bitboard {
        let (ranks, attackable) = if WHITE {
            let reach = enemy.pawns | ahead::<false>(enemy.pawns);
            (0x0000_FFFF_FF00_0000, attacks::pawns::<false>(reach))
        } else {
            let reach = enemy.pawns | ahead::<true>(enemy.pawns);
            (0x0000_00FF_FFFF_0000, attacks::pawns::<true>(reach))
        };
        Bitboard(ranks) & self.by_pawns & !attackable
    }

    fn rooks(&self, terms: &Terms, board: &Board, enemy: &Camp) -> Pair {
        let rooks = board.with_role(Role::Rook) & self.pieces & !files_of(self.pawns);
        let closed_by_enemy = files_of(enemy.pawns);
        terms.open_file * (rooks & !closed_by_enemy).count()
            + terms.half_open_file * (rooks & closed_by_enemy).count()
    }
}

/// What a knight, bishop, rook or queen attacks, whose colour is the same to it.
pub(super) fn reach(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
    attacks::of_piece::<true>(HYPERBOLA, role, from, occupied)
}
