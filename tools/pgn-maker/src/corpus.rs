//! The real games of `data/corpus`, repeated with other players, ratings and dates.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Batch;
use super::text::{Wrapped, date, full_name, game_id, player, rating, tag, time};

const PATH: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../data/corpus/lichess-layout-960.pgn.zst"
);

const GAMES_PER_BATCH: usize = 64;

/// The games of the corpus.
#[derive(Default)]
pub struct Corpus {
    games: Vec<RealGame>,
}

/// A real game.
pub struct RealGame {
    result: String,
    fen: String,
    movetext: String,
    moves: Vec<String>,
}

impl Corpus {
    /// Reads the corpus.
    pub fn load() -> io::Result<Corpus> {
        let mut text = String::new();
        zstd::Decoder::new(File::open(Path::new(PATH))?)?.read_to_string(&mut text)?;
        let games = text.split("\n\n[Event ").map(RealGame::parse);
        let games: Option<Vec<RealGame>> = games.collect();
        match games {
            Some(games) => Ok(Corpus { games }),
            None => Err(io::Error::other(format!(
                "{PATH}: a game without Result, FEN or moves"
            ))),
        }
    }

    /// A batch of games: the batches are pieces of the whole corpus in ever new orders.
    pub fn batch<R: Rng>(
        &self,
        number: u64,
        random: &mut R,
        write: fn(&RealGame, &mut R, &mut Vec<u8>),
    ) -> Batch {
        let per_pass = self.games.len().div_ceil(GAMES_PER_BATCH) as u64;
        let (pass, piece) = (number / per_pass, number % per_pass);
        let mut order: Vec<&RealGame> = self.games.iter().collect();
        order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(pass));
        let begin = piece as usize * GAMES_PER_BATCH;
        let end = order.len().min(begin + GAMES_PER_BATCH);
        let mut batch = Batch::default();
        for game in &order[begin..end] {
            batch.push(|out| write(game, random, out));
        }
        batch
    }
}

impl RealGame {
    fn parse(text: &str) -> Option<RealGame> {
        let (tags, movetext) = text.split_once("\n\n")?;
        let value = |name| {
            let (_, rest) = tags.split_once(name)?;
            rest.split('"').next()
        };
        Some(RealGame {
            result: value("[Result \"")?.to_owned(),
            fen: value("[FEN \"")?.to_owned(),
            movetext: movetext.trim_end().to_owned(),
            moves: moves(movetext),
        })
    }
}

/// The moves of movetext whose only other parts are move numbers, comments and the result.
fn moves(movetext: &str) -> Vec<String> {
    let outside = movetext
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    let words = outside.flat_map(str::split_ascii_whitespace);
    let is_move = |word: &&str| word.starts_with(|first: char| first.is_ascii_alphabetic());
    words.filter(is_move).map(str::to_owned).collect()
}

/// A game as Lichess exports it: clocks in comments, and all moves in one line.
pub fn lichess_layout(game: &RealGame, random: &mut impl Rng, out: &mut Vec<u8>) {
    let date = date(random);
    let change = random.random_range(0..12);
    tag!(out, "Event", "Rated Chess960 game");
    tag!(out, "Site", "https://lichess.org/{}", game_id(random));
    tag!(out, "Date", "{date}");
    tag!(out, "Round", "-");
    tag!(out, "White", "{}", player(random));
    tag!(out, "Black", "{}", player(random));
    tag!(out, "Result", "{}", game.result);
    tag!(out, "UTCDate", "{date}");
    tag!(out, "UTCTime", "{}", time(random));
    tag!(out, "WhiteElo", "{}", rating(random));
    tag!(out, "BlackElo", "{}", rating(random));
    tag!(out, "WhiteRatingDiff", "+{change}");
    tag!(out, "BlackRatingDiff", "-{change}");
    tag!(out, "TimeControl", "180+2");
    tag!(out, "Termination", "Normal");
    tag!(out, "FEN", "{}", game.fen);
    tag!(out, "SetUp", "1");
    tag!(out, "Variant", "Chess960");
    _ = write!(out, "\n{}\n\n", game.movetext);
}

/// A game as TCEC publishes it: after each move a comment of the engine with its line, in lines of 80 columns. The lines
/// are the continuation of the game.
pub fn tcec_layout(game: &RealGame, random: &mut impl Rng, out: &mut Vec<u8>) {
    tag!(
        out,
        "Event",
        "TCEC Season {} - FRC",
        random.random_range(14..30)
    );
    tag!(out, "Site", "https://tcec-chess.com");
    tag!(out, "Date", "{}", date(random));
    tag!(
        out,
        "Round",
        "{}.{}",
        random.random_range(1..40),
        random.random_range(1..8)
    );
    tag!(out, "White", "{}", full_name(random));
    tag!(out, "Black", "{}", full_name(random));
    tag!(out, "Result", "{}", game.result);
    tag!(out, "BlackElo", "{}", 1_400 + rating(random));
    tag!(out, "FEN", "{}", game.fen);
    tag!(out, "GameDuration", "{}", time(random));
    tag!(out, "PlyCount", "{}", game.moves.len());
    tag!(out, "SetUp", "1");
    tag!(out, "Termination", "adjudication");
    tag!(out, "TimeControl", "1800+5");
    tag!(out, "Variant", "fischerandom");
    tag!(out, "WhiteElo", "{}", 1_400 + rating(random));
    out.push(b'\n');
    let mut text = Wrapped::new(out);
    const OPTIONS: &str = "{WhiteEngineOptions: Protocol=uci; Threads=176; Hash=65536; \
        SyzygyPath=/home/syzygy/;, BlackEngineOptions: Protocol=uci; Threads=176; Hash=65536; OwnBook=false;}";
    for word in OPTIONS.split(' ') {
        text.push(word.as_bytes());
    }
    for (ply, san) in game.moves.iter().enumerate() {
        if ply % 2 == 0 {
            text.push_formatted(format_args!("{}.", ply / 2 + 1));
        }
        text.push(san.as_bytes());
        engine_comment(&game.moves[ply..], random, &mut text);
    }
    text.push(game.result.as_bytes());
    out.extend_from_slice(b"\n\n");
}

/// A comment on the first of these moves.
fn engine_comment(moves: &[String], random: &mut impl Rng, text: &mut Wrapped) {
    let depth = random.random_range(22..45);
    text.push_formatted(format_args!("{{d={depth},"));
    text.push_formatted(format_args!("sd={},", depth + random.random_range(5..30)));
    text.push_formatted(format_args!("mt={},", random.random_range(500..90_000)));
    text.push_formatted(format_args!(
        "tl={},",
        random.random_range(9_000..1_800_000)
    ));
    let speed = random.random_range(20_000_000..160_000_000_u64);
    text.push_formatted(format_args!("s={speed},"));
    text.push_formatted(format_args!("n={},", speed * random.random_range(1..90)));
    let shown = moves.len().min(random.random_range(20..58));
    for (place, san) in moves[..shown].iter().enumerate() {
        let begin = if place == 0 { "pv=" } else { "" };
        let end = if place + 1 == shown { "," } else { "" };
        text.push_formatted(format_args!("{begin}{san}{end}"));
    }
    text.push(b"tb=0,");
    text.push_formatted(format_args!(
        "h={:.1},",
        random.random_range(0.0..100.0_f64)
    ));
    text.push(b"ph=0.0,");
    text.push_formatted(format_args!(
        "wv={:.2},",
        random.random_range(-2.0..2.0_f64)
    ));
    text.push_formatted(format_args!("R50={},", random.random_range(30..=50)));
    text.push(b"Rd=-11,");
    text.push(b"Rr=-1000,");
    text.push(b"mb=+0+0+0+0+0,}");
}
