//! Speed of move generators, one thread each, on the same positions in the same run.
//!
//! Rounds are interleaved, so that a busy machine slows all generators equally, and every count is checked. Bulk counters
//! are compared with each other; our two-ply counter makes fewer moves for the same count and has a column of its own.
//! Stockfish (`STOCKFISH`, or the installed one) runs as a child process and is timed from `go perft` to its last line.
//! Without Stockfish its column is missing.
//!
//!     cargo bench --bench generators [-- ROUNDS [NAME…]]

#[path = "common/stockfish.rs"]
mod stockfish;

use std::time::{Duration, Instant};

use ninesixty::chess::Board;
use ninesixty::chess::count::{bulk_perft_at, perft_at};
use ninesixty::cpu::Level;
use ninesixty::generator::{Counter, Cozy, Shakmaty};

use stockfish::stockfish;

struct Case {
    name: &'static str,
    fen: &'static str,
    depth: u32,
    nodes: u64,
}

/// Published counts: the starts from the well-known tables, the others from `data/`.
const CASES: [Case; 9] = [
    Case {
        name: "518",
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
        depth: 6,
        nodes: 119_060_324,
    },
    Case {
        name: "0",
        fen: "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
        depth: 6,
        nodes: 121_983_565,
    },
    Case {
        name: "959",
        fen: "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAca - 0 1",
        depth: 6,
        nodes: 121_872_948,
    },
    Case {
        name: "kiwipete",
        fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w HAha - 0 1",
        depth: 5,
        nodes: 193_690_690,
    },
    Case {
        name: "fischer-1",
        fen: "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        depth: 6,
        nodes: 227_689_589,
    },
    Case {
        name: "fischer-2",
        fen: "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        depth: 5,
        nodes: 16_253_601,
    },
    Case {
        name: "tricky-4",
        fen: "1rkr3b/1ppn3p/3pB1n1/6q1/R2P4/4N1P1/1P5P/2KRQ1B1 b Dbd - 0 14",
        depth: 5,
        nodes: 65_591_961,
    },
    Case {
        name: "tricky-11",
        fen: "4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 10 18",
        depth: 5,
        nodes: 118_639_874,
    },
    Case {
        name: "tricky-15",
        fen: "2rkr3/5PP1/8/5Q2/5q2/8/5pp1/2RKR3 w CEce - 0 1",
        depth: 5,
        nodes: 94_370_149,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let rounds: usize = arguments
        .first()
        .map_or(5, |word| word.parse().expect("ROUNDS is a number"));
    let names = arguments.get(1..).unwrap_or_default();
    let mut runners = runners();
    print!("{:<12}", "Mnodes/s");
    runners
        .iter()
        .for_each(|runner| print!("{:>16}", runner.name));
    println!();
    for case in CASES
        .iter()
        .filter(|case| names.is_empty() || names.iter().any(|name| case.name == name))
    {
        let best = best_times(case, &mut runners, rounds);
        let last = best.last().expect("there is at least one generator");
        print!("{:<12}", case.name);
        for (time, runner) in best.iter().zip(&runners) {
            let rate = case.nodes as f64 / time.as_secs_f64() / 1e6;
            let ratio = last.as_secs_f64() / time.as_secs_f64();
            let cell = if runner.is_bulk {
                format!("{rate:.0} ({ratio:.1}x)")
            } else {
                format!("{rate:.0}")
            };
            print!("{cell:>16}");
        }
        println!();
    }
    println!(
        "best of {rounds} interleaved rounds; in brackets the ratio to the bulk counter of the last column"
    );
}

fn best_times(case: &Case, runners: &mut [Runner], rounds: usize) -> Vec<Duration> {
    let board: Board = case.fen.parse().expect("the cases are legal positions");
    let mut best = vec![Duration::MAX; runners.len()];
    for _ in 0..rounds {
        for (runner, best) in runners.iter_mut().zip(&mut best) {
            let begun = Instant::now();
            let nodes = (runner.count)(&board, case.depth);
            *best = begun.elapsed().min(*best);
            assert_eq!(nodes, case.nodes, "{} on {}", runner.name, case.name);
        }
    }
    best
}

type Count = dyn FnMut(&Board, u32) -> u64;

struct Runner {
    name: String,
    is_bulk: bool,
    count: Box<Count>,
}

fn runners() -> Vec<Runner> {
    let levels = Level::all();
    let two_ply = levels.iter().map(|&level| Runner {
        name: format!("2-ply {}", level.name()),
        is_bulk: false,
        count: Box::new(move |board, depth| perft_at(level, board, depth)),
    });
    let bulk = levels.iter().map(|&level| Runner {
        name: format!("bulk {}", level.name()),
        is_bulk: true,
        count: Box::new(move |board, depth| bulk_perft_at(level, board, depth)),
    });
    let mut runners: Vec<Runner> = two_ply.chain(bulk).collect();
    runners.push(runner("cozy-chess", Box::new(Cozy)));
    runners.push(runner("shakmaty", Box::new(Shakmaty)));
    runners.extend(stockfish().map(|stockfish| runner("Stockfish", stockfish)));
    runners
}

fn runner(name: &str, counter: Box<dyn Counter>) -> Runner {
    Runner {
        name: name.to_owned(),
        is_bulk: true,
        count: Box::new(move |board, depth| {
            let nodes = counter
                .perft(board, depth)
                .expect("every generator accepts the cases");
            u64::try_from(nodes).expect("the counts of the cases fit 64 bits")
        }),
    }
}
