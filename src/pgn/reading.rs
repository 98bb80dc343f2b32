//! A source read by many threads: each takes a span, cuts it into games and looks at them.
//!
//! In walks a [`Source`]; out walk [`Unread`] games, text with its tags read and nothing else, on the thread that read
//! them and in no particular order. A thread holds a few hundred kilobytes of text at a time, however large the
//! file is.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::cut::{LOOK_AHEAD, LOOK_BACK, Layout};
use super::error::ReadError;
use super::seams::{Edge, LONGEST_GAME, Region, Seams, Stretch};
use super::shelf::Room;
use super::source::Source;
use super::tags::{self, Section, Tags};

/// So much text is read at once: it fits into the cache of one core.
const CHUNK_BYTES: usize = 256 << 10;

/// A source, and what its spans have left at their edges.
pub struct Reading {
    source: Source,
    state: Mutex<State>,
}

struct State {
    seams: Seams,
    /// How long each span has turned out to be.
    lengths: BTreeMap<u64, u64>,
}

/// Memory that a thread reads into, span after span.
#[derive(Default)]
pub struct Scratch {
    decoded: Room,
    text: Vec<u8>,
}

/// Where a game begins: in which span of the text, and at which byte of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    span: u64,
    offset: u64,
}

/// A game of which only the tags have been read.
#[derive(Clone, Copy, Debug)]
pub struct Unread<'t> {
    pub place: Place,
    /// All of it.
    pub text: &'t [u8],
    pub tags: Tags<'t>,
    pub movetext: &'t [u8],
    /// Whether it is longer than any game, so that its text is not all there.
    pub is_overlong: bool,
}

impl Reading {
    pub fn new(source: Source) -> Reading {
        let state = State {
            seams: Seams::new(source.layout()),
            lengths: BTreeMap::new(),
        };
        Reading {
            source,
            state: Mutex::new(state),
        }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Takes a span that nobody has taken and visits its games; `false` if there is none.
    pub fn read_span(
        &self,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(Unread),
    ) -> Result<bool, ReadError> {
        let Scratch { decoded, text } = scratch;
        let Some(mut span) = self.source.next_span(decoded)? else {
            return Ok(false);
        };
        let mut cutter = Cutter::new(self.source.layout(), span.index, text);
        let chunk_bytes = (self.source.span_bytes() / 4).clamp(1, CHUNK_BYTES);
        while span.read(cutter.text, chunk_bytes)? > 0 {
            cutter.cut(visit);
        }
        let length = cutter.length();
        let edge = cutter.finish();
        let whole = {
            let mut state = self.lock();
            state.lengths.insert(span.index, length);
            state.seams.take(span.index, edge)
        };
        for region in whole {
            self.visit_region(&region, visit);
        }
        Ok(true)
    }

    /// Visits what is left when all spans have been read, and fails if the file has changed meanwhile.
    pub fn finish(self, visit: &mut impl FnMut(Unread)) -> Result<Places, ReadError> {
        let Reading { source, state } = self;
        let state = state
            .into_inner()
            .unwrap_or_else(|broken| broken.into_inner());
        for region in state.seams.finish() {
            visit_games(source.layout(), &region, visit);
        }
        source.check_unchanged()?;
        Ok(Places::new(&state.lengths))
    }

    /// Gives up on a source that is damaged: the games before that have been visited, but for the one that was torn.
    pub fn abandon(self) -> Places {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(|broken| broken.into_inner());
        Places::new(&state.lengths)
    }

    fn visit_region(&self, region: &Region, visit: &mut impl FnMut(Unread)) {
        visit_games(self.source.layout(), region, visit);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|broken| broken.into_inner())
    }
}

/// Turns places into bytes of the whole text.
#[derive(Debug)]
pub struct Places {
    /// Where each span begins.
    begins: Vec<u64>,
}

impl Places {
    fn new(lengths: &BTreeMap<u64, u64>) -> Places {
        let mut begins = vec![0];
        for (span, (&index, length)) in (0..).zip(lengths) {
            // After a span that was never read nothing is known.
            if index != span {
                break;
            }
            begins.push(begins[begins.len() - 1] + length);
        }
        Places { begins }
    }

    /// How many bytes of the text are before this place.
    pub fn byte(&self, place: Place) -> u64 {
        let begin = self.begins.get(place.span as usize);
        begin.map_or(0, |begin| begin + place.offset)
    }

    /// How long the whole text is.
    pub fn bytes(&self) -> u64 {
        self.begins[self.begins.len() - 1]
    }
}

/// One span on its way into games.
struct Cutter<'c> {
    layout: Layout,
    span: u64,
    text: &'c mut Vec<u8>,
    /// How much of the span was before `text`.
    before: u64,
    /// What is before the first game, once that is found.
    head: Option<Stretch>,
    /// A game that has grown beyond all measure, or what is before the first game and has.
    overflow: Option<Stretch>,
}

impl<'c> Cutter<'c> {
    fn new(layout: Layout, span: u64, text: &'c mut Vec<u8>) -> Cutter<'c> {
        text.clear();
        Cutter {
            layout,
            span,
            text,
            before: 0,
            head: None,
            overflow: None,
        }
    }

    fn length(&self) -> u64 {
        self.before + self.text.len() as u64
    }

    /// Visits the games that are whole, and keeps what is not.
    fn cut(&mut self, visit: &mut impl FnMut(Unread)) {
        let sure = self.text.len().saturating_sub(LOOK_AHEAD);
        if self.head.is_none() {
            let Some(first) = self.layout.next_cut(self.text, LOOK_BACK, sure) else {
                return self.overflow();
            };
            let head = self.take_front(first);
            self.head = Some(head);
        }
        let sure = self.text.len().saturating_sub(LOOK_AHEAD);
        let from = if self.overflow.is_some() {
            LOOK_BACK
        } else {
            1
        };
        let Some(last) = self.layout.last_cut(self.text, from, sure) else {
            return self.overflow();
        };
        if self.overflow.is_some() {
            self.finish_overflow(visit);
        } else {
            games(self.layout, self.place(), &self.text[..last], 0, visit);
            self.drop_front(last);
        }
    }

    /// The first cut of what follows an overflow ends the game that had overflowed.
    fn finish_overflow(&mut self, visit: &mut impl FnMut(Unread)) {
        let sure = self.text.len().saturating_sub(LOOK_AHEAD);
        let Some(first) = self.layout.next_cut(self.text, LOOK_BACK, sure) else {
            return;
        };
        let rest = self.text[..first].to_vec();
        if let Some(mut game) = self.overflow.take() {
            let length = game.bytes.len() as u64 + game.dropped;
            let offset = self.before - length;
            game.extend(&rest);
            let place = Place {
                span: self.span,
                offset,
            };
            games(self.layout, place, &game.bytes, game.dropped, visit);
        }
        self.drop_front(first);
        self.cut(visit);
    }

    /// Moves a text without cuts out of the way when there is too much of it.
    fn overflow(&mut self) {
        if self.text.len() <= LONGEST_GAME {
            return;
        }
        let front = self.text.len() - LOOK_BACK;
        let stretch = self.overflow.get_or_insert_default();
        stretch.extend(&self.text[..front]);
        self.drop_front(front);
    }

    /// What is left is the neighbours' affair.
    fn finish(mut self) -> Edge {
        let length = self.text.len();
        let rest = self.take_front(length);
        match self.head {
            None => Edge::Through(rest),
            Some(head) => Edge::Ends {
                tail_offset: self.before - rest.bytes.len() as u64 - rest.dropped,
                head,
                tail: rest,
            },
        }
    }

    fn place(&self) -> Place {
        Place {
            span: self.span,
            offset: self.before,
        }
    }

    /// What has overflowed and so much of the text.
    fn take_front(&mut self, bytes: usize) -> Stretch {
        let mut stretch = self.overflow.take().unwrap_or_default();
        stretch.extend(&self.text[..bytes]);
        self.drop_front(bytes);
        stretch
    }

    fn drop_front(&mut self, bytes: usize) {
        self.text.drain(..bytes);
        self.before += bytes as u64;
    }
}

fn visit_games(layout: Layout, region: &Region, visit: &mut impl FnMut(Unread)) {
    let place = Place {
        span: region.span,
        offset: region.offset,
    };
    games(
        layout,
        place,
        &region.text.bytes,
        region.text.dropped,
        visit,
    );
}

/// Visits the games of a text that begins with one and ends where one does, `dropped` bytes after it.
fn games(layout: Layout, place: Place, text: &[u8], dropped: u64, visit: &mut impl FnMut(Unread)) {
    let mut at = 0;
    while at < text.len() {
        let (section, end) = section(layout, text, at);
        let movetext = at + section.bytes;
        let is_last = end == text.len();
        let is_overlong = end - at > LONGEST_GAME || is_last && dropped > 0;
        let game = Unread {
            place: Place {
                span: place.span,
                offset: place.offset + at as u64,
            },
            text: &text[at..end],
            tags: section.tags,
            movetext: &text[movetext..end],
            is_overlong,
        };
        if !game.text.iter().all(|&byte| super::cut::is_blank(byte)) {
            visit(game);
        }
        at = end;
    }
}

/// The tags of the game that begins at a place, and where the game ends.
fn section(layout: Layout, text: &[u8], at: usize) -> (Section<'_>, usize) {
    let section = tags::read(&text[at..]);
    let movetext = at + section.bytes;
    let end = match section.is_followed_by_tags {
        true => movetext,
        false => layout
            .next_cut(text, movetext.max(at + 1), text.len())
            .unwrap_or(text.len()),
    };
    if section.is_doubtful
        && let Some(cut) = layout.next_cut(text, at + 1, text.len())
        && cut < end
    {
        return self::section(layout, &text[..cut], at);
    }
    (section, end)
}
