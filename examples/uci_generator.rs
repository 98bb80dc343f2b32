//! A move generator as a UCI engine that answers `go perft N`: all that `uci:COMMAND` needs.
//!
//! The moves come from the shakmaty library. Replace `Chess`, `legal_moves` and `play_unchecked` by your own.

use std::io::{self, BufRead};

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position, PositionError};

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let mut position = Chess::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] => {
                println!("id name my generator");
                println!("option name UCI_Chess960 type check default false");
                println!("uciok");
            }
            ["isready"] => println!("readyok"),
            ["position", ref rest @ ..] => position = read_position(rest)?,
            ["go", "perft", depth] => divide(&position, depth.parse()?),
            ["quit"] => break,
            // `setoption`, `ucinewgame`: this generator always plays Chess960 and remembers nothing.
            _ => {}
        }
    }
    Ok(())
}

/// `startpos` or `fen` and six fields, then perhaps `moves` and moves.
fn read_position(words: &[&str]) -> Result<Chess, AnyError> {
    let (start, moves) = match words.iter().position(|word| *word == "moves") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[][..]),
    };
    let mut position = match start {
        ["fen", fields @ ..] => {
            let fen: Fen = fields.join(" ").parse()?;
            // Suites hold positions that cannot arise in a game.
            fen.into_position(CastlingMode::Chess960)
                .or_else(PositionError::ignore_too_much_material)
                .or_else(PositionError::ignore_impossible_check)?
        }
        _ => Chess::default(),
    };
    for mv in moves {
        let mv: UciMove = mv.parse()?;
        position.play_unchecked(mv.to_move(&position)?);
    }
    Ok(position)
}

/// A line per first move, an empty line, the total. Castling is written as king takes rook.
fn divide(position: &Chess, depth: u32) {
    let mut total = 0;
    for mv in position.legal_moves() {
        let mut after = position.clone();
        after.play_unchecked(mv);
        let nodes = perft(&after, depth - 1);
        println!("{}: {nodes}", mv.to_uci(CastlingMode::Chess960));
        total += nodes;
    }
    println!("\nNodes searched: {total}\n");
}

fn perft(position: &Chess, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let below = |mv| {
        let mut after = position.clone();
        after.play_unchecked(mv);
        perft(&after, depth - 1)
    };
    position.legal_moves().into_iter().map(below).sum()
}
