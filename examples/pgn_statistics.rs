//! The games of a PGN file: visited one by one, then counted per start on all cores.
//!
//! `cargo run --release --example pgn_statistics -- games.pgn.zst`

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::io::stdout;
use std::path::PathBuf;

use ninesixty::job::{StatsJob, find_inputs};
use ninesixty::pgn;
use ninesixty::run::{Cancel, Outcome, RunOptions, execute};
use ninesixty::stats::StatsSettings;
use ninesixty::table::{self, Format};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/pgn/mainz-2009.pgn");

fn main() -> Result<(), Box<dyn Error>> {
    let path: PathBuf = env::args_os().nth(1).unwrap_or(SAMPLE.into()).into();

    let mut by_player: BTreeMap<String, u32> = BTreeMap::new();
    let games = pgn::for_each_game(&path, |game| {
        let winner = match &*game.result() {
            "1-0" => game.white(),
            "0-1" => game.black(),
            _ => return,
        };
        *by_player.entry(winner).or_default() += 1;
    })?;
    println!("{games} games; wins: {by_player:?}\n");

    let job = StatsJob::new(find_inputs(&[path])?, StatsSettings::everything(8));
    let outcome = execute(&job, &RunOptions::default(), Cancel::NEVER, &|_| ())?;
    if let Outcome::Complete(complete) = outcome {
        let all_columns = false;
        let table = job.table(&complete.report.tally, all_columns);
        table::write(&table, Format::Md, &mut stdout())?;
    }
    Ok(())
}
