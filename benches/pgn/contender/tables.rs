//! The table of the starts, and how numbers are written.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use ninesixty::start::{BackRank, DoubleStart};
use shakmaty::san::SanPlus;

use super::start::{Start, StartTotals};
use super::tags::{SPEEDS, TERMINATIONS};

/// Writes a row for each start with games. The columns have the names and values of `stats`.
pub fn write_starts(starts: &[Start], path: &Path) -> io::Result<()> {
    let mut starts: Vec<&Start> = starts
        .iter()
        .filter(|start| start.totals.games() > 0)
        .collect();
    starts.sort_by_key(|start| start.number());
    let mut out = Vec::new();
    let names = cells(&Start::classical()).into_iter().map(|(name, _)| name);
    writeln!(out, "{}", names.collect::<Vec<_>>().join(","))?;
    for start in starts {
        let values = cells(start).into_iter().map(|(_, value)| value);
        writeln!(out, "{}", values.collect::<Vec<_>>().join(","))?;
    }
    File::create(path)?.write_all(&out)
}

/// The columns of a start and their values.
fn cells(start: &Start) -> Vec<(String, String)> {
    let totals = &start.totals;
    let [white, draws, black, unfinished] = totals.outcomes;
    let finished = (white + draws + black) as f64;
    let points = white as f64 + draws as f64 / 2.0;
    let (low, high) = if finished > 0.0 {
        wilson(points, finished)
    } else {
        (f64::NAN, f64::NAN)
    };
    let expected = totals.expected as f64 / 2_f64.powi(32);
    let rated = totals.both_rated as f64;
    let surplus = totals.half_points as f64 / 2.0 - expected;
    let mut cells = Vec::new();
    let mut cell = |name: &str, value: String| cells.push((name.to_owned(), value));
    cell("id", id(start.ids));
    cell("back_rank", back_ranks(start.ids));
    for (name, count) in [
        ("games", totals.games()),
        ("white_wins", white),
        ("draws", draws),
        ("black_wins", black),
        ("unfinished", unfinished),
        ("rated", totals.both_rated),
        ("repaired", totals.repaired),
    ] {
        cell(name, count.to_string());
    }
    for (name, value, decimals) in [
        ("score", points / finished, 4),
        ("score_low", low, 4),
        ("score_high", high, 4),
        ("draw_rate", draws as f64 / finished, 4),
        ("expected", expected / rated, 4),
        ("surplus", surplus / rated, 4),
        ("white_rating", ratio(totals.ratings[0], totals.rated[0]), 0),
        ("black_rating", ratio(totals.ratings[1], totals.rated[1]), 0),
        ("plies", ratio(totals.plies, totals.games()), 1),
    ] {
        cell(name, fixed(value, decimals));
    }
    let (first_move, games) = first_move(start);
    cell("first_move", first_move);
    cell("first_move_games", games.to_string());
    for (player, name) in ["white", "black"].into_iter().enumerate() {
        castling_cells(totals, player, name, &mut cell);
    }
    for (speed, games) in SPEEDS.into_iter().zip(totals.speeds) {
        cell(&format!("time_control_{speed}"), games.to_string());
    }
    for (termination, games) in TERMINATIONS.into_iter().zip(totals.terminations) {
        cell(&format!("termination_{termination}"), games.to_string());
    }
    cell("first_date", date(totals.dates[0]));
    cell("last_date", date(totals.dates[1]));
    cells
}

/// The columns of a player's castling.
fn castling_cells(
    totals: &StartTotals,
    player: usize,
    name: &str,
    cell: &mut impl FnMut(&str, String),
) {
    let [a_side, h_side] = totals.castled[player];
    let plies: u64 = totals.castled_plies[player].iter().sum();
    let on_move_1 = totals.castled_on_move_1[player];
    cell(&format!("{name}_castled"), (a_side + h_side).to_string());
    cell(&format!("{name}_a_side"), a_side.to_string());
    cell(&format!("{name}_h_side"), h_side.to_string());
    let mean = ratio(plies, a_side + h_side);
    cell(&format!("{name}_castling_ply"), fixed(mean, 1));
    cell(&format!("{name}_castled_on_move_1"), on_move_1.to_string());
}

/// The first move that was played most, and its games; of several, the first in the order of squares.
fn first_move(start: &Start) -> (String, u64) {
    let moves = start.totals.first_moves.iter();
    let most = moves.max_by_key(|(mv, played)| {
        let from = mv.from().map_or(0, u32::from);
        let squares = from | u32::from(mv.to()) << 6;
        (played.games(), std::cmp::Reverse(squares))
    });
    most.map_or((String::new(), 0), |&(mv, played)| {
        let san = SanPlus::from_move(start.position.clone(), mv);
        (san.to_string(), played.games())
    })
}

fn ratio(dividend: u64, divisor: u64) -> f64 {
    dividend as f64 / divisor as f64
}

/// Empty where there is nothing to divide by.
fn fixed(value: f64, decimals: usize) -> String {
    let mut text = Vec::new();
    if value.is_finite() {
        push_fixed(&mut text, value, decimals);
    }
    String::from_utf8(text).expect("digits")
}

fn date(digits: u32) -> String {
    match (digits / 10_000, digits / 100 % 100, digits % 100) {
        (0, ..) => String::new(),
        (year, 0, _) => format!("{year:04}"),
        (year, month, 0) => format!("{year:04}-{month:02}"),
        (year, month, day) => format!("{year:04}-{month:02}-{day:02}"),
    }
}

pub fn id(ids: DoubleStart) -> String {
    match ids.single() {
        Some(id) => id.to_string(),
        None => ids.to_string(),
    }
}

pub fn back_ranks(ids: DoubleStart) -> String {
    let [white, black] = [ids.white, ids.black].map(BackRank::from);
    match ids.single() {
        Some(_) => white.to_string(),
        None => format!("{white}/{black}"),
    }
}

/// Wilson's interval of 95 % for a score in at least one game.
pub fn wilson(points: f64, games: f64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let share = points / games;
    let z2 = Z * Z;
    let middle = (share + z2 / (2.0 * games)) / (1.0 + z2 / games);
    let variance = share * (1.0 - share) / games + z2 / (4.0 * games * games);
    let half = Z / (1.0 + z2 / games) * variance.sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

pub fn push_integer(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut begin = digits.len();
    loop {
        begin -= 1;
        digits[begin] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[begin..]);
}

/// A number with 0 to 4 decimals, rounded as the standard library does.
pub fn push_fixed(out: &mut Vec<u8>, value: f64, decimals: usize) {
    let unit = [1, 10, 100, 1_000, 10_000][decimals];
    let scaled = value * unit as f64;
    let rounded = scaled.round();
    // The standard library is exact but slow. It is only needed where the product may have crossed a tie.
    let is_near_tie = ((scaled - rounded).abs() - 0.5).abs() < 1e-6;
    if is_near_tie || !(0.0..1e15).contains(&value) {
        let text = format!("{value:.decimals$}");
        let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
        let text = if is_zero {
            text.trim_start_matches('-')
        } else {
            &text
        };
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let rounded = rounded as u64;
    push_integer(out, rounded / unit);
    if decimals > 0 {
        let begin = out.len();
        push_integer(out, unit + rounded % unit);
        // The leading 1 kept the zeros; the point takes its place.
        out[begin] = b'.';
    }
}
