//! A cache of the opening lines that games begin with, so that each line is checked for legality once.
//!
//! Most games share their first moves with other games. The cache finds a line by the texts of all its moves at once, and
//! plays the moves only if the line is new. Games are counted per line. [`OpeningCache::drain_moves`] turns these counts
//! into counts per move: it visits the sorted lines like a trie, where lines with a common beginning are neighbours.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use super::move_tally::MoveTally;
use super::tag_values::GameOutcome;
use crate::chess::{Board, Move, MoveKind, PackedMove, Zobrist, ZobristKey};
use crate::pgn::Castled;
use crate::start::{DoubleNumbering, DoubleStart};

/// The cache is full when its lines have this many moves in all. A line of eight moves takes about 280 bytes.
const MAX_MOVES: usize = 1 << 18;

/// Boards of more starts than this are dropped when the cache is drained, which only double starts reach.
const MAX_BOARDS: usize = 1 << 12;

/// The seed of the Zobrist keys that identify transpositions. Opening trees of earlier runs depend on it.
const SEED: u64 = 960;

/// The opening lines of many games and how often each was played.
pub struct OpeningCache {
    zobrist: Box<Zobrist>,
    /// Board and key of each start, by [`DoubleNumbering::WhiteFirst`].
    starts: HashMap<u32, (Board, ZobristKey), BuildHasherDefault<FoldHasher>>,
    lines: Vec<CachedLine>,
    /// The moves of all lines, one line after the other.
    moves: Vec<PackedMove>,
    /// The position before each of these moves.
    positions: Vec<ZobristKey>,
    /// The lines by a hash of their start and move texts. A line that is written in two notations has two entries.
    by_text: HashMap<u128, LineId, BuildHasherDefault<FoldHasher>>,
    /// Random seeds of these hashes. Without them, a file could be crafted whose lines collide.
    seeds: [u64; 2],
}

/// The index of a line in an [`OpeningCache`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineId(u32);

/// A legal line.
struct CachedLine {
    totals: LineTotals,
    start: u32,
    /// The index of its first move.
    begin: u32,
    plies: u32,
    /// When and where White and Black castled.
    castled: [Option<Castled>; 2],
}

/// Outcomes and ratings of the games of a line. Pairs are White's and Black's.
#[derive(Clone, Copy, Debug, Default)]
struct LineTotals {
    outcomes: [u64; 4],
    rated: [u64; 2],
    ratings: [u64; 2],
}

/// A move of a line and the games in which it was played after the same moves.
pub struct LineMove<'l> {
    /// The start by [`DoubleNumbering::WhiteFirst`].
    pub start: u32,
    /// The ply of the move, from 1.
    pub ply: u32,
    /// The position before the move.
    pub position: ZobristKey,
    /// The moves that lead to the position.
    pub line: &'l [PackedMove],
    /// The move.
    pub mv: PackedMove,
    /// The games.
    pub played: MoveTally,
}

impl OpeningCache {
    /// An empty cache.
    pub fn new() -> OpeningCache {
        OpeningCache {
            zobrist: Zobrist::new(SEED),
            starts: HashMap::default(),
            lines: Vec::new(),
            moves: Vec::new(),
            positions: Vec::new(),
            by_text: HashMap::default(),
            seeds: [0, 1].map(|lane| RandomState::new().hash_one(lane)),
        }
    }

    /// Whether the cache should be drained before the next line.
    pub fn is_full(&self) -> bool {
        self.moves.len() >= MAX_MOVES
    }

    /// Finds or inserts the line of these moves from a start; `None` if one of them is not legal.
    pub fn find_or_insert(&mut self, start: DoubleStart, texts: &[&[u8]]) -> Option<LineId> {
        let hash = self.hash_texts(start, texts)?;
        if let Some(&line) = self.by_text.get(&hash) {
            return Some(line);
        }
        let start = DoubleNumbering::WhiteFirst.number(start);
        let (mut board, mut position) = self.start_position(start)?;
        let mut castled = [None; 2];
        let begin = self.moves.len();
        for (ply, text) in (1..).zip(texts) {
            let Some(mv) = parse_move(&board, text) else {
                self.moves.truncate(begin);
                self.positions.truncate(begin);
                return None;
            };
            record_castling(mv, ply, &mut castled);
            self.moves.push(PackedMove::from(mv));
            self.positions.push(position);
            let after = board.play(mv);
            position = self.zobrist.update(position, &board, &after);
            board = after;
        }
        let line = LineId(self.lines.len() as u32);
        self.lines.push(CachedLine {
            totals: LineTotals::default(),
            start,
            begin: begin as u32,
            plies: texts.len() as u32,
            castled,
        });
        self.by_text.insert(hash, line);
        Some(line)
    }

    /// A hash of a line wide enough to identify it; `None` if a text is too long to be a move.
    fn hash_texts(&self, start: DoubleStart, texts: &[&[u8]]) -> Option<u128> {
        let number = u64::from(DoubleNumbering::WhiteFirst.number(start));
        let [mut high, mut low] = self.seeds.map(FoldHasher);
        high.write_u64(number);
        low.write_u64(number);
        for text in texts {
            let text = text_as_u64(text)?;
            high.write_u64(text);
            low.write_u64(text.rotate_left(32));
        }
        Some(u128::from(high.0) << 64 | u128::from(low.0))
    }

    /// The board of a start and its key.
    fn start_position(&mut self, number: u32) -> Option<(Board, ZobristKey)> {
        if let Some(&position) = self.starts.get(&number) {
            return Some(position);
        }
        let start = DoubleNumbering::WhiteFirst.double_start(number).ok()?;
        let board = Board::from_double_start(start);
        let position = (board, self.zobrist.of(&board));
        self.starts.insert(number, position);
        Some(position)
    }

    /// The position after a line.
    pub fn board(&self, line: LineId) -> Board {
        let line = &self.lines[line.0 as usize];
        let moves = self.moves_of(line).iter();
        moves.fold(self.starts[&line.start].0, |board, mv| {
            board.play(mv.unpack_legal(&board))
        })
    }

    /// When and where White and Black castled in a line.
    pub fn castled(&self, line: LineId) -> [Option<Castled>; 2] {
        self.lines[line.0 as usize].castled
    }

    /// Counts a game that began with a line.
    pub fn count(&mut self, line: LineId, outcome: GameOutcome, ratings: [Option<u16>; 2]) {
        let totals = &mut self.lines[line.0 as usize].totals;
        totals.outcomes[outcome as usize] += 1;
        for (player, rating) in ratings.iter().enumerate() {
            if let Some(rating) = rating {
                totals.rated[player] += 1;
                totals.ratings[player] += u64::from(*rating);
            }
        }
    }

    /// Visits every move of the first `max_plies` of all lines, with the sum of the games in which it was played, and
    /// removes the lines. The moves of a start are visited together, in the order of the starts.
    pub fn drain_moves(&mut self, max_plies: usize, mut visit: impl FnMut(LineMove)) {
        let mut traversal = TrieTraversal::new();
        for line in self.sorted() {
            let moves = self.moves_of(line);
            let plies = moves.len().min(max_plies);
            if traversal.start != line.start {
                traversal.ascend_to(0, &mut visit);
                traversal.set_start(line.start);
            }
            let positions = &self.positions[line.begin as usize..];
            traversal.descend_to(&moves[..plies], &positions[..plies], &mut visit);
            traversal.count(&line.totals);
        }
        traversal.ascend_to(0, &mut visit);
        self.lines.clear();
        self.moves.clear();
        self.positions.clear();
        if self.starts.len() > MAX_BOARDS {
            self.starts.clear();
        }
        self.by_text.clear();
    }

    /// The lines in the order of their starts and moves.
    fn sorted(&self) -> impl Iterator<Item = &CachedLine> {
        // The first eight moves in one integer: a single comparison decides the order of nearly all pairs.
        let first_moves = |line: &CachedLine| {
            let moves = self.moves_of(line).iter().take(8).enumerate();
            moves.fold(0_u128, |number, (ply, mv)| {
                number | u128::from(mv.0) << (112 - 16 * ply)
            })
        };
        let keyed = self.lines.iter();
        let mut keyed: Vec<_> = keyed
            .map(|line| (line.start, first_moves(line), line))
            .collect();
        keyed.sort_unstable_by(|a, b| {
            (a.0, a.1)
                .cmp(&(b.0, b.1))
                .then_with(|| self.moves_of(a.2).cmp(self.moves_of(b.2)))
        });
        keyed.into_iter().map(|(_, _, line)| line)
    }

    fn moves_of(&self, line: &CachedLine) -> &[PackedMove] {
        &self.moves[line.begin as usize..][..line.plies as usize]
    }
}

/// A depth-first traversal of the trie that the sorted lines form. A move is visited after all moves below it, when its
/// sum is complete.
struct TrieTraversal {
    start: u32,
    /// The path from the root to the current node.
    moves: Vec<PackedMove>,
    /// The positions before these moves.
    positions: Vec<ZobristKey>,
    /// The games below each node of the path that have been summed so far, the root first.
    totals: Vec<LineTotals>,
}

impl TrieTraversal {
    fn new() -> TrieTraversal {
        TrieTraversal {
            start: u32::MAX,
            moves: Vec::new(),
            positions: Vec::new(),
            totals: vec![LineTotals::default()],
        }
    }

    fn set_start(&mut self, start: u32) {
        self.start = start;
        self.totals.clear();
        self.totals.push(LineTotals::default());
    }

    /// Moves to the node of a line: up to the common prefix, then down.
    fn descend_to(
        &mut self,
        line: &[PackedMove],
        positions: &[ZobristKey],
        visit: &mut impl FnMut(LineMove),
    ) {
        let pairs = self.moves.iter().zip(line);
        let common = pairs.take_while(|(here, there)| here == there).count();
        self.ascend_to(common, visit);
        self.moves.extend(&line[common..]);
        self.positions.extend(&positions[common..]);
        self.totals.resize(line.len() + 1, LineTotals::default());
    }

    /// Adds the games of a line that ends at the current node.
    fn count(&mut self, totals: &LineTotals) {
        self.totals[self.moves.len()].add(totals);
    }

    /// Visits the moves of the path from the end until `plies` are left.
    fn ascend_to(&mut self, plies: usize, visit: &mut impl FnMut(LineMove)) {
        while self.moves.len() > plies
            && let Some(totals) = self.totals.pop()
            && let Some(mv) = self.moves.pop()
            && let Some(position) = self.positions.pop()
        {
            let before = self.moves.len();
            let mover = before % 2;
            visit(LineMove {
                start: self.start,
                ply: before as u32 + 1,
                position,
                line: &self.moves,
                mv,
                played: MoveTally {
                    outcomes: totals.outcomes,
                    rated: totals.rated[mover],
                    ratings: totals.ratings[mover],
                },
            });
            self.totals[before].add(&totals);
        }
    }
}

impl LineTotals {
    fn add(&mut self, other: &LineTotals) {
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

/// Parses a move of a PGN file; `None` if it is not legal.
pub fn parse_move(board: &Board, text: &[u8]) -> Option<Move> {
    // A copy, because the text of a mapped file may change after it was found to be valid UTF-8. Longer text is no move.
    let mut copy = [0; 16];
    let copy = copy.get_mut(..text.len())?;
    copy.copy_from_slice(text);
    board.parse_san_or_uci(str::from_utf8(copy).ok()?).ok()
}

/// Records a move if it is castling.
pub fn record_castling(mv: Move, ply: u32, castled: &mut [Option<Castled>; 2]) {
    if mv.kind == MoveKind::Castling {
        let is_h_side = mv.to.file() > mv.from.file();
        Castled { ply, is_h_side }.record(castled);
    }
}

/// Whether a move is written as in UCI: two squares and an optional promotion.
pub fn is_uci_notation(text: &[u8]) -> bool {
    matches!(
        text,
        [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8']
            | [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', b'a'..=b'z' | b'A'..=b'Z']
    )
}

/// The text of a move as an integer; `None` for more than eight bytes, which no move has.
fn text_as_u64(text: &[u8]) -> Option<u64> {
    let word = |bytes: [u8; 4]| u64::from(u32::from_le_bytes(bytes));
    Some(match *text {
        [] => 0,
        [a] => word([a, 0, 0, 0]),
        [a, b] => word([a, b, 0, 0]),
        [a, b, c] => word([a, b, c, 0]),
        // The first four bytes and the last four, which may overlap.
        [a, b, c, d, ..] if text.len() <= 8 => {
            let last = text.last_chunk::<4>()?;
            word([a, b, c, d]) | word(*last) << (8 * (text.len() - 4))
        }
        _ => return None,
    })
}

/// A fast hasher by folded multiplication, for maps whose keys an attacker cannot choose.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoldHasher(u64);

impl Hasher for FoldHasher {
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
        // 2^64 divided by the golden ratio: odd, and without a pattern in its bits.
        const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
        let product = u128::from(self.0 ^ number) * FACTOR;
        self.0 = (product ^ product >> 64) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;

    fn insert(cache: &mut OpeningCache, start: usize, moves: &str) -> Option<LineId> {
        let texts: Vec<&[u8]> = moves.split(' ').map(str::as_bytes).collect();
        cache.find_or_insert(StartId::from_index(start).unwrap().into(), &texts)
    }

    #[test]
    fn drained_moves_sum_the_games_of_all_lines_through_them() {
        let mut cache = OpeningCache::new();
        for _ in 0..2 {
            let e5 = insert(&mut cache, 518, "e4 e5").unwrap();
            assert_eq!(insert(&mut cache, 518, "e4 e5"), Some(e5));
            for illegal in ["e4 e4", "e5", "Ng1-f3xx9", "e4 e5 e4"] {
                assert_eq!(insert(&mut cache, 518, illegal), None, "{illegal}");
            }
            let e4 = insert(&mut cache, 518, "e4").unwrap();
            // The same line in another notation.
            let again = insert(&mut cache, 518, "e2e4 e7-e5").unwrap();
            cache.count(e5, GameOutcome::WhiteWins, [Some(2000), Some(1000)]);
            cache.count(e4, GameOutcome::Draw, [Some(1000), None]);
            cache.count(again, GameOutcome::WhiteWins, [None, None]);
            let mut visits = Vec::new();
            cache.drain_moves(8, |visited| {
                let MoveTally {
                    outcomes,
                    rated,
                    ratings,
                } = visited.played;
                visits.push((visited.ply, visited.line.len(), outcomes, rated, ratings));
            });
            assert_eq!(
                visits,
                [(2, 1, [2, 0, 0, 0], 1, 1000), (1, 0, [2, 1, 0, 0], 2, 3000)]
            );
            assert!(cache.lines.is_empty() && !cache.is_full());
        }
    }

    #[test]
    fn keys_and_boards_match_the_replayed_moves() {
        let games = [
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O d6 c3 Nf6",
            "e4 a6 e5 d5 exd6 h6 dxc7 g6 cxb8=N",
            "e4 a6 e5 d5 exd6 h6 dxc7 g6 cxb8=Q",
            "e4 a6 e5 d5 exd6 h6 dxc7 g6 cxb8=N Rxb8",
            "Nf3 e5 e4",
        ];
        let zobrist = Zobrist::new(SEED);
        let mut cache = OpeningCache::new();
        for game in games {
            let line = insert(&mut cache, 518, game).unwrap();
            cache.count(line, GameOutcome::Draw, [None; 2]);
            let texts = game.split(' ');
            let board = texts.fold(Board::from_start(StartId::CLASSICAL), |board, text| {
                board.play(board.parse_san(text).unwrap())
            });
            assert_eq!(cache.board(line), board);
        }
        let mut visits = 0;
        cache.drain_moves(20, |visited| {
            let before = Board::from_start(StartId::CLASSICAL);
            let before = visited
                .line
                .iter()
                .fold(before, |board, mv| board.play(mv.find_in(&board).unwrap()));
            assert_eq!(visited.position, zobrist.of(&before));
            assert!(visited.mv.find_in(&before).is_some());
            visits += 1;
        });
        // Ten moves, eight more after the shared 1. e4, the other promotion, the capture of the knight, and three.
        assert_eq!(visits, 10 + 8 + 1 + 1 + 3);
    }

    #[test]
    fn draining_one_ply_merges_longer_lines_into_first_moves() {
        let mut cache = OpeningCache::new();
        for (start, game) in [(0, "e4 e5"), (518, "e4 e5"), (518, "e4 c5"), (518, "d4")] {
            let line = insert(&mut cache, start, game).unwrap();
            cache.count(line, GameOutcome::Draw, [None; 2]);
        }
        let mut visits = Vec::new();
        cache.drain_moves(1, |visited| {
            visits.push((visited.start, visited.played.games()));
        });
        visits.sort();
        let classical = DoubleNumbering::WhiteFirst.number(StartId::CLASSICAL.into());
        assert_eq!(visits, [(0, 1), (classical, 1), (classical, 2)]);
    }

    #[test]
    fn move_texts_of_up_to_eight_bytes_become_distinct_integers() {
        assert_eq!(text_as_u64(b""), Some(0));
        assert_eq!(
            text_as_u64(b"O-O-O+ee"),
            Some(u64::from_le_bytes(*b"O-O-O+ee"))
        );
        assert_eq!(text_as_u64(b"Ng1-f3xx9"), None);
        for length in 1..=8 {
            let mut bytes = [0; 8];
            bytes[..length].copy_from_slice(&b"abcdefgh"[..length]);
            assert_eq!(
                text_as_u64(&bytes[..length]),
                Some(u64::from_le_bytes(bytes))
            );
        }
    }

    #[test]
    fn castling_is_recognised_in_san_and_as_king_takes_rook() {
        let mut cache = OpeningCache::new();
        for castling in ["O-O", "0-0", "f1g1"] {
            let line = insert(&mut cache, 11, castling).unwrap();
            let [white, black] = cache.castled(line);
            assert_eq!(
                (white.map(|c| (c.ply, c.is_h_side)), black),
                (Some((1, true)), None)
            );
            let cached = &cache.lines[line.0 as usize];
            assert_eq!(cache.moves_of(cached), [PackedMove(5 | 6 << 6)]);
        }
        assert!(is_uci_notation(b"f1g1") && is_uci_notation(b"a7a8q"));
        assert!(!is_uci_notation(b"Nf3") && !is_uci_notation(b"Nxe4"));
    }
}
