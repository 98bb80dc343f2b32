//! A move generator of your own behind `Counter`: verified, compared and timed (`cargo run --example own_generator`).
//! This one forgets castling. Replace `moves` and `perft` by yours.

use ninesixty::chess::{Board, Move, MoveKind};
use ninesixty::diff::{CounterPair, DiffOptions, find};
use ninesixty::generator::{bench::*, *};

struct Mine;

impl Counter for Mine {
    fn name(&self) -> &str {
        "mine"
    }

    #[rustfmt::skip]
    fn branches(&self, at: &MoveLine, depth: u32, _: &CountRequest) -> Result<Branches, CounterError> {
        let board = at.end();
        let branch = |mv: Move| (mv.to_string(), perft(&board.play(mv), depth - 1));
        let mut branches: Branches = moves(&board).map(branch).collect();
        branches.sort();
        Ok(branches)
    }
}

fn moves(board: &Board) -> impl Iterator<Item = Move> {
    let moves = board.legal_moves().into_iter();
    moves.filter(|mv| mv.kind != MoveKind::Castling)
}

fn perft(board: &Board, depth: u32) -> u128 {
    let below = |mv| perft(&board.play(mv), depth - 1);
    match depth {
        0 => 1,
        _ => moves(board).map(below).sum(),
    }
}

#[rustfmt::skip]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = VerifyOptions { max_nodes: 10_000, ..VerifyOptions::default() };
    println!("{:#?}", verify(&Claims::tricky(), &Mine, &options)?.mismatches.first());
    let cases = standard_cases(Some(4));
    let boards: Vec<Board> = cases.iter().map(|case| case.board).collect();
    println!("{:#?}", find(&CounterPair { a: &Own, b: &Mine }, &boards, &DiffOptions::default())?);
    let endgame = cases.into_iter().find(|case| case.name == "endgame").expect("a standard case");
    let report = bench(&[endgame], &[&Own, &Mine], &BenchOptions::default())?;
    report.rows().iter().for_each(|row| println!("{}: {} s", report.contenders[row.contender], row.median_seconds));
    Ok(())
}
