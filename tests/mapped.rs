//! A plain file gives the same games whether it is mapped, read piece by piece or read as a stream, and one that changes
//! while it is read is an error, never a crash and never a wrong count.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use ninesixty::pgn::{
    GameOffset, GameReader, RawGame, ReadBuffers, ReadError, Source, SourceOptions,
};
use ninesixty::stats::{CountFileError, FileOptions, StatsSettings, count_file};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::{TempDir, tempdir};

const FILES: [&str; 6] = [
    "fics.pgn",
    "lichess-layout-960.pgn",
    "lichess-standard.pgn",
    "mainz-2009.pgn",
    "tcec-dfrc.pgn",
    "tcec-frc.pgn",
];

const GAME: &str = "[Event \"x\"]\n[Result \"1-0\"]\n[Variant \"Chess960\"]\n\
    [FEN \"qnnrbkrb/pppppppp/8/8/8/8/PPPPPPPP/QNNRBKRB w KQkq - 0 1\"]\n\n1. O-O c5 (1... d5) {x} 2. c4 1-0\n\n";

/// The shortest span of a stream: a boundary in its first bytes is decided by the bytes before it.
const MIN_STREAM_SPAN: usize = 700;

fn data(name: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pgn");
    fs::read(directory.join(name)).unwrap()
}

fn options(map: bool) -> SourceOptions {
    SourceOptions {
        in_order: false,
        map,
    }
}

/// A game: where it begins, how long its text and its movetext are, a hash of its text and tags, and whether it is
/// overlong.
type Game = (u64, usize, usize, u64, bool);

fn games(source: Source, threads: usize) -> Vec<Game> {
    let reader = GameReader::new(source);
    let visit_spans = || {
        let mut games = Vec::new();
        let mut buffers = ReadBuffers::default();
        while reader
            .read_span(&mut buffers, &mut |game| games.push(owned(&game)))
            .unwrap()
        {}
        games
    };
    let mut games = thread::scope(|scope| {
        let readers: Vec<_> = (0..threads).map(|_| scope.spawn(visit_spans)).collect();
        let games = readers.into_iter().map(|reader| reader.join().unwrap());
        games.collect::<Vec<_>>().concat()
    });
    let offsets = reader.finish(&mut |game| games.push(owned(&game))).unwrap();
    games.sort_by_key(|(offset, _)| *offset);
    games
        .into_iter()
        .map(|(offset, (text, movetext, hash, is_overlong))| {
            (offsets.byte(offset), text, movetext, hash, is_overlong)
        })
        .collect()
}

fn owned(game: &RawGame) -> (GameOffset, (usize, usize, u64, bool)) {
    let tags = &game.tags;
    let mut hash = DefaultHasher::new();
    (game.text, tags.white, tags.result, tags.fen, tags.variant).hash(&mut hash);
    let (text, movetext) = (game.text.len(), game.movetext.len());
    (
        game.offset,
        (text, movetext, hash.finish(), game.is_overlong),
    )
}

fn stream(text: &[u8]) -> Source {
    Source::stream(Path::new("text"), Cursor::new(text.to_vec())).unwrap()
}

/// Compares map, pieces and stream in spans of these lengths with the stream in one span.
fn assert_same_games(path: &Path, text: &[u8], span_lengths: &[usize]) -> usize {
    fs::write(path, text).unwrap();
    let expected = games(stream(text).in_spans_of(text.len() + 1), 1);
    for &span_bytes in span_lengths {
        for threads in [1, 3] {
            let name = |kind| format!("{kind}, spans of {span_bytes}, {threads} threads");
            let open = |map| Source::open(path, options(map)).unwrap();
            let mapped = games(open(true).in_spans_of(span_bytes), threads);
            assert!(mapped == expected, "{}", name("map"));
            let span_bytes = span_bytes.max(MIN_STREAM_SPAN);
            let pieces = games(open(false).in_spans_of(span_bytes), threads);
            assert!(pieces == expected, "{}", name("pieces"));
            let streamed = games(stream(text).in_spans_of(span_bytes), threads);
            assert!(streamed == expected, "{}", name("stream"));
        }
    }
    expected.len()
}

#[test]
fn map_pieces_and_stream_give_the_same_games() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut read = 0;
    for name in FILES {
        let text = data(name);
        let spans: Vec<usize> = (0..8)
            .map(|_| random.random_range(50..text.len()))
            .collect();
        read += assert_same_games(&path, &text, &spans);
    }
    assert_eq!(read, 177);
}

/// Texts whose games are not separated by boundaries alone.
fn irregular_texts() -> Vec<String> {
    let games = GAME.repeat(4);
    [
        // Text before the first game, and games without tags.
        "1. e4 e5 1-0\n\n1. d4 0-1\n\n".to_owned(),
        "; a comment before the first game\n\n".to_owned(),
        // A second `Event` without a blank line begins a game that no boundary shows.
        "[Event \"a\"]\n[Site \"b\"]\n".repeat(100),
        "[Event \"a\"]\n\n[Site \"b\"]\n[Event \"c\"]\n1. e4 1-0 [Event \"d\"]\n[Site \"\"]\n\n*\n".to_owned(),
        // Games without movetext.
        "[Event \"a\"]\n[Site \"b\"]\n\n".repeat(50),
        // A quotation mark in a value, and what looks like a game after it.
        "[Event \"a\"]\n[FEN \"8/8 w - 1/2-1/2[Round \"1\"]\n[White \"b\"]\n[Black \"c\"]\n\n1. e4 *\n\n".to_owned(),
        "[Event \"a\"]\n[FEN \"8/8 w - 1/2-1/2[Round \"1\"]x \"y\"]\n[White \"b\"]\n[Black \"c\"]\n\n1. e4 *\n\n".to_owned(),
        "[Event \"a\"b\"]\n".repeat(100),
        // The next game on the line of the result, and a byte order mark in the middle.
        "[Event \"a\"]\n\n1. e4 1-0 [Event \"b\"]\n[Site \"?\"]\n\n*\n".repeat(9),
        format!("[Event \"a\"]\n\n*\n\n\u{feff}{GAME}"),
        "\n \r\n\0\0".to_owned(),
        "\n".repeat(900),
        " ".repeat(900),
        String::new(),
    ]
    .into_iter()
    .flat_map(|text| {
        let between = format!("{games}{text}{games}");
        let carriage_returns = between.replace('\n', "\r");
        [text, between, carriage_returns]
    })
    .collect()
}

#[test]
fn a_range_may_begin_and_end_anywhere() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    for text in irregular_texts() {
        let text = text.as_bytes();
        fs::write(&path, text).unwrap();
        let expected = games(stream(text).in_spans_of(text.len() + 1), 1);
        for range_bytes in (1..40).chain((40..text.len() + 2).step_by(7)) {
            let source = Source::open(&path, options(true)).unwrap();
            let found = games(source.in_spans_of(range_bytes), 1);
            assert!(
                found == expected,
                "ranges of {range_bytes}: {:?}",
                String::from_utf8_lossy(text)
            );
        }
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
fn mutated_files_give_the_same_games_by_map_pieces_and_stream() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    let sample = data("mainz-2009.pgn");
    let irregular = irregular_texts().concat().into_bytes();
    for seed in 0..300 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let begin = random.random_range(0..irregular.len() - 5_000);
        let mut text = match seed % 2 {
            0 => sample[..6_000].to_vec(),
            _ => irregular[begin..begin + 5_000].to_vec(),
        };
        mutate(&mut text, &mut random);
        let span_bytes = random.random_range(1..3_000);
        assert_same_games(&path, &text, &[span_bytes]);
    }
}

#[test]
fn overlong_games_are_the_same_by_map_pieces_and_stream() {
    const LIMIT: usize = 16 << 20;
    let directory = tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    let comment = |bytes: usize| {
        format!(
            "{GAME}[Event \"x\"]\n\n1. e4 {{{}}} *\n\n{GAME}",
            "x".repeat(bytes)
        )
    };
    let overhead = comment(0).len() - 2 * GAME.len();
    let with_length = |bytes: usize| comment(bytes - overhead);
    let kept = LIMIT + (1 << 15);
    let headers = |event: &str| {
        let game = format!("[Event \"{event}\"]\n[Site \"{}\"]\n", "x".repeat(400));
        format!(
            "{GAME}{}{GAME}",
            game.repeat((LIMIT + (1 << 20)) / game.len())
        )
    };
    for (text, overlong) in [
        (with_length(LIMIT), 0),
        (with_length(LIMIT + 1), 1),
        (with_length(kept - 1), 1),
        (with_length(kept), 1),
        (with_length(kept + 1), 1),
        (with_length(3 * LIMIT), 1),
        ("x".repeat(2 * LIMIT), 1),
        // No boundary between these games: only what is kept of the text is read.
        (headers("a"), 1),
        (headers("a\"b"), 1),
    ] {
        let text = text.as_bytes();
        assert_same_games(&path, text, &[1 << 20, 8 << 20]);
        let source = Source::open(&path, options(true)).unwrap();
        let found = games(source, 2);
        let found = found.iter().filter(|(.., is_overlong)| *is_overlong);
        assert_eq!(found.count(), overlong);
    }
}

/// A file of some megabytes that was last modified long ago, so that any change shows in its time.
struct Victim {
    _directory: TempDir,
    path: PathBuf,
    text: Vec<u8>,
}

impl Victim {
    fn new(bytes: usize) -> Victim {
        let directory = tempdir().unwrap();
        let path = directory.path().join("games.pgn");
        let sample = data("lichess-layout-960.pgn");
        let text = sample.repeat(bytes.div_ceil(sample.len()));
        Victim {
            _directory: directory,
            path,
            text,
        }
    }

    fn restore(&self) {
        fs::write(&self.path, &self.text).unwrap();
        let file = File::options().write(true).open(&self.path).unwrap();
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        file.set_modified(modified).unwrap();
    }

    fn games(&self) -> u64 {
        (self.text.len() / data("lichess-layout-960.pgn").len() * 76) as u64
    }

    fn change(&self, change: Change) {
        let mut file = OpenOptions::new().write(true).open(&self.path).unwrap();
        let half = self.text.len() as u64 / 2;
        match change {
            Change::Truncate => file.set_len(0).unwrap(),
            Change::TruncateHalf => file.set_len(half).unwrap(),
            Change::Overwrite => {
                let noise: Vec<u8> = self.text.iter().rev().map(|byte| byte ^ 0x80).collect();
                file.write_all(&noise).unwrap();
            }
            // What an editor that does not write to another file first does.
            Change::Rewrite => {
                file.set_len(0).unwrap();
                file.write_all(&self.text).unwrap();
            }
            Change::Append => {
                file.set_len(self.text.len() as u64 + 10_000).unwrap();
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Truncate,
    TruncateHalf,
    Overwrite,
    Rewrite,
    Append,
}

const CHANGES: [Change; 5] = [
    Change::Truncate,
    Change::TruncateHalf,
    Change::Overwrite,
    Change::Rewrite,
    Change::Append,
];

fn assert_right_error(error: &ReadError, change: Change, victim: &Victim) {
    let length = victim.text.len() as u64;
    let is_right = match (change, error) {
        (Change::Truncate, ReadError::Shrunk { bytes, .. }) => *bytes == 0,
        (Change::TruncateHalf, ReadError::Shrunk { bytes, .. }) => *bytes == length / 2,
        // Seen before it was written again.
        (Change::Rewrite, ReadError::Shrunk { bytes, .. }) => *bytes < length,
        (Change::Overwrite | Change::Rewrite | Change::Append, ReadError::Changed { .. }) => true,
        _ => false,
    };
    assert!(is_right, "{change:?}: {error:?}");
}

/// Reads a file and changes it from within, when this many games have been visited.
fn read_and_change(victim: &Victim, map: bool, change: Change, after: u64) -> ReadError {
    victim.restore();
    let source = Source::open(&victim.path, options(map)).unwrap();
    let reader = GameReader::new(source.in_spans_of(1 << 18));
    let mut visited = 0;
    // Looks at every byte of every game: at the zeros, too, that take the place of what is lost.
    let mut letters = 0;
    let mut visit = |game: RawGame| {
        if visited == after {
            victim.change(change);
        }
        visited += 1;
        letters += game
            .text
            .iter()
            .filter(|byte| byte.is_ascii_alphabetic())
            .count();
    };
    let mut buffers = ReadBuffers::default();
    let error = loop {
        match reader.read_span(&mut buffers, &mut visit) {
            Ok(true) => {}
            Ok(false) => break reader.finish(&mut visit).unwrap_err(),
            Err(error) => break error,
        }
    };
    assert!(visited > after && letters <= victim.text.len());
    error
}

#[test]
fn a_file_that_a_visitor_changes_is_an_error() {
    let victim = Victim::new(1 << 20);
    for map in [true, false] {
        for change in CHANGES {
            for after in [0, 1, 100, victim.games() - 1] {
                let error = read_and_change(&victim, map, change, after);
                assert_right_error(&error, change, &victim);
            }
        }
    }
}

/// Size and time of the file are as they were at the end, so only the handler knows.
#[test]
fn a_file_that_was_truncated_and_restored_is_an_error() {
    let victim = Victim::new(1 << 20);
    victim.restore();
    let reader = GameReader::new(Source::open(&victim.path, options(true)).unwrap());
    let mut lost = 0;
    let mut visit = |game: RawGame| {
        if lost == 0 {
            victim.change(Change::Truncate);
            lost = game.text.iter().filter(|byte| **byte == 0).count();
            victim.restore();
        }
    };
    let read = reader.read_span(&mut ReadBuffers::default(), &mut visit);
    assert!(matches!(read, Err(ReadError::Changed { .. })), "{read:?}");
    assert!(lost > 0);
}

#[test]
fn two_files_that_lose_their_pages_at_the_same_time_are_two_errors() {
    let victims = [Victim::new(2 << 20), Victim::new(2 << 20)];
    thread::scope(|scope| {
        for victim in &victims {
            scope.spawn(|| {
                for _ in 0..20 {
                    let error = read_and_change(victim, true, Change::Truncate, 3);
                    assert_right_error(&error, Change::Truncate, victim);
                }
            });
        }
    });
}

#[test]
fn a_file_that_another_thread_changes_is_an_error_or_was_read_before() {
    let victim = Victim::new(4 << 20);
    let expected = victim.games();
    for round in 0..50_u64 {
        let change = CHANGES[round as usize % CHANGES.len()];
        let mut random = Xoshiro256PlusPlus::seed_from_u64(round);
        let delay = Duration::from_micros(random.random_range(0..8_000));
        victim.restore();
        let source = Source::open(&victim.path, options(true)).unwrap();
        let source = source.in_spans_of(1 << 18);
        let counted = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(delay);
                victim.change(change);
            });
            let options = FileOptions {
                threads: 2,
                ..FileOptions::default()
            };
            count_file(source, &StatsSettings::everything(8), &options)
        });
        match counted {
            Ok(counted) => {
                let summary = counted.unwrap().tally.summary;
                assert_eq!((summary.read, summary.counted), (expected, expected));
            }
            Err(CountFileError::Read(error)) => assert_right_error(&error, change, &victim),
            Err(error) => panic!("{change:?}: {error}"),
        }
    }
}

/// Whether a process has this file open.
fn has_open(process: u32, path: &Path) -> bool {
    let Ok(files) = fs::read_dir(format!("/proc/{process}/fd")) else {
        return false;
    };
    let mut links = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    links.any(|link| link == path)
}

/// The program is stopped when it has opened its file, and goes on after the file was truncated. It may have read all of
/// it, or not even its size, before it was stopped, so this is repeated until it was neither.
#[test]
fn the_program_exits_with_3_if_its_file_is_truncated() {
    let victim = Victim::new(64 << 20);
    for flags in [&[][..], &["--no-mmap"]] {
        let is_interrupted = (0..100).any(|_| {
            victim.restore();
            let mut child = Command::new(env!("CARGO_BIN_EXE_ninesixty"))
                .args(["stats", "--quiet", "--output", "/dev/null"])
                .args(flags)
                .arg(&victim.path)
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            while !has_open(child.id(), &victim.path) && child.try_wait().unwrap().is_none() {
                thread::yield_now();
            }
            let process = Pid::from_child(&child);
            kill_process(process, Signal::STOP).unwrap();
            victim.change(Change::Truncate);
            kill_process(process, Signal::CONT).unwrap();
            let output = child.wait_with_output().unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            let is_interrupted = message.contains("shrank while it was read");
            let expected = if is_interrupted { 3 } else { 0 };
            assert_eq!(output.status.code(), Some(expected), "{message}");
            is_interrupted
        });
        assert!(is_interrupted, "{flags:?}");
    }
}
