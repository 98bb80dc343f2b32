//! The table of statistics per start.

use crate::chess::{Board, PackedMove};
use crate::start::{BackRank, CastlingSide, DoubleStart};
use crate::stats::{
    ConfidenceInterval, Metric, MoveTally, Speed, StartComparison, StartTally, Tally, Termination,
};
use crate::table::{self, Cell, CommandText, Number, Table};

use super::StatsJob;
use crate::job::game::{back_ranks, start_id};

/// A start, its tally, and how it compares with the others.
struct StartRow {
    start: DoubleStart,
    tally: StartTally,
    comparison: Option<StartComparison>,
}

type StartColumn = table::Column<StartRow>;

impl StatsJob {
    /// The command that gives the table.
    pub fn command(&self) -> CommandText {
        let settings = self.stats_settings();
        let mut command = CommandText::new("stats");
        for input in self.inputs() {
            command = command.quoted(input.name());
        }
        let command = command
            .flag("--plies", settings.plies)
            .switch("--include-standard", settings.include_standard)
            .switch("--doubles", settings.doubles)
            .switch("--repair", settings.repair)
            .switch("--include-moveless", settings.include_moveless)
            .switch("--dedup", settings.dedup);
        settings.filter.write_flags(command)
    }

    /// The table of the starts from which games were played; without `all_columns`, only those that people look at first.
    pub fn table(&self, tally: &Tally, all_columns: bool) -> Table {
        let tallies: Vec<&StartTally> = tally.starts.values().collect();
        let (comparisons, _) = StartComparison::of_all(&tallies);
        let rows = tally.starts.iter().zip(comparisons);
        let rows = rows.map(|((&start, tally), comparison)| StartRow {
            start,
            tally: tally.clone(),
            comparison,
        });
        let mut columns = first_columns();
        if all_columns {
            columns.extend(columns_of_ratings());
            columns.extend(columns_of_moves());
            columns.extend(columns_of_castling());
            columns.extend(columns_of_kinds());
        }
        Table::from_rows("ninesixty.stats/1", self.command(), &columns, rows)
    }
}

fn first_columns() -> Vec<StartColumn> {
    vec![
        StartColumn::new("id", |row: &StartRow| start_id(row.start)),
        StartColumn::new("back_rank", |row: &StartRow| back_ranks(row.start).into()),
        StartColumn::new("games", |row: &StartRow| row.tally.games().into()),
        count("white_wins", Metric::WhiteWins),
        count("draws", Metric::Draws),
        count("black_wins", Metric::BlackWins),
        count("unfinished", Metric::Unfinished),
        StartColumn::new("score", |row: &StartRow| {
            ratio(row.points(), row.tally.finished() as f64, 4)
        }),
        StartColumn::new("score_low", |row: &StartRow| {
            row.interval().map(|i| number(i.low, 4)).into()
        }),
        StartColumn::new("score_high", |row: &StartRow| {
            row.interval().map(|i| number(i.high, 4)).into()
        }),
        StartColumn::new("draw_rate", |row: &StartRow| {
            let draws = row.sum(Metric::Draws);
            ratio(draws, row.tally.finished() as f64, 4)
        }),
        StartColumn::new("expected", |row: &StartRow| {
            ratio(row.expected(), row.sum(Metric::Rated), 4)
        }),
        StartColumn::new("surplus", |row: &StartRow| {
            let points = row.sum(Metric::RatedHalfPoints) / 2.0;
            ratio(points - row.expected(), row.sum(Metric::Rated), 4)
        }),
        StartColumn::new("p_adjusted", |row: &StartRow| {
            row.comparison.map(|c| number(c.p_adjusted, 4)).into()
        }),
    ]
}

fn columns_of_ratings() -> Vec<StartColumn> {
    vec![
        StartColumn::new("z", |row: &StartRow| {
            row.comparison.map(|c| number(c.z, 3)).into()
        }),
        StartColumn::new("p", |row: &StartRow| {
            row.comparison.map(|c| number(c.p, 6)).into()
        }),
        count("rated", Metric::Rated),
        average("white_rating", Metric::WhiteRatings, Metric::WhiteRated, 0),
        average("black_rating", Metric::BlackRatings, Metric::BlackRated, 0),
    ]
}

fn columns_of_moves() -> Vec<StartColumn> {
    vec![
        StartColumn::new("first_move", |row: &StartRow| {
            let board = Board::from_double_start(row.start);
            let mv = row.first_move().and_then(|(mv, _)| mv.find_in(&board));
            mv.map(|mv| board.san(mv)).into()
        }),
        StartColumn::new("first_move_games", |row: &StartRow| {
            row.first_move().map(|(_, played)| played.games()).into()
        }),
        StartColumn::new("plies", |row: &StartRow| {
            ratio(row.sum(Metric::Plies), row.tally.with_moves() as f64, 1)
        }),
    ]
}

fn columns_of_castling() -> Vec<StartColumn> {
    let method = |name, side: CastlingSide| {
        StartColumn::new(name, move |row: &StartRow| {
            let [white, black] = [row.start.white, row.start.black]
                .map(|id| BackRank::from(id).castling(side).method().to_string());
            if white == black {
                white.into()
            } else {
                format!("{white}/{black}").into()
            }
        })
    };
    let castled = |name, a_side: Metric, h_side: Metric| {
        StartColumn::new(name, move |row: &StartRow| {
            Cell::from(row.tally.sum(a_side) + row.tally.sum(h_side))
        })
    };
    let ply = |name, plies: [Metric; 2], sides: [Metric; 2]| {
        StartColumn::new(name, move |row: &StartRow| {
            let sum = |metrics: [Metric; 2]| row.sum(metrics[0]) + row.sum(metrics[1]);
            ratio(sum(plies), sum(sides), 1)
        })
    };
    use Metric::*;
    vec![
        method("castling_a_side", CastlingSide::ASide),
        method("castling_h_side", CastlingSide::HSide),
        castled("white_castled", WhiteASide, WhiteHSide),
        castled("black_castled", BlackASide, BlackHSide),
        count("white_a_side", WhiteASide),
        count("white_h_side", WhiteHSide),
        count("black_a_side", BlackASide),
        count("black_h_side", BlackHSide),
        ply(
            "white_castling_ply",
            [WhiteASidePlies, WhiteHSidePlies],
            [WhiteASide, WhiteHSide],
        ),
        ply(
            "black_castling_ply",
            [BlackASidePlies, BlackHSidePlies],
            [BlackASide, BlackHSide],
        ),
        count("white_castled_on_move_1", WhiteCastledOnMove1),
        count("black_castled_on_move_1", BlackCastledOnMove1),
    ]
}

fn columns_of_kinds() -> Vec<StartColumn> {
    let mut columns = Vec::new();
    columns.extend(Speed::ALL.map(|speed| {
        let name = format!("time_control_{speed}");
        StartColumn::new(name, move |row: &StartRow| row.tally.of_speed(speed).into())
    }));
    columns.extend(Termination::ALL.map(|termination| {
        let name = format!("termination_{termination}").replace('-', "_");
        StartColumn::new(name, move |row: &StartRow| {
            row.tally.of_termination(termination).into()
        })
    }));
    columns.extend([
        StartColumn::new("first_date", |row: &StartRow| {
            row.tally.first_date().map(|date| date.to_string()).into()
        }),
        StartColumn::new("last_date", |row: &StartRow| {
            row.tally.last_date().map(|date| date.to_string()).into()
        }),
        count("repaired", Metric::Repaired),
    ]);
    columns
}

impl StartRow {
    fn sum(&self, metric: Metric) -> f64 {
        self.tally.sum(metric) as f64
    }

    /// White's points in all finished games.
    fn points(&self) -> f64 {
        self.sum(Metric::WhiteWins) + self.sum(Metric::Draws) / 2.0
    }

    fn expected(&self) -> f64 {
        self.sum(Metric::Expected) / 2_f64.powi(32)
    }

    fn interval(&self) -> Option<ConfidenceInterval> {
        ConfidenceInterval::wilson(self.points(), self.tally.finished())
    }

    /// The first move that was played most; of several, the first in the order of squares.
    fn first_move(&self) -> Option<(PackedMove, &MoveTally)> {
        let moves = self.tally.first_moves.iter();
        moves
            .map(|(&mv, played)| (mv, played))
            .rev()
            .max_by_key(|(_, played)| played.games())
    }
}

fn count(name: &'static str, metric: Metric) -> StartColumn {
    StartColumn::new(name, move |row: &StartRow| row.tally.sum(metric).into())
}

fn average(name: &'static str, total: Metric, games: Metric, decimals: u8) -> StartColumn {
    StartColumn::new(name, move |row: &StartRow| {
        ratio(row.sum(total), row.sum(games), decimals)
    })
}

/// A quotient; missing if the divisor is 0.
pub fn ratio(dividend: f64, divisor: f64, decimals: u8) -> Cell {
    number(dividend / divisor, decimals)
}

fn number(value: f64, decimals: u8) -> Cell {
    Number::new(value, decimals).into()
}
