//! The tags of a game: who played, when, how, with what result.
//!
//! In walks the text of a game; out walk those of its tags that statistics ask for, as they are written, and where
//! its moves begin. Values are told by the line they stand on, so that a quotation mark inside one ends nothing.

use super::cut::{BYTE_ORDER_MARK, cut_near, is_blank, tag_name};

/// The tags of one game. What is not there is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tags<'t> {
    pub white: &'t [u8],
    pub black: &'t [u8],
    pub white_elo: &'t [u8],
    pub black_elo: &'t [u8],
    pub white_title: &'t [u8],
    pub black_title: &'t [u8],
    pub result: &'t [u8],
    pub date: &'t [u8],
    pub utc_date: &'t [u8],
    pub time_control: &'t [u8],
    pub termination: &'t [u8],
    pub variant: &'t [u8],
    pub fen: &'t [u8],
}

/// The tags at the beginning of a text.
pub struct Section<'t> {
    pub tags: Tags<'t>,
    /// How long they are, and what is blank around them.
    pub bytes: usize,
    /// Whether the tags of another game follow and no moves.
    pub is_followed_by_tags: bool,
}

/// Reads the tags at the beginning of a text.
pub fn read(text: &[u8]) -> Section<'_> {
    let mut tags = Tags::default();
    let mut at = if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut has_event = false;
    let mut is_whole = true;
    let mut is_doubtful = false;
    loop {
        let gap = blank_bytes(&text[at..]);
        let is_plain = is_whole && matches!(&text[at..at + gap], b"\n" | b"\r\n");
        let begin = at;
        at += gap;
        if text.get(at) != Some(&b'[') {
            break;
        }
        if is_doubtful && let Some(cut) = cut_near(text, at).filter(|&cut| cut < at) {
            // What looks like the inside of a tag is the beginning of another game.
            return read(&text[..cut]);
        }
        if begin > 0 && !is_plain && begins_game(text, at) {
            return Section {
                tags,
                bytes: at,
                is_followed_by_tags: true,
            };
        }
        let Some((name, value, bytes)) = tag(&text[at..]) else {
            break;
        };
        is_whole = text[at..at + bytes].ends_with(b"\"]");
        is_doubtful = memchr::memchr(b'"', value).is_some();
        if name == b"Event" {
            if has_event {
                return Section {
                    tags,
                    bytes: at,
                    is_followed_by_tags: true,
                };
            }
            has_event = true;
        } else {
            tags.set(name, value);
        }
        at += bytes;
    }
    Section {
        tags,
        bytes: at,
        is_followed_by_tags: false,
    }
}

impl<'t> Tags<'t> {
    fn set(&mut self, name: &[u8], value: &'t [u8]) {
        let place = match name {
            b"White" => &mut self.white,
            b"Black" => &mut self.black,
            b"WhiteElo" => &mut self.white_elo,
            b"BlackElo" => &mut self.black_elo,
            b"WhiteTitle" => &mut self.white_title,
            b"BlackTitle" => &mut self.black_title,
            b"Result" => &mut self.result,
            b"Date" => &mut self.date,
            b"UTCDate" => &mut self.utc_date,
            b"TimeControl" => &mut self.time_control,
            b"Termination" => &mut self.termination,
            b"Variant" => &mut self.variant,
            b"FEN" => &mut self.fen,
            _ => return,
        };
        *place = value;
    }
}

/// Whether a line of tags begins another game, as whoever came from elsewhere would say.
fn begins_game(text: &[u8], at: usize) -> bool {
    let is_line = matches!(text[at - 1], b'\n' | b'\r');
    is_line && cut_near(text, at) == Some(at)
}

fn blank_bytes(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_blank(byte)).count()
}

/// The tag that the text begins with: its name, its value and how long it is.
fn tag(text: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let name = tag_name(text)?;
    let quote = name.len() + memchr::memchr(b'"', &text[name.len()..])?;
    let value = &text[quote + 1..];
    let line = line_bytes(value);
    let length = closing_quote(&value[..line]);
    // A tag that its line does not close ends with the line.
    let bytes = match length {
        Some((_, bytes)) => bytes,
        None => line,
    };
    let value = &value[..length.map_or(line, |(length, _)| length)];
    Some((name, value, quote + 1 + bytes))
}

fn line_bytes(text: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// How long the value is and how long with what closes it: a quotation mark and a bracket.
fn closing_quote(line: &[u8]) -> Option<(usize, usize)> {
    if let [value @ .., b'"', b']'] = line
        && !value.contains(&b'"')
    {
        return Some((value.len(), line.len()));
    }
    memchr::memchr_iter(b'"', line).find_map(|quote| {
        let rest = &line[quote + 1..];
        let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
        (rest.get(spaces) == Some(&b']')).then_some((quote, quote + 1 + spaces + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_quotation_marks_inside() {
        let text = b"\xef\xbb\xbf[Event \"x\"]\r\n[White \"A \"B\" C\"]\n[Black \"]\\\" \"] [FEN  \"8/8\"  ]\n\n[Result \"1-0\"]\n\n1. e4";
        let section = read(text);
        assert_eq!(section.tags.white, b"A \"B\" C");
        assert_eq!(section.tags.black, b"]\\\" ");
        assert_eq!(section.tags.fen, b"8/8");
        assert_eq!(section.tags.result, b"1-0");
        assert_eq!(&text[section.bytes..], b"1. e4");
    }

    #[test]
    fn a_tag_that_is_not_closed_ends_with_its_line_and_its_game() {
        let section = read(b"[White \"A\n[Black \"B\"]\n");
        assert_eq!(section.tags.white, b"A");
        assert!(section.is_followed_by_tags);
    }

    #[test]
    fn a_second_event_begins_another_game() {
        let text = b"[Event \"a\"]\n[White \"x\"]\n[Event \"b\"]\n[White \"y\"]\n";
        let section = read(text);
        assert!(section.is_followed_by_tags);
        assert_eq!(section.tags.white, b"x");
        let section = read(&text[section.bytes..]);
        assert!(!section.is_followed_by_tags);
        assert_eq!(section.tags.white, b"y");
    }

    #[test]
    fn comments_in_brackets_are_no_tags() {
        let text = b"[%clk 1] 1. e4";
        assert_eq!(read(text).bytes, 0);
    }
}
