//! Counts the games of one file on several threads.
//!
//! Each thread counts the games that it reads with a [`GameCounter`] of its own; their sums are added at the end.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::filter::GameProperties;
use super::fold_hash::FoldHasher;
use super::line_cache::{LineCache, OpeningLine, is_uci_notation, parse_move, record_castling};
use super::line_record::{GroupCode, LineGame, LineRecord};
use super::opening_tree::{OpeningTree, TreeError, TreeMemory};
use super::settings::{Rejection, SeenGames, StatsSettings};
use super::tag_values::{Date, GameOutcome, Speed, Termination, parse_rating};
use super::tally::{GameRecord, Rejected, StartTally, Summary, Tally};
use crate::chess::Board;
use crate::pgn::{
    self, Castled, FenRights, GameOffset, GameReader, GameStart, GameStartError, RawGame,
    ReadBuffers, ReadError, Source, StartResolver, Tags, Token, Tokens,
};
use crate::run::Cancel;
use crate::start::DoubleStart;

/// The statistics of a file.
#[derive(Debug)]
pub struct CountedFile {
    /// The sums over its games.
    pub tally: Tally,
    /// Its openings; empty unless the settings ask for a tree.
    pub tree: OpeningTree,
    /// Why the file could not be read to its end. Always `None` without [`FileOptions::keep_going`].
    pub damage: Option<ReadError>,
}

/// Why a file was not counted.
#[derive(Debug, thiserror::Error)]
pub enum CountFileError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its opening tree cannot be stored.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// How to count a file.
#[derive(Clone)]
pub struct FileOptions<'a> {
    /// The number of threads that read the file.
    pub threads: usize,
    /// Whether a damaged file counts up to the damage, rather than being an error.
    pub keep_going: bool,
    /// The games seen so far, to skip duplicates; `None` to count them.
    pub seen: Option<&'a SeenGames>,
    /// The memory for the opening tree; what does not fit goes to a temporary file.
    pub tree_memory: Arc<TreeMemory>,
    /// Stops the count when it is set.
    pub cancel: &'a Cancel,
    /// Called from any thread with what was read since the last call: bytes of the file on disk, and games.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Default for FileOptions<'_> {
    fn default() -> Self {
        FileOptions {
            threads: 1,
            keep_going: false,
            seen: None,
            tree_memory: Arc::default(),
            cancel: Cancel::NEVER,
            progress: &|_, _| (),
        }
    }
}

/// Counts the games of a file; `None` if the count was cancelled.
pub fn count_file(
    source: Source,
    settings: &StatsSettings,
    options: &FileOptions,
) -> Result<Option<CountedFile>, CountFileError> {
    let path = source.path().display().to_string();
    let reader = GameReader::new(source);
    let failure = Mutex::new(None::<CountFileError>);
    let reported = Mutex::new(0);
    let count_spans = || {
        let mut counter = GameCounter::new(settings, options);
        let mut buffers = ReadBuffers::default();
        loop {
            if options.cancel.is_set() || lock(&failure).is_some() {
                break;
            }
            let games = counter.summary.read;
            let more = reader.read_span(&mut buffers, &mut |game| counter.add(&game));
            {
                let bytes = reader.source().read_bytes();
                let mut reported = lock(&reported);
                (options.progress)(
                    bytes.saturating_sub(*reported),
                    counter.summary.read - games,
                );
                *reported = bytes.max(*reported);
            }
            let failed = match more {
                Ok(true) => counter.failure.take().map(CountFileError::from),
                // Sorts on this thread what would otherwise be sorted on one thread for all.
                Ok(false) => match counter.tree.seal() {
                    Ok(()) => break,
                    Err(error) => Some(error.into()),
                },
                Err(error) => Some(error.into()),
            };
            if let Some(error) = failed {
                lock(&failure).get_or_insert(error);
                break;
            }
        }
        counter
    };
    let mut counters: Vec<GameCounter> = thread::scope(|scope| {
        let others: Vec<_> = (1..options.threads)
            .map(|_| scope.spawn(count_spans))
            .collect();
        let mut counters = vec![count_spans()];
        for other in others {
            counters.push(
                other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        counters
    });
    if options.cancel.is_set() {
        return Ok(None);
    }
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    let first = &mut counters[0];
    let (offsets, damage) = match failure {
        None => (reader.finish(&mut |game| first.add(&game))?, None),
        Some(CountFileError::Read(damage @ ReadError::Damaged { .. })) if options.keep_going => {
            (reader.abandon(), Some(damage))
        }
        Some(error) => return Err(error),
    };
    let mut tally = Tally::default();
    let mut tree = OpeningTree::new(Arc::clone(&options.tree_memory));
    for counter in counters {
        tree.absorb(counter.finish(&path, &mut tally, |offset| offsets.byte(offset))?)?;
    }
    tally.summary.bytes = offsets.total_bytes();
    Ok(Some(CountedFile {
        tally,
        tree,
        damage,
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts the games of one thread.
struct GameCounter<'r> {
    settings: &'r StatsSettings,
    seen: Option<&'r SeenGames>,
    start_resolver: StartResolver,
    line_cache: LineCache,
    tree: OpeningTree,
    groups: HashMap<GroupCode, StartTally, BuildHasherDefault<FoldHasher>>,
    summary: Summary,
    /// The number of rejected games and the first of them, by reason.
    rejected: [Option<(u64, GameOffset)>; Rejection::ALL.len()],
    failure: Option<TreeError>,
}

/// What happened to a game that was not rejected.
enum GameStatus {
    Counted,
    Filtered,
    Duplicate,
}

/// What the moves of a game say.
struct GameMoves {
    line: OpeningLine,
    plies: u32,
    castled: [Option<Castled>; 2],
}

impl<'r> GameCounter<'r> {
    fn new(settings: &'r StatsSettings, options: &FileOptions<'r>) -> GameCounter<'r> {
        GameCounter {
            settings,
            seen: options.seen,
            start_resolver: StartResolver::default(),
            line_cache: LineCache::new(),
            tree: OpeningTree::new(Arc::clone(&options.tree_memory)),
            groups: HashMap::default(),
            summary: Summary::default(),
            rejected: [None; Rejection::ALL.len()],
            failure: None,
        }
    }

    fn add(&mut self, game: &RawGame) {
        let status = self.count(game);
        let summary = &mut self.summary;
        summary.read += 1;
        match status {
            Ok(GameStatus::Counted) => summary.counted += 1,
            Ok(GameStatus::Filtered) => summary.filtered += 1,
            Ok(GameStatus::Duplicate) => summary.duplicates += 1,
            Err(reason) => {
                let (games, first) = self.rejected[reason as usize].get_or_insert((0, game.offset));
                *games += 1;
                *first = game.offset.min(*first);
            }
        }
    }

    fn count(&mut self, game: &RawGame) -> Result<GameStatus, Rejection> {
        if game.is_overlong {
            return Err(Rejection::Overlong);
        }
        let tags = &game.tags;
        let game_start = self.resolve_start(tags)?;
        let properties = properties(tags, game.movetext, game_start.start);
        if !self.settings.filter.admits(&properties) {
            return Ok(GameStatus::Filtered);
        }
        let moves = self.parse_moves(game, game_start.start)?;
        let has_castled = moves.castled.iter().any(Option::is_some);
        if game_start.rights == FenRights::Missing && !has_castled && !self.settings.repair {
            return Err(Rejection::NoRights);
        }
        if moves.plies < self.settings.filter.min_plies {
            return Ok(GameStatus::Filtered);
        }
        let is_duplicate = |seen: &SeenGames| seen.contains_or_insert(game.text);
        if self.seen.is_some_and(is_duplicate) {
            return Ok(GameStatus::Duplicate);
        }
        let group = self.settings.by.code(&properties);
        let line_game = LineGame {
            outcome: properties.outcome,
            ratings: properties.ratings,
        };
        if self.settings.tree {
            let record = LineRecord::new(group, moves.line.moves(), line_game);
            self.failure = self.failure.take().or(self.tree.push(record).err());
        }
        let record = GameRecord {
            outcome: properties.outcome,
            ratings: properties.ratings,
            plies: moves.plies,
            castled: moves.castled,
            speed: properties.speed,
            termination: properties.termination,
            date: properties.date,
            is_repaired: game_start.rights != FenRights::Correct,
        };
        let tally = self.groups.entry(group).or_default();
        tally.count(&record);
        if let Some(&first) = moves.line.moves().first() {
            let played = tally.first_moves.entry(first).or_default();
            played.count(properties.outcome, properties.ratings[0]);
        }
        Ok(GameStatus::Counted)
    }

    fn resolve_start(&mut self, tags: &Tags) -> Result<GameStart, Rejection> {
        let resolved = self.start_resolver.resolve(tags.variant, tags.fen);
        let game_start = resolved.map_err(|error| match error {
            GameStartError::OtherVariant => Rejection::OtherVariant,
            GameStartError::NoFen => Rejection::NoFen,
            GameStartError::NotAStart => Rejection::NotAStart,
        })?;
        if game_start.is_classical && !self.settings.include_standard {
            return Err(Rejection::Classical);
        }
        if game_start.start.white != game_start.start.black && !self.settings.doubles {
            return Err(Rejection::DoubleStart);
        }
        Ok(game_start)
    }

    /// Checks the opening moves for legality and scans the others for the length of the game and castling.
    fn parse_moves(&mut self, game: &RawGame, start: DoubleStart) -> Result<GameMoves, Rejection> {
        if pgn::has_unterminated_comment(game.movetext) {
            return Err(Rejection::Unterminated);
        }
        let mut tokens = Tokens::new(game.movetext);
        let mut texts: [&[u8]; OpeningTree::MAX_PLIES] = [b""; OpeningTree::MAX_PLIES];
        let mut plies = 0;
        let (mut first_number, mut has_ended) = (None, false);
        while plies < self.settings.plies as usize {
            match tokens.next() {
                Some(Token::Number(number)) => first_number = first_number.or(Some(number)),
                Some(Token::Move(text)) => {
                    texts[plies] = text;
                    plies += 1;
                }
                Some(Token::Result(_)) | None => {
                    has_ended = true;
                    break;
                }
            }
        }
        if tokens.is_unterminated() {
            return Err(Rejection::Unterminated);
        }
        let texts = &texts[..plies];
        if texts.is_empty() {
            return Err(Rejection::NoMoves);
        }
        let line = self
            .line_cache
            .find(start, texts)
            .ok_or(Rejection::IllegalMove)?;
        let mut castled = line.castled;
        let mut plies = plies as u32;
        if has_ended {
            // The whole game is in the line.
        } else if texts.iter().any(|text| is_uci_notation(text)) {
            let board = self.line_cache.board_after(start, line.moves());
            plies = play_rest(&mut tokens, board, plies, &mut castled)?;
        } else {
            pgn::find_castling(&mut tokens, &mut plies, &mut castled);
            plies = pgn::count_plies(game.movetext, &tokens, plies, first_number);
        }
        Ok(GameMoves {
            line,
            plies,
            castled,
        })
    }

    /// Adds everything that was counted to `total` and returns the openings. `byte` gives the position of a game in the
    /// file.
    fn finish(
        mut self,
        path: &str,
        total: &mut Tally,
        byte: impl Fn(GameOffset) -> u64,
    ) -> Result<OpeningTree, TreeError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        for (reason, rejected) in Rejection::ALL.into_iter().zip(self.rejected) {
            if let Some((games, first)) = rejected {
                let rejected = Rejected {
                    games,
                    path: path.to_owned(),
                    byte: byte(first),
                };
                self.summary.rejected.insert(reason, rejected);
            }
        }
        total.summary.absorb(&self.summary);
        for (group, tally) in &self.groups {
            if let Some(group) = self.settings.by.group(*group) {
                total.starts.entry(group.start).or_default().absorb(tally);
                if self.settings.by.has_keys() {
                    total.groups.entry(group).or_default().absorb(tally);
                }
            }
        }
        Ok(self.tree)
    }
}

/// Plays the rest of a game in UCI notation, where castling looks like any other king move, and returns its length.
fn play_rest(
    tokens: &mut Tokens,
    mut board: Board,
    mut plies: u32,
    castled: &mut [Option<Castled>; 2],
) -> Result<u32, Rejection> {
    for token in tokens {
        match token {
            Token::Number(_) => {}
            Token::Result(_) => break,
            Token::Move(text) => {
                let mv = parse_move(&board, text).ok_or(Rejection::IllegalMove)?;
                plies += 1;
                record_castling(mv, plies, castled);
                board = board.play(mv);
            }
        }
    }
    Ok(plies)
}

fn properties<'t>(tags: &Tags<'t>, movetext: &[u8], start: DoubleStart) -> GameProperties<'t> {
    let outcome = GameOutcome::parse(tags.result)
        .or_else(|| GameOutcome::parse(pgn::last_token(movetext)))
        .unwrap_or(GameOutcome::Unfinished);
    GameProperties {
        start,
        ratings: [parse_rating(tags.white_elo), parse_rating(tags.black_elo)],
        date: Date::parse_tag(tags.date).or_else(|| Date::parse_tag(tags.utc_date)),
        speed: Speed::parse_tag(tags.time_control),
        outcome,
        termination: Termination::parse_tag(tags.termination),
        players: [tags.white, tags.black],
        titles: [tags.white_title, tags.black_title],
        variant: tags.variant,
    }
}
