//! A small network that corrects the terms in what they miss.
//!
//! A board walks in, centipawns to add for the side to move walk out. Each player sees every piece as one of
//! [`INPUTS`] inputs: whose it is, what it is, and where it stands as seen from that player's side of the board, with the
//! own king on the half of the higher files. An input that is there adds a column of weights to the sums of the
//! [`HIDDEN`] neurons; a neuron gives the square of its sum, cut off at nothing and at one; and what comes out is
//! the weighted sum of both players' neurons, those of the side to move first, with other weights for every number of
//! pieces.
//!
//! From one position to the next that a search looks at, only a few pieces have moved. So the sums of the last position are
//! kept, and only the columns of pieces that came or went are added or taken away. All of it is
//! integers and nothing is rounded on the way: the sums are the same whichever positions were looked at before,
//! and the same on every machine.

use std::sync::LazyLock;

use super::turned_to;
use crate::chess::{Bitboard, Board, Color, Role, Square};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Avx2;
use crate::cpu::{Cpu, Kernel};

/// What one player sees: own and enemy's pieces of six roles on 64 squares.
pub const INPUTS: usize = KINDS * 64;
const KINDS: usize = 12;

/// The neurons of each player.
pub const HIDDEN: usize = 512;

/// One set of weights for the output per four pieces on the board.
pub const BUCKETS: usize = 8;

/// What is 1 to a neuron, and to a weight of the output.
pub const NEURON_ONE: i32 = 255;
pub const OUTPUT_ONE: i32 = 64;
/// Centipawns in what is 1 at the output.
pub const CENTIPAWNS: i32 = 400;

/// How the weights were found is told in `data/README.md`.
static FILE: &[u8; BYTES] = include_bytes!("../../../data/network.bin");

/// Every weight is two bytes, the lower one first: the columns of all inputs, the biases of the neurons, the weights of the
/// outputs and their biases.
pub const BYTES: usize = 2 * ((INPUTS + 1) * HIDDEN + BUCKETS * 2 * HIDDEN + BUCKETS);

/// Sums of the neurons of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
struct Sums([i16; HIDDEN]);

/// What was learned.
struct Weights {
    columns: [Sums; INPUTS],
    biases: Sums,
    /// For the neurons of the side to move and those of the other.
    outputs: [[Sums; 2]; BUCKETS],
    output_biases: [i16; BUCKETS],
}

static WEIGHTS: LazyLock<Box<Weights>> = LazyLock::new(|| Weights::read(FILE));

impl Weights {
    fn read(file: &[u8; BYTES]) -> Box<Weights> {
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
            columns: [Sums([0; HIDDEN]); INPUTS],
            biases: Sums([0; HIDDEN]),
            outputs: [[Sums([0; HIDDEN]); 2]; BUCKETS],
            output_biases: [0; BUCKETS],
        });
        let Weights {
            columns,
            biases,
            outputs,
            ..
        } = &mut *weights;
        for sums in columns
            .iter_mut()
            .chain([biases])
            .chain(outputs.as_flattened_mut())
        {
            sums.0.fill_with(&mut next);
        }
        weights.output_biases.fill_with(next);
        weights
    }
}

/// The network with what it remembers of the positions that it has just seen.
pub struct Network {
    weights: &'static Weights,
    /// By player, and by the half of the board on which the own king is.
    views: Box<[[View; 2]; 2]>,
    #[cfg(target_arch = "x86_64")]
    avx2: Option<Avx2>,
}

/// What one player sees of a position.
#[derive(Clone)]
struct View {
    pieces: [Bitboard; KINDS],
    sums: Sums,
}

impl Default for Network {
    fn default() -> Network {
        let weights = &**WEIGHTS;
        let view = || View {
            pieces: [Bitboard::EMPTY; KINDS],
            sums: weights.biases,
        };
        Network {
            weights,
            views: Box::new([[view(), view()], [view(), view()]]),
            #[cfg(target_arch = "x86_64")]
            avx2: Avx2::detect(),
        }
    }
}

impl Network {
    /// What is to be added to the terms, in centipawns for the side to move.
    pub fn correction(&mut self, board: &Board) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = self.avx2 {
            return avx2.call(Correction {
                network: self,
                board,
            });
        }
        self.correct(board)
    }

    #[inline(always)]
    fn correct(&mut self, board: &Board) -> i32 {
        let bucket = bucket(board);
        let weights = self.weights;
        let [white, black] = self.look(board);
        let [own, enemy] = match board.turn {
            Color::White => [white, black],
            Color::Black => [black, white],
        };
        let [first, second] = &weights.outputs[bucket];
        let sum = fire(own, first) + fire(enemy, second);
        let bias = i32::from(weights.output_biases[bucket]);
        let output = sum / NEURON_ONE + bias;
        output * CENTIPAWNS / (NEURON_ONE * OUTPUT_ONE)
    }

    /// The sums of both players.
    #[inline(always)]
    fn look(&mut self, board: &Board) -> [&Sums; 2] {
        let [white, black] = &mut *self.views;
        [
            look::<true>(self.weights, white, board),
            look::<false>(self.weights, black, board),
        ]
    }
}

/// The correction of a position, compiled for vectors where there are any.
struct Correction<'n> {
    network: &'n mut Network,
    board: &'n Board,
}

impl Kernel for Correction<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self, _: impl Cpu) -> i32 {
        self.network.correct(self.board)
    }
}

/// Which weights of the output are for a position.
pub fn bucket(board: &Board) -> usize {
    (board.occupied().count() as usize - 1) * BUCKETS / 32
}

/// The inputs that a player sees.
pub fn inputs(board: &Board, player: Color) -> impl Iterator<Item = usize> {
    let king = board.king_of(player);
    let (pieces, turned) = match player {
        Color::White => (seen_by::<true>(board), turned_to::<true>(king)),
        Color::Black => (seen_by::<false>(board), turned_to::<false>(king)),
    };
    let kinds = pieces.into_iter().enumerate();
    kinds.flat_map(move |(kind, pieces)| pieces.map(move |square| input(kind, square, turned)))
}

fn input(kind: usize, square: Square, turned: usize) -> usize {
    kind * 64 + (square.index() ^ turned)
}

/// The own pieces by role, then the enemy's.
#[inline(always)]
fn seen_by<const WHITE: bool>(board: &Board) -> [Bitboard; KINDS] {
    let roles = Role::ALL.map(|role| board.with_role(role));
    let own = board.own::<WHITE>();
    std::array::from_fn(|kind| match roles.get(kind) {
        Some(&pieces) => pieces & own,
        None => roles[kind - roles.len()] & !own,
    })
}

/// Brings the view of the king's half up to date with a position.
#[inline(always)]
fn look<'v, const WHITE: bool>(
    weights: &Weights,
    halves: &'v mut [View; 2],
    board: &Board,
) -> &'v Sums {
    let pieces = seen_by::<WHITE>(board);
    let king = (board.kings & board.own::<WHITE>()).first();
    let turned = turned_to::<WHITE>(king);
    let view = &mut halves[usize::from(king.file() < 4)];
    let (mut come, mut gone) = (Columns::default(), Columns::default());
    for (kind, (before, now)) in view.pieces.iter_mut().zip(pieces).enumerate() {
        for square in now & !*before {
            come.push(input(kind, square, turned));
        }
        for square in *before & !now {
            gone.push(input(kind, square, turned));
        }
        *before = now;
    }
    view.sums.change(weights, come.inputs(), gone.inputs());
    &view.sums
}

/// The inputs of at most all pieces.
#[derive(Default)]
struct Columns {
    inputs: [u16; 32],
    count: usize,
}

impl Columns {
    #[inline(always)]
    fn push(&mut self, input: usize) {
        self.inputs[self.count] = input as u16;
        self.count += 1;
    }

    fn inputs(&self) -> &[u16] {
        &self.inputs[..self.count]
    }
}

/// So many sums are kept in registers while all columns are added.
const BLOCK: usize = 128;

impl Sums {
    #[inline(always)]
    fn change(&mut self, weights: &Weights, come: &[u16], gone: &[u16]) {
        for (index, sums) in self.0.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let weights =
                |input: u16| &weights.columns[usize::from(input)].0.as_chunks::<BLOCK>().0[index];
            let mut block = *sums;
            for &input in come {
                for (sum, weight) in block.iter_mut().zip(weights(input)) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
            for &input in gone {
                for (sum, weight) in block.iter_mut().zip(weights(input)) {
                    *sum = sum.wrapping_sub(*weight);
                }
            }
            *sums = block;
        }
    }
}

/// The weighted sum of the squares of what the neurons give. A weight is at most 127, so that its product with a neuron's
/// output, which is at most 255, is still a small number.
#[inline(always)]
fn fire(sums: &Sums, weights: &Sums) -> i32 {
    let each = sums.0.iter().zip(&weights.0).map(|(&sum, &weight)| {
        let given = sum.clamp(0, NEURON_ONE as i16);
        i32::from(given.wrapping_mul(weight)) * i32::from(given)
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::random::random_start;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The positions of games of random moves, in order.
    fn games(count: usize) -> Vec<Board> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
        let mut boards = Vec::new();
        for _ in 0..count {
            let mut board = Board::from_double_start(random_start(&mut random));
            for _ in 0..150 {
                boards.push(board);
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board = board.play(moves[random.random_range(0..moves.len())]);
            }
        }
        boards
    }

    /// The formula as one would write it down, in numbers without end.
    fn by_the_book(board: &Board) -> i64 {
        let weights = &**WEIGHTS;
        let bucket = bucket(board);
        let mut sum = 0;
        for (player, outputs) in [board.turn, !board.turn]
            .into_iter()
            .zip(&weights.outputs[bucket])
        {
            for neuron in 0..HIDDEN {
                let columns = inputs(board, player).map(|input| &weights.columns[input]);
                let seen = columns.chain([&weights.biases]);
                let given: i64 = seen.map(|sums| i64::from(sums.0[neuron])).sum();
                sum += given.clamp(0, NEURON_ONE.into()).pow(2) * i64::from(outputs.0[neuron]);
            }
        }
        let output = sum / i64::from(NEURON_ONE) + i64::from(weights.output_biases[bucket]);
        output * i64::from(CENTIPAWNS) / i64::from(NEURON_ONE * OUTPUT_ONE)
    }

    #[test]
    fn what_is_kept_from_other_positions_changes_nothing() {
        let mut network = Network::default();
        for board in games(30) {
            let correction = network.correction(&board);
            assert_eq!(
                correction,
                Network::default().correction(&board),
                "{board:?}"
            );
            assert_eq!(i64::from(correction), by_the_book(&board), "{board:?}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_machine_says_the_same() {
        let mut network = Network::default();
        let mut portable = Network {
            avx2: None,
            ..Network::default()
        };
        for board in games(10) {
            let correction = network.correction(&board);
            assert_eq!(correction, portable.correction(&board), "{board:?}");
        }
    }

    #[test]
    fn both_players_are_judged_alike() {
        let mut network = Network::default();
        let mut corrections = Vec::new();
        for board in games(10) {
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
        assert!(corrections.len() > 100, "it tells positions apart");
    }

    /// No position makes a sum so great that it does not fit.
    #[test]
    fn sums_fit_into_their_numbers() {
        let weights = &**WEIGHTS;
        let most = |sums: &Sums| sums.0.iter().map(|weight| i32::from(weight.abs())).max();
        let column = weights.columns.iter().filter_map(most).max().unwrap();
        let bias = most(&weights.biases).unwrap();
        assert!(
            32 * column + bias <= i32::from(i16::MAX),
            "32 x {column} + {bias}"
        );
        for outputs in &weights.outputs {
            assert!(outputs.iter().filter_map(most).all(|weight| weight <= 127));
            let all = outputs.iter().flat_map(|sums| &sums.0);
            let sum: i64 = all.map(|weight| i64::from(weight.abs())).sum();
            assert!(
                sum * i64::from(NEURON_ONE.pow(2)) <= i64::from(i32::MAX),
                "{sum}"
            );
        }
    }
}
