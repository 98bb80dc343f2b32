//! The lines that games have begun with, each move checked once.
//!
//! In walk moves as they are written, from a start; out walk the positions they lead to, or that they cannot be played.
//! Games of one opening share its moves: a line that was checked before is found again by all its letters at once, a move in
//! a known position by its own, and nothing is played. How often a line was played is written down where it ends and added up towards its beginning
//! only when it is asked for.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use super::facts::Outcome;
use super::tree::Played;
use crate::chess::{Board, Key, Keys, Move, MoveKind};
use crate::pgn::Castled;
use crate::start::{DoubleNumbering, DoubleStart};

/// So many lines are held; then they are handed over and forgotten. A line takes some 250 bytes.
const MOST_LINES: usize = 1 << 18;

/// The seed of the keys by which transpositions are told; any other would do.
const SEED: u64 = 960;

/// A move as two squares and a promotion, which in a known position is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveCode(pub u16);

/// The lines of many games.
pub struct Lines {
    keys: Box<Keys>,
    nodes: Vec<Node>,
    starts: HashMap<u32, Line, BuildHasherDefault<Mixer>>,
    /// By the line before and the letters of the move.
    moves: HashMap<(Line, u64), Line, BuildHasherDefault<Mixer>>,
    /// By the start and the letters of all moves.
    wholes: HashMap<u128, Line, BuildHasherDefault<Mixer>>,
    /// What these letters are mixed with, so that nobody can write a line which is taken for another.
    salts: [u64; 2],
}

/// A line among [`Lines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line(u32);

struct Node {
    board: Board,
    key: Key,
    before: Line,
    start: u32,
    ply: u32,
    last: MoveCode,
    /// When White and Black castled.
    castled: [Option<Castled>; 2],
    played: Totals,
}

/// Games that ended a line, with the ratings of both players.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    outcomes: [u64; 4],
    rated: [u64; 2],
    ratings: [u64; 2],
}

/// A move of a line and the games in which it was played.
pub struct Step<'l> {
    /// By [`DoubleNumbering::WhiteFirst`].
    pub start: u32,
    /// From 1.
    pub ply: u32,
    /// The position in which it was played, and the moves that led there.
    pub position: Key,
    pub line: &'l [MoveCode],
    pub code: MoveCode,
    pub played: Played,
}

impl MoveCode {
    pub fn of(mv: Move) -> MoveCode {
        let promotion = match mv.kind {
            MoveKind::Promotion(role) => 1 + role as u16,
            _ => 0,
        };
        MoveCode(mv.from.index() as u16 | (mv.to.index() as u16) << 6 | promotion << 12)
    }

    /// The legal move of this position that it stands for.
    pub fn in_position(self, board: &Board) -> Option<Move> {
        let mut moves = board.legal_moves().into_iter();
        moves.find(|&mv| MoveCode::of(mv) == self)
    }
}

impl Lines {
    pub fn new() -> Lines {
        Lines {
            keys: Keys::new(SEED),
            nodes: Vec::new(),
            starts: HashMap::default(),
            moves: HashMap::default(),
            wholes: HashMap::default(),
            salts: [0, 1].map(|lane| RandomState::new().hash_one(lane)),
        }
    }

    /// Whether it is time to hand over what is there.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= MOST_LINES
    }

    /// The line of no moves from a start.
    pub fn of_start(&mut self, start: DoubleStart) -> Line {
        let number = DoubleNumbering::WhiteFirst.number(start);
        if let Some(&line) = self.starts.get(&number) {
            return line;
        }
        let board = Board::from_double_start(start);
        let line = self.push(Node {
            key: self.keys.of(&board),
            board,
            before: Line(u32::MAX),
            start: number,
            ply: 0,
            last: MoveCode(0),
            castled: [None; 2],
            played: Totals::default(),
        });
        self.starts.insert(number, line);
        line
    }

    /// The line of these moves from a start; `None` if one of them is not legal.
    pub fn along(&mut self, start: DoubleStart, moves: &[&[u8]]) -> Option<Line> {
        let whole = self.mix(start, moves)?;
        if let Some(&known) = self.wholes.get(&whole) {
            return Some(known);
        }
        let mut line = self.of_start(start);
        for text in moves {
            line = self.after(line, text)?;
        }
        self.wholes.insert(whole, line);
        Some(line)
    }

    /// 128 bits that tell a line from every other.
    fn mix(&self, start: DoubleStart, moves: &[&[u8]]) -> Option<u128> {
        let number = u64::from(DoubleNumbering::WhiteFirst.number(start));
        let [mut one, mut other] = self.salts.map(Mixer);
        one.write_u64(number);
        other.write_u64(number);
        for text in moves {
            let letters = letters(text)?;
            one.write_u64(letters);
            other.write_u64(letters.rotate_left(32));
        }
        Some(u128::from(one.0) << 64 | u128::from(other.0))
    }

    /// The line with one more move; `None` if it is not legal there.
    fn after(&mut self, line: Line, text: &[u8]) -> Option<Line> {
        let letters = letters(text)?;
        if let Some(&known) = self.moves.get(&(line, letters)) {
            return Some(known);
        }
        let node = self.node(line);
        let mv = read_move(&node.board, text)?;
        let board = node.board.play(mv);
        let ply = node.ply + 1;
        let mut castled = node.castled;
        note_castling(mv, ply, &mut castled);
        let after = Node {
            key: self.keys.step(node.key, &node.board, &board),
            board,
            before: line,
            start: node.start,
            ply,
            last: MoveCode::of(mv),
            castled,
            played: Totals::default(),
        };
        let after = self.push(after);
        self.moves.insert((line, letters), after);
        Some(after)
    }

    /// The position after a line.
    pub fn board(&self, line: Line) -> &Board {
        &self.node(line).board
    }

    /// When White and Black castled in a line.
    pub fn castled(&self, line: Line) -> [Option<Castled>; 2] {
        self.node(line).castled
    }

    /// Writes down a game that went this way.
    pub fn count(&mut self, line: Line, outcome: Outcome, ratings: [Option<u16>; 2]) {
        let played = &mut self.nodes[line.0 as usize].played;
        played.outcomes[outcome as usize] += 1;
        for (player, rating) in ratings.iter().enumerate() {
            if let Some(rating) = rating {
                played.rated[player] += 1;
                played.ratings[player] += u64::from(*rating);
            }
        }
    }

    /// Hands over every move of every line, and forgets them.
    pub fn drain(&mut self, mut visit: impl FnMut(Step)) {
        // A line is pushed after the line before it.
        for index in (0..self.nodes.len()).rev() {
            let Node { before, played, .. } = self.nodes[index];
            if let Some(before) = self.nodes.get_mut(before.0 as usize) {
                before.played.add(&played);
            }
        }
        let mut line = Vec::new();
        for node in self.nodes.iter().filter(|node| node.ply > 0) {
            self.write_line(node.before, &mut line);
            let mover = (node.ply as usize + 1) % 2;
            visit(Step {
                start: node.start,
                ply: node.ply,
                position: self.node(node.before).key,
                line: &line,
                code: node.last,
                played: Played {
                    outcomes: node.played.outcomes,
                    rated: node.played.rated[mover],
                    ratings: node.played.ratings[mover],
                },
            });
        }
        self.nodes.clear();
        self.starts.clear();
        self.moves.clear();
        self.wholes.clear();
    }

    fn write_line(&self, mut line: Line, moves: &mut Vec<MoveCode>) {
        moves.clear();
        while self.node(line).ply > 0 {
            moves.push(self.node(line).last);
            line = self.node(line).before;
        }
        moves.reverse();
    }

    fn node(&self, line: Line) -> &Node {
        &self.nodes[line.0 as usize]
    }

    fn push(&mut self, node: Node) -> Line {
        self.nodes.push(node);
        Line(self.nodes.len() as u32 - 1)
    }
}

impl Totals {
    fn add(&mut self, other: &Totals) {
        let sum = |here: &mut [u64], there: &[u64]| {
            for (here, there) in here.iter_mut().zip(there) {
                *here += there;
            }
        };
        sum(&mut self.outcomes, &other.outcomes);
        sum(&mut self.rated, &other.rated);
        sum(&mut self.ratings, &other.ratings);
    }
}

/// The legal move that a text stands for, as players write it or as engines do.
pub fn read_move(board: &Board, text: &[u8]) -> Option<Move> {
    let text = str::from_utf8(text).ok()?;
    let mv = board.parse_san(text).or_else(|_| board.parse_uci(text));
    mv.ok()
}

/// Writes down a move that castles.
pub fn note_castling(mv: Move, ply: u32, castled: &mut [Option<Castled>; 2]) {
    if mv.kind == MoveKind::Castling {
        let is_h_side = mv.to.file() > mv.from.file();
        castled[(ply as usize + 1) % 2].get_or_insert(Castled { ply, is_h_side });
    }
}

/// Whether a move is written as engines write it, two squares and perhaps a promotion.
pub fn is_written_by_engine(text: &[u8]) -> bool {
    matches!(
        text,
        [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8']
            | [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', b'a'..=b'z' | b'A'..=b'Z']
    )
}

/// The letters of a move as one number; no move has more than eight.
fn letters(text: &[u8]) -> Option<u64> {
    let mut letters = [0; 8];
    letters.get_mut(..text.len())?.copy_from_slice(text);
    Some(u64::from_le_bytes(letters))
}

/// Mixes what maps are keyed by that hold only what legal moves lead to, so that nobody can choose keys that collide.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }

    fn write_u64(&mut self, number: u64) {
        // An odd number without a pattern: the golden ratio.
        const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
        let product = u128::from(self.0 ^ number) * FACTOR;
        self.0 = (product ^ product >> 64) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;

    #[test]
    fn lines_add_up_to_their_beginning() {
        let mut lines = Lines::new();
        let start = lines.of_start(StartId::CLASSICAL.into());
        let e4 = lines.after(start, b"e4").unwrap();
        let e5 = lines.after(e4, b"e5").unwrap();
        assert_eq!(lines.after(start, b"e4"), Some(e4));
        assert_eq!(lines.after(start, b"e5"), None);
        assert_eq!(lines.after(start, b"Ng1-f3xx9"), None);
        for _ in 0..2 {
            assert_eq!(
                lines.along(StartId::CLASSICAL.into(), &[b"e4", b"e5"]),
                Some(e5)
            );
            assert_eq!(
                lines.along(StartId::CLASSICAL.into(), &[b"e4", b"e4"]),
                None
            );
        }
        lines.count(e5, Outcome::WhiteWins, [Some(2000), Some(1000)]);
        lines.count(e4, Outcome::Draw, [Some(1000), None]);
        let mut steps = Vec::new();
        lines.drain(|step| {
            let Played {
                outcomes,
                rated,
                ratings,
            } = step.played;
            steps.push((step.ply, step.line.len(), outcomes, rated, ratings));
        });
        assert_eq!(
            steps,
            [(1, 0, [1, 1, 0, 0], 2, 3000), (2, 1, [1, 0, 0, 0], 1, 1000)]
        );
        assert_eq!(lines.nodes.len(), 0);
    }

    #[test]
    fn engines_write_castling_as_the_king_taking_its_rook() {
        let mut lines = Lines::new();
        let start = lines.of_start("11".parse::<StartId>().unwrap().into());
        for castling in [&b"O-O"[..], b"0-0", b"f1g1"] {
            let line = lines.after(start, castling).unwrap();
            let [white, black] = lines.castled(line);
            assert_eq!(
                (white.map(|c| (c.ply, c.is_h_side)), black),
                (Some((1, true)), None)
            );
            assert_eq!(lines.node(line).last, MoveCode(5 | 6 << 6));
        }
        assert!(is_written_by_engine(b"f1g1") && is_written_by_engine(b"a7a8q"));
        assert!(!is_written_by_engine(b"Nf3") && !is_written_by_engine(b"Nxe4"));
    }
}
