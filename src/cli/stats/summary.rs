//! The messages after a count: what was read, what was rejected and why, and whether the starts differ by more than chance.

use anyhow::anyhow;
use ninesixty::pgn::ReadError;
use ninesixty::stats::{
    HomogeneityTest, MIN_GAMES_TO_COMPARE, Metric, StartComparison, StartTally, Tally,
};
use ninesixty::table::escape_control;

use crate::cli::console::Console;
use crate::cli::exit::{Answer, Failure, OrFail};

/// Prints how many games were counted and why others were not.
pub fn print(tally: &Tally, console: &Console) {
    let summary = &tally.summary;
    console.info(format!(
        "{} games read: {} counted, {} filtered out, {} duplicates, {} rejected",
        summary.read,
        summary.counted,
        summary.filtered,
        summary.duplicates,
        summary.rejected_games()
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
        .map(|tally| tally.sum(Metric::Repaired))
        .sum();
    if repaired > 0 {
        console.info(format!(
            "{repaired} games had missing castling rights restored"
        ));
    }
    let (comparisons, test) = StartComparison::of_all(&tallies);
    if let Some(test) = test {
        let differing = comparisons.iter().flatten().filter(|c| c.p_adjusted < 0.05);
        console.info(homogeneity_message(&test, differing.count()));
    }
}

/// Whether the starts differ, in words.
fn homogeneity_message(test: &HomogeneityTest, differing: usize) -> String {
    let verdict = if test.p < 0.01 {
        "they differ by more than chance"
    } else {
        "they differ by no more than chance, so a ranking of them would be noise"
    };
    format!(
        "{} starts with at least {MIN_GAMES_TO_COMPARE} rated games ({} games in all): White's score beyond the expected \
         score has a standard deviation of {:.5} between starts, chance alone gives {:.5}: {verdict} (p = {:.3}); \
         {differing} starts differ from the average at the 0.05 level after correction",
        test.starts, test.games, test.observed, test.by_chance, test.p
    )
}

/// Reports damaged files; the first one is the error that the program exits with.
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
