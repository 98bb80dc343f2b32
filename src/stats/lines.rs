//! The lines that games have begun with, each checked once.
//!
//! In walk moves as they are written, from a start; out walk the lines they make, or that they cannot be played. Games of one
//! opening share it: a line that was checked before is found again by all its letters at once, and nothing is played. How
//! often it was played is written down with the line, and what that comes to for every move is added up only when it
//! is asked for: along the lines in their order, where those that begin alike stand together.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use super::facts::Outcome;
use super::played::Played;
use crate::chess::{Board, Move, MoveKind, PackedMove, Zobrist, ZobristKey};
use crate::pgn::Castled;
use crate::start::{DoubleNumbering, DoubleStart};

/// Lines of so many moves in all are held; then they are handed over and forgotten. A line of eight takes some 280 bytes.
const MOST_MOVES: usize = 1 << 18;

/// The starts' boards are kept if there are no more of them, which is so but for double starts.
const MOST_STARTS: usize = 1 << 12;

/// The seed of the keys by which transpositions are told; any other would do.
const SEED: u64 = 960;

/// The lines of many games.
pub struct Lines {
    keys: Box<Zobrist>,
    starts: HashMap<u32, (Board, ZobristKey), BuildHasherDefault<Mixer>>,
    lines: Vec<Known>,
    /// The moves of all lines, one line after the other.
    codes: Vec<PackedMove>,
    /// The positions in which they were played.
    positions: Vec<ZobristKey>,
    /// By the start and the letters of all moves. A line that is written in two ways is there twice.
    by_letters: HashMap<u128, Line, BuildHasherDefault<Mixer>>,
    /// What these letters are mixed with, so that nobody can write a line which is taken for another.
    salts: [u64; 2],
}

/// A line among [`Lines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line(u32);

/// A line that was checked.
struct Known {
    played: Totals,
    start: u32,
    /// Where its moves are.
    begin: u32,
    plies: u32,
    /// When White and Black castled.
    castled: [Option<Castled>; 2],
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
    pub position: ZobristKey,
    pub line: &'l [PackedMove],
    pub code: PackedMove,
    pub played: Played,
}

impl Lines {
    pub fn new() -> Lines {
        Lines {
            keys: Zobrist::new(SEED),
            starts: HashMap::default(),
            lines: Vec::new(),
            codes: Vec::new(),
            positions: Vec::new(),
            by_letters: HashMap::default(),
            salts: [0, 1].map(|lane| RandomState::new().hash_one(lane)),
        }
    }

    /// Whether it is time to hand over what is there.
    pub fn is_full(&self) -> bool {
        self.codes.len() >= MOST_MOVES
    }

    /// The line of these moves from a start; `None` if one of them is not legal.
    pub fn along(&mut self, start: DoubleStart, moves: &[&[u8]]) -> Option<Line> {
        let letters = self.mix(start, moves)?;
        if let Some(&known) = self.by_letters.get(&letters) {
            return Some(known);
        }
        let start = DoubleNumbering::WhiteFirst.number(start);
        let (mut board, mut position) = self.begin(start)?;
        let mut castled = [None; 2];
        let begin = self.codes.len();
        for (ply, text) in (1..).zip(moves) {
            let Some(mv) = read_move(&board, text) else {
                self.codes.truncate(begin);
                self.positions.truncate(begin);
                return None;
            };
            record_castling(mv, ply, &mut castled);
            self.codes.push(PackedMove::from(mv));
            self.positions.push(position);
            let after = board.play(mv);
            position = self.keys.update(position, &board, &after);
            board = after;
        }
        let line = Line(self.lines.len() as u32);
        self.lines.push(Known {
            played: Totals::default(),
            start,
            begin: begin as u32,
            plies: moves.len() as u32,
            castled,
        });
        self.by_letters.insert(letters, line);
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

    /// The position that a start is, and its key.
    fn begin(&mut self, number: u32) -> Option<(Board, ZobristKey)> {
        if let Some(&known) = self.starts.get(&number) {
            return Some(known);
        }
        let start = DoubleNumbering::WhiteFirst.double_start(number).ok()?;
        let board = Board::from_double_start(start);
        let known = (board, self.keys.of(&board));
        self.starts.insert(number, known);
        Some(known)
    }

    /// The position after a line.
    pub fn board(&self, line: Line) -> Board {
        let line = &self.lines[line.0 as usize];
        let codes = self.codes_of(line).iter();
        codes.fold(self.starts[&line.start].0, |board, code| {
            board.play(code.unpack_legal(&board))
        })
    }

    /// When White and Black castled in a line.
    pub fn castled(&self, line: Line) -> [Option<Castled>; 2] {
        self.lines[line.0 as usize].castled
    }

    /// Writes down a game that went this way.
    pub fn count(&mut self, line: Line, outcome: Outcome, ratings: [Option<u16>; 2]) {
        let played = &mut self.lines[line.0 as usize].played;
        played.outcomes[outcome as usize] += 1;
        for (player, rating) in ratings.iter().enumerate() {
            if let Some(rating) = rating {
                played.rated[player] += 1;
                played.ratings[player] += u64::from(*rating);
            }
        }
    }

    /// Hands over every move of the lines' first `plies` and forgets the lines. The moves of a start come together,
    /// and starts in their order.
    pub fn drain(&mut self, plies: usize, mut visit: impl FnMut(Step)) {
        let mut path = Path::new();
        for line in self.sorted() {
            let codes = self.codes_of(line);
            let plies = codes.len().min(plies);
            if path.start != line.start {
                path.go_back_to(0, &mut visit);
                path.begin(line.start);
            }
            let positions = &self.positions[line.begin as usize..];
            path.go_to(&codes[..plies], &positions[..plies], &mut visit);
            path.count(&line.played);
        }
        path.go_back_to(0, &mut visit);
        self.lines.clear();
        self.codes.clear();
        self.positions.clear();
        if self.starts.len() > MOST_STARTS {
            self.starts.clear();
        }
        self.by_letters.clear();
    }

    /// The lines by start and moves.
    fn sorted(&self) -> impl Iterator<Item = &Known> {
        // The first moves in one number are compared at once, and hardly any two lines are equal in them.
        let first_moves = |line: &Known| {
            let codes = self.codes_of(line).iter().take(8).enumerate();
            codes.fold(0_u128, |number, (ply, code)| {
                number | u128::from(code.0) << (112 - 16 * ply)
            })
        };
        let keyed = self.lines.iter();
        let mut keyed: Vec<_> = keyed
            .map(|line| (line.start, first_moves(line), line))
            .collect();
        keyed.sort_unstable_by(|a, b| {
            (a.0, a.1)
                .cmp(&(b.0, b.1))
                .then_with(|| self.codes_of(a.2).cmp(self.codes_of(b.2)))
        });
        keyed.into_iter().map(|(_, _, line)| line)
    }

    fn codes_of(&self, line: &Known) -> &[PackedMove] {
        &self.codes[line.begin as usize..][..line.plies as usize]
    }
}

/// Where one is on the way through all lines in their order.
struct Path {
    start: u32,
    codes: Vec<PackedMove>,
    /// The positions before these moves.
    positions: Vec<ZobristKey>,
    /// The games that went on from the start and from each move.
    played: Vec<Totals>,
}

impl Path {
    fn new() -> Path {
        Path {
            start: u32::MAX,
            codes: Vec::new(),
            positions: Vec::new(),
            played: vec![Totals::default()],
        }
    }

    fn begin(&mut self, start: u32) {
        self.start = start;
        self.played.clear();
        self.played.push(Totals::default());
    }

    /// Leaves what the line does not share and goes on along it.
    fn go_to(
        &mut self,
        line: &[PackedMove],
        positions: &[ZobristKey],
        visit: &mut impl FnMut(Step),
    ) {
        let pairs = self.codes.iter().zip(line);
        let shared = pairs.take_while(|(here, there)| here == there).count();
        self.go_back_to(shared, visit);
        self.codes.extend(&line[shared..]);
        self.positions.extend(&positions[shared..]);
        self.played.resize(line.len() + 1, Totals::default());
    }

    /// A game ended the line here.
    fn count(&mut self, played: &Totals) {
        self.played[self.codes.len()].add(played);
    }

    fn go_back_to(&mut self, plies: usize, visit: &mut impl FnMut(Step)) {
        while self.codes.len() > plies
            && let Some(played) = self.played.pop()
            && let Some(code) = self.codes.pop()
            && let Some(position) = self.positions.pop()
        {
            let before = self.codes.len();
            let mover = before % 2;
            visit(Step {
                start: self.start,
                ply: before as u32 + 1,
                position,
                line: &self.codes,
                code,
                played: Played {
                    outcomes: played.outcomes,
                    rated: played.rated[mover],
                    ratings: played.ratings[mover],
                },
            });
            self.played[before].add(&played);
        }
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

/// The legal move that a text of a PGN file stands for.
pub fn read_move(board: &Board, text: &[u8]) -> Option<Move> {
    board.parse_san_or_uci(str::from_utf8(text).ok()?).ok()
}

/// Records a move if it castles.
pub fn record_castling(mv: Move, ply: u32, castled: &mut [Option<Castled>; 2]) {
    if mv.kind == MoveKind::Castling {
        let is_h_side = mv.to.file() > mv.from.file();
        Castled { ply, is_h_side }.record(castled);
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
    let word = |bytes: [u8; 4]| u64::from(u32::from_le_bytes(bytes));
    Some(match *text {
        [] => 0,
        [a] => word([a, 0, 0, 0]),
        [a, b] => word([a, b, 0, 0]),
        [a, b, c] => word([a, b, c, 0]),
        // The first four and the last four, which may be in part the same.
        [a, b, c, d, ..] if text.len() <= 8 => {
            let last = text.last_chunk::<4>()?;
            word([a, b, c, d]) | word(*last) << (8 * (text.len() - 4))
        }
        _ => return None,
    })
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

    fn along(lines: &mut Lines, start: usize, moves: &str) -> Option<Line> {
        let moves: Vec<&[u8]> = moves.split(' ').map(str::as_bytes).collect();
        lines.along(StartId::from_index(start).unwrap().into(), &moves)
    }

    #[test]
    fn lines_add_up_to_their_beginning() {
        let mut lines = Lines::new();
        for _ in 0..2 {
            let e5 = along(&mut lines, 518, "e4 e5").unwrap();
            assert_eq!(along(&mut lines, 518, "e4 e5"), Some(e5));
            for illegal in ["e4 e4", "e5", "Ng1-f3xx9", "e4 e5 e4"] {
                assert_eq!(along(&mut lines, 518, illegal), None, "{illegal}");
            }
            let e4 = along(&mut lines, 518, "e4").unwrap();
            // The same line in other letters.
            let again = along(&mut lines, 518, "e2e4 e7-e5").unwrap();
            lines.count(e5, Outcome::WhiteWins, [Some(2000), Some(1000)]);
            lines.count(e4, Outcome::Draw, [Some(1000), None]);
            lines.count(again, Outcome::WhiteWins, [None, None]);
            let mut steps = Vec::new();
            lines.drain(8, |step| {
                let Played {
                    outcomes,
                    rated,
                    ratings,
                } = step.played;
                steps.push((step.ply, step.line.len(), outcomes, rated, ratings));
            });
            assert_eq!(
                steps,
                [(2, 1, [2, 0, 0, 0], 1, 1000), (1, 0, [2, 1, 0, 0], 2, 3000)]
            );
            assert!(lines.lines.is_empty() && !lines.is_full());
        }
    }

    #[test]
    fn positions_are_those_that_the_moves_lead_to() {
        let games = [
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O d6 c3 Nf6",
            "e4 a6 e5 d5 exd6 h6 dxc7 g6 cxb8=N",
            "e4 a6 e5 d5 exd6 h6 dxc7 g6 cxb8=Q",
            "e4 a6 e5 d5 exd6 h6 dxc7 g6 cxb8=N Rxb8",
            "Nf3 e5 e4",
        ];
        let keys = Zobrist::new(SEED);
        let mut lines = Lines::new();
        for game in games {
            let line = along(&mut lines, 518, game).unwrap();
            lines.count(line, Outcome::Draw, [None; 2]);
            let texts = game.split(' ');
            let board = texts.fold(Board::from_start(StartId::CLASSICAL), |board, text| {
                board.play(board.parse_san(text).unwrap())
            });
            assert_eq!(lines.board(line), board);
        }
        let mut steps = 0;
        lines.drain(20, |step| {
            let before = Board::from_start(StartId::CLASSICAL);
            let before = step.line.iter().fold(before, |board, code| {
                board.play(code.find_in(&board).unwrap())
            });
            assert_eq!(step.position, keys.of(&before));
            assert!(step.code.find_in(&before).is_some());
            steps += 1;
        });
        // Ten, eight more that are not 1. e4, one more promotion, the capture after the other one, three: each once.
        assert_eq!(steps, 10 + 8 + 1 + 1 + 3);
    }

    #[test]
    fn fewer_plies_are_handed_over_where_fewer_are_wanted() {
        let mut lines = Lines::new();
        for (start, game) in [(0, "e4 e5"), (518, "e4 e5"), (518, "e4 c5"), (518, "d4")] {
            let line = along(&mut lines, start, game).unwrap();
            lines.count(line, Outcome::Draw, [None; 2]);
        }
        let mut steps = Vec::new();
        lines.drain(1, |step| steps.push((step.start, step.played.games())));
        steps.sort();
        let classical = DoubleNumbering::WhiteFirst.number(StartId::CLASSICAL.into());
        assert_eq!(steps, [(0, 1), (classical, 1), (classical, 2)]);
    }

    #[test]
    fn letters_tell_moves_apart() {
        assert_eq!(letters(b""), Some(0));
        assert_eq!(letters(b"O-O-O+ee"), Some(u64::from_le_bytes(*b"O-O-O+ee")));
        assert_eq!(letters(b"Ng1-f3xx9"), None);
        for length in 1..=8 {
            let mut bytes = [0; 8];
            bytes[..length].copy_from_slice(&b"abcdefgh"[..length]);
            assert_eq!(letters(&bytes[..length]), Some(u64::from_le_bytes(bytes)));
        }
    }

    #[test]
    fn engines_write_castling_as_the_king_taking_its_rook() {
        let mut lines = Lines::new();
        for castling in ["O-O", "0-0", "f1g1"] {
            let line = along(&mut lines, 11, castling).unwrap();
            let [white, black] = lines.castled(line);
            assert_eq!(
                (white.map(|c| (c.ply, c.is_h_side)), black),
                (Some((1, true)), None)
            );
            let known = &lines.lines[line.0 as usize];
            assert_eq!(lines.codes_of(known), [PackedMove(5 | 6 << 6)]);
        }
        assert!(is_written_by_engine(b"f1g1") && is_written_by_engine(b"a7a8q"));
        assert!(!is_written_by_engine(b"Nf3") && !is_written_by_engine(b"Nxe4"));
    }
}
