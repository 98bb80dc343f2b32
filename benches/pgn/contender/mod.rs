//! The contender: the statistics of `ninesixty stats`, written with pgn-reader and shakmaty.
//!
//! It is the program that a Rust programmer would write with the crates that everyone uses, without a parser of its own,
//! and as fast as these crates allow:
//!
//! - a game that its tags reject is left at once with `Break`;
//! - the first plies are played in Chess960 mode; of later moves only castling and the number are looked at;
//! - positions are cached by the text of their FEN;
//! - the opening tree is an [`FxHashMap`] from (start, ply, Zobrist hash, move) to an edge that knows its parent;
//! - with several threads, the file is cut at game boundaries, each thread has its own reader and tree, and the trees are
//!   added at the end.
//!
//! rustc-hash is what such a program would use: the keys are hashes already, and the standard library's SipHash would take
//! most of the time. Of ninesixty it uses nothing but the numbers of the starts. It reads well-formed files only: pgn-reader
//! does not separate games as carefully as `stats` does.

mod start;
mod tables;
mod tags;
mod tree;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;

use pgn_reader::{KnownOutcome, Outcome, RawTag, Reader, SanPlus, Skip, Visitor};
use rustc_hash::FxHashMap;
use shakmaty::san::San;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingSide, Chess, Color, EnPassantMode, Move, Position};

use start::{FenRights, Start, read_fen};
use tags::{Header, StartTag, VariantTag};
use tree::{Step, Tree};

/// The deepest tree.
const MAX_PLIES: usize = 20;

/// What to count; the fields are the flags of `stats` with these names.
pub struct Options {
    pub plies: usize,
    pub moves: Option<PathBuf>,
    pub min_games: u64,
    pub include_standard: bool,
    pub doubles: bool,
    pub repair: bool,
    pub threads: u64,
    /// Where the table of the starts is written.
    pub output: PathBuf,
}

/// The number of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub read: u64,
    pub counted: u64,
}

/// Counts the games of a file and writes the tables.
pub fn run(path: &Path, options: &Options) -> io::Result<Summary> {
    let begins = cut(path, options.threads)?;
    let mut counters = thread::scope(|scope| {
        let count = |begin, end| move || count(path, begin, end, options);
        let ends = begins.iter().skip(1).map(|&begin| Some(begin));
        let parts = begins.iter().zip(ends.chain([None]));
        let parts: Vec<_> = parts
            .map(|(&begin, end)| scope.spawn(count(begin, end)))
            .collect();
        let counters = parts.into_iter().map(|part| part.join().expect("no panic"));
        counters.collect::<io::Result<Vec<Counter>>>()
    })?;
    let mut total = counters.remove(0);
    for counter in counters {
        total.absorb(counter);
    }
    tables::write_starts(&total.starts, &options.output)?;
    if let Some(moves) = &options.moves {
        tree::write_rows(&total.tree, &total.starts, options, moves)?;
    }
    Ok(total.summary)
}

/// The offsets at which the threads begin to read: each is the beginning of a game.
fn cut(path: &Path, threads: u64) -> io::Result<Vec<u64>> {
    const BOUNDARY: &[u8] = b"\n\n[Event ";
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut begins = vec![0];
    let mut text = Vec::new();
    for part in 1..threads {
        let middle = bytes / threads * part;
        file.seek(SeekFrom::Start(middle))?;
        text.clear();
        Read::by_ref(&mut file)
            .take(1 << 20)
            .read_to_end(&mut text)?;
        let boundary = memchr::memmem::find(&text, BOUNDARY);
        begins.extend(boundary.map(|at| middle + at as u64 + 2));
    }
    Ok(begins)
}

fn count<'o>(
    path: &Path,
    begin: u64,
    end: Option<u64>,
    options: &'o Options,
) -> io::Result<Counter<'o>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(begin))?;
    let mut counter = Counter::new(options);
    let text = file.take(end.map_or(u64::MAX, |end| end - begin));
    // Mapping the file, or the reader's own calls of 16 KiB, are not faster.
    let text = BufReader::with_capacity(256 << 10, text);
    Reader::new(text).visit_all_games(&mut counter)?;
    Ok(counter)
}

/// Counts the games of one thread.
struct Counter<'o> {
    options: &'o Options,
    /// The starts that were seen so far.
    starts: Vec<Start>,
    by_number: FxHashMap<u32, u32>,
    by_fen: FxHashMap<Box<[u8]>, StartTag>,
    /// The index of the start of classical chess, once a game without a FEN was seen.
    classical: Option<u32>,
    tree: Tree,
    summary: Summary,
}

/// A game of which the tags have been read.
struct Game {
    header: Header,
    start: u32,
    rights: FenRights,
    position: Chess,
    hash: Zobrist64,
    plies: u32,
    /// The ply at which White and Black castled, and whether to the h-side.
    castled: [Option<(u32, bool)>; 2],
    line: [Step; MAX_PLIES],
}

impl<'o> Counter<'o> {
    fn new(options: &'o Options) -> Counter<'o> {
        Counter {
            options,
            starts: Vec::new(),
            by_number: FxHashMap::default(),
            by_fen: FxHashMap::default(),
            classical: None,
            tree: Tree::default(),
            summary: Summary::default(),
        }
    }

    fn start_of_fen(&mut self, fen: &[u8]) -> StartTag {
        if let Some(&found) = self.by_fen.get(fen) {
            return found;
        }
        let found = read_fen(fen).map_or(StartTag::NotAStart, |(start, rights)| {
            StartTag::Start(self.index(start), rights)
        });
        self.by_fen.insert(fen.into(), found);
        found
    }

    /// The index of a start, which is added if it is new.
    fn index(&mut self, start: Start) -> u32 {
        let number = start.number();
        *self.by_number.entry(number).or_insert_with(|| {
            self.starts.push(start);
            self.starts.len() as u32 - 1
        })
    }

    /// The start of a game and its castling rights; `None` if the game does not count.
    fn resolve(&mut self, header: &Header) -> Option<(u32, FenRights)> {
        let (start, rights) = match (header.variant, header.start) {
            (VariantTag::Other, _)
            | (VariantTag::Chess960, StartTag::Absent)
            | (_, StartTag::NotAStart) => return None,
            (_, StartTag::Absent) => {
                if !self.options.include_standard {
                    return None;
                }
                let known = self.classical;
                let start = known.unwrap_or_else(|| self.index(Start::classical()));
                self.classical = Some(start);
                (start, FenRights::Correct)
            }
            (variant, StartTag::Start(start, rights)) => {
                let is_classical = self.starts[start as usize].is_classical();
                let is_classical = is_classical && rights == FenRights::Correct;
                match variant {
                    VariantTag::Classical if !is_classical => return None,
                    VariantTag::Chess960 => {}
                    _ if is_classical && !self.options.include_standard => return None,
                    _ => {}
                }
                (start, rights)
            }
        };
        let is_double = self.starts[start as usize].is_double();
        (!is_double || self.options.doubles).then_some((start, rights))
    }

    /// Adds what another thread has counted.
    fn absorb(&mut self, other: Counter) {
        self.summary.read += other.summary.read;
        self.summary.counted += other.summary.counted;
        let indices = other.starts.into_iter().map(|start| {
            let totals = start.totals.clone();
            let index = self.index(start.without_games());
            self.starts[index as usize].totals.add(&totals);
            index
        });
        let indices: Vec<u32> = indices.collect();
        self.tree.absorb(&other.tree, &indices);
    }
}

impl Visitor for Counter<'_> {
    type Tags = Header;
    type Movetext = Game;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Header> {
        self.summary.read += 1;
        ControlFlow::Continue(Header::default())
    }

    fn tag(&mut self, header: &mut Header, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let value = value.as_bytes();
        match name {
            b"Result" => header.outcome = tags::outcome(value),
            b"WhiteElo" => header.ratings[0] = tags::rating(value),
            b"BlackElo" => header.ratings[1] = tags::rating(value),
            b"Date" => header.date = tags::date(value),
            b"UTCDate" => header.utc_date = tags::date(value),
            b"TimeControl" => header.speed = tags::speed(value),
            b"Termination" => header.termination = tags::termination(value),
            b"Variant" => header.variant = tags::variant(value),
            b"FEN" => {
                header.start = match value {
                    b"" | b"?" | b"-" => StartTag::Absent,
                    fen => self.start_of_fen(fen),
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, header: Header) -> ControlFlow<(), Game> {
        let Some((start, rights)) = self.resolve(&header) else {
            return ControlFlow::Break(());
        };
        let Start { position, hash, .. } = &self.starts[start as usize];
        ControlFlow::Continue(Game {
            header,
            start,
            rights,
            position: position.clone(),
            hash: *hash,
            plies: 0,
            castled: [None; 2],
            line: [Step::NONE; MAX_PLIES],
        })
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<()> {
        let ply = game.plies as usize;
        game.plies += 1;
        if ply < self.options.plies {
            let Ok(mv) = san.san.to_move(&game.position) else {
                return ControlFlow::Break(());
            };
            game.play(ply, mv, self.options.moves.is_some());
        }
        if let San::Castle(side) = san.san {
            let castled = (game.plies, side == CastlingSide::KingSide);
            game.castled[ply % 2].get_or_insert(castled);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Game) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut Game, outcome: Outcome) -> ControlFlow<()> {
        game.header.outcome.get_or_insert(match outcome {
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::White,
            }) => 0,
            Outcome::Known(KnownOutcome::Draw) => 1,
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::Black,
            }) => 2,
            Outcome::Unknown => 3,
        });
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Game) {
        let has_castled = game.castled.iter().any(Option::is_some);
        let lacks_rights = game.rights == FenRights::Missing && !has_castled;
        if game.plies == 0 || lacks_rights && !self.options.repair {
            return;
        }
        self.summary.counted += 1;
        let line = &game.line[..self.options.plies.min(game.plies as usize)];
        let start = &mut self.starts[game.start as usize];
        start.totals.count(&game.header, game.plies, game.castled);
        start.totals.repaired += u64::from(game.rights != FenRights::Correct);
        let outcome = game.header.outcome.unwrap_or(3);
        start.count_first_move(line[0].mv, outcome, game.header.ratings[0]);
        if self.options.moves.is_some() {
            self.tree
                .count(game.start, line, outcome, game.header.ratings);
        }
    }
}

impl Game {
    fn play(&mut self, ply: usize, mv: Move, has_tree: bool) {
        self.line[ply] = Step {
            position: self.hash,
            mv,
        };
        if !has_tree {
            self.position.play_unchecked(mv);
            return;
        }
        let updated = self
            .position
            .update_zobrist_hash(self.hash, mv, EnPassantMode::Legal);
        self.position.play_unchecked(mv);
        self.hash = updated.unwrap_or_else(|| self.position.zobrist_hash(EnPassantMode::Legal));
    }
}
