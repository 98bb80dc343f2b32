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
use super::settings::{Rejection, SeenGames, StatsSettings, TextReader};
use super::tag_values::{Date, GameOutcome, Speed, Termination, parse_rating};
use super::tally::{GameRecord, Rejected, StartTally, Summary, Tally};
use crate::chess::Board;
use crate::pgn::{
    self, CarefulGame, Castled, FenRights, GameOffset, GameReader, GameStart, GameStartError,
    RawGame, ReadBuffers, ReadError, Source, StartResolver, Tags, Token, Tokens,
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
    /// What reads the text of the games.
    pub reader: TextReader,
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
            reader: TextReader::default(),
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
        // If the system starts no more threads, those that there are read everything.
        let others: Vec<_> = (1..options.threads)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, count_spans).ok())
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
        Some(CountFileError::Read(
            damage @ (ReadError::Damaged { .. } | ReadError::Ratio { .. }),
        )) if options.keep_going => (reader.abandon(), Some(damage)),
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
    reader: TextReader,
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
    /// The opening; `None` if the game has no moves.
    line: Option<OpeningLine>,
    plies: u32,
    castled: [Option<Castled>; 2],
}

impl GameMoves {
    const NONE: GameMoves = GameMoves {
        line: None,
        plies: 0,
        castled: [None; 2],
    };
}

impl<'r> GameCounter<'r> {
    fn new(settings: &'r StatsSettings, options: &FileOptions<'r>) -> GameCounter<'r> {
        GameCounter {
            settings,
            reader: options.reader,
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
        if game.is_other_text() {
            return self.skip_text(game);
        }
        let status = match self.reader {
            TextReader::Scanner => self.count(game, None),
            TextReader::PgnReader => self.count_carefully(game),
        };
        let summary = &mut self.summary;
        summary.read += 1;
        match status {
            Ok(GameStatus::Counted) => summary.counted += 1,
            Ok(GameStatus::Filtered) => summary.filtered += 1,
            Ok(GameStatus::Duplicate) => summary.duplicates += 1,
            Err(reason) => self.reject(game, reason),
        }
    }

    fn reject(&mut self, game: &RawGame, reason: Rejection) {
        let (games, first) = self.rejected[reason as usize].get_or_insert((0, game.offset));
        *games += 1;
        *first = game.offset.min(*first);
    }

    /// Records text that is not a game. Escapes and comments before the first game are nothing to report.
    #[cold]
    fn skip_text(&mut self, game: &RawGame) {
        if !game.is_remark() {
            self.reject(game, Rejection::OtherText);
        }
    }

    /// Counts a game by the tags and moves that pgn-reader finds.
    fn count_carefully(&mut self, game: &RawGame) -> Result<GameStatus, Rejection> {
        let careful = game.read_carefully();
        let tags = careful.tags();
        self.count(&RawGame { tags, ..*game }, Some(&careful))
    }

    /// Counts a game. `careful` is the game as pgn-reader reads it, if that is known already.
    fn count(
        &mut self,
        game: &RawGame,
        careful: Option<&CarefulGame>,
    ) -> Result<GameStatus, Rejection> {
        if game.is_overlong {
            return Err(Rejection::Overlong);
        }
        let tags = &game.tags;
        let game_start = self.resolve_start(tags)?;
        let properties = properties(game, careful, game_start.start);
        if !self.settings.filter.admits(&properties) {
            return Ok(GameStatus::Filtered);
        }
        let moves = match self.parse_moves(game, careful, game_start.start) {
            Err(Rejection::NoMoves) if self.counts_moveless(&properties) => GameMoves::NONE,
            moves => moves?,
        };
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
        let opening = moves.line.as_ref().map_or(&[][..], OpeningLine::moves);
        if self.settings.tree && !opening.is_empty() {
            let line_game = LineGame {
                outcome: properties.outcome,
                ratings: properties.ratings,
            };
            let record = LineRecord::new(group, opening, line_game);
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
        if let Some(&first) = opening.first() {
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

    /// Whether a game counts although it has no moves.
    fn counts_moveless(&self, properties: &GameProperties) -> bool {
        self.settings.include_moveless && properties.outcome != GameOutcome::Unfinished
    }

    /// Checks the opening moves for legality and finds the length of the game and castling. The scanner reads the game
    /// unless it is doubtful.
    fn parse_moves(
        &mut self,
        game: &RawGame,
        careful: Option<&CarefulGame>,
        start: DoubleStart,
    ) -> Result<GameMoves, Rejection> {
        match careful {
            Some(careful) => self.parse_moves_carefully(careful, start),
            None => match self.scan_moves(game, start) {
                Some(scanned) => scanned,
                None => self.parse_moves_carefully(&game.read_carefully(), start),
            },
        }
    }

    /// Scans the moves; `None` if the game is doubtful: the tokens say so, a comment seems never to be closed, or a move
    /// cannot be played.
    fn scan_moves(
        &mut self,
        game: &RawGame,
        start: DoubleStart,
    ) -> Option<Result<GameMoves, Rejection>> {
        if pgn::has_unterminated_comment(game.movetext) {
            return None;
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
        if tokens.is_doubtful() {
            return None;
        }
        let texts = &texts[..plies];
        if texts.is_empty() {
            return Some(Err(Rejection::NoMoves));
        }
        let line = self.line_cache.find(start, texts)?;
        let mut castled = line.castled;
        let mut plies = plies as u32;
        if has_ended {
            // The whole game is in the line.
        } else if texts.iter().any(|text| is_uci_notation(text)) {
            let rest = tokens.by_ref();
            let rest = rest.take_while(|token| !matches!(token, Token::Result(_)));
            let rest = rest.filter_map(|token| match token {
                Token::Move(text) => Some(text),
                Token::Number(_) | Token::Result(_) => None,
            });
            let board = self.line_cache.board_after(start, line.moves());
            plies = play_rest(rest, board, plies, &mut castled)?;
        } else {
            pgn::find_castling(&mut tokens, &mut plies, &mut castled);
            plies = pgn::count_rest(game.movetext, &mut tokens, plies, first_number);
        }
        if tokens.is_doubtful() {
            return None;
        }
        Some(Ok(GameMoves {
            line: Some(line),
            plies,
            castled,
        }))
    }

    /// Like [`GameCounter::scan_moves`], for the moves that pgn-reader found.
    #[cold]
    fn parse_moves_carefully(
        &mut self,
        game: &CarefulGame,
        start: DoubleStart,
    ) -> Result<GameMoves, Rejection> {
        if game.is_unterminated {
            return Err(Rejection::Unterminated);
        }
        let texts: Vec<&[u8]> = game.moves.iter().map(String::as_bytes).collect();
        let (opening, rest) = texts.split_at(texts.len().min(self.settings.plies as usize));
        let is_unknown = |unknown: &pgn::UnknownToken| unknown.plies < self.settings.plies as usize;
        if game.unknown.as_ref().is_some_and(is_unknown) {
            return Err(Rejection::IllegalMove);
        }
        if opening.is_empty() {
            return Err(Rejection::NoMoves);
        }
        let line = self
            .line_cache
            .find(start, opening)
            .ok_or(Rejection::IllegalMove)?;
        let mut castled = line.castled;
        let plies = opening.len() as u32;
        if opening.iter().any(|text| is_uci_notation(text)) {
            let board = self.line_cache.board_after(start, line.moves());
            play_rest(rest.iter().copied(), board, plies, &mut castled)
                .ok_or(Rejection::IllegalMove)?;
        } else {
            for (ply, text) in (plies + 1..).zip(rest) {
                Castled::record_text(text, ply, &mut castled);
            }
        }
        Ok(GameMoves {
            line: Some(line),
            plies: texts.len() as u32,
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

/// Plays the rest of a game in UCI notation, where castling looks like any other king move, and returns its length;
/// `None` if a move is not legal.
fn play_rest<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    mut board: Board,
    mut plies: u32,
    castled: &mut [Option<Castled>; 2],
) -> Option<u32> {
    for text in texts {
        let mv = parse_move(&board, text)?;
        plies += 1;
        record_castling(mv, plies, castled);
        board = board.play(mv);
    }
    Some(plies)
}

fn properties<'t>(
    game: &RawGame<'t>,
    careful: Option<&CarefulGame>,
    start: DoubleStart,
) -> GameProperties<'t> {
    let tags = &game.tags;
    let outcome = GameOutcome::parse(tags.result)
        .or_else(|| outcome_of_movetext(game, careful))
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

/// The outcome that the movetext ends with.
fn outcome_of_movetext(game: &RawGame, careful: Option<&CarefulGame>) -> Option<GameOutcome> {
    match careful {
        Some(careful) => GameOutcome::parse(careful.result?),
        None => match pgn::find_result(game.movetext) {
            Some(result) => GameOutcome::parse(result),
            None => GameOutcome::parse(game.read_carefully().result?),
        },
    }
}
