//! Game boundaries: where one game ends and the next begins.
//!
//! The functions here take text from anywhere in a file and return the offsets at which games begin. Each boundary is
//! decided by the few hundred bytes around it ([`LOOK_BACK`] and [`LOOK_AHEAD`]) and by nothing else, so that a thread
//! which starts in the middle of a file finds the same games as one that reads it from its beginning. For the same
//! reason a comment that is never closed ends with its game and swallows no other.
//!
//! A PGN game is a tag section followed by movetext, so a tag line after anything that is not a tag line begins a game.
//! Two tag lines belong to the same game, with one exception: games without movetext. They are separated by a blank
//! line and begin with `[Event "`, the first tag of the standard's Seven Tag Roster. Remarks between tags, which are
//! lines that begin with `%` or `;`, do not separate them. A file that begins with moves may hold games without tags;
//! there each line after a result begins a game, too.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::bytes::{BYTE_ORDER_MARK, is_blank, trailing_blanks};
use super::movetext::begins_with_moves;
use super::result::standard_result;

/// The number of bytes before an offset that decide whether a game begins there: the remarks before the tag line, the
/// white space around them, the tag on the line before, the spaces before that tag, and a result.
pub const LOOK_BACK: usize =
    3 * MAX_GAP_BYTES + MAX_REMARK_BYTES + MAX_TAG_BYTES + MAX_RESULT_BYTES;

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

/// How far back remarks between two tag lines are searched for. A tag line after longer remarks begins a game.
const MAX_REMARK_BYTES: usize = 512;

/// The longest result and the byte before it. Each character of `½–½` has up to three bytes.
const MAX_RESULT_BYTES: usize = 16;

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
    /// The file begins with moves. Lines may end in either way.
    WithoutTags,
}

impl TextLayout {
    /// The layout of a file that begins with `head`.
    ///
    /// The first token decides whether there are tags: where it is a move or a result, there are none. Anything else
    /// is text before the first tag. A head of [`HEAD_BYTES`] that holds carriage returns but no line feed has no other
    /// line ends.
    pub fn of(head: &[u8]) -> TextLayout {
        let head = &head[..head.len().min(HEAD_BYTES)];
        let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        let first = text.iter().find(|&&byte| !is_blank(byte));
        if first.is_some_and(|&byte| byte != b'[') && begins_with_moves(text) {
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
            TextLayout::LineFeeds => next_tag_boundary(text, from, until, &AFTER_LINE_FEED),
            TextLayout::CarriageReturns => next_tag_boundary(text, from, until, &AFTER_RETURN),
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

/// A tag at the beginning of a line. Built once, as every game is searched for the next.
static AFTER_LINE_FEED: LazyLock<Finder> = LazyLock::new(|| Finder::new("\n["));
static AFTER_RETURN: LazyLock<Finder> = LazyLock::new(|| Finder::new("\r["));

fn next_tag_boundary(text: &[u8], from: usize, until: usize, tag_line: &Finder) -> Option<usize> {
    let end = until.min(text.len());
    // The line end of a line that begins at `from` is one byte earlier.
    let mut at = from.saturating_sub(1);
    while let Some(found) = tag_line.find(text.get(at..end)?) {
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
        &byte if is_blank(byte) || is_remark(byte) => None,
        _ => ends_in_any_result(&text[..before_remarks(text, line).end]).then_some(line),
    }
}

/// The boundary that a tag line shows: at this line, or at a tag on the line before it.
pub fn boundary_at_line(text: &[u8], line: usize) -> Option<usize> {
    let name = tag_name(&text[line..])?;
    let gap = gap_start(text, line);
    if ends_in_tag(&text[..gap]) {
        let has_blank_line = line_ends(&text[gap..line]) > 1;
        return boundary_after_tag(&text[..gap], name, line, has_blank_line);
    }
    // Within a tag section each tag line follows another, so a tag line after anything else begins a section. Nearly
    // every game ends with a result, and then there are no remarks to be searched for.
    if ends_in_result(&text[..gap]) {
        return Some(line);
    }
    let remarks = before_remarks(text, line);
    let before = &text[..remarks.end];
    match ends_in_tag(before) {
        true => boundary_after_tag(before, name, line, remarks.has_blank_line),
        false => Some(line),
    }
}

/// The boundary that a tag line shows if the text before it ends with a tag.
fn boundary_after_tag(
    before: &[u8],
    name: &[u8],
    line: usize,
    has_blank_line: bool,
) -> Option<usize> {
    // A blank line inside a tag section occurs; one before `Event` separates two games without movetext.
    if name == b"Event" && has_blank_line {
        return Some(line);
    }
    tag_after_result(before)
}

/// The end of the text before a line, without the remarks between them.
struct BeforeRemarks {
    end: usize,
    /// Whether a blank line lies between that end and the line.
    has_blank_line: bool,
}

/// Whether a line that begins with this byte is a remark: an escaped line or a comment.
pub fn is_remark(byte: u8) -> bool {
    matches!(byte, b'%' | b';')
}

/// Skips the remarks before a line, backwards: whole lines, and a comment behind a tag on the same line.
#[cold]
fn before_remarks(text: &[u8], line: usize) -> BeforeRemarks {
    let floor = line.saturating_sub(MAX_REMARK_BYTES);
    let mut end = gap_start(text, line);
    let mut has_blank_line = line_ends(&text[end..line]) > 1;
    while end > floor {
        let begin = match memchr::memrchr2(b'\n', b'\r', &text[floor..end]) {
            Some(at) => floor + at + 1,
            None if floor == 0 => 0,
            None => break,
        };
        if !is_remark(text[begin]) {
            end = begin + before_comment(&text[begin..end]);
            break;
        }
        end = gap_start(text, begin);
        has_blank_line |= line_ends(&text[end..begin]) > 1;
    }
    BeforeRemarks {
        end,
        has_blank_line,
    }
}

/// The length of a line without the comment behind its tag, `[White "Ann"] ; by mail`; its whole length if it has none.
fn before_comment(line: &[u8]) -> usize {
    let closed = tag_name(line).and_then(|_| memmem::find(line, b"\"]"));
    let Some(closed) = closed.map(|at| at + 2) else {
        return line.len();
    };
    let rest = &line[closed..];
    let blanks = rest.iter().take_while(|&&byte| is_blank(byte)).count();
    match rest.get(blanks) {
        Some(b';') => closed,
        _ => line.len(),
    }
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

/// Whether a text ends with a result in any spelling.
fn ends_in_any_result(text: &[u8]) -> bool {
    let floor = text.len().saturating_sub(MAX_RESULT_BYTES);
    let last = &text[floor..];
    let word = last.iter().rev();
    let word = word.take_while(|&&byte| !is_blank(byte) && byte != b'}');
    standard_result(&last[last.len() - word.count()..]).is_some()
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
