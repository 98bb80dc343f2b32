//! The distinct positions of one ply, each with its multiplicity: the number of move sequences that lead to it.
//!
//! A [`Frontier`] is a hash table with open addressing and linear probing. A slot holds the whole packed position, and
//! two positions are merged only if they are equal, so that no hash collision can change a count.
//!
//! Insertions are queued and prefetched: when one is carried out, its slot is already in the cache.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the prefetch instruction")
)]

use std::io;
use std::marker::PhantomData;

use bytemuck::Pod;
use memmap2::MmapMut;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A set of packed positions with their multiplicities.
pub struct Frontier<K> {
    hasher: SlotHasher,
    min_slots: usize,
    slots: Slots<K>,
    occupied: usize,
    queue: Vec<PendingInsert<K>>,
}

struct PendingInsert<K> {
    slot: usize,
    key: K,
    multiplicity: u64,
}

/// The capacity of the queue of insertions.
const QUEUE: usize = 32;

impl<K: Pod + Eq> Frontier<K> {
    /// An empty frontier, with room for `capacity` positions.
    pub fn new(seed: u64, capacity: usize) -> io::Result<Frontier<K>> {
        let min_slots = (8 * capacity).div_ceil(5).next_power_of_two();
        Ok(Frontier {
            hasher: SlotHasher::new(seed),
            min_slots,
            slots: Slots::new(min_slots)?,
            occupied: 0,
            queue: Vec::with_capacity(QUEUE),
        })
    }

    /// Makes room for `additional` positions. The table grows if the larger one takes at most `free_bytes`; returns
    /// `false` if there is no memory for it.
    #[inline]
    pub fn try_reserve(&mut self, additional: usize, free_bytes: usize) -> bool {
        self.fits(additional) || self.grow_for(additional, free_bytes)
    }

    /// The memory that the table takes.
    pub fn bytes(&self) -> usize {
        Slots::<K>::bytes(self.slots.count)
    }

    /// Shrinks an empty frontier to its initial size.
    pub fn shrink(&mut self) -> io::Result<()> {
        debug_assert!(self.occupied == 0 && self.queue.is_empty());
        self.slots = Slots::new(self.min_slots)?;
        Ok(())
    }

    /// Adds to the multiplicity of a position. There must be room.
    ///
    /// If the sum overflows 64 bits, the rest goes to another slot with the same position. A sum over all slots stays
    /// exact; the number of slots is then larger than the number of distinct positions.
    #[inline]
    pub fn insert(&mut self, key: K, multiplicity: u64) {
        if self.queue.len() == QUEUE {
            self.flush();
        }
        let slot = self.hasher.slot(&key, self.slots.count);
        self.slots.prefetch(slot);
        self.queue.push(PendingInsert {
            slot,
            key,
            multiplicity,
        });
    }

    /// Inserts a position whose multiplicity does not matter. There must be room.
    ///
    /// The multiplicity only counts the calls with this position, which cannot overflow 64 bits. So the position keeps
    /// a single slot, and [`len`](Frontier::len) is the number of distinct positions.
    #[inline]
    pub fn insert_distinct(&mut self, key: K) {
        self.insert(key, 1);
    }

    /// The positions and their multiplicities by slot. A slot with multiplicity 0 is empty.
    pub fn slots_mut(&mut self) -> (&[K], &mut [u64]) {
        self.flush();
        let (keys, multiplicities) = self.slots.slices();
        (keys, multiplicities)
    }

    /// The number of occupied slots. It is the number of distinct positions unless a multiplicity has overflowed.
    pub fn len(&mut self) -> usize {
        self.flush();
        self.occupied
    }

    /// Must be called after every slot has been emptied through [`slots_mut`](Frontier::slots_mut).
    pub fn mark_emptied(&mut self) {
        self.occupied = 0;
    }

    /// Empties every slot.
    pub fn clear(&mut self) {
        self.slots_mut().1.fill(0);
        self.occupied = 0;
    }

    /// The load factor is at most 5/8: beyond that, linear probing takes ever longer.
    fn fits(&self, additional: usize) -> bool {
        8 * (self.occupied + self.queue.len() + additional) <= 5 * self.slots.count
    }

    /// Carries out the queued insertions.
    fn flush(&mut self) {
        let (keys, multiplicities) = self.slots.slices();
        for PendingInsert {
            slot,
            key,
            multiplicity,
        } in self.queue.drain(..)
        {
            self.occupied += usize::from(place(keys, multiplicities, slot, key, multiplicity));
        }
    }

    #[cold]
    fn grow_for(&mut self, additional: usize, free_bytes: usize) -> bool {
        self.flush();
        while !self.fits(additional) {
            let is_affordable = Slots::<K>::bytes(2 * self.slots.count) <= free_bytes;
            if !is_affordable || self.grow().is_err() {
                return false;
            }
        }
        true
    }

    /// Doubles the table. The old and the new table exist at the same time for a moment.
    fn grow(&mut self) -> io::Result<()> {
        let count = 2 * self.slots.count;
        let mut larger = Slots::new(count)?;
        let (new_keys, new_multiplicities) = larger.slices();
        let (keys, multiplicities) = self.slots.slices();
        for (&key, &multiplicity) in keys.iter().zip(&*multiplicities) {
            if multiplicity != 0 {
                let slot = self.hasher.slot(&key, count);
                place(new_keys, new_multiplicities, slot, key, multiplicity);
            }
        }
        self.slots = larger;
        Ok(())
    }
}

/// Adds a position to the first slot that is empty or holds the same position, and returns whether it was empty.
///
/// A slot whose multiplicity would overflow is skipped.
#[inline]
fn place<K: Pod + Eq>(
    keys: &mut [K],
    multiplicities: &mut [u64],
    mut slot: usize,
    key: K,
    multiplicity: u64,
) -> bool {
    loop {
        let current = multiplicities[slot];
        if current == 0 {
            keys[slot] = key;
            multiplicities[slot] = multiplicity;
            return true;
        }
        if keys[slot] == key
            && let Some(sum) = current.checked_add(multiplicity)
        {
            multiplicities[slot] = sum;
            return false;
        }
        slot = if slot + 1 == keys.len() { 0 } else { slot + 1 };
    }
}

/// A seeded hash function that maps positions to slots.
struct SlotHasher([u64; 4]);

impl SlotHasher {
    fn new(seed: u64) -> SlotHasher {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        SlotHasher(std::array::from_fn(|_| random.next_u64()))
    }

    #[inline]
    fn slot<K: Pod>(&self, key: &K, slots: usize) -> usize {
        let words: &[u64] = bytemuck::cast_slice(bytemuck::bytes_of(key));
        let mut hash = 0;
        for pair in words.chunks(2) {
            let left = pair[0] ^ self.0[0] ^ hash;
            let right = pair.get(1).copied().unwrap_or_default() ^ self.0[1];
            let product = u128::from(left) * u128::from(right);
            hash = (product as u64) ^ (product >> 64) as u64;
        }
        let product = u128::from(hash ^ self.0[2]) * u128::from(self.0[3] | 1);
        let hash = (product as u64) ^ (product >> 64) as u64;
        // Fast range reduction: the hash is a fraction of 2^64, and its product with the size has the slot in the
        // upper half.
        ((u128::from(hash) * slots as u128) >> 64) as usize
    }
}

/// The memory of a table. Keys and multiplicities are separate arrays, so that a scan for occupied slots reads only the
/// latter.
struct Slots<K> {
    count: usize,
    keys: MmapMut,
    multiplicities: MmapMut,
    key: PhantomData<K>,
}

impl<K: Pod> Slots<K> {
    fn new(count: usize) -> io::Result<Slots<K>> {
        Ok(Slots {
            count,
            keys: map_zeroed(count * size_of::<K>())?,
            multiplicities: map_zeroed(count * size_of::<u64>())?,
            key: PhantomData,
        })
    }

    fn bytes(count: usize) -> usize {
        count * (size_of::<K>() + size_of::<u64>())
    }

    fn slices(&mut self) -> (&mut [K], &mut [u64]) {
        (
            bytemuck::cast_slice_mut(&mut self.keys),
            bytemuck::cast_slice_mut(&mut self.multiplicities),
        )
    }

    #[inline]
    fn prefetch(&self, slot: usize) {
        prefetch(self.keys.as_ptr().wrapping_add(slot * size_of::<K>()));
        let multiplicities = self.multiplicities.as_ptr();
        prefetch(multiplicities.wrapping_add(slot * size_of::<u64>()));
    }
}

/// Zeroed memory from the system, in huge pages where it has them: accesses to a hash table are random, and with small
/// pages nearly every one of them would miss the TLB.
fn map_zeroed(bytes: usize) -> io::Result<MmapMut> {
    let memory = MmapMut::map_anon(bytes)?;
    #[cfg(target_os = "linux")]
    if bytes >= 4 << 20 {
        // Kernels built without huge pages return an error. The memory works all the same, only slower.
        memory.advise(memmap2::Advice::HugePage).ok();
    }
    Ok(memory)
}

#[inline(always)]
fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no visible effect and never faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn contents(frontier: &mut Frontier<[u64; 2]>) -> HashMap<[u64; 2], u128> {
        let mut contents = HashMap::new();
        let (keys, multiplicities) = frontier.slots_mut();
        for (&key, &multiplicity) in keys.iter().zip(&*multiplicities) {
            if multiplicity != 0 {
                *contents.entry(key).or_insert(0) += u128::from(multiplicity);
            }
        }
        contents
    }

    #[test]
    fn multiplicities_of_equal_positions_add_up_while_the_table_grows() {
        let mut frontier = Frontier::new(1, 512).unwrap();
        let mut expected = HashMap::new();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        for _ in 0..200_000 {
            let key = [random.next_u64() % 300, 1 + random.next_u64() % 300];
            let multiplicity = 1 + random.next_u64() % 9;
            assert!(frontier.try_reserve(1, usize::MAX));
            frontier.insert(key, multiplicity);
            *expected.entry(key).or_insert(0) += u128::from(multiplicity);
        }
        assert_eq!(frontier.len(), expected.len());
        assert_eq!(contents(&mut frontier), expected);
    }

    #[test]
    fn a_frontier_stays_within_its_memory() {
        let free_bytes = 1 << 20;
        let mut frontier = Frontier::new(1, 512).unwrap();
        let mut inserted = 0_u64;
        while frontier.try_reserve(1, free_bytes) {
            inserted += 1;
            frontier.insert([inserted, 7], 1);
        }
        assert_eq!(frontier.len() as u64, inserted);
        assert!(frontier.bytes() <= free_bytes);
        assert!(inserted > 10_000, "{inserted}");
    }

    #[test]
    fn multiplicities_beyond_64_bits_are_not_lost() {
        let mut frontier = Frontier::new(1, 512).unwrap();
        for _ in 0..5 {
            frontier.insert([1, 2], u64::MAX);
        }
        assert_eq!(contents(&mut frontier)[&[1, 2]], 5 * u128::from(u64::MAX));
    }

    #[test]
    fn a_distinct_position_has_one_slot_whatever_its_multiplicity() {
        let mut summed = Frontier::new(1, 512).unwrap();
        for _ in 0..5 {
            summed.insert([1, 2], u64::MAX);
        }
        let mut distinct = Frontier::new(1, 512).unwrap();
        let (keys, multiplicities) = summed.slots_mut();
        for (&key, _) in keys.iter().zip(&*multiplicities).filter(|(_, m)| **m != 0) {
            distinct.insert_distinct(key);
        }
        assert_eq!(summed.len(), 5);
        assert_eq!(distinct.len(), 1);
    }
}
