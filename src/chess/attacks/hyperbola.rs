//! Hyperbola quintessence: slider attacks by subtraction, for every machine.
//!
//! With `o` the occupied squares of a line and `r` the slider, `o - 2r` borrows from the first blocker above the
//! slider, so `o ^ (o - 2r)` is every square up to and including that blocker. Reversing the byte order reverses a
//! file or a diagonal and gives the other half. A rank lies within one byte, which byte reversal leaves as it is, so
//! rank attacks come from a table of 512 bytes.

use super::super::bitboard::Bitboard;
use super::super::square::Square;
use super::{Sliders, ray_walk};
use crate::cpu::{Baseline, Cpu};

/// Hyperbola quintessence, compiled for an instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Hyperbola<C = Baseline>(pub C);

/// Hyperbola quintessence for every machine of the architecture.
pub const HYPERBOLA: Hyperbola = Hyperbola(Baseline);

impl<C: Cpu> Sliders for Hyperbola<C> {
    type Cpu = C;

    #[inline(always)]
    fn cpu(self) -> C {
        self.0
    }

    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        let masks = &LINE_MASKS[from.index()];
        line_attacks(from, masks.diagonal, occupied)
            | line_attacks(from, masks.antidiagonal, occupied)
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        line_attacks(from, LINE_MASKS[from.index()].file, occupied) | rank_attacks(from, occupied)
    }
}

/// The lines through a square, without the square itself.
struct LineMasks {
    file: u64,
    diagonal: u64,
    antidiagonal: u64,
}

static LINE_MASKS: [LineMasks; 64] = {
    let mut table = [const {
        LineMasks {
            file: 0,
            diagonal: 0,
            antidiagonal: 0,
        }
    }; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = LineMasks {
            file: ray_walk(index, &[(0, 1), (0, -1)], 7, Bitboard::EMPTY).0,
            diagonal: ray_walk(index, &[(1, 1), (-1, -1)], 7, Bitboard::EMPTY).0,
            antidiagonal: ray_walk(index, &[(1, -1), (-1, 1)], 7, Bitboard::EMPTY).0,
        };
        index += 1;
    }
    table
};

/// The attacks along a rank, by the occupancy of its six inner squares and the slider's file. The two outer squares are
/// attacked whether they are occupied or not.
static RANK_ATTACKS: [[u8; 8]; 64] = {
    let mut table = [[0; 8]; 64];
    let mut inner = 0;
    while inner < 64 {
        let mut file = 0;
        while file < 8 {
            let occupied = Bitboard((inner << 1) as u64);
            table[inner][file] = ray_walk(file, &[(1, 0), (-1, 0)], 7, occupied).0 as u8;
            file += 1;
        }
        inner += 1;
    }
    table
};

#[inline(always)]
fn line_attacks(from: Square, line: u64, occupied: Bitboard) -> Bitboard {
    let slider = from.bit().0;
    let blockers = occupied.0 & line;
    let up = blockers.wrapping_sub(slider << 1);
    let down = blockers
        .swap_bytes()
        .wrapping_sub(slider.swap_bytes() << 1)
        .swap_bytes();
    Bitboard((up ^ down) & line)
}

#[inline(always)]
fn rank_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    let shift = from.index() & 56;
    let inner = (occupied.0 >> (shift + 1)) & 63;
    Bitboard(u64::from(RANK_ATTACKS[inner as usize][from.index() & 7]) << shift)
}
