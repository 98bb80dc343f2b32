//! Playing moves: the board after a move is a new board.

use super::board::{Board, home_row};
use super::circle::{Circle, Circles};
use super::moves::{Castling, Move, Side, Visitor};
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
            Move::Castling(side) => self.after_castling::<WHITE>(side),
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

    /// A piece leaves one circle as one role and arrives at another as another, or the same.
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
        board.hand_over::<WHITE>(from.bit() | to.bit(), to.bit());
        board
    }

    #[inline(always)]
    fn after_castling<const WHITE: bool>(&self, side: Side) -> Board {
        let castling = Castling::of(self.turn, side);
        let king = castling.king.bit() | castling.king_to.bit();
        let rook = castling.rook.bit() | castling.crossed.bit();
        let mut board = *self;
        board.pieces[Role::King as usize] ^= king;
        board.pieces[Role::Rook as usize] ^= rook;
        board.castling &= !Circles::row(home_row(self.turn));
        board.hand_over::<WHITE>(king | rook, Circles::EMPTY);
        board
    }

    /// Ends the move of the player `WHITE`, whose pieces came to or left `changed` and took what was on `taken`.
    #[inline(always)]
    fn hand_over<const WHITE: bool>(&mut self, changed: Circles, taken: Circles) {
        let (own, enemies) = if WHITE {
            (&mut self.white, &mut self.black)
        } else {
            (&mut self.black, &mut self.white)
        };
        *own ^= changed;
        *enemies &= !taken;
        self.turn = if WHITE { Color::Black } else { Color::White };
    }
}

/// Plays each move and hands on the position after it.
pub(crate) struct Playing<'a, F, const WHITE: bool> {
    pub board: &'a Board,
    pub visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> Visitor for Playing<'_, F, WHITE> {
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
    fn castling(&mut self, side: Side) {
        (self.visit)(&self.board.after_castling::<WHITE>(side));
    }
}
