//! Where one game ends and the next begins.
//!
//! In walks text from anywhere in a file; out walk the places at which a game begins. Each is told from the few hundred
//! bytes around it and from nothing else, so that a thread which starts in the middle of a file finds the same
//! games as one that has read it from its beginning. A comment that is never closed therefore ends with its game
//! and swallows no other.
//!
//! A game begins with the first line of its tags: a line `[Name "` after something that is not such a line, or
//! `[Event "` after a blank line, as games that have tags and nothing else stand one after the other. A file that begins
//! without tags may hold games without any; there each line after a result begins one, too.

use memchr::memmem;

/// How far before a place one has to look to tell whether a game begins there.
pub const LOOK_BACK: usize = 2 * LONGEST_GAP + LONGEST_TAG + 8;

/// How far after it.
pub const LOOK_AHEAD: usize = LONGEST_NAME + 8;

/// How much of a file tells its layout.
pub const HEAD_BYTES: usize = 1 << 16;

/// Blank space beyond this parts what is before it from what is after it, whatever it is.
const LONGEST_GAP: usize = 64;

/// A tag that stands in the middle of a line is looked for this far.
const LONGEST_TAG: usize = 512;
const LONGEST_NAME: usize = 64;

pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How the lines of a file end, and whether its games have tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Lines end in a line feed, with a carriage return before it or not.
    Lines,
    /// Lines end in a carriage return alone.
    ReturnsOnly,
    /// The file begins without tags.
    Bare,
}

impl Layout {
    /// The layout of a file that begins like this.
    pub fn of(head: &[u8]) -> Layout {
        let head = &head[..head.len().min(HEAD_BYTES)];
        let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        let first = text.iter().find(|&&byte| !is_blank(byte));
        if first.is_some_and(|&byte| byte != b'[') {
            Layout::Bare
        } else if memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some() {
            Layout::ReturnsOnly
        } else {
            Layout::Lines
        }
    }

    /// The first game that begins at `from` or later and is not in doubt before `until`.
    pub fn next_cut(self, text: &[u8], from: usize, until: usize) -> Option<usize> {
        match self {
            Layout::Lines => next_after(text, from, until, b"\n["),
            Layout::ReturnsOnly => next_after(text, from, until, b"\r["),
            Layout::Bare => next_line(text, from, until),
        }
    }

    /// The last game that begins at `from` or later and is not in doubt before `until`.
    pub fn last_cut(self, text: &[u8], from: usize, until: usize) -> Option<usize> {
        let needle: &[u8] = match self {
            Layout::Lines => b"\n[",
            Layout::ReturnsOnly => b"\r[",
            Layout::Bare => return last_line(text, from, until),
        };
        let mut end = until.min(text.len());
        while let Some(at) = memmem::rfind(text.get(from..end)?, needle) {
            let line = from + at + 1;
            if let Some(cut) = cut_near(text, line).filter(|&cut| cut >= from) {
                return Some(cut);
            }
            // The needle may overlap itself by nothing, so the next one ends before this one begins.
            end = from + at + 1;
        }
        None
    }
}

fn next_after(text: &[u8], from: usize, until: usize, needle: &[u8]) -> Option<usize> {
    let end = until.min(text.len());
    // A line that begins exactly here has its line end just before.
    let mut at = from.saturating_sub(1);
    while let Some(found) = memmem::find(text.get(at..end)?, needle) {
        let line = at + found + 1;
        if let Some(cut) = cut_near(text, line).filter(|&cut| cut >= from) {
            return Some(cut);
        }
        at = line;
    }
    None
}

fn next_line(text: &[u8], from: usize, until: usize) -> Option<usize> {
    let end = until.min(text.len());
    let start = from.saturating_sub(1);
    memchr::memchr2_iter(b'\n', b'\r', text.get(start..end)?)
        .find_map(|at| bare_cut(text, start + at + 1).filter(|&cut| cut >= from))
}

fn last_line(text: &[u8], from: usize, until: usize) -> Option<usize> {
    let end = until.min(text.len());
    let start = from.saturating_sub(1);
    memchr::memrchr2_iter(b'\n', b'\r', text.get(start..end)?)
        .find_map(|at| bare_cut(text, start + at + 1).filter(|&cut| cut >= from))
}

fn bare_cut(text: &[u8], line: usize) -> Option<usize> {
    match text.get(line)? {
        b'[' => cut_near(text, line),
        &byte if is_blank(byte) => None,
        _ => ends_in_result(&text[..gap_before(text, line)]).then_some(line),
    }
}

/// The game that begins with this line, or with the end of the line before it.
pub fn cut_near(text: &[u8], line: usize) -> Option<usize> {
    let name = tag_name(&text[line..])?;
    let gap = gap_before(text, line);
    let before = &text[..gap];
    if !ends_in_tag(before) {
        return Some(line);
    }
    let is_after_blank_line = line_ends(&text[gap..line]) > 1;
    if name == b"Event" && is_after_blank_line {
        return Some(line);
    }
    glued_tag(before)
}

/// A tag at the end of the text that follows a result or a byte order mark and not a line end.
fn glued_tag(text: &[u8]) -> Option<usize> {
    let floor = text.len().saturating_sub(LONGEST_TAG);
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

/// Where the blank space before a place begins.
fn gap_before(text: &[u8], at: usize) -> usize {
    let floor = at.saturating_sub(LONGEST_GAP);
    let gap = text[floor..at]
        .iter()
        .rev()
        .take_while(|&&byte| is_blank(byte));
    at - gap.count()
}

fn line_ends(gap: &[u8]) -> usize {
    let count = |byte| memchr::memchr_iter(byte, gap).count();
    count(b'\n').max(count(b'\r'))
}

/// The name of the tag that the text begins with.
pub fn tag_name(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"[")?;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = text.iter().take(LONGEST_NAME).take_while(is_name).count();
    let (name, rest) = text.split_at(length);
    let gap = rest
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    (length > 0 && gap > 0 && rest.get(gap) == Some(&b'"')).then_some(name)
}

fn ends_in_tag(text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b"]") else {
        return false;
    };
    let value = text
        .iter()
        .rev()
        .take(LONGEST_GAP)
        .find(|byte| **byte != b' ');
    value == Some(&b'"')
}

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

pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' | 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(text: &[u8]) -> Vec<usize> {
        let layout = Layout::of(text);
        let mut cuts = Vec::new();
        let mut from = 1;
        while let Some(cut) = layout.next_cut(text, from, text.len()) {
            cuts.push(cut);
            from = cut + 1;
        }
        cuts
    }

    fn second_games(text: &str) -> Vec<&str> {
        let starts = cuts(text.as_bytes());
        starts.into_iter().map(|cut| &text[cut..]).collect()
    }

    #[test]
    fn a_game_begins_where_tags_follow_something_else() {
        let two = "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 { [%clk 1] }\n[%x \"] 1-0\n\n";
        for next in [
            "[Event \"c\"]\n[Site \"d\"]\n\n1. d4 *\n",
            "[White \"c\"]\n[Event \"d\"]\n\n*\n",
        ] {
            let text = format!("{two}{next}");
            assert_eq!(second_games(&text), [next]);
            let crlf = text.replace('\n', "\r\n");
            assert_eq!(second_games(&crlf), [next.replace('\n', "\r\n")]);
            let cr = text.replace('\n', "\r");
            assert_eq!(second_games(&cr), [next.replace('\n', "\r")]);
        }
    }

    #[test]
    fn games_without_a_blank_line_or_a_line_end_between_them_are_two() {
        let text =
            "[Event \"a\"]\n1. e4 1-0\n[Event \"b\"]\n1. d4 1/2-1/2 [Event \"c\"]\n[Site \"?\"]\n*";
        assert_eq!(
            second_games(text),
            [&text[22..], "[Event \"c\"]\n[Site \"?\"]\n*"]
        );
        let text = "[Event \"a\"]\n\n1. e4 *\n\n\u{feff}[Event \"b\"]\n[Site \"c\"]\n\n*\n";
        assert_eq!(
            second_games(text),
            ["\u{feff}[Event \"b\"]\n[Site \"c\"]\n\n*\n"]
        );
    }

    #[test]
    fn games_of_tags_alone_are_told_apart_by_their_event() {
        let game = "[Event \"a\"]\n[Site \"b\"]\n\n";
        let text = game.repeat(3);
        assert_eq!(cuts(text.as_bytes()), [game.len(), 2 * game.len()]);
    }

    #[test]
    fn games_without_tags_begin_after_a_result() {
        let text = "1. e4 e5 1-0\n\n1. d4 d5\n2. c4 1/2-1/2\n1. c4 *\n[Event \"x\"]\n\n1. e4 *";
        let starts = cuts(text.as_bytes());
        let games: Vec<&str> = starts.iter().map(|&cut| &text[cut..cut + 5]).collect();
        assert_eq!(games, ["1. d4", "1. c4", "[Even"]);
    }

    #[test]
    fn the_last_cut_is_the_last_of_all_cuts() {
        let text = include_bytes!("../../data/pgn/fics.pgn");
        let all = cuts(text);
        assert_eq!(all.len(), 11);
        for until in (0..text.len()).step_by(97) {
            let expected = all.iter().rev().find(|&&cut| cut + 1 < until).copied();
            assert_eq!(Layout::Lines.last_cut(text, 1, until), expected, "{until}");
        }
    }
}
