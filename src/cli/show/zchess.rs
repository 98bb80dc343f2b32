//! The page about a position of Z-Chess. The diagram is staggered, because each circle touches two circles of the row
//! below and two of the row above.

use anyhow::anyhow;
use ninesixty::chess::figurine;
use ninesixty::start::Letters;
use ninesixty::zchess::{Board, Circle, Circles};

use super::super::exit::{Failure, OrFail};
use super::{Args, PageLine, format_lines, format_moves, paint};

/// The page about a position, or about the start if none is given.
pub fn page(typed: &str, args: &Args, color: bool) -> Result<String, Failure> {
    if !args.output.is_text() {
        return Err(anyhow!("Z-Chess has no table of starts: use --format text")).or_usage();
    }
    if args.letters.letters != Letters::English {
        return Err(anyhow!("Z-Chess supports only English letters")).or_usage();
    }
    let board = match typed {
        "" => Board::start(),
        typed => typed.parse().or_usage()?,
    };
    let title = if board == Board::start() {
        "Z-Chess: the start"
    } else {
        "Z-Chess: a position"
    };
    let lines = format_lines(&lines(&board));
    Ok(format!("{title}\n\n{}\n{lines}", draw(&board, color)))
}

fn lines(board: &Board) -> Vec<PageLine> {
    let moves = board.legal_moves();
    let state = match (board.is_check(), moves.is_empty()) {
        (true, true) => ", checkmated",
        (false, true) => ", stalemated: a draw",
        (true, false) => ", in check",
        (false, false) => "",
    };
    let mut lines = vec![
        ("Position", board.to_string()),
        ("To move", format!("{}{state}", board.turn())),
    ];
    if board.is_dead() {
        lines.push(("Draw", "too little material to mate".to_owned()));
    }
    let moves = moves.into_iter().map(|mv| board.long_form(mv));
    lines.push(format_moves(moves.collect()));
    lines
}

/// The diagram. Even numbers are printed above the board, odd ones below.
fn draw(board: &Board, color: bool) -> String {
    let rows = (0..Circle::ROWS).rev();
    let rows = rows.map(|row| {
        let name = char::from(b'a' + row);
        let circles = Circles::row(row).map(|circle| draw_circle(board, circle, color));
        line(&name.to_string(), row, &circles.collect::<Vec<_>>())
    });
    let [even, odd] = [Circle::ROWS - 2, 0].map(|row| {
        let numbers = Circles::row(row).map(|circle| format!(" {:<3}", circle.number()));
        line("", row, &numbers.collect::<Vec<_>>())
    });
    even + &rows.collect::<String>() + &odd
}

fn line(name: &str, row: u8, cells: &[String]) -> String {
    let stagger = if row.is_multiple_of(2) { "" } else { "  " };
    let line = format!("  {name:<1}  {stagger}{}", cells.concat());
    format!("{}\n", line.trim_end())
}

/// A circle, four characters wide.
fn draw_circle(board: &Board, circle: Circle, color: bool) -> String {
    let piece = board.piece_at(circle);
    if color {
        paint(piece, circle.row().is_multiple_of(2)) + " "
    } else {
        format!(" {}  ", piece.map_or('○', figurine))
    }
}
