//! Visiting the games of text that is in memory.
//!
//! [`visit_games`] takes a text that begins with a game and a range of it, with edges anywhere, and visits the games that
//! begin in the range, in place. Ranges of a text can be visited in any order and on any threads: every game is visited
//! once, wherever the edges are.
//!
//! Boundaries cut a text into segments. Most segments are one game; a segment is several if the tags of a second game
//! follow those of the first without a boundary. A segment belongs to the range in which it begins. Of a segment longer
//! than [`MAX_SEGMENT_BYTES`] only that much is read.

use std::ops::Range;

use super::boundary::{LOOK_AHEAD, LOOK_BACK, TextLayout};
use super::bytes::{is_blank, leading_blanks};
use super::raw_game::{GameOffset, RawGame};
use super::tags::{self, TagSection};

/// The length of the longest game that is read. Longer ones are counted and dropped, so that a file which is not PGN
/// cannot exhaust the memory.
pub const MAX_GAME_BYTES: usize = 16 << 20;

/// The most bytes of a segment that are read. It exceeds the limit for games, so that a game which is slightly too long
/// is recognised by its own length.
pub const MAX_SEGMENT_BYTES: usize = MAX_GAME_BYTES + (1 << 15);

/// Text that begins with a game.
#[derive(Clone, Copy)]
pub struct GameText<'t> {
    pub layout: TextLayout,
    /// Where the text begins.
    pub begin: GameOffset,
    pub bytes: &'t [u8],
}

/// Visits the games of all segments that begin in a range of the text.
///
/// The last game may reach beyond the range. A range in which no segment begins is searched to its end only, and at most
/// [`MAX_SEGMENT_BYTES`] behind a range are read, so that a file without games takes no longer than others.
pub fn visit_games(text: GameText, range: Range<usize>, visit: &mut impl FnMut(RawGame)) {
    let length = text.bytes.len();
    let next_segment = |from| next_boundary_before(text.layout, text.bytes, from, range.end);
    let mut segment = match range.start {
        0 => text.first_segment(range.end),
        start => next_segment(start),
    };
    let mut at = 0;
    while let Some(start) = segment {
        at = at.max(start);
        let limit = length.min(start + MAX_SEGMENT_BYTES);
        let decisive = length.min(limit + LOOK_BACK + LOOK_AHEAD);
        let (section, end) = tag_section(text.layout, &text.bytes[..decisive], at);
        let is_segment_end = !section.is_followed_by_tags || text.has_boundary(end);
        if end > limit || end == limit && limit < length && !is_segment_end {
            text.visit_truncated(start, at..limit, visit);
            segment = next_segment(limit);
            continue;
        }
        text.visit_game(&section, at..end, false, visit);
        at = end;
        if end == length {
            return;
        }
        if is_segment_end {
            segment = Some(end).filter(|&end| end < range.end);
        }
    }
}

impl GameText<'_> {
    /// The first segment of the text, unless another range has it. It need not begin at a boundary.
    fn first_segment(&self, end: usize) -> Option<usize> {
        let first = leading_blanks(self.bytes);
        let is_here = first < end || !self.has_boundary(first);
        (first < self.bytes.len() && is_here).then_some(first)
    }

    /// Visits the games in the last part of a segment that is longer than what is read of it. The last game is overlong.
    fn visit_truncated(&self, segment: usize, part: Range<usize>, visit: &mut impl FnMut(RawGame)) {
        let mut at = part.start - segment;
        let kept = &self.bytes[segment..part.end];
        while at < kept.len() {
            let (section, end) = tag_section(self.layout, kept, at);
            let game = segment + at..segment + end;
            self.visit_game(&section, game, end == kept.len(), visit);
            at = end;
        }
    }

    fn visit_game(
        &self,
        section: &TagSection,
        game: Range<usize>,
        is_truncated: bool,
        visit: &mut impl FnMut(RawGame),
    ) {
        let movetext = game.start + section.bytes;
        let game = RawGame {
            offset: GameOffset {
                span: self.begin.span,
                offset: self.begin.offset + game.start as u64,
            },
            text: &self.bytes[game.clone()],
            tags: section.tags,
            movetext: &self.bytes[movetext..game.end],
            is_overlong: is_truncated || game.len() > MAX_GAME_BYTES,
        };
        if !game.text.iter().all(|&byte| is_blank(byte)) {
            visit(game);
        }
    }

    fn has_boundary(&self, at: usize) -> bool {
        // Only a boundary in the middle of a line is shown by a later one.
        let is_line = at > 0 && matches!(self.bytes[at - 1], b'\n' | b'\r');
        let until = at + if is_line { 1 } else { LOOK_BACK };
        self.layout.next_boundary(self.bytes, at, until) == Some(at)
    }
}

/// The tags of the game that begins at an offset, and where the game ends. Unless the tags of another game follow, the
/// end is a boundary or the end of the text.
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
        && let Some(boundary) = next_boundary_before(layout, text, at + 1, end)
    {
        return tag_section(layout, &text[..boundary], at);
    }
    (section, end)
}

/// The first boundary at `from` or later and before `end`.
fn next_boundary_before(layout: TextLayout, text: &[u8], from: usize, end: usize) -> Option<usize> {
    // A boundary may be shown by a line after it.
    let boundary = layout.next_boundary(text, from, end.saturating_add(LOOK_BACK));
    boundary.filter(|&boundary| boundary < end)
}
