//! `ninesixty random`: random starts, drawn by id or with dice.

use std::io::Write;

use clap::{Args as ClapArgs, value_parser};
use ninesixty::chess::Board;
use ninesixty::start::{BackRank, DiceRecord, Letters, StartId};
use ninesixty::table::{self, CommandText, Table, WriteError};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::console::Console;
use super::exit::{Answer, Failure};
use super::list::LettersArgs;
use super::output::OutputArgs;

/// Draw random starts, each of the 960 equally likely
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  ninesixty random --count 3
  ninesixty random --dice --seed 960")]
pub struct Args {
    /// How many starts to draw
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Seed of the random numbers: the same seed draws the same starts [default: random]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Roll dice to place the pieces, and show the rolls
    #[arg(long)]
    dice: bool,
    #[command(flatten)]
    letters: LettersArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A random start, with its rolls if it was drawn with dice.
struct Drawn {
    back_rank: BackRank,
    dice: Option<DiceRecord>,
}

pub fn run(args: &Args, console: &Console) -> Result<Answer, Failure> {
    let seed = args.seed.unwrap_or_else(random_seed);
    console.detail(format!("drawing with --seed {seed}"));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let drawn: Vec<Drawn> = (0..args.count)
        .map(|_| draw(&mut random, args.dice))
        .collect();
    let letters = args.letters.letters;
    if args.dice && args.output.is_text() {
        args.output
            .write_with(|out| write_rolls(out, &drawn, letters))?;
    } else {
        let command = CommandText::new("random")
            .flag("--count", args.count)
            .flag("--seed", seed)
            .switch("--dice", args.dice)
            .flag("--letters", letters);
        args.output
            .write(&table(command, &drawn, letters, args.dice))?;
    }
    Ok(Answer::Yes)
}

/// A seed from the randomness of the operating system.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds its hash tables with it.
    RandomState::new().hash_one(())
}

fn draw(random: &mut Xoshiro256PlusPlus, dice: bool) -> Drawn {
    if dice {
        let record = DiceRecord::random(random);
        Drawn {
            back_rank: record.back_rank,
            dice: Some(record),
        }
    } else {
        Drawn {
            back_rank: BackRank::from(StartId::random(random)),
            dice: None,
        }
    }
}

/// Writes each start after the rolls that led to it.
fn write_rolls(out: &mut dyn Write, drawn: &[Drawn], letters: Letters) -> Result<(), WriteError> {
    for Drawn { back_rank, dice } in drawn {
        for throw in dice.iter().flat_map(|record| &record.throws) {
            writeln!(out, "{throw}")?;
        }
        let start = back_rank.id();
        writeln!(out, "start {start}: {}", letters.write(*back_rank))?;
        writeln!(out, "{}", Board::from_start(start).x_fen())?;
    }
    Ok(())
}

fn table(command: CommandText, drawn: &[Drawn], letters: Letters, dice: bool) -> Table {
    type Column = table::Column<Drawn>;
    let mut columns = vec![
        Column::new("id", |drawn| drawn.back_rank.id().number().into()),
        Column::new("back_rank", move |drawn| {
            letters.write(drawn.back_rank).into()
        }),
        Column::new("fen", |drawn| {
            Board::from_start(drawn.back_rank.id()).x_fen().into()
        }),
    ];
    if dice {
        columns.push(Column::new("throws", |drawn| {
            drawn.dice.as_ref().map(throws).into()
        }));
    }
    Table::from_rows("ninesixty.random/1", command, &columns, drawn)
}

/// The numbers of all rolls, including those that were repeated.
fn throws(record: &DiceRecord) -> String {
    let spots = record.throws.iter().map(|throw| throw.die.to_string());
    spots.collect::<Vec<_>>().join(" ")
}
