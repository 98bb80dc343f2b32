//! The distinct positions of one ply, each with the number of ways that lead to it: a hash table with open
//! addressing in memory of its own.
//!
//! Insertions wait in a short queue, in which the memory that each will need is already asked for, so that
//! many slow answers are under way at once.

use std::io;
use std::marker::PhantomData;

use bytemuck::Pod;
use memmap2::MmapMut;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A set of positions with their numbers of ways.
pub struct Frontier<K> {
    scatter: Scatter,
    fewest_slots: usize,
    slots: Slots<K>,
    taken: usize,
    queue: Vec<Waiting<K>>,
}

struct Waiting<K> {
    slot: usize,
    key: K,
    ways: u64,
}

/// How many insertions wait in the queue.
const QUEUE: usize = 32;

impl<K: Pod + Eq> Frontier<K> {
    /// An empty frontier, with room for `first` positions.
    pub fn new(seed: u64, first: usize) -> io::Result<Frontier<K>> {
        let fewest_slots = (8 * first).div_ceil(5).next_power_of_two();
        Ok(Frontier {
            scatter: Scatter::new(seed),
            fewest_slots,
            slots: Slots::new(fewest_slots)?,
            taken: 0,
            queue: Vec::with_capacity(QUEUE),
        })
    }

    /// Makes sure that `more` positions can be inserted, growing if that takes no more than `spare` bytes;
    /// `false` if there is no memory for them.
    #[inline]
    pub fn has_room_for(&mut self, more: usize, spare: usize) -> bool {
        self.fits(more) || self.make_room_for(more, spare)
    }

    /// The memory that the table takes.
    pub fn bytes(&self) -> usize {
        Slots::<K>::bytes(self.slots.count)
    }

    /// Gives back the memory of an empty frontier.
    pub fn release(&mut self) -> io::Result<()> {
        debug_assert!(self.taken == 0 && self.queue.is_empty());
        self.slots = Slots::new(self.fewest_slots)?;
        Ok(())
    }

    /// Adds ways to a position. There must be room.
    #[inline]
    pub fn insert(&mut self, key: K, ways: u64) {
        if self.queue.len() == QUEUE {
            self.settle();
        }
        let slot = self.scatter.slot(&key, self.slots.count);
        self.slots.prefetch(slot);
        self.queue.push(Waiting { slot, key, ways });
    }

    /// The positions and their ways; a slot with no ways holds no position.
    pub fn slots_mut(&mut self) -> (&[K], &mut [u64]) {
        self.settle();
        let (keys, ways) = self.slots.slices();
        (keys, ways)
    }

    /// How many distinct positions there are.
    pub fn len(&mut self) -> usize {
        self.settle();
        self.taken
    }

    /// Says that every slot has been emptied through [`slots_mut`](Frontier::slots_mut).
    pub fn was_emptied(&mut self) {
        self.taken = 0;
    }

    pub fn clear(&mut self) {
        self.slots_mut().1.fill(0);
        self.taken = 0;
    }

    /// Five slots in eight may be taken: beyond that the search for a free one takes ever longer.
    fn fits(&self, more: usize) -> bool {
        8 * (self.taken + self.queue.len() + more) <= 5 * self.slots.count
    }

    fn settle(&mut self) {
        let (keys, all_ways) = self.slots.slices();
        for Waiting { slot, key, ways } in self.queue.drain(..) {
            self.taken += usize::from(place(keys, all_ways, slot, key, ways));
        }
    }

    #[cold]
    fn make_room_for(&mut self, more: usize, spare: usize) -> bool {
        self.settle();
        while !self.fits(more) {
            let is_affordable = Slots::<K>::bytes(2 * self.slots.count) <= spare;
            if !is_affordable || self.grow().is_err() {
                return false;
            }
        }
        true
    }

    /// Doubles the table. For a moment there are both the old and the new one.
    fn grow(&mut self) -> io::Result<()> {
        let count = 2 * self.slots.count;
        let mut larger = Slots::new(count)?;
        let (new_keys, new_ways) = larger.slices();
        let (keys, ways) = self.slots.slices();
        for (&key, &ways) in keys.iter().zip(&*ways) {
            if ways != 0 {
                let slot = self.scatter.slot(&key, count);
                place(new_keys, new_ways, slot, key, ways);
            }
        }
        self.slots = larger;
        Ok(())
    }
}

/// Puts a position into the first fitting slot, and says whether that one was free.
///
/// A number of ways that would overflow is begun anew in a slot of its own.
#[inline]
fn place<K: Pod + Eq>(
    keys: &mut [K],
    all_ways: &mut [u64],
    mut slot: usize,
    key: K,
    ways: u64,
) -> bool {
    loop {
        let known = all_ways[slot];
        if known == 0 {
            keys[slot] = key;
            all_ways[slot] = ways;
            return true;
        }
        if keys[slot] == key
            && let Some(sum) = known.checked_add(ways)
        {
            all_ways[slot] = sum;
            return false;
        }
        slot = if slot + 1 == keys.len() { 0 } else { slot + 1 };
    }
}

/// Where positions belong in a table.
struct Scatter([u64; 4]);

impl Scatter {
    fn new(seed: u64) -> Scatter {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Scatter(std::array::from_fn(|_| random.next_u64()))
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
        // The upper half of the product of a fraction and a size is a place within that size.
        ((u128::from(hash) * slots as u128) >> 64) as usize
    }
}

/// The memory of a table: keys and ways apart, so that a look for taken slots reads only the latter.
struct Slots<K> {
    count: usize,
    keys: MmapMut,
    ways: MmapMut,
    key: PhantomData<K>,
}

impl<K: Pod> Slots<K> {
    fn new(count: usize) -> io::Result<Slots<K>> {
        Ok(Slots {
            count,
            keys: zeroed(count * size_of::<K>())?,
            ways: zeroed(count * size_of::<u64>())?,
            key: PhantomData,
        })
    }

    fn bytes(count: usize) -> usize {
        count * (size_of::<K>() + size_of::<u64>())
    }

    fn slices(&mut self) -> (&mut [K], &mut [u64]) {
        (
            bytemuck::cast_slice_mut(&mut self.keys),
            bytemuck::cast_slice_mut(&mut self.ways),
        )
    }

    #[inline]
    fn prefetch(&self, slot: usize) {
        prefetch(self.keys.as_ptr().wrapping_add(slot * size_of::<K>()));
        prefetch(self.ways.as_ptr().wrapping_add(slot * size_of::<u64>()));
    }
}

/// Zeros from the system, in huge pages where it has them: a table is read all over the place, and every
/// small page would have to be looked up first.
fn zeroed(bytes: usize) -> io::Result<MmapMut> {
    let memory = MmapMut::map_anon(bytes)?;
    #[cfg(target_os = "linux")]
    if bytes >= 4 << 20 {
        // Kernels built without huge pages refuse; the memory is as good, only slower.
        memory.advise(memmap2::Advice::HugePage).ok();
    }
    Ok(memory)
}

#[inline(always)]
fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program sees and never faults, whatever the address.
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
        let (keys, ways) = frontier.slots_mut();
        for (&key, &ways) in keys.iter().zip(&*ways) {
            if ways != 0 {
                *contents.entry(key).or_insert(0) += u128::from(ways);
            }
        }
        contents
    }

    #[test]
    fn ways_of_equal_positions_add_up_while_the_table_grows() {
        let mut frontier = Frontier::new(1, 512).unwrap();
        let mut expected = HashMap::new();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        for _ in 0..200_000 {
            let key = [random.next_u64() % 300, 1 + random.next_u64() % 300];
            let ways = 1 + random.next_u64() % 9;
            assert!(frontier.has_room_for(1, usize::MAX));
            frontier.insert(key, ways);
            *expected.entry(key).or_insert(0) += u128::from(ways);
        }
        assert_eq!(frontier.len(), expected.len());
        assert_eq!(contents(&mut frontier), expected);
    }

    #[test]
    fn a_frontier_keeps_within_its_memory() {
        let spare = 1 << 20;
        let mut frontier = Frontier::new(1, 512).unwrap();
        let mut inserted = 0_u64;
        while frontier.has_room_for(1, spare) {
            inserted += 1;
            frontier.insert([inserted, 7], 1);
        }
        assert_eq!(frontier.len() as u64, inserted);
        assert!(frontier.bytes() <= spare);
        assert!(inserted > 10_000, "{inserted}");
    }

    #[test]
    fn ways_beyond_64_bits_are_not_lost() {
        let mut frontier = Frontier::new(1, 512).unwrap();
        for _ in 0..5 {
            frontier.insert([1, 2], u64::MAX);
        }
        assert_eq!(contents(&mut frontier)[&[1, 2]], 5 * u128::from(u64::MAX));
    }
}
