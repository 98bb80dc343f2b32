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

/// A score, and how the game ended for the player whose it was.
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

/// Plays so many games with so many nodes a move, and prints what fits them best.
pub fn fit(games: u64, nodes: u64) {
    let outcomes = (0..games)
        .into_par_iter()
        .flat_map_iter(|seed| play(seed, nodes));
    let outcomes: Vec<Outcome> = outcomes.collect();
    let candidates = (10..=200)
        .step_by(5)
        .flat_map(|even| (10..=200).step_by(5).map(move |spread| (even, spread)));
    let candidates: Vec<(i32, i32)> = candidates.collect();
    let likelihoods = candidates
        .par_iter()
        .map(|&(even, spread)| likelihood(&outcomes, even, spread));
    let likelihoods: Vec<f64> = likelihoods.collect();
    let best = candidates
        .iter()
        .zip(likelihoods)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let ((even, spread), likelihood) = best.expect("there are candidates");
    println!(
        "{} scores of {games} games: even at {even}, spread {spread}, log likelihood {:.4} per score",
        outcomes.len(),
        likelihood / outcomes.len() as f64
    );
}

fn likelihood(outcomes: &[Outcome], even: i32, spread: i32) -> f64 {
    let winning = |score: i32| 1.0 / (1.0 + (f64::from(even - score) / f64::from(spread)).exp());
    let each = outcomes.iter().map(|outcome| {
        let (win, loss) = (winning(outcome.score), winning(-outcome.score));
        let chance = match outcome.result {
            Result::Win => win,
            Result::Draw => 1.0 - win - loss,
            Result::Loss => loss,
        };
        chance.max(1e-6).ln()
    });
    each.sum()
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
