//! Stockfish's network, asked without Stockfish: what it says of a position at rest.
//!
//! A file that Stockfish 15.1 wrote (`export_net FILE`) walks in, and centipawns for the side to move walk out, a
//! hundred times as fast as over UCI. The file's layout and the arithmetic are those of Stockfish's `src/nnue`:
//! a piece's place, seen from a king's, adds a column of 1024 numbers to what either player sees; the products of their
//! halves go through three small layers, of which there are eight, by the number of pieces.

use std::fs;
use std::io;
use std::sync::Arc;

use ninesixty::chess::{Bitboard, Board, Color, Role, Square};
use ninesixty::search::evaluation::Judge;

const SEEN: usize = 1024;
const HALF: usize = SEEN / 2;
/// The places of pieces of all kinds, the kings being one, for each place of the own king.
const PLACES: usize = 11 * 64;
const INPUTS: usize = 32 * PLACES;
const BUCKETS: usize = 8;

/// Outputs of the first small layer, the last of which goes straight to the end.
const FIRST: usize = 16;
const SECOND: usize = 32;

pub struct Teacher {
    weights: Arc<Weights>,
    /// What White and Black saw of the position before: mostly it was a similar one.
    views: [Option<Box<View>>; 2],
}

struct Weights {
    biases: Vec<i16>,
    columns: Vec<i16>,
    material: Vec<i32>,
    stacks: Vec<Stack>,
}

/// The small layers for some number of pieces.
struct Stack {
    first_biases: Vec<i32>,
    first: Vec<i8>,
    second_biases: Vec<i32>,
    second: Vec<i8>,
    last_bias: i32,
    last: Vec<i8>,
}

/// What one player sees of a position.
struct View {
    /// Where the own king stands, and by owner and role all pieces.
    king: Square,
    pieces: [[Bitboard; 6]; 2],
    seen: [i16; SEEN],
    material: [i32; BUCKETS],
}

impl Teacher {
    pub fn read(path: &str) -> io::Result<Teacher> {
        let read = fs::read(path).and_then(|bytes| Teacher::parse(&bytes));
        read.map_err(|error| {
            io::Error::other(format!(
                "{path} is not a network that Stockfish 15.1 wrote: {error}"
            ))
        })
    }

    fn parse(bytes: &[u8]) -> io::Result<Teacher> {
        let mut reader = Reader { rest: bytes };
        reader.take(8)?;
        let description = reader.numbers(1, u32::from_le_bytes)?[0];
        reader.take(description as usize + 4)?;
        let weights = Weights {
            biases: reader.numbers(SEEN, i16::from_le_bytes)?,
            columns: reader.numbers(SEEN * INPUTS, i16::from_le_bytes)?,
            material: reader.numbers(BUCKETS * INPUTS, i32::from_le_bytes)?,
            stacks: (0..BUCKETS)
                .map(|_| Stack::read(&mut reader))
                .collect::<io::Result<_>>()?,
        };
        if reader.rest.is_empty() {
            Ok(Teacher {
                weights: Arc::new(weights),
                views: [None, None],
            })
        } else {
            Err(io::Error::other("it is too long"))
        }
    }

    /// Another one, for another thread.
    pub fn twin(&self) -> Teacher {
        Teacher {
            weights: Arc::clone(&self.weights),
            views: [None, None],
        }
    }

    /// Centipawns for the side to move, as Stockfish counts them.
    pub fn centipawns(&mut self, board: &Board) -> i32 {
        let pieces: i32 = [
            (Role::Knight, 781),
            (Role::Bishop, 825),
            (Role::Rook, 1276),
            (Role::Queen, 2538),
        ]
        .map(|(role, worth)| worth * board.with_role(role).count() as i32)
        .iter()
        .sum();
        let scale = 1076 + 96 * pieces / 5120;
        let value = self.output(board) * scale / 1024 * 200 / 214;
        value * 100 / 361
    }

    /// What comes out of the network, in its own units.
    fn output(&mut self, board: &Board) -> i32 {
        let bucket = (board.occupied().count() as usize - 1) / 4;
        let views = [board.turn(), !board.turn()].map(|color| self.look(board, color));
        let mut halves = [0u8; SEEN];
        for (view, out) in views.iter().zip(halves.chunks_mut(HALF)) {
            let (low, high) = view.seen.split_at(HALF);
            for ((out, &a), &b) in out.iter_mut().zip(low).zip(high) {
                *out = (i32::from(a.clamp(0, 127)) * i32::from(b.clamp(0, 127)) / 128) as u8;
            }
        }
        let material = (views[0].material[bucket] - views[1].material[bucket]) / 2;
        let [own, enemy] = views.map(Some);
        self.views = match board.turn() {
            Color::White => [own, enemy],
            Color::Black => [enemy, own],
        };
        (material + self.weights.stacks[bucket].value(&halves)) / 16
    }

    /// What a player sees: as in the last position but for the pieces that have moved, unless the own king has.
    fn look(&mut self, board: &Board, color: Color) -> Box<View> {
        let king = board.king_of(color);
        let before = self.views[color as usize].take();
        let mut view = before.filter(|view| view.king == king).unwrap_or_else(|| {
            Box::new(View {
                king,
                pieces: [[Bitboard::EMPTY; 6]; 2],
                seen: self.weights.biases[..]
                    .try_into()
                    .expect("there are so many"),
                material: [0; BUCKETS],
            })
        });
        let turned =
            if color == Color::White { 0 } else { 56 } ^ if king.file() < 4 { 7 } else { 0 };
        let king = king.index() ^ turned;
        let king_place = (7 - king / 8) * 4 + 7 - king % 8;
        for owner in Color::BOTH {
            for role in Role::ALL {
                let kind = match role {
                    Role::King => 10,
                    _ => 2 * role as usize + usize::from(owner != color),
                };
                let now = board.with_role(role) & board.pieces_of(owner);
                let before =
                    std::mem::replace(&mut view.pieces[owner as usize][role as usize], now);
                for square in before ^ now {
                    let place = king_place * PLACES + kind * 64 + (square.index() ^ turned);
                    view.count(&self.weights, place, if now.has(square) { 1 } else { -1 });
                }
            }
        }
        view
    }
}

impl Judge for Teacher {
    fn value(&mut self, board: &Board) -> i32 {
        self.centipawns(board)
    }
}

impl View {
    /// A piece comes or goes.
    fn count(&mut self, weights: &Weights, place: usize, times: i16) {
        let column = &weights.columns[place * SEEN..][..SEEN];
        for (sum, weight) in self.seen.iter_mut().zip(column) {
            *sum = sum.wrapping_add(weight.wrapping_mul(times));
        }
        let material = &weights.material[place * BUCKETS..][..BUCKETS];
        for (sum, weight) in self.material.iter_mut().zip(material) {
            *sum += weight * i32::from(times);
        }
    }
}

impl Stack {
    fn read(reader: &mut Reader) -> io::Result<Stack> {
        reader.take(4)?;
        Ok(Stack {
            first_biases: reader.numbers(FIRST, i32::from_le_bytes)?,
            first: reader.numbers(FIRST * SEEN, i8::from_le_bytes)?,
            second_biases: reader.numbers(SECOND, i32::from_le_bytes)?,
            second: reader.numbers(SECOND * SECOND, i8::from_le_bytes)?,
            last_bias: reader.numbers(1, i32::from_le_bytes)?[0],
            last: reader.numbers(SECOND, i8::from_le_bytes)?,
        })
    }

    fn value(&self, halves: &[u8; SEEN]) -> i32 {
        let mut hidden = [0u8; SECOND];
        let mut straight = 0;
        for (index, row) in self.first.chunks(SEEN).enumerate() {
            let sum = self.first_biases[index] + dot(row, halves);
            if index == FIRST - 1 {
                straight = sum * 600 * 16 / (127 * 64);
            } else {
                hidden[index] = ((i64::from(sum) * i64::from(sum)) >> 19).min(127) as u8;
                hidden[FIRST - 1 + index] = (sum >> 6).clamp(0, 127) as u8;
            }
        }
        let mut second = [0u8; SECOND];
        for (index, row) in self.second.chunks(SECOND).enumerate() {
            let sum = self.second_biases[index] + dot(row, &hidden);
            second[index] = (sum >> 6).clamp(0, 127) as u8;
        }
        self.last_bias + dot(&self.last, &second) + straight
    }
}

fn dot(weights: &[i8], inputs: &[u8]) -> i32 {
    let products = weights.iter().zip(inputs);
    products
        .map(|(&weight, &input)| i32::from(weight) * i32::from(input))
        .sum()
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        self.rest = rest;
        Ok(taken)
    }

    fn numbers<T, const N: usize>(
        &mut self,
        count: usize,
        read: fn([u8; N]) -> T,
    ) -> io::Result<Vec<T>> {
        let bytes = self.take(count * N)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().map(|&bytes| read(bytes)).collect())
    }
}
