//! Splitting text into games.
//!
//! [`Splitter`] takes the text of one span, chunk by chunk, passes every game that is complete within the span to a
//! visitor and leaves the rest as [`SpanEdges`]. [`visit_games`] does the same for text that is known to consist of
//! whole games.

use super::boundary::{LOOK_AHEAD, LOOK_BACK, TextLayout};
use super::bytes::is_blank;
use super::raw_game::{GameOffset, RawGame};
use super::stitcher::{Fragment, MAX_GAME_BYTES, SpanEdges};
use super::tags::{self, TagSection};

/// The state of splitting one span into games.
pub struct Splitter<'t> {
    layout: TextLayout,
    span: u64,
    /// Text that has been read and not been split yet. The caller appends to it.
    pub text: &'t mut Vec<u8>,
    /// The number of bytes of the span before `text`.
    before: u64,
    /// The text before the first game, once a game has been found.
    head: Option<Fragment>,
    /// The beginning of a game, or of the text before the first one, that is longer than [`MAX_GAME_BYTES`].
    overflow: Option<Fragment>,
}

impl<'t> Splitter<'t> {
    /// A splitter for a span that may begin in the middle of a game. `text` is memory to be reused.
    pub fn new(layout: TextLayout, span: u64, text: &'t mut Vec<u8>) -> Splitter<'t> {
        text.clear();
        Splitter {
            layout,
            span,
            text,
            before: 0,
            head: None,
            overflow: None,
        }
    }

    /// A splitter for a text from its beginning, so that nothing comes before the first game.
    pub fn at_start(layout: TextLayout, text: &'t mut Vec<u8>) -> Splitter<'t> {
        Splitter {
            head: Some(Fragment::default()),
            ..Splitter::new(layout, 0, text)
        }
    }

    /// The number of bytes of the span that have been read.
    pub fn length(&self) -> u64 {
        self.before + self.text.len() as u64
    }

    /// Visits the games that are complete and keeps the rest.
    pub fn split(&mut self, visit: &mut impl FnMut(RawGame)) {
        if self.head.is_none() {
            let Some(first) = self.first_boundary() else {
                return self.move_to_overflow();
            };
            let head = self.take_front(first);
            self.head = Some(head);
        }
        let from = if self.overflow.is_some() {
            LOOK_BACK
        } else {
            1
        };
        let until = self.decided_until();
        let Some(last) = self.layout.last_boundary(self.text, from, until) else {
            return self.move_to_overflow();
        };
        if self.overflow.is_some() {
            self.finish_overflow(visit);
        } else {
            let begin = self.offset(self.before);
            visit_games(self.layout, begin, &self.text[..last], 0, visit);
            self.drop_front(last);
        }
    }

    /// Boundaries after this offset depend on text that has not been read yet.
    fn decided_until(&self) -> usize {
        self.text.len().saturating_sub(LOOK_AHEAD)
    }

    /// The first boundary. It is not searched for in the first bytes of the text, where it would depend on bytes that
    /// are not there.
    fn first_boundary(&self) -> Option<usize> {
        let until = self.decided_until();
        self.layout.next_boundary(self.text, LOOK_BACK, until)
    }

    /// Visits the overlong game, which ends at the first boundary, and goes on splitting after it.
    fn finish_overflow(&mut self, visit: &mut impl FnMut(RawGame)) {
        let Some(first) = self.first_boundary() else {
            return;
        };
        if let Some(mut game) = self.overflow.take() {
            let begin = self.offset(self.before - game.length());
            game.extend(&self.text[..first]);
            visit_games(self.layout, begin, &game.bytes, game.dropped, visit);
        }
        self.drop_front(first);
        self.split(visit);
    }

    /// Moves text without a boundary to the overflow if it is too long to be kept in `text`.
    fn move_to_overflow(&mut self) {
        if self.text.len() <= MAX_GAME_BYTES {
            return;
        }
        let front = self.text.len() - LOOK_BACK;
        let overflow = self.overflow.get_or_insert_default();
        overflow.extend(&self.text[..front]);
        self.drop_front(front);
    }

    /// Returns the text that only the neighbouring spans complete.
    pub fn finish(mut self) -> SpanEdges {
        let length = self.text.len();
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
        fragment.extend(&self.text[..bytes]);
        self.drop_front(bytes);
        fragment
    }

    fn drop_front(&mut self, bytes: usize) {
        self.text.drain(..bytes);
        self.before += bytes as u64;
    }
}

/// Visits the games of a text that begins where a game does and ends where one does, after `dropped` more bytes.
pub fn visit_games(
    layout: TextLayout,
    begin: GameOffset,
    text: &[u8],
    dropped: u64,
    visit: &mut impl FnMut(RawGame),
) {
    let mut at = 0;
    while at < text.len() {
        let (section, end) = tag_section(layout, text, at);
        let movetext = at + section.bytes;
        let is_last = end == text.len();
        let is_overlong = end - at > MAX_GAME_BYTES || is_last && dropped > 0;
        let game = RawGame {
            offset: GameOffset {
                span: begin.span,
                offset: begin.offset + at as u64,
            },
            text: &text[at..end],
            tags: section.tags,
            movetext: &text[movetext..end],
            is_overlong,
        };
        if !game.text.iter().all(|&byte| is_blank(byte)) {
            visit(game);
        }
        at = end;
    }
}

/// The tags of the game that begins at an offset, and where the game ends.
fn tag_section(layout: TextLayout, text: &[u8], at: usize) -> (TagSection<'_>, usize) {
    let section = tags::read(&text[at..]);
    let movetext = at + section.bytes;
    let end = match section.is_followed_by_tags {
        true => movetext,
        false => layout
            .next_boundary(text, movetext.max(at + 1), text.len())
            .unwrap_or(text.len()),
    };
    // A tag value with a quotation mark may contain what the boundary scanner takes for a new game. A thread that
    // starts in the middle of the file sees only the boundary, so the boundary has to win here, too.
    if section.has_inner_quote
        && let Some(boundary) = layout.next_boundary(text, at + 1, text.len())
        && boundary < end
    {
        return tag_section(layout, &text[..boundary], at);
    }
    (section, end)
}
