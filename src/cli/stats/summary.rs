//! What is said about a count besides its table: what was read, what was left out and why, and whether the starts differ by
//! more than chance.

use anyhow::anyhow;
use ninesixty::pgn::ReadError;
use ninesixty::stats::{Comparison, FEWEST_GAMES, Measure, Noise, StartTally, Tally};
use ninesixty::table::reveal;

use crate::cli::console::Console;
use crate::cli::exit::{Answer, Failure, OrFail};

/// Says what became of the games.
pub fn tell(tally: &Tally, console: &Console) {
    let summary = &tally.summary;
    let rejected: u64 = summary
        .rejected
        .values()
        .fold(0, |sum: u64, rejected| sum.saturating_add(rejected.games));
    console.say(format!(
        "{} games read: {} counted, {} filtered out, {} duplicates, {rejected} left out",
        summary.read, summary.counted, summary.filtered, summary.duplicates
    ));
    for (reason, rejected) in &summary.rejected {
        console.say(format!(
            "  {}: {reason}; the first is in {}, byte {}",
            rejected.games,
            reveal(&rejected.path),
            rejected.byte
        ));
    }
    let tallies: Vec<&StartTally> = tally.starts.values().collect();
    let repaired: u64 = tallies
        .iter()
        .map(|tally| tally.sum(Measure::Repaired))
        .sum();
    if repaired > 0 {
        console.say(format!(
            "{repaired} games had their castling rights repaired"
        ));
    }
    let (comparisons, noise) = Comparison::of(&tallies);
    if let Some(noise) = noise {
        let differing = comparisons.iter().flatten().filter(|c| c.p_adjusted < 0.05);
        console.say(on_noise(&noise, differing.count()));
    }
}

/// How much the starts differ, in words.
fn on_noise(noise: &Noise, differing: usize) -> String {
    let verdict = if noise.p < 0.01 {
        "more than chance explains"
    } else {
        "no more than chance explains, so that a ranking of them would be noise"
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
        console.alarm(format!("error: {}", reveal(&format!("{error:#}"))));
    }
    Err(anyhow!(first)).or_input()
}
