//! The moves of the enemy's king after a plain move of ours, without the move being played.

use crate::chess::attacks::{self, Sliders};
use crate::chess::castling::{self, Corridor};
use crate::chess::masks;
use crate::chess::{Bitboard, Board, Role, Square};

use super::dependencies::Watch;

/// What the enemy's king, who is not in check yet, has to fear from our other pieces while one of them is in the
/// air between two squares. The king is lifted too: it does not shield the squares behind it.
pub struct Threats<'a, const WHITE: bool, const ENEMY: bool> {
    board: &'a Board,
    king: Square,
    /// The piece in the air, and our other pieces.
    role: Role,
    rest: Bitboard,
    occupied: Bitboard,
    /// What pawns, knights and our king attack.
    leapt: Bitboard,
    /// What sliders attack.
    slid: Bitboard,
    /// Where the piece would be in the way of something when it comes down, or take what matters to the king.
    lines: Bitboard,
}

impl<'a, const WHITE: bool, const ENEMY: bool> Threats<'a, WHITE, ENEMY> {
    #[inline(always)]
    pub fn without(
        sliders: impl Sliders,
        board: &'a Board,
        lines: Bitboard,
        role: Role,
        from: Square,
    ) -> Self {
        let king = masks::king::<ENEMY>(board);
        let rest = board.own::<WHITE>() ^ from.bit();
        let mut threats = Threats {
            board,
            king,
            role,
            rest,
            occupied: board.occupied() ^ from.bit() ^ king.bit(),
            leapt: masks::attacked_by_leapers::<WHITE>(board, rest),
            slid: Bitboard::EMPTY,
            lines: if lines.has(from) {
                Bitboard::ALL
            } else {
                lines
            },
        };
        threats.slid = threats.slid_with(sliders, threats.occupied);
        threats
    }

    #[inline(always)]
    fn slid_with(&self, sliders: impl Sliders, occupied: Bitboard) -> Bitboard {
        masks::attacked_by_sliders(self.board, sliders, self.rest, occupied)
    }

    /// The sum of the king's moves if the piece came down on each of these squares in turn.
    #[inline(always)]
    pub fn king_moves(&self, sliders: impl Sliders, watch: &Watch, targets: Bitboard) -> u64 {
        let mut looked_at = targets;
        let mut total = 0;
        if targets.has_several() {
            let kept = self.board.own::<ENEMY>();
            let attacked = self.leapt | self.slid;
            let steps = attacks::king(self.king) & !kept & !attacked;
            looked_at &= self.hindering(sliders, steps | watch.castling_paths);
            let rooks_and_queens = self.board.rooks_and_queens & self.rest;
            let castles = self.castles(sliders, kept, self.occupied, attacked, rooks_and_queens);
            let unhindered = u64::from(steps.count()) + castles;
            total = u64::from((targets & !looked_at).count()) * unhindered;
        }
        for to in looked_at {
            total += self.king_moves_after(sliders, to);
        }
        total
    }

    /// Where the piece must not come down for these squares to stay as they are.
    #[inline(always)]
    fn hindering(&self, sliders: impl Sliders, squares: Bitboard) -> Bitboard {
        let mut hindering = self.lines;
        for square in squares {
            hindering |= attacks::of_piece::<ENEMY>(sliders, self.role, square, self.occupied);
        }
        hindering
    }

    /// The king's steps if the piece came down on a square.
    #[inline(always)]
    pub fn steps_after(&self, sliders: impl Sliders, to: Square) -> u64 {
        let attacked = self.attacked_after(sliders, to);
        let kept = self.board.own::<ENEMY>() & !to.bit();
        u64::from((attacks::king(self.king) & !kept & !attacked).count())
    }

    #[inline(always)]
    fn attacked_after(&self, sliders: impl Sliders, to: Square) -> Bitboard {
        let occupied = self.occupied | to.bit();
        let slid = if self.lines.has(to) && self.slid.has(to) {
            self.slid_with(sliders, occupied)
        } else {
            self.slid
        };
        self.leapt | slid | attacks::of_piece::<WHITE>(sliders, self.role, to, occupied)
    }

    #[inline(always)]
    fn king_moves_after(&self, sliders: impl Sliders, to: Square) -> u64 {
        let attacked = self.attacked_after(sliders, to);
        let kept = self.board.own::<ENEMY>() & !to.bit();
        let steps = attacks::king(self.king) & !kept & !attacked;
        let mut rooks_and_queens = self.board.rooks_and_queens & self.rest;
        if matches!(self.role, Role::Rook | Role::Queen) {
            rooks_and_queens |= to.bit();
        }
        let occupied = self.occupied | to.bit();
        u64::from(steps.count()) + self.castles(sliders, kept, occupied, attacked, rooks_and_queens)
    }

    /// In how many ways the king may castle, by what is kept of the enemy's pieces, what stands in the way, what
    /// we attack, and our rooks and queens.
    #[inline(always)]
    fn castles(
        &self,
        sliders: impl Sliders,
        kept: Bitboard,
        occupied: Bitboard,
        attacked: Bitboard,
        rooks_and_queens: Bitboard,
    ) -> u64 {
        let mut castles = 0;
        for rook in self.board.castling & kept {
            let Corridor { vacant, king_path } = castling::corridor::<ENEMY>(self.king, rook);
            if (vacant & occupied).any() {
                continue;
            }
            // The rook is lifted as well, which lengthens the lines along its rank.
            let mut attacked = attacked;
            for slider in rooks_and_queens & Bitboard::rank(rook.rank()) {
                attacked |= sliders.rook(slider, occupied ^ rook.bit());
            }
            castles += u64::from((king_path & attacked).is_empty());
        }
        castles
    }
}

/// The king's moves after a plain move of a pawn of ours, asked square by square, which is cheaper for one move
/// than to find all that we attack.
#[inline(always)]
pub fn moves_after_pawn<const WHITE: bool, const ENEMY: bool>(
    sliders: impl Sliders,
    board: &Board,
    from: Square,
    to: Square,
) -> u64 {
    let king = masks::king::<ENEMY>(board);
    let kept = board.own::<ENEMY>() & !to.bit();
    let occupied = board.occupied() ^ from.bit() ^ king.bit() | to.bit();
    let rest = board.own::<WHITE>() ^ from.bit();
    let is_safe =
        |square, occupied| !masks::is_attacked_by::<ENEMY>(board, sliders, rest, square, occupied);
    let pawn = attacks::pawn::<WHITE>(to);
    let mut count = 0;
    for square in attacks::king(king) & !kept & !pawn {
        count += u64::from(is_safe(square, occupied));
    }
    for rook in board.castling & kept {
        let Corridor { vacant, king_path } = castling::corridor::<ENEMY>(king, rook);
        if (vacant & occupied | king_path & pawn).is_empty() {
            let mut path = king_path;
            count += u64::from(path.all(|square| is_safe(square, occupied ^ rook.bit())));
        }
    }
    count
}
