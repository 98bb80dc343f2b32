//! The opening tree as a table: a row per position and move.

use super::StatsJob;
use crate::chess::{Board, Move, PackedMove};
use crate::job::game::{back_ranks, start_id};
use crate::start::DoubleStart;
use crate::stats::{ConfidenceInterval, MoveTally, OpeningTree, TreeError, TreeMove};
use crate::table::{Column, Number, Table};

/// A move that was played in a position of the opening tree.
#[derive(Clone, Debug)]
pub struct OpeningMove {
    /// The start of the games.
    pub start: DoubleStart,
    /// The ply of the move, from 1.
    pub ply: u32,
    /// One of the lines that lead to the position.
    pub line: Vec<Move>,
    /// The line in SAN.
    pub line_san: String,
    /// The move; `None` if a ledger made by hand holds one that is not legal.
    pub mv: Option<Move>,
    /// The move in SAN.
    pub san: String,
    /// The games in which it was played.
    pub played: MoveTally,
    /// Games that reached the position after as many plies and went on from there.
    pub reached: u64,
}

impl StatsJob {
    /// The moves that were played in at least this many games.
    pub fn opening_moves(tree: OpeningTree, min_games: u64) -> Result<Vec<OpeningMove>, TreeError> {
        let mut replay = Replay::default();
        let moves = tree.moves(min_games)?;
        Ok(moves.iter().map(|tree_move| replay.at(tree_move)).collect())
    }

    /// The table of the opening tree.
    pub fn moves_table(&self, min_games: u64, moves: &[OpeningMove]) -> Table {
        let command = self
            .command()
            .word("--moves")
            .flag("--min-games", min_games);
        Table::from_rows("ninesixty.moves/1", command, &columns(), moves)
    }
}

/// The last position that was replayed. The moves of one position follow each other.
#[derive(Default)]
struct Replay {
    start: Option<DoubleStart>,
    packed_line: Vec<PackedMove>,
    line: Vec<Move>,
    line_san: String,
    /// `None` if the line is not legal.
    board: Option<Board>,
}

impl Replay {
    fn at(&mut self, tree_move: &TreeMove) -> OpeningMove {
        if self.start != Some(tree_move.start) || self.packed_line != tree_move.line {
            self.replay(tree_move);
        }
        let mv = self.board.and_then(|board| tree_move.mv.find_in(&board));
        let san = match (self.board, mv) {
            (Some(board), Some(mv)) => board.san(mv),
            _ => "?".to_owned(),
        };
        OpeningMove {
            start: tree_move.start,
            ply: tree_move.ply,
            line: self.line.clone(),
            line_san: self.line_san.clone(),
            mv,
            san,
            played: tree_move.played,
            reached: tree_move.reached,
        }
    }

    fn replay(&mut self, tree_move: &TreeMove) {
        let mut board = Board::from_double_start(tree_move.start);
        let mut sans = Vec::new();
        self.line.clear();
        self.start = Some(tree_move.start);
        self.packed_line.clone_from(&tree_move.line);
        self.board = None;
        for packed in &tree_move.line {
            let Some(mv) = packed.find_in(&board) else {
                self.line_san = sans.join(" ");
                return;
            };
            sans.push(board.san(mv));
            self.line.push(mv);
            board = board.play(mv);
        }
        self.line_san = sans.join(" ");
        self.board = Some(board);
    }
}

fn columns() -> Vec<Column<OpeningMove>> {
    type Row = OpeningMove;
    let games = |index: usize| move |row: &Row| row.played.outcomes[index].into();
    let bound = |of: fn(ConfidenceInterval) -> f64| {
        move |row: &Row| {
            let bound = interval(row).and_then(|interval| Number::new(of(interval), 4));
            bound.into()
        }
    };
    vec![
        Column::new("id", |row: &Row| start_id(row.start)),
        Column::new("back_rank", |row: &Row| back_ranks(row.start).into()),
        Column::new("ply", |row: &Row| i64::from(row.ply).into()),
        Column::new("line", |row: &Row| row.line_san.as_str().into()),
        Column::new("move", |row: &Row| row.san.as_str().into()),
        Column::new("games", |row: &Row| row.played.games().into()),
        Column::new("white_wins", games(0)),
        Column::new("draws", games(1)),
        Column::new("black_wins", games(2)),
        Column::new("unfinished", games(3)),
        Column::new("score", |row: &Row| {
            let (points, finished) = points(row);
            Number::new(points / finished as f64, 4).into()
        }),
        Column::new("score_low", bound(|interval| interval.low)),
        Column::new("score_high", bound(|interval| interval.high)),
        Column::new("mover_rating", |row: &Row| {
            let played = &row.played;
            Number::new(played.ratings as f64 / played.rated as f64, 0).into()
        }),
        Column::new("reached", |row: &Row| row.reached.into()),
    ]
}

/// White's points in the finished games, and how many these are.
fn points(row: &OpeningMove) -> (f64, u64) {
    let [white, draws, black, _] = row.played.outcomes;
    ((2 * white + draws) as f64 / 2.0, white + draws + black)
}

fn interval(row: &OpeningMove) -> Option<ConfidenceInterval> {
    let (points, finished) = points(row);
    ConfidenceInterval::wilson(points, finished)
}
