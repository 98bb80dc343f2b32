//! Making moves. The board is copied and the copy changed (copy-make).

use super::board::{Board, home_row};
use super::circle::{Circle, Circles};
use super::moves::{CastlingCircles, Move, Visitor, Wing};
use crate::chess::{Color, Role};

impl Board {
    /// The position after a legal move.
    pub fn play(&self, mv: Move) -> Board {
        match self.turn {
            Color::White => self.after::<true>(mv),
            Color::Black => self.after::<false>(mv),
        }
    }

    fn after<const WHITE: bool>(&self, mv: Move) -> Board {
        match mv {
            Move::Plain { from, to } => {
                let (_, role) = self.piece_at(from).expect("a piece moves");
                self.after_plain::<WHITE>(role, from, to)
            }
            Move::Promotion { from, to, role } => self.after_promotion::<WHITE>(role, from, to),
            Move::Castling(wing) => self.after_castling::<WHITE>(wing),
        }
    }

    #[inline(always)]
    fn after_plain<const WHITE: bool>(&self, role: Role, from: Circle, to: Circle) -> Board {
        self.after_change::<WHITE>(from, to, role, role)
    }

    #[inline(always)]
    fn after_promotion<const WHITE: bool>(&self, role: Role, from: Circle, to: Circle) -> Board {
        self.after_change::<WHITE>(from, to, Role::Pawn, role)
    }

    /// The position after a piece has moved. Its role changes if it promotes.
    #[inline(always)]
    fn after_change<const WHITE: bool>(
        &self,
        from: Circle,
        to: Circle,
        before: Role,
        after: Role,
    ) -> Board {
        let mut board = *self;
        if self.sides::<WHITE>().1.has(to) {
            board.pieces = board.pieces.map(|pieces| pieces & !to.bit());
        }
        board.pieces[before as usize] ^= from.bit();
        board.pieces[after as usize] ^= to.bit();
        board.castling &= !(from.bit() | to.bit());
        if before == Role::King {
            board.castling &= !Circles::row(home_row(self.turn));
        }
        board.end_move::<WHITE>(from.bit() | to.bit(), to.bit());
        board
    }

    #[inline(always)]
    fn after_castling<const WHITE: bool>(&self, wing: Wing) -> Board {
        let castling = CastlingCircles::of(self.turn, wing);
        let king = castling.king.bit() | castling.king_to.bit();
        let rook = castling.rook.bit() | castling.crossed.bit();
        let mut board = *self;
        board.pieces[Role::King as usize] ^= king;
        board.pieces[Role::Rook as usize] ^= rook;
        board.castling &= !Circles::row(home_row(self.turn));
        board.end_move::<WHITE>(king | rook, Circles::EMPTY);
        board
    }

    /// Completes a move of side `WHITE`, whose pieces left or entered `changed` and captured what was on `captured`.
    #[inline(always)]
    fn end_move<const WHITE: bool>(&mut self, changed: Circles, captured: Circles) {
        let (own, enemies) = if WHITE {
            (&mut self.white, &mut self.black)
        } else {
            (&mut self.black, &mut self.white)
        };
        *own ^= changed;
        *enemies &= !captured;
        self.turn = if WHITE { Color::Black } else { Color::White };
    }
}

/// A visitor that makes each move and passes on the position after it.
pub(crate) struct MakeMoves<'a, F, const WHITE: bool> {
    pub board: &'a Board,
    pub visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> Visitor for MakeMoves<'_, F, WHITE> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Circle, targets: Circles) {
        for to in targets {
            (self.visit)(&self.board.after_plain::<WHITE>(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Circles) {
        for to in targets {
            let from = to.offset(-step);
            (self.visit)(&self.board.after_plain::<WHITE>(Role::Pawn, from, to));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Circles) {
        for to in targets {
            let from = to.offset(-step);
            for role in Role::PROMOTIONS {
                (self.visit)(&self.board.after_promotion::<WHITE>(role, from, to));
            }
        }
    }

    #[inline(always)]
    fn castling(&mut self, wing: Wing) {
        (self.visit)(&self.board.after_castling::<WHITE>(wing));
    }
}
