//! Games are read as they are written, whatever the compression of the file and however it is split into spans. A
//! damaged file is reported, and no game is invented.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use ninesixty::chess::Board;
use ninesixty::pgn::{
    Compression, GameReader, RawGame, ReadBuffers, ReadError, Source, SourceOptions, Token, Tokens,
    count_plies, for_each_game,
};
use ninesixty::stats::{
    CountFileError, CountedFile, FileOptions, Metric, Rejection, StartTally, StatsSettings, Tally,
    count_file,
};
use pgn_reader::{RawTag, SanPlus, Skip, Visitor};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Position};
use std::ops::ControlFlow;
use tempfile::tempdir;

const FILES: [&str; 6] = [
    "fics.pgn",
    "lichess-layout-960.pgn",
    "lichess-standard.pgn",
    "mainz-2009.pgn",
    "tcec-dfrc.pgn",
    "tcec-frc.pgn",
];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data/pgn")
        .join(name)
}

fn everything() -> StatsSettings {
    StatsSettings::everything(8)
}

fn count(source: Source, threads: usize) -> Result<CountedFile, CountFileError> {
    let counted = count_file(
        source,
        &everything(),
        &FileOptions {
            threads,
            ..FileOptions::default()
        },
    );
    counted.map(Option::unwrap)
}

fn open(path: &Path, in_order: bool) -> Result<Source, ReadError> {
    Source::open(
        path,
        SourceOptions {
            in_order,
            map: true,
        },
    )
}

fn stream(text: &[u8]) -> Source {
    Source::stream(Path::new("text"), Cursor::new(text.to_vec())).unwrap()
}

fn tally_of(text: &[u8]) -> Tally {
    count(stream(text), 1).unwrap().tally
}

/// The texts of the games of a file, in the order of the file.
fn games(text: &[u8]) -> Vec<Vec<u8>> {
    let reader = GameReader::new(stream(text));
    let mut games = Vec::new();
    let mut buffers = ReadBuffers::default();
    while reader
        .read_span(&mut buffers, &mut |game| {
            games.push((game.offset, game.text.to_vec()));
        })
        .unwrap()
    {}
    reader
        .finish(&mut |game| games.push((game.offset, game.text.to_vec())))
        .unwrap();
    games.sort();
    games.into_iter().map(|(_, text)| text).collect()
}

/// A game as python-chess reads it (`scripts/count-pgn.py`).
struct Expected {
    start: String,
    result: String,
    first_move: String,
    plies: u64,
    castled: [String; 2],
    ratings: [String; 2],
}

/// The table of games that python-chess wrote, by file.
fn read_expected(table: &str) -> HashMap<String, Vec<Expected>> {
    let mut games: HashMap<String, Vec<Expected>> = HashMap::new();
    for line in table.lines().skip(1) {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        let [
            file,
            _,
            start,
            result,
            first_move,
            plies,
            white,
            black,
            white_elo,
            black_elo,
        ] = fields.try_into().unwrap();
        games.entry(file).or_default().push(Expected {
            start,
            result,
            first_move,
            plies: plies.parse().unwrap(),
            castled: [white, black],
            ratings: [white_elo, black_elo],
        });
    }
    games
}

/// When and to which side one player castled, in the notation of the expected table.
fn castled(tally: &StartTally, plies: [Metric; 2], a_side: Metric, h_side: Metric) -> String {
    let plies = plies.map(|plies| tally.sum(plies));
    match [a_side, h_side].map(|side| tally.sum(side)) {
        [0, 0] => String::new(),
        [1, 0] => format!("{}a", plies[0]),
        [0, 1] => format!("{}h", plies[1]),
        more => panic!("{more:?}"),
    }
}

#[test]
fn every_game_agrees_with_python_chess() {
    let expected = read_expected(&fs::read_to_string(data("games.csv")).unwrap());
    assert_eq!(expected.len(), FILES.len());
    for name in FILES {
        compare_games(name, &fs::read(data(name)).unwrap(), &expected[name]);
    }
}

/// Compares any file with python-chess. Its games have to be legal.
///
///     PGN=games.pgn PYTHON=target/python/bin/python cargo test --release --test pgn -- --ignored python
#[test]
#[ignore = "needs python-chess, and a minute for 20 MB: before a release"]
fn every_game_of_a_large_file_agrees_with_python_chess() {
    let sample = || data("lichess-layout-960.pgn").display().to_string();
    let path = std::env::var("PGN").unwrap_or_else(|_| sample());
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "target/python/bin/python".to_owned());
    let output = Command::new(python)
        .args(["scripts/count-pgn.py", &path])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let expected = read_expected(&String::from_utf8(output.stdout).unwrap());
    for (name, expected) in &expected {
        compare_games(name, &fs::read(&path).unwrap(), expected);
        println!("{name}: {} games are the same", expected.len());
    }
}

fn compare_games(name: &str, text: &[u8], expected: &[Expected]) {
    let texts = games(text);
    assert_eq!(texts.len(), expected.len(), "{name}");
    for (number, (text, expected)) in (1..).zip(texts.iter().zip(expected)) {
        compare_game(&format!("{name}, game {number}"), text, expected);
    }
}

fn compare_game(label: &str, text: &[u8], expected: &Expected) {
    let tally = tally_of(text);
    if expected.plies == 0 {
        assert_eq!(
            tally.summary.rejected[&Rejection::NoMoves].games,
            1,
            "{label}"
        );
        return;
    }
    let (start, tally) = tally.starts.first_key_value().expect(label);
    assert_eq!(start.to_string(), expected.start, "{label}");
    let result = [
        (Metric::WhiteWins, "1-0"),
        (Metric::Draws, "1/2-1/2"),
        (Metric::BlackWins, "0-1"),
        (Metric::Unfinished, "*"),
    ];
    for (measure, result) in result {
        let is_it = u64::from(result == expected.result);
        assert_eq!(tally.sum(measure), is_it, "{label}");
    }
    let (code, played) = tally.first_moves.first_key_value().expect(label);
    let board = Board::from_double_start(*start);
    let first = code.find_in(&board).expect(label);
    assert_eq!(first.to_string(), expected.first_move, "{label}");
    assert_eq!(played.games(), 1);
    assert_eq!(tally.sum(Metric::Plies), expected.plies, "{label}");
    use Metric::*;
    let white = castled(
        tally,
        [WhiteASidePlies, WhiteHSidePlies],
        WhiteASide,
        WhiteHSide,
    );
    let black = castled(
        tally,
        [BlackASidePlies, BlackHSidePlies],
        BlackASide,
        BlackHSide,
    );
    assert_eq!([white, black], expected.castled, "{label}");
    let ratings = [WhiteRatings, BlackRatings].map(|sum| match tally.sum(sum) {
        0 => String::new(),
        rating => rating.to_string(),
    });
    assert_eq!(ratings, expected.ratings, "{label}");
}

/// Collects the moves of each game as pgn-reader reads them.
#[derive(Default)]
struct Sans(Vec<Vec<String>>);

impl Visitor for Sans {
    type Tags = ();
    type Movetext = Vec<String>;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, _: &mut (), _: &[u8], _: RawTag<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, _: ()) -> ControlFlow<(), Vec<String>> {
        ControlFlow::Continue(Vec::new())
    }

    fn san(&mut self, moves: &mut Vec<String>, san: SanPlus) -> ControlFlow<()> {
        moves.push(san.san.to_string());
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Vec<String>) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, moves: Vec<String>) {
        self.0.push(moves);
    }
}

fn sans_of_pgn_reader(text: &[u8]) -> Vec<Vec<String>> {
    let mut sans = Sans::default();
    pgn_reader::Reader::new(Cursor::new(text))
        .visit_all_games(&mut sans)
        .unwrap();
    sans.0
}

#[test]
fn moves_and_lengths_agree_with_pgn_reader() {
    for name in FILES {
        let text = fs::read(data(name)).unwrap();
        let reader = GameReader::new(stream(&text));
        let mut found = Vec::new();
        let mut visit = |game: RawGame| {
            let mut moves = Vec::new();
            let mut first_number = None;
            for token in Tokens::new(game.movetext) {
                match token {
                    Token::Move(text) => moves.push(String::from_utf8(text.to_vec()).unwrap()),
                    Token::Number(number) => first_number = first_number.or(Some(number)),
                    Token::Result(_) => break,
                }
            }
            let tokens = Tokens::new(game.movetext);
            let plies = count_plies(game.movetext, &tokens, 0, first_number);
            assert_eq!(plies as usize, moves.len(), "{name}");
            found.push((game.offset, moves));
        };
        while reader
            .read_span(&mut ReadBuffers::default(), &mut visit)
            .unwrap()
        {}
        reader.finish(&mut visit).unwrap();
        found.sort();
        let found: Vec<Vec<String>> = found.into_iter().map(|(_, moves)| moves).collect();
        assert_eq!(found, sans_of_pgn_reader(&text), "{name}");
    }
}

/// Plays SAN moves with shakmaty and returns them in UCI notation.
fn play_with_shakmaty(fen: &str, sans: &[String]) -> Vec<String> {
    let fen: Fen = fen.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
    let play = |san: &String| {
        let mv = san.parse::<San>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(mv);
        mv.to_uci(CastlingMode::Chess960).to_string()
    };
    sans.iter().map(play).collect()
}

#[test]
fn for_each_game_gives_the_moves_of_pgn_reader_and_shakmaty_in_the_order_of_the_file() {
    for name in FILES {
        let sans = sans_of_pgn_reader(&fs::read(data(name)).unwrap());
        let mut expected = sans.iter();
        let games = for_each_game(&data(name), |game| {
            let start = game.start().unwrap().start;
            let moves = game.moves(start).unwrap();
            let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
            let fen = Board::from_double_start(start).x_fen();
            let expected = play_with_shakmaty(&fen, expected.next().unwrap());
            assert_eq!(moves, expected, "{name}");
        });
        assert_eq!(games.unwrap(), sans.len() as u64, "{name}");
    }
}

/// A file in the layout of `pzstd`: before each frame a skippable frame with its size.
fn pzstd(text: &[u8], frame_bytes: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for part in text.chunks(frame_bytes) {
        let frame = zstd::encode_all(part, 3).unwrap();
        file.extend([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]);
        file.extend((frame.len() as u32).to_le_bytes());
        file.extend(frame);
    }
    file
}

fn long_window(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.long_distance_matching(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The samples as one text.
fn all_samples() -> Vec<u8> {
    let texts = FILES.map(|name| fs::read(data(name)).unwrap());
    texts.join(&b"\n\n"[..])
}

type CountedGames = (Tally, Vec<u8>);

fn sums(counted: CountedFile) -> CountedGames {
    let mut tally = counted.tally;
    tally.set_path("");
    let mut tree = Vec::new();
    counted.tree.write_to(&mut tree).unwrap();
    (tally, tree)
}

#[test]
fn every_compression_gives_the_same_games() {
    let directory = tempdir().unwrap();
    let text = all_samples();
    let (front, back) = text.split_at(text.len() / 3);
    let plain = sums(count(stream(&text), 1).unwrap());
    assert_eq!(plain.0.summary.read, 177);
    let texts = games(&text);
    for (name, bytes, compression) in [
        ("plain", text.clone(), Compression::None),
        (
            "one frame",
            zstd::encode_all(&text[..], 3).unwrap(),
            Compression::Zstd,
        ),
        ("pzstd", pzstd(&text, 100_000), Compression::Zstd),
        (
            "pzstd with short frames",
            pzstd(&text, 999),
            Compression::Zstd,
        ),
        (
            "frames",
            [front, back]
                .map(|part| zstd::encode_all(part, 1).unwrap())
                .concat(),
            Compression::Zstd,
        ),
        ("long window", long_window(&text), Compression::Zstd),
        ("gzip", [front, back].map(gzip).concat(), Compression::Gzip),
        (
            "bzip2",
            [front, back].map(bzip2).concat(),
            Compression::Bzip2,
        ),
    ] {
        let path = directory.path().join(name);
        fs::write(&path, &bytes).unwrap();
        for (in_order, threads) in [(false, 1), (false, 3), (true, 2)] {
            let source = open(&path, in_order).unwrap();
            assert_eq!(source.compression(), compression, "{name}");
            let found = sums(count(source, threads).unwrap());
            assert!(found == plain, "{name}, {threads} threads");
        }
        let mut in_order = Vec::new();
        let read = for_each_game(&path, |game| in_order.push(game.text.to_vec())).unwrap();
        assert_eq!(read, 177, "{name}");
        assert!(in_order == texts, "{name} in order");
        let source = Source::stream(Path::new("-"), Cursor::new(bytes)).unwrap();
        assert!(
            sums(count(source, 2).unwrap()) == plain,
            "{name} as a stream"
        );
    }
}

#[test]
fn the_result_does_not_depend_on_the_spans() {
    let text = all_samples();
    let whole = sums(count(stream(&text), 1).unwrap());
    let directory = tempdir().unwrap();
    let path = directory.path().join("all.pgn");
    fs::write(&path, &text).unwrap();
    for span_bytes in [1_000, 4_096, 10_007, 100_000, 1 << 20] {
        for threads in [1, 4] {
            let file = open(&path, false).unwrap().in_spans_of(span_bytes);
            assert!(sums(count(file, threads).unwrap()) == whole, "{span_bytes}");
            let found = count(stream(&text).in_spans_of(span_bytes), threads).unwrap();
            assert!(sums(found) == whole, "{span_bytes} of a stream");
        }
    }
}

#[test]
fn a_file_that_changes_after_it_was_opened_is_an_error() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    let text = fs::read(data("mainz-2009.pgn")).unwrap();
    for length in [0, 1, text.len() as u64 / 2, text.len() as u64 - 1] {
        fs::write(&path, &text).unwrap();
        let source = open(&path, false).unwrap();
        OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(length)
            .unwrap();
        let error = count(source, 2).unwrap_err();
        assert!(
            matches!(error, CountFileError::Read(ReadError::Shrunk { bytes, .. }) if bytes == length),
            "{error}"
        );
    }
    fs::write(&path, &text).unwrap();
    let source = open(&path, false).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"\n").unwrap();
    drop(file);
    let error = count(source, 1).unwrap_err();
    assert!(
        matches!(error, CountFileError::Read(ReadError::Changed { .. })),
        "{error}"
    );
}

#[test]
fn damaged_compression_is_an_error_with_the_number_of_decoded_bytes() {
    let text = fs::read(data("mainz-2009.pgn")).unwrap();
    let directory = tempdir().unwrap();
    let path = directory.path().join("damaged");
    let zstd = zstd::encode_all(&text[..], 3).unwrap();
    for (name, bytes) in [
        ("zstd", zstd),
        ("gzip", gzip(&text)),
        ("bzip2", bzip2(&text)),
    ] {
        let mut read = Vec::new();
        for length in [
            5,
            20,
            bytes.len() / 4,
            bytes.len() / 2,
            bytes.len() - 9,
            bytes.len() - 1,
        ] {
            fs::write(&path, &bytes[..length]).unwrap();
            let error = count(open(&path, false).unwrap(), 2).unwrap_err();
            let CountFileError::Read(ReadError::Damaged { bytes: got, .. }) = error else {
                panic!("{name} truncated at {length}: {error}");
            };
            assert!(got <= text.len() as u64, "{name} truncated at {length}");
            let source = open(&path, true).unwrap();
            let kept = count_file(
                source,
                &everything(),
                &FileOptions {
                    threads: 2,
                    keep_going: true,
                    ..FileOptions::default()
                },
            );
            let kept = kept.unwrap().unwrap();
            assert!(matches!(kept.damage, Some(ReadError::Damaged { .. })));
            assert!(kept.tally.summary.read <= 20);
            read.push(kept.tally.summary.read);
        }
        assert!(read.is_sorted(), "{name}: {read:?}");
        let mut in_order = 0;
        let error = for_each_game(&path, |_| in_order += 1).unwrap_err();
        assert!(
            matches!(error, ReadError::Damaged { .. }),
            "{name}: {error}"
        );
        assert!(in_order >= read[read.len() - 1], "{name}: {in_order}");
    }
    // A damaged frame in the middle.
    let mut many = pzstd(&all_samples(), 50_000);
    let middle = many.len() / 2;
    many[middle..middle + 40].fill(0);
    fs::write(&path, &many).unwrap();
    let error = count(open(&path, false).unwrap(), 2).unwrap_err();
    assert!(
        matches!(error, CountFileError::Read(ReadError::Damaged { .. })),
        "{error}"
    );
}

const START_11: &str = "qnnrbkrb/pppppppp/8/8/8/8/PPPPPPPP/QNNRBKRB w KQkq - 0 1";

fn game(fen: &str, movetext: &str) -> String {
    format!(
        "[Event \"x\"]\n[Result \"1-0\"]\n[Variant \"Chess960\"]\n[FEN \"{fen}\"]\n\n{movetext}\n\n"
    )
}

#[test]
fn invalid_games_are_counted_by_reason_and_their_neighbours_are_read() {
    let good = game(START_11, "1. O-O c5 1-0");
    let deep = format!("1. c4 {}{} 1-0", "(".repeat(100_000), ")".repeat(100_000));
    let cases: [(String, Option<Rejection>); 17] = [
        (game(START_11, "1. e5 1-0"), Some(Rejection::IllegalMove)),
        (game(START_11, "1. c4 -- 1-0"), Some(Rejection::IllegalMove)),
        (
            game(START_11, "1. c4 { never closed"),
            Some(Rejection::Unterminated),
        ),
        (
            game(START_11, "1. c4 ( 1. d4"),
            Some(Rejection::Unterminated),
        ),
        (game(START_11, "1-0"), Some(Rejection::NoMoves)),
        (game(START_11, ""), Some(Rejection::NoMoves)),
        (
            "[Event \"x\"]\n[Site \"y\"]\n".to_owned(),
            Some(Rejection::NoMoves),
        ),
        (
            game("8/8/8/8/8/8/8/8 w - - 0 1", "1. c4 *"),
            Some(Rejection::NotAStart),
        ),
        (
            game(START_11, "1. c4 1-0").replace("Chess960", "Atomic"),
            Some(Rejection::OtherVariant),
        ),
        (
            "[Event \"x\"]\n[Variant \"Chess960\"]\n\n1. c4 1-0\n".to_owned(),
            Some(Rejection::NoFen),
        ),
        (game(START_11, &deep), None),
        (game(START_11, "1. c4\0 {\0} c5 1-0"), None),
        (
            game(START_11, "1. c4 c5 2. f1g1 c7b8 1-0").replace("c7b8", "f8g8"),
            None,
        ),
        (game(START_11, "1. c4 c5 1-0").replace('\n', "\r\n"), None),
        (format!("\u{feff}{}", game(START_11, "1. c4 c5 1-0")), None),
        (game(START_11, "% 1. x\n1. c4 ; 1... x\nc5 $1 1/2"), None),
        (
            game(START_11, "1. c4 c5 1-0").replace("x\"", &format!("{}\"", "x".repeat(100_000))),
            None,
        ),
    ];
    for (text, reason) in cases {
        let shown: String = text.chars().take(200).collect();
        for (before, after) in [
            (good.clone(), good.clone()),
            (good.replace('\n', "\r\n"), good.clone()),
        ] {
            let tally = tally_of(format!("{before}{text}{after}").as_bytes());
            let counted = if reason.is_none() { 3 } else { 2 };
            assert_eq!(
                tally.summary.counted, counted,
                "{shown:?} {:?}",
                tally.summary
            );
            assert_eq!(tally.summary.read, 3, "{shown:?}");
            if let Some(reason) = reason {
                let rejected = &tally.summary.rejected[&reason];
                assert_eq!(rejected.games, 1, "{shown:?}");
                assert_eq!(rejected.byte, before.len() as u64, "{shown:?}");
            }
        }
    }
}

#[test]
fn other_line_endings_and_encodings_are_read() {
    let text = game(START_11, "1. c4 c5 1-0").repeat(5);
    assert_eq!(
        tally_of(text.replace('\n', "\r").as_bytes())
            .summary
            .counted,
        5
    );
    let mut latin = text.clone().into_bytes();
    for byte in latin.iter_mut().filter(|byte| **byte == b'x') {
        *byte = 0xe9;
    }
    assert_eq!(tally_of(&latin).summary.counted, 5);
    let without_blank_line = game(START_11, "1. c4 c5 1-0").trim_end().to_owned() + "\n";
    assert_eq!(
        tally_of(without_blank_line.repeat(5).as_bytes())
            .summary
            .counted,
        5
    );
}

#[test]
fn an_overlong_game_is_rejected() {
    let good = game(START_11, "1. O-O c5 1-0");
    let overlong = game(
        START_11,
        &format!("1. c4 {{ {} }} 1-0", "x".repeat(40 << 20)),
    );
    let text = format!("{good}{overlong}{good}");
    for span_bytes in [100_000, 1 << 20, 64 << 20] {
        let counted = count(stream(text.as_bytes()).in_spans_of(span_bytes), 2).unwrap();
        let summary = counted.tally.summary;
        assert_eq!((summary.counted, summary.read), (2, 3), "{span_bytes}");
        assert_eq!(summary.rejected[&Rejection::Overlong].games, 1);
        assert_eq!(
            summary.rejected[&Rejection::Overlong].byte,
            good.len() as u64
        );
    }
}

#[test]
fn missing_castling_rights_are_repaired_if_a_player_castles_or_on_request() {
    let missing = START_11.replace("KQkq", "-");
    let wrong = START_11.replace("KQkq", "HAha");
    let text = [
        game(&missing, "1. c4 c5 1-0"),
        game(&missing, "1. O-O c5 1-0"),
        game(&wrong, "1. c4 c5 1-0"),
    ];
    let settings = |repair| StatsSettings {
        repair,
        ..everything()
    };
    for (repairs, counted) in [(false, 2), (true, 3)] {
        let source = stream(text.concat().as_bytes());
        let found = count_file(source, &settings(repairs), &FileOptions::default());
        let tally = found.unwrap().unwrap().tally;
        assert_eq!(tally.summary.counted, counted);
        let start = tally.starts.values().next().unwrap();
        assert_eq!(start.sum(Metric::Repaired), counted);
    }
}

fn mutate(text: &mut Vec<u8>, random: &mut impl Rng) {
    const MEANINGFUL: &[u8] = b"[]{}()\"\n\r ;%*$!?.-0123456789OKQRBNxabcdefgh+#=/\0\xef\xbb\xbf";
    for _ in 0..random.random_range(1..=6) {
        let at = random.random_range(0..text.len());
        let end = random.random_range(at..=text.len().min(at + 40));
        match random.random_range(0..4) {
            0 => text[at] = MEANINGFUL[random.random_range(0..MEANINGFUL.len())],
            1 => drop(text.drain(at..end)),
            2 => text.extend_from_within(at..end),
            _ => text.insert(at, MEANINGFUL[random.random_range(0..MEANINGFUL.len())]),
        }
        if text.is_empty() {
            text.push(b'[');
        }
    }
}

#[test]
fn mutated_files_cause_no_panic_and_give_the_same_games_in_any_spans() {
    let sample = fs::read(data("mainz-2009.pgn")).unwrap();
    let irregular = [
        game(START_11, "1. O-O c5 (1... d5) {x} 2. c4 1-0"),
        game(START_11, "1. c4 c5 1-0"),
        "[Event \"a\"]\n\n[Site \"b\"]\n[Event \"c\"]\n1. e4 1-0 [Event \"d\"]\n[Site \"\"]\n\n*\n"
            .to_owned(),
    ];
    let remarks = game(START_11, "1. c4 ; see {\nc5 2. d3 N d6 1:0").replace(
        "[Variant",
        "% one {\n; two [White \"x\"]\n[White \"A\\\"]\n B\"]\n[Variant",
    );
    let remarks = format!("Title\n\n{}", remarks.repeat(4));
    let seed_texts = [
        sample[..6_000].to_vec(),
        irregular.concat().into_bytes(),
        remarks.into_bytes(),
    ];
    for seed in 0..2_250 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut text = seed_texts[seed as usize % 3].clone();
        mutate(&mut text, &mut random);
        let survived = catch_unwind(AssertUnwindSafe(|| {
            let whole = sums(count(stream(&text), 1).unwrap());
            for span_bytes in [700, 1_500, 2_900] {
                let split = count(stream(&text).in_spans_of(span_bytes), 1).unwrap();
                let split = sums(split);
                assert_eq!(split.0.summary, whole.0.summary, "in spans of {span_bytes}");
                assert!(split == whole, "in spans of {span_bytes}");
            }
        }));
        assert!(
            survived.is_ok(),
            "seed {seed}: {:?}",
            String::from_utf8_lossy(&text)
        );
    }
}

/// Texts that once gave another number of games if a span began inside them.
const FOUND_BY_THE_FUZZER: [&str; 2] = [
    // The result inside the tag ends a game, and the tag after it begins one.
    "[Event \"a\"]\n[FEN \"8/8 w - 1/2-1/2[Round \"1\"]\n[White \"b\"]\n[Black \"c\"]\n\n1. e4 *\n\n",
    // The same, with more text before the next line.
    "[Event \"a\"]\n[FEN \"8/8 w - 1/2-1/2[Round \"1\"]x \"y\"]\n[White \"b\"]\n[Black \"c\"]\n\n1. e4 *\n\n",
];

#[test]
fn texts_found_by_the_fuzzer_give_the_same_games_in_any_spans() {
    for found in FOUND_BY_THE_FUZZER {
        let filler = game(START_11, "1. c4 c5 1-0").repeat(8);
        let text = [&filler, found, &filler].concat().into_bytes();
        let whole = sums(count(stream(&text), 1).unwrap());
        for span_bytes in 600..text.len() {
            let split = sums(count(stream(&text).in_spans_of(span_bytes), 1).unwrap());
            assert!(split == whole, "in spans of {span_bytes}: {found:?}");
        }
    }
}

#[test]
fn a_source_that_fails_is_an_error() {
    struct FailingText(Cursor<Vec<u8>>);
    impl io::Read for FailingText {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("connection lost")),
                bytes => Ok(bytes),
            }
        }
    }
    let text = fs::read(data("mainz-2009.pgn")).unwrap();
    let length = text.len() as u64;
    let source = Source::stream(Path::new("-"), FailingText(Cursor::new(text))).unwrap();
    let error = count(source, 2).unwrap_err();
    assert!(
        matches!(error, CountFileError::Read(ReadError::Read { bytes, .. }) if bytes == length),
        "{error}"
    );
    assert!(open(Path::new("no/such/file.pgn"), false).is_err());
    assert!(open(Path::new("data"), false).is_err());
    drop(File::open(data("fics.pgn")).unwrap());
}
