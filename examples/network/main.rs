//! Makes the network of the evaluation: positions, what Stockfish's own network says of them, and weights.
//!
//!     network gather NET SEED COUNT FILE      positions of games, judged by the network in the file NET
//!     network train EPOCHS STEP FILE DATA…    weights, from the positions in the files DATA
//!     network measure NODES [EVERY [NET]]     what the engine with them says of the starts, beside Stockfish's scores
//!     network ablate DATA                     how much further from the teacher the terms are without each of them
//!     network chances GAMES NODES             the model of winning, drawing and losing, from games of the engine
//!
//! `scripts/make-network` runs all of it.

mod ablation;
mod chances;
mod games;
mod measure;
mod model;
mod record;
mod teacher;
mod training;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use games::Games;
use ninesixty::chess::Board;
use ninesixty::search::evaluation::Judge;
use rayon::prelude::*;
use record::Record;
use teacher::Teacher;
use training::Samples;

const USAGE: &str = "usage: network gather NET SEED COUNT FILE
       network train EPOCHS STEP FILE DATA…
       network measure NODES [EVERY [NET]]
       network ablate DATA
       network chances GAMES NODES";

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
        ["gather", teacher, seed, count, file] => {
            gather(Teacher::read(teacher)?, seed.parse()?, count.parse()?, file)
        }
        ["train", epochs, step, file, ref data @ ..] if !data.is_empty() => {
            train(epochs.parse()?, step.parse()?, file, data)
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
        ["chances", games, nodes] => {
            chances::fit(games.parse()?, nodes.parse()?);
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}

/// So many games are played before their positions are written.
const ROUND: u32 = 128;

fn gather(teacher: Teacher, seed: u32, count: usize, file: &str) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(file)?);
    let mut gathered = 0;
    // Games of other seeds have other numbers.
    let mut game = seed.wrapping_mul(10_000_000);
    while gathered < count {
        let games: Vec<u32> = (game..).take(ROUND as usize).collect();
        let records = games
            .par_iter()
            .map_init(|| teacher.twin(), |teacher, &game| judged(teacher, game));
        for record in records.collect::<Vec<_>>().concat() {
            record.write(&mut file)?;
            gathered += 1;
        }
        game += ROUND;
    }
    Ok(file.flush()?)
}

/// The positions of a game, with what the teacher says.
fn judged(teacher: &mut Teacher, game: u32) -> Vec<Record> {
    let mut records = Vec::new();
    Games::new(game.into()).play(|board, ply| {
        let value = teacher.value(board);
        if is_wanted(board, value) {
            records.push(Record::new(board, value as i16, ply, game));
        }
    });
    records
}

/// All positions in which the game is open, and some of the others.
fn is_wanted(board: &Board, value: i32) -> bool {
    let lot = board.occupied().0 % 3;
    match value.abs() {
        0..200 => true,
        200..500 => lot > 0,
        500..1_500 => lot == 0,
        _ => false,
    }
}

fn train(epochs: usize, step: f32, file: &str, data: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut samples = Samples::default();
    for path in data {
        samples.add(Record::read(&fs::read(path)?));
    }
    let model = training::train(samples, epochs, step);
    Ok(fs::write(file, model.to_bytes())?)
}
