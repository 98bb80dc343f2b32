//! Splitting text into games.
//!
//! [`Splitter`] takes the text of one span, chunk by chunk, passes every game that is complete within the span to a
//! visitor and leaves the rest as [`SpanEdges`]. [`split_span`] does the same for a span that is in memory as a whole.

use super::boundary::{LOOK_AHEAD, LOOK_BACK, TextLayout};
use super::buffer::Buffer;
use super::raw_game::{GameOffset, RawGame};
use super::stitcher::{Fragment, SpanEdges};
use super::visit::{GameText, MAX_GAME_BYTES, visit_games};

/// Visits the games that are complete within a span that is in memory as a whole, in place.
pub fn split_span(
    layout: TextLayout,
    span: u64,
    text: &[u8],
    visit: &mut impl FnMut(RawGame),
) -> SpanEdges {
    // Boundaries outside of these depend on the neighbouring spans.
    let (from, until) = (LOOK_BACK, text.len().saturating_sub(LOOK_AHEAD));
    let fragment = |bytes: &[u8]| {
        let mut fragment = Fragment::default();
        fragment.extend(bytes);
        fragment
    };
    let Some(first) = layout.next_boundary(text, from, until) else {
        return SpanEdges::Continuation(fragment(text));
    };
    let last = layout.last_boundary(text, first, until).unwrap_or(first);
    let games = GameText {
        layout,
        begin: GameOffset {
            span,
            offset: first as u64,
        },
        bytes: &text[first..last],
    };
    visit_games(games, 0..last - first, visit);
    SpanEdges::Split {
        head: fragment(&text[..first]),
        tail: fragment(&text[last..]),
        tail_offset: last as u64,
    }
}

/// The state of splitting one span into games.
pub struct Splitter<'t> {
    layout: TextLayout,
    span: u64,
    /// Text that has been read and not been split yet. The caller appends to it.
    pub text: &'t mut Buffer,
    /// The number of bytes of the span before `text`.
    before: u64,
    /// No boundary of `text` is before this offset. It is [`LOOK_BACK`] at the start of a span that may begin anywhere:
    /// a boundary before that depends on bytes that are not there.
    searched: usize,
    /// The text before the first game, once a game has been found.
    head: Option<Fragment>,
    /// The beginning of a game, or of the text before the first one, that is longer than [`MAX_GAME_BYTES`].
    overflow: Option<Fragment>,
}

impl<'t> Splitter<'t> {
    /// A splitter for a span that may begin in the middle of a game. `text` is memory to be reused.
    pub fn new(layout: TextLayout, span: u64, text: &'t mut Buffer) -> Splitter<'t> {
        text.clear();
        Splitter {
            layout,
            span,
            text,
            before: 0,
            searched: LOOK_BACK,
            head: None,
            overflow: None,
        }
    }

    /// A splitter for a text from its beginning, so that nothing comes before the first game.
    pub fn at_start(layout: TextLayout, text: &'t mut Buffer) -> Splitter<'t> {
        Splitter {
            searched: 1,
            head: Some(Fragment::default()),
            ..Splitter::new(layout, 0, text)
        }
    }

    /// The number of bytes of the span that have been read.
    pub fn length(&self) -> u64 {
        self.before + self.text.text().len() as u64
    }

    /// Visits the games that are complete and keeps the rest.
    pub fn split(&mut self, visit: &mut impl FnMut(RawGame)) {
        if self.head.is_none() || self.overflow.is_some() {
            let until = self.decided_until();
            let Some(first) = self
                .layout
                .next_boundary(self.text.text(), self.searched, until)
            else {
                return self.keep_all(until);
            };
            let begin = self.offset(self.before);
            let front = self.take_front(first);
            if self.head.is_none() {
                self.head = Some(front);
            } else {
                let begin = GameOffset {
                    offset: begin.offset + first as u64 - front.length(),
                    ..begin
                };
                front.visit_games(self.layout, begin, visit);
            }
        }
        let until = self.decided_until();
        if let Some(last) = self
            .layout
            .last_boundary(self.text.text(), self.searched, until)
        {
            let games = GameText {
                layout: self.layout,
                begin: self.offset(self.before),
                bytes: &self.text.text()[..last],
            };
            visit_games(games, 0..last, visit);
            self.drop_front(last);
        }
        self.keep_all(self.decided_until());
    }

    /// Boundaries after this offset depend on text that has not been read yet.
    fn decided_until(&self) -> usize {
        self.text.text().len().saturating_sub(LOOK_AHEAD)
    }

    /// Keeps a text in which no boundary was found up to an offset. A boundary may be shown by a line after it, so the
    /// last bytes are searched again. What is too long to be kept in `text` is moved to the overflow.
    fn keep_all(&mut self, until: usize) {
        self.searched = self.searched.max(until.saturating_sub(LOOK_BACK));
        if self.text.text().len() > MAX_GAME_BYTES {
            let front = self.searched.saturating_sub(LOOK_BACK);
            let overflow = self.overflow.get_or_insert_default();
            overflow.extend(&self.text.text()[..front]);
            self.text.drop_front(front);
            self.before += front as u64;
            self.searched -= front;
        }
    }

    /// Returns the text that only the neighbouring spans complete.
    pub fn finish(mut self) -> SpanEdges {
        let length = self.text.text().len();
        let rest = self.take_front(length);
        match self.head {
            None => SpanEdges::Continuation(rest),
            Some(head) => SpanEdges::Split {
                tail_offset: self.before - rest.length(),
                head,
                tail: rest,
            },
        }
    }

    fn offset(&self, offset: u64) -> GameOffset {
        GameOffset {
            span: self.span,
            offset,
        }
    }

    /// Removes the overflow and this many bytes of the text.
    fn take_front(&mut self, bytes: usize) -> Fragment {
        let mut fragment = self.overflow.take().unwrap_or_default();
        fragment.extend(&self.text.text()[..bytes]);
        self.drop_front(bytes);
        fragment
    }

    /// Removes this many bytes. The text begins with a game then.
    fn drop_front(&mut self, bytes: usize) {
        self.text.drop_front(bytes);
        self.before += bytes as u64;
        self.searched = 1;
    }
}
