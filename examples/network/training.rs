//! From positions and what the teacher says of them to weights.
//!
//! The network is to add to the terms what they lack of the teacher's value. What is made small is the square of
//! the difference in expected score, in batches, with the step of Adam (Kingma and Ba, 2014), which gets shorter
//! towards the end. One game in a hundred is not learned from: what is said of it is how good the network is.

use std::f32::consts::PI;
use std::time::Instant;

use ninesixty::chess::{Board, Color, Packed};
use ninesixty::search::Agreement;
use ninesixty::search::evaluation::{TERMS, evaluate};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::model::{Model, WEIGHTS};
use crate::record::Record;

const BATCH: usize = 16_384;
/// A batch is shared out to so many threads, always the same number, so that the sums are always the same.
const SHARES: usize = 2;
const TESTED_GAMES: u32 = 100;

/// A score with which so much more is expected than half of the points that it is e : 1.
const SPREAD: f32 = 180.0;

/// Openings that are still open: what the test is about.
const OPENING_PLIES: u16 = 24;
const STILL_OPEN: i16 = 150;

struct Sample {
    packed: Packed,
    /// What the teacher says, and what the terms do.
    value: i16,
    terms: i16,
    is_opening: bool,
}

impl Sample {
    fn of(record: &Record) -> Sample {
        let terms = evaluate(&TERMS, &record.board);
        Sample {
            packed: record.board.pack(),
            value: record.value,
            terms: terms.clamp(-3_000, 3_000) as i16,
            is_opening: record.ply <= OPENING_PLIES && record.value.abs() < STILL_OPEN,
        }
    }

    fn board(&self) -> Board {
        Board::unpack(self.packed, Color::White)
    }

    fn error(&self, answer: f32) -> (f32, f32) {
        let expected = expectation(f32::from(self.terms) + answer);
        let error = expected - expectation(self.value.into());
        (error, error * expected * (1.0 - expected) / SPREAD)
    }
}

pub fn expectation(centipawns: f32) -> f32 {
    1.0 / (1.0 + (-centipawns / SPREAD).exp())
}

/// Positions to learn from, and those of other games to test what was learned.
#[derive(Default)]
pub struct Samples {
    lessons: Vec<Sample>,
    tests: Vec<Sample>,
}

impl Samples {
    pub fn add(&mut self, records: impl Iterator<Item = Record>) {
        for record in records {
            let is_test = record.game.is_multiple_of(TESTED_GAMES);
            let to = if is_test {
                &mut self.tests
            } else {
                &mut self.lessons
            };
            to.push(Sample::of(&record));
        }
    }
}

/// Learns from all samples, so many times over, and shows how it goes.
pub fn train(samples: Samples, epochs: usize, step: f32) -> Model {
    let Samples { mut lessons, tests } = samples;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
    let mut model = Model::at_random(&mut random);
    println!(
        "{} positions to learn from, {} to test",
        lessons.len(),
        tests.len()
    );
    report(&model, &tests);
    let mut adam = Adam::new(step, epochs * (lessons.len() / BATCH));
    let begun = Instant::now();
    for epoch in 1..=epochs {
        lessons.shuffle(&mut random);
        for batch in lessons.chunks_exact(BATCH) {
            let gradient = gradient(&model, batch);
            adam.follow(&mut model, &gradient);
        }
        print!("{epoch:3} {:5} s  ", begun.elapsed().as_secs());
        report(&model, &tests);
    }
    model
}

fn gradient(model: &Model, batch: &[Sample]) -> Vec<f32> {
    let shares = batch.par_chunks(BATCH / SHARES).map(|share| {
        let mut gradient = vec![0.0; WEIGHTS];
        for sample in share {
            let thought = model.think(&sample.board());
            let (_, slope) = sample.error(thought.answer);
            model.blame(&thought, slope, &mut gradient);
        }
        gradient
    });
    let shares: Vec<Vec<f32>> = shares.collect();
    let mut shares = shares.into_iter();
    let mut sum = shares.next().expect("a batch is not empty");
    for share in shares {
        for (sum, more) in sum.iter_mut().zip(share) {
            *sum += more;
        }
    }
    sum
}

/// Walks down a gradient with a memory of where it went before, and of how steep it was.
struct Adam {
    first_step: f32,
    steps: usize,
    taken: usize,
    direction: Vec<f32>,
    steepness: Vec<f32>,
}

impl Adam {
    const KEPT_DIRECTION: f32 = 0.9;
    const KEPT_STEEPNESS: f32 = 0.999;
    /// Nothing is divided by less.
    const LEAST: f32 = 1e-8;

    fn new(first_step: f32, steps: usize) -> Adam {
        Adam {
            first_step,
            steps,
            taken: 0,
            direction: vec![0.0; WEIGHTS],
            steepness: vec![0.0; WEIGHTS],
        }
    }

    fn follow(&mut self, model: &mut Model, gradient: &[f32]) {
        self.taken += 1;
        let done = self.taken as f32 / self.steps as f32;
        let step = self.first_step * (0.5 * (1.0 + (PI * done).cos())).max(0.005);
        let kept = |share: f32| 1.0 - share.powi(self.taken.min(1 << 20) as i32);
        let (direction_seen, steepness_seen) =
            (kept(Adam::KEPT_DIRECTION), kept(Adam::KEPT_STEEPNESS));
        let memory = self.direction.iter_mut().zip(&mut self.steepness);
        for ((weight, slope), (direction, steepness)) in
            model.weights.iter_mut().zip(gradient).zip(memory)
        {
            let slope = slope / BATCH as f32;
            *direction += (1.0 - Adam::KEPT_DIRECTION) * (slope - *direction);
            *steepness += (1.0 - Adam::KEPT_STEEPNESS) * (slope * slope - *steepness);
            let way = *direction / direction_seen;
            *weight -= step * way / ((*steepness / steepness_seen).sqrt() + Adam::LEAST);
        }
        model.limit();
    }
}

/// How near the terms with the network come to the teacher, and in openings, the terms alone too.
fn report(model: &Model, tests: &[Sample]) {
    let answers: Vec<f32> = tests
        .par_iter()
        .map(|test| model.think(&test.board()).answer)
        .collect();
    let errors = tests
        .iter()
        .zip(&answers)
        .map(|(test, &answer)| test.error(answer).0);
    let loss = errors.map(|error| f64::from(error * error)).sum::<f64>() / tests.len() as f64;
    let openings = || {
        tests
            .iter()
            .zip(&answers)
            .filter(|(test, _)| test.is_opening)
    };
    let terms = openings().map(|(test, _)| (test.terms.into(), test.value.into()));
    let both = openings()
        .map(|(test, &answer)| (f64::from(f32::from(test.terms) + answer), test.value.into()));
    println!(
        "loss {loss:.6}; openings: terms {}, with the network {}",
        Nearness::of(terms),
        Nearness::of(both)
    );
}

/// How alike two judgements are.
struct Nearness {
    correlation: f64,
    difference: f64,
}

impl Nearness {
    fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Nearness {
        let pairs: Vec<(f64, f64)> = pairs.collect();
        let squares = pairs.iter().map(|(a, b)| (a - b).powi(2));
        Nearness {
            correlation: Agreement::of(&pairs).pearson,
            difference: (squares.sum::<f64>() / pairs.len() as f64).sqrt(),
        }
    }
}

impl std::fmt::Display for Nearness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "r {:.3} rmse {:.1}", self.correlation, self.difference)
    }
}
