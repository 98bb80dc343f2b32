//! `--check`: some of the positions counted again in other ways.

use ninesixty::perft::Merger;
use ninesixty::perft::{Sharing, unmerged};
use ninesixty::run::Stop;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::console::Console;
use super::super::exit::{Answer, Failure, OrFail};
use super::super::game::Game;
use super::counts::{Crew, Row};

/// What an unmerged count and another generator's may cost, in nodes.
const UNMERGED_NODES: u128 = 10_000_000_000;
const ELSEWHERE_NODES: u128 = 50_000_000;

/// Counts so many of the rows again: with transpositions kept in another order, without merging as deep as
/// that is affordable, and with another generator, if there is one, as deep as that is.
pub fn run<G: Game>(
    rows: &[Row<G>],
    count: usize,
    crew: &Crew,
    stop: &Stop,
    console: &Console,
) -> Result<Answer, Failure> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
    let mut merger = crew.with_another_seed();
    let (mut recounted, mut differing) = (0, 0);
    let sample: Vec<&Row<G>> = rows.sample(&mut random, count).collect();
    for row in &sample {
        for (depth, &expected) in (1..).zip(&row.counts) {
            let found = crew
                .pool()
                .install(|| recount(&row.named.board, depth, expected, &mut merger, stop))?;
            for (way, found) in found {
                recounted += 1;
                if found != expected {
                    differing += 1;
                    let name = &row.named.name;
                    console.alarm(format!(
                        "{name}, depth {depth}: counted {expected}, but {found} {way}"
                    ));
                }
            }
        }
    }
    console.say(format!(
        "checked {} positions, {recounted} counts in all: {differing} differ",
        sample.len()
    ));
    Ok(if differing == 0 {
        Answer::Yes
    } else {
        Answer::No
    })
}

fn recount<G: Game>(
    board: &G,
    depth: u32,
    expected: u128,
    merger: &mut Merger<G>,
    stop: &Stop,
) -> Result<Vec<(&'static str, u128)>, Failure> {
    let is_stopped = || stop.is_set();
    let failed = |error| Failure::counting(error, stop);
    let merged = merger.perft(board, depth, Sharing::Pool, &is_stopped);
    let mut found = vec![("with another seed", merged.map_err(failed)?)];
    if expected <= UNMERGED_NODES {
        let nodes = unmerged(board, depth, Sharing::Pool, &is_stopped).map_err(failed)?;
        found.push(("without merging", nodes));
    }
    if expected <= ELSEWHERE_NODES {
        found.extend(board.counted_elsewhere(depth).or_unfinished()?);
    }
    Ok(found)
}
