//! The transposition table: results of positions that were searched before, in a fixed amount of memory.
//!
//! The high half of a Zobrist key chooses a bucket, the low half is compared. A bucket is one cache line with four
//! entries. When it is full, an entry of an earlier search is replaced first, then the one with the least depth.
//!
//! # What can be wrong in an entry
//!
//! Key collisions: another position with the same low half in the same bucket. A probe compares four entries with 64 bits,
//! so about one in 2^62 finds a wrong one. Its value, bound or static evaluation can cut off a good line or let a bad one
//! pass. It cannot break the rules: the move of an entry is only played if it is among the legal ones.
//!
//! Graph history interaction: the key knows the position and not the way to it, but draws by repetition and by the
//! fifty-move rule depend on the way. A draw score that was stored on one path may be used on another where nothing
//! repeats, and a stored win may hide that the position would now be repeated. This is accepted, as in other engines. With
//! the history in the key, hardly any two paths would share an entry, and sharing is what the table is for. The harm is
//! bounded: draws are tested before the table is probed, so a node that itself repeats never uses an entry, and no stored
//! value cuts off a PV node.

use super::score::{MATE_IN_MAX_PLY, Value};
use crate::chess::{PackedMove, ZobristKey};

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The search failed high: the true value is at least this.
    Lower,
    /// The search failed low: the true value is at most this.
    Upper,
    Exact,
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TtEntry {
    pub depth: i32,
    pub bound: Bound,
    pub value: Value,
    pub static_eval: Value,
    pub best_move: Option<PackedMove>,
}

pub(super) struct TranspositionTable {
    buckets: Vec<Bucket>,
    /// The number of the search, from 1; it wraps around and skips 0.
    generation: u8,
}

const ENTRIES: usize = 4;

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([PackedEntry; ENTRIES]);

/// An entry as it is stored. All zeros is an empty slot, because no search has generation 0.
#[derive(Clone, Copy, Default)]
struct PackedEntry {
    key: u64,
    /// 0 for none.
    best_move: u16,
    value: i16,
    static_eval: i16,
    /// The depth, above the bound in the two lowest bits.
    depth_and_bound: u8,
    generation: u8,
}

/// The range of depths that fit into an entry.
const MIN_STORED_DEPTH: i32 = -1;
const MAX_STORED_DEPTH: i32 = 62;

impl TranspositionTable {
    /// A table of at most this many bytes, but of at least one bucket.
    pub fn new(bytes: usize) -> TranspositionTable {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        TranspositionTable {
            buckets: vec![Bucket::default(); buckets],
            generation: 1,
        }
    }

    pub fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
        self.generation = 1;
    }

    /// Begins another search: entries of earlier ones remain usable, and are replaced first.
    pub fn next_generation(&mut self) {
        self.generation = self.generation.checked_add(1).unwrap_or(1);
    }

    /// Looks up a position that is met at this ply.
    pub fn probe(&self, key: ZobristKey, ply: usize) -> Option<TtEntry> {
        let low = compared_half(key);
        let bucket = &self.buckets[self.bucket_index(key)].0;
        let entry = bucket
            .iter()
            .find(|entry| entry.key == low && entry.generation != 0)?;
        Some(TtEntry {
            depth: i32::from(entry.depth_and_bound >> 2) + MIN_STORED_DEPTH,
            bound: match entry.depth_and_bound & 3 {
                0 => Bound::Lower,
                1 => Bound::Upper,
                _ => Bound::Exact,
            },
            value: value_from_tt(entry.value.into(), ply),
            static_eval: entry.static_eval.into(),
            best_move: (entry.best_move != 0).then_some(PackedMove(entry.best_move)),
        })
    }

    /// Stores the result of a position at this ply. If it has no best move, a move that is already stored for the same
    /// position is kept.
    pub fn store(&mut self, key: ZobristKey, ply: usize, new: TtEntry) {
        let (low, generation) = (compared_half(key), self.generation);
        let index = self.bucket_index(key);
        let bucket = &mut self.buckets[index].0;
        let replacement_priority = |entry: &PackedEntry| {
            let age = generation.wrapping_sub(entry.generation);
            let depth = i32::from(entry.depth_and_bound >> 2);
            (entry.key == low, entry.generation == 0, age > 0, -depth)
        };
        let slot = (0..ENTRIES).max_by_key(|&slot| replacement_priority(&bucket[slot]));
        let entry = &mut bucket[slot.expect("a bucket has entries")];
        let stored_move = if entry.key == low { entry.best_move } else { 0 };
        *entry = PackedEntry {
            key: low,
            best_move: new.best_move.map_or(stored_move, |mv| mv.0),
            value: to_i16(value_to_tt(new.value, ply)),
            static_eval: to_i16(new.static_eval),
            depth_and_bound: ((new.depth.clamp(MIN_STORED_DEPTH, MAX_STORED_DEPTH)
                - MIN_STORED_DEPTH) as u8)
                << 2
                | match new.bound {
                    Bound::Lower => 0,
                    Bound::Upper => 1,
                    Bound::Exact => 2,
                },
            generation,
        };
    }

    /// The share of entries written by this search, in permille, estimated from the first buckets.
    pub fn hashfull(&self) -> usize {
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let entries = sample.iter().flat_map(|bucket| bucket.0);
        let used = entries
            .filter(|entry| entry.generation == self.generation)
            .count();
        used * 1000 / (sample.len() * ENTRIES)
    }

    fn bucket_index(&self, key: ZobristKey) -> usize {
        let high = (key.0 >> 64) as u64;
        ((u128::from(high) * self.buckets.len() as u128) >> 64) as usize
    }
}

fn compared_half(key: ZobristKey) -> u64 {
    key.0 as u64
}

/// Mates are stored by their distance from the position, because the same position is met at different plies.
fn value_to_tt(value: Value, ply: usize) -> Value {
    if value >= MATE_IN_MAX_PLY {
        value + ply as Value
    } else if value <= -MATE_IN_MAX_PLY {
        value - ply as Value
    } else {
        value
    }
}

/// The inverse of [`value_to_tt`]: mates by their distance from the root.
fn value_from_tt(value: Value, ply: usize) -> Value {
    if value >= MATE_IN_MAX_PLY {
        value - ply as Value
    } else if value <= -MATE_IN_MAX_PLY {
        value + ply as Value
    } else {
        value
    }
}

fn to_i16(value: Value) -> i16 {
    i16::try_from(value).expect("values stay within 32,767")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{mate_in, mated_in};

    fn entry(depth: i32, value: Value) -> TtEntry {
        TtEntry {
            depth,
            bound: Bound::Exact,
            value,
            static_eval: -value,
            best_move: None,
        }
    }

    #[test]
    fn a_stored_entry_is_found_by_its_key() {
        let mut table = TranspositionTable::new(1 << 16);
        let key = ZobristKey(960 << 64 | 518);
        for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
            for depth in [-1, 0, 1, 62] {
                let best_move = Some(PackedMove(4711));
                let entry = TtEntry {
                    bound,
                    best_move,
                    ..entry(depth, 31)
                };
                table.store(key, 3, entry);
                assert_eq!(table.probe(key, 3), Some(entry));
            }
        }
        assert_eq!(table.probe(ZobristKey(960 << 64 | 519), 3), None);
        table.clear();
        assert_eq!(table.probe(key, 3), None);
    }

    #[test]
    fn mate_distance_is_relative_to_the_position() {
        let mut table = TranspositionTable::new(1 << 10);
        table.store(ZobristKey(1), 5, entry(4, mate_in(8)));
        table.store(ZobristKey(2), 5, entry(4, mated_in(9)));
        let value = |key, ply| table.probe(ZobristKey(key), ply).unwrap().value;
        assert_eq!(value(1, 0), mate_in(3));
        assert_eq!(value(2, 10), mated_in(14));
    }

    #[test]
    fn older_entries_are_replaced_first_and_then_the_shallowest() {
        let mut table = TranspositionTable::new(64);
        for (key, depth) in [(1, 9), (2, 5), (3, 7), (4, 8), (5, 6)] {
            table.store(ZobristKey(key), 0, entry(depth, 0));
        }
        let is_stored = |table: &TranspositionTable, key| table.probe(ZobristKey(key), 0).is_some();
        assert!(!is_stored(&table, 2));
        table.next_generation();
        table.store(ZobristKey(6), 0, entry(1, 0));
        table.store(ZobristKey(7), 0, entry(1, 0));
        let kept: Vec<u128> = (1..=7).filter(|&key| is_stored(&table, key)).collect();
        assert_eq!(kept, [1, 4, 6, 7]);
    }
}
