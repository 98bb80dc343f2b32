//! A search of chosen starts with the embedded engine, and its table.
//!
//! `cargo run --release --example search_starts -- sample:8 10`

use std::env;
use std::error::Error;
use std::io::stdout;

use ninesixty::job::{Positions, SearchJob};
use ninesixty::run::{Cancel, Outcome, RunOptions, execute};
use ninesixty::search::SearchLimits;
use ninesixty::table::{self, Format};

const HASH_BYTES: usize = 16 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let selection = arguments.next().unwrap_or("sample:4".to_owned());
    let depth: u32 = arguments.next().unwrap_or("8".to_owned()).parse()?;

    let limits = SearchLimits {
        depth: Some(depth),
        ..SearchLimits::default()
    };
    let lines = 1;
    let job = SearchJob::new(Positions::starts(&selection)?, limits, lines, HASH_BYTES);
    let outcome = execute(&job, &RunOptions::default(), Cancel::NEVER, &|_| ())?;
    if let Outcome::Complete(complete) = outcome {
        table::write(&job.table(&complete.report), Format::Md, &mut stdout())?;
        println!("\n{}", complete.report.summary());
    }
    Ok(())
}
