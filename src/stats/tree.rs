//! The openings of all games, transpositions merged.
//!
//! In walk moves of lines, with how often they were played; out walk branches: a position of a start, a move in it, the
//! games that went that way. Lines that lead to the same position after the same number of plies become one, told by a key
//! of 128 bits; of the ways there, the first in the order of its moves' squares is kept to show one.
//!
//! Memory is bounded however many openings there are: what does not fit waits on the disk, in order. Nothing is ever
//! left out before all is added up, so the counts are exact.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, Read, Write};
use std::mem;

use super::lines::Step;
use super::played::Played;
use crate::chess::PackedMove;
use crate::run::Runs;
use crate::start::{DoubleNumbering, DoubleStart};

/// A move in a position of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub start: DoubleStart,
    /// From 1.
    pub ply: u32,
    /// One of the ways to the position.
    pub line: Vec<PackedMove>,
    pub code: PackedMove,
    pub played: Played,
    /// Games that came to the position after as many plies and went on from there.
    pub reached: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("cannot keep the opening tree on the disk for temporary files")]
    Disk(#[from] io::Error),
    #[error("the opening tree beside the ledger is damaged")]
    Damaged,
}

/// All moves that were played in the first plies.
#[derive(Debug)]
pub struct Tree {
    /// Each in order.
    lists: Vec<List>,
    /// What did not fit into memory.
    runs: Runs,
    most_edges: usize,
}

/// Moves of lines on their way into a tree. Those of a start have to come together.
#[derive(Debug, Default)]
pub struct Batch {
    list: List,
    /// Where those of the last start begin, which are not yet in order.
    last_start: usize,
}

/// Start, ply, position and move, in an order that keeps the moves of a position together.
type EdgeKey = (u32, u8, u128, PackedMove);

#[derive(Clone, Copy, Debug)]
struct EdgeValue {
    line: [PackedMove; Tree::MOST_PLIES],
    played: Played,
}

/// Edges, and the ways to where they begin.
#[derive(Debug, Default)]
struct List {
    edges: Vec<Edge>,
    /// Moves of lines, one line after the other.
    codes: Vec<PackedMove>,
    /// Where the last of these lines begins.
    last_line: usize,
}

/// A move as a list holds it, small because there are many.
#[derive(Clone, Copy, Debug)]
struct Edge {
    position: u128,
    start: u32,
    /// Where the moves before this one are among those of the list.
    line: u32,
    code: PackedMove,
    ply: u8,
    played: Played,
}

/// So many moves are held in memory, at 80 bytes each and a few more for their lines.
const MOST_EDGES: usize = 1 << 19;

const KEY_BYTES: usize = 4 + 1 + 16 + 2;
const LINE_BYTES: usize = 2 * Tree::MOST_PLIES;
const RECORD_BYTES: usize = KEY_BYTES + LINE_BYTES + 6 * 8;

impl Default for Tree {
    fn default() -> Tree {
        Tree::with_room_for(MOST_EDGES)
    }
}

impl Tree {
    /// The deepest tree there can be.
    pub const MOST_PLIES: usize = 20;

    fn with_room_for(most_edges: usize) -> Tree {
        Tree {
            lists: Vec::new(),
            runs: Runs::new(RECORD_BYTES),
            most_edges,
        }
    }

    /// Takes the moves out of a batch.
    pub fn take(&mut self, batch: &mut Batch) -> Result<(), TreeError> {
        batch.close_start();
        batch.last_start = 0;
        self.take_sorted(mem::take(&mut batch.list))
    }

    /// Takes everything that another tree has.
    pub fn absorb(&mut self, other: Tree) -> Result<(), TreeError> {
        if self.lists.is_empty() && self.runs.is_empty() {
            *self = other;
            return Ok(());
        }
        self.take_in_portions(|portion| other.for_each(portion))
    }

    /// Writes the whole tree as records in order.
    pub fn write_to(self, out: &mut dyn Write) -> Result<(), TreeError> {
        self.for_each(|key, value| Ok(out.write_all(&write_record(&key, &value))?))
    }

    /// Adds what [`write_to`](Tree::write_to) has written.
    pub fn absorb_from(&mut self, input: &mut dyn Read) -> Result<(), TreeError> {
        self.take_in_portions(|portion| {
            let mut record = [0; RECORD_BYTES];
            while fill_record(input, &mut record)? {
                let (key, value) = read_record(&record).ok_or(TreeError::Damaged)?;
                portion(key, value)?;
            }
            Ok(())
        })
    }

    /// The moves that were played in at least so many games: by start, by ply, by line, the most played first.
    pub fn branches(self, min_games: u64) -> Result<Vec<Branch>, TreeError> {
        let mut branches: Vec<Branch> = Vec::new();
        let mut position: Vec<(EdgeKey, EdgeValue)> = Vec::new();
        let mut close = |position: &mut Vec<(EdgeKey, EdgeValue)>| {
            branches.extend(branches_of(position, min_games));
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
        branches.sort_by(|a, b| {
            let place = |branch: &Branch| (branch.start, branch.ply);
            place(a)
                .cmp(&place(b))
                .then_with(|| a.line.cmp(&b.line))
                .then_with(|| b.played.games().cmp(&a.played.games()))
                .then_with(|| a.code.cmp(&b.code))
        });
        Ok(branches)
    }

    /// Takes edges that are in order.
    fn take_sorted(&mut self, list: List) -> Result<(), TreeError> {
        let held: usize = self.lists.iter().map(|list| list.edges.len()).sum();
        if held + list.edges.len() > self.most_edges {
            self.spill()?;
        }
        if !list.edges.is_empty() {
            self.lists.push(list);
        }
        Ok(())
    }

    /// Takes what `hand_over` hands over, in any order, without ever holding all of it.
    fn take_in_portions(
        &mut self,
        hand_over: impl FnOnce(
            &mut dyn FnMut(EdgeKey, EdgeValue) -> Result<(), TreeError>,
        ) -> Result<(), TreeError>,
    ) -> Result<(), TreeError> {
        let mut portion = List::default();
        hand_over(&mut |key, value| {
            portion.push(key, &value.line[..usize::from(key.1) - 1], value.played);
            if portion.edges.len() >= self.most_edges {
                portion.put_in_order(0);
                self.take_sorted(mem::take(&mut portion))?;
            }
            Ok(())
        })?;
        portion.put_in_order(0);
        self.take_sorted(portion)
    }

    fn spill(&mut self) -> Result<(), TreeError> {
        if !self.lists.is_empty() {
            let edges = Merging::new(mem::take(&mut self.lists));
            let records = edges.map(|(key, value)| write_record(&key, &value));
            self.runs.push(records)?;
        }
        Ok(())
    }

    /// Visits every edge once, in order.
    fn for_each(
        mut self,
        mut visit: impl FnMut(EdgeKey, EdgeValue) -> Result<(), TreeError>,
    ) -> Result<(), TreeError> {
        if self.runs.is_empty() {
            let mut edges = Merging::new(self.lists);
            return edges.try_for_each(|(key, value)| visit(key, value));
        }
        self.spill()?;
        let mut open: Option<(EdgeKey, EdgeValue)> = None;
        for record in self.runs.sorted()? {
            let (key, value) = read_record(&record?).ok_or(TreeError::Damaged)?;
            match &mut open {
                Some((known, sum)) if *known == key => sum.merge(&value),
                _ => {
                    if let Some((key, value)) = open.replace((key, value)) {
                        visit(key, value)?;
                    }
                }
            }
        }
        open.map_or(Ok(()), |(key, value)| visit(key, value))
    }
}

impl EdgeValue {
    fn merge(&mut self, other: &EdgeValue) {
        self.line = self.line.min(other.line);
        self.played.add(&other.played);
    }
}

impl Batch {
    /// Adds a move of a line.
    pub fn add(&mut self, step: &Step) {
        let last = self.list.edges.last();
        if last.is_some_and(|last| last.start != step.start) {
            self.close_start();
        }
        let key = (step.start, step.ply as u8, step.position.0, step.code);
        self.list.push(key, step.line, step.played);
    }

    fn close_start(&mut self) {
        self.list.put_in_order(self.last_start);
        self.last_start = self.list.edges.len();
    }
}

impl Edge {
    fn key(&self) -> EdgeKey {
        (self.start, self.ply, self.position, self.code)
    }
}

impl List {
    /// Adds an edge to which this line leads. Lines that begin alike are held once if they come one after the other, the
    /// longest first.
    fn push(&mut self, key: EdgeKey, line: &[PackedMove], played: Played) {
        if !self.codes[self.last_line..].starts_with(line) {
            self.last_line = self.codes.len();
            self.codes.extend(line);
        }
        let (start, ply, position, code) = key;
        self.edges.push(Edge {
            position,
            start,
            line: self.last_line as u32,
            code,
            ply,
            played,
        });
    }

    /// The moves that lead to an edge.
    fn line(&self, edge: &Edge) -> &[PackedMove] {
        &self.codes[edge.line as usize..][..usize::from(edge.ply) - 1]
    }

    fn value(&self, edge: &Edge) -> EdgeValue {
        let mut line = [PackedMove(0); Tree::MOST_PLIES];
        let moves = self.line(edge);
        line[..moves.len()].copy_from_slice(moves);
        EdgeValue {
            line,
            played: edge.played,
        }
    }

    /// Sorts the edges from a place on, and makes one of those that are the same.
    fn put_in_order(&mut self, from: usize) {
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

/// The edges of several lists in order, each once.
struct Merging {
    lists: Vec<List>,
    /// How many edges of each list have been taken.
    taken: Vec<usize>,
    /// The first key of each list that is not at its end.
    next: BinaryHeap<Reverse<(EdgeKey, usize)>>,
}

impl Merging {
    fn new(lists: Vec<List>) -> Merging {
        let first =
            |(index, list): (usize, &List)| Some(Reverse((list.edges.first()?.key(), index)));
        Merging {
            taken: vec![0; lists.len()],
            next: lists.iter().enumerate().filter_map(first).collect(),
            lists,
        }
    }

    /// The first of all edges that have not been taken.
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

impl Iterator for Merging {
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

/// Reads the next record; `false` at the end.
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

/// The branches of one position.
fn branches_of(
    position: &[(EdgeKey, EdgeValue)],
    min_games: u64,
) -> impl Iterator<Item = Branch> + '_ {
    let games = |(_, value): &(EdgeKey, EdgeValue)| value.played.games();
    let reached = position.iter().map(games).fold(0, u64::saturating_add);
    // The same for all moves of the position, so that they stand together.
    let line = position.iter().map(|(_, value)| value.line).min();
    let line = line.unwrap_or([PackedMove(0); Tree::MOST_PLIES]);
    position
        .iter()
        .filter(move |edge| games(edge) >= min_games)
        .filter_map(move |&((start, ply, _, code), value)| {
            Some(Branch {
                start: DoubleNumbering::WhiteFirst.double_start(start).ok()?,
                ply: ply.into(),
                line: line[..usize::from(ply) - 1].to_vec(),
                code,
                played: value.played,
                reached,
            })
        })
}

/// In this order of bytes records are sorted as their keys are.
fn write_record(key: &EdgeKey, value: &EdgeValue) -> [u8; RECORD_BYTES] {
    let &(start, ply, position, code) = key;
    let mut record = [0; RECORD_BYTES];
    let mut room = &mut record[..];
    let mut write = |bytes: &[u8]| {
        let (place, rest) = mem::take(&mut room).split_at_mut(bytes.len());
        place.copy_from_slice(bytes);
        room = rest;
    };
    write(&start.to_be_bytes());
    write(&[ply]);
    write(&position.to_be_bytes());
    write(&code.0.to_be_bytes());
    for code in value.line {
        write(&code.0.to_be_bytes());
    }
    for number in value.played.numbers() {
        write(&number.to_be_bytes());
    }
    record
}

fn read_record(record: &[u8]) -> Option<(EdgeKey, EdgeValue)> {
    let (start, rest) = record.split_first_chunk()?;
    let ([ply], rest) = rest.split_first_chunk()?;
    let (position, rest) = rest.split_first_chunk()?;
    let (code, rest) = rest.split_first_chunk()?;
    let (line_bytes, rest) = rest.split_first_chunk::<LINE_BYTES>()?;
    let mut line = [PackedMove(0); Tree::MOST_PLIES];
    for (place, bytes) in line.iter_mut().zip(line_bytes.as_chunks().0) {
        *place = PackedMove(u16::from_be_bytes(*bytes));
    }
    let (numbers, []) = rest.as_chunks() else {
        return None;
    };
    let numbers: [[u8; 8]; 6] = numbers.try_into().ok()?;
    let is_ply = (1..=Tree::MOST_PLIES).contains(&usize::from(*ply));
    is_ply.then(|| {
        (
            (
                u32::from_be_bytes(*start),
                *ply,
                u128::from_be_bytes(*position),
                PackedMove(u16::from_be_bytes(*code)),
            ),
            EdgeValue {
                line,
                played: Played::from_numbers(numbers.map(u64::from_be_bytes)),
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;
    use crate::stats::facts::Outcome;
    use crate::stats::lines::Lines;

    const GAMES: [&str; 5] = [
        "e4 e5 Nf3 Nc6",
        "Nf3 e5 e4 Nc6",
        "Nf3 Nc6 e4 e5",
        "d4 d5",
        "e4 c5",
    ];

    fn lines() -> Lines {
        let mut lines = Lines::new();
        for game in GAMES {
            let moves: Vec<&[u8]> = game.split(' ').map(str::as_bytes).collect();
            let line = lines.along(StartId::CLASSICAL.into(), &moves).unwrap();
            lines.count(line, Outcome::Draw, [Some(2000), None]);
        }
        lines
    }

    fn tree(most_edges: usize) -> Tree {
        let mut tree = Tree::with_room_for(most_edges);
        // A move at a time, so that it has to be put together again.
        lines().drain(20, |step| {
            let mut batch = Batch::default();
            batch.add(&step);
            tree.take(&mut batch).unwrap();
        });
        tree
    }

    #[test]
    fn transpositions_become_one_position() {
        let branches = tree(100).branches(1).unwrap();
        let deepest: Vec<&Branch> = branches.iter().filter(|branch| branch.ply == 4).collect();
        // 1. e4 e5 2. Nf3 and 1. Nf3 e5 2. e4 are one position, the third way comes to another.
        let counts: Vec<_> = deepest
            .iter()
            .map(|b| (b.played.games(), b.reached))
            .collect();
        assert_eq!(counts.len(), 2);
        assert!(
            counts.contains(&(2, 2)) && counts.contains(&(1, 1)),
            "{counts:?}"
        );
        let first: Vec<_> = branches.iter().filter(|b| b.ply == 1).collect();
        assert_eq!(
            first.iter().map(|b| b.played.games()).collect::<Vec<_>>(),
            [2, 2, 1]
        );
        assert!(first.iter().all(|b| b.reached == 5 && b.line.is_empty()));
        assert_eq!(tree(100).branches(2).unwrap().len(), 3);
    }

    #[test]
    fn a_tree_that_waits_on_the_disk_is_the_same_tree() {
        let whole = tree(100).branches(1).unwrap();
        for most_edges in [1, 2, 3, 7] {
            assert_eq!(tree(most_edges).branches(1).unwrap(), whole);
            let mut twice = tree(most_edges);
            twice.absorb(tree(100)).unwrap();
            let mut stored = Tree::with_room_for(most_edges);
            stored.absorb_from(&mut &*bytes(tree(most_edges))).unwrap();
            stored.absorb_from(&mut &*bytes(tree(100))).unwrap();
            let twice = twice.branches(1).unwrap();
            assert_eq!(stored.branches(1).unwrap(), twice);
            let doubled = twice.iter().zip(&whole);
            for (twice, once) in doubled {
                assert_eq!(twice.played.games(), 2 * once.played.games());
            }
        }
    }

    #[test]
    fn a_batch_is_the_same_as_its_moves_one_by_one() {
        let mut batch = Batch::default();
        lines().drain(20, |step| batch.add(&step));
        let mut tree_of_batch = Tree::default();
        tree_of_batch.take(&mut batch).unwrap();
        tree_of_batch.take(&mut batch).unwrap();
        assert_eq!(bytes(tree_of_batch), bytes(tree(3)));
    }

    fn bytes(tree: Tree) -> Vec<u8> {
        let mut bytes = Vec::new();
        tree.write_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn records_that_are_cut_or_impossible_are_refused() {
        let whole = bytes(tree(100));
        let cut = whole.len() - 2;
        let mut impossible = whole.clone();
        // The ply of the first record.
        impossible[4] = 99;
        for damaged in [&whole[1..], &whole[..cut], &impossible] {
            assert!(Tree::default().absorb_from(&mut &*damaged).is_err());
        }
    }
}
