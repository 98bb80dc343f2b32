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
    /// Whether one of them holds a quotation mark: what looks like its inside may be another game.
    pub is_doubtful: bool,
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
        if is_whole {
            at += read_plain(&text[at..], &mut tags);
        }
        let gap = blank_bytes(&text[at..]);
        let is_plain = is_whole && matches!(&text[at..at + gap], b"\n" | b"\r\n");
        let begin = at;
        at += gap;
        if text.get(at) != Some(&b'[') {
            break;
        }
        if begin > 0 && !is_plain && begins_game(text, at) {
            return Section {
                tags,
                bytes: at,
                is_followed_by_tags: true,
                is_doubtful,
            };
        }
        let Some((name, value, bytes)) = tag(&text[at..]) else {
            break;
        };
        is_whole = text[at..at + bytes].ends_with(b"\"]");
        is_doubtful |= memchr::memchr(b'"', value).is_some();
        if name == b"Event" {
            if has_event {
                return Section {
                    tags,
                    bytes: at,
                    is_followed_by_tags: true,
                    is_doubtful,
                };
            }
            has_event = true;
        } else {
            tags.set(Tag::named(name), value);
        }
        at += bytes;
    }
    Section {
        tags,
        bytes: at,
        is_followed_by_tags: false,
        is_doubtful,
    }
}

/// Reads as many lines as are written the way nearly all are, a line end and then `[Name "value"]`, with names that are known
/// and are not `Event`. Gives how long they are: what follows is read by whoever knows all ways to write a tag.
fn read_plain<'t>(text: &'t [u8], tags: &mut Tags<'t>) -> usize {
    let mut at = 0;
    loop {
        let bytes = match &text[at..] {
            [b'\n', b'[', ..] => 2,
            [b'\r', b'\n', b'[', ..] => 3,
            _ => return at,
        };
        let line = &text[at + bytes..];
        let Some((tag, name_bytes)) = Tag::known(line) else {
            return at;
        };
        let value = &line[name_bytes..];
        let Some(length) = memchr::memchr3(b'"', b'\n', b'\r', value) else {
            return at;
        };
        let (b"\"]\n" | b"\"]\r") = value.get(length..length + 3).unwrap_or_default() else {
            return at;
        };
        tags.set(tag, &value[..length]);
        at += bytes + name_bytes + length + 2;
    }
}

/// A tag whose name is known.
#[derive(Clone, Copy)]
enum Tag {
    White,
    Black,
    WhiteElo,
    BlackElo,
    WhiteTitle,
    BlackTitle,
    Result,
    Date,
    UtcDate,
    TimeControl,
    Termination,
    Variant,
    Fen,
    /// One that nobody asks for.
    Other,
}

impl Tag {
    fn named(name: &[u8]) -> Tag {
        match name {
            b"White" => Tag::White,
            b"Black" => Tag::Black,
            b"WhiteElo" => Tag::WhiteElo,
            b"BlackElo" => Tag::BlackElo,
            b"WhiteTitle" => Tag::WhiteTitle,
            b"BlackTitle" => Tag::BlackTitle,
            b"Result" => Tag::Result,
            b"Date" => Tag::Date,
            b"UTCDate" => Tag::UtcDate,
            b"TimeControl" => Tag::TimeControl,
            b"Termination" => Tag::Termination,
            b"Variant" => Tag::Variant,
            b"FEN" => Tag::Fen,
            _ => Tag::Other,
        }
    }

    /// The tag of a line after its bracket, and how much there is of it before its value.
    #[inline(always)]
    fn known(line: &[u8]) -> Option<(Tag, usize)> {
        let known = |name: &[u8], tag| line.starts_with(name).then_some((tag, name.len()));
        match line.first()? {
            b'W' => known(b"White \"", Tag::White)
                .or_else(|| known(b"WhiteElo \"", Tag::WhiteElo))
                .or_else(|| known(b"WhiteRatingDiff \"", Tag::Other))
                .or_else(|| known(b"WhiteTitle \"", Tag::WhiteTitle)),
            b'B' => known(b"Black \"", Tag::Black)
                .or_else(|| known(b"BlackElo \"", Tag::BlackElo))
                .or_else(|| known(b"BlackRatingDiff \"", Tag::Other))
                .or_else(|| known(b"BlackTitle \"", Tag::BlackTitle)),
            b'R' => known(b"Result \"", Tag::Result).or_else(|| known(b"Round \"", Tag::Other)),
            b'S' => known(b"Site \"", Tag::Other).or_else(|| known(b"SetUp \"", Tag::Other)),
            b'U' => known(b"UTCDate \"", Tag::UtcDate).or_else(|| known(b"UTCTime \"", Tag::Other)),
            b'T' => known(b"TimeControl \"", Tag::TimeControl)
                .or_else(|| known(b"Termination \"", Tag::Termination)),
            b'D' => known(b"Date \"", Tag::Date),
            b'F' => known(b"FEN \"", Tag::Fen),
            b'V' => known(b"Variant \"", Tag::Variant),
            b'E' => known(b"ECO \"", Tag::Other),
            b'O' => known(b"Opening \"", Tag::Other),
            _ => None,
        }
    }
}

impl<'t> Tags<'t> {
    #[inline(always)]
    fn set(&mut self, tag: Tag, value: &'t [u8]) {
        let place = match tag {
            Tag::White => &mut self.white,
            Tag::Black => &mut self.black,
            Tag::WhiteElo => &mut self.white_elo,
            Tag::BlackElo => &mut self.black_elo,
            Tag::WhiteTitle => &mut self.white_title,
            Tag::BlackTitle => &mut self.black_title,
            Tag::Result => &mut self.result,
            Tag::Date => &mut self.date,
            Tag::UtcDate => &mut self.utc_date,
            Tag::TimeControl => &mut self.time_control,
            Tag::Termination => &mut self.termination,
            Tag::Variant => &mut self.variant,
            Tag::Fen => &mut self.fen,
            Tag::Other => return,
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
    fn plain_lines_are_read_as_all_others_are() {
        // A blank before its bracket makes a tag one that is read the long way.
        let names = "White Black WhiteElo BlackElo WhiteTitle BlackTitle Result Date UTCDate TimeControl Termination Variant FEN \
                     Site Round SetUp UTCTime WhiteRatingDiff BlackRatingDiff ECO Opening Other";
        let plain: String = (1..)
            .zip(names.split_ascii_whitespace())
            .map(|(number, name)| format!("[{name} \"{number}\"]\n"))
            .collect();
        let plain = format!("[Event \"x\"]\n{plain}\n1. e4");
        for plain in [plain.clone(), plain.replace('\n', "\r\n")] {
            let odd = plain.replace("\"]", "\" ]");
            let (plain, odd) = (read(plain.as_bytes()), read(odd.as_bytes()));
            assert_eq!(plain.tags, odd.tags);
            assert_eq!((plain.tags.white, plain.tags.fen), (&b"1"[..], &b"13"[..]));
            assert!(plain.bytes > 0 && !plain.is_followed_by_tags);
        }
        let broken = read(b"[Event \"x\"]\n[White \"A\n \"]\n[Black \"B\"]\n\n*");
        assert_eq!(broken.tags.white, b"A");
        assert_eq!(broken.tags.black, b"");
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
