//! The tree of openings as a table of its own.

use ninesixty::chess::Board;
use ninesixty::stats::{Branch, Interval};
use ninesixty::table::{Cell, Column, Number, Table};

use crate::cli::game;

pub fn table(command: &str, min_games: u64, branches: &[Branch]) -> Table {
    let command = format!("{command} --moves --min-games {min_games}");
    Table::from_rows("ninesixty.moves/1", command, &columns(), branches)
}

fn columns() -> Vec<Column<Branch>> {
    let games = |index: usize| move |branch: &Branch| branch.played.outcomes[index].into();
    vec![
        Column::new("id", |branch: &Branch| game::id(branch.start)),
        Column::new("back_rank", |branch: &Branch| {
            game::back_ranks(branch.start).into()
        }),
        Column::new("ply", |branch: &Branch| Cell::Integer(branch.ply.into())),
        Column::new("line", |branch: &Branch| written(branch).0.into()),
        Column::new("move", |branch: &Branch| written(branch).1.into()),
        Column::new("games", |branch: &Branch| branch.played.games().into()),
        Column::new("white_wins", games(0)),
        Column::new("draws", games(1)),
        Column::new("black_wins", games(2)),
        Column::new("unfinished", games(3)),
        Column::new("score", |branch: &Branch| {
            let (points, finished) = points(branch);
            Number::new(points / finished as f64, 4).into()
        }),
        Column::new("score_low", |branch: &Branch| {
            interval(branch)
                .and_then(|interval| Number::new(interval.low, 4))
                .into()
        }),
        Column::new("score_high", |branch: &Branch| {
            interval(branch)
                .and_then(|interval| Number::new(interval.high, 4))
                .into()
        }),
        Column::new("mover_rating", |branch: &Branch| {
            let played = &branch.played;
            Number::new(played.ratings as f64 / played.rated as f64, 0).into()
        }),
        Column::new("reached", |branch: &Branch| branch.reached.into()),
    ]
}

/// White's points in the finished games, and how many these are.
fn points(branch: &Branch) -> (f64, u64) {
    let [white, draws, black, _] = branch.played.outcomes;
    ((2 * white + draws) as f64 / 2.0, white + draws + black)
}

fn interval(branch: &Branch) -> Option<Interval> {
    let (points, finished) = points(branch);
    Interval::of_score(points, finished)
}

/// The line and the move as players write them.
fn written(branch: &Branch) -> (String, String) {
    let mut board = Board::from_double_start(branch.start);
    let mut moves = Vec::new();
    for code in branch.line.iter().chain([&branch.code]) {
        // A ledger that was made by hand may hold what cannot be played.
        let Some(mv) = code.in_position(&board) else {
            return (moves.join(" "), "?".to_owned());
        };
        moves.push(board.san(mv));
        board = board.play(mv);
    }
    let last = moves.pop().unwrap_or_default();
    (moves.join(" "), last)
}
