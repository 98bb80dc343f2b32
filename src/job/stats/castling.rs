//! How White and Black castled, by side and by the castling method of their starts.

use std::collections::BTreeMap;

use crate::chess::Color;
use crate::start::{BackRank, CastlingMethod, CastlingSide, DoubleStart};
use crate::stats::{Metric, StartTally, Tally};
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
    on_move_1: u64,
}

type CastlingRow = (CastlingKind, CastlingSums);

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
    use Metric::*;
    let (id, on_move_1) = match color {
        Color::White => (start.white, WhiteCastledOnMove1),
        Color::Black => (start.black, BlackCastledOnMove1),
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
    sums.games = sums.games.saturating_add(tally.with_moves());
    sums.castled = sums.castled.saturating_add(tally.sum(castled));
    sums.plies = sums.plies.saturating_add(tally.sum(plies));
    // No start allows castling to both sides on move 1, so the side is known.
    if castling.is_possible_at_once() {
        sums.on_move_1 = sums.on_move_1.saturating_add(tally.sum(on_move_1));
    }
}

fn columns() -> Vec<Column<CastlingRow>> {
    vec![
        Column::new("player", |((color, _, _), _): &CastlingRow| {
            let name = match color {
                Color::White => "white",
                Color::Black => "black",
            };
            name.to_owned().into()
        }),
        Column::new("side", |((_, side, _), _): &CastlingRow| {
            side.to_string().into()
        }),
        Column::new("method", |((_, _, method), _): &CastlingRow| {
            method.to_string().into()
        }),
        Column::new("starts", |(_, sums): &CastlingRow| sums.starts.into()),
        Column::new("games", |(_, sums): &CastlingRow| sums.games.into()),
        Column::new("castled", |(_, sums): &CastlingRow| sums.castled.into()),
        Column::new("share", |(_, sums): &CastlingRow| {
            ratio(sums.castled as f64, sums.games as f64, 4)
        }),
        Column::new("ply", |(_, sums): &CastlingRow| {
            ratio(sums.plies as f64, sums.castled as f64, 1)
        }),
        Column::new("castled_on_move_1", |(_, sums): &CastlingRow| {
            sums.on_move_1.into()
        }),
    ]
}
