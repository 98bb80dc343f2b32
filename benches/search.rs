//! Tactical strength and speed of the embedded engine.
//!
//! Every position of `data/tactics.epd` is searched with the same number of nodes. The number of positions in which
//! the best move is the known one is the same on every machine, and is asserted. Then a sample of starts is searched
//! by the engine and by Stockfish (`STOCKFISH`, or the installed one) in turns, one thread each.
//!
//!     cargo bench --bench search

use std::time::{Duration, Instant};

use ninesixty::chess::{Board, Move};
use ninesixty::search::{
    Engine, SearchLimits, SearchOptions, SearchResult, UciSearcher, UciSearcherOptions,
};
use ninesixty::start::Selection;

/// Positions solved with [`TACTICS_NODES`] each.
const SOLVED: usize = 65;
const TACTICS_NODES: u64 = 100_000;

const SPEED_NODES: u64 = 500_000;
const TT_BYTES: usize = 16 << 20;

struct TestPosition {
    board: Board,
    best_moves: Vec<Move>,
}

fn main() {
    let mut engine = Engine::new(TT_BYTES);
    let positions = test_positions();
    let solved = positions.iter().filter(|position| {
        let result = search(&mut engine, &position.board, TACTICS_NODES);
        position.best_moves.contains(&result.lines[0].moves[0])
    });
    let solved = solved.count();
    println!(
        "{solved} of {} positions solved with {TACTICS_NODES} nodes each",
        positions.len()
    );
    assert_eq!(solved, SOLVED, "the search or the evaluation has changed");
    compare_speed(&mut engine);
}

fn test_positions() -> Vec<TestPosition> {
    let parse = |line: &str| {
        let (fen, operations) = line.split_once(" bm ").expect("every line has a best move");
        let board: Board = fen.parse().expect("the positions are legal");
        let moves = operations.split(';').next().unwrap_or_default();
        let moves = moves.split_whitespace().map(|san| board.parse_san(san));
        TestPosition {
            board,
            best_moves: moves
                .collect::<Result<_, _>>()
                .expect("the moves are legal"),
        }
    };
    include_str!("../data/tactics.epd")
        .lines()
        .map(parse)
        .collect()
}

fn node_limit(nodes: u64) -> SearchOptions<'static> {
    SearchOptions {
        limits: SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        },
        ..SearchOptions::default()
    }
}

fn search(engine: &mut Engine, board: &Board, nodes: u64) -> SearchResult {
    engine.clear();
    engine.search(&[*board], &node_limit(nodes), &mut |_| {})
}

fn stockfish() -> Option<UciSearcher> {
    let named = std::env::var("STOCKFISH").ok();
    let usual = ["stockfish", "/usr/games/stockfish"].map(str::to_owned);
    named.into_iter().chain(usual).find_map(|program| {
        let command = program.parse().ok()?;
        UciSearcher::start(&command, &UciSearcherOptions::default()).ok()
    })
}

fn compare_speed(engine: &mut Engine) {
    let starts: Selection = "sample:8".parse().expect("a selection");
    let mut stockfish = stockfish();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    for start in starts.doubles() {
        let board = Board::from_double_start(start);
        let started = Instant::now();
        let result = search(engine, &board, SPEED_NODES);
        ours += started.elapsed();
        assert_eq!(result.nodes, SPEED_NODES);
        if let Some(stockfish) = &mut stockfish {
            let started = Instant::now();
            let result = stockfish.search(&board, &node_limit(SPEED_NODES));
            theirs += started.elapsed();
            let nodes = result.expect("Stockfish searches").nodes;
            // Stockfish does not check its node limit at every node.
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
