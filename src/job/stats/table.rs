//! The table of statistics per start.

use crate::chess::{Board, PackedMove};
use crate::start::{BackRank, CastlingSide, DoubleStart};
use crate::stats::{Comparison, Interval, Measure, Played, Speed, StartTally, Tally, Termination};
use crate::table::{self, Cell, CommandText, Number, Table};

use super::StatsJob;
use crate::job::game::{back_ranks, start_id};

/// A start, its tally, and how it compares with the others.
struct Row {
    start: DoubleStart,
    tally: StartTally,
    comparison: Option<Comparison>,
}

type Column = table::Column<Row>;

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
            .switch("--dedup", settings.dedup);
        settings.filter.write_flags(command)
    }

    /// The table of the starts from which games were played; without `all_columns`, only those that people look at first.
    pub fn table(&self, tally: &Tally, all_columns: bool) -> Table {
        let tallies: Vec<&StartTally> = tally.starts.values().collect();
        let (comparisons, _) = Comparison::of(&tallies);
        let rows = tally.starts.iter().zip(comparisons);
        let rows = rows.map(|((&start, tally), comparison)| Row {
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

fn first_columns() -> Vec<Column> {
    vec![
        Column::new("id", |row: &Row| start_id(row.start)),
        Column::new("back_rank", |row: &Row| back_ranks(row.start).into()),
        Column::new("games", |row: &Row| row.tally.games().into()),
        count("white_wins", Measure::WhiteWins),
        count("draws", Measure::Draws),
        count("black_wins", Measure::BlackWins),
        count("unfinished", Measure::Unfinished),
        Column::new("score", |row: &Row| {
            ratio(row.points(), row.tally.finished() as f64, 4)
        }),
        Column::new("score_low", |row: &Row| {
            row.interval().map(|i| number(i.low, 4)).into()
        }),
        Column::new("score_high", |row: &Row| {
            row.interval().map(|i| number(i.high, 4)).into()
        }),
        Column::new("draw_rate", |row: &Row| {
            let draws = row.sum(Measure::Draws);
            ratio(draws, row.tally.finished() as f64, 4)
        }),
        Column::new("expected", |row: &Row| {
            ratio(row.expected(), row.sum(Measure::Rated), 4)
        }),
        Column::new("surplus", |row: &Row| {
            let points = row.sum(Measure::RatedHalfPoints) / 2.0;
            ratio(points - row.expected(), row.sum(Measure::Rated), 4)
        }),
        Column::new("p_adjusted", |row: &Row| {
            row.comparison.map(|c| number(c.p_adjusted, 4)).into()
        }),
    ]
}

fn columns_of_ratings() -> Vec<Column> {
    vec![
        Column::new("z", |row: &Row| {
            row.comparison.map(|c| number(c.z, 3)).into()
        }),
        Column::new("p", |row: &Row| {
            row.comparison.map(|c| number(c.p, 6)).into()
        }),
        count("rated", Measure::Rated),
        average(
            "white_rating",
            Measure::WhiteRatings,
            Measure::WhiteRated,
            0,
        ),
        average(
            "black_rating",
            Measure::BlackRatings,
            Measure::BlackRated,
            0,
        ),
    ]
}

fn columns_of_moves() -> Vec<Column> {
    vec![
        Column::new("first_move", |row: &Row| {
            let board = Board::from_double_start(row.start);
            let mv = row.first_move().and_then(|(code, _)| code.find_in(&board));
            mv.map(|mv| board.san(mv)).into()
        }),
        Column::new("first_move_games", |row: &Row| {
            row.first_move().map(|(_, played)| played.games()).into()
        }),
        Column::new("plies", |row: &Row| {
            ratio(row.sum(Measure::Plies), row.tally.games() as f64, 1)
        }),
    ]
}

fn columns_of_castling() -> Vec<Column> {
    let method = |name, side: CastlingSide| {
        Column::new(name, move |row: &Row| {
            let [white, black] = [row.start.white, row.start.black]
                .map(|id| BackRank::from(id).castling(side).method().to_string());
            if white == black {
                white.into()
            } else {
                format!("{white}/{black}").into()
            }
        })
    };
    let castled = |name, a_side: Measure, h_side: Measure| {
        Column::new(name, move |row: &Row| {
            Cell::from(row.tally.sum(a_side) + row.tally.sum(h_side))
        })
    };
    let ply = |name, plies: [Measure; 2], sides: [Measure; 2]| {
        Column::new(name, move |row: &Row| {
            let sum = |measures: [Measure; 2]| row.sum(measures[0]) + row.sum(measures[1]);
            ratio(sum(plies), sum(sides), 1)
        })
    };
    use Measure::*;
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
        count("white_castled_on_move_1", WhiteCastledAtOnce),
        count("black_castled_on_move_1", BlackCastledAtOnce),
    ]
}

fn columns_of_kinds() -> Vec<Column> {
    let mut columns = Vec::new();
    columns.extend(Speed::ALL.map(|speed| {
        let name = format!("time_control_{speed}");
        Column::new(name, move |row: &Row| row.tally.of_speed(speed).into())
    }));
    columns.extend(Termination::ALL.map(|termination| {
        let name = format!("termination_{termination}").replace('-', "_");
        Column::new(name, move |row: &Row| {
            row.tally.of_termination(termination).into()
        })
    }));
    columns.extend([
        Column::new("first_date", |row: &Row| {
            row.tally.first_date().map(|date| date.to_string()).into()
        }),
        Column::new("last_date", |row: &Row| {
            row.tally.last_date().map(|date| date.to_string()).into()
        }),
        count("repaired", Measure::Repaired),
    ]);
    columns
}

impl Row {
    fn sum(&self, measure: Measure) -> f64 {
        self.tally.sum(measure) as f64
    }

    /// White's points in all finished games.
    fn points(&self) -> f64 {
        self.sum(Measure::WhiteWins) + self.sum(Measure::Draws) / 2.0
    }

    fn expected(&self) -> f64 {
        self.sum(Measure::Expected) / 2_f64.powi(32)
    }

    fn interval(&self) -> Option<Interval> {
        Interval::of_score(self.points(), self.tally.finished())
    }

    /// The first move that was played most; of several, the first in the order of squares.
    fn first_move(&self) -> Option<(PackedMove, &Played)> {
        let moves = self.tally.first_moves.iter();
        moves
            .map(|(&code, played)| (code, played))
            .rev()
            .max_by_key(|(_, played)| played.games())
    }
}

fn count(name: &'static str, measure: Measure) -> Column {
    Column::new(name, move |row: &Row| row.tally.sum(measure).into())
}

fn average(name: &'static str, total: Measure, games: Measure, decimals: u8) -> Column {
    Column::new(name, move |row: &Row| {
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
