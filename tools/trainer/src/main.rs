//! Trains and measures the evaluation of the embedded engine.
//!
//!     ninesixty-trainer datagen NET SEED COUNT FILE
//!         generates training positions by self-play, labelled by the network in the file NET
//!     ninesixty-trainer train EPOCHS RATE FILE DATA…
//!         trains weights on the positions in the files DATA
//!     ninesixty-trainer measure NODES [EVERY [NET]]
//!         correlates the engine's scores of the starts with Stockfish's
//!     ninesixty-trainer ablate DATA
//!         measures what each term of the hand-crafted evaluation contributes
//!     ninesixty-trainer wdl GAMES NODES
//!         fits the win/draw/loss model to self-play games
//!
//! `scripts/make-network` runs the first three. The trainer is a package of its own, because users of the program never
//! need it.

mod ablation;
mod measure;
mod model;
mod record;
mod self_play;
mod teacher;
mod training;
mod wdl;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use ninesixty::chess::Board;
use ninesixty::search::evaluation::Evaluator;
use rayon::prelude::*;
use record::Record;
use self_play::SelfPlay;
use teacher::Teacher;
use training::Dataset;

const USAGE: &str = "usage: ninesixty-trainer datagen NET SEED COUNT FILE
       ninesixty-trainer train EPOCHS RATE FILE DATA…
       ninesixty-trainer measure NODES [EVERY [NET]]
       ninesixty-trainer ablate DATA
       ninesixty-trainer wdl GAMES NODES";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["datagen", teacher, seed, count, file] => {
            datagen(Teacher::read(teacher)?, seed.parse()?, count.parse()?, file)
        }
        ["train", epochs, rate, file, ref data @ ..] if !data.is_empty() => {
            train(epochs.parse()?, rate.parse()?, file, data)
        }
        ["measure", nodes] => measure::measure(nodes.parse()?, NonZeroUsize::MIN, None),
        ["measure", nodes, every] => measure::measure(nodes.parse()?, every.parse()?, None),
        ["measure", nodes, every, teacher] => {
            let teacher = Teacher::read(teacher)?;
            measure::measure(nodes.parse()?, every.parse()?, Some(teacher))
        }
        ["ablate", file] => {
            ablation::ablate(&Record::read(&fs::read(file)?).collect::<Vec<_>>());
            Ok(())
        }
        ["wdl", games, nodes] => {
            wdl::fit(games.parse()?, nodes.parse()?);
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}

/// Games played in parallel before their positions are written.
const GAMES_PER_ROUND: u32 = 128;

fn datagen(teacher: Teacher, seed: u32, count: usize, file: &str) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(file)?);
    let mut written = 0;
    // Different seeds use different game numbers.
    let mut game = seed.wrapping_mul(10_000_000);
    while written < count {
        let games: Vec<u32> = (game..).take(GAMES_PER_ROUND as usize).collect();
        let records = games.par_iter().map_init(
            || teacher.with_own_accumulators(),
            |teacher, &game| labelled_positions(teacher, game),
        );
        for record in records.collect::<Vec<_>>().concat() {
            record.write(&mut file)?;
            written += 1;
        }
        game += GAMES_PER_ROUND;
    }
    Ok(file.flush()?)
}

/// The training positions of a game, with the teacher's evaluation.
fn labelled_positions(teacher: &mut Teacher, game: u32) -> Vec<Record> {
    let mut records = Vec::new();
    SelfPlay::new(game.into()).play(|board, ply| {
        let value = teacher.evaluate(board);
        if is_kept(board, value) {
            records.push(Record::new(board, value as i16, ply, game));
        }
    });
    records
}

/// Keeps all balanced positions and some of the others.
fn is_kept(board: &Board, value: i32) -> bool {
    let hash = board.occupied().0 % 3;
    match value.abs() {
        0..200 => true,
        200..500 => hash > 0,
        500..1_500 => hash == 0,
        _ => false,
    }
}

fn train(epochs: usize, rate: f32, file: &str, data: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut dataset = Dataset::default();
    for path in data {
        dataset.add(Record::read(&fs::read(path)?));
    }
    let model = training::train(dataset, epochs, rate);
    Ok(fs::write(file, model.to_bytes())?)
}
