//! From scores to results: the two numbers of the model of winning, drawing and losing.
//!
//! The engine plays games against itself, from random starts and after some random moves; each score that it gives on
//! its way is laid beside how the game ended, and those two numbers are taken with which the results are
//! most likely.

use ninesixty::chess::Board;
use ninesixty::chess::random::random_start;
use ninesixty::search::{Engine, Limits, Score};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

const TABLE_BYTES: usize = 1 << 20;
const RANDOM_PLIES: usize = 8;
/// A game that has not ended by then is drawn.
const LONGEST_GAME: usize = 400;
/// Further from zero, a score says nothing about how results depend on it.
const DECIDED: i32 = 600;

/// How often the games are drawn anew to see by how much chance might change the numbers.
const DRAWS: usize = 400;

/// A score, and how the game ended for the player whose it was.
#[derive(Clone, Copy)]
struct Outcome {
    score: i32,
    result: Result,
}

#[derive(Clone, Copy)]
enum Result {
    Win,
    Draw,
    Loss,
}

/// The score with which half of the games are won, and how far from it the chance is e times as good or bad.
#[derive(Clone, Copy, PartialEq)]
struct Curve {
    even: i32,
    spread: i32,
}

/// Plays so many games with so many nodes a move, and prints what fits them best.
pub fn fit(games: u64, nodes: u64) {
    let played = (0..games).into_par_iter().map(|seed| play(seed, nodes));
    let played: Vec<Vec<Outcome>> = played.collect();
    let best = Counts::of(played.iter().flatten()).fit();
    let drawn = (0..DRAWS as u64).into_par_iter().map(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let drawn = played
            .iter()
            .map(|_| &played[random.random_range(0..played.len())]);
        Counts::of(drawn.flatten()).fit()
    });
    let (evens, spreads): (Vec<i32>, Vec<i32>) =
        drawn.map(|curve| (curve.even, curve.spread)).unzip();
    println!(
        "{} scores of {games} games: even at {} ({}), spread {} ({})",
        played.iter().flatten().count(),
        best.even,
        interval(evens),
        best.spread,
        interval(spreads)
    );
}

/// Where 95 of 100 of them are.
fn interval(mut drawn: Vec<i32>) -> String {
    drawn.sort_unstable();
    let cut = drawn.len() / 40;
    format!("95 %: {} to {}", drawn[cut], drawn[drawn.len() - 1 - cut])
}

/// How often each score came with each result.
struct Counts(Vec<[u32; 3]>);

impl Counts {
    fn of<'o>(outcomes: impl Iterator<Item = &'o Outcome>) -> Counts {
        let mut counts = vec![[0; 3]; 2 * DECIDED as usize];
        for outcome in outcomes {
            counts[(outcome.score + DECIDED) as usize][outcome.result as usize] += 1;
        }
        Counts(counts)
    }

    /// The curve with which the results are most likely, found by going uphill.
    fn fit(&self) -> Curve {
        let mut curve = Curve {
            even: 100,
            spread: 100,
        };
        loop {
            let around = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (0, 0)];
            let around = around.map(|(even, spread)| Curve {
                even: curve.even + even,
                spread: (curve.spread + spread).max(1),
            });
            let likelier =
                |a: &&Curve, b: &&Curve| self.likelihood(**a).total_cmp(&self.likelihood(**b));
            let best = *around.iter().max_by(likelier).expect("there are seven");
            if best == curve {
                return curve;
            }
            curve = best;
        }
    }

    fn likelihood(&self, curve: Curve) -> f64 {
        let winning = |score: i32| {
            1.0 / (1.0 + (f64::from(curve.even - score) / f64::from(curve.spread)).exp())
        };
        let each = (-DECIDED..).zip(&self.0).map(|(score, counts)| {
            let (win, loss) = (winning(score), winning(-score));
            let chances = [win, 1.0 - win - loss, loss];
            let logarithms = chances.map(|chance| chance.max(1e-6).ln());
            let terms = logarithms.iter().zip(counts);
            terms
                .map(|(chance, &count)| chance * f64::from(count))
                .sum::<f64>()
        });
        each.sum()
    }
}

fn play(seed: u64, nodes: u64) -> Vec<Outcome> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut engine = Engine::new(TABLE_BYTES);
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let mut game = opening(&mut random);
    let mut scores = Vec::new();
    while let Some(&board) = game.last()
        && !is_over(&game)
    {
        let found = engine.search(&game, &limits, 1, &|| false, &mut |_| {});
        if let Score::Centipawns(value) = found.lines[0].score
            && value.abs() < DECIDED
        {
            scores.push((value, board.turn()));
        }
        game.push(board.play(found.lines[0].moves[0]));
    }
    let last = game.last().expect("a game has a position");
    let is_mate = last.is_check() && last.legal_moves().is_empty();
    let outcome = |(score, player)| Outcome {
        score,
        result: match is_mate {
            false => Result::Draw,
            true if player == last.turn() => Result::Loss,
            true => Result::Win,
        },
    };
    scores.into_iter().map(outcome).collect()
}

fn opening(random: &mut impl Rng) -> Vec<Board> {
    let mut game = vec![Board::from_double_start(random_start(random))];
    while game.len() <= RANDOM_PLIES {
        let board = game[game.len() - 1];
        let moves = board.legal_moves();
        if moves.is_empty() {
            return opening(random);
        }
        game.push(board.play(moves[random.random_range(0..moves.len())]));
    }
    game
}

fn is_over(game: &[Board]) -> bool {
    let board = game[game.len() - 1];
    let same = |earlier: &&Board| earlier.turn() == board.turn() && earlier.pack() == board.pack();
    game.len() >= LONGEST_GAME
        || board.halfmove_clock() >= 100
        || board.occupied().count() == 2
        || board.legal_moves().is_empty()
        || game.iter().filter(same).count() >= 3
}
