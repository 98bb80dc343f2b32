//! The opening tree and its rows.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::thread;

use rustc_hash::FxHashMap;
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Move, Square};

use super::Options;
use super::start::{Played, Start};
use super::tables::{back_ranks, id, push_fixed, push_integer, wilson};

/// A move of a game and the position before it.
#[derive(Clone, Copy)]
pub struct Step {
    pub position: Zobrist64,
    pub mv: Move,
}

/// All edges, and where they are by their keys.
#[derive(Default)]
pub struct Tree {
    edges: Vec<Edge>,
    by_key: FxHashMap<EdgeKey, u32>,
}

/// A move that was played in a position.
#[derive(Clone, Copy)]
pub struct Edge {
    position: u64,
    played: Played,
    /// The edge before it in the first game that came here; [`ROOT`] for a first move.
    parent: u32,
    start: u32,
    mv: Move,
    ply: u8,
}

/// The Zobrist hash; start, ply and move.
type EdgeKey = (u64, u64);

const ROOT: u32 = u32::MAX;

impl Step {
    pub const NONE: Step = Step {
        position: Zobrist64(0),
        mv: Move::EnPassant {
            from: Square::A1,
            to: Square::A1,
        },
    };
}

impl Edge {
    fn key(&self) -> EdgeKey {
        let mv = u64::from(packed(self.mv));
        let ply = u64::from(self.ply);
        (self.position, u64::from(self.start) << 32 | ply << 16 | mv)
    }

    fn node(&self) -> (u64, u64) {
        (
            self.position,
            u64::from(self.start) << 8 | u64::from(self.ply),
        )
    }
}

/// From-square, to-square and promotion.
fn packed(mv: Move) -> u16 {
    let from = mv.from().map_or(0, u16::from);
    let promotion = mv.promotion().map_or(0, |role| role as u16);
    from | u16::from(mv.to()) << 6 | promotion << 12
}

impl Tree {
    pub fn count(&mut self, start: u32, line: &[Step], outcome: u8, ratings: [Option<u16>; 2]) {
        let mut parent = ROOT;
        for (ply, step) in line.iter().enumerate() {
            let index = self.index(Edge {
                position: step.position.0,
                played: Played::default(),
                parent,
                start,
                mv: step.mv,
                ply: ply as u8,
            });
            self.edges[index as usize]
                .played
                .count(outcome, ratings[ply % 2]);
            parent = index;
        }
    }

    /// The index of the edge with the key of this one, which is added if it is new.
    fn index(&mut self, edge: Edge) -> u32 {
        *self.by_key.entry(edge.key()).or_insert_with(|| {
            self.edges.push(edge);
            self.edges.len() as u32 - 1
        })
    }

    /// Adds another tree, whose starts have these indices here.
    pub fn absorb(&mut self, other: &Tree, starts: &[u32]) {
        let mut indices: Vec<u32> = Vec::with_capacity(other.edges.len());
        // A parent comes before its children, so it has been added.
        for edge in &other.edges {
            let index = self.index(Edge {
                played: Played::default(),
                parent: indices
                    .get(edge.parent as usize)
                    .map_or(ROOT, |&index| index),
                start: starts[edge.start as usize],
                ..*edge
            });
            self.edges[index as usize].played.add(&edge.played);
            indices.push(index);
        }
    }

    /// The games that reached each position with an edge of enough games, and went on.
    fn reached(&self, rows: &[u32]) -> FxHashMap<(u64, u64), u64> {
        let nodes = rows.iter().map(|&row| (self.edges[row as usize].node(), 0));
        let mut reached: FxHashMap<_, u64> = nodes.collect();
        for edge in &self.edges {
            if let Some(games) = reached.get_mut(&edge.node()) {
                *games += edge.played.games();
            }
        }
        reached
    }
}

/// Writes a row for each edge with enough games.
pub fn write_rows(tree: &Tree, starts: &[Start], options: &Options, path: &Path) -> io::Result<()> {
    let edges = &tree.edges;
    let rows = (0..edges.len() as u32)
        .filter(|&row| edges[row as usize].played.games() >= options.min_games);
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable_by_key(|&row| {
        let edge = &edges[row as usize];
        let start = starts[edge.start as usize].number();
        (
            start,
            edge.ply,
            edge.position,
            Reverse(edge.played.games()),
            packed(edge.mv),
        )
    });
    let reached = tree.reached(&rows);
    let mut out = File::create(path)?;
    out.write_all(HEADER)?;
    let format = |rows: &[u32]| {
        let mut writer = RowWriter::new(tree, starts);
        for &row in rows {
            writer.push(row, &reached);
        }
        writer.out
    };
    let per_thread = rows.len().div_ceil(options.threads as usize).max(1);
    // Rows are formatted a million at a time, so that the text does not take more memory than the tree.
    for some in rows.chunks(1 << 20) {
        let texts: Vec<Vec<u8>> = thread::scope(|scope| {
            let parts = some.chunks(per_thread.min(1 << 19));
            let parts: Vec<_> = parts
                .map(|rows| scope.spawn(move || format(rows)))
                .collect();
            let texts = parts.into_iter().map(|part| part.join().expect("no panic"));
            texts.collect()
        });
        for text in texts {
            out.write_all(&text)?;
        }
    }
    Ok(())
}

const HEADER: &[u8] =
    b"id,back_rank,ply,line,move,games,white_wins,draws,black_wins,unfinished,score,score_low,\
score_high,mover_rating,reached\n";

/// Formats rows, and remembers the positions and lines of the start that it is at.
struct RowWriter<'t> {
    tree: &'t Tree,
    starts: &'t [Start],
    out: Vec<u8>,
    start: u32,
    /// The first two columns.
    prefix: String,
    /// The position after an edge, and where its line is in `lines`.
    after: FxHashMap<u32, (Chess, Range<usize>)>,
    lines: Vec<u8>,
}

impl<'t> RowWriter<'t> {
    fn new(tree: &'t Tree, starts: &'t [Start]) -> RowWriter<'t> {
        RowWriter {
            tree,
            starts,
            out: Vec::new(),
            start: u32::MAX,
            prefix: String::new(),
            after: FxHashMap::default(),
            lines: Vec::new(),
        }
    }

    fn push(&mut self, row: u32, reached: &FxHashMap<(u64, u64), u64>) {
        let edge = &self.tree.edges[row as usize];
        if edge.start != self.start {
            let ids = self.starts[edge.start as usize].ids;
            self.start = edge.start;
            self.prefix = format!("{},{},", id(ids), back_ranks(ids));
            self.after.clear();
            self.lines.clear();
        }
        let (position, line) = self.position_before(edge);
        let out = &mut self.out;
        out.extend_from_slice(self.prefix.as_bytes());
        push_integer(out, u64::from(edge.ply) + 1);
        out.push(b',');
        out.extend_from_slice(&self.lines[line]);
        out.push(b',');
        SanPlus::from_move(position, edge.mv).append_ascii_to(out);
        push_counts(out, &edge.played);
        push_integer(out, reached[&edge.node()]);
        out.push(b'\n');
    }

    /// The position before an edge and the line that leads to it. Each is computed once, from its parent.
    fn position_before(&mut self, edge: &Edge) -> (Chess, Range<usize>) {
        if edge.parent == ROOT {
            let start = &self.starts[edge.start as usize];
            return (start.position.clone(), 0..0);
        }
        if let Some(known) = self.after.get(&edge.parent) {
            return known.clone();
        }
        let last = &self.tree.edges[edge.parent as usize];
        let (mut position, line) = self.position_before(last);
        let begin = self.lines.len();
        self.lines.extend_from_within(line);
        if self.lines.len() > begin {
            self.lines.push(b' ');
        }
        SanPlus::from_move_and_play_unchecked(&mut position, last.mv)
            .append_ascii_to(&mut self.lines);
        let after = (position, begin..self.lines.len());
        self.after.insert(edge.parent, after.clone());
        after
    }
}

/// The columns from `games` to `mover_rating`.
fn push_counts(out: &mut Vec<u8>, played: &Played) {
    out.push(b',');
    push_integer(out, played.games());
    for games in played.outcomes {
        out.push(b',');
        push_integer(out, games.into());
    }
    let [white, draws, black, _] = played.outcomes.map(u64::from);
    let finished = white + draws + black;
    out.push(b',');
    if finished > 0 {
        let points = (2 * white + draws) as f64 / 2.0;
        let (low, high) = wilson(points, finished as f64);
        push_fixed(out, points / finished as f64, 4);
        out.push(b',');
        push_fixed(out, low, 4);
        out.push(b',');
        push_fixed(out, high, 4);
    } else {
        out.extend_from_slice(b",,");
    }
    out.push(b',');
    if played.rated > 0 {
        push_fixed(out, played.ratings as f64 / f64::from(played.rated), 0);
    }
    out.push(b',');
}
