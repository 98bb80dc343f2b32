//! Slider attacks by arithmetic (hyperbola quintessence), for every machine.
//!
//! With `o` the pieces on a line and `r` the slider, `o - 2r` borrows from the first piece above the slider,
//! so `o ^ (o - 2r)` is every square up to and including that piece. Reversing the byte order turns a file
//! or a diagonal round and gives the other half. A rank lies within one byte, which byte reversal leaves
//! as it is, so ranks come from a table of 512 bytes.

use super::super::bitboard::Bitboard;
use super::super::square::Square;
use super::{Sliders, walk};
use crate::cpu::{Baseline, Cpu};

/// Slider attacks by arithmetic, compiled for some instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Hyperbola<C = Baseline>(pub C);

/// Slider attacks on every machine.
pub const HYPERBOLA: Hyperbola = Hyperbola(Baseline);

impl<C: Cpu> Sliders for Hyperbola<C> {
    type Cpu = C;

    #[inline(always)]
    fn cpu(self) -> C {
        self.0
    }

    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        let lines = &LINES[from.index()];
        line(from, lines.diagonal, occupied) | line(from, lines.antidiagonal, occupied)
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        line(from, LINES[from.index()].file, occupied) | rank(from, occupied)
    }
}

struct Lines {
    file: u64,
    diagonal: u64,
    antidiagonal: u64,
}

static LINES: [Lines; 64] = {
    let mut table = [const {
        Lines {
            file: 0,
            diagonal: 0,
            antidiagonal: 0,
        }
    }; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = Lines {
            file: walk(index, &[(0, 1), (0, -1)], 7, Bitboard::EMPTY).0,
            diagonal: walk(index, &[(1, 1), (-1, -1)], 7, Bitboard::EMPTY).0,
            antidiagonal: walk(index, &[(1, -1), (-1, 1)], 7, Bitboard::EMPTY).0,
        };
        index += 1;
    }
    table
};

/// The attacks along a rank, by the six inner squares of that rank and the slider's file.
static RANK: [[u8; 8]; 64] = {
    let mut table = [[0; 8]; 64];
    let mut inner = 0;
    while inner < 64 {
        let mut file = 0;
        while file < 8 {
            let occupied = Bitboard((inner << 1) as u64);
            table[inner][file] = walk(file, &[(1, 0), (-1, 0)], 7, occupied).0 as u8;
            file += 1;
        }
        inner += 1;
    }
    table
};

#[inline(always)]
fn line(from: Square, line: u64, occupied: Bitboard) -> Bitboard {
    let slider = from.bit().0;
    let pieces = occupied.0 & line;
    let up = pieces.wrapping_sub(slider << 1);
    let down = pieces
        .swap_bytes()
        .wrapping_sub(slider.swap_bytes() << 1)
        .swap_bytes();
    Bitboard((up ^ down) & line)
}

#[inline(always)]
fn rank(from: Square, occupied: Bitboard) -> Bitboard {
    let shift = from.index() & 56;
    let inner = (occupied.0 >> (shift + 1)) & 63;
    Bitboard(u64::from(RANK[inner as usize][from.index() & 7]) << shift)
}
