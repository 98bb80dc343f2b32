//! Perft with merged transpositions: every distinct position is counted once, and its count is multiplied by the number
//! of move sequences that lead to it.
//!
//! The tree is searched breadth first. A [`Frontier`] holds the distinct positions of one ply, each with its
//! multiplicity. Its positions are expanded into the frontier of the next ply; those of the last frontier are counted
//! to the end, [`LAST_PLIES`] plies, without being expanded.
//!
//! The result is exact. A hash only decides where a position is stored; two positions are compared whole, so only equal
//! positions are merged.
//!
//! Memory is bounded at every depth. When a frontier is full, its positions are expanded at once, down to the last
//! ply, and it is filled again from empty. A position that turns up after that is counted a second time, which costs
//! time and changes no result.

mod frontier;

use std::io;
use std::ops::Not;

use bytemuck::Pod;
use rayon::prelude::*;

use super::{CountError, CountOptions, Position};
use crate::run::Cancel;
use frontier::Frontier;

/// A position that can be packed into a few words.
pub trait PackedPosition: Position {
    /// Two positions with the same side to move have equal packed forms only if they are equal.
    type Packed: Pod + Eq + Send + Sync;

    /// The side to move.
    type Turn: Copy + Send + Sync + Not<Output = Self::Turn>;

    /// No position has more legal moves than this.
    const MAX_CHILDREN: usize;

    /// The packed form, without the side to move.
    fn pack(&self) -> Self::Packed;

    /// The position with this packed form and side to move.
    fn unpack(packed: Self::Packed, turn: Self::Turn) -> Self;

    /// The side to move.
    fn turn(&self) -> Self::Turn;

    /// Calls `visit` with the position after every legal move.
    fn for_each_child(&self, visit: impl FnMut(&Self));
}

/// Counts with merged transpositions. Its memory is reused from one position to the next.
pub struct Merger<P: PackedPosition> {
    bytes: usize,
    seed: u64,
    /// The frontiers after 1, 2, … plies.
    frontiers: Vec<Frontier<P::Packed>>,
}

/// The last plies are counted by [`Position::perft`], which is faster than merging them.
const LAST_PLIES: u32 = 2;

/// Slots that a thread processes between two checks whether to stop.
const CHUNK: usize = 1 << 12;

impl<P: PackedPosition> Merger<P> {
    /// A counter that uses about `bytes` of memory, and somewhat more if that is too little for one position per ply.
    /// The seed decides where positions are stored, and nothing else.
    pub fn new(bytes: usize, seed: u64) -> Merger<P> {
        Merger {
            bytes,
            seed,
            frontiers: Vec::new(),
        }
    }

    /// The number of legal move sequences of `depth` plies.
    pub fn perft(
        &mut self,
        position: &P,
        depth: u32,
        options: &CountOptions,
    ) -> Result<u128, CountError> {
        if depth <= LAST_PLIES {
            return Ok(position.perft(depth).into());
        }
        self.prepare(depth - LAST_PLIES)?;
        let mut traversal = Traversal {
            options: *options,
            budget_bytes: self.bytes,
            free_bytes: self.free_bytes(),
            total: 0,
        };
        let plies = (depth - LAST_PLIES) as usize;
        let outcome = traversal.count(position, &mut self.frontiers[..plies]);
        if outcome.is_err() {
            self.frontiers.iter_mut().for_each(Frontier::clear);
        }
        outcome.map(|()| traversal.total)
    }

    /// The number of distinct positions after 1, 2, … `plies` plies. An en passant square makes a position different
    /// only where a capture is legal.
    pub fn unique(
        &mut self,
        position: &P,
        plies: u32,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, CountError> {
        self.prepare(plies)?;
        let counts = self.fill(position, plies as usize, cancel);
        self.frontiers.iter_mut().for_each(Frontier::clear);
        counts
    }

    /// Fills the frontiers one after the other and returns the number of positions in each.
    fn fill(
        &mut self,
        position: &P,
        plies: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u64>, CountError> {
        let mut turn = position.turn();
        let mut counts = Vec::new();
        for ply in 0..plies {
            let free_bytes = self.free_bytes();
            let (earlier, later) = self.frontiers.split_at_mut(ply);
            let next = &mut later[0];
            match earlier.last_mut() {
                Some(current) => {
                    add_all_distinct_children::<P>(current, turn, next, free_bytes, cancel)?;
                }
                None => add_distinct_children(position, next, free_bytes)?,
            }
            counts.push(next.len() as u64);
            turn = !turn;
        }
        Ok(counts)
    }

    /// Makes sure that there is a frontier for each ply.
    fn prepare(&mut self, plies: u32) -> io::Result<()> {
        while self.frontiers.len() < plies as usize {
            self.frontiers
                .push(Frontier::new(self.seed, P::MAX_CHILDREN)?);
        }
        Ok(())
    }

    /// The part of the memory that no frontier uses.
    fn free_bytes(&self) -> usize {
        let used = self.frontiers.iter().map(Frontier::bytes).sum();
        self.bytes.saturating_sub(used)
    }
}

/// Adds the positions after every legal move of every position of a frontier.
fn add_all_distinct_children<P: PackedPosition>(
    current: &mut Frontier<P::Packed>,
    turn: P::Turn,
    next: &mut Frontier<P::Packed>,
    free_bytes: usize,
    cancel: &Cancel,
) -> Result<(), CountError> {
    let available_bytes = free_bytes + next.bytes();
    let (keys, multiplicities) = current.slots_mut();
    for (keys, multiplicities) in keys.chunks(CHUNK).zip(multiplicities.chunks(CHUNK)) {
        if cancel.is_set() {
            return Err(CountError::Cancelled);
        }
        for (&key, &multiplicity) in keys.iter().zip(multiplicities) {
            if multiplicity != 0 {
                let free_bytes = available_bytes - next.bytes();
                add_distinct_children(&P::unpack(key, turn), next, free_bytes)?;
            }
        }
    }
    Ok(())
}

/// Adds the positions after every legal move.
fn add_distinct_children<P: PackedPosition>(
    position: &P,
    next: &mut Frontier<P::Packed>,
    free_bytes: usize,
) -> Result<(), CountError> {
    if !next.try_reserve(P::MAX_CHILDREN, free_bytes) {
        return Err(CountError::MemoryLimit);
    }
    position.for_each_child(|child| next.insert_distinct(child.pack()));
    Ok(())
}

/// The breadth-first search of one perft.
struct Traversal<'a> {
    options: CountOptions<'a>,
    /// The memory for all frontiers, and the part of it that none of them uses.
    budget_bytes: usize,
    free_bytes: usize,
    total: u128,
}

impl Traversal<'_> {
    fn count<P: PackedPosition>(
        &mut self,
        position: &P,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> Result<(), CountError> {
        let turn = !position.turn();
        self.expand(position, 1, turn, frontiers)?;
        self.drain::<P>(turn, frontiers)
    }

    /// Adds the children of a position to the first of the frontiers, in which `turn` is the side to move. If it is
    /// full, it is drained first.
    fn expand<P: PackedPosition>(
        &mut self,
        position: &P,
        multiplicity: u64,
        turn: P::Turn,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> Result<(), CountError> {
        if self.add_children(position, multiplicity, frontiers) {
            return Ok(());
        }
        self.drain::<P>(turn, frontiers)?;
        let has_room = self.add_children(position, multiplicity, frontiers);
        assert!(
            has_room,
            "an empty frontier has room for the children of a position"
        );
        Ok(())
    }

    /// Adds the positions after every legal move to the first of the frontiers; `false` if there is no room for them.
    fn add_children<P: PackedPosition>(
        &mut self,
        position: &P,
        multiplicity: u64,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> bool {
        let [next, later @ ..] = frontiers else {
            unreachable!("a position is expanded into a frontier");
        };
        // Half of the free memory is left to the later frontiers, which are usually larger.
        let share = if later.is_empty() {
            self.free_bytes
        } else {
            self.free_bytes / 2
        };
        let before = next.bytes();
        let has_room = next.try_reserve(P::MAX_CHILDREN, share);
        if has_room {
            position.for_each_child(|child| next.insert(child.pack(), multiplicity));
        }
        self.free_bytes = (self.free_bytes + before).saturating_sub(next.bytes());
        has_room
    }

    /// Counts below all positions of the first frontier and empties it.
    fn drain<P: PackedPosition>(
        &mut self,
        turn: P::Turn,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> Result<(), CountError> {
        let (current, later) = frontiers
            .split_first_mut()
            .expect("the recursion ends with the last frontier");
        if later.is_empty() {
            self.count_last_plies::<P>(current, turn)?;
        } else {
            let (keys, multiplicities) = current.slots_mut();
            for (keys, multiplicities) in keys.chunks(CHUNK).zip(multiplicities.chunks_mut(CHUNK)) {
                self.check_cancel()?;
                let slots = keys.iter().zip(multiplicities);
                for (&key, multiplicity) in slots.filter(|(_, multiplicity)| **multiplicity != 0) {
                    let position = P::unpack(key, turn);
                    self.expand(&position, std::mem::take(multiplicity), !turn, later)?;
                }
            }
        }
        current.mark_emptied();
        if later.is_empty() {
            return Ok(());
        }
        if current.bytes() > self.budget_bytes / 32 {
            self.free_bytes += current.bytes();
            current.shrink()?;
            self.free_bytes = self.free_bytes.saturating_sub(current.bytes());
        }
        self.drain::<P>(!turn, later)
    }

    /// Counts the last plies below every position of the last frontier.
    fn count_last_plies<P: PackedPosition>(
        &mut self,
        last: &mut Frontier<P::Packed>,
        turn: P::Turn,
    ) -> Result<(), CountError> {
        let cancel = self.options.cancel;
        let count = |(keys, multiplicities): (&[P::Packed], &mut [u64])| {
            if cancel.is_set() {
                return Err(CountError::Cancelled);
            }
            Ok(drain_last_plies::<P>(keys, multiplicities, turn))
        };
        let sum = |a: u128, b: u128| a.checked_add(b).ok_or(CountError::TooLarge);
        let (mut keys, mut multiplicities) = last.slots_mut();
        while !keys.is_empty() {
            let in_pool = || {
                let keys = keys.par_chunks(CHUNK);
                let chunks = keys.zip(multiplicities.par_chunks_mut(CHUNK));
                chunks.map(count).try_reduce(|| 0, sum)
            };
            if let Some(total) = self.options.sharing.in_pool(in_pool) {
                self.total = sum(self.total, total?)?;
                break;
            }
            let size = CHUNK.min(keys.len());
            let chunk = (&keys[..size], &mut multiplicities[..size]);
            self.total = sum(self.total, count(chunk)?)?;
            (keys, multiplicities) = (&keys[size..], &mut multiplicities[size..]);
        }
        Ok(())
    }

    fn check_cancel(&self) -> Result<(), CountError> {
        if self.options.cancel.is_set() {
            Err(CountError::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// The number of move sequences through the positions of some slots, which are emptied.
fn drain_last_plies<P: PackedPosition>(
    keys: &[P::Packed],
    multiplicities: &mut [u64],
    turn: P::Turn,
) -> u128 {
    let mut total = 0;
    for (&key, multiplicity) in keys.iter().zip(multiplicities) {
        if *multiplicity != 0 {
            let below = P::unpack(key, turn).perft(LAST_PLIES);
            total += u128::from(below) * u128::from(std::mem::take(multiplicity));
        }
    }
    total
}
