//! Games are read as a person would read them, however they are written: remarks and comments in unusual places, glued
//! annotations, other spellings of castling, results and variants, text that is not PGN. Both readers, the scanner and
//! pgn-reader, count the same.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use ninesixty::pgn::{ForeignText, RawGame, ReadError, Source, SourceOptions, for_each_game};
use ninesixty::stats::{
    FileOptions, Metric, Rejection, StartTally, StatsSettings, Tally, TextReader, count_file,
};

const START_11: &str = "qnnrbkrb/pppppppp/8/8/8/8/PPPPPPPP/QNNRBKRB w KQkq - 0 1";

/// Eight legal plies, and castling of Black after them.
const PLAIN: &str = "1. c4 c5 2. O-O d6 3. Nd3 e6 4. e3 f6 5. Nc3 O-O 6. f3 a6 7. a3 b6 1-0";

const READERS: [TextReader; 2] = [TextReader::Scanner, TextReader::PgnReader];

fn stream(text: &[u8]) -> Source {
    Source::stream(Path::new("text"), Cursor::new(text.to_vec())).unwrap()
}

fn count_with(source: Source, settings: &StatsSettings, reader: TextReader) -> (Tally, Vec<u8>) {
    let options = FileOptions {
        reader,
        ..FileOptions::default()
    };
    let counted = count_file(source, settings, &options).unwrap().unwrap();
    let mut tree = Vec::new();
    counted.tree.write_to(&mut tree).unwrap();
    (counted.tally, tree)
}

/// What a file comes to, the same for both readers and in spans of any length.
fn count(text: &[u8], settings: &StatsSettings) -> (Tally, Vec<u8>) {
    let whole = count_with(stream(text), settings, TextReader::Scanner);
    let shown = || String::from_utf8_lossy(&text[..text.len().min(2_000)]);
    for reader in READERS {
        for span_bytes in [701, 1_301, 1 << 20] {
            let source = stream(text).in_spans_of(span_bytes);
            let found = count_with(source, settings, reader);
            assert!(
                found == whole,
                "{reader:?} in spans of {span_bytes}: {:?} instead of {:?} in {}",
                found.0,
                whole.0,
                shown()
            );
        }
    }
    whole
}

fn tally(text: &[u8]) -> Tally {
    count(text, &StatsSettings::everything(8)).0
}

fn game(movetext: &str) -> String {
    format!(
        "[Event \"x\"]\n[Result \"1-0\"]\n[Variant \"Chess960\"]\n[FEN \"{START_11}\"]\n\n{movetext}\n\n"
    )
}

/// The tally of the only start in a file, and the opening tree.
fn only_start(text: &[u8]) -> (StartTally, Vec<u8>) {
    let (tally, tree) = count(text, &StatsSettings::everything(8));
    let shown = String::from_utf8_lossy(text);
    assert_eq!(
        tally.summary.rejected.len(),
        0,
        "{:?}: {shown}",
        tally.summary
    );
    let start = tally
        .starts
        .values()
        .next()
        .unwrap_or_else(|| panic!("{shown}"));
    (start.clone(), tree)
}

#[test]
fn remarks_and_comments_may_contain_braces_and_moves() {
    let plain = only_start(game(PLAIN).as_bytes());
    assert_eq!(plain.0.sum(Metric::Plies), 14);
    assert_eq!(plain.0.sum(Metric::BlackHSidePlies), 10);
    for (from, to) in [
        ("1. c4 ", "1. c4 ; see {\n"),
        ("1. c4 ", "% note {\n1. c4 "),
        ("1. c4 ", "1. c4\n% note { and (\n"),
        ("6. f3 ", "6. f3 ; see {\n"),
        ("6. f3 ", "6. f3 (6. g3 ; see ) {\n a6) "),
        ("6. f3 ", "6. f3 (6. g3\n% see )\n a6) "),
        ("b6 1-0", "b6 ; 9. Nf3\n1-0"),
        ("b6 1-0", "b6\n% 9. Nf3\n1-0"),
        ("b6 1-0", "b6 1-0\n; 9. Nf3"),
        ("b6 1-0", "b6 1-0 { time"),
        ("b6 1-0", "b6 1-0]"),
        ("b6 1-0", "b6 [1-0]\n\n0-1"),
        ("b6 1-0", "b6 White resigns 1-0"),
        ("6. f3", "\n\n6. f3"),
        ("1. c4", "\u{feff}1. c4"),
    ] {
        let text = game(&PLAIN.replacen(from, to, 1));
        assert!(text.contains(to));
        for text in [
            text.clone(),
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
        ] {
            assert_eq!(only_start(text.as_bytes()), plain, "{to:?}");
        }
    }
}

#[test]
fn annotations_are_not_moves_whether_they_are_glued_to_one_or_not() {
    let plain = only_start(game(PLAIN).as_bytes());
    for (from, to) in [
        ("1. c4 c5", "1. c4 +- c5 -+"),
        ("1. c4 c5", "1. c4 N c5 D"),
        ("1. c4 c5", "1. c4N c5D"),
        ("1. c4 c5", "1.c4!? c5! $1"),
        ("1. c4 c5", "1.c4$1 c5$14"),
        ("1. c4 c5", "1. c4= c5+-"),
        ("1. c4 c5", "1. c4+= c5 =/+"),
        ("1. c4 c5", "1. c4 = c5 +/-"),
        ("1. c4 c5", "1. c4 ± c5 ∞"),
        ("1. c4 c5", "1. c4± c5∞"),
        ("1. c4 c5", "1. c4 ⩲ c5 ∓"),
        ("1. c4 c5", "1. c2-c4 c7-c5"),
        ("2. O-O", "2. o-o"),
        ("2. O-O", "2. 0-0"),
        ("2. O-O", "2. O-O!?"),
        ("5. Nc3 O-O", "5. Nc3 o-o"),
        ("5. Nc3 O-O", "5. Nc3 0-0"),
        ("5. Nc3 O-O", "5. Nc3 N O-O"),
        ("5. Nc3 O-O", "5. Nc3 +- O-O -+"),
        ("3. Nd3", "3. ♘d3"),
        ("5. Nc3", "5. ♘c3"),
        ("7. a3 b6", "7. a3 b6 N"),
        ("7. a3 b6", "7. a3 b6 +-"),
        ("7. a3 b6", "7. a3 D b6 ±"),
    ] {
        let text = game(&PLAIN.replacen(from, to, 1));
        assert!(text.contains(to));
        assert_eq!(only_start(text.as_bytes()), plain, "{to:?}");
    }
    let mut latin = game(&PLAIN.replace("c5 2.", "c5 ~ 2.")).into_bytes();
    for byte in latin.iter_mut().filter(|byte| **byte == b'~') {
        *byte = 0xb1;
    }
    assert_eq!(only_start(&latin), plain);
}

#[test]
fn text_that_cannot_be_a_move_is_not_guessed_at() {
    // Two moves without anything between them are a move from c4 to c5 in coordinate notation.
    for movetext in [
        "1.c4c5 2. O-O 1-0",
        "1. c4 c5 2. Nd33 d6 1-0",
        "1. c4 pass 2. d3 1-0",
        "1. c4 -- 2. d3 1-0",
        "1. c4 c5 2. 7-3 1-0",
    ] {
        let tally = tally(game(movetext).as_bytes());
        assert_eq!(
            tally.summary.rejected[&Rejection::IllegalMove].games,
            1,
            "{movetext}"
        );
    }
    let tally = tally(game("1. c4 c5 { 2. d3 1-0").as_bytes());
    assert_eq!(tally.summary.rejected[&Rejection::Unterminated].games, 1);
}

#[test]
fn results_are_read_in_every_spelling() {
    for (spelling, metric) in [
        ("1–0", Metric::WhiteWins),
        ("1:0", Metric::WhiteWins),
        ("0–1", Metric::BlackWins),
        ("0:1", Metric::BlackWins),
        ("½-½", Metric::Draws),
        ("½–½", Metric::Draws),
        ("1/2:1/2", Metric::Draws),
        ("1/2", Metric::Draws),
    ] {
        let in_tag = game(PLAIN).replace("[Result \"1-0\"]", &format!("[Result \"{spelling}\"]"));
        let without_tag = game(&PLAIN.replace("1-0", spelling)).replace("[Result \"1-0\"]\n", "");
        let with_comment = without_tag.replace(spelling, &format!("{spelling} {{ time }}"));
        let unknown = without_tag.replace("[Event", "[Result \"?\"]\n[Event");
        for text in [in_tag, without_tag, with_comment, unknown] {
            let (start, _) = only_start(text.as_bytes());
            assert_eq!(start.sum(metric), 1, "{text}");
            assert_eq!(start.sum(Metric::Plies), 14, "{text}");
        }
    }
    let mut latin = game(PLAIN).replace("\"1-0\"", "\"~-~\"").into_bytes();
    for byte in latin.iter_mut().filter(|byte| **byte == b'~') {
        *byte = 0xbd;
    }
    assert_eq!(only_start(&latin).0.sum(Metric::Draws), 1);
    let short = game("1. c4 c5 1:0").replace("[Result \"1-0\"]\n", "");
    assert_eq!(only_start(short.as_bytes()).0.sum(Metric::WhiteWins), 1);
}

#[test]
fn tags_may_have_remarks_between_them_and_go_on_in_the_next_line() {
    let plain = only_start(game(PLAIN).repeat(5).as_bytes());
    for (from, to) in [
        ("[Variant", "% remark\n[Variant"),
        ("[Variant", "; remark { [White \"x\"]\n[Variant"),
        ("[Variant", "% one\n; two\n\n% three\n[Variant"),
        ("[Result \"1-0\"]", "[Result \"1-0\"] ; over the board"),
        ("[Event \"x\"]", "% head\n[Event \"x\"]"),
        ("[Event \"x\"]", "[Event \"the \\\"[x]\\\"] y\"]"),
        ("[Event \"x\"]", "[Event \"the \"[x]\" y\"]"),
        ("[Event \"x\"]", "[Event \"C:\\games\\\"]"),
        ("[Event \"x\"]", "[Event \"a long\n name\"]"),
        ("KQkq - 0 1\"]", "KQkq\n- 0 1\"]"),
    ] {
        let text = game(PLAIN).replacen(from, to, 1).repeat(5);
        assert!(text.contains(to));
        for text in [
            text.clone(),
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
        ] {
            assert_eq!(only_start(text.as_bytes()), plain, "{to:?}");
        }
    }
    // A remark does not hide where a game begins.
    let headers = "[Event \"x\"]\n[Site \"y\"]\n\n% remark\n".repeat(40);
    assert_eq!(tally(headers.as_bytes()).summary.read, 40);
    let untagged = "1. c4 c5 1-0\n% remark\n; remark\n1. d4 d5 1:0\n".repeat(40);
    assert_eq!(tally(untagged.as_bytes()).summary.counted, 80);
}

#[test]
fn text_before_the_first_game_is_reported_and_is_not_a_game() {
    let games = game(PLAIN).repeat(3);
    for text in [
        "Games of the club championship\n\n",
        "From: ann@example.org\nDate: 1. May 1999\nSubject: {games}\n\n",
        "a very long preface ".repeat(500).as_str(),
        "{ An unclosed title\n",
    ] {
        let with_text = format!("{text}\n{games}");
        let found = tally(with_text.as_bytes());
        assert_eq!(
            (found.summary.read, found.summary.counted),
            (3, 3),
            "{text}"
        );
        let skipped = &found.summary.rejected[&Rejection::OtherText];
        assert_eq!((skipped.games, skipped.byte), (1, 0), "{text}");
        assert_eq!(found.summary.rejected_games(), 0);
    }
    for remark in [
        "% written by hand\n",
        "; games\n\n",
        "{ games }\n\n",
        "\u{feff}% x\n",
    ] {
        let found = tally(format!("{remark}{games}").as_bytes());
        assert_eq!(
            (found.summary.read, found.summary.counted),
            (3, 3),
            "{remark}"
        );
        assert!(found.summary.rejected.is_empty(), "{remark}");
    }
    let prose = tally(b"Dear reader,\n\nthere is no game here.\n");
    assert_eq!(prose.summary.read, 0);
    assert_eq!(prose.summary.rejected[&Rejection::OtherText].games, 1);
}

#[test]
fn files_that_are_not_pgn_are_errors_that_say_what_they_are() {
    let open = |bytes: Vec<u8>| match Source::stream(Path::new("file"), Cursor::new(bytes)) {
        Err(error @ ReadError::NotPgn { found, .. }) => (found, error.to_string()),
        other => panic!("{:?}", other.err()),
    };
    let text = game(PLAIN);
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&b"\xff\xfe"[..], &little].concat();
    let (found, message) = open(marked.clone());
    assert_eq!(found, ForeignText::Utf16);
    assert_eq!(
        message,
        "file is UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`"
    );
    assert_eq!(open(little).0, ForeignText::Utf16LittleEndian);
    assert_eq!(
        open(zstd::encode_all(&marked[..], 1).unwrap()).0,
        ForeignText::Utf16
    );
    let html = format!("<!DOCTYPE html>\n<html><pre>\n{text}</pre></html>");
    assert_eq!(open(html.into_bytes()).0, ForeignText::Html);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    fs::write(&path, &marked).unwrap();
    let error = for_each_game(&path, |_| ()).unwrap_err();
    assert!(matches!(error, ReadError::NotPgn { .. }), "{error}");
}

#[test]
fn games_without_moves_count_on_request_in_the_results_only() {
    let moveless = ["1-0", "", "{ forfeit } 1-0"].map(game).concat();
    let unfinished = game("*").replace("\"1-0\"", "\"*\"");
    let text = [game(PLAIN), moveless, unfinished].concat();
    let settings = |include_moveless| StatsSettings {
        include_moveless,
        ..StatsSettings::everything(8)
    };
    let (tally, tree) = count(text.as_bytes(), &settings(false));
    assert_eq!(tally.summary.rejected[&Rejection::NoMoves].games, 4);
    let (with, tree_with) = count(text.as_bytes(), &settings(true));
    assert_eq!(with.summary.rejected[&Rejection::NoMoves].games, 1);
    assert_eq!(tree, tree_with);
    let [without, with] = [&tally, &with].map(|tally| tally.starts.values().next().unwrap());
    assert_eq!((without.games(), with.games()), (1, 4));
    assert_eq!(with.sum(Metric::WhiteWins), 4);
    assert_eq!((with.with_moves(), with.sum(Metric::Moveless)), (1, 3));
    assert_eq!(with.sum(Metric::Plies), without.sum(Metric::Plies));
    assert_eq!(with.sum(Metric::WhiteHSide), 1);
    assert_eq!(with.first_moves, without.first_moves);
}

#[test]
fn both_readers_count_the_same_in_every_sample() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pgn");
    let mut files = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pgn") {
            continue;
        }
        files += 1;
        for plies in [1, 8, 20] {
            let settings = StatsSettings::everything(plies);
            let options = SourceOptions::default();
            let [scanner, pgn_reader] = READERS
                .map(|reader| count_with(Source::open(&path, options).unwrap(), &settings, reader));
            assert_eq!(scanner.0.summary, pgn_reader.0.summary, "{path:?}");
            assert!(scanner == pgn_reader, "{path:?}");
        }
    }
    assert_eq!(files, 6);
}

#[test]
fn the_moves_of_an_irregular_game_are_those_of_the_plain_one() {
    let moves = |movetext: &str| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("game.pgn");
        fs::write(&path, game(movetext)).unwrap();
        let mut moves = None;
        for_each_game(&path, |game: &RawGame| {
            moves = Some(game.moves(game.start().unwrap().start));
        })
        .unwrap();
        moves.unwrap()
    };
    let plain = moves("1. c4 c5 2. O-O d6 1-0").unwrap();
    assert_eq!(plain.len(), 4);
    for irregular in [
        "1. c4 ; {\nc5 2. o-o d6 1-0",
        "1. c4± c5 N 2. O-O +- d6 1–0",
        "1. c4 c5 2. 0-0 d6 1:0",
    ] {
        assert_eq!(moves(irregular).unwrap(), plain, "{irregular}");
    }
    let error = moves("1. c4 c5 2. what d6 1-0").unwrap_err();
    assert!(error.to_string().contains("ply 3"), "{error}");
}
