//! The positions and moves of an opening tree, with transpositions merged.
//!
//! The lines of a group are sorted, so they form a trie: games that share their first moves are neighbours, and a node
//! is a range of lines. [`GroupMoves`] takes these lines and computes, in order:
//!
//! 1. the edges: every move of every node, with the Zobrist key of the position before it ([`edges`]);
//! 2. the positions: edges sorted by ply, position and move. Nodes that transpose into each other are now neighbours and
//!    their games are summed. A position takes the smallest of its lines to show one way to it;
//! 3. the texts: each move of a line that is needed, in SAN, once per node ([`LineTexts`]);
//! 4. the rows: the moves of each position that were played often enough, with the sums of their games.
//!
//! Every step is divided between the threads of a rayon pool. Groups are processed one after the other, so
//! memory holds the lines of a few groups and 24 bytes for each of their edges.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::group::{Group, GroupBy};
use super::line_cache::MAX_PLIES;
use super::line_record::{GroupCode, LineRecord};
use super::move_tally::MoveTally;
use super::opening_tree::{OpeningTree, TreeError};
use crate::chess::{Board, Zobrist, ZobristKey};

/// A move that was played in a position of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeMove<'t> {
    /// The group of the games.
    pub group: Group,
    /// The ply of the move, from 1.
    pub ply: u32,
    /// One of the lines that lead to the position, in SAN: the smallest in the order of the target squares.
    pub line: &'t str,
    /// The move in SAN.
    pub san: &'t str,
    /// The games in which it was played.
    pub played: MoveTally,
    /// The games that reached the position after the same number of plies and continued.
    pub reached: u64,
}

/// Which moves of a tree are visited, and how.
#[derive(Clone, Copy)]
pub struct TreeOptions<'p> {
    /// The games that a move needs.
    pub min_games: u64,
    /// What the games of the tree were grouped by.
    pub by: GroupBy,
    /// The threads to use.
    pub pool: &'p ThreadPool,
}

/// How many moves were visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveCount {
    /// Moves that were played in enough games.
    pub visited: u64,
    /// Moves that were played in fewer.
    pub omitted: u64,
}

/// The lines of groups that are processed at the same time. Together they keep all threads busy.
const BATCH_LINES: usize = 1 << 15;

/// The lines and edges of a unit of parallel work.
const CHUNK_LINES: usize = 1 << 12;
const CHUNK_EDGES: usize = 1 << 15;

/// The positions of a unit of parallel work.
const CHUNK_POSITIONS: usize = 1 << 11;

/// The seed of the Zobrist keys that identify transpositions.
const SEED: u64 = 960;

impl OpeningTree {
    /// Visits the moves that were played in enough games, ordered by group, ply and line, the most played first. `add` appends a move to a part of the result, on a thread of the pool; `sink` takes the parts in order.
    pub fn visit_moves<P: Default + Send, E: From<TreeError>>(
        mut self,
        options: TreeOptions,
        add: impl Fn(&mut P, &TreeMove) + Sync,
        mut sink: impl FnMut(P) -> Result<(), E>,
    ) -> Result<MoveCount, E> {
        self.seal()?;
        let zobrist = Zobrist::new(SEED);
        let mut count = MoveCount::default();
        for batch in batches(&self.groups()) {
            let moves_of = |&code: &GroupCode| {
                let group = options.by.group(code).ok_or(TreeError::Damaged)?;
                let lines = self.lines(code)?;
                let group_moves = GroupMoves::new(group, lines, &zobrist, options.min_games);
                Ok((group_moves.parts(&add), group_moves.count))
            };
            let groups: Vec<Result<_, TreeError>> = options
                .pool
                .install(|| batch.par_iter().map(moves_of).collect());
            for group in groups {
                let (parts, group_count) = group?;
                count.visited += group_count.visited;
                count.omitted += group_count.omitted;
                parts.into_iter().try_for_each(&mut sink)?;
            }
        }
        Ok(count)
    }
}

/// Groups in batches of about [`BATCH_LINES`] lines.
fn batches(groups: &[(GroupCode, usize)]) -> Vec<Vec<GroupCode>> {
    let mut batches: Vec<Vec<GroupCode>> = Vec::new();
    let mut lines = BATCH_LINES;
    for &(group, length) in groups {
        if lines >= BATCH_LINES {
            batches.push(Vec::new());
            lines = 0;
        }
        lines += length;
        if let Some(batch) = batches.last_mut() {
            batch.push(group);
        }
    }
    batches
}

/// A node of the trie: a move of the lines from `first` on, `count` in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    /// The ply (5 bits), 107 bits of the position's key and the move (16 bits), in two words, which need no padding.
    key: [u64; 2],
    first: u32,
    count: u32,
}

/// Positions differ in 107 bits. The chance that any two of ten million positions collide is below 2^-60.
impl Edge {
    fn new(ply: usize, position: ZobristKey, mv: u16, lines: Range<usize>) -> Edge {
        let key = (ply as u128) << 123 | position.0 >> 21 << 16 | u128::from(mv);
        Edge {
            key: [(key >> 64) as u64, key as u64],
            first: lines.start as u32,
            count: lines.len() as u32,
        }
    }

    fn ply(&self) -> usize {
        (self.key[0] >> 59) as usize
    }

    /// Ply and position, without the move.
    fn position(&self) -> [u64; 2] {
        [self.key[0], self.key[1] >> 16]
    }

    fn lines(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

/// A position with moves that were played often enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TreePosition {
    /// The number of moves that lead to it.
    depth: u8,
    /// The first of the lines that lead to it.
    line: u32,
    /// Its edges.
    begin: usize,
    end: usize,
}

/// The moves of one group.
struct GroupMoves {
    group: Group,
    lines: Vec<LineRecord>,
    edges: Vec<Edge>,
    positions: Vec<TreePosition>,
    texts: Vec<LineTexts>,
    min_games: u64,
    count: MoveCount,
}

impl GroupMoves {
    fn new(group: Group, lines: Vec<LineRecord>, zobrist: &Zobrist, min_games: u64) -> GroupMoves {
        let board = Board::from_double_start(group.start);
        let mut edges = all_edges(&board, &lines, zobrist);
        edges.par_sort_unstable();
        let found: Vec<(Vec<TreePosition>, MoveCount)> = position_chunks(&edges)
            .into_par_iter()
            .map(|range| find_positions(&edges, range, min_games))
            .collect();
        let mut count = MoveCount::default();
        let mut positions = Vec::new();
        for (chunk, chunk_count) in found {
            positions.extend(chunk);
            count.visited += chunk_count.visited;
            count.omitted += chunk_count.omitted;
        }
        positions.par_sort_unstable();
        let needed = needed_plies(lines.len(), &edges, &positions);
        let texts = lines
            .par_chunks(CHUNK_LINES)
            .zip(needed.par_chunks(CHUNK_LINES))
            .map(|(lines, needed)| LineTexts::new(&board, lines, needed))
            .collect();
        GroupMoves {
            group,
            lines,
            edges,
            positions,
            texts,
            min_games,
            count,
        }
    }

    /// The rows in order, in parts.
    fn parts<P: Default + Send>(&self, add: &(impl Fn(&mut P, &TreeMove) + Sync)) -> Vec<P> {
        let chunks = self.positions.par_chunks(CHUNK_POSITIONS);
        let parts = chunks.map(|positions| {
            let mut part = P::default();
            for position in positions {
                self.visit(position, |tree_move| add(&mut part, tree_move));
            }
            part
        });
        parts.collect()
    }

    /// Visits the moves of a position, the most played first.
    fn visit(&self, position: &TreePosition, mut visit: impl FnMut(&TreeMove)) {
        let edges = &self.edges[position.begin..position.end];
        let games = |edges: &[Edge]| edges.iter().map(|edge| u64::from(edge.count)).sum::<u64>();
        let reached = games(edges);
        let mut moves: Vec<(u64, &[Edge])> = edges
            .chunk_by(|a, b| a.key == b.key)
            .map(|edges| (games(edges), edges))
            .filter(|(games, _)| *games >= self.min_games)
            .collect();
        moves.sort_by_key(|(games, _)| std::cmp::Reverse(*games));
        let depth = usize::from(position.depth);
        for (_, edges) in moves {
            visit(&TreeMove {
                group: self.group,
                ply: depth as u32 + 1,
                line: self.text(position.line).line(depth),
                san: self.text(edges[0].first).san(depth),
                played: self.tally(edges, depth),
                reached,
            });
        }
    }

    /// The sum of the games of edges that are the same move, made by the player of this ply.
    fn tally(&self, edges: &[Edge], ply: usize) -> MoveTally {
        let mut tally = MoveTally::default();
        for edge in edges {
            for line in &self.lines[edge.lines()] {
                let game = line.game();
                tally.count(game.outcome, game.ratings[ply % 2]);
            }
        }
        tally
    }

    fn text(&self, line: u32) -> LineText<'_> {
        let line = line as usize;
        self.texts[line / CHUNK_LINES].text(line % CHUNK_LINES)
    }
}

/// The edges of all lines. A node whose lines are in several chunks has an edge in each, which are summed later.
fn all_edges(board: &Board, lines: &[LineRecord], zobrist: &Zobrist) -> Vec<Edge> {
    if lines.len() <= CHUNK_LINES {
        return edges(board, lines, 0, zobrist);
    }
    let chunks: Vec<Vec<Edge>> = lines
        .par_chunks(CHUNK_LINES)
        .enumerate()
        .map(|(index, chunk)| edges(board, chunk, index * CHUNK_LINES, zobrist))
        .collect();
    chunks.into_par_iter().flatten_iter().collect()
}

/// The edges of sorted lines, the first of which has this index.
fn edges(board: &Board, lines: &[LineRecord], index: usize, zobrist: &Zobrist) -> Vec<Edge> {
    /// A node on the path to the current line.
    struct Node {
        mv: u16,
        first: usize,
        /// The position after the move.
        board: Board,
        key: ZobristKey,
    }
    let root = zobrist.of(board);
    let mut edges = Vec::new();
    let mut path: Vec<Node> = Vec::with_capacity(MAX_PLIES);
    let mut close = |path: &mut Vec<Node>, plies: usize, end: usize| {
        while path.len() > plies
            && let Some(node) = path.pop()
        {
            let position = path.last().map_or(root, |parent| parent.key);
            edges.push(Edge::new(path.len(), position, node.mv, node.first..end));
        }
    };
    for (offset, line) in lines.iter().enumerate() {
        if let Some(before) = offset.checked_sub(1) {
            close(&mut path, line.common_plies(&lines[before]), index + offset);
        }
        while let Some(mv) = line.mv(path.len()) {
            let (board, key) = path
                .last()
                .map_or((*board, root), |node| (node.board, node.key));
            let after = board.play(mv.unpack_legal(&board));
            path.push(Node {
                mv: mv.0,
                first: index + offset,
                key: zobrist.update(key, &board, &after),
                board: after,
            });
        }
    }
    close(&mut path, 0, index + lines.len());
    edges
}

/// Divides sorted edges into chunks that begin where a position does.
fn position_chunks(edges: &[Edge]) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut begin = 0;
    while begin < edges.len() {
        let mut end = (begin + CHUNK_EDGES).min(edges.len());
        while end < edges.len() && edges[end].position() == edges[end - 1].position() {
            end += 1;
        }
        chunks.push(begin..end);
        begin = end;
    }
    chunks
}

/// The positions among these edges that have a move of at least `min_games` games.
fn find_positions(
    edges: &[Edge],
    range: Range<usize>,
    min_games: u64,
) -> (Vec<TreePosition>, MoveCount) {
    let mut positions = Vec::new();
    let mut count = MoveCount::default();
    let mut begin = range.start;
    for position in edges[range].chunk_by(|a, b| a.position() == b.position()) {
        let end = begin + position.len();
        let mut has_enough = false;
        for edges in position.chunk_by(|a, b| a.key == b.key) {
            let games: u64 = edges.iter().map(|edge| u64::from(edge.count)).sum();
            if games >= min_games {
                has_enough = true;
                count.visited += 1;
            } else {
                count.omitted += 1;
            }
        }
        if has_enough && let Some(line) = position.iter().map(|edge| edge.first).min() {
            positions.push(TreePosition {
                depth: position[0].ply() as u8,
                line,
                begin,
                end,
            });
        }
        begin = end;
    }
    (positions, count)
}

/// How many plies of each line have to be written in SAN, for the lines to the positions and for their moves.
fn needed_plies(lines: usize, edges: &[Edge], positions: &[TreePosition]) -> Vec<AtomicU8> {
    let mut needed: Vec<AtomicU8> = Vec::new();
    needed.resize_with(lines, AtomicU8::default);
    positions.par_iter().for_each(|position| {
        needed[position.line as usize].fetch_max(position.depth, Ordering::Relaxed);
        for edge in &edges[position.begin..position.end] {
            needed[edge.first as usize].fetch_max(position.depth + 1, Ordering::Relaxed);
        }
    });
    needed
}

/// The moves of lines in SAN.
struct LineTexts {
    /// The texts one after the other. Each begins with the ends of its moves, a byte for each ply.
    bytes: Vec<u8>,
    /// Where the text of each line begins, for those that have one.
    begins: Vec<u32>,
}

/// The moves of one line in SAN, separated by spaces.
#[derive(Clone, Copy)]
struct LineText<'t> {
    ends: &'t [u8],
    text: &'t [u8],
}

impl LineTexts {
    /// The first `needed` plies of each of these sorted lines.
    fn new(board: &Board, lines: &[LineRecord], needed: &[AtomicU8]) -> LineTexts {
        let mut texts = LineTexts {
            bytes: Vec::new(),
            begins: Vec::with_capacity(lines.len()),
        };
        let mut boards: Vec<Board> = vec![*board];
        let mut ends: Vec<u8> = Vec::with_capacity(MAX_PLIES);
        let mut text = String::new();
        let mut last: Option<&LineRecord> = None;
        for (line, needed) in lines.iter().zip(needed) {
            let needed = usize::from(needed.load(Ordering::Relaxed));
            texts.begins.push(texts.bytes.len() as u32);
            if needed == 0 {
                continue;
            }
            let common = last.map_or(0, |last| line.common_plies(last));
            ends.truncate(common);
            boards.truncate(ends.len() + 1);
            text.truncate(ends.last().map_or(0, |&end| end.into()));
            while ends.len() < needed
                && let Some(mv) = line.mv(ends.len())
                && let Some(&board) = boards.last()
            {
                if !text.is_empty() {
                    text.push(' ');
                }
                let mv = mv.unpack_legal(&board);
                let after = board.play(mv);
                board.push_san(mv, &after, &mut text);
                ends.push(text.len() as u8);
                boards.push(after);
            }
            last = Some(line);
            texts.bytes.push(ends.len() as u8);
            texts.bytes.extend_from_slice(&ends);
            texts.bytes.extend_from_slice(text.as_bytes());
        }
        texts
    }

    fn text(&self, line: usize) -> LineText<'_> {
        let text = &self.bytes[self.begins[line] as usize..];
        let (ends, text) = text[1..].split_at(text[0].into());
        LineText { ends, text }
    }
}

impl<'t> LineText<'t> {
    /// The first moves.
    fn line(self, plies: usize) -> &'t str {
        self.part(0, self.end(plies))
    }

    /// The move at a ply, counted from 0.
    fn san(self, ply: usize) -> &'t str {
        let begin = if ply == 0 { 0 } else { self.end(ply) + 1 };
        self.part(begin, self.end(ply + 1))
    }

    fn end(self, plies: usize) -> usize {
        plies
            .checked_sub(1)
            .map_or(0, |last| usize::from(self.ends[last]))
    }

    fn part(self, begin: usize, end: usize) -> &'t str {
        str::from_utf8(&self.text[begin..end]).expect("SAN is ASCII")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::start::StartId;
    use crate::stats::line_cache::LineCache;
    use crate::stats::line_record::LineGame;
    use crate::stats::opening_tree::TreeMemory;
    use crate::stats::tag_values::GameOutcome;

    const GAMES: [&str; 6] = [
        "e4 e5 Nf3 Nc6",
        "Nf3 e5 e4 Nc6",
        "Nf3 Nc6 e4 e5",
        "d4 d5",
        "e4 c5",
        "e4 a6 e5 d5 exd6 h6 dxc7 g6 cxb8=N",
    ];

    /// A tree of these games. `memory` is its budget in bytes.
    fn tree(games: &[&str], memory: usize) -> OpeningTree {
        let mut tree = OpeningTree::new(Arc::new(TreeMemory::new(memory)));
        add(&mut tree, games);
        tree
    }

    fn add(tree: &mut OpeningTree, games: &[&str]) {
        let start = StartId::CLASSICAL.into();
        let mut cache = LineCache::new();
        for game in games {
            let texts: Vec<&[u8]> = game.split(' ').map(str::as_bytes).collect();
            let line = cache.find(start, &texts).unwrap();
            let game = LineGame {
                outcome: GameOutcome::Draw,
                ratings: [Some(2000), None],
            };
            let record = LineRecord::new(GroupCode::of(start), line.moves(), game);
            tree.push(record).unwrap();
        }
    }

    /// Ply, line, move, games and reached of every row.
    fn rows(tree: OpeningTree, min_games: u64) -> Vec<(u32, String, String, u64, u64)> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let options = TreeOptions {
            min_games,
            by: GroupBy::default(),
            pool: &pool.unwrap(),
        };
        let mut rows = Vec::new();
        let count = tree.visit_moves(
            options,
            |part: &mut Vec<_>, row| {
                let (line, san) = (row.line.to_owned(), row.san.to_owned());
                part.push((row.ply, line, san, row.played.games(), row.reached));
            },
            |part| {
                rows.extend(part);
                Ok::<(), TreeError>(())
            },
        );
        assert_eq!(count.unwrap().visited, rows.len() as u64);
        rows
    }

    fn bytes(tree: OpeningTree) -> Vec<u8> {
        let mut bytes = Vec::new();
        tree.write_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn transpositions_are_merged_into_one_position() {
        let rows = rows(tree(&GAMES, usize::MAX), 1);
        let row = |ply, line: &str, san: &str, games, reached| {
            (ply, line.to_owned(), san.to_owned(), games, reached)
        };
        assert_eq!(
            rows[..3],
            [
                row(1, "", "e4", 3, 6),
                row(1, "", "Nf3", 2, 6),
                row(1, "", "d4", 1, 6)
            ]
        );
        let fourth: Vec<_> = rows.iter().filter(|row| row.0 == 4).cloned().collect();
        // 1. e4 e5 2. Nf3 and 1. Nf3 e5 2. e4 reach one position, 1. Nf3 Nc6 2. e4 another. Lines are ordered by the
        // squares that they move to, from a1 to h8.
        assert_eq!(
            fourth,
            [
                row(4, "Nf3 e5 e4", "Nc6", 2, 2),
                row(4, "Nf3 Nc6 e4", "e5", 1, 1),
                row(4, "e4 a6 e5", "d5", 1, 1)
            ]
        );
        assert_eq!(
            rows.last(),
            Some(&row(9, "e4 a6 e5 d5 exd6 h6 dxc7 g6", "cxb8=N", 1, 1))
        );
    }

    #[test]
    fn moves_of_too_few_games_are_omitted_and_counted() {
        let sans: Vec<String> = rows(tree(&GAMES, usize::MAX), 2)
            .into_iter()
            .map(|row| row.2)
            .collect();
        assert_eq!(sans, ["e4", "Nf3", "Nc6"]);
    }

    #[test]
    fn a_tree_on_disk_or_in_parts_has_the_same_moves() {
        let whole = rows(tree(&GAMES, usize::MAX), 1);
        for memory in [0, 100, usize::MAX] {
            let mut parts = tree(&[], memory);
            for game in GAMES {
                let mut part = tree(&[game], memory);
                part.seal().unwrap();
                parts.absorb(part).unwrap();
            }
            assert_eq!(bytes(parts), bytes(tree(&GAMES, usize::MAX)));
            let mut stored = tree(&[], memory);
            for game in GAMES {
                stored
                    .absorb_from(&mut &*bytes(tree(&[game], memory)))
                    .unwrap();
            }
            assert_eq!(rows(stored, 1), whole, "{memory} bytes");
        }
    }

    #[test]
    fn large_trees_in_many_runs_and_chunks_are_summed_exactly() {
        let copies = 3 * CHUNK_LINES;
        for memory in [1 << 20, usize::MAX] {
            let mut large = tree(&[], memory);
            for _ in 0..copies {
                add(&mut large, &GAMES);
            }
            let expected = rows(tree(&GAMES, usize::MAX), 1).into_iter();
            let expected = expected.map(|(ply, line, san, games, reached)| {
                let copies = copies as u64;
                (ply, line, san, games * copies, reached * copies)
            });
            assert!(rows(large, 1).into_iter().eq(expected));
        }
    }

    #[test]
    fn truncated_and_illegal_records_are_damage() {
        let whole = bytes(tree(&GAMES, usize::MAX));
        let cut = whole.len() - 2;
        let mut other_start = whole.clone();
        other_start[0] = 0xff;
        let mut illegal = whole.clone();
        // A bit of the first move.
        illegal[6] ^= 1;
        for damaged in [&whole[1..], &whole[..cut], &other_start, &illegal] {
            let absorbed = OpeningTree::default().absorb_from(&mut &*damaged);
            assert!(matches!(absorbed, Err(TreeError::Damaged)));
        }
    }
}
