//! Training positions from self-play.
//!
//! A game begins with one of the 960 starts or a double start, sometimes with a few random plies; then the engine plays
//! moves that are not much worse than the best. The training positions are a sample of those that its search evaluated,
//! so that the network learns what it will be asked. Most games end early, because the network is for openings.

use std::sync::{Arc, Mutex};

use ninesixty::chess::{Board, Move};
use ninesixty::search::evaluation::{Evaluator, HybridEvaluator};
use ninesixty::search::{Engine, PvLine, SearchLimits, SearchOptions, is_quiet};
use ninesixty::start::{DoubleStart, StartId};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const TT_BYTES: usize = 1 << 20;
/// A move that is worse than the best by less than this may be played.
const SLACK_CP: i32 = 40;
const NODES: u64 = 2_500;
const MULTIPV: usize = 4;
/// Games are adjudicated at this score.
const DECIDED_CP: i32 = 600;
/// Positions are sampled from this ply on. The starts themselves are left for testing.
const FIRST_PLY: u16 = 2;
/// One of this many evaluated positions is sampled.
const SAMPLING: u32 = 8;

/// Plays games against itself and samples the positions that its search evaluates.
pub struct SelfPlay {
    rng: Xoshiro256PlusPlus,
    engine: Engine,
    sampled: Arc<Mutex<Vec<Board>>>,
}

/// The engine's evaluation, which records a sample of the positions.
struct SamplingEvaluator {
    evaluator: HybridEvaluator,
    rng: Xoshiro256PlusPlus,
    sampled: Arc<Mutex<Vec<Board>>>,
}

impl Evaluator for SamplingEvaluator {
    fn evaluate(&mut self, board: &Board) -> i32 {
        if self.rng.random_ratio(1, SAMPLING) {
            let mut sampled = self.sampled.lock().expect("no holder of the lock panics");
            sampled.push(*board);
        }
        self.evaluator.evaluate(board)
    }
}

impl SelfPlay {
    /// The same seed gives the same games.
    pub fn new(seed: u64) -> SelfPlay {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sampled = Arc::default();
        let evaluator = SamplingEvaluator {
            evaluator: HybridEvaluator::default(),
            rng: rng.clone(),
            sampled: Arc::clone(&sampled),
        };
        SelfPlay {
            rng,
            engine: Engine::with_evaluator(TT_BYTES, Box::new(evaluator)),
            sampled,
        }
    }

    /// Plays a game, and calls `visit` with each sampled position and the ply of the game at which it was evaluated.
    pub fn play(&mut self, mut visit: impl FnMut(&Board, u16)) {
        let mut board = self.random_start();
        let random_plies = match self.rng.random_bool(0.5) {
            true => self.rng.random_range(1..7),
            false => 0,
        };
        let plies = match self.rng.random_range(0..20) {
            0..12 => 24,
            12..17 => 50,
            _ => 160,
        };
        for ply in 0..plies {
            let mv = if ply < random_plies {
                self.random_move(&board)
            } else {
                self.good_move(&board)
            };
            let Some(mv) = mv else { return };
            let sampled =
                std::mem::take(&mut *self.sampled.lock().expect("no holder of the lock panics"));
            for sampled in sampled
                .iter()
                .filter(|board| ply >= FIRST_PLY && is_training_position(board))
            {
                visit(sampled, ply);
            }
            board = board.play(mv);
        }
    }

    /// A start, or in one of five games a double start.
    fn random_start(&mut self) -> Board {
        let white = self.random_start_id();
        let black = if self.rng.random_bool(0.8) {
            white
        } else {
            self.random_start_id()
        };
        Board::from_double_start(DoubleStart { white, black })
    }

    fn random_start_id(&mut self) -> StartId {
        StartId::try_from(self.rng.random_range(0..960u16)).expect("there are 960")
    }

    fn random_move(&mut self, board: &Board) -> Option<Move> {
        let moves = board.legal_moves();
        let index = (!moves.is_empty()).then(|| self.rng.random_range(0..moves.len()))?;
        Some(moves[index])
    }

    /// A random move among those that are not much worse than the best; `None` if the game is over.
    fn good_move(&mut self, board: &Board) -> Option<Move> {
        let options = SearchOptions {
            limits: SearchLimits {
                nodes: Some(NODES),
                ..SearchLimits::default()
            },
            multipv: MULTIPV,
            ..SearchOptions::default()
        };
        let result = self.engine.search(&[*board], &options, &mut |_| {});
        let best = result.lines[0]
            .score
            .centipawns()
            .filter(|best| best.abs() < DECIDED_CP)?;
        let is_good = |line: &&PvLine| {
            line.score
                .centipawns()
                .is_some_and(|value| best - value < SLACK_CP)
        };
        let good: Vec<&PvLine> = result.lines.iter().filter(is_good).collect();
        let line = good[self.rng.random_range(0..good.len())];
        line.moves.first().copied()
    }
}

/// Whether a search may rely on the static evaluation of this position. The starts are left for testing.
fn is_training_position(board: &Board) -> bool {
    const START_OCCUPANCY: u64 = 0xFFFF_0000_0000_FFFF;
    !board.is_check() && is_quiet(board) && board.occupied().0 != START_OCCUPANCY
}
