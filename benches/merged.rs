//! Speed of perft of all 960 starts with merged transpositions, compared with one Stockfish process per thread.
//!
//! Stockfish is measured on some of the starts in the same run, one process per thread at the same time. The ratio is that
//! of nodes per second. Our counts are checked against `data/perft960.csv`, Stockfish's against ours.
//!
//!     cargo bench --bench merged [-- DEPTH [STARTS [THREADS]]]

#[path = "common/stockfish.rs"]
mod stockfish;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ninesixty::chess::Board;
use ninesixty::chess::count::perft;
use ninesixty::perft::{CountOptions, Merger};
use ninesixty::start::{Selection, StartId};
use ninesixty::table::read::Sheet;
use stockfish::stockfish;

/// The depth at which Stockfish is measured; its speed hardly depends on it.
const STOCKFISH_DEPTH: u32 = 5;

const BYTES_PER_THREAD: usize = 4 << 30;

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let depth = numbers.first().map_or(6, |&depth| depth as u32);
    let starts = numbers.get(1).copied().unwrap_or(StartId::COUNT);
    let threads = numbers
        .get(2)
        .copied()
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let selection: Selection = format!("sample:{starts}")
        .parse()
        .expect("STARTS is 1 to 960");
    let boards: Vec<Board> = selection.doubles().map(Board::from_double_start).collect();
    let expected = published(depth);

    let (nodes, seconds) = ours(&boards, depth, threads, &expected);
    let rate = nodes as f64 / seconds;
    println!(
        "{starts} starts, depth {depth}, {threads} threads: {nodes} nodes in {seconds:.1} s, {:.0} million nodes/s",
        rate / 1e6
    );
    if let Some(stockfish_rate) = measure_stockfish(&boards, threads) {
        let ratio = rate / stockfish_rate;
        println!(
            "{threads} Stockfish processes: {:.0} million nodes/s together; ratio {ratio:.1}",
            stockfish_rate / 1e6
        );
    }
}

/// The counts of this depth in the table, by FEN; empty if the table is less deep.
fn published(depth: u32) -> Vec<(String, u128)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/perft960.csv");
    let sheet = Sheet::read(&path).expect("the table is there");
    let (Ok(fen), Ok(column)) = (sheet.position("fen"), sheet.position(&format!("d{depth}")))
    else {
        return Vec::new();
    };
    let mut counts = Vec::new();
    for record in sheet.records() {
        let count = sheet.count(record, column).expect("a table holds counts");
        counts.extend(count.map(|count| (record.fields[fen].clone(), count)));
    }
    counts
}

fn ours(boards: &[Board], depth: u32, threads: usize, expected: &[(String, u128)]) -> (u128, f64) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut merger = Merger::new(BYTES_PER_THREAD, 960);
        let mut total = 0;
        while let Some(board) = boards.get(next.fetch_add(1, Ordering::Relaxed)) {
            let count = merger
                .perft(board, depth, &CountOptions::default())
                .expect("the counts fit");
            let known = expected.iter().find(|(fen, _)| *fen == board.x_fen());
            assert!(known.is_none_or(|(_, known)| *known == count), "{board:?}");
            total += count;
        }
        total
    };
    let begun = Instant::now();
    let total = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no worker panics"))
            .sum()
    });
    (total, begun.elapsed().as_secs_f64())
}

/// Nodes per second of several Stockfish processes at once, if there is a Stockfish.
fn measure_stockfish(boards: &[Board], threads: usize) -> Option<f64> {
    let sample: Vec<(&Board, u64)> = boards
        .iter()
        .step_by(boards.len().div_ceil(16))
        .map(|board| (board, perft(board, STOCKFISH_DEPTH)))
        .collect();
    let engines = (0..threads).map(|_| stockfish());
    let engines = engines.collect::<Option<Vec<_>>>()?;
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for engine in &engines {
            scope.spawn(|| {
                for &(board, nodes) in &sample {
                    let found = engine.perft(board, STOCKFISH_DEPTH);
                    assert_eq!(found.expect("Stockfish counts"), nodes.into(), "{board:?}");
                }
            });
        }
    });
    let seconds = begun.elapsed().as_secs_f64();
    let nodes: u64 = sample.iter().map(|(_, nodes)| nodes).sum();
    Some((threads as u64 * nodes) as f64 / seconds)
}
