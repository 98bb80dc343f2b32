//! Compares PGN readers on one file: `stats` with all its statistics, pgn-reader with shakmaty playing the first 20
//! plies, and pgn-extract if it is installed. On a compressed file, `stats` is compared with its decoder alone.
//!
//! The rounds of the readers are interleaved, so that a busy machine slows all of them equally. The results are
//! checked: all readers must find the same number of games, and ours and pgn-reader the same results. Without a file,
//! the sample in `data/pgn` is repeated to 64 MB; `scripts/make-pgn` makes larger files.
//!
//!     cargo bench --bench pgn [-- FILE [ROUNDS]]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use ninesixty::pgn::{Compression, Source};
use ninesixty::stats::{
    FileOptions, Metric, StatsSettings, Tally, TreeError, TreeOptions, count_file,
};
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

/// Games, White's wins, draws, Black's wins.
type Results = [u64; 4];

/// What a reader reports about a file.
enum Found {
    Results(Results),
    Games(u64),
    Nothing,
}

/// The default of `stats --min-games`.
const MIN_GAMES: u64 = 5;

/// The name of a reader and a function that runs it.
type Runner = (&'static str, Box<dyn Fn(&Path) -> Found>);

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let made = tempfile::tempdir().unwrap();
    let path = match args.first() {
        Some(path) => PathBuf::from(path),
        None => make_file(made.path()),
    };
    let rounds = args
        .get(1)
        .map_or(5, |rounds| rounds.parse().expect("a number of rounds"));
    let counted = count(&path, 2);
    let megabytes = counted.summary.bytes as f64 / 1e6;
    let games = counted.summary.read;
    let expected = results(&counted);
    let runners = runners(&path);
    let mut times = vec![Vec::new(); runners.len()];
    for _ in 0..rounds {
        for ((name, run), times) in runners.iter().zip(&mut times) {
            let begun = Instant::now();
            let found = run(&path);
            times.push(begun.elapsed());
            match found {
                Found::Results(found) => assert_eq!(found, expected, "{name}"),
                Found::Games(found) => assert_eq!(found, games, "{name}"),
                Found::Nothing => {}
            }
        }
    }
    println!(
        "{} ({megabytes:.0} MB of text, {games} games), the best of {rounds} rounds",
        path.display()
    );
    let best = |times: &Vec<Duration>| times.iter().min().map_or(0.0, Duration::as_secs_f64);
    for ((name, _), times_of_runner) in runners.iter().zip(&times) {
        let seconds = best(times_of_runner);
        println!(
            "{name:32} {seconds:8.3} s {:8.0} MB/s {:9.0} games/s {:6.2}x",
            megabytes / seconds,
            games as f64 / seconds,
            seconds / best(&times[0])
        );
    }
}

fn runners(path: &Path) -> Vec<Runner> {
    let ours = |threads| move |path: &Path| Found::Results(results(&count(path, threads)));
    let mut runners: Vec<Runner> = vec![
        ("ours, 1 thread", Box::new(ours(1))),
        ("ours, 2 threads", Box::new(ours(2))),
    ];
    match Source::open(path, false).unwrap().compression() {
        Compression::None => {
            runners.push((
                "pgn-reader + shakmaty, 20 plies",
                Box::new(pgn_reader_and_shakmaty),
            ));
            if let Some(program) = pgn_extract() {
                runners.push((
                    "pgn-extract",
                    Box::new(move |path| run_pgn_extract(&program, path)),
                ));
            }
        }
        compression => runners.push((
            "its decoder alone, 1 thread",
            Box::new(move |path| decode(compression, path)),
        )),
    }
    runners
}

fn make_file(directory: &Path) -> PathBuf {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pgn/lichess-layout-960.pgn");
    let text = fs::read(sample).unwrap();
    let path = directory.join("games.pgn");
    let mut file = File::create(&path).unwrap();
    for _ in 0..64_000_000 / text.len() {
        file.write_all(&text).unwrap();
    }
    path
}

/// The work of `ninesixty stats --moves` up to writing its tables.
fn count(path: &Path, threads: usize) -> Tally {
    let settings = StatsSettings::everything(8);
    let source = Source::open(path, false).unwrap();
    let counted = count_file(
        source,
        &settings,
        &FileOptions {
            threads,
            ..FileOptions::default()
        },
    );
    let counted = counted.unwrap().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    counted
        .tree
        .visit_moves(
            TreeOptions {
                min_games: MIN_GAMES,
                by: settings.by,
                pool: &pool.unwrap(),
            },
            |_: &mut (), row| assert!(row.played.games() >= MIN_GAMES),
            |()| Ok::<(), TreeError>(()),
        )
        .unwrap();
    counted.tally
}

fn results(tally: &Tally) -> Results {
    let sum = |measure| tally.starts.values().map(|start| start.sum(measure)).sum();
    [
        tally.summary.read,
        sum(Metric::WhiteWins),
        sum(Metric::Draws),
        sum(Metric::BlackWins),
    ]
}

fn decode(compression: Compression, path: &Path) -> Found {
    let file = File::open(path).unwrap();
    let mut text: Box<dyn Read> = match compression {
        Compression::None => Box::new(file),
        Compression::Zstd => Box::new(zstd::Decoder::new(file).unwrap()),
        Compression::Gzip => Box::new(MultiGzDecoder::new(file)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(file)),
    };
    io::copy(&mut text, &mut io::sink()).unwrap();
    Found::Nothing
}

fn pgn_reader_and_shakmaty(path: &Path) -> Found {
    let mut replayer = Replayer::default();
    let mut reader = Reader::new(File::open(path).unwrap());
    reader.visit_all_games(&mut replayer).unwrap();
    Found::Results(replayer.results)
}

/// Plays the first plies of each game.
#[derive(Default)]
struct Replayer {
    results: Results,
}

#[derive(Default)]
struct Header {
    result: usize,
    position: Chess,
}

struct Moves {
    result: usize,
    position: Chess,
    plies: u32,
}

impl Visitor for Replayer {
    type Tags = Header;
    type Movetext = Moves;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Header> {
        ControlFlow::Continue(Header::default())
    }

    fn tag(&mut self, tags: &mut Header, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        match name {
            b"Result" => {
                tags.result = match value.as_bytes() {
                    b"1-0" => 1,
                    b"1/2-1/2" => 2,
                    b"0-1" => 3,
                    _ => 0,
                };
            }
            b"FEN" => {
                let fen = Fen::from_ascii(value.as_bytes()).unwrap();
                let position = fen.into_position(CastlingMode::Chess960);
                tags.position = position.unwrap();
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Header) -> ControlFlow<(), Moves> {
        ControlFlow::Continue(Moves {
            result: tags.result,
            position: tags.position,
            plies: 0,
        })
    }

    fn san(&mut self, moves: &mut Moves, san: SanPlus) -> ControlFlow<()> {
        if moves.plies < 20 {
            let mv = san.san.to_move(&moves.position).unwrap();
            moves.position.play_unchecked(mv);
            moves.plies += 1;
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Moves) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, moves: Moves) {
        self.results[0] += 1;
        // `stats` does not count games without moves.
        if moves.result > 0 && moves.plies > 0 {
            self.results[moves.result] += 1;
        }
    }
}

/// The installed pgn-extract. Debian installs it to a directory that is not on every user's PATH.
fn pgn_extract() -> Option<String> {
    let candidates = ["pgn-extract", "/usr/games/pgn-extract"];
    let found = candidates.into_iter().find(|program| {
        let mut run = Command::new(program);
        run.arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        run.status().is_ok()
    });
    found.map(str::to_owned)
}

/// Lets pgn-extract check all games without output; the last line of its log gives the number of games.
fn run_pgn_extract(program: &str, path: &Path) -> Found {
    let output = Command::new(program).arg("-r").arg(path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().rfind(|line| line.contains("game"));
    let digits = line.and_then(|line| {
        let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
        numbers.next_back()
    });
    Found::Games(digits.expect("the number of games"))
}
