//! What was found out about positions that were searched before, in a fixed amount of memory.
//!
//! Four entries share a line of the processor's cache. When all are taken, the one goes that was searched least
//! deeply, older searches first. Only the half of a key is compared that did not choose the place, and nothing but
//! the order and the bounds of a search depends on an entry: a move is looked for among the legal ones before it
//! is played.

use super::score::{NEAREST_TO_MATE, Value};
use crate::chess::{Move, MoveKind, ZobristKey};

/// What a value says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    AtLeast,
    AtMost,
    Exact,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub depth: i32,
    pub bound: Bound,
    pub value: Value,
    /// The value without looking ahead.
    pub evaluation: Value,
    pub best: Option<Tag>,
}

/// A move in two bytes: enough to find it among the legal moves of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag(u16);

impl Tag {
    pub fn of(mv: Move) -> Tag {
        let promotion = match mv.kind {
            MoveKind::Promotion(role) => role as u16,
            _ => 0,
        };
        Tag((mv.from.index() as u16) << 9 | (mv.to.index() as u16) << 3 | promotion)
    }
}

pub(super) struct Table {
    lines: Vec<Line>,
    /// Which search this is: counts on from one to the next until the table is cleared.
    search: u8,
}

const ENTRIES: usize = 4;

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line([Entry; ENTRIES]);

/// All zeros is a free place: no search has the number 0.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    best: u16,
    value: i16,
    evaluation: i16,
    /// The depth, above the bound in the two lowest bits.
    depth_and_bound: u8,
    search: u8,
}

/// Depths are kept from this one on.
const LEAST_DEPTH: i32 = -1;
const MOST_DEPTH: i32 = 62;

impl Table {
    /// A table of at most so many bytes, but of at least one line.
    pub fn new(bytes: usize) -> Table {
        let lines = (bytes / size_of::<Line>()).max(1);
        Table {
            lines: vec![Line::default(); lines],
            search: 1,
        }
    }

    pub fn clear(&mut self) {
        self.lines.fill(Line::default());
        self.search = 1;
    }

    /// Begins another search, to which what is known from earlier ones is worth less.
    pub fn grow_old(&mut self) {
        self.search = self.search.checked_add(1).unwrap_or(1);
    }

    /// What is known about the position, as seen so many plies into the search.
    pub fn look_up(&self, key: ZobristKey, plies: usize) -> Option<Known> {
        let tag = compared(key);
        let line = &self.lines[self.place(key)].0;
        let entry = line
            .iter()
            .find(|entry| entry.key == tag && entry.search != 0)?;
        Some(Known {
            depth: i32::from(entry.depth_and_bound >> 2) + LEAST_DEPTH,
            bound: match entry.depth_and_bound & 3 {
                0 => Bound::AtLeast,
                1 => Bound::AtMost,
                _ => Bound::Exact,
            },
            value: from_here(entry.value.into(), plies),
            evaluation: entry.evaluation.into(),
            best: (entry.best != 0).then_some(Tag(entry.best)),
        })
    }

    /// Writes down what was found so many plies into the search. An entry of the same position keeps its move where
    /// there is no other.
    pub fn keep(&mut self, key: ZobristKey, plies: usize, known: Known) {
        let (tag, search) = (compared(key), self.search);
        let place = self.place(key);
        let line = &mut self.lines[place].0;
        let worth = |entry: &Entry| {
            let age = search.wrapping_sub(entry.search);
            let depth = i32::from(entry.depth_and_bound >> 2);
            (entry.key == tag, entry.search == 0, age > 0, -depth)
        };
        let chosen = (0..ENTRIES).max_by_key(|&index| worth(&line[index]));
        let entry = &mut line[chosen.expect("a line has entries")];
        let known_best = if entry.key == tag { entry.best } else { 0 };
        *entry = Entry {
            key: tag,
            best: known.best.map_or(known_best, |tag| tag.0),
            value: small(to_here(known.value, plies)),
            evaluation: small(known.evaluation),
            depth_and_bound: ((known.depth.clamp(LEAST_DEPTH, MOST_DEPTH) - LEAST_DEPTH) as u8)
                << 2
                | match known.bound {
                    Bound::AtLeast => 0,
                    Bound::AtMost => 1,
                    Bound::Exact => 2,
                },
            search,
        };
    }

    /// How full it is with what this search has found, in thousandths.
    pub fn fullness(&self) -> usize {
        let sample = &self.lines[..self.lines.len().min(250)];
        let entries = sample.iter().flat_map(|line| line.0);
        let taken = entries.filter(|entry| entry.search == self.search).count();
        taken * 1000 / (sample.len() * ENTRIES)
    }

    fn place(&self, key: ZobristKey) -> usize {
        let high = (key.0 >> 64) as u64;
        ((u128::from(high) * self.lines.len() as u128) >> 64) as usize
    }
}

fn compared(key: ZobristKey) -> u64 {
    key.0 as u64
}

/// Mates are kept by how far they are from the position itself, not from where the search began.
fn to_here(value: Value, plies: usize) -> Value {
    if value >= NEAREST_TO_MATE {
        value + plies as Value
    } else if value <= -NEAREST_TO_MATE {
        value - plies as Value
    } else {
        value
    }
}

fn from_here(value: Value, plies: usize) -> Value {
    if value >= NEAREST_TO_MATE {
        value - plies as Value
    } else if value <= -NEAREST_TO_MATE {
        value + plies as Value
    } else {
        value
    }
}

fn small(value: Value) -> i16 {
    i16::try_from(value).expect("values stay within 32,767")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{mated_after, mating_after};

    fn known(depth: i32, value: Value) -> Known {
        Known {
            depth,
            bound: Bound::Exact,
            value,
            evaluation: -value,
            best: None,
        }
    }

    #[test]
    fn what_was_kept_is_found_again() {
        let mut table = Table::new(1 << 16);
        let key = ZobristKey(960 << 64 | 518);
        for bound in [Bound::AtLeast, Bound::AtMost, Bound::Exact] {
            for depth in [-1, 0, 1, 62] {
                let best = Some(Tag(4711));
                let known = Known {
                    bound,
                    best,
                    ..known(depth, 31)
                };
                table.keep(key, 3, known);
                assert_eq!(table.look_up(key, 3), Some(known));
            }
        }
        assert_eq!(table.look_up(ZobristKey(960 << 64 | 519), 3), None);
        table.clear();
        assert_eq!(table.look_up(key, 3), None);
    }

    #[test]
    fn a_mate_is_as_far_from_the_position_wherever_it_is_met() {
        let mut table = Table::new(1 << 10);
        table.keep(ZobristKey(1), 5, known(4, mating_after(8)));
        table.keep(ZobristKey(2), 5, known(4, mated_after(9)));
        let value = |key, plies| table.look_up(ZobristKey(key), plies).unwrap().value;
        assert_eq!(value(1, 0), mating_after(3));
        assert_eq!(value(2, 10), mated_after(14));
    }

    #[test]
    fn the_least_deeply_searched_entry_makes_room_and_older_ones_before_it() {
        let mut table = Table::new(64);
        for (key, depth) in [(1, 9), (2, 5), (3, 7), (4, 8), (5, 6)] {
            table.keep(ZobristKey(key), 0, known(depth, 0));
        }
        let there = |table: &Table, key| table.look_up(ZobristKey(key), 0).is_some();
        assert!(!there(&table, 2));
        table.grow_old();
        table.keep(ZobristKey(6), 0, known(1, 0));
        table.keep(ZobristKey(7), 0, known(1, 0));
        let kept: Vec<u128> = (1..=7).filter(|&key| there(&table, key)).collect();
        assert_eq!(kept, [1, 4, 6, 7]);
    }
}
