//! The network while it learns, in floating point: what it says, and where each weight should go.
//!
//! All weights are one row of numbers, in the order of the file that the engine reads: a column of the neurons for each
//! input, their biases, the weights of the output by number of pieces and by player, and its biases.

use std::ops::Range;

use ninesixty::chess::{Board, Color};
use ninesixty::search::evaluation::network::{
    BUCKETS, CENTIPAWNS, HIDDEN, INPUTS, NEURON_ONE, OUTPUT_ONE, bucket, inputs,
};
use rand::{Rng, RngExt};

const BIASES: usize = INPUTS * HIDDEN;
const OUTPUTS: usize = BIASES + HIDDEN;
const OUTPUT_BIASES: usize = OUTPUTS + BUCKETS * 2 * HIDDEN;
pub const WEIGHTS: usize = OUTPUT_BIASES + BUCKETS;

/// No weight is further from zero, so that the engine's sums stay small.
const MOST: f32 = 1.98;

/// Sums of the neurons of one player.
type Sums = [f32; HIDDEN];

pub struct Model {
    pub weights: Vec<f32>,
}

/// What the network thought on its way to an answer.
pub struct Thought {
    bucket: usize,
    players: [Player; 2],
    /// Centipawns for White, who is to move.
    pub answer: f32,
}

struct Player {
    inputs: [u16; 32],
    pieces: usize,
    sums: Sums,
}

impl Model {
    pub fn at_random(random: &mut impl Rng) -> Model {
        let mut weights = vec![0.0; WEIGHTS];
        let mut spread = |range: Range<usize>, width: f32| {
            for weight in &mut weights[range] {
                *weight = width * (2.0 * random.random::<f32>() - 1.0);
            }
        };
        spread(0..BIASES, 0.15);
        spread(OUTPUTS..OUTPUT_BIASES, 0.3 / (HIDDEN as f32).sqrt());
        weights[BIASES..OUTPUTS].fill(0.1);
        Model { weights }
    }

    /// What it says of a position in which White is to move.
    pub fn think(&self, board: &Board) -> Thought {
        let bucket = bucket(board);
        let players = Color::BOTH.map(|player| self.look(board, player));
        let mut output = self.weights[OUTPUT_BIASES + bucket];
        for (player, sums) in players.iter().map(|player| &player.sums).enumerate() {
            let outputs = part(&self.weights, output_row(bucket, player));
            // Sixteen sums side by side, as the order of an addition is not the compiler's to change.
            let mut sixteen = [0.0; 16];
            for (sums, outputs) in sums
                .as_chunks::<16>()
                .0
                .iter()
                .zip(outputs.as_chunks::<16>().0)
            {
                for lane in 0..16 {
                    let given = sums[lane].clamp(0.0, 1.0);
                    sixteen[lane] += given * given * outputs[lane];
                }
            }
            output += sixteen.iter().sum::<f32>();
        }
        Thought {
            bucket,
            players,
            answer: output * CENTIPAWNS as f32,
        }
    }

    fn look(&self, board: &Board, color: Color) -> Player {
        let mut player = Player {
            inputs: [0; 32],
            pieces: 0,
            sums: *part(&self.weights, BIASES),
        };
        for input in inputs(board, color) {
            player.inputs[player.pieces] = input as u16;
            player.pieces += 1;
            add(&mut player.sums, part(&self.weights, input * HIDDEN));
        }
        player
    }

    /// Adds to the gradient what one answer has to do with each weight, if it should rise by `wish`.
    pub fn blame(&self, thought: &Thought, wish: f32, gradient: &mut [f32]) {
        let wish = wish * CENTIPAWNS as f32;
        gradient[OUTPUT_BIASES + thought.bucket] += wish;
        for (index, player) in thought.players.iter().enumerate() {
            let row = output_row(thought.bucket, index);
            let outputs = part(&self.weights, row);
            let blamed = part_mut(gradient, row);
            let mut neurons = [0.0; HIDDEN];
            for neuron in 0..HIDDEN {
                let sum = player.sums[neuron];
                let given = sum.clamp(0.0, 1.0);
                blamed[neuron] += wish * given * given;
                let slope = if given == sum { 2.0 * given } else { 0.0 };
                neurons[neuron] = wish * outputs[neuron] * slope;
            }
            add(part_mut(gradient, BIASES), &neurons);
            for &input in &player.inputs[..player.pieces] {
                add(part_mut(gradient, usize::from(input) * HIDDEN), &neurons);
            }
        }
    }

    /// Brings back weights that have gone too far.
    pub fn limit(&mut self) {
        for weight in &mut self.weights[..OUTPUT_BIASES] {
            *weight = weight.clamp(-MOST, MOST);
        }
    }

    /// The file that the engine reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let whole = |(index, weight): (usize, &f32)| {
            let one = match index {
                0..OUTPUTS => NEURON_ONE,
                OUTPUTS..OUTPUT_BIASES => OUTPUT_ONE,
                _ => NEURON_ONE * OUTPUT_ONE,
            };
            ((weight * one as f32).round() as i16).to_le_bytes()
        };
        self.weights.iter().enumerate().flat_map(whole).collect()
    }
}

/// Where the weights of the output begin for a player's neurons.
fn output_row(bucket: usize, player: usize) -> usize {
    OUTPUTS + (2 * bucket + player) * HIDDEN
}

fn part(weights: &[f32], from: usize) -> &Sums {
    weights[from..].first_chunk().expect("a row of them")
}

fn part_mut(weights: &mut [f32], from: usize) -> &mut Sums {
    weights[from..].first_chunk_mut().expect("a row of them")
}

fn add(sums: &mut Sums, more: &Sums) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}
