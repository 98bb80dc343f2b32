//! Generates Chess960 games in Lichess's layout whose openings hardly ever repeat, for benchmarks of PGN readers.
//!
//!     cargo run --release --example varied_games -- BYTES > games.pgn
//!
//! A file of repeated samples has only a few openings, which favours a reader that caches openings. Here every game is
//! different: random legal moves from any of the 960 starts. In each position some moves are more popular than others,
//! with frequencies that fall like 1/n, about as in human play. Equal sizes give equal games.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};

use ninesixty::chess::{Board, Move};
use ninesixty::start::StartId;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const TIME_CONTROLS: [&str; 5] = ["60+0", "180+0", "180+2", "300+3", "600+5"];
const TERMINATIONS: [&str; 3] = ["Normal", "Normal", "Time forfeit"];
const RESULTS: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];

fn main() -> io::Result<()> {
    let wanted = std::env::args().nth(1).and_then(|bytes| bytes.parse().ok());
    let Some(wanted): Option<u64> = wanted else {
        eprintln!("usage: varied_games BYTES");
        std::process::exit(2);
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(960);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut written = 0;
    while written < wanted {
        let game = game(&mut random);
        out.write_all(game.as_bytes())?;
        written += game.len() as u64;
    }
    out.flush()
}

fn game(random: &mut impl Rng) -> String {
    let start = Board::from_start(StartId::random(random));
    let (moves, result) = moves(start, random);
    let day = random.random_range(1..=30);
    let tags = [
        ("Event", "Rated Chess960 game".to_owned()),
        (
            "Site",
            format!(
                "https://lichess.org/{:08x}",
                random.random_range(0..=u32::MAX)
            ),
        ),
        ("Date", format!("2024.06.{day:02}")),
        ("Round", "-".to_owned()),
        ("White", format!("player{}", random.random_range(0..9_000))),
        ("Black", format!("player{}", random.random_range(0..9_000))),
        ("Result", result.to_owned()),
        ("UTCDate", format!("2024.06.{day:02}")),
        (
            "UTCTime",
            format!(
                "{:02}:{:02}:07",
                random.random_range(0..24),
                random.random_range(0..60)
            ),
        ),
        ("WhiteElo", random.random_range(900..2_400).to_string()),
        ("BlackElo", random.random_range(900..2_400).to_string()),
        ("WhiteRatingDiff", "+5".to_owned()),
        ("BlackRatingDiff", "-5".to_owned()),
        ("TimeControl", any(&TIME_CONTROLS, random).to_owned()),
        ("Termination", any(&TERMINATIONS, random).to_owned()),
        ("FEN", start.x_fen()),
        ("SetUp", "1".to_owned()),
        ("Variant", "Chess960".to_owned()),
    ];
    let tags = tags.map(|(name, value)| format!("[{name} \"{value}\"]\n"));
    format!("{}\n{moves}{result}\n\n", tags.concat())
}

fn any<'a>(choices: &[&'a str], random: &mut impl Rng) -> &'a str {
    choices[random.random_range(0..choices.len())]
}

/// The movetext with clocks and evaluations, and the result.
fn moves(mut board: Board, random: &mut impl Rng) -> (String, &'static str) {
    let mut text = String::new();
    for ply in 0..random.random_range(40..110) {
        let Some(mv) = popular_move(&board, random) else {
            let result = match (board.is_check(), ply % 2) {
                (false, _) => "1/2-1/2",
                (true, 0) => "0-1",
                (true, _) => "1-0",
            };
            return (text, result);
        };
        let dots = if ply % 2 == 0 { "." } else { "..." };
        let evaluation = random.random_range(-3.0..3.0_f64);
        let clock = 180 - ply;
        // Writing to a string never fails.
        _ = write!(
            text,
            "{}{dots} {} {{ [%eval {evaluation:.2}] [%clk 0:{:02}:{:02}] }} ",
            ply / 2 + 1,
            board.san(mv),
            clock / 60,
            clock % 60
        );
        board = board.play(mv);
    }
    (text, any(&RESULTS, random))
}

/// A random legal move: the n-th most popular one with a probability proportional to 1/n.
fn popular_move(board: &Board, random: &mut impl Rng) -> Option<Move> {
    let mut moves = board.legal_moves();
    let popularity = |mv: &Move| {
        let squares = (mv.from.index() << 6 | mv.to.index()) as u64;
        (squares.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32, mv.kind)
    };
    moves.sort_by_key(popularity);
    let rank = (moves.len() as f64 + 1.0).powf(random.random_range(0.0..1.0)) - 1.0;
    moves.get(rank as usize).or(moves.last()).copied()
}
