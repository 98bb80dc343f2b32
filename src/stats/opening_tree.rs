//! The tree of the openings of all games, with transpositions merged.
//!
//! It takes the moves of lines with the games in which they were played, and returns [`TreeMove`]s: a position, a move in
//! it, the games. Lines that reach the same position after the same number of plies are merged, by a 128-bit Zobrist key;
//! the line that is smallest in the order of its moves is kept to show one way to the position.
//!
//! Memory is bounded regardless of the number of openings: edges that do not fit are written to sorted runs on disk and
//! merged when they are read. Nothing is pruned before all edges are summed, so the counts are exact.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, Read, Write};
use std::mem;

use super::move_tally::MoveTally;
use super::opening_cache::LineMove;
use crate::chess::PackedMove;
use crate::run::Runs;
use crate::start::{DoubleNumbering, DoubleStart};

/// A move that was played in a position of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeMove {
    /// The start of the games.
    pub start: DoubleStart,
    /// The ply of the move, from 1.
    pub ply: u32,
    /// One of the lines that lead to the position.
    pub line: Vec<PackedMove>,
    /// The move.
    pub mv: PackedMove,
    /// The games in which it was played.
    pub played: MoveTally,
    /// The games that reached the position after the same number of plies and continued.
    pub reached: u64,
}

/// An opening tree cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Temporary files cannot be written or read.
    #[error("cannot keep the opening tree in temporary files on disk")]
    Disk(#[from] io::Error),
    /// The bytes are not those of an opening tree.
    #[error("the opening tree beside the ledger is damaged")]
    Damaged,
}

/// All moves that were played in the first plies of games, by start and position.
#[derive(Debug)]
pub struct OpeningTree {
    /// The edges in memory. Each list is sorted.
    lists: Vec<EdgeList>,
    /// The edges on disk.
    runs: Runs,
    /// The edges that may be in memory.
    max_edges: usize,
}

/// Moves of lines that are to be added to a tree. The moves of a start have to be added together, and the starts in
/// order.
#[derive(Debug, Default)]
pub struct MoveBatch {
    list: EdgeList,
    /// The index of the first edge of the last start, whose edges are not yet sorted.
    last_start: usize,
}

/// Start, ply, position and move. This order keeps the moves of a position together.
type EdgeKey = (u32, u8, u128, PackedMove);

/// What is summed for a key.
#[derive(Clone, Copy, Debug)]
struct EdgeValue {
    /// The smallest line that leads to the position, padded with zeros.
    line: [PackedMove; OpeningTree::MAX_PLIES],
    played: MoveTally,
}

/// Edges and the lines that lead to them.
#[derive(Debug, Default)]
struct EdgeList {
    edges: Vec<Edge>,
    /// The moves of these lines, one line after the other.
    line_moves: Vec<PackedMove>,
    /// The index of the first move of the last line.
    last_line: usize,
}

/// A move in a position. Small, because there are many.
#[derive(Clone, Copy, Debug)]
struct Edge {
    position: u128,
    start: u32,
    /// The index of the first move of its line in the list's `line_moves`.
    line: u32,
    mv: PackedMove,
    ply: u8,
    played: MoveTally,
}

/// The edges that a tree holds in memory, at 80 bytes each and a few more for their lines.
const MAX_EDGES: usize = 1 << 19;

const KEY_BYTES: usize = 4 + 1 + 16 + 2;
const LINE_BYTES: usize = 2 * OpeningTree::MAX_PLIES;
const RECORD_BYTES: usize = KEY_BYTES + LINE_BYTES + 6 * 8;

impl Default for OpeningTree {
    fn default() -> OpeningTree {
        OpeningTree::with_max_edges(MAX_EDGES)
    }
}

impl OpeningTree {
    /// The greatest depth of a tree.
    pub const MAX_PLIES: usize = 20;

    fn with_max_edges(max_edges: usize) -> OpeningTree {
        OpeningTree {
            lists: Vec::new(),
            runs: Runs::new(RECORD_BYTES),
            max_edges,
        }
    }

    /// Adds the moves of a batch and empties it.
    pub fn add_batch(&mut self, batch: &mut MoveBatch) -> Result<(), TreeError> {
        batch.sort_last_start();
        batch.last_start = 0;
        self.add_sorted(mem::take(&mut batch.list))
    }

    /// Adds another tree.
    pub fn absorb(&mut self, other: OpeningTree) -> Result<(), TreeError> {
        if self.lists.is_empty() && self.runs.is_empty() {
            *self = other;
            return Ok(());
        }
        self.add_in_chunks(|add| other.for_each(add))
    }

    /// Writes the tree as records in the order of their keys.
    pub fn write_to(self, out: &mut dyn Write) -> Result<(), TreeError> {
        self.for_each(|key, value| Ok(out.write_all(&write_record(&key, &value))?))
    }

    /// Adds a tree that [`write_to`](OpeningTree::write_to) has written.
    pub fn absorb_from(&mut self, input: &mut dyn Read) -> Result<(), TreeError> {
        self.add_in_chunks(|add| {
            let mut record = [0; RECORD_BYTES];
            while fill_record(input, &mut record)? {
                let (key, value) = read_record(&record).ok_or(TreeError::Damaged)?;
                add(key, value)?;
            }
            Ok(())
        })
    }

    /// The moves that were played in at least `min_games` games, ordered by start, ply and line, the most played first.
    pub fn moves(self, min_games: u64) -> Result<Vec<TreeMove>, TreeError> {
        let mut moves: Vec<TreeMove> = Vec::new();
        let mut position: Vec<(EdgeKey, EdgeValue)> = Vec::new();
        let mut close = |position: &mut Vec<(EdgeKey, EdgeValue)>| {
            moves.extend(moves_of(position, min_games));
            position.clear();
        };
        self.for_each(|key, value| {
            let is_same = |((start, ply, position, _), _): &(EdgeKey, EdgeValue)| {
                (*start, *ply, *position) == (key.0, key.1, key.2)
            };
            if !position.last().is_some_and(is_same) {
                close(&mut position);
            }
            position.push((key, value));
            Ok(())
        })?;
        close(&mut position);
        moves.sort_by(|a, b| {
            (a.start, a.ply)
                .cmp(&(b.start, b.ply))
                .then_with(|| a.line.cmp(&b.line))
                .then_with(|| b.played.games().cmp(&a.played.games()))
                .then_with(|| a.mv.cmp(&b.mv))
        });
        Ok(moves)
    }

    /// Adds a sorted list.
    fn add_sorted(&mut self, list: EdgeList) -> Result<(), TreeError> {
        let in_memory: usize = self.lists.iter().map(|list| list.edges.len()).sum();
        if in_memory + list.edges.len() > self.max_edges {
            self.spill()?;
        }
        if !list.edges.is_empty() {
            self.lists.push(list);
        }
        Ok(())
    }

    /// Adds the edges that `produce` yields in any order, without ever holding all of them in memory.
    fn add_in_chunks(
        &mut self,
        produce: impl FnOnce(
            &mut dyn FnMut(EdgeKey, EdgeValue) -> Result<(), TreeError>,
        ) -> Result<(), TreeError>,
    ) -> Result<(), TreeError> {
        let mut chunk = EdgeList::default();
        produce(&mut |key, value| {
            chunk.push(key, &value.line[..usize::from(key.1) - 1], value.played);
            if chunk.edges.len() >= self.max_edges {
                chunk.sort_and_merge(0);
                self.add_sorted(mem::take(&mut chunk))?;
            }
            Ok(())
        })?;
        chunk.sort_and_merge(0);
        self.add_sorted(chunk)
    }

    /// Writes the edges in memory to a run on disk.
    fn spill(&mut self) -> Result<(), TreeError> {
        if !self.lists.is_empty() {
            let edges = MergedEdges::new(mem::take(&mut self.lists));
            let records = edges.map(|(key, value)| write_record(&key, &value));
            self.runs.push(records)?;
        }
        Ok(())
    }

    /// Visits every edge once, in the order of the keys.
    fn for_each(
        mut self,
        mut visit: impl FnMut(EdgeKey, EdgeValue) -> Result<(), TreeError>,
    ) -> Result<(), TreeError> {
        if self.runs.is_empty() {
            let mut edges = MergedEdges::new(self.lists);
            return edges.try_for_each(|(key, value)| visit(key, value));
        }
        self.spill()?;
        let mut pending: Option<(EdgeKey, EdgeValue)> = None;
        for record in self.runs.sorted()? {
            let (key, value) = read_record(&record?).ok_or(TreeError::Damaged)?;
            match &mut pending {
                Some((last, sum)) if *last == key => sum.merge(&value),
                _ => {
                    if let Some((key, value)) = pending.replace((key, value)) {
                        visit(key, value)?;
                    }
                }
            }
        }
        pending.map_or(Ok(()), |(key, value)| visit(key, value))
    }
}

impl EdgeValue {
    fn merge(&mut self, other: &EdgeValue) {
        self.line = self.line.min(other.line);
        self.played.add(&other.played);
    }
}

impl MoveBatch {
    /// Adds a move of a line.
    pub fn add(&mut self, line_move: &LineMove) {
        let &LineMove {
            start,
            ply,
            position,
            line,
            mv,
            played,
        } = line_move;
        let last = self.list.edges.last();
        if last.is_some_and(|last| last.start != start) {
            self.sort_last_start();
        }
        self.list
            .push((start, ply as u8, position.0, mv), line, played);
    }

    fn sort_last_start(&mut self) {
        self.list.sort_and_merge(self.last_start);
        self.last_start = self.list.edges.len();
    }
}

impl Edge {
    fn key(&self) -> EdgeKey {
        (self.start, self.ply, self.position, self.mv)
    }
}

impl EdgeList {
    /// Adds an edge and the line that leads to it. A line that is a prefix of the line before it takes no memory of its
    /// own.
    fn push(&mut self, key: EdgeKey, line: &[PackedMove], played: MoveTally) {
        if !self.line_moves[self.last_line..].starts_with(line) {
            self.last_line = self.line_moves.len();
            self.line_moves.extend(line);
        }
        let (start, ply, position, mv) = key;
        self.edges.push(Edge {
            position,
            start,
            line: self.last_line as u32,
            mv,
            ply,
            played,
        });
    }

    /// The moves that lead to an edge.
    fn line(&self, edge: &Edge) -> &[PackedMove] {
        &self.line_moves[edge.line as usize..][..usize::from(edge.ply) - 1]
    }

    fn value(&self, edge: &Edge) -> EdgeValue {
        let mut line = [PackedMove(0); OpeningTree::MAX_PLIES];
        let moves = self.line(edge);
        line[..moves.len()].copy_from_slice(moves);
        EdgeValue {
            line,
            played: edge.played,
        }
    }

    /// Sorts the edges from an index on and merges those with the same key.
    fn sort_and_merge(&mut self, from: usize) {
        self.edges[from..].sort_unstable_by_key(Edge::key);
        let mut kept = from;
        for index in from + 1..self.edges.len() {
            let edge = self.edges[index];
            let mut last = self.edges[kept];
            if last.key() == edge.key() {
                if self.line(&edge) < self.line(&last) {
                    last.line = edge.line;
                }
                last.played.add(&edge.played);
                self.edges[kept] = last;
            } else {
                kept += 1;
                self.edges[kept] = edge;
            }
        }
        self.edges.truncate((kept + 1).min(self.edges.len()));
    }
}

/// The k-way merge of several sorted lists: their edges in order, those with the same key merged.
struct MergedEdges {
    lists: Vec<EdgeList>,
    /// The number of edges that have been taken from each list.
    taken: Vec<usize>,
    /// The next key of each list that is not exhausted, and the index of the list.
    next: BinaryHeap<Reverse<(EdgeKey, usize)>>,
}

impl MergedEdges {
    fn new(lists: Vec<EdgeList>) -> MergedEdges {
        let first =
            |(index, list): (usize, &EdgeList)| Some(Reverse((list.edges.first()?.key(), index)));
        MergedEdges {
            taken: vec![0; lists.len()],
            next: lists.iter().enumerate().filter_map(first).collect(),
            lists,
        }
    }

    /// Takes the edge with the smallest key.
    fn take_first(&mut self) -> Option<(EdgeKey, EdgeValue)> {
        let mut first = self.next.peek_mut()?;
        let Reverse((key, index)) = *first;
        let (list, taken) = (&self.lists[index], &mut self.taken[index]);
        let value = list.value(&list.edges[*taken]);
        *taken += 1;
        match list.edges.get(*taken) {
            Some(edge) => *first = Reverse((edge.key(), index)),
            None => {
                PeekMut::pop(first);
            }
        }
        Some((key, value))
    }
}

impl Iterator for MergedEdges {
    type Item = (EdgeKey, EdgeValue);

    fn next(&mut self) -> Option<(EdgeKey, EdgeValue)> {
        let (key, mut value) = self.take_first()?;
        while self
            .next
            .peek()
            .is_some_and(|Reverse((other, _))| *other == key)
            && let Some((_, other)) = self.take_first()
        {
            value.merge(&other);
        }
        Some((key, value))
    }
}

/// Reads the next record; `false` at the end of the input.
fn fill_record(input: &mut dyn Read, record: &mut [u8; RECORD_BYTES]) -> Result<bool, TreeError> {
    let mut filled = 0;
    while filled < RECORD_BYTES {
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

/// The moves of one position.
fn moves_of(
    position: &[(EdgeKey, EdgeValue)],
    min_games: u64,
) -> impl Iterator<Item = TreeMove> + '_ {
    let games = |(_, value): &(EdgeKey, EdgeValue)| value.played.games();
    let reached = position.iter().map(games).fold(0, u64::saturating_add);
    // One line for all moves of the position, so that sorting by line keeps them together.
    let line = position.iter().map(|(_, value)| value.line).min();
    let line = line.unwrap_or([PackedMove(0); OpeningTree::MAX_PLIES]);
    position
        .iter()
        .filter(move |edge| games(edge) >= min_games)
        .filter_map(move |&((start, ply, _, mv), value)| {
            Some(TreeMove {
                start: DoubleNumbering::WhiteFirst.double_start(start).ok()?,
                ply: ply.into(),
                line: line[..usize::from(ply) - 1].to_vec(),
                mv,
                played: value.played,
                reached,
            })
        })
}

/// The record of an edge. Numbers are big-endian, so that records sort by their bytes as edges do by their keys.
fn write_record(key: &EdgeKey, value: &EdgeValue) -> [u8; RECORD_BYTES] {
    let &(start, ply, position, mv) = key;
    let mut record = [0; RECORD_BYTES];
    let mut unwritten = &mut record[..];
    let mut write = |bytes: &[u8]| {
        let (field, rest) = mem::take(&mut unwritten).split_at_mut(bytes.len());
        field.copy_from_slice(bytes);
        unwritten = rest;
    };
    write(&start.to_be_bytes());
    write(&[ply]);
    write(&position.to_be_bytes());
    write(&mv.0.to_be_bytes());
    for mv in value.line {
        write(&mv.0.to_be_bytes());
    }
    for number in value.played.numbers() {
        write(&number.to_be_bytes());
    }
    record
}

/// The edge of a record; `None` if the bytes are not a record.
fn read_record(record: &[u8]) -> Option<(EdgeKey, EdgeValue)> {
    let (start, rest) = record.split_first_chunk()?;
    let ([ply], rest) = rest.split_first_chunk()?;
    let (position, rest) = rest.split_first_chunk()?;
    let (mv, rest) = rest.split_first_chunk()?;
    let (line_bytes, rest) = rest.split_first_chunk::<LINE_BYTES>()?;
    let mut line = [PackedMove(0); OpeningTree::MAX_PLIES];
    for (mv, bytes) in line.iter_mut().zip(line_bytes.as_chunks().0) {
        *mv = PackedMove(u16::from_be_bytes(*bytes));
    }
    let (numbers, []) = rest.as_chunks() else {
        return None;
    };
    let numbers: [[u8; 8]; 6] = numbers.try_into().ok()?;
    let is_ply = (1..=OpeningTree::MAX_PLIES).contains(&usize::from(*ply));
    is_ply.then(|| {
        (
            (
                u32::from_be_bytes(*start),
                *ply,
                u128::from_be_bytes(*position),
                PackedMove(u16::from_be_bytes(*mv)),
            ),
            EdgeValue {
                line,
                played: MoveTally::from_numbers(numbers.map(u64::from_be_bytes)),
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;
    use crate::stats::opening_cache::OpeningCache;
    use crate::stats::tag_values::GameOutcome;

    const GAMES: [&str; 5] = [
        "e4 e5 Nf3 Nc6",
        "Nf3 e5 e4 Nc6",
        "Nf3 Nc6 e4 e5",
        "d4 d5",
        "e4 c5",
    ];

    fn cache() -> OpeningCache {
        let mut cache = OpeningCache::new();
        for game in GAMES {
            let texts: Vec<&[u8]> = game.split(' ').map(str::as_bytes).collect();
            let line = cache.find_or_insert(StartId::CLASSICAL.into(), &texts);
            cache.count(line.unwrap(), GameOutcome::Draw, [Some(2000), None]);
        }
        cache
    }

    fn tree(max_edges: usize) -> OpeningTree {
        let mut tree = OpeningTree::with_max_edges(max_edges);
        // One move per batch, so that the tree has to merge many lists.
        cache().drain_moves(20, |line_move| {
            let mut batch = MoveBatch::default();
            batch.add(&line_move);
            tree.add_batch(&mut batch).unwrap();
        });
        tree
    }

    #[test]
    fn transpositions_are_merged_into_one_position() {
        let moves = tree(100).moves(1).unwrap();
        let deepest: Vec<&TreeMove> = moves.iter().filter(|mv| mv.ply == 4).collect();
        // 1. e4 e5 2. Nf3 and 1. Nf3 e5 2. e4 reach one position, 1. Nf3 Nc6 2. e4 another.
        let counts: Vec<_> = deepest
            .iter()
            .map(|b| (b.played.games(), b.reached))
            .collect();
        assert_eq!(counts.len(), 2);
        assert!(
            counts.contains(&(2, 2)) && counts.contains(&(1, 1)),
            "{counts:?}"
        );
        let first: Vec<_> = moves.iter().filter(|b| b.ply == 1).collect();
        assert_eq!(
            first.iter().map(|b| b.played.games()).collect::<Vec<_>>(),
            [2, 2, 1]
        );
        assert!(first.iter().all(|b| b.reached == 5 && b.line.is_empty()));
        assert_eq!(tree(100).moves(2).unwrap().len(), 3);
    }

    #[test]
    fn a_tree_that_spills_to_disk_has_the_same_moves() {
        let whole = tree(100).moves(1).unwrap();
        for max_edges in [1, 2, 3, 7] {
            assert_eq!(tree(max_edges).moves(1).unwrap(), whole);
            let mut twice = tree(max_edges);
            twice.absorb(tree(100)).unwrap();
            let mut stored = OpeningTree::with_max_edges(max_edges);
            stored.absorb_from(&mut &*bytes(tree(max_edges))).unwrap();
            stored.absorb_from(&mut &*bytes(tree(100))).unwrap();
            let twice = twice.moves(1).unwrap();
            assert_eq!(stored.moves(1).unwrap(), twice);
            let doubled = twice.iter().zip(&whole);
            for (twice, once) in doubled {
                assert_eq!(twice.played.games(), 2 * once.played.games());
            }
        }
    }

    #[test]
    fn a_batch_gives_the_same_tree_as_its_moves_one_by_one() {
        let mut batch = MoveBatch::default();
        cache().drain_moves(20, |line_move| batch.add(&line_move));
        let mut tree_of_batch = OpeningTree::default();
        tree_of_batch.add_batch(&mut batch).unwrap();
        tree_of_batch.add_batch(&mut batch).unwrap();
        assert_eq!(bytes(tree_of_batch), bytes(tree(3)));
    }

    fn bytes(tree: OpeningTree) -> Vec<u8> {
        let mut bytes = Vec::new();
        tree.write_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn truncated_and_invalid_records_are_damage() {
        let whole = bytes(tree(100));
        let cut = whole.len() - 2;
        let mut impossible = whole.clone();
        // The ply of the first record.
        impossible[4] = 99;
        for damaged in [&whole[1..], &whole[..cut], &impossible] {
            assert!(OpeningTree::default().absorb_from(&mut &*damaged).is_err());
        }
    }
}
