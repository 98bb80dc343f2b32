//! The messages after a count: what was read, what was rejected and why, and whether the starts differ by more than chance.

use anyhow::anyhow;
use ninesixty::pgn::ReadError;
use ninesixty::stats::{Comparison, FEWEST_GAMES, Measure, Noise, StartTally, Tally};
use ninesixty::table::escape_control;

use crate::cli::console::Console;
use crate::cli::exit::{Answer, Failure, OrFail};

/// Prints what became of the games.
pub fn print(tally: &Tally, console: &Console) {
    let summary = &tally.summary;
    let rejected: u64 = summary
        .rejected
        .values()
        .fold(0, |sum: u64, rejected| sum.saturating_add(rejected.games));
    console.info(format!(
        "{} games read: {} counted, {} filtered out, {} duplicates, {rejected} rejected",
        summary.read, summary.counted, summary.filtered, summary.duplicates
    ));
    for (reason, rejected) in &summary.rejected {
        console.info(format!(
            "  {}: {reason}; the first is in {}, byte {}",
            rejected.games,
            escape_control(&rejected.path),
            rejected.byte
        ));
    }
    let tallies: Vec<&StartTally> = tally.starts.values().collect();
    let repaired: u64 = tallies
        .iter()
        .map(|tally| tally.sum(Measure::Repaired))
        .sum();
    if repaired > 0 {
        console.info(format!(
            "{repaired} games had missing castling rights restored"
        ));
    }
    let (comparisons, noise) = Comparison::of(&tallies);
    if let Some(noise) = noise {
        let differing = comparisons.iter().flatten().filter(|c| c.p_adjusted < 0.05);
        console.info(on_noise(&noise, differing.count()));
    }
}

/// How much the starts differ, in words.
fn on_noise(noise: &Noise, differing: usize) -> String {
    let verdict = if noise.p < 0.01 {
        "more than chance explains"
    } else {
        "no more than chance explains, so a ranking of them would be noise"
    };
    format!(
        "{} starts with {FEWEST_GAMES} rated games or more ({} in all) differ in White's score beyond expectation by a \
         standard deviation of {:.5}, where {:.5} comes by chance: {verdict} (p = {:.3}); {differing} differ from the \
         average start at the level of 0.05 after correction",
        noise.starts, noise.games, noise.observed, noise.by_chance, noise.p
    )
}

/// The answer of a count in which these files were damaged.
pub fn damage(damage: Vec<ReadError>, console: &Console) -> Result<Answer, Failure> {
    let mut damage = damage.into_iter().map(anyhow::Error::from);
    let Some(first) = damage.next() else {
        return Ok(Answer::Yes);
    };
    for error in damage {
        console.warn(format!("error: {}", escape_control(&format!("{error:#}"))));
    }
    Err(anyhow!(first)).or_input()
}
