//! What the network is good for: the order of the starts.
//!
//! The starts are searched by engines that differ in what they know, and their scores are laid beside those of
//! `data/stockfish18.csv`, from which nothing was learned. The teacher's own judgement, where it is there, shows how
//! far a network could get that has learned everything.

use std::error::Error;
use std::num::NonZeroUsize;

use ninesixty::chess::Board;
use ninesixty::search::evaluation::TERMS;
use ninesixty::search::{Agreement, Engine, Limits};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::ablation::material_and_squares;
use crate::teacher::Teacher;

const TABLE: &str = include_str!("../../data/stockfish18.csv");
const TABLE_BYTES: usize = 16 << 20;

/// How often the starts are drawn anew to see by how much chance might change the result.
const DRAWS: usize = 2_000;

struct Known {
    board: Board,
    score: f64,
    best: String,
}

/// Searches every n-th start with so many nodes.
pub fn measure(
    nodes: u64,
    every: NonZeroUsize,
    teacher: Option<Teacher>,
) -> Result<(), Box<dyn Error>> {
    let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_records();
    let known = rows.step_by(every.get()).map(|row| {
        let row = row?;
        Ok(Known {
            board: row[2].parse()?,
            score: row[3].parse()?,
            best: row[4].to_owned(),
        })
    });
    let known: Vec<Known> = known.collect::<Result<_, Box<dyn Error>>>()?;
    compare("material and squares", &known, nodes, || {
        Engine::with_judge(TABLE_BYTES, Box::new(material_and_squares()))
    });
    compare("all terms", &known, nodes, || {
        Engine::with_judge(TABLE_BYTES, Box::new(TERMS.clone()))
    });
    compare("terms and network", &known, nodes, || {
        Engine::new(TABLE_BYTES)
    });
    if let Some(teacher) = teacher {
        compare("the teacher", &known, nodes, || {
            Engine::with_judge(TABLE_BYTES, Box::new(teacher.twin()))
        });
    }
    Ok(())
}

fn compare(name: &str, known: &[Known], nodes: u64, engine: impl Fn() -> Engine + Sync + Send) {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let search = |engine: &mut Engine, known: &Known| {
        engine.clear();
        let found = engine.search(&[known.board], &limits, 1, &|| false, &mut |_| {});
        let best = &found.lines[0];
        let score = best.score.centipawns().map_or(f64::NAN, f64::from);
        (
            (score, known.score),
            best.moves[0].to_string() == known.best,
        )
    };
    let found = known.par_iter().map_init(engine, search);
    let (scores, same): (Vec<(f64, f64)>, Vec<bool>) =
        found.collect::<Vec<_>>().into_iter().unzip();
    let agreement = Agreement::of(&scores);
    let [low, high] = interval(&scores);
    println!(
        "{name:20} Spearman {:.3} ({low:.2} to {high:.2}), Pearson {:.3}, same move in {} of {}",
        agreement.spearman,
        agreement.pearson,
        same.iter().filter(|&&same| same).count(),
        known.len()
    );
}

/// Where 95 of 100 Spearman correlations are when as many starts are drawn from these, with repetitions.
fn interval(scores: &[(f64, f64)]) -> [f64; 2] {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
    let mut draw = || {
        let drawn = (0..scores.len()).map(|_| scores[random.random_range(0..scores.len())]);
        Agreement::of(&drawn.collect::<Vec<_>>()).spearman
    };
    let mut drawn: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
    drawn.sort_by(f64::total_cmp);
    [drawn[DRAWS / 40], drawn[DRAWS - 1 - DRAWS / 40]]
}
