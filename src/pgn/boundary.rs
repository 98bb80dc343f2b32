//! Game boundaries: where one game ends and the next begins.
//!
//! The functions here take text from anywhere in a file and return the offsets at which games begin. Each boundary is
//! decided by the few hundred bytes around it ([`LOOK_BACK`] and [`LOOK_AHEAD`]) and by nothing else, so that a thread
//! which starts in the middle of a file finds the same games as one that reads it from its beginning. For the same
//! reason a comment that is never closed ends with its game and swallows no other.
//!
//! A PGN game is a tag section followed by movetext, so a tag line after anything that is not a tag line begins a game.
//! Two tag lines belong to the same game, with one exception: games without movetext. They are separated by a blank
//! line and begin with `[Event "`, the first tag of the standard's Seven Tag Roster. A file that begins without tags
//! may hold games without any; there each line after a result begins a game, too.

use memchr::memmem;

use super::bytes::{BYTE_ORDER_MARK, is_blank, trailing_blanks};

/// The number of bytes before an offset that decide whether a game begins there: the white space before the tag line,
/// the tag on the line before it, the spaces before that tag, and a result.
pub const LOOK_BACK: usize = 2 * MAX_GAP_BYTES + MAX_TAG_BYTES + 8;

/// The number of bytes after an offset that decide whether a game begins there: a tag name and its quotation mark.
pub const LOOK_AHEAD: usize = MAX_NAME_BYTES + 8;

/// The number of bytes at the beginning of a file from which its layout is recognised.
pub const HEAD_BYTES: usize = 1 << 16;

/// A tag line after more white space than this begins a game, whatever comes before. Tag sections do not contain such
/// gaps, and the limit bounds [`LOOK_BACK`].
const MAX_GAP_BYTES: usize = 64;

/// How far back a tag in the middle of a line is searched for. A longer tag there does not begin a game: such a line is
/// rare already, and the limit bounds [`LOOK_BACK`].
const MAX_TAG_BYTES: usize = 512;

/// The longest tag name. The standard allows up to 255 characters; names in use have at most about twenty.
const MAX_NAME_BYTES: usize = 64;

/// How the lines of a file end, and whether its games have tags. Decided once per file, so that the scanner searches
/// for a single pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLayout {
    /// Lines end in a line feed, with or without a carriage return before it.
    LineFeeds,
    /// Lines end in a carriage return alone.
    CarriageReturns,
    /// The file begins without tags. Lines may end in either way.
    WithoutTags,
}

impl TextLayout {
    /// The layout of a file that begins with `head`.
    ///
    /// The first character decides whether there are tags: in a file with tags it is the `[` of the first one. A head
    /// of [`HEAD_BYTES`] that holds carriage returns but no line feed has no other line ends.
    pub fn of(head: &[u8]) -> TextLayout {
        let head = &head[..head.len().min(HEAD_BYTES)];
        let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        let first = text.iter().find(|&&byte| !is_blank(byte));
        if first.is_some_and(|&byte| byte != b'[') {
            TextLayout::WithoutTags
        } else if memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some() {
            TextLayout::CarriageReturns
        } else {
            TextLayout::LineFeeds
        }
    }

    /// The first boundary at `from` or later, searching up to `until`.
    pub fn next_boundary(self, text: &[u8], from: usize, until: usize) -> Option<usize> {
        match self {
            TextLayout::LineFeeds => next_tag_boundary(text, from, until, b"\n["),
            TextLayout::CarriageReturns => next_tag_boundary(text, from, until, b"\r["),
            TextLayout::WithoutTags => next_line_boundary(text, from, until),
        }
    }

    /// The last boundary at `from` or later, searching back from `until`.
    pub fn last_boundary(self, text: &[u8], from: usize, until: usize) -> Option<usize> {
        let needle: &[u8] = match self {
            TextLayout::LineFeeds => b"\n[",
            TextLayout::CarriageReturns => b"\r[",
            TextLayout::WithoutTags => return last_line_boundary(text, from, until),
        };
        let mut end = until.min(text.len());
        while let Some(at) = memmem::rfind(text.get(from..end)?, needle) {
            let line = from + at + 1;
            if let Some(boundary) = boundary_at_line(text, line).filter(|&at| at >= from) {
                return Some(boundary);
            }
            // Two matches of the needle cannot overlap, so the previous one ends before this one begins.
            end = from + at + 1;
        }
        None
    }
}

fn next_tag_boundary(text: &[u8], from: usize, until: usize, needle: &[u8]) -> Option<usize> {
    let end = until.min(text.len());
    // The line end of a line that begins at `from` is one byte earlier.
    let mut at = from.saturating_sub(1);
    while let Some(found) = memmem::find(text.get(at..end)?, needle) {
        let line = at + found + 1;
        if let Some(boundary) = boundary_at_line(text, line).filter(|&at| at >= from) {
            return Some(boundary);
        }
        at = line;
    }
    None
}

fn next_line_boundary(text: &[u8], from: usize, until: usize) -> Option<usize> {
    let end = until.min(text.len());
    let start = from.saturating_sub(1);
    memchr::memchr2_iter(b'\n', b'\r', text.get(start..end)?)
        .find_map(|at| boundary_without_tags(text, start + at + 1).filter(|&at| at >= from))
}

fn last_line_boundary(text: &[u8], from: usize, until: usize) -> Option<usize> {
    let end = until.min(text.len());
    let start = from.saturating_sub(1);
    memchr::memrchr2_iter(b'\n', b'\r', text.get(start..end)?)
        .find_map(|at| boundary_without_tags(text, start + at + 1).filter(|&at| at >= from))
}

/// The boundary at a line of a file that begins without tags. Movetext ends with a result, so the text after a result
/// is the next game.
fn boundary_without_tags(text: &[u8], line: usize) -> Option<usize> {
    match text.get(line)? {
        b'[' => boundary_at_line(text, line),
        &byte if is_blank(byte) => None,
        _ => ends_in_result(&text[..gap_start(text, line)]).then_some(line),
    }
}

/// The boundary that a tag line shows: at this line, or at a tag on the line before it.
pub fn boundary_at_line(text: &[u8], line: usize) -> Option<usize> {
    let name = tag_name(&text[line..])?;
    let gap = gap_start(text, line);
    let before = &text[..gap];
    // Within a tag section each tag line follows another, so a tag line after anything else begins a section.
    if !ends_in_tag(before) {
        return Some(line);
    }
    // A blank line inside a tag section occurs; one before `Event` separates two games without movetext.
    let is_after_blank_line = line_ends(&text[gap..line]) > 1;
    if name == b"Event" && is_after_blank_line {
        return Some(line);
    }
    tag_after_result(before)
}

/// The start of the tag at the end of the text, if it follows a result or a byte order mark on the same line.
///
/// Such a tag begins a game: a result ends the game before it, and a byte order mark is the first byte of a file that
/// was appended to another. The scanner only looks at lines that begin with `[`, so it finds this tag from the line
/// after it.
fn tag_after_result(text: &[u8]) -> Option<usize> {
    let floor = text.len().saturating_sub(MAX_TAG_BYTES);
    let at = floor + memchr::memrchr(b'[', &text[floor..])?;
    tag_name(&text[at..])?;
    let before = &text[..at];
    if before.ends_with(BYTE_ORDER_MARK) {
        return Some(at - BYTE_ORDER_MARK.len());
    }
    let spaces = before
        .iter()
        .rev()
        .take_while(|byte| **byte == b' ')
        .count();
    ends_in_result(&before[..at - spaces]).then_some(at)
}

/// The start of the white space before an offset.
fn gap_start(text: &[u8], at: usize) -> usize {
    let floor = at.saturating_sub(MAX_GAP_BYTES);
    at - trailing_blanks(&text[floor..at])
}

/// The number of line ends in white space, whichever of the three styles it uses.
fn line_ends(gap: &[u8]) -> usize {
    let count = |byte| memchr::memchr_iter(byte, gap).count();
    count(b'\n').max(count(b'\r'))
}

/// The name of the tag that the text begins with. A name, a blank and a quotation mark must follow the bracket, so
/// that commands in comments such as `[%clk 0:01]` are not tags.
pub fn tag_name(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"[")?;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = text.iter().take(MAX_NAME_BYTES).take_while(is_name).count();
    let (name, rest) = text.split_at(length);
    let gap = rest
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    (length > 0 && gap > 0 && rest.get(gap) == Some(&b'"')).then_some(name)
}

/// Whether a text ends with a tag. A quotation mark before the closing bracket is sufficient: movetext ends with a
/// result, a move or the `}` of a comment.
fn ends_in_tag(text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b"]") else {
        return false;
    };
    let value = text
        .iter()
        .rev()
        .take(MAX_GAP_BYTES)
        .find(|byte| **byte != b' ');
    value == Some(&b'"')
}

/// Whether a text ends with a result that is a token of its own. `1/2` is an abbreviation that some programs write.
fn ends_in_result(text: &[u8]) -> bool {
    let results: [&[u8]; 5] = [b"1-0", b"0-1", b"1/2-1/2", b"1/2", b"*"];
    results.iter().any(|result| {
        let rest = text.strip_suffix(*result);
        rest.is_some_and(|rest| {
            rest.last()
                .is_none_or(|&byte| is_blank(byte) || byte == b'}')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundaries(text: &[u8]) -> Vec<usize> {
        let layout = TextLayout::of(text);
        let mut boundaries = Vec::new();
        let mut from = 1;
        while let Some(boundary) = layout.next_boundary(text, from, text.len()) {
            boundaries.push(boundary);
            from = boundary + 1;
        }
        boundaries
    }

    /// The text from each boundary to the end.
    fn later_games(text: &str) -> Vec<&str> {
        let starts = boundaries(text.as_bytes());
        starts.into_iter().map(|start| &text[start..]).collect()
    }

    #[test]
    fn a_tag_line_after_anything_but_a_tag_begins_a_game() {
        let two = "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 { [%clk 1] }\n[%x \"] 1-0\n\n";
        for next in [
            "[Event \"c\"]\n[Site \"d\"]\n\n1. d4 *\n",
            "[White \"c\"]\n[Event \"d\"]\n\n*\n",
        ] {
            let text = format!("{two}{next}");
            assert_eq!(later_games(&text), [next]);
            let crlf = text.replace('\n', "\r\n");
            assert_eq!(later_games(&crlf), [next.replace('\n', "\r\n")]);
            let cr = text.replace('\n', "\r");
            assert_eq!(later_games(&cr), [next.replace('\n', "\r")]);
        }
    }

    #[test]
    fn games_are_separated_without_a_blank_line_or_a_line_end() {
        let text =
            "[Event \"a\"]\n1. e4 1-0\n[Event \"b\"]\n1. d4 1/2-1/2 [Event \"c\"]\n[Site \"?\"]\n*";
        assert_eq!(
            later_games(text),
            [&text[22..], "[Event \"c\"]\n[Site \"?\"]\n*"]
        );
        let text = "[Event \"a\"]\n\n1. e4 *\n\n\u{feff}[Event \"b\"]\n[Site \"c\"]\n\n*\n";
        assert_eq!(
            later_games(text),
            ["\u{feff}[Event \"b\"]\n[Site \"c\"]\n\n*\n"]
        );
    }

    #[test]
    fn games_without_movetext_are_separated_at_the_event_tag() {
        let game = "[Event \"a\"]\n[Site \"b\"]\n\n";
        let text = game.repeat(3);
        assert_eq!(boundaries(text.as_bytes()), [game.len(), 2 * game.len()]);
    }

    #[test]
    fn games_without_tags_begin_after_a_result() {
        let text = "1. e4 e5 1-0\n\n1. d4 d5\n2. c4 1/2-1/2\n1. c4 *\n[Event \"x\"]\n\n1. e4 *";
        let starts = boundaries(text.as_bytes());
        let games: Vec<&str> = starts
            .iter()
            .map(|&start| &text[start..start + 5])
            .collect();
        assert_eq!(games, ["1. d4", "1. c4", "[Even"]);
    }

    #[test]
    fn the_last_boundary_is_the_last_of_all_boundaries() {
        let text = include_bytes!("../../data/pgn/fics.pgn");
        let all = boundaries(text);
        assert_eq!(all.len(), 11);
        for until in (0..text.len()).step_by(97) {
            let expected = all.iter().rev().find(|&&start| start + 1 < until).copied();
            let found = TextLayout::LineFeeds.last_boundary(text, 1, until);
            assert_eq!(found, expected, "{until}");
        }
    }
}
