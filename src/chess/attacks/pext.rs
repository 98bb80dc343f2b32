//! PEXT bitboards: the relevant occupancy of a slider's lines is extracted into a dense index with one instruction of
//! BMI2, and the attack set is looked up in a table.

#![expect(
    unsafe_code,
    reason = "the PEXT instruction, and a table that is filled once and then only read"
)]

use std::arch::x86_64::_pext_u64;
use std::cell::UnsafeCell;
use std::sync::Once;

use super::super::bitboard::Bitboard;
use super::super::square::Square;
use super::{DIAGONAL, Direction, ORTHOGONAL, Sliders, ray_walk};
use crate::cpu::Bmi2;

/// PEXT lookup. A value exists only if the machine has BMI2 and the table has been filled.
#[derive(Clone, Copy, Debug)]
pub struct Pext(Bmi2);

impl Pext {
    /// The token for PEXT lookup. The first call fills the table.
    #[inline]
    pub fn new(cpu: Bmi2) -> Pext {
        FILLED.call_once(|| {
            // SAFETY: `call_once` runs this once, and there is no reader before it returns: reading takes a
            // `Pext`, and only this function creates one.
            fill(unsafe { &mut *ATTACKS.0.get() });
        });
        Pext(cpu)
    }

    #[inline(always)]
    fn look_up(self, entry: &PextEntry, occupied: Bitboard) -> Bitboard {
        // SAFETY: a `Pext` exists only if the machine has BMI2.
        let index = unsafe { _pext_u64(occupied.0, entry.mask) } as usize;
        // SAFETY: the table was filled before the `Pext` was created and is never written again. The entries
        // divide the table without gaps: `offset` plus `2^popcount(mask)` is the next entry's offset or the
        // end, and the extracted index has `popcount(mask)` bits.
        unsafe { *(*ATTACKS.0.get()).get_unchecked(entry.offset + index) }
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

/// The relevant occupancy mask of a slider on one square, and where its attack sets begin in the table.
#[derive(Clone, Copy)]
struct PextEntry {
    mask: u64,
    offset: usize,
}

const BISHOP_ENTRIES: usize = 5_248;
const ROOK_ENTRIES: usize = 102_400;

/// Starts on a cache line, so that its speed does not depend on what the linker puts before it.
#[repr(align(64))]
struct AttackTable(UnsafeCell<[Bitboard; BISHOP_ENTRIES + ROOK_ENTRIES]>);

// SAFETY: written once, under `FILLED`, before any reader can exist.
unsafe impl Sync for AttackTable {}

static ATTACKS: AttackTable = AttackTable(UnsafeCell::new(
    [Bitboard::EMPTY; BISHOP_ENTRIES + ROOK_ENTRIES],
));
static FILLED: Once = Once::new();

static BISHOP: [PextEntry; 64] = entries(&DIAGONAL, 0, BISHOP_ENTRIES);
static ROOK: [PextEntry; 64] = entries(&ORTHOGONAL, BISHOP_ENTRIES, ROOK_ENTRIES);

const fn entries(directions: &[Direction; 4], begin: usize, len: usize) -> [PextEntry; 64] {
    let mut table = [PextEntry { mask: 0, offset: 0 }; 64];
    let mut offset = begin;
    let mut index = 0;
    while index < 64 {
        let mask = relevant_occupancy(index, directions);
        table[index] = PextEntry { mask, offset };
        offset += 1 << mask.count_ones();
        index += 1;
    }
    assert!(offset == begin + len);
    table
}

/// The squares on which a blocker shortens the slider's reach. The last square of each ray is not among them, as
/// nothing lies behind it.
const fn relevant_occupancy(index: usize, directions: &[Direction; 4]) -> u64 {
    let mut mask = 0;
    let mut direction = 0;
    while direction < 4 {
        let ray = [directions[direction]];
        let mut steps = 7;
        let whole = ray_walk(index, &ray, steps, Bitboard::EMPTY).0;
        let mut shorter = whole;
        while shorter == whole && steps > 0 {
            steps -= 1;
            shorter = ray_walk(index, &ray, steps, Bitboard::EMPTY).0;
        }
        mask |= shorter;
        direction += 1;
    }
    mask
}

fn fill(table: &mut [Bitboard]) {
    for (entries, directions) in [(&BISHOP, &DIAGONAL), (&ROOK, &ORTHOGONAL)] {
        for (index, entry) in entries.iter().enumerate() {
            // Carry-rippler: subtracting the mask from a subset of it gives the next subset in `PEXT` order.
            let mut occupied = 0_u64;
            for attacks in &mut table[entry.offset..][..1 << entry.mask.count_ones()] {
                *attacks = ray_walk(index, directions, 7, Bitboard(occupied));
                occupied = occupied.wrapping_sub(entry.mask) & entry.mask;
            }
        }
    }
}
