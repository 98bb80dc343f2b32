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
use super::lines::{Line, Lines, Mixer, is_written_by_engine, note_castling, read_move};
use super::rules::{Reason, Rules};
use super::tally::{Record, Rejected, StartTally, Summary, Tally};
use super::tree::{Batch, Tree, TreeError};
use crate::pgn::{
    self, Castled, Item, Origin, Origins, Place, ReadError, Reading, Refusal, Rights, Scratch,
    Source, Tags, Unread, Walk,
};
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
pub enum FileError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Counts the games of a file. With `keeps_going`, a file that is damaged counts up to the damage.
///
/// `is_stopped` is asked now and then whether to give up, and `advance` told how much has been read: bytes of the file as it
/// lies there, and games. `None` if it was given up.
pub fn count_file(
    source: Source,
    rules: &Rules,
    threads: usize,
    keeps_going: bool,
    is_stopped: &(impl Fn() -> bool + Sync),
    advance: &(impl Fn(u64, u64) + Sync),
) -> Result<Option<Counted>, FileError> {
    let path = source.path().display().to_string();
    let reading = Reading::new(source);
    let tree = Mutex::new(Tree::default());
    let failure = Mutex::new(None::<FileError>);
    let told = Mutex::new(0);
    let work = || {
        let mut counter = Counter::new(rules, &tree);
        let mut scratch = Scratch::default();
        loop {
            if is_stopped() || lock(&failure).is_some() {
                break;
            }
            let games = counter.summary.read;
            let more = reading.read_span(&mut scratch, &mut |game| counter.take(&game));
            {
                let bytes = reading.source().read_bytes();
                let mut told = lock(&told);
                advance(bytes.saturating_sub(*told), counter.summary.read - games);
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
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
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
    if is_stopped() {
        return Ok(None);
    }
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    let last = &mut counters[0];
    let (places, damage) = match failure {
        None => (reading.finish(&mut |game| last.take(&game))?, None),
        Some(FileError::Read(damage @ ReadError::Damaged { .. })) if keeps_going => {
            (reading.abandon(), Some(damage))
        }
        Some(error) => return Err(error),
    };
    let mut tally = Tally::default();
    for counter in counters {
        counter.finish(&path, &mut tally, |place| places.byte(place))?;
    }
    tally.summary.bytes = places.bytes();
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
    rules: &'r Rules,
    /// Where all threads put their openings.
    tree: &'r Mutex<Tree>,
    origins: Origins,
    lines: Lines,
    batch: Batch,
    /// By [`DoubleNumbering::WhiteFirst`].
    starts: HashMap<u32, StartTally, BuildHasherDefault<Mixer>>,
    summary: Summary,
    rejected: [Option<(u64, Place)>; Reason::ALL.len()],
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
    fn new(rules: &'r Rules, tree: &'r Mutex<Tree>) -> Counter<'r> {
        Counter {
            rules,
            tree,
            origins: Origins::default(),
            lines: Lines::new(),
            batch: Batch::default(),
            starts: HashMap::default(),
            summary: Summary::default(),
            rejected: [None; Reason::ALL.len()],
            failure: None,
        }
    }

    fn take(&mut self, game: &Unread) {
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
                let (games, first) = self.rejected[reason as usize].get_or_insert((0, game.place));
                *games += 1;
                *first = game.place.min(*first);
            }
        }
    }

    fn judge(&mut self, game: &Unread) -> Result<Verdict, Reason> {
        if game.is_overlong {
            return Err(Reason::Overlong);
        }
        let tags = &game.tags;
        let origin = self.origin(tags)?;
        let facts = facts(tags, game.movetext, origin.start);
        if !self.rules.filter.admits(&facts) {
            return Ok(Verdict::Filtered);
        }
        let moves = self.moves(game, origin.start)?;
        let has_castled = moves.castled.iter().any(Option::is_some);
        if origin.rights == Rights::None && !has_castled && !self.rules.repairs_lost_rights {
            return Err(Reason::NoRights);
        }
        if moves.plies < self.rules.filter.min_plies {
            return Ok(Verdict::Filtered);
        }
        let duplicates = self.rules.duplicates.as_ref();
        if duplicates.is_some_and(|duplicates| duplicates.is_known(game.text)) {
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
            is_repaired: origin.rights != Rights::Right,
        };
        let start = DoubleNumbering::WhiteFirst.number(origin.start);
        self.starts.entry(start).or_default().count(&record);
        Ok(Verdict::Counts)
    }

    fn origin(&mut self, tags: &Tags) -> Result<Origin, Reason> {
        let origin = self.origins.of(tags.variant, tags.fen);
        let origin = origin.map_err(|refusal| match refusal {
            Refusal::OtherVariant => Reason::OtherVariant,
            Refusal::NoFen => Reason::NoFen,
            Refusal::NotAStart => Reason::NotAStart,
        })?;
        if origin.is_classical && !self.rules.includes_classical {
            return Err(Reason::Classical);
        }
        if origin.start.white != origin.start.black && !self.rules.includes_doubles {
            return Err(Reason::DoubleStart);
        }
        Ok(origin)
    }

    /// Plays the first moves and looks for what matters of the others.
    fn moves(&mut self, game: &Unread, start: DoubleStart) -> Result<Moves, Reason> {
        if pgn::unfinished_comment(game.movetext) {
            return Err(Reason::Torn);
        }
        let mut walk = Walk::new(game.movetext);
        let mut texts: [&[u8]; Tree::MOST_PLIES] = [b""; Tree::MOST_PLIES];
        let mut plies = 0;
        let (mut first_number, mut has_ended) = (None, false);
        while plies < self.rules.plies as usize {
            match walk.next() {
                Some(Item::Number(number)) => first_number = first_number.or(Some(number)),
                Some(Item::Move(text)) => {
                    texts[plies] = text;
                    plies += 1;
                }
                Some(Item::Result(_)) | None => {
                    has_ended = true;
                    break;
                }
            }
        }
        if walk.is_torn() {
            return Err(Reason::Torn);
        }
        let texts = &texts[..plies];
        if texts.is_empty() {
            return Err(Reason::NoMoves);
        }
        let line = self.lines.along(start, texts).ok_or(Reason::IllegalMove)?;
        let mut castled = self.lines.castled(line);
        let mut plies = plies as u32;
        if has_ended {
            // The length is known.
        } else if texts.iter().any(|text| is_written_by_engine(text)) {
            plies = self.play_on(&mut walk, line, plies, &mut castled)?;
        } else {
            pgn::castles(&mut walk, &mut plies, &mut castled);
            plies = pgn::length(game.movetext, &walk, plies, first_number);
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
        walk: &mut Walk,
        line: Line,
        mut plies: u32,
        castled: &mut [Option<Castled>; 2],
    ) -> Result<u32, Reason> {
        let mut board = self.lines.board(line);
        for item in walk {
            match item {
                Item::Number(_) => {}
                Item::Result(_) => break,
                Item::Move(text) => {
                    let mv = read_move(&board, text).ok_or(Reason::IllegalMove)?;
                    plies += 1;
                    note_castling(mv, plies, castled);
                    board = board.play(mv);
                }
            }
        }
        Ok(plies)
    }

    fn hand_over_lines(&mut self) {
        let starts = &mut self.starts;
        let keeps_tree = self.rules.keeps_tree;
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
        byte: impl Fn(Place) -> u64,
    ) -> Result<(), TreeError> {
        self.hand_over_lines();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        for (reason, rejected) in Reason::ALL.into_iter().zip(self.rejected) {
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
