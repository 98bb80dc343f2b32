//! How well the engine orders the starts, with and without the network.
//!
//! The starts are searched with different evaluations, and the scores are correlated with those of
//! `data/stockfish18.csv`, which no training has used. The teacher's own evaluation shows the most that a perfectly
//! trained network could reach.

use std::error::Error;
use std::num::NonZeroUsize;

use ninesixty::chess::Board;
use ninesixty::search::evaluation::TERMS;
use ninesixty::search::{Correlation, Engine, SearchLimits, SearchOptions};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::ablation::basic_terms;
use crate::teacher::Teacher;

const STOCKFISH_SCORES: &str = include_str!("../../../data/stockfish18.csv");
const TT_BYTES: usize = 16 << 20;

/// Bootstrap resamples for the confidence interval.
const RESAMPLES: usize = 2_000;

struct ReferenceScore {
    board: Board,
    centipawns: f64,
    best_move: String,
}

/// Searches every n-th start with this many nodes and prints the correlations.
pub fn measure(
    nodes: u64,
    every: NonZeroUsize,
    teacher: Option<Teacher>,
) -> Result<(), Box<dyn Error>> {
    let rows = csv::Reader::from_reader(STOCKFISH_SCORES.as_bytes()).into_records();
    let references = rows.step_by(every.get()).map(|row| {
        let row = row?;
        Ok(ReferenceScore {
            board: row[2].parse()?,
            centipawns: row[3].parse()?,
            best_move: row[4].to_owned(),
        })
    });
    let references: Vec<ReferenceScore> = references.collect::<Result<_, Box<dyn Error>>>()?;
    compare("material and PSQT", &references, nodes, || {
        Engine::with_evaluator(TT_BYTES, Box::new(basic_terms()))
    });
    compare("all terms", &references, nodes, || {
        Engine::with_evaluator(TT_BYTES, Box::new(TERMS.clone()))
    });
    compare("terms and NNUE", &references, nodes, || {
        Engine::new(TT_BYTES)
    });
    if let Some(teacher) = teacher {
        compare("the teacher", &references, nodes, || {
            Engine::with_evaluator(TT_BYTES, Box::new(teacher.with_own_accumulators()))
        });
    }
    Ok(())
}

fn compare(
    name: &str,
    references: &[ReferenceScore],
    nodes: u64,
    engine: impl Fn() -> Engine + Sync + Send,
) {
    let options = SearchOptions {
        limits: SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        },
        ..SearchOptions::default()
    };
    let search = |engine: &mut Engine, reference: &ReferenceScore| {
        engine.clear();
        let result = engine.search(&[reference.board], &options, &mut |_| {});
        let best = &result.lines[0];
        let centipawns = best.score.centipawns().map_or(f64::NAN, f64::from);
        (
            (centipawns, reference.centipawns),
            best.moves[0].to_string() == reference.best_move,
        )
    };
    let results = references.par_iter().map_init(engine, search);
    let (scores, same_moves): (Vec<(f64, f64)>, Vec<bool>) =
        results.collect::<Vec<_>>().into_iter().unzip();
    let correlation = Correlation::of(&scores);
    let [low, high] = confidence_interval(&scores);
    println!(
        "{name:20} Spearman {:.3} ({low:.2} to {high:.2}), Pearson {:.3}, same move in {} of {}",
        correlation.spearman,
        correlation.pearson,
        same_moves.iter().filter(|&&same| same).count(),
        references.len()
    );
}

/// The bootstrap 95 % confidence interval of the Spearman correlation.
fn confidence_interval(scores: &[(f64, f64)]) -> [f64; 2] {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(960);
    let mut resample = || {
        let resampled = (0..scores.len()).map(|_| scores[rng.random_range(0..scores.len())]);
        Correlation::of(&resampled.collect::<Vec<_>>()).spearman
    };
    let mut values: Vec<f64> = (0..RESAMPLES).map(|_| resample()).collect();
    values.sort_by(f64::total_cmp);
    [
        values[RESAMPLES / 40],
        values[RESAMPLES - 1 - RESAMPLES / 40],
    ]
}
