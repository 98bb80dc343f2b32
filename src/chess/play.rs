//! Making moves. The board is copied and the copy changed (copy-make), so no move has to be unmade.
//!
//! There is one function per kind of move, generic in the side to move, so that callers who know the kind skip the
//! dispatch; [`Board::play`] picks the right one for a [`Move`].

use super::attacks::{HYPERBOLA, Sliders};
use super::bitboard::Bitboard;
use super::board::Board;
use super::castling;
use super::moves::{self, Move, MoveKind};
use super::square::{Color, Role, Square};

impl Board {
    /// The position after a legal move of this position.
    pub fn play(&self, mv: Move) -> Board {
        match self.turn {
            Color::White => self.play_as::<true>(mv),
            Color::Black => self.play_as::<false>(mv),
        }
    }

    /// The position after a null move: the other side is to move. The side to move must not be in check.
    pub(crate) fn after_null_move(&self) -> Board {
        match self.turn {
            Color::White => self.with_turn_passed::<true>(),
            Color::Black => self.with_turn_passed::<false>(),
        }
    }

    fn play_as<const WHITE: bool>(&self, mv: Move) -> Board {
        match mv.kind {
            MoveKind::Plain => self.after_plain::<WHITE>(mv.role, mv.from, mv.to),
            MoveKind::DoublePush => self.after_double_push::<WHITE>(HYPERBOLA, mv.from, mv.to),
            MoveKind::EnPassant => self.after_en_passant::<WHITE>(mv.from, mv.to),
            MoveKind::Promotion(role) => self.after_promotion::<WHITE>(role, mv.from, mv.to),
            MoveKind::Castling => self.after_castling::<WHITE>(mv.from, mv.to),
        }
    }

    #[inline(always)]
    pub(crate) fn after_plain<const WHITE: bool>(
        &self,
        role: Role,
        from: Square,
        to: Square,
    ) -> Board {
        let mut board = self.with_turn_passed::<WHITE>();
        board.capture::<WHITE>(to);
        board.toggle::<WHITE>(role, from.bit() | to.bit());
        board.castling &= !from.bit();
        match role {
            Role::King => board.castling &= !board.own::<WHITE>(),
            Role::Pawn => board.halfmove_clock = 0,
            _ => {}
        }
        board
    }

    #[inline(always)]
    pub(crate) fn after_double_push<const WHITE: bool>(
        &self,
        sliders: impl Sliders,
        from: Square,
        to: Square,
    ) -> Board {
        let mut board = self.with_turn_passed::<WHITE>();
        board.toggle::<WHITE>(Role::Pawn, from.bit() | to.bit());
        board.halfmove_clock = 0;
        let passed = to.offset(if WHITE { -8 } else { 8 });
        let can_capture = if WHITE {
            moves::en_passant_captures::<false>(&board, sliders, passed).any()
        } else {
            moves::en_passant_captures::<true>(&board, sliders, passed).any()
        };
        board.en_passant = can_capture.then_some(passed);
        board
    }

    #[inline(always)]
    pub(crate) fn after_en_passant<const WHITE: bool>(&self, from: Square, to: Square) -> Board {
        let mut board = self.with_turn_passed::<WHITE>();
        board.capture::<WHITE>(to.offset(if WHITE { -8 } else { 8 }));
        board.toggle::<WHITE>(Role::Pawn, from.bit() | to.bit());
        board
    }

    #[inline(always)]
    pub(crate) fn after_promotion<const WHITE: bool>(
        &self,
        role: Role,
        from: Square,
        to: Square,
    ) -> Board {
        let mut board = self.with_turn_passed::<WHITE>();
        board.capture::<WHITE>(to);
        board.toggle::<WHITE>(Role::Pawn, from.bit());
        board.toggle::<WHITE>(role, to.bit());
        board.halfmove_clock = 0;
        board
    }

    #[inline(always)]
    pub(crate) fn after_castling<const WHITE: bool>(&self, king: Square, rook: Square) -> Board {
        let mut board = self.with_turn_passed::<WHITE>();
        let (king_to, rook_to) = castling::destinations::<WHITE>(king, rook);
        // In Chess960 king and rook may land on each other's square or stay where they are: the exclusive or covers
        // both.
        board.toggle::<WHITE>(Role::King, king.bit() ^ king_to.bit());
        board.toggle::<WHITE>(Role::Rook, rook.bit() ^ rook_to.bit());
        board.castling &= !Bitboard::rank(if WHITE { 0 } else { 7 });
        board
    }

    /// This position with the other side to move, the clocks advanced and no en passant square.
    #[inline(always)]
    fn with_turn_passed<const WHITE: bool>(&self) -> Board {
        Board {
            en_passant: None,
            turn: if WHITE { Color::Black } else { Color::White },
            halfmove_clock: self.halfmove_clock.saturating_add(1),
            fullmove_number: self.fullmove_number.saturating_add(u16::from(!WHITE)),
            ..*self
        }
    }

    /// Removes an enemy piece on this square, if there is one, and the right to castle with it.
    #[inline(always)]
    fn capture<const WHITE: bool>(&mut self, square: Square) {
        let enemy = if WHITE {
            &mut self.black
        } else {
            &mut self.white
        };
        let kept = !square.bit();
        if enemy.has(square) {
            *enemy &= kept;
            self.pawns &= kept;
            self.knights &= kept;
            self.bishops_and_queens &= kept;
            self.rooks_and_queens &= kept;
            self.castling &= kept;
            self.halfmove_clock = 0;
        }
    }

    /// Adds pieces of one role on these squares, or removes them where they already are.
    #[inline(always)]
    fn toggle<const WHITE: bool>(&mut self, role: Role, squares: Bitboard) {
        match role {
            Role::Pawn => self.pawns ^= squares,
            Role::Knight => self.knights ^= squares,
            Role::Bishop => self.bishops_and_queens ^= squares,
            Role::Rook => self.rooks_and_queens ^= squares,
            Role::Queen => {
                self.bishops_and_queens ^= squares;
                self.rooks_and_queens ^= squares;
            }
            Role::King => self.kings ^= squares,
        }
        if WHITE {
            self.white ^= squares;
        } else {
            self.black ^= squares;
        }
    }
}
