//! Some rows of a perft table counted again in other ways.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{PerftReport, PerftRow};
use crate::generator::CounterError;
use crate::job::game::Game;
use crate::perft::{CountOptions, Merger, Sharing, unmerged};
use crate::run::Cancel;

/// The largest counts that are repeated without merging, and by another generator.
const MOST_UNMERGED: u128 = 10_000_000_000;
const MOST_BY_ANOTHER: u128 = 50_000_000;

/// How to check.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions<'a> {
    /// How many rows to check, drawn at random.
    pub rows: usize,
    /// The seed for merging, which should differ from that of the table.
    pub seed: u64,
    /// The memory for merging.
    pub bytes: usize,
    /// Whether to end early.
    pub cancel: &'a Cancel,
}

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// Rows that were checked.
    pub rows: usize,
    /// Counts that were repeated.
    pub counts: usize,
    /// Counts that differ.
    pub mismatches: Vec<CheckMismatch>,
}

/// A count that another way of counting does not confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckMismatch {
    /// The name of the position.
    pub name: String,
    /// The depth of the count.
    pub depth: u32,
    /// The count in the table.
    pub counted: u128,
    /// The other count.
    pub found: u128,
    /// How it was found.
    pub method: &'static str,
}

/// Counts some rows again: with transpositions merged in another order, without merging as deep as is affordable, and by
/// another generator, if there is one, as deep as that is. Uses the current rayon pool.
pub fn check<G: Game>(
    report: &PerftReport<G>,
    options: &CheckOptions,
) -> Result<Check, CounterError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
    let mut merger = Merger::new(options.bytes, options.seed);
    let mut check = Check::default();
    for row in report.rows.sample(&mut random, options.rows) {
        check.rows += 1;
        for (depth, counted) in (1..).zip(row.nodes()) {
            for (method, found) in recount(row, depth, counted, &mut merger, options.cancel)? {
                check.counts += 1;
                if found != counted {
                    check.mismatches.push(CheckMismatch {
                        name: row.position.name.clone(),
                        depth,
                        counted,
                        found,
                        method,
                    });
                }
            }
        }
    }
    Ok(check)
}

fn recount<G: Game>(
    row: &PerftRow<G>,
    depth: u32,
    counted: u128,
    merger: &mut Merger<G>,
    cancel: &Cancel,
) -> Result<Vec<(&'static str, u128)>, CounterError> {
    let board = &row.position.board;
    let options = CountOptions {
        sharing: Sharing::Pool,
        cancel,
    };
    let mut found = vec![("with another seed", merger.perft(board, depth, &options)?)];
    if counted <= MOST_UNMERGED {
        found.push(("without merging", unmerged(board, depth, &options)?));
    }
    if counted <= MOST_BY_ANOTHER {
        found.extend(board.counted_by_another(depth)?);
    }
    Ok(found)
}
