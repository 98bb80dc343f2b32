//! The table of search jobs.

use super::{SearchJob, SearchReport, SearchRow};
use crate::chess::{Board, Move};
use crate::job::game::NamedPosition;
use crate::job::positions::naming_columns;
use crate::search::{PvLine, Score, Wdl};
use crate::table::{Cell, Column, CommandText, Table};

impl SearchJob {
    /// The command that gives the table.
    pub fn command(&self) -> CommandText {
        let settings = &self.settings;
        let limits = &settings.limits;
        CommandText::new("search")
            .word(self.positions.arguments())
            .optional_flag("--depth", limits.depth)
            .optional_flag("--nodes", limits.nodes)
            .optional_flag("--time", limits.time.map(|time| time.as_secs_f64()))
            .optional_flag(
                "--multipv",
                Some(settings.multipv).filter(|&lines| lines > 1),
            )
            .quoted_flag("--engine", Some(&settings.engine))
    }

    /// The table of a report: a row per position, or per line of a position.
    pub fn table(&self, report: &SearchReport) -> Table {
        let lines: Vec<SearchCells> = report.rows.iter().flat_map(SearchCells::of).collect();
        Table::from_rows(
            "ninesixty.search/1",
            self.command(),
            &columns(self.settings.multipv > 1),
            &lines,
        )
    }
}

impl SearchReport {
    /// How much was searched in all.
    pub fn summary(&self) -> String {
        let results = self.rows.iter().filter_map(|row| row.result.as_ref());
        let nodes = results.fold(0, |sum: u64, result| sum.saturating_add(result.nodes));
        format!("{} positions searched, {nodes} nodes", self.rows.len())
    }
}

/// One line of a position, as the table shows it.
struct SearchCells {
    position: NamedPosition<Board>,
    rank: u64,
    nodes: u64,
    /// Of the best line: the mean of the last depths.
    steady: Option<Score>,
    line: Option<PvLine>,
}

impl SearchCells {
    fn of(row: &SearchRow) -> Vec<SearchCells> {
        let cells = |rank, nodes, steady, line| SearchCells {
            position: row.position.clone(),
            rank,
            nodes,
            steady,
            line,
        };
        match &row.result {
            None => vec![cells(1, 0, None, None)],
            Some(found) => (1..)
                .zip(&found.lines)
                .map(|(rank, line)| {
                    let steady = found.steady.filter(|_| rank == 1);
                    cells(rank, found.nodes, steady, Some(line.clone()))
                })
                .collect(),
        }
    }

    fn score(&self) -> Option<Score> {
        let turn = self.position.board.turn();
        self.line.as_ref().map(|line| line.score.for_white(turn))
    }

    /// For White.
    fn wdl(&self) -> Option<Wdl> {
        let line = self.line.as_ref()?;
        let wdl = line.wdl.unwrap_or_else(|| Wdl::from_score(line.score));
        Some(wdl.for_white(self.position.board.turn()))
    }

    fn best_move(&self) -> Option<Move> {
        self.line.as_ref()?.moves.first().copied()
    }
}

/// `rank` tells lines apart where there may be several.
fn columns(has_ranks: bool) -> Vec<Column<SearchCells>> {
    let mut columns = naming_columns(|cells: &SearchCells| &cells.position);
    let mut add = |name, cell: fn(&SearchCells) -> Cell| columns.push(Column::new(name, cell));
    add("score_cp", |cells| centipawns(cells.score()));
    add("best_move", |cells| {
        cells.best_move().map(|mv| mv.to_string()).into()
    });
    if has_ranks {
        add("rank", |cells| cells.rank.into());
    }
    add("best_san", |cells| {
        let best = cells.best_move();
        best.map(|mv| cells.position.board.san(mv)).into()
    });
    add("mate", |cells| match cells.score() {
        Some(Score::Mate(moves)) => i64::from(moves).into(),
        _ => Cell::Missing,
    });
    add("steady_cp", |cells| {
        let turn = cells.position.board.turn();
        centipawns(cells.steady.map(|score| score.for_white(turn)))
    });
    add("win", |cells| cells.wdl().map(|found| found.win).into());
    add("draw", |cells| cells.wdl().map(|found| found.draw).into());
    add("loss", |cells| cells.wdl().map(|found| found.loss).into());
    add("depth", |cells| {
        let line = cells.line.as_ref();
        line.map(|line| i64::from(line.depth)).into()
    });
    add("nodes", |cells| {
        cells.line.as_ref().map(|_| cells.nodes).into()
    });
    add("line", |cells| {
        let line = cells.line.as_ref();
        line.map(|line| cells.position.board.san_line(&line.moves))
            .into()
    });
    columns
}

fn centipawns(score: Option<Score>) -> Cell {
    score.and_then(Score::centipawns).map(i64::from).into()
}
