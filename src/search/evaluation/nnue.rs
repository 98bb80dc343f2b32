//! NNUE: a small, efficiently updatable neural network that corrects the hand-crafted evaluation.
//!
//! It takes a board and returns centipawns to add for the side to move. The architecture is
//! `(768 -> 512) x 2 -> 1` with eight output buckets:
//!
//! - **Features.** Each side has a perspective of its own: 768 features, one per (own or enemy, role, square). Squares
//!   are oriented to the side and mirrored so that its king is on files e to h.
//! - **Accumulator.** The hidden layer before activation: the biases plus the weights of all active features.
//! - **Activation.** Squared clipped ReLU (SCReLU): clamp to the range 0 to 1, then square.
//! - **Output.** The weighted sum of both accumulators' activations, the side to move first, with weights by the
//!   number of pieces on the board (output buckets).
//!
//! Only a few pieces differ between two positions that a search evaluates in a row. An accumulator remembers the
//! pieces that it sums, and is updated by the features that were added or removed since. All arithmetic is in integers
//! and nothing is rounded on the way, so the result does not depend on the positions evaluated before, nor on the
//! machine.

use std::sync::LazyLock;

use super::orientation;
use crate::chess::{Bitboard, Board, Color, Role, Square};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Avx2;
use crate::cpu::{Cpu, Kernel};

/// The features of a perspective: own and enemy pieces of six roles on 64 squares.
pub const FEATURES: usize = PIECE_KINDS * 64;
const PIECE_KINDS: usize = 12;

/// The size of the hidden layer, per perspective.
pub const HIDDEN: usize = 512;

/// Output weights are chosen by the number of pieces, four to a bucket.
pub const OUTPUT_BUCKETS: usize = 8;

/// Quantisation of the feature weights: the integer that stands for 1 in the hidden layer.
pub const QA: i32 = 255;
/// Quantisation of the output weights: the integer that stands for 1.
pub const QB: i32 = 64;
/// Centipawns per unit of the output.
pub const SCALE: i32 = 400;

/// `data/README.md` says how the weights were trained.
static FILE: &[u8; FILE_BYTES] = include_bytes!("../../../data/network.bin");

/// Every number of the file is a little-endian `i16`: feature weights by feature, feature biases, output weights by
/// bucket, output biases.
pub const FILE_BYTES: usize =
    2 * ((FEATURES + 1) * HIDDEN + OUTPUT_BUCKETS * 2 * HIDDEN + OUTPUT_BUCKETS);

/// A number for each neuron of the hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
struct HiddenRow([i16; HIDDEN]);

struct Weights {
    feature_weights: [HiddenRow; FEATURES],
    feature_biases: HiddenRow,
    /// For the perspective of the side to move and that of the other side.
    output_weights: [[HiddenRow; 2]; OUTPUT_BUCKETS],
    output_biases: [i16; OUTPUT_BUCKETS],
}

/// The file of the network that is built in.
pub fn network_bytes() -> &'static [u8] {
    FILE
}

static WEIGHTS: LazyLock<Box<Weights>> = LazyLock::new(|| Weights::read(FILE));

impl Weights {
    fn read(file: &[u8; FILE_BYTES]) -> Box<Weights> {
        let mut numbers = file
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| i16::from_le_bytes(bytes));
        let mut next = || {
            numbers
                .next()
                .expect("the file has a number for every weight")
        };
        let mut weights = Box::new(Weights {
            feature_weights: [HiddenRow([0; HIDDEN]); FEATURES],
            feature_biases: HiddenRow([0; HIDDEN]),
            output_weights: [[HiddenRow([0; HIDDEN]); 2]; OUTPUT_BUCKETS],
            output_biases: [0; OUTPUT_BUCKETS],
        });
        let Weights {
            feature_weights,
            feature_biases,
            output_weights,
            ..
        } = &mut *weights;
        for row in feature_weights
            .iter_mut()
            .chain([feature_biases])
            .chain(output_weights.as_flattened_mut())
        {
            row.0.fill_with(&mut next);
        }
        weights.output_biases.fill_with(next);
        weights
    }
}

/// The network with its accumulators.
pub struct Network {
    weights: &'static Weights,
    /// By perspective, and by the half of the board that the own king is on: mirroring changes every feature, so each
    /// half has an accumulator of its own.
    accumulators: Box<[[Accumulator; 2]; 2]>,
    #[cfg(target_arch = "x86_64")]
    avx2: Option<Avx2>,
}

/// The hidden layer of a perspective before activation, and the pieces whose features it sums.
#[derive(Clone)]
struct Accumulator {
    pieces: [Bitboard; PIECE_KINDS],
    values: HiddenRow,
}

impl Default for Network {
    fn default() -> Network {
        let weights = &**WEIGHTS;
        let empty = || Accumulator {
            pieces: [Bitboard::EMPTY; PIECE_KINDS],
            values: weights.feature_biases,
        };
        Network {
            weights,
            accumulators: Box::new([[empty(), empty()], [empty(), empty()]]),
            #[cfg(target_arch = "x86_64")]
            avx2: Avx2::detect(),
        }
    }
}

impl Network {
    /// The correction of the hand-crafted evaluation, in centipawns for the side to move.
    pub fn correction(&mut self, board: &Board) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = self.avx2 {
            return avx2.call(ForwardPass {
                network: self,
                board,
            });
        }
        self.forward(board)
    }

    #[inline(always)]
    fn forward(&mut self, board: &Board) -> i32 {
        let bucket = output_bucket(board);
        let weights = self.weights;
        let [white, black] = self.update_accumulators(board);
        let [own, enemy] = match board.turn {
            Color::White => [white, black],
            Color::Black => [black, white],
        };
        let [own_weights, enemy_weights] = &weights.output_weights[bucket];
        let sum = screlu_dot(own, own_weights) + screlu_dot(enemy, enemy_weights);
        let bias = i32::from(weights.output_biases[bucket]);
        let output = sum / QA + bias;
        output * SCALE / (QA * QB)
    }

    /// The hidden layers of White's and Black's perspective.
    #[inline(always)]
    fn update_accumulators(&mut self, board: &Board) -> [&HiddenRow; 2] {
        let [white, black] = &mut *self.accumulators;
        [
            update::<true>(self.weights, white, board),
            update::<false>(self.weights, black, board),
        ]
    }
}

/// The forward pass as a kernel, compiled for AVX2 where the processor has it.
struct ForwardPass<'n> {
    network: &'n mut Network,
    board: &'n Board,
}

impl Kernel for ForwardPass<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self, _: impl Cpu) -> i32 {
        self.network.forward(self.board)
    }
}

/// The output bucket of a position.
pub fn output_bucket(board: &Board) -> usize {
    (board.occupied().count() as usize - 1) * OUTPUT_BUCKETS / 32
}

/// The active features of a position from a side's perspective.
pub fn active_features(board: &Board, perspective: Color) -> impl Iterator<Item = usize> {
    let king = board.king_of(perspective);
    let (pieces, orientation) = match perspective {
        Color::White => (pieces_by_kind::<true>(board), orientation::<true>(king)),
        Color::Black => (pieces_by_kind::<false>(board), orientation::<false>(king)),
    };
    let kinds = pieces.into_iter().enumerate();
    kinds.flat_map(move |(kind, pieces)| {
        pieces.map(move |square| feature_index(kind, square, orientation))
    })
}

fn feature_index(kind: usize, square: Square, orientation: usize) -> usize {
    kind * 64 + (square.index() ^ orientation)
}

/// The own pieces by role, then the enemy's.
#[inline(always)]
fn pieces_by_kind<const WHITE: bool>(board: &Board) -> [Bitboard; PIECE_KINDS] {
    let roles = Role::ALL.map(|role| board.with_role(role));
    let own = board.own::<WHITE>();
    std::array::from_fn(|kind| match roles.get(kind) {
        Some(&pieces) => pieces & own,
        None => roles[kind - roles.len()] & !own,
    })
}

/// Updates the accumulator of the king's half of the board to a position.
#[inline(always)]
fn update<'a, const WHITE: bool>(
    weights: &Weights,
    halves: &'a mut [Accumulator; 2],
    board: &Board,
) -> &'a HiddenRow {
    let pieces = pieces_by_kind::<WHITE>(board);
    let king = (board.kings & board.own::<WHITE>()).first();
    let orientation = orientation::<WHITE>(king);
    let accumulator = &mut halves[usize::from(king.file() < 4)];
    let (mut added, mut removed) = (FeatureList::default(), FeatureList::default());
    for (kind, (before, now)) in accumulator.pieces.iter_mut().zip(pieces).enumerate() {
        for square in now & !*before {
            added.push(feature_index(kind, square, orientation));
        }
        for square in *before & !now {
            removed.push(feature_index(kind, square, orientation));
        }
        *before = now;
    }
    accumulator
        .values
        .add_and_remove(weights, added.features(), removed.features());
    &accumulator.values
}

/// At most one feature per piece.
#[derive(Default)]
struct FeatureList {
    features: [u16; 32],
    count: usize,
}

impl FeatureList {
    #[inline(always)]
    fn push(&mut self, feature: usize) {
        self.features[self.count] = feature as u16;
        self.count += 1;
    }

    fn features(&self) -> &[u16] {
        &self.features[..self.count]
    }
}

/// How many neurons are updated at a time: as many as stay in vector registers while all features are added.
const BLOCK: usize = 128;

impl HiddenRow {
    #[inline(always)]
    fn add_and_remove(&mut self, weights: &Weights, added: &[u16], removed: &[u16]) {
        for (index, values) in self.0.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let weights = |feature: u16| {
                &weights.feature_weights[usize::from(feature)]
                    .0
                    .as_chunks::<BLOCK>()
                    .0[index]
            };
            let mut block = *values;
            for &feature in added {
                for (value, weight) in block.iter_mut().zip(weights(feature)) {
                    *value = value.wrapping_add(*weight);
                }
            }
            for &feature in removed {
                for (value, weight) in block.iter_mut().zip(weights(feature)) {
                    *value = value.wrapping_sub(*weight);
                }
            }
            *values = block;
        }
    }
}

/// The output layer of a perspective: the dot product of the squared clipped ReLU (SCReLU) of the accumulator with the
/// output weights. Weights are at most 127 and clipped values at most 255, so that their product fits into an `i16`.
#[inline(always)]
fn screlu_dot(accumulator: &HiddenRow, weights: &HiddenRow) -> i32 {
    let products = accumulator
        .0
        .iter()
        .zip(&weights.0)
        .map(|(&value, &weight)| {
            let clipped = value.clamp(0, QA as i16);
            i32::from(clipped.wrapping_mul(weight)) * i32::from(clipped)
        });
    products.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::random::random_start;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The positions of random games, in order.
    fn random_games(count: usize) -> Vec<Board> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(960);
        let mut boards = Vec::new();
        for _ in 0..count {
            let mut board = Board::from_double_start(random_start(&mut rng));
            for _ in 0..150 {
                boards.push(board);
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board = board.play(moves[rng.random_range(0..moves.len())]);
            }
        }
        boards
    }

    /// The formula without incremental updates, in integers that cannot overflow.
    fn reference(board: &Board) -> i64 {
        let weights = &**WEIGHTS;
        let bucket = output_bucket(board);
        let mut sum = 0;
        for (perspective, output_weights) in [board.turn, !board.turn]
            .into_iter()
            .zip(&weights.output_weights[bucket])
        {
            for neuron in 0..HIDDEN {
                let rows = active_features(board, perspective)
                    .map(|feature| &weights.feature_weights[feature])
                    .chain([&weights.feature_biases]);
                let value: i64 = rows.map(|row| i64::from(row.0[neuron])).sum();
                sum += value.clamp(0, QA.into()).pow(2) * i64::from(output_weights.0[neuron]);
            }
        }
        let output = sum / i64::from(QA) + i64::from(weights.output_biases[bucket]);
        output * i64::from(SCALE) / i64::from(QA * QB)
    }

    #[test]
    fn incremental_updates_equal_a_full_refresh() {
        let mut network = Network::default();
        for board in random_games(30) {
            let correction = network.correction(&board);
            assert_eq!(
                correction,
                Network::default().correction(&board),
                "{board:?}"
            );
            assert_eq!(i64::from(correction), reference(&board), "{board:?}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_and_portable_code_agree() {
        let mut network = Network::default();
        let mut portable = Network {
            avx2: None,
            ..Network::default()
        };
        for board in random_games(10) {
            let correction = network.correction(&board);
            assert_eq!(correction, portable.correction(&board), "{board:?}");
        }
    }

    #[test]
    fn the_evaluation_is_symmetric_in_the_colours() {
        let mut network = Network::default();
        let mut corrections = Vec::new();
        for board in random_games(10) {
            let correction = network.correction(&board);
            assert_eq!(
                correction,
                network.correction(&board.flipped()),
                "{board:?}"
            );
            corrections.push(correction);
        }
        corrections.sort_unstable();
        corrections.dedup();
        assert!(corrections.len() > 100, "corrections hardly vary");
    }

    /// No position overflows the accumulator or the output.
    #[test]
    fn quantised_weights_cannot_overflow() {
        let weights = &**WEIGHTS;
        let max = |row: &HiddenRow| row.0.iter().map(|weight| i32::from(weight.abs())).max();
        let feature = weights.feature_weights.iter().filter_map(max).max();
        let feature = feature.unwrap();
        let bias = max(&weights.feature_biases).unwrap();
        assert!(
            32 * feature + bias <= i32::from(i16::MAX),
            "32 x {feature} + {bias}"
        );
        for rows in &weights.output_weights {
            assert!(rows.iter().filter_map(max).all(|weight| weight <= 127));
            let all = rows.iter().flat_map(|row| &row.0);
            let sum: i64 = all.map(|weight| i64::from(weight.abs())).sum();
            assert!(sum * i64::from(QA.pow(2)) <= i64::from(i32::MAX), "{sum}");
        }
    }
}
