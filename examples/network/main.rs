//! Makes the network of the evaluation: positions, what Stockfish's own network says of them, and weights.
//!
//!     network gather NET SEED COUNT FILE      positions of games, judged by the network in the file NET
//!     network train EPOCHS STEP FILE DATA…    weights, from the positions in the files DATA
//!     network measure NODES [EVERY]           what the engine with them says of the starts, beside Stockfish's scores
//!     network chances GAMES NODES             the model of winning, drawing and losing, from games of the engine
//!
//! `scripts/make-network` runs all of it.

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
use record::Record;
use teacher::Teacher;
use training::Samples;

const USAGE: &str = "usage: network gather NET SEED COUNT FILE
       network train EPOCHS STEP FILE DATA…
       network measure NODES [EVERY]
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
        ["measure", nodes] => measure::measure(nodes.parse()?, 1),
        ["measure", nodes, every] => {
            measure::measure(nodes.parse()?, every.parse::<NonZeroUsize>()?.get())
        }
        ["chances", games, nodes] => {
            chances::fit(games.parse()?, nodes.parse()?);
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}

/// Around each position of a game in its opening, so many walks are gone.
const WALKS: usize = 24;

fn gather(mut teacher: Teacher, seed: u32, count: usize, file: &str) -> Result<(), Box<dyn Error>> {
    let mut games = Games::new(seed.into());
    let mut file = BufWriter::new(File::create(file)?);
    let mut records = Vec::new();
    let mut gathered = 0;
    // Games of other seeds have other numbers.
    let first_game = seed.wrapping_mul(10_000_000);
    for game in first_game.. {
        games.play(WALKS, |board, ply| {
            let value = teacher.centipawns(board);
            if is_wanted(board, value) {
                records.push(Record::new(board, value as i16, ply, game));
            }
        });
        gathered += records.len();
        for record in records.drain(..) {
            record.write(&mut file)?;
        }
        if gathered >= count {
            break;
        }
    }
    Ok(file.flush()?)
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
