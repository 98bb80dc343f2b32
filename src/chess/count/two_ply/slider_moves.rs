//! The moves of each enemy slider, and what a blocker would take away from them.

use std::cell::Cell;

use crate::chess::attacks;
use crate::chess::{Bitboard, Square};

/// The moves of each slider: first the diagonal moves, then the orthogonal ones. A queen has an entry in both parts.
pub struct SliderMoves {
    diagonal_len: usize,
    len: usize,
    entries: [(Square, Bitboard); SliderMoves::CAPACITY],
    /// The targets of all sliders.
    pub targets: Bitboard,
    /// The targets of sliders that have more than one move, where a blocker may cut off moves behind it.
    pub blockable: Bitboard,
    /// For each square, the number of moves behind it. Many positions do not need it, so it is computed on demand.
    cut_off: Cell<[u8; 64]>,
    is_cut_off_known: Cell<bool>,
}

impl SliderMoves {
    /// The five sliders of the initial position take six entries, two of them for the queen. A second queen fits as
    /// well.
    const CAPACITY: usize = 8;

    #[inline(always)]
    pub fn none() -> SliderMoves {
        SliderMoves {
            diagonal_len: 0,
            len: 0,
            entries: [(Square::from_index(0), Bitboard::EMPTY); SliderMoves::CAPACITY],
            targets: Bitboard::EMPTY,
            blockable: Bitboard::EMPTY,
            cut_off: Cell::new([0; 64]),
            is_cut_off_known: Cell::new(false),
        }
    }

    /// Whether there were more sliders than fit.
    #[inline(always)]
    pub fn has_overflowed(&self) -> bool {
        self.len > SliderMoves::CAPACITY
    }

    #[inline(always)]
    pub fn diagonal_len(&self) -> usize {
        self.diagonal_len
    }

    #[inline(always)]
    pub fn entries(&self) -> &[(Square, Bitboard)] {
        &self.entries[..self.len]
    }

    #[inline(always)]
    pub fn push(&mut self, from: Square, moves: Bitboard) {
        if let Some(entry) = self.entries.get_mut(self.len) {
            *entry = (from, moves);
        }
        self.len += 1;
        self.targets |= moves;
        if moves.has_several() {
            self.blockable |= moves;
        }
    }

    /// Ends the diagonal part: the entries from here on are orthogonal moves.
    #[inline(always)]
    pub fn end_diagonals(&mut self) {
        self.diagonal_len = self.len;
    }

    /// The number of moves of the slider on this square to some squares.
    #[inline(always)]
    pub fn count_moves(&self, square: Square, targets: Bitboard) -> u64 {
        let mut count = 0;
        for &(from, moves) in self.entries() {
            if from == square {
                count += u64::from((moves & targets).count());
            }
        }
        count
    }

    /// The number of moves that a blocker on this square cuts off.
    #[inline(always)]
    pub fn cut_off_by_blocker(&self, square: Square) -> u8 {
        let cut_off = self.cut_off.as_array_of_cells();
        if !self.is_cut_off_known.get() {
            for &(from, moves) in self.entries() {
                for square in moves {
                    let cell = &cut_off[square.index()];
                    cell.set(cell.get() + (moves & attacks::beyond(from, square)).count() as u8);
                }
            }
            self.is_cut_off_known.set(true);
        }
        cut_off[square.index()].get()
    }
}
