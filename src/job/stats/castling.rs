//! How White and Black castled, by side and by the castling method of their starts.

use std::collections::BTreeMap;

use crate::chess::Color;
use crate::start::{BackRank, CastlingMethod, CastlingSide, DoubleStart};
use crate::stats::{Measure, StartTally, Tally};
use crate::table::{Column, Table};

use super::StatsJob;
use super::table::ratio;

/// A player, a side, and the method of castling there.
type CastlingKind = (Color, CastlingSide, CastlingMethod);

/// The games from all starts with one method on one side.
#[derive(Default)]
struct CastlingSums {
    starts: u64,
    games: u64,
    castled: u64,
    plies: u64,
    at_once: u64,
}

type Row = (CastlingKind, CastlingSums);

impl StatsJob {
    /// The table of castling.
    pub fn castling_table(&self, tally: &Tally) -> Table {
        let command = self.command().word("--castling");
        Table::from_rows("ninesixty.castling/1", command, &columns(), rows(tally))
    }
}

fn rows(tally: &Tally) -> BTreeMap<CastlingKind, CastlingSums> {
    let mut rows: BTreeMap<CastlingKind, CastlingSums> = BTreeMap::new();
    for (&start, tally) in &tally.starts {
        for color in Color::BOTH {
            for side in CastlingSide::ALL {
                add(&mut rows, start, tally, color, side);
            }
        }
    }
    rows
}

fn add(
    rows: &mut BTreeMap<CastlingKind, CastlingSums>,
    start: DoubleStart,
    tally: &StartTally,
    color: Color,
    side: CastlingSide,
) {
    use Measure::*;
    let (id, at_once) = match color {
        Color::White => (start.white, WhiteCastledAtOnce),
        Color::Black => (start.black, BlackCastledAtOnce),
    };
    let (castled, plies) = match (color, side) {
        (Color::White, CastlingSide::ASide) => (WhiteASide, WhiteASidePlies),
        (Color::White, CastlingSide::HSide) => (WhiteHSide, WhiteHSidePlies),
        (Color::Black, CastlingSide::ASide) => (BlackASide, BlackASidePlies),
        (Color::Black, CastlingSide::HSide) => (BlackHSide, BlackHSidePlies),
    };
    let castling = BackRank::from(id).castling(side);
    let sums = rows.entry((color, side, castling.method())).or_default();
    sums.starts += 1;
    sums.games = sums.games.saturating_add(tally.games());
    sums.castled = sums.castled.saturating_add(tally.sum(castled));
    sums.plies = sums.plies.saturating_add(tally.sum(plies));
    // No start allows castling to both sides on the first move, so the side is known.
    if castling.is_possible_at_once() {
        sums.at_once = sums.at_once.saturating_add(tally.sum(at_once));
    }
}

fn columns() -> Vec<Column<Row>> {
    vec![
        Column::new("player", |((color, _, _), _): &Row| {
            let name = match color {
                Color::White => "white",
                Color::Black => "black",
            };
            name.to_owned().into()
        }),
        Column::new("side", |((_, side, _), _): &Row| side.to_string().into()),
        Column::new("method", |((_, _, method), _): &Row| {
            method.to_string().into()
        }),
        Column::new("starts", |(_, sums): &Row| sums.starts.into()),
        Column::new("games", |(_, sums): &Row| sums.games.into()),
        Column::new("castled", |(_, sums): &Row| sums.castled.into()),
        Column::new("share", |(_, sums): &Row| {
            ratio(sums.castled as f64, sums.games as f64, 4)
        }),
        Column::new("ply", |(_, sums): &Row| {
            ratio(sums.plies as f64, sums.castled as f64, 1)
        }),
        Column::new("castled_on_move_1", |(_, sums): &Row| sums.at_once.into()),
    ]
}
