//! A cache of opening moves as they are written, so that a popular opening is parsed and checked for legality once.
//!
//! The cache takes the texts of a game's first moves and returns the legal moves that they stand for. It is a trie in a
//! hash table of fixed size: an entry is a move after the texts before it. A game follows the trie as far as it knows
//! the texts, plays the rest on a board, and adds the first unknown move. So lines that are played again and again
//! become known to their end, while a database of distinct games costs one entry per game and otherwise plain parsing.
//! A new entry replaces the one in its slot, which keeps the cache small enough for a core's own memory.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, RandomState};

use super::fold_hash::{FoldHasher, fold};
use crate::chess::{Board, Move, MoveKind, PackedMove};
use crate::pgn::Castled;
use crate::start::{DoubleNumbering, DoubleStart};

/// The greatest number of plies that a line can have.
pub const MAX_PLIES: usize = 20;

/// The number of entries, at 24 bytes each.
const ENTRIES: usize = 1 << 14;

/// Boards of more starts than this are dropped, which only double starts reach.
const MAX_BOARDS: usize = 1 << 12;

/// Finds the moves of openings.
pub struct LineCache {
    entries: Box<[Entry]>,
    /// Boards by [`DoubleNumbering::WhiteFirst`].
    boards: HashMap<u32, Board, BuildHasherDefault<FoldHasher>>,
    /// Without a random seed, a file could be crafted whose lines collide.
    seed: u64,
}

/// A move of the trie. The path is a hash of the start and of all texts up to this one, and the last text is compared in
/// full: a wrong match takes two paths of the same 64 bits.
#[derive(Clone, Copy)]
struct Entry {
    path: u64,
    text: u64,
    mv: PackedMove,
    castling: Castling,
}

impl Entry {
    /// The text of a move is not empty, so this matches none.
    const EMPTY: Entry = Entry {
        path: 0,
        text: 0,
        mv: PackedMove(0),
        castling: Castling::None,
    };
}

/// Whether a move is castling, and where.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Castling {
    None,
    ASide,
    HSide,
}

/// The first moves of a game, all legal.
pub struct OpeningLine {
    moves: [PackedMove; MAX_PLIES],
    plies: usize,
    /// When and where White and Black castled.
    pub castled: [Option<Castled>; 2],
}

impl OpeningLine {
    /// The moves.
    pub fn moves(&self) -> &[PackedMove] {
        &self.moves[..self.plies]
    }

    fn push(&mut self, mv: PackedMove, castling: Castling) {
        self.moves[self.plies] = mv;
        self.plies += 1;
        if castling != Castling::None {
            let ply = self.plies as u32;
            let is_h_side = castling == Castling::HSide;
            Castled { ply, is_h_side }.record(&mut self.castled);
        }
    }
}

impl LineCache {
    /// An empty cache.
    pub fn new() -> LineCache {
        LineCache {
            entries: vec![Entry::EMPTY; ENTRIES].into(),
            boards: HashMap::default(),
            seed: RandomState::new().hash_one(0),
        }
    }

    /// The moves that these texts stand for, up to [`MAX_PLIES`]; `None` if one of them is not legal.
    pub fn find(&mut self, start: DoubleStart, texts: &[&[u8]]) -> Option<OpeningLine> {
        let number = DoubleNumbering::WhiteFirst.number(start);
        let mut line = OpeningLine {
            moves: [PackedMove(0); MAX_PLIES],
            plies: 0,
            castled: [None; 2],
        };
        let mut path = fold(self.seed ^ u64::from(number));
        for (known, text) in texts.iter().enumerate() {
            let text = text_as_u64(text)?;
            path = fold(path.rotate_left(1) ^ text);
            let entry = &self.entries[path as usize % ENTRIES];
            if entry.path != path || entry.text != text {
                self.play_rest(start, &texts[known..], (path, text), &mut line)?;
                break;
            }
            line.push(entry.mv, entry.castling);
        }
        Some(line)
    }

    /// Plays the texts that follow a known line, and adds the first of them to the cache.
    fn play_rest(
        &mut self,
        start: DoubleStart,
        texts: &[&[u8]],
        (path, text): (u64, u64),
        line: &mut OpeningLine,
    ) -> Option<()> {
        let known = line.plies;
        let mut board = self.board_after(start, line.moves());
        for text in texts {
            let mv = parse_move(&board, text)?;
            line.push(mv.into(), castling(mv));
            board = board.play(mv);
        }
        let mv = line.moves[known];
        let is_castling = line.castled.iter().flatten();
        let castled = is_castling
            .copied()
            .find(|castled| castled.ply as usize == known + 1);
        self.entries[path as usize % ENTRIES] = Entry {
            path,
            text,
            mv,
            castling: match castled {
                None => Castling::None,
                Some(castled) if castled.is_h_side => Castling::HSide,
                Some(_) => Castling::ASide,
            },
        };
        Some(())
    }

    /// The position after a line from a start.
    pub fn board_after(&mut self, start: DoubleStart, moves: &[PackedMove]) -> Board {
        let number = DoubleNumbering::WhiteFirst.number(start);
        if self.boards.len() > MAX_BOARDS {
            self.boards.clear();
        }
        let board = self.boards.entry(number);
        let board = *board.or_insert_with(|| Board::from_double_start(start));
        moves
            .iter()
            .fold(board, |board, mv| board.play(mv.unpack_legal(&board)))
    }
}

fn castling(mv: Move) -> Castling {
    match mv.kind {
        MoveKind::Castling if mv.to.file() > mv.from.file() => Castling::HSide,
        MoveKind::Castling => Castling::ASide,
        _ => Castling::None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::StartId;

    fn find(cache: &mut LineCache, start: usize, moves: &str) -> Option<OpeningLine> {
        let texts: Vec<&[u8]> = moves.split(' ').map(str::as_bytes).collect();
        cache.find(StartId::from_index(start).unwrap().into(), &texts)
    }

    #[test]
    fn a_line_is_the_same_however_much_of_it_is_cached() {
        let mut cache = LineCache::new();
        let start = StartId::CLASSICAL.into();
        for _ in 0..8 {
            let line = find(&mut cache, 518, "e4 e5 Nf3 g8f6 Bc4 Be7").unwrap();
            let after = cache.board_after(start, line.moves());
            assert_eq!(
                after.x_fen(),
                "rnbqk2r/ppppbppp/5n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
            );
            for illegal in ["e4 e4", "e5", "Ng1-f3xx9", "e4 e5 e4", "e4 e5 Nf3 Nf3"] {
                assert!(find(&mut cache, 518, illegal).is_none(), "{illegal}");
            }
        }
    }

    #[test]
    fn castling_is_recognised_in_san_and_as_king_takes_rook() {
        let mut cache = LineCache::new();
        let h_side = |ply| {
            Some(Castled {
                ply,
                is_h_side: true,
            })
        };
        for _ in 0..8 {
            // RKNBBNRQ is another start than 518, so the two do not share entries.
            for moves in ["e4 e5 Nf3 Nf6 Be2 Be7 O-O", "e4 e5 Nf3 Nf6 Be2 Be7 e1h1"] {
                let line = find(&mut cache, 518, moves).unwrap();
                assert_eq!(line.castled, [h_side(7), None], "{moves}");
            }
            let line = find(&mut cache, 518, "e4 e5 Nf3 Nf6 Be2 Be7 d3 O-O").unwrap();
            assert_eq!(line.castled, [None, h_side(8)]);
        }
    }

    #[test]
    fn texts_of_every_length_are_different_numbers() {
        let texts = [
            "", "e", "e4", "Nf3", "Nbd2", "Nbxd2", "Nb1d2x", "e7xd8=Q", "e7-e8=QQ",
        ];
        let mut numbers: Vec<u64> = texts
            .iter()
            .map(|text| text_as_u64(text.as_bytes()).unwrap())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), texts.len());
        assert_eq!(text_as_u64(b"123456789"), None);
    }
}
