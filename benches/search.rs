//! What the embedded engine finds, and how fast.
//!
//! Every position of `data/tactics.epd` is searched with the same number of nodes, and those are counted in which
//! the best move is the known one: a number that is the same on every machine, and checked here. Then some starts
//! are searched by it and by Stockfish (`STOCKFISH`, or the one that is installed) in turns, one thread each.
//!
//!     cargo bench --bench search

use std::time::{Duration, Instant};

use ninesixty::chess::{Board, Move};
use ninesixty::search::{Engine, Foreign, Found, Limits};
use ninesixty::start::Selection;
use ninesixty::uci;

/// How many of the known positions are solved with so many nodes each.
const SOLVED: usize = 65;
const TACTICAL_NODES: u64 = 100_000;

const SPEED_NODES: u64 = 500_000;
const TABLE_BYTES: usize = 16 << 20;

struct Known {
    board: Board,
    best: Vec<Move>,
}

fn main() {
    let mut engine = Engine::new(TABLE_BYTES);
    let known = known();
    let solved = known.iter().filter(|known| {
        let found = search(&mut engine, &known.board, TACTICAL_NODES);
        known.best.contains(&found.lines[0].moves[0])
    });
    let solved = solved.count();
    println!(
        "{solved} of {} positions solved with {TACTICAL_NODES} nodes each",
        known.len()
    );
    assert_eq!(solved, SOLVED, "another engine solves another number");
    compare_speed(&mut engine);
}

fn known() -> Vec<Known> {
    let read = |line: &str| {
        let (fen, operations) = line.split_once(" bm ").expect("every line has a best move");
        let board: Board = fen.parse().expect("the positions are legal");
        let moves = operations.split(';').next().unwrap_or_default();
        let moves = moves.split_whitespace().map(|san| board.parse_san(san));
        Known {
            board,
            best: moves
                .collect::<Result<_, _>>()
                .expect("the moves are legal"),
        }
    };
    include_str!("../data/tactics.epd")
        .lines()
        .map(read)
        .collect()
}

fn limits(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn search(engine: &mut Engine, board: &Board, nodes: u64) -> Found {
    engine.clear();
    engine.search(&[*board], &limits(nodes), 1, &|| false, &mut |_| {})
}

fn stockfish() -> Option<Foreign> {
    let asked = std::env::var("STOCKFISH").ok();
    let usual = ["stockfish", "/usr/games/stockfish"].map(str::to_owned);
    asked.into_iter().chain(usual).find_map(|program| {
        let command = program.parse().ok()?;
        Foreign::start(&command, &[], 1, uci::Limits::default(), &|| false).ok()
    })
}

fn compare_speed(engine: &mut Engine) {
    let starts: Selection = "sample:8".parse().expect("a selection");
    let mut stockfish = stockfish();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    for start in starts.doubles() {
        let board = Board::from_double_start(start);
        let begun = Instant::now();
        let found = search(engine, &board, SPEED_NODES);
        ours += begun.elapsed();
        assert_eq!(found.nodes, SPEED_NODES);
        if let Some(stockfish) = &mut stockfish {
            let begun = Instant::now();
            let found = stockfish.search(&board, &limits(SPEED_NODES), &|| false);
            theirs += begun.elapsed();
            let nodes = found.expect("Stockfish searches").nodes;
            // It looks at its limit now and then.
            assert!(
                (SPEED_NODES / 2..2 * SPEED_NODES).contains(&nodes),
                "{nodes}"
            );
        }
    }
    let nodes = starts.doubles().count() as f64 * SPEED_NODES as f64;
    let rate = |time: Duration| nodes / time.as_secs_f64() / 1e6;
    println!("own       {:.2} Mnodes/s", rate(ours));
    if stockfish.is_some() {
        let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
        println!(
            "Stockfish {:.2} Mnodes/s; own is {ratio:.2}x as fast",
            rate(theirs)
        );
    }
}
