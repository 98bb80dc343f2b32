//! The tree of openings as a table of its own.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use ninesixty::chess::Board;
use ninesixty::stats::{Branch, Interval, Tree};
use ninesixty::table::{self, Cell, Column, Format, Number, Table};

use super::tree_failure;
use crate::cli::exit::{Failure, OrFail};
use crate::cli::game;
use crate::cli::output::OutputArgs;

#[derive(Args)]
pub struct MovesArgs {
    /// Write the tree of openings to this file, in the format that its name ends in or else that of the table
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Leave moves out of the tree that were played in fewer games
    #[arg(long, value_name = "N", default_value_t = 5, requires = "moves")]
    min_games: u64,
}

impl MovesArgs {
    pub fn is_wanted(&self) -> bool {
        self.moves.is_some()
    }

    /// Fails where the tree could not be written.
    pub fn rehearse(&self, output: &OutputArgs, command: &str) -> Result<(), Failure> {
        let Some(path) = &self.moves else {
            return Ok(());
        };
        let empty = self.table(command, &[]);
        table::write(&empty, self.format(output), &mut std::io::sink()).or_usage()?;
        table::check_store(path).or_unfinished()
    }

    /// Fails if the tree would take the place of one of these.
    pub fn spare(&self, sources: &[PathBuf]) -> Result<(), Failure> {
        let Some(path) = &self.moves else {
            return Ok(());
        };
        let mut sources = sources.iter();
        match sources.find(|source| table::is_same_place(source, path)) {
            Some(source) => {
                let source = source.display();
                Err(anyhow!("the tree would take the place of {source}")).or_usage()
            }
            None => Ok(()),
        }
    }

    pub fn write(&self, tree: Tree, output: &OutputArgs, command: &str) -> Result<(), Failure> {
        let Some(path) = &self.moves else {
            return Ok(());
        };
        let branches = tree.branches(self.min_games).map_err(tree_failure)?;
        let table = self.table(command, &branches);
        let format = self.format(output);
        table::store(path, |out| table::write(&table, format, out)).or_unfinished()
    }

    fn format(&self, output: &OutputArgs) -> Format {
        let ending = self.moves.as_ref().and_then(|path| path.extension());
        let by_name = ending.and_then(|ending| ending.to_str()?.parse().ok());
        by_name.unwrap_or(output.format())
    }

    fn table(&self, command: &str, branches: &[Branch]) -> Table {
        let command = format!("{command} --moves --min-games {}", self.min_games);
        Table::from_rows("ninesixty.moves/1", command, &columns(), branches)
    }
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
