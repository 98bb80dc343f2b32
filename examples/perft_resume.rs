//! Perft of chosen starts on all cores, with progress. Interrupt it and run it again: it goes on from the ledger.
//!
//! `cargo run --release --example perft_resume -- 0-9 6 perft.jsonl`

use std::env;
use std::error::Error;
use std::io::stdout;
use std::sync::atomic::{AtomicUsize, Ordering};

use ninesixty::chess::Board;
use ninesixty::job::{PerftJob, PerftKind, Positions};
use ninesixty::run::{Cancel, Event, Outcome, RunOptions, execute};
use ninesixty::table::{self, Format};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let selection = arguments.next().unwrap_or("0-3,518".to_owned());
    let depth: u32 = arguments.next().unwrap_or("4".to_owned()).parse()?;
    let ledger = arguments.next().map(Into::into);

    let positions: Positions<Board> = Positions::starts(&selection)?;
    let total = positions.len();
    let job = PerftJob::new(positions, PerftKind::Nodes, depth.try_into()?);
    let done = AtomicUsize::new(0);
    let progress = |event: Event| match event {
        Event::Resumed { finished, .. } => {
            done.store(finished, Ordering::Relaxed);
            eprintln!("{finished} of {total} were finished before");
        }
        Event::Finished(task) => {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            eprintln!("{done}/{total}: {}", task.name());
        }
        _ => {}
    };
    let options = RunOptions {
        ledger,
        ..RunOptions::default()
    };
    // Set the flag of a `Cancel::new()`, for example on Ctrl-C, to end early with a valid ledger.
    if let Outcome::Complete(complete) = execute(&job, &options, Cancel::NEVER, &progress)? {
        table::write(&job.table(&complete.report), Format::Md, &mut stdout())?;
    }
    Ok(())
}
