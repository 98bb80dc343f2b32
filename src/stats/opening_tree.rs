//! The openings of many games.
//!
//! An [`OpeningTree`] takes a [`LineRecord`] per game and keeps them as sorted runs, in memory as far as the budget goes
//! and in a temporary file beyond it. The records of one group are read back in the order of their lines;
//! [`tree_moves`](super::tree_moves) turns them into positions and moves. Trees are merged by putting their runs
//! together, so the result does not depend on how the games were divided.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::line_cache::MAX_PLIES;
use super::line_record::{GroupCode, LineRecord};
use crate::chess::Board;
use crate::run::{SpillFile, Spilled, free_bytes};

/// An opening tree cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Temporary files or the output cannot be written or read.
    #[error("cannot keep the opening tree in temporary files on disk")]
    Disk(#[from] io::Error),
    /// The bytes are not those of an opening tree.
    #[error("the opening tree beside the ledger is damaged")]
    Damaged,
    /// One group has more games than can be numbered.
    #[error("more than {} games from one start", u32::MAX)]
    TooManyGames,
}

/// The first moves of games, by group.
#[derive(Debug)]
pub struct OpeningTree {
    memory: Arc<TreeMemory>,
    /// Records that are not sorted yet.
    pending: Vec<LineRecord>,
    runs: Vec<Run>,
    /// The file of the runs that did not fit into memory.
    spill_file: Option<SpillFile>,
}

/// The memory that several trees share.
#[derive(Debug)]
pub struct TreeMemory {
    limit: usize,
    used: AtomicUsize,
}

/// Records in order.
#[derive(Debug)]
struct Run {
    /// The index of the first record of each group.
    groups: Vec<(GroupCode, usize)>,
    length: usize,
    records: Records,
}

#[derive(Debug)]
enum Records {
    Memory {
        records: Vec<LineRecord>,
        _reservation: Reservation,
    },
    Disk(Spilled),
}

/// A part of the memory that is free again when it is dropped.
#[derive(Debug)]
struct Reservation {
    memory: Arc<TreeMemory>,
    bytes: usize,
}

/// The number of records of a run: 6 MiB.
const RUN_RECORDS: usize = 1 << 17;

impl TreeMemory {
    /// A budget in bytes.
    pub fn new(limit: usize) -> TreeMemory {
        TreeMemory {
            limit,
            used: AtomicUsize::new(0),
        }
    }

    fn reserve(self: &Arc<Self>, bytes: usize) -> Option<Reservation> {
        let within = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.limit);
        let reserved = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, within);
        reserved.ok().map(|_| Reservation {
            memory: Arc::clone(self),
            bytes,
        })
    }
}

impl Default for TreeMemory {
    /// A quarter of the memory that is free.
    fn default() -> TreeMemory {
        TreeMemory::new(free_bytes() / 4)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Default for OpeningTree {
    /// An empty tree with a budget of its own.
    fn default() -> OpeningTree {
        OpeningTree::new(Arc::default())
    }
}

impl OpeningTree {
    /// The greatest depth of a tree.
    pub const MAX_PLIES: usize = MAX_PLIES;

    /// An empty tree that shares a budget with others.
    pub fn new(memory: Arc<TreeMemory>) -> OpeningTree {
        OpeningTree {
            memory,
            pending: Vec::new(),
            runs: Vec::new(),
            spill_file: None,
        }
    }

    /// Whether it holds no game.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.runs.is_empty()
    }

    /// Adds a game.
    pub(super) fn push(&mut self, record: LineRecord) -> Result<(), TreeError> {
        self.pending.push(record);
        if self.pending.len() >= RUN_RECORDS {
            self.seal()?;
        }
        Ok(())
    }

    /// Sorts the records that are not in a run yet. What is left to do afterwards takes little time.
    pub(super) fn seal(&mut self) -> Result<(), TreeError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut records = mem::take(&mut self.pending);
        records.sort_unstable();
        let mut groups: Vec<(GroupCode, usize)> = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let group = record.group();
            if groups.last().is_none_or(|&(last, _)| last != group) {
                groups.push((group, index));
            }
        }
        let length = records.len();
        let records = match self.memory.reserve(length * LineRecord::BYTES) {
            Some(reservation) => Records::Memory {
                records,
                _reservation: reservation,
            },
            None => {
                let spilled = self.spill(&records)?;
                records.clear();
                self.pending = records;
                spilled
            }
        };
        self.runs.push(Run {
            groups,
            length,
            records,
        });
        Ok(())
    }

    /// Writes a run to the temporary file.
    fn spill(&mut self, records: &[LineRecord]) -> Result<Records, TreeError> {
        let file = match &mut self.spill_file {
            Some(file) => file,
            none => none.insert(SpillFile::create()?),
        };
        let chunks = records.chunks(1 << 12).map(|chunk| {
            let bytes = chunk.iter().flat_map(|record| record.to_bytes());
            bytes.collect::<Vec<u8>>()
        });
        Ok(Records::Disk(file.append(chunks)?))
    }

    /// Adds another tree.
    pub fn absorb(&mut self, mut other: OpeningTree) -> Result<(), TreeError> {
        if self.is_empty() {
            *self = other;
            return Ok(());
        }
        self.runs.append(&mut other.runs);
        for record in other.pending {
            self.push(record)?;
        }
        Ok(())
    }

    /// Writes the records in order.
    pub fn write_to(mut self, out: &mut dyn Write) -> Result<(), TreeError> {
        self.seal()?;
        for (group, _) in self.groups() {
            for record in self.lines(group)? {
                out.write_all(&record.to_bytes())?;
            }
        }
        Ok(())
    }

    /// Adds a tree that [`write_to`](OpeningTree::write_to) has written. The bytes are untrusted.
    pub fn absorb_from(&mut self, input: &mut dyn Read) -> Result<(), TreeError> {
        let mut check = LegalityCheck::default();
        let mut bytes = [0; LineRecord::BYTES];
        while fill(input, &mut bytes)? {
            let record = LineRecord::from_bytes(&bytes);
            if !check.is_legal(&record) {
                return Err(TreeError::Damaged);
            }
            self.push(record)?;
        }
        Ok(())
    }

    /// The groups in order, and the number of records of each. Records that are not [sealed](OpeningTree::seal) are
    /// missing.
    pub(super) fn groups(&self) -> Vec<(GroupCode, usize)> {
        let mut groups: BTreeMap<GroupCode, usize> = BTreeMap::new();
        for run in &self.runs {
            for index in 0..run.groups.len() {
                let range = run.range(index);
                *groups.entry(run.groups[index].0).or_default() += range.len();
            }
        }
        groups.into_iter().collect()
    }

    /// The records of a group, in order.
    pub(super) fn lines(&self, group: GroupCode) -> Result<Vec<LineRecord>, TreeError> {
        let mut lines = Vec::new();
        for run in &self.runs {
            run.append_group(group, &mut lines)?;
        }
        // Not the unstable sort: this one merges the runs that it finds.
        lines.sort();
        if u32::try_from(lines.len()).is_err() {
            return Err(TreeError::TooManyGames);
        }
        Ok(lines)
    }
}

impl Run {
    /// The records of the group at an index.
    fn range(&self, index: usize) -> std::ops::Range<usize> {
        let end = self
            .groups
            .get(index + 1)
            .map_or(self.length, |next| next.1);
        self.groups[index].1..end
    }

    fn append_group(&self, group: GroupCode, lines: &mut Vec<LineRecord>) -> io::Result<()> {
        let Ok(index) = self.groups.binary_search_by_key(&group, |entry| entry.0) else {
            return Ok(());
        };
        let range = self.range(index);
        match &self.records {
            Records::Memory { records, .. } => lines.extend(&records[range]),
            Records::Disk(spilled) => {
                let mut bytes = vec![0; range.len() * LineRecord::BYTES];
                spilled.read_exact(&mut bytes, (range.start * LineRecord::BYTES) as u64)?;
                let (records, _) = bytes.as_chunks();
                lines.extend(records.iter().map(LineRecord::from_bytes));
            }
        }
        Ok(())
    }
}

/// Checks records from a file. Neighbours share most of their moves, so only those that differ are checked.
#[derive(Default)]
struct LegalityCheck {
    last: LineRecord,
    /// The positions along the last line.
    boards: Vec<Board>,
}

impl LegalityCheck {
    fn is_legal(&mut self, record: &LineRecord) -> bool {
        let Some(start) = record.group().start() else {
            return false;
        };
        let known = match self.boards.is_empty() || record.group() != self.last.group() {
            true => {
                self.boards = vec![Board::from_double_start(start)];
                0
            }
            false => record.common_plies(&self.last),
        };
        self.last = *record;
        self.boards.truncate(known + 1);
        for ply in self.boards.len() - 1..MAX_PLIES {
            let Some(mv) = record.mv(ply) else {
                // Nothing may follow the end of a line.
                return (ply..MAX_PLIES).all(|ply| record.mv(ply).is_none());
            };
            let board = self.boards[ply];
            let Some(mv) = mv.find_in(&board) else {
                return false;
            };
            self.boards.push(board.play(mv));
        }
        true
    }
}

/// Fills the record; `false` at the end of the input.
fn fill(input: &mut dyn Read, record: &mut [u8]) -> Result<bool, TreeError> {
    let mut filled = 0;
    while filled < record.len() {
        match input.read(&mut record[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(TreeError::Damaged),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}
