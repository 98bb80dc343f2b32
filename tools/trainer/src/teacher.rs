//! The teacher: Stockfish's NNUE, evaluated without Stockfish.
//!
//! Reads a network file of Stockfish 15.1 (`export_net FILE`) and returns centipawns for the side to move, a hundred
//! times as fast as over UCI. File layout and arithmetic follow Stockfish's `src/nnue`. Features are HalfKAv2_hm: a
//! piece's square relative to the square of the own king, mirrored. The feature transformer has 1024 outputs for each
//! perspective, whose halves are multiplied with each other; three small layers follow, one stack of them per number
//! of pieces (layer stacks).

use std::fs;
use std::io;
use std::sync::Arc;

use ninesixty::chess::{Bitboard, Board, Color, Role, Square};
use ninesixty::search::evaluation::Evaluator;

/// Outputs of the feature transformer, per perspective.
const TRANSFORMED: usize = 1024;
const HALF: usize = TRANSFORMED / 2;
/// Piece features per king bucket: ten kinds of pieces, and one for both kings.
const PIECE_FEATURES: usize = 11 * 64;
/// Mirrored, the own king has 32 squares.
const FEATURES: usize = 32 * PIECE_FEATURES;
const BUCKETS: usize = 8;

/// Outputs of the first layer. The last one skips the other layers and is added to the final output.
const FIRST: usize = 16;
const SECOND: usize = 32;

/// Stockfish's network as an evaluator.
pub struct Teacher {
    weights: Arc<Weights>,
    /// White's and Black's accumulators of the last position, which is mostly similar to the next.
    accumulators: [Option<Box<Accumulator>>; 2],
}

struct Weights {
    biases: Vec<i16>,
    feature_weights: Vec<i16>,
    psqt_weights: Vec<i32>,
    layer_stacks: Vec<LayerStack>,
}

/// The layers after the feature transformer for some number of pieces.
struct LayerStack {
    first_biases: Vec<i32>,
    first: Vec<i8>,
    second_biases: Vec<i32>,
    second: Vec<i8>,
    output_bias: i32,
    output: Vec<i8>,
}

/// The transformed features of a perspective.
struct Accumulator {
    /// The square of the own king, and the pieces by owner and role, that it was computed for.
    king: Square,
    pieces: [[Bitboard; 6]; 2],
    values: [i16; TRANSFORMED],
    psqt: [i32; BUCKETS],
}

impl Teacher {
    pub fn read(path: &str) -> io::Result<Teacher> {
        let read = fs::read(path).and_then(|bytes| Teacher::parse(&bytes));
        read.map_err(|error| {
            io::Error::other(format!(
                "{path} is not a network file of Stockfish 15.1: {error}"
            ))
        })
    }

    fn parse(bytes: &[u8]) -> io::Result<Teacher> {
        let mut reader = Reader { rest: bytes };
        reader.take(8)?;
        let description_bytes = reader.numbers(1, u32::from_le_bytes)?[0];
        reader.take(description_bytes as usize + 4)?;
        let weights = Weights {
            biases: reader.numbers(TRANSFORMED, i16::from_le_bytes)?,
            feature_weights: reader.numbers(TRANSFORMED * FEATURES, i16::from_le_bytes)?,
            psqt_weights: reader.numbers(BUCKETS * FEATURES, i32::from_le_bytes)?,
            layer_stacks: (0..BUCKETS)
                .map(|_| LayerStack::read(&mut reader))
                .collect::<io::Result<_>>()?,
        };
        if reader.rest.is_empty() {
            Ok(Teacher {
                weights: Arc::new(weights),
                accumulators: [None, None],
            })
        } else {
            Err(io::Error::other("it is too long"))
        }
    }

    /// A teacher for another thread: it shares the weights and has its own accumulators.
    pub fn with_own_accumulators(&self) -> Teacher {
        Teacher {
            weights: Arc::clone(&self.weights),
            accumulators: [None, None],
        }
    }

    /// The network's output in Stockfish's internal units.
    fn output(&mut self, board: &Board) -> i32 {
        let bucket = (board.occupied().count() as usize - 1) / 4;
        let accumulators = [board.turn(), !board.turn()].map(|color| self.update(board, color));
        let mut transformed = [0u8; TRANSFORMED];
        for (accumulator, out) in accumulators.iter().zip(transformed.chunks_mut(HALF)) {
            let (low, high) = accumulator.values.split_at(HALF);
            for ((out, &a), &b) in out.iter_mut().zip(low).zip(high) {
                *out = (i32::from(a.clamp(0, 127)) * i32::from(b.clamp(0, 127)) / 128) as u8;
            }
        }
        let psqt = (accumulators[0].psqt[bucket] - accumulators[1].psqt[bucket]) / 2;
        let [own, enemy] = accumulators.map(Some);
        self.accumulators = match board.turn() {
            Color::White => [own, enemy],
            Color::Black => [enemy, own],
        };
        (psqt + self.weights.layer_stacks[bucket].forward(&transformed)) / 16
    }

    /// The accumulator of a perspective: that of the last position with the changed pieces added and removed, or a
    /// fresh one if the own king has moved.
    fn update(&mut self, board: &Board, color: Color) -> Box<Accumulator> {
        let king = board.king_of(color);
        let last = self.accumulators[color as usize].take();
        let mut accumulator = last
            .filter(|accumulator| accumulator.king == king)
            .unwrap_or_else(|| {
                Box::new(Accumulator {
                    king,
                    pieces: [[Bitboard::EMPTY; 6]; 2],
                    values: self.weights.biases[..]
                        .try_into()
                        .expect("there is a bias per output"),
                    psqt: [0; BUCKETS],
                })
            });
        let orientation =
            if color == Color::White { 0 } else { 56 } ^ if king.file() < 4 { 7 } else { 0 };
        let king = king.index() ^ orientation;
        let king_bucket = (7 - king / 8) * 4 + 7 - king % 8;
        for owner in Color::BOTH {
            for role in Role::ALL {
                let kind = match role {
                    Role::King => 10,
                    _ => 2 * role as usize + usize::from(owner != color),
                };
                let now = board.with_role(role) & board.pieces_of(owner);
                let before =
                    std::mem::replace(&mut accumulator.pieces[owner as usize][role as usize], now);
                for square in before ^ now {
                    let feature =
                        king_bucket * PIECE_FEATURES + kind * 64 + (square.index() ^ orientation);
                    let sign = if now.has(square) { 1 } else { -1 };
                    accumulator.add(&self.weights, feature, sign);
                }
            }
        }
        accumulator
    }
}

impl Evaluator for Teacher {
    /// Stockfish's evaluation: the output scaled by the material left, in the centipawns that it prints.
    fn evaluate(&mut self, board: &Board) -> i32 {
        let material: i32 = [
            (Role::Knight, 781),
            (Role::Bishop, 825),
            (Role::Rook, 1276),
            (Role::Queen, 2538),
        ]
        .map(|(role, value)| value * board.with_role(role).count() as i32)
        .iter()
        .sum();
        let scale = 1076 + 96 * material / 5120;
        let value = self.output(board) * scale / 1024 * 200 / 214;
        value * 100 / 361
    }
}

impl Accumulator {
    /// Adds a feature (sign 1) or removes it (sign -1).
    fn add(&mut self, weights: &Weights, feature: usize, sign: i16) {
        let row = &weights.feature_weights[feature * TRANSFORMED..][..TRANSFORMED];
        for (value, weight) in self.values.iter_mut().zip(row) {
            *value = value.wrapping_add(weight.wrapping_mul(sign));
        }
        let row = &weights.psqt_weights[feature * BUCKETS..][..BUCKETS];
        for (value, weight) in self.psqt.iter_mut().zip(row) {
            *value += weight * i32::from(sign);
        }
    }
}

impl LayerStack {
    fn read(reader: &mut Reader) -> io::Result<LayerStack> {
        reader.take(4)?;
        Ok(LayerStack {
            first_biases: reader.numbers(FIRST, i32::from_le_bytes)?,
            first: reader.numbers(FIRST * TRANSFORMED, i8::from_le_bytes)?,
            second_biases: reader.numbers(SECOND, i32::from_le_bytes)?,
            second: reader.numbers(SECOND * SECOND, i8::from_le_bytes)?,
            output_bias: reader.numbers(1, i32::from_le_bytes)?[0],
            output: reader.numbers(SECOND, i8::from_le_bytes)?,
        })
    }

    fn forward(&self, transformed: &[u8; TRANSFORMED]) -> i32 {
        let mut hidden = [0u8; SECOND];
        let mut skipped = 0;
        for (index, row) in self.first.chunks(TRANSFORMED).enumerate() {
            let sum = self.first_biases[index] + dot(row, transformed);
            if index == FIRST - 1 {
                skipped = sum * 600 * 16 / (127 * 64);
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
        self.output_bias + dot(&self.output, &second) + skipped
    }
}

fn dot(weights: &[i8], inputs: &[u8]) -> i32 {
    let products = weights.iter().zip(inputs);
    products
        .map(|(&weight, &input)| i32::from(weight) * i32::from(input))
        .sum()
}

/// Reads little-endian numbers.
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
