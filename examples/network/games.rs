//! Positions from games that the engine plays against itself, with much chance in it.
//!
//! A game begins with any of the 960 starts, or two of them, and a few moves at random; then the engine plays moves
//! that are not much worse than the best. Around every position of it others are gathered as a search would
//! meet them: where the lines end that the engine looked at, and walks of a few moves, each the best of some drawn
//! at random. Most games end early, as it is openings that are to be judged.

use ninesixty::chess::{Board, Move};
use ninesixty::search::evaluation::{TERMS, evaluate};
use ninesixty::search::{Engine, Limits, Line, Report, Score};
use ninesixty::start::{DoubleStart, StartId};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const TABLE_BYTES: usize = 1 << 20;
/// What a move may be worse than the best and still be played.
const SLACK: i32 = 40;
const NODES: u64 = 400;
const LINES: usize = 4;
/// A game is over when it is decided.
const DECIDED: i32 = 600;
/// No position nearer to the start is kept: the starts themselves are what is to be judged in the end.
const FIRST_PLY: u16 = 2;

pub struct Games {
    random: Xoshiro256PlusPlus,
    engine: Engine,
}

impl Games {
    pub fn new(seed: u64) -> Games {
        Games {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            engine: Engine::new(TABLE_BYTES),
        }
    }

    /// Plays a game, and shows positions around it with their distance from the start.
    pub fn play(&mut self, around: usize, mut show: impl FnMut(&Board, u16)) {
        let mut board = self.start();
        let at_random = self.random.random_range(0..7);
        let length = match self.random.random_range(0..20) {
            0..12 => 20,
            12..17 => 50,
            _ => 160,
        };
        for ply in 0..length {
            let Some((good, ends)) = self.good_move(&board) else {
                return;
            };
            for (end, plies) in ends {
                if ply + plies >= FIRST_PLY && !end.is_check() {
                    show(&end, ply + plies);
                }
            }
            let mv = if ply < at_random {
                self.any_move(&board)
            } else {
                Some(good)
            };
            let Some(mv) = mv else { return };
            let walks = if ply < 24 { around } else { around / 3 };
            for _ in 0..walks {
                self.walk(board, ply, &mut show);
            }
            board = board.play(mv);
        }
    }

    fn start(&mut self) -> Board {
        let white = self.any_start();
        let black = if self.random.random_bool(0.7) {
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

    /// A move that is not much worse than the best, and where the lines end that were looked at.
    fn good_move(&mut self, board: &Board) -> Option<(Move, Vec<(Board, u16)>)> {
        let limits = Limits {
            nodes: Some(NODES),
            ..Limits::default()
        };
        let mut ends: Vec<(Board, u16)> = Vec::new();
        let mut note = |report: Report| {
            let moves = &report.line.moves;
            let end = moves.iter().fold(*board, |board, mv| board.play(*mv));
            let end = (end, moves.len() as u16);
            if !ends.contains(&end) {
                ends.push(end);
            }
        };
        let found = self
            .engine
            .search(&[*board], &limits, LINES, &|| false, &mut note);
        let best = centipawns(&found.lines[0]).filter(|best| best.abs() < DECIDED)?;
        let good = |line: &&Line| centipawns(line).is_some_and(|value| best - value < SLACK);
        let good: Vec<&Line> = found.lines.iter().filter(good).collect();
        let line = good[self.random.random_range(0..good.len())];
        Some((*line.moves.first()?, ends))
    }

    /// A few moves from here, each the best of some.
    fn walk(&mut self, mut board: Board, ply: u16, show: &mut impl FnMut(&Board, u16)) {
        for plies in 1..=self.random.random_range(1..7) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                return;
            }
            let tries = 1 << self.random.random_range(0..3);
            let drawn = (0..tries).map(|_| moves[self.random.random_range(0..moves.len())]);
            let after = drawn.map(|mv| board.play(mv));
            let best = after.min_by_key(|after| evaluate(&TERMS, after));
            board = best.expect("there is at least one");
            if ply + plies >= FIRST_PLY && !board.is_check() {
                show(&board, ply + plies);
            }
        }
    }
}

fn centipawns(line: &Line) -> Option<i32> {
    match line.score {
        Score::Centipawns(value) => Some(value),
        Score::Mate(_) => None,
    }
}
