//! Perft with transpositions merged: every distinct position is counted once and multiplied by the number
//! of ways that lead to it.
//!
//! The tree is walked breadth first. A `Frontier` holds the distinct positions of one ply, each with its
//! number of ways; its positions are expanded into the frontier of the next ply, and two plies from the end
//! they are counted without being expanded. Positions are compared whole, not by a fingerprint, so nothing
//! is ever merged that is not equal.
//!
//! Memory is bounded whatever the depth. A frontier that is full is worked off at once, down to the last
//! ply, and filled anew; what comes again after that is counted again, which costs time and nothing else.

mod frontier;

use std::io;
use std::ops::Not;

use bytemuck::Pod;
use rayon::prelude::*;

use super::{CountError, Position, Sharing};
use frontier::Frontier;

/// A position that can be packed into a few words.
pub trait PackedPosition: Position {
    /// Equal, for positions with the same side to move, only if the positions are equal.
    type Packed: Pod + Eq + Send + Sync;

    /// Who is to move.
    type Turn: Copy + Send + Sync + Not<Output = Self::Turn>;

    /// No position has more moves than this.
    const MOST_CHILDREN: usize;

    fn pack(&self) -> Self::Packed;

    /// The position that was packed. Whose turn it is does not stand in the pack.
    fn unpack(packed: Self::Packed, turn: Self::Turn) -> Self;

    fn turn(&self) -> Self::Turn;

    /// Calls `visit` with the position after every legal move.
    fn for_each_child(&self, visit: impl FnMut(&Self));
}

/// Counts with merged transpositions, in memory that it keeps from one position to the next.
pub struct Merger<P: PackedPosition> {
    bytes: usize,
    seed: u64,
    /// The frontiers after 1, 2, … plies.
    frontiers: Vec<Frontier<P::Packed>>,
}

/// The plies at the end of the tree that are counted together, faster than they could be merged.
const TAIL: u32 = 2;

/// Slots that a thread works off before it looks whether it is to stop.
const CHUNK: usize = 1 << 12;

impl<P: PackedPosition> Merger<P> {
    /// A counter that uses about `bytes` of memory, or a little more if that is next to nothing. The seed
    /// decides in which order positions are kept, and nothing else.
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
        sharing: Sharing,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<u128, CountError> {
        if depth <= TAIL {
            return Ok(position.perft(depth).into());
        }
        self.prepare(depth - TAIL)?;
        let mut walk = Walk {
            sharing,
            is_stopped,
            budget: self.bytes,
            spare: self.spare(),
            total: 0,
        };
        let plies = (depth - TAIL) as usize;
        let outcome = walk.count(position, &mut self.frontiers[..plies]);
        if outcome.is_err() {
            self.frontiers.iter_mut().for_each(Frontier::clear);
        }
        outcome.map(|()| walk.total)
    }

    /// The number of distinct positions after 1, 2, … `plies` plies, en passant told apart only where a
    /// capture is legal.
    pub fn distinct(
        &mut self,
        position: &P,
        plies: u32,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<u64>, CountError> {
        self.prepare(plies)?;
        let counts = self.fill(position, plies as usize, is_stopped);
        self.frontiers.iter_mut().for_each(Frontier::clear);
        counts
    }

    /// Fills the frontiers one after the other and says how many positions each one has.
    fn fill(
        &mut self,
        position: &P,
        plies: usize,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<u64>, CountError> {
        let mut turn = position.turn();
        let mut counts = Vec::new();
        for ply in 0..plies {
            let spare = self.spare();
            let (earlier, later) = self.frontiers.split_at_mut(ply);
            let next = &mut later[0];
            match earlier.last_mut() {
                Some(current) => add_all_children::<P>(current, turn, next, spare, is_stopped)?,
                None if add_children(position, 1, next, spare) => {}
                None => return Err(CountError::NoRoom),
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
                .push(Frontier::new(self.seed, P::MOST_CHILDREN)?);
        }
        Ok(())
    }

    /// The memory that the frontiers have not taken.
    fn spare(&self) -> usize {
        let taken = self.frontiers.iter().map(Frontier::bytes).sum();
        self.bytes.saturating_sub(taken)
    }
}

/// Adds the positions after every legal move; `false` if there is no room for them.
#[inline]
fn add_children<P: PackedPosition>(
    position: &P,
    ways: u64,
    next: &mut Frontier<P::Packed>,
    spare: usize,
) -> bool {
    let has_room = next.has_room_for(P::MOST_CHILDREN, spare);
    if has_room {
        position.for_each_child(|child| next.insert(child.pack(), ways));
    }
    has_room
}

/// Adds the positions after every legal move of every position of a frontier.
fn add_all_children<P: PackedPosition>(
    current: &mut Frontier<P::Packed>,
    turn: P::Turn,
    next: &mut Frontier<P::Packed>,
    spare: usize,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<(), CountError> {
    let whole = spare + next.bytes();
    let (keys, ways) = current.slots_mut();
    for (keys, ways) in keys.chunks(CHUNK).zip(ways.chunks(CHUNK)) {
        if is_stopped() {
            return Err(CountError::Stopped);
        }
        for (&key, &ways) in keys.iter().zip(ways).filter(|(_, ways)| **ways != 0) {
            let spare = whole - next.bytes();
            if !add_children(&P::unpack(key, turn), ways, next, spare) {
                return Err(CountError::NoRoom);
            }
        }
    }
    Ok(())
}

/// One walk through a tree.
struct Walk<'a> {
    sharing: Sharing<'a>,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
    /// The memory for all frontiers, and how much of it is not taken.
    budget: usize,
    spare: usize,
    total: u128,
}

impl Walk<'_> {
    fn count<P: PackedPosition>(
        &mut self,
        position: &P,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> Result<(), CountError> {
        let turn = !position.turn();
        self.expand(position, 1, turn, frontiers)?;
        self.work_off::<P>(turn, frontiers)
    }

    /// Adds the children of a position to the first of the frontiers, in which it is `turn`'s move.
    fn expand<P: PackedPosition>(
        &mut self,
        position: &P,
        ways: u64,
        turn: P::Turn,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> Result<(), CountError> {
        if self.add_children(position, ways, frontiers) {
            return Ok(());
        }
        self.work_off::<P>(turn, frontiers)?;
        let has_room = self.add_children(position, ways, frontiers);
        assert!(
            has_room,
            "an empty frontier has room for the children of a position"
        );
        Ok(())
    }

    fn add_children<P: PackedPosition>(
        &mut self,
        position: &P,
        ways: u64,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> bool {
        let [next, later @ ..] = frontiers else {
            unreachable!("a position is expanded into a frontier");
        };
        // Whatever a frontier takes is lost to those after it, which are usually larger.
        let share = if later.is_empty() {
            self.spare
        } else {
            self.spare / 2
        };
        let before = next.bytes();
        let has_room = add_children(position, ways, next, share);
        self.spare = (self.spare + before).saturating_sub(next.bytes());
        has_room
    }

    /// Counts below all positions of the first frontier and empties it.
    fn work_off<P: PackedPosition>(
        &mut self,
        turn: P::Turn,
        frontiers: &mut [Frontier<P::Packed>],
    ) -> Result<(), CountError> {
        let (current, later) = frontiers
            .split_first_mut()
            .expect("the walk ends with the last frontier");
        if later.is_empty() {
            self.count_tails::<P>(current, turn)?;
        } else {
            let (keys, ways) = current.slots_mut();
            for (keys, ways) in keys.chunks(CHUNK).zip(ways.chunks_mut(CHUNK)) {
                self.check_stop()?;
                for (&key, ways) in keys.iter().zip(ways).filter(|(_, ways)| **ways != 0) {
                    let position = P::unpack(key, turn);
                    self.expand(&position, std::mem::take(ways), !turn, later)?;
                }
            }
        }
        current.was_emptied();
        if later.is_empty() {
            return Ok(());
        }
        if current.bytes() > self.budget / 32 {
            self.spare += current.bytes();
            current.release()?;
            self.spare = self.spare.saturating_sub(current.bytes());
        }
        self.work_off::<P>(!turn, later)
    }

    /// Counts the last plies below every position of the last frontier.
    fn count_tails<P: PackedPosition>(
        &mut self,
        last: &mut Frontier<P::Packed>,
        turn: P::Turn,
    ) -> Result<(), CountError> {
        let is_stopped = self.is_stopped;
        let tails = |(keys, ways): (&[P::Packed], &mut [u64])| {
            if is_stopped() {
                return Err(CountError::Stopped);
            }
            Ok(tails::<P>(keys, ways, turn))
        };
        let sum = |a: u128, b: u128| a.checked_add(b).ok_or(CountError::TooLarge);
        let (mut keys, mut ways) = last.slots_mut();
        while !keys.is_empty() {
            let in_pool = || {
                let chunks = keys.par_chunks(CHUNK).zip(ways.par_chunks_mut(CHUNK));
                chunks.map(tails).try_reduce(|| 0, sum)
            };
            if let Some(total) = self.sharing.spread(in_pool) {
                self.total = sum(self.total, total?)?;
                break;
            }
            let size = CHUNK.min(keys.len());
            let chunk = (&keys[..size], &mut ways[..size]);
            self.total = sum(self.total, tails(chunk)?)?;
            (keys, ways) = (&keys[size..], &mut ways[size..]);
        }
        Ok(())
    }

    fn check_stop(&self) -> Result<(), CountError> {
        if (self.is_stopped)() {
            Err(CountError::Stopped)
        } else {
            Ok(())
        }
    }
}

/// The sequences below the positions of some slots, which are emptied.
fn tails<P: PackedPosition>(keys: &[P::Packed], ways: &mut [u64], turn: P::Turn) -> u128 {
    let mut total = 0;
    for (&key, ways) in keys.iter().zip(ways) {
        if *ways != 0 {
            let tail = P::unpack(key, turn).perft(TAIL);
            total += u128::from(tail) * u128::from(std::mem::take(ways));
        }
    }
    total
}
