//! Trains the network on positions labelled by the teacher.
//!
//! The network learns what the hand-crafted evaluation lacks of the teacher's value. The loss is the squared error of
//! the expected score, minimised in mini-batches with Adam (Kingma and Ba, 2014) and a cosine learning-rate schedule.
//! One game in a hundred is held out for validation.

use std::f32::consts::PI;
use std::time::Instant;

use ninesixty::chess::{Board, Color, Packed};
use ninesixty::search::Correlation;
use ninesixty::search::evaluation::{TERMS, evaluate};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::model::{Model, PARAMETERS};
use crate::record::Record;

const BATCH: usize = 16_384;
/// A batch is split into this many parts for threads. The number is fixed, so that the sums are always added in the
/// same order.
const BATCH_PARTS: usize = 2;
/// One of this many games is held out for validation.
const VALIDATION_GAMES: u32 = 100;

/// The scale of the logistic curve from centipawns to the expected score.
const SIGMOID_SCALE: f32 = 180.0;

/// Validation reports balanced openings separately: they are what the network is for.
const OPENING_PLIES: u16 = 24;
const BALANCED_CP: i16 = 150;

struct Sample {
    packed: Packed,
    /// The teacher's value, and that of the hand-crafted evaluation.
    teacher: i16,
    terms: i16,
    is_balanced_opening: bool,
}

impl Sample {
    fn new(record: &Record) -> Sample {
        let terms = evaluate(&TERMS, &record.board);
        Sample {
            packed: record.board.pack(),
            teacher: record.value,
            terms: terms.clamp(-3_000, 3_000) as i16,
            is_balanced_opening: record.ply <= OPENING_PLIES && record.value.abs() < BALANCED_CP,
        }
    }

    fn board(&self) -> Board {
        Board::unpack(self.packed, Color::White)
    }

    /// The error of the expected score for a network output, and the derivative of half its square by the output.
    fn error(&self, output: f32) -> (f32, f32) {
        let expected = expected_score(f32::from(self.terms) + output);
        let error = expected - expected_score(self.teacher.into());
        (error, error * expected * (1.0 - expected) / SIGMOID_SCALE)
    }
}

/// The expected score of a game, 0 to 1.
pub fn expected_score(centipawns: f32) -> f32 {
    1.0 / (1.0 + (-centipawns / SIGMOID_SCALE).exp())
}

/// Positions to train on, and those of other games for validation.
#[derive(Default)]
pub struct Dataset {
    training: Vec<Sample>,
    validation: Vec<Sample>,
}

impl Dataset {
    pub fn add(&mut self, records: impl Iterator<Item = Record>) {
        for record in records {
            let is_validation = record.game.is_multiple_of(VALIDATION_GAMES);
            let samples = if is_validation {
                &mut self.validation
            } else {
                &mut self.training
            };
            samples.push(Sample::new(&record));
        }
    }
}

/// Trains a network from random weights, and prints the validation loss after each epoch.
pub fn train(dataset: Dataset, epochs: usize, learning_rate: f32) -> Model {
    let Dataset {
        mut training,
        validation,
    } = dataset;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(960);
    let mut model = Model::random(&mut rng);
    println!(
        "{} training positions, {} validation positions",
        training.len(),
        validation.len()
    );
    validate(&model, &validation);
    let mut adam = Adam::new(learning_rate, epochs * (training.len() / BATCH));
    let started = Instant::now();
    for epoch in 1..=epochs {
        training.shuffle(&mut rng);
        for batch in training.chunks_exact(BATCH) {
            let gradient = gradient(&model, batch);
            adam.step(&mut model, &gradient);
        }
        print!("{epoch:3} {:5} s  ", started.elapsed().as_secs());
        validate(&model, &validation);
    }
    model
}

/// The sum of the gradients of a batch.
fn gradient(model: &Model, batch: &[Sample]) -> Vec<f32> {
    let parts = batch.par_chunks(BATCH / BATCH_PARTS).map(|part| {
        let mut gradient = vec![0.0; PARAMETERS];
        for sample in part {
            let pass = model.forward(&sample.board());
            let (_, output_gradient) = sample.error(pass.output);
            model.backward(&pass, output_gradient, &mut gradient);
        }
        gradient
    });
    let parts: Vec<Vec<f32>> = parts.collect();
    let mut parts = parts.into_iter();
    let mut sum = parts.next().expect("a batch is not empty");
    for part in parts {
        for (sum, value) in sum.iter_mut().zip(part) {
            *sum += value;
        }
    }
    sum
}

/// The Adam optimiser: running means of the gradient and of its square.
struct Adam {
    learning_rate: f32,
    total_steps: usize,
    steps: usize,
    first_moment: Vec<f32>,
    second_moment: Vec<f32>,
}

impl Adam {
    const BETA1: f32 = 0.9;
    const BETA2: f32 = 0.999;
    /// Avoids division by zero.
    const EPSILON: f32 = 1e-8;
    /// The learning rate does not fall below this share of the initial one.
    const MIN_RATE: f32 = 0.005;

    fn new(learning_rate: f32, total_steps: usize) -> Adam {
        Adam {
            learning_rate,
            total_steps,
            steps: 0,
            first_moment: vec![0.0; PARAMETERS],
            second_moment: vec![0.0; PARAMETERS],
        }
    }

    fn step(&mut self, model: &mut Model, gradient: &[f32]) {
        self.steps += 1;
        let progress = self.steps as f32 / self.total_steps as f32;
        let rate = self.learning_rate * (0.5 * (1.0 + (PI * progress).cos())).max(Adam::MIN_RATE);
        let bias_correction = |beta: f32| 1.0 - beta.powi(self.steps.min(1 << 20) as i32);
        let (first_correction, second_correction) =
            (bias_correction(Adam::BETA1), bias_correction(Adam::BETA2));
        let moments = self.first_moment.iter_mut().zip(&mut self.second_moment);
        for ((weight, slope), (first, second)) in
            model.parameters.iter_mut().zip(gradient).zip(moments)
        {
            let slope = slope / BATCH as f32;
            *first += (1.0 - Adam::BETA1) * (slope - *first);
            *second += (1.0 - Adam::BETA2) * (slope * slope - *second);
            let direction = *first / first_correction;
            *weight -= rate * direction / ((*second / second_correction).sqrt() + Adam::EPSILON);
        }
        model.clip();
    }
}

/// Prints the validation loss, and how close the terms with and without the network are to the teacher in balanced
/// openings.
fn validate(model: &Model, validation: &[Sample]) {
    let outputs: Vec<f32> = validation
        .par_iter()
        .map(|sample| model.forward(&sample.board()).output)
        .collect();
    let errors = validation
        .iter()
        .zip(&outputs)
        .map(|(sample, &output)| sample.error(output).0);
    let loss = errors.map(|error| f64::from(error * error)).sum::<f64>() / validation.len() as f64;
    let openings = || {
        validation
            .iter()
            .zip(&outputs)
            .filter(|(sample, _)| sample.is_balanced_opening)
    };
    let terms = openings().map(|(sample, _)| (sample.terms.into(), sample.teacher.into()));
    let both = openings().map(|(sample, &output)| {
        (
            f64::from(f32::from(sample.terms) + output),
            sample.teacher.into(),
        )
    });
    println!(
        "loss {loss:.6}; openings: terms {}, with the network {}",
        GoodnessOfFit::new(terms),
        GoodnessOfFit::new(both)
    );
}

/// How close an evaluation is to the teacher's.
struct GoodnessOfFit {
    pearson: f64,
    /// The root mean square error, in centipawns.
    rmse: f64,
}

impl GoodnessOfFit {
    fn new(pairs: impl Iterator<Item = (f64, f64)>) -> GoodnessOfFit {
        let pairs: Vec<(f64, f64)> = pairs.collect();
        let squares = pairs.iter().map(|(a, b)| (a - b).powi(2));
        GoodnessOfFit {
            pearson: Correlation::of(&pairs).pearson,
            rmse: (squares.sum::<f64>() / pairs.len() as f64).sqrt(),
        }
    }
}

impl std::fmt::Display for GoodnessOfFit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "r {:.3} rmse {:.1}", self.pearson, self.rmse)
    }
}
