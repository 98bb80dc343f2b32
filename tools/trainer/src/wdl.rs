//! Fits the win/draw/loss model of `ninesixty::search::Wdl`.
//!
//! The engine plays games against itself, from random starts and after some random plies. The two parameters are the
//! maximum-likelihood fit of the results to the scores that the engine gave during the games.

use ninesixty::chess::Board;
use ninesixty::chess::random::random_start;
use ninesixty::search::{Engine, Score, SearchLimits, SearchOptions};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

const TT_BYTES: usize = 1 << 20;
const RANDOM_PLIES: usize = 8;
/// Longer games are adjudicated as draws.
const MAX_GAME_PLIES: usize = 400;
/// Scores further from zero are not used: such games are decided.
const MAX_SCORE: i32 = 600;

/// Bootstrap resamples for the confidence intervals.
const RESAMPLES: usize = 400;

/// A score and the result of its game, for the side whose score it was.
#[derive(Clone, Copy)]
struct Observation {
    score: i32,
    result: GameResult,
}

#[derive(Clone, Copy)]
enum GameResult {
    Win,
    Draw,
    Loss,
}

/// The parameters of the model: the score with which half of the games are won, and the change of score that
/// multiplies the odds by e.
#[derive(Clone, Copy, PartialEq)]
struct WdlModel {
    half_win_cp: i32,
    scale_cp: i32,
}

/// Plays games with this many nodes a move, and prints the best fit with its confidence intervals.
pub fn fit(games: u64, nodes: u64) {
    let played = (0..games).into_par_iter().map(|seed| play(seed, nodes));
    let played: Vec<Vec<Observation>> = played.collect();
    let best = Histogram::new(played.iter().flatten()).fit();
    let resampled = (0..RESAMPLES as u64).into_par_iter().map(|seed| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let games = played
            .iter()
            .map(|_| &played[rng.random_range(0..played.len())]);
        Histogram::new(games.flatten()).fit()
    });
    let (half_wins, scales): (Vec<i32>, Vec<i32>) = resampled
        .map(|model| (model.half_win_cp, model.scale_cp))
        .unzip();
    println!(
        "{} scores of {games} games: half won at {} cp ({}), scale {} cp ({})",
        played.iter().flatten().count(),
        best.half_win_cp,
        confidence_interval(half_wins),
        best.scale_cp,
        confidence_interval(scales)
    );
}

/// The central 95 % of the resampled values.
fn confidence_interval(mut values: Vec<i32>) -> String {
    values.sort_unstable();
    let cut = values.len() / 40;
    format!(
        "95 %: {} to {}",
        values[cut],
        values[values.len() - 1 - cut]
    )
}

/// The number of wins, draws and losses by score.
struct Histogram(Vec<[u32; 3]>);

impl Histogram {
    fn new<'o>(observations: impl Iterator<Item = &'o Observation>) -> Histogram {
        let mut counts = vec![[0; 3]; 2 * MAX_SCORE as usize];
        for observation in observations {
            counts[(observation.score + MAX_SCORE) as usize][observation.result as usize] += 1;
        }
        Histogram(counts)
    }

    /// The maximum-likelihood model, by hill climbing.
    fn fit(&self) -> WdlModel {
        let mut model = WdlModel {
            half_win_cp: 100,
            scale_cp: 100,
        };
        loop {
            let steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (0, 0)];
            let neighbours = steps.map(|(half_win, scale)| WdlModel {
                half_win_cp: model.half_win_cp + half_win,
                scale_cp: (model.scale_cp + scale).max(1),
            });
            let by_likelihood = |a: &&WdlModel, b: &&WdlModel| {
                self.log_likelihood(**a)
                    .total_cmp(&self.log_likelihood(**b))
            };
            let best = *neighbours
                .iter()
                .max_by(by_likelihood)
                .expect("there are seven");
            if best == model {
                return model;
            }
            model = best;
        }
    }

    fn log_likelihood(&self, model: WdlModel) -> f64 {
        let win_rate = |score: i32| {
            1.0 / (1.0 + (f64::from(model.half_win_cp - score) / f64::from(model.scale_cp)).exp())
        };
        let by_score = (-MAX_SCORE..).zip(&self.0).map(|(score, counts)| {
            let (win, loss) = (win_rate(score), win_rate(-score));
            let probabilities = [win, 1.0 - win - loss, loss];
            let logarithms = probabilities.map(|probability| probability.max(1e-6).ln());
            let terms = logarithms.iter().zip(counts);
            terms
                .map(|(logarithm, &count)| logarithm * f64::from(count))
                .sum::<f64>()
        });
        by_score.sum()
    }
}

fn play(seed: u64, nodes: u64) -> Vec<Observation> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut engine = Engine::new(TT_BYTES);
    let options = SearchOptions {
        limits: SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        },
        ..SearchOptions::default()
    };
    let mut game = random_opening(&mut rng);
    let mut scores = Vec::new();
    while let Some(&board) = game.last()
        && !is_over(&game)
    {
        let result = engine.search(&game, &options, &mut |_| {});
        if let Score::Centipawns(value) = result.lines[0].score
            && value.abs() < MAX_SCORE
        {
            scores.push((value, board.turn()));
        }
        game.push(board.play(result.lines[0].moves[0]));
    }
    let last = game.last().expect("a game has a position");
    let is_mate = last.is_check() && last.legal_moves().is_empty();
    let observation = |(score, side)| Observation {
        score,
        result: match is_mate {
            false => GameResult::Draw,
            true if side == last.turn() => GameResult::Loss,
            true => GameResult::Win,
        },
    };
    scores.into_iter().map(observation).collect()
}

fn random_opening(rng: &mut impl Rng) -> Vec<Board> {
    let mut game = vec![Board::from_double_start(random_start(rng))];
    while game.len() <= RANDOM_PLIES {
        let board = game[game.len() - 1];
        let moves = board.legal_moves();
        if moves.is_empty() {
            return random_opening(rng);
        }
        game.push(board.play(moves[rng.random_range(0..moves.len())]));
    }
    game
}

fn is_over(game: &[Board]) -> bool {
    let board = game[game.len() - 1];
    let is_same =
        |earlier: &&Board| earlier.turn() == board.turn() && earlier.pack() == board.pack();
    game.len() >= MAX_GAME_PLIES
        || board.halfmove_clock() >= 100
        || board.occupied().count() == 2
        || board.legal_moves().is_empty()
        || game.iter().filter(is_same).count() >= 3
}
