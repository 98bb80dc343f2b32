//! The table of statistics per start.

use std::collections::BTreeMap;

use crate::chess::{Board, PackedMove};
use crate::start::{BackRank, CastlingSide, DoubleStart};
use crate::stats::{
    ConfidenceInterval, Entropy, GroupBy, GroupKeys, Metric, MoveTally, Speed, StartComparison,
    StartTally, Tally, Termination,
};
use crate::table::{self, Cell, CommandText, Number, Table};

use super::StatsJob;
use super::keys::key_columns;
use crate::job::game::{back_ranks, start_id};

/// A start or another group of games, its tally, and how it compares with the others.
struct StartRow {
    /// `None` if the games from all starts are counted together.
    start: Option<DoubleStart>,
    keys: GroupKeys,
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
            .quoted_flag(
                "--by",
                Some(settings.by).filter(|&by| by != GroupBy::default()),
            )
            .switch("--include-standard", settings.include_standard)
            .switch("--doubles", settings.doubles)
            .switch("--repair", settings.repair)
            .switch("--include-moveless", settings.include_moveless)
            .switch("--dedup", settings.dedup);
        settings.filter.write_flags(command)
    }

    /// The table of the starts or other groups of which games were played; without `all_columns`, only those that people
    /// look at first.
    pub fn table(&self, tally: &Tally, all_columns: bool) -> Table {
        let by = self.stats_settings().by;
        let mut columns = Vec::new();
        if by.start {
            columns.extend(columns_of_start());
        }
        columns.extend(
            key_columns(by)
                .into_iter()
                .map(|key| StartColumn::new(key.name(), move |row: &StartRow| key.cell(&row.keys))),
        );
        columns.extend(first_columns());
        if all_columns {
            columns.extend(columns_of_ratings());
            if by.start {
                columns.extend(columns_of_first_moves());
            }
            columns.extend(columns_of_games());
            if by.start {
                columns.extend(columns_of_methods());
            }
            columns.extend(columns_of_castling());
            columns.extend(columns_of_kinds());
        }
        Table::from_rows(
            "ninesixty.stats/2",
            self.command(),
            &columns,
            rows(by, tally),
        )
    }
}

/// The rows for games that are grouped like this.
fn rows(by: GroupBy, tally: &Tally) -> Vec<StartRow> {
    let mut groups: BTreeMap<(Option<DoubleStart>, GroupKeys), StartTally> = BTreeMap::new();
    if by.has_keys() {
        for (group, tally) in &tally.groups {
            let start = Some(group.start).filter(|_| by.start);
            let sum = groups.entry((start, group.keys)).or_default();
            sum.absorb(tally);
        }
    } else {
        for (&start, tally) in &tally.starts {
            groups.insert((Some(start), GroupKeys::default()), tally.clone());
        }
    }
    let tallies: Vec<&StartTally> = groups.values().collect();
    let (comparisons, _) = StartComparison::of_all(&tallies);
    let rows = groups.into_iter().zip(comparisons);
    let rows = rows.map(|(((start, keys), tally), comparison)| StartRow {
        start,
        keys,
        tally,
        comparison,
    });
    rows.collect()
}

fn columns_of_start() -> Vec<StartColumn> {
    vec![
        StartColumn::new("id", |row: &StartRow| row.start.map(start_id).into()),
        StartColumn::new("back_rank", |row: &StartRow| {
            row.start.map(back_ranks).into()
        }),
    ]
}

fn first_columns() -> Vec<StartColumn> {
    vec![
        StartColumn::new("games", |row: &StartRow| row.tally.games().into()),
        count("white_wins", Metric::WhiteWins),
        count("draws", Metric::Draws),
        count("black_wins", Metric::BlackWins),
        count("unfinished", Metric::Unfinished),
        StartColumn::new("score", |row: &StartRow| {
            ratio(row.points(), row.tally.finished() as f64, 4)
        }),
        bound("score_low", |row| row.score_interval()?.low.into()),
        bound("score_high", |row| row.score_interval()?.high.into()),
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

fn columns_of_first_moves() -> Vec<StartColumn> {
    vec![
        StartColumn::new("first_move", |row: &StartRow| {
            let board = row.start.map(Board::from_double_start);
            let san = board.and_then(|board| {
                let (mv, _) = row.first_move()?;
                Some(board.san(mv.find_in(&board)?))
            });
            san.into()
        }),
        StartColumn::new("first_move_games", |row: &StartRow| {
            row.first_move().map(|(_, played)| played.games()).into()
        }),
        bound("first_move_entropy", |row| row.entropy()?.bits.into()),
        bound("first_move_entropy_low", |row| {
            row.entropy()?.interval.low.into()
        }),
        bound("first_move_entropy_high", |row| {
            row.entropy()?.interval.high.into()
        }),
    ]
}

/// Length, draws and time, with their intervals.
fn columns_of_games() -> Vec<StartColumn> {
    vec![
        StartColumn::new("plies", |row: &StartRow| {
            ratio(row.sum(Metric::Plies), row.tally.with_moves() as f64, 1)
        }),
        StartColumn::new("plies_low", |row: &StartRow| {
            row.plies_interval().map(|i| number(i.low, 1)).into()
        }),
        StartColumn::new("plies_high", |row: &StartRow| {
            row.plies_interval().map(|i| number(i.high, 1)).into()
        }),
        bound("draw_rate_low", |row| row.draw_interval()?.low.into()),
        bound("draw_rate_high", |row| row.draw_interval()?.high.into()),
        StartColumn::new("time_forfeit_rate", |row: &StartRow| {
            let (forfeits, games) = row.time_forfeits();
            ratio(forfeits as f64, games as f64, 4)
        }),
        bound("time_forfeit_rate_low", |row| {
            row.time_interval()?.low.into()
        }),
        bound("time_forfeit_rate_high", |row| {
            row.time_interval()?.high.into()
        }),
    ]
}

/// The castling methods of the start.
fn columns_of_methods() -> Vec<StartColumn> {
    let method = |name, side: CastlingSide| {
        StartColumn::new(name, move |row: &StartRow| {
            let methods = row.start.map(|start| {
                let [white, black] = [start.white, start.black]
                    .map(|id| BackRank::from(id).castling(side).method().to_string());
                if white == black {
                    white
                } else {
                    format!("{white}/{black}")
                }
            });
            methods.into()
        })
    };
    vec![
        method("castling_a_side", CastlingSide::ASide),
        method("castling_h_side", CastlingSide::HSide),
    ]
}

fn columns_of_castling() -> Vec<StartColumn> {
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

    fn score_interval(&self) -> Option<ConfidenceInterval> {
        ConfidenceInterval::wilson(self.points(), self.tally.finished())
    }

    fn draw_interval(&self) -> Option<ConfidenceInterval> {
        ConfidenceInterval::wilson(self.sum(Metric::Draws), self.tally.finished())
    }

    /// The games that were decided on time, and the games of which the termination is known.
    fn time_forfeits(&self) -> (u64, u64) {
        let known = Termination::ALL
            .into_iter()
            .filter(|&termination| termination != Termination::Unknown)
            .map(|termination| self.tally.of_termination(termination))
            .fold(0, u64::saturating_add);
        (self.tally.of_termination(Termination::TimeForfeit), known)
    }

    fn time_interval(&self) -> Option<ConfidenceInterval> {
        let (forfeits, games) = self.time_forfeits();
        ConfidenceInterval::wilson(forfeits as f64, games)
    }

    fn plies_interval(&self) -> Option<ConfidenceInterval> {
        let squares = self.sum(Metric::SquaredPlies);
        ConfidenceInterval::of_mean(self.sum(Metric::Plies), squares, self.tally.with_moves())
    }

    fn entropy(&self) -> Option<Entropy> {
        let moves = self.tally.first_moves.values();
        Entropy::of_counts(moves.map(MoveTally::games))
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

/// A column of numbers with four decimals.
fn bound(name: &'static str, value: fn(&StartRow) -> Option<f64>) -> StartColumn {
    StartColumn::new(name, move |row: &StartRow| {
        value(row).map(|value| number(value, 4)).into()
    })
}

/// A quotient; missing if the divisor is 0.
pub fn ratio(dividend: f64, divisor: f64, decimals: u8) -> Cell {
    number(dividend / divisor, decimals)
}

fn number(value: f64, decimals: u8) -> Cell {
    Number::new(value, decimals).into()
}
