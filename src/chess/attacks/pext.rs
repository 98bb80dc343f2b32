//! Slider attacks by parallel bit extraction (`PEXT` of BMI2): the pieces on a slider's lines are gathered
//! into a dense number, which indexes a table of all answers.

use std::arch::x86_64::_pext_u64;
use std::cell::UnsafeCell;
use std::sync::Once;

use super::super::bitboard::Bitboard;
use super::super::square::Square;
use super::{DIAGONAL, STRAIGHT, Sliders, walk};
use crate::cpu::Bmi2;

/// Slider attacks with one look-up. A value exists only where the machine has BMI2 and the table has been filled.
#[derive(Clone, Copy, Debug)]
pub struct Pext(Bmi2);

impl Pext {
    /// Fills the table when it is called for the first time.
    #[inline]
    pub fn new(cpu: Bmi2) -> Pext {
        FILLED.call_once(|| {
            // SAFETY: `call_once` runs this alone, and nobody reads before it has returned, because
            // reading takes a `Pext` and this is the only place that makes one.
            fill(unsafe { &mut *TABLE.0.get() });
        });
        Pext(cpu)
    }

    #[inline(always)]
    fn look_up(self, line: &Line, occupied: Bitboard) -> Bitboard {
        // SAFETY: a `Pext` is only made where the machine has BMI2.
        let index = unsafe { _pext_u64(occupied.0, line.mask) } as usize;
        // SAFETY: the table was filled before the `Pext` was made and is never written again. The lines
        // share the table out without gaps: `offset` plus `2^popcount(mask)` is the next line's offset or
        // the end, and the extracted number has `popcount(mask)` bits.
        unsafe { *(*TABLE.0.get()).get_unchecked(line.offset + index) }
    }
}

impl Sliders for Pext {
    type Cpu = Bmi2;

    #[inline(always)]
    fn cpu(self) -> Bmi2 {
        self.0
    }

    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        self.look_up(&BISHOP[from.index()], occupied)
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        self.look_up(&ROOK[from.index()], occupied)
    }
}

/// The squares whose pieces matter to a slider on one square, and where its answers begin in the table.
#[derive(Clone, Copy)]
struct Line {
    mask: u64,
    offset: usize,
}

const BISHOP_ENTRIES: usize = 5_248;
const ROOK_ENTRIES: usize = 102_400;

struct Table(UnsafeCell<[Bitboard; BISHOP_ENTRIES + ROOK_ENTRIES]>);

// SAFETY: written once, under `FILLED`, before any reader can exist.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new(
    [Bitboard::EMPTY; BISHOP_ENTRIES + ROOK_ENTRIES],
));
static FILLED: Once = Once::new();

static BISHOP: [Line; 64] = lines(&DIAGONAL, 0, BISHOP_ENTRIES);
static ROOK: [Line; 64] = lines(&STRAIGHT, BISHOP_ENTRIES, ROOK_ENTRIES);

const fn lines(directions: &[(i8, i8); 4], begin: usize, entries: usize) -> [Line; 64] {
    let mut table = [Line { mask: 0, offset: 0 }; 64];
    let mut offset = begin;
    let mut index = 0;
    while index < 64 {
        let mask = relevant(index, directions);
        table[index] = Line { mask, offset };
        offset += 1 << mask.count_ones();
        index += 1;
    }
    assert!(offset == begin + entries);
    table
}

/// The squares on which a piece shortens the slider's reach: not the last of each direction, where there is
/// nothing left to shorten.
const fn relevant(index: usize, directions: &[(i8, i8); 4]) -> u64 {
    let mut mask = 0;
    let mut direction = 0;
    while direction < 4 {
        let line = [directions[direction]];
        let mut steps = 7;
        let whole = walk(index, &line, steps, Bitboard::EMPTY).0;
        let mut shorter = whole;
        while shorter == whole && steps > 0 {
            steps -= 1;
            shorter = walk(index, &line, steps, Bitboard::EMPTY).0;
        }
        mask |= shorter;
        direction += 1;
    }
    mask
}

fn fill(table: &mut [Bitboard]) {
    for (lines, directions) in [(&BISHOP, &DIAGONAL), (&ROOK, &STRAIGHT)] {
        for (index, line) in lines.iter().enumerate() {
            // Subtracting the mask from a subset of it gives the next subset in `PEXT` order.
            let mut occupied = 0_u64;
            for entry in &mut table[line.offset..][..1 << line.mask.count_ones()] {
                *entry = walk(index, directions, 7, Bitboard(occupied));
                occupied = occupied.wrapping_sub(line.mask) & line.mask;
            }
        }
    }
}
