//! One file counted, by as many threads as are given to it.
//!
//! In walks a source; out walks its tally, and its tree if one is wanted. Each thread counts for itself, and what they have
//! is added up at the end.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::facts::{Date, Outcome, Speed, Termination, rating};
use super::filter::Facts;
use super::lines::{Line, Lines, Mixer, is_written_by_engine, read_move, record_castling};
use super::settings::{Rejection, SeenGames, StatsSettings};
use super::tally::{Record, Rejected, StartTally, Summary, Tally};
use super::tree::{Batch, Tree, TreeError};
use crate::pgn::{
    self, Castled, FenRights, GameOffset, GameReader, GameStart, GameStartError, RawGame,
    ReadBuffers, ReadError, Source, StartResolver, Tags, Token, Tokens,
};
use crate::run::Cancel;
use crate::start::{DoubleNumbering, DoubleStart};

/// What a file came to.
#[derive(Debug)]
pub struct Counted {
    pub tally: Tally,
    pub tree: Tree,
    /// Why the file could not be read to its end, if what came before was to count all the same.
    pub damage: Option<ReadError>,
}

#[derive(Debug, thiserror::Error)]
pub enum CountFileError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// How to count a file.
#[derive(Clone, Copy)]
pub struct FileOptions<'a> {
    /// Threads to read the file with.
    pub threads: usize,
    /// Whether a file that is damaged counts up to the damage.
    pub keep_going: bool,
    /// Where games are remembered so that each counts once.
    pub seen: Option<&'a SeenGames>,
    /// Whether to end early.
    pub cancel: &'a Cancel,
    /// Told how much more has been read: bytes of the file as it is on the disk, and games.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Default for FileOptions<'_> {
    fn default() -> Self {
        FileOptions {
            threads: 1,
            keep_going: false,
            seen: None,
            cancel: Cancel::NEVER,
            progress: &|_, _| (),
        }
    }
}

/// Counts the games of a file; `None` if it was cancelled.
pub fn count_file(
    source: Source,
    settings: &StatsSettings,
    options: &FileOptions,
) -> Result<Option<Counted>, CountFileError> {
    let path = source.path().display().to_string();
    let reading = GameReader::new(source);
    let tree = Mutex::new(Tree::default());
    let failure = Mutex::new(None::<CountFileError>);
    let told = Mutex::new(0);
    let work = || {
        let mut counter = Counter::new(settings, options.seen, &tree);
        let mut scratch = ReadBuffers::default();
        loop {
            if options.cancel.is_set() || lock(&failure).is_some() {
                break;
            }
            let games = counter.summary.read;
            let more = reading.read_span(&mut scratch, &mut |game| counter.take(&game));
            {
                let bytes = reading.source().read_bytes();
                let mut told = lock(&told);
                (options.progress)(bytes.saturating_sub(*told), counter.summary.read - games);
                *told = bytes.max(*told);
            }
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    lock(&failure).get_or_insert(error.into());
                    break;
                }
            }
        }
        // Here, and not when all are added up, the threads do it at the same time.
        counter.hand_over_lines();
        counter
    };
    let mut counters: Vec<Counter> = thread::scope(|scope| {
        let others: Vec<_> = (1..options.threads).map(|_| scope.spawn(work)).collect();
        let mut counters = vec![work()];
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
    let last = &mut counters[0];
    let (places, damage) = match failure {
        None => (reading.finish(&mut |game| last.take(&game))?, None),
        Some(CountFileError::Read(damage @ ReadError::Damaged { .. })) if options.keep_going => {
            (reading.abandon(), Some(damage))
        }
        Some(error) => return Err(error),
    };
    let mut tally = Tally::default();
    for counter in counters {
        counter.finish(&path, &mut tally, |place| places.byte(place))?;
    }
    tally.summary.bytes = places.total_bytes();
    let tree = tree.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Some(Counted {
        tally,
        tree,
        damage,
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One thread's games.
struct Counter<'r> {
    settings: &'r StatsSettings,
    seen: Option<&'r SeenGames>,
    /// Where all threads put their openings.
    tree: &'r Mutex<Tree>,
    origins: StartResolver,
    lines: Lines,
    batch: Batch,
    /// By [`DoubleNumbering::WhiteFirst`].
    starts: HashMap<u32, StartTally, BuildHasherDefault<Mixer>>,
    summary: Summary,
    rejected: [Option<(u64, GameOffset)>; Rejection::ALL.len()],
    failure: Option<TreeError>,
}

/// What becomes of a game that could count.
enum Verdict {
    Counts,
    Filtered,
    Duplicate,
}

/// The moves of a game, as far as they matter.
struct Moves {
    line: Line,
    plies: u32,
    castled: [Option<Castled>; 2],
}

impl<'r> Counter<'r> {
    fn new(
        settings: &'r StatsSettings,
        seen: Option<&'r SeenGames>,
        tree: &'r Mutex<Tree>,
    ) -> Counter<'r> {
        Counter {
            settings,
            seen,
            tree,
            origins: StartResolver::default(),
            lines: Lines::new(),
            batch: Batch::default(),
            starts: HashMap::default(),
            summary: Summary::default(),
            rejected: [None; Rejection::ALL.len()],
            failure: None,
        }
    }

    fn take(&mut self, game: &RawGame) {
        if self.lines.is_full() {
            self.hand_over_lines();
        }
        let verdict = self.judge(game);
        let summary = &mut self.summary;
        summary.read += 1;
        match verdict {
            Ok(Verdict::Counts) => summary.counted += 1,
            Ok(Verdict::Filtered) => summary.filtered += 1,
            Ok(Verdict::Duplicate) => summary.duplicates += 1,
            Err(reason) => {
                let (games, first) = self.rejected[reason as usize].get_or_insert((0, game.offset));
                *games += 1;
                *first = game.offset.min(*first);
            }
        }
    }

    fn judge(&mut self, game: &RawGame) -> Result<Verdict, Rejection> {
        if game.is_overlong {
            return Err(Rejection::Overlong);
        }
        let tags = &game.tags;
        let origin = self.origin(tags)?;
        let facts = facts(tags, game.movetext, origin.start);
        if !self.settings.filter.admits(&facts) {
            return Ok(Verdict::Filtered);
        }
        let moves = self.moves(game, origin.start)?;
        let has_castled = moves.castled.iter().any(Option::is_some);
        if origin.rights == FenRights::Missing && !has_castled && !self.settings.repair {
            return Err(Rejection::NoRights);
        }
        if moves.plies < self.settings.filter.min_plies {
            return Ok(Verdict::Filtered);
        }
        let is_duplicate = |seen: &SeenGames| seen.contains_or_insert(game.text);
        if self.seen.is_some_and(is_duplicate) {
            return Ok(Verdict::Duplicate);
        }
        self.lines.count(moves.line, facts.outcome, facts.ratings);
        let record = Record {
            outcome: facts.outcome,
            ratings: facts.ratings,
            plies: moves.plies,
            castled: moves.castled,
            speed: facts.speed,
            termination: facts.termination,
            date: facts.date,
            is_repaired: origin.rights != FenRights::Correct,
        };
        let start = DoubleNumbering::WhiteFirst.number(origin.start);
        self.starts.entry(start).or_default().count(&record);
        Ok(Verdict::Counts)
    }

    fn origin(&mut self, tags: &Tags) -> Result<GameStart, Rejection> {
        let origin = self.origins.resolve(tags.variant, tags.fen);
        let origin = origin.map_err(|refusal| match refusal {
            GameStartError::OtherVariant => Rejection::OtherVariant,
            GameStartError::NoFen => Rejection::NoFen,
            GameStartError::NotAStart => Rejection::NotAStart,
        })?;
        if origin.is_classical && !self.settings.include_standard {
            return Err(Rejection::Classical);
        }
        if origin.start.white != origin.start.black && !self.settings.doubles {
            return Err(Rejection::DoubleStart);
        }
        Ok(origin)
    }

    /// Plays the first moves and looks for what matters of the others.
    fn moves(&mut self, game: &RawGame, start: DoubleStart) -> Result<Moves, Rejection> {
        if pgn::has_unterminated_comment(game.movetext) {
            return Err(Rejection::Unterminated);
        }
        let mut walk = Tokens::new(game.movetext);
        let mut texts: [&[u8]; Tree::MOST_PLIES] = [b""; Tree::MOST_PLIES];
        let mut plies = 0;
        let (mut first_number, mut has_ended) = (None, false);
        while plies < self.settings.plies as usize {
            match walk.next() {
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
        if walk.is_unterminated() {
            return Err(Rejection::Unterminated);
        }
        let texts = &texts[..plies];
        if texts.is_empty() {
            return Err(Rejection::NoMoves);
        }
        let line = self
            .lines
            .along(start, texts)
            .ok_or(Rejection::IllegalMove)?;
        let mut castled = self.lines.castled(line);
        let mut plies = plies as u32;
        if has_ended {
            // The length is known.
        } else if texts.iter().any(|text| is_written_by_engine(text)) {
            plies = self.play_on(&mut walk, line, plies, &mut castled)?;
        } else {
            pgn::find_castling(&mut walk, &mut plies, &mut castled);
            plies = pgn::count_plies(game.movetext, &walk, plies, first_number);
        }
        Ok(Moves {
            line,
            plies,
            castled,
        })
    }

    /// Plays the rest of a game in which castling cannot be told by its letters, and gives its length.
    fn play_on(
        &self,
        walk: &mut Tokens,
        line: Line,
        mut plies: u32,
        castled: &mut [Option<Castled>; 2],
    ) -> Result<u32, Rejection> {
        let mut board = self.lines.board(line);
        for item in walk {
            match item {
                Token::Number(_) => {}
                Token::Result(_) => break,
                Token::Move(text) => {
                    let mv = read_move(&board, text).ok_or(Rejection::IllegalMove)?;
                    plies += 1;
                    record_castling(mv, plies, castled);
                    board = board.play(mv);
                }
            }
        }
        Ok(plies)
    }

    fn hand_over_lines(&mut self) {
        let starts = &mut self.starts;
        let keeps_tree = self.settings.tree;
        let batch = &mut self.batch;
        let plies = if keeps_tree { Tree::MOST_PLIES } else { 1 };
        self.lines.drain(plies, |step| {
            if step.played.games() == 0 {
                return;
            }
            if step.ply == 1 {
                let tally = starts.entry(step.start).or_default();
                tally
                    .first_moves
                    .entry(step.code)
                    .or_default()
                    .add(&step.played);
            }
            if keeps_tree {
                batch.add(&step);
            }
        });
        if self.failure.is_none() {
            self.failure = lock(self.tree).take(batch).err();
        }
    }

    fn finish(
        mut self,
        path: &str,
        total: &mut Tally,
        byte: impl Fn(GameOffset) -> u64,
    ) -> Result<(), TreeError> {
        self.hand_over_lines();
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
        for (number, tally) in &self.starts {
            if let Ok(start) = DoubleNumbering::WhiteFirst.double_start(*number) {
                total.starts.entry(start).or_default().absorb(tally);
            }
        }
        Ok(())
    }
}

fn facts<'t>(tags: &Tags<'t>, movetext: &[u8], start: DoubleStart) -> Facts<'t> {
    let outcome = Outcome::read(tags.result)
        .or_else(|| Outcome::read(pgn::last_token(movetext)))
        .unwrap_or(Outcome::Unfinished);
    Facts {
        start,
        ratings: [rating(tags.white_elo), rating(tags.black_elo)],
        date: Date::read(tags.date).or_else(|| Date::read(tags.utc_date)),
        speed: Speed::read(tags.time_control),
        outcome,
        termination: Termination::read(tags.termination),
        players: [tags.white, tags.black],
        titles: [tags.white_title, tags.black_title],
        variant: tags.variant,
    }
}
