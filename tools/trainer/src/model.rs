//! The network during training, in floating point: forward and backward pass.
//!
//! All parameters are one slice, in the order of the file that the engine reads: feature weights by feature, feature
//! biases, output weights by bucket and perspective, output biases.

use std::ops::Range;

use ninesixty::chess::{Board, Color};
use ninesixty::search::evaluation::nnue::{
    FEATURES, HIDDEN, OUTPUT_BUCKETS, QA, QB, SCALE, active_features, output_bucket,
};
use rand::{Rng, RngExt};

const FEATURE_BIASES: usize = FEATURES * HIDDEN;
const OUTPUT_WEIGHTS: usize = FEATURE_BIASES + HIDDEN;
const OUTPUT_BIASES: usize = OUTPUT_WEIGHTS + OUTPUT_BUCKETS * 2 * HIDDEN;
pub const PARAMETERS: usize = OUTPUT_BIASES + OUTPUT_BUCKETS;

/// Weights are clipped to this range, so that the quantised accumulators cannot overflow.
const MAX_WEIGHT: f32 = 1.98;

/// A number for each neuron of the hidden layer.
type HiddenRow = [f32; HIDDEN];

pub struct Model {
    pub parameters: Vec<f32>,
}

/// The intermediate results of a forward pass, which the backward pass needs.
pub struct ForwardPass {
    bucket: usize,
    perspectives: [Perspective; 2],
    /// Centipawns for White, who is to move.
    pub output: f32,
}

struct Perspective {
    /// The active features.
    features: [u16; 32],
    count: usize,
    accumulator: HiddenRow,
}

impl Model {
    /// Random initial weights.
    pub fn random(rng: &mut impl Rng) -> Model {
        let mut parameters = vec![0.0; PARAMETERS];
        let mut fill = |range: Range<usize>, width: f32| {
            for weight in &mut parameters[range] {
                *weight = width * (2.0 * rng.random::<f32>() - 1.0);
            }
        };
        fill(0..FEATURE_BIASES, 0.15);
        fill(OUTPUT_WEIGHTS..OUTPUT_BIASES, 0.3 / (HIDDEN as f32).sqrt());
        parameters[FEATURE_BIASES..OUTPUT_WEIGHTS].fill(0.1);
        Model { parameters }
    }

    /// Evaluates a position with White to move.
    pub fn forward(&self, board: &Board) -> ForwardPass {
        let bucket = output_bucket(board);
        let perspectives = Color::BOTH.map(|color| self.perspective(board, color));
        let mut output = self.parameters[OUTPUT_BIASES + bucket];
        for (index, perspective) in perspectives.iter().enumerate() {
            let weights = row(&self.parameters, output_row(bucket, index));
            // Sixteen partial sums, because the compiler may not reorder floating-point additions to vectorise them.
            let mut sums = [0.0; 16];
            for (values, weights) in perspective
                .accumulator
                .as_chunks::<16>()
                .0
                .iter()
                .zip(weights.as_chunks::<16>().0)
            {
                for lane in 0..16 {
                    let clipped = values[lane].clamp(0.0, 1.0);
                    sums[lane] += clipped * clipped * weights[lane];
                }
            }
            output += sums.iter().sum::<f32>();
        }
        ForwardPass {
            bucket,
            perspectives,
            output: output * SCALE as f32,
        }
    }

    fn perspective(&self, board: &Board, color: Color) -> Perspective {
        let mut perspective = Perspective {
            features: [0; 32],
            count: 0,
            accumulator: *row(&self.parameters, FEATURE_BIASES),
        };
        for feature in active_features(board, color) {
            perspective.features[perspective.count] = feature as u16;
            perspective.count += 1;
            add(
                &mut perspective.accumulator,
                row(&self.parameters, feature * HIDDEN),
            );
        }
        perspective
    }

    /// Backpropagation: adds the derivatives of the loss by all parameters to `gradient`, given its derivative by the
    /// output.
    pub fn backward(&self, pass: &ForwardPass, output_gradient: f32, gradient: &mut [f32]) {
        let output_gradient = output_gradient * SCALE as f32;
        gradient[OUTPUT_BIASES + pass.bucket] += output_gradient;
        for (index, perspective) in pass.perspectives.iter().enumerate() {
            let start = output_row(pass.bucket, index);
            let weights = row(&self.parameters, start);
            let weight_gradients = row_mut(gradient, start);
            let mut accumulator_gradient = [0.0; HIDDEN];
            for neuron in 0..HIDDEN {
                let value = perspective.accumulator[neuron];
                let clipped = value.clamp(0.0, 1.0);
                weight_gradients[neuron] += output_gradient * clipped * clipped;
                // The derivative of the squared clipped ReLU.
                let slope = if clipped == value { 2.0 * clipped } else { 0.0 };
                accumulator_gradient[neuron] = output_gradient * weights[neuron] * slope;
            }
            add(row_mut(gradient, FEATURE_BIASES), &accumulator_gradient);
            for &feature in &perspective.features[..perspective.count] {
                add(
                    row_mut(gradient, usize::from(feature) * HIDDEN),
                    &accumulator_gradient,
                );
            }
        }
    }

    /// Clips the weights to the range that can be quantised.
    pub fn clip(&mut self) {
        for weight in &mut self.parameters[..OUTPUT_BIASES] {
            *weight = weight.clamp(-MAX_WEIGHT, MAX_WEIGHT);
        }
    }

    /// Quantises the parameters for the engine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let quantise = |(index, weight): (usize, &f32)| {
            let one = match index {
                0..OUTPUT_WEIGHTS => QA,
                OUTPUT_WEIGHTS..OUTPUT_BIASES => QB,
                _ => QA * QB,
            };
            ((weight * one as f32).round() as i16).to_le_bytes()
        };
        self.parameters
            .iter()
            .enumerate()
            .flat_map(quantise)
            .collect()
    }
}

/// Where the output weights of a bucket and perspective begin.
fn output_row(bucket: usize, perspective: usize) -> usize {
    OUTPUT_WEIGHTS + (2 * bucket + perspective) * HIDDEN
}

fn row(parameters: &[f32], start: usize) -> &HiddenRow {
    parameters[start..].first_chunk().expect("a row is whole")
}

fn row_mut(parameters: &mut [f32], start: usize) -> &mut HiddenRow {
    parameters[start..]
        .first_chunk_mut()
        .expect("a row is whole")
}

fn add(sums: &mut HiddenRow, row: &HiddenRow) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use ninesixty::search::evaluation::nnue::FILE_BYTES;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Compares backpropagation with finite differences, for parameters of every kind.
    #[test]
    fn the_gradient_is_the_derivative_of_the_output() {
        const STEP: f32 = 1e-2;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(960);
        let mut model = Model::random(&mut rng);
        let board: Board = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
            .parse()
            .unwrap();
        let pass = model.forward(&board);
        let mut gradient = vec![0.0; PARAMETERS];
        model.backward(&pass, 1.0, &mut gradient);
        let feature = usize::from(pass.perspectives[0].features[0]) * HIDDEN;
        let starts = [
            feature,
            FEATURE_BIASES,
            output_row(pass.bucket, 0),
            output_row(pass.bucket, 1),
        ];
        // Where the activation is clipped to 1, it has no derivative.
        let is_smooth = |neuron: usize| {
            let mut perspectives = pass.perspectives.iter();
            perspectives
                .all(|perspective| (perspective.accumulator[neuron] - 1.0).abs() > 2.0 * STEP)
        };
        let neurons: Vec<usize> = (0..HIDDEN).filter(|&neuron| is_smooth(neuron)).collect();
        let checked = starts
            .iter()
            .flat_map(|start| neurons.iter().take(16).map(move |neuron| start + neuron));
        let mut nonzero = 0;
        for index in checked.chain([OUTPUT_BIASES + pass.bucket]) {
            let original = model.parameters[index];
            let mut output_at = |value| {
                model.parameters[index] = value;
                model.forward(&board).output
            };
            let difference = output_at(original + STEP) - output_at(original - STEP);
            output_at(original);
            let (expected, found) = (difference / (2.0 * STEP), gradient[index]);
            assert!(
                (expected - found).abs() < 0.02 * found.abs() + 0.1,
                "parameter {index}: {expected} and {found}"
            );
            nonzero += usize::from(found != 0.0);
        }
        assert!(nonzero > 20, "{nonzero}");
    }

    #[test]
    fn quantised_parameters_fill_the_engines_file() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(960);
        let bytes = Model::random(&mut rng).to_bytes();
        assert_eq!(bytes.len(), FILE_BYTES);
        // The first feature bias, 0.1, in units of 1 / QA.
        let at = 2 * FEATURE_BIASES;
        assert_eq!(i16::from_le_bytes([bytes[at], bytes[at + 1]]), 26);
    }
}
