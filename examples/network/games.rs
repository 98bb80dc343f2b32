//! Positions as a search meets them, from games that the engine plays against itself.
//!
//! A game begins with any of the 960 starts, or two of them, and sometimes with a few moves at random; then the engine
//! plays moves that are not much worse than the best. What walks out is a share of all positions that it judged while
//! it searched for them. Most games end early, as it is openings that are to be judged.

use std::sync::{Arc, Mutex};

use ninesixty::chess::{Board, Move};
use ninesixty::search::evaluation::{Judge, Learned};
use ninesixty::search::{Engine, Limits, Line, is_at_rest};
use ninesixty::start::{DoubleStart, StartId};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const TABLE_BYTES: usize = 1 << 20;
/// What a move may be worse than the best and still be played.
const SLACK: i32 = 40;
const NODES: u64 = 2_500;
const LINES: usize = 4;
/// A game is over when it is decided.
const DECIDED: i32 = 600;
/// Positions are shown from this ply on: the starts themselves are what is to be judged in the end.
const FIRST_PLY: u16 = 2;
/// One of so many judged positions is shown.
const SHOWN: u32 = 8;

pub struct Games {
    random: Xoshiro256PlusPlus,
    engine: Engine,
    judged: Arc<Mutex<Vec<Board>>>,
}

/// The engine's own judge, with someone looking over the shoulder.
struct Watched {
    judge: Learned,
    random: Xoshiro256PlusPlus,
    judged: Arc<Mutex<Vec<Board>>>,
}

impl Judge for Watched {
    fn value(&mut self, board: &Board) -> i32 {
        if self.random.random_ratio(1, SHOWN) {
            let mut judged = self.judged.lock().expect("nobody panics with it");
            judged.push(*board);
        }
        self.judge.value(board)
    }
}

impl Games {
    /// The games of a seed are always the same.
    pub fn new(seed: u64) -> Games {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let judged = Arc::default();
        let watched = Watched {
            judge: Learned::default(),
            random: random.clone(),
            judged: Arc::clone(&judged),
        };
        Games {
            random,
            engine: Engine::with_judge(TABLE_BYTES, Box::new(watched)),
            judged,
        }
    }

    /// Plays a game, and shows positions that were judged on the way, with the ply at which that was.
    pub fn play(&mut self, mut show: impl FnMut(&Board, u16)) {
        let mut board = self.start();
        let at_random = match self.random.random_bool(0.5) {
            true => self.random.random_range(1..7),
            false => 0,
        };
        let length = match self.random.random_range(0..20) {
            0..12 => 24,
            12..17 => 50,
            _ => 160,
        };
        for ply in 0..length {
            let mv = if ply < at_random {
                self.any_move(&board)
            } else {
                self.good_move(&board)
            };
            let Some(mv) = mv else { return };
            let judged = std::mem::take(&mut *self.judged.lock().expect("nobody panics with it"));
            for judged in judged
                .iter()
                .filter(|board| ply >= FIRST_PLY && is_asked(board))
            {
                show(judged, ply);
            }
            board = board.play(mv);
        }
    }

    fn start(&mut self) -> Board {
        let white = self.any_start();
        let black = if self.random.random_bool(0.8) {
            white
        } else {
            self.any_start()
        };
        Board::from_double_start(DoubleStart { white, black })
    }

    fn any_start(&mut self) -> StartId {
        StartId::try_from(self.random.random_range(0..960u16)).expect("there are 960")
    }

    fn any_move(&mut self, board: &Board) -> Option<Move> {
        let moves = board.legal_moves();
        let index = (!moves.is_empty()).then(|| self.random.random_range(0..moves.len()))?;
        Some(moves[index])
    }

    /// A move that is not much worse than the best, unless the game is over.
    fn good_move(&mut self, board: &Board) -> Option<Move> {
        let limits = Limits {
            nodes: Some(NODES),
            ..Limits::default()
        };
        let found = self
            .engine
            .search(&[*board], &limits, LINES, &|| false, &mut |_| {});
        let best = found.lines[0]
            .score
            .centipawns()
            .filter(|best| best.abs() < DECIDED)?;
        let good = |line: &&Line| {
            line.score
                .centipawns()
                .is_some_and(|value| best - value < SLACK)
        };
        let good: Vec<&Line> = found.lines.iter().filter(good).collect();
        let line = good[self.random.random_range(0..good.len())];
        line.moves.first().copied()
    }
}

/// Whether a search may leave it at the judgement of this position. Starts are not asked about.
fn is_asked(board: &Board) -> bool {
    const HOME_RANKS: u64 = 0xFFFF_0000_0000_FFFF;
    !board.is_check() && is_at_rest(board) && board.occupied().0 != HOME_RANKS
}
