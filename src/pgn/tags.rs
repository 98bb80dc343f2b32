//! The tag section of a game: players, ratings, date, result, variant, FEN.
//!
//! [`read`] takes the text of a game and returns those of its tags that the program uses, as they are written, and
//! where the movetext begins. A quotation mark inside a value may lack its escape. A value ends with its line unless
//! one of the next lines closes it, so that a missing quotation mark damages no other tag. Remarks between the tags are
//! skipped.

use super::boundary::{boundary_at_line, is_remark, tag_name};
use super::bytes::{BYTE_ORDER_MARK, leading_blanks, trailing_blanks};

/// The tags of one game that the program uses: each field is the value of the tag of that name, as bytes of the file.
/// Missing tags are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tags<'t> {
    /// The name of the player of the white pieces.
    pub white: &'t [u8],
    /// The name of the player of the black pieces.
    pub black: &'t [u8],
    /// The rating of White.
    pub white_elo: &'t [u8],
    /// The rating of Black.
    pub black_elo: &'t [u8],
    /// The title of White, such as `GM` or `BOT`.
    pub white_title: &'t [u8],
    /// The title of Black.
    pub black_title: &'t [u8],
    /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'t [u8],
    /// The date, `2009.07.28`, with question marks for what is unknown.
    pub date: &'t [u8],
    /// The date in UTC.
    pub utc_date: &'t [u8],
    /// The time control, such as `300+3`.
    pub time_control: &'t [u8],
    /// How the game ended.
    pub termination: &'t [u8],
    /// The variant, such as `Chess960`.
    pub variant: &'t [u8],
    /// The position that the game begins with.
    pub fen: &'t [u8],
}

/// The tag section at the beginning of a text.
pub struct TagSection<'t> {
    pub tags: Tags<'t>,
    /// The length of the section, with the white space around it.
    pub bytes: usize,
    /// Whether the tags of another game follow instead of moves.
    pub is_followed_by_tags: bool,
    /// Whether a value contains a quotation mark, so that text inside it may look like the beginning of another game.
    pub has_inner_quote: bool,
}

/// Reads the tag section at the beginning of a text.
///
/// The lines that [`read_plain_lines`] does not understand are read one by one here.
pub fn read(text: &[u8]) -> TagSection<'_> {
    let mut tags = Tags::default();
    let mut at = if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut has_event = false;
    let mut is_closed = true;
    let mut has_inner_quote = false;
    loop {
        if is_closed {
            at += read_plain_lines(&text[at..], &mut tags);
        }
        let gap = leading_blanks(&text[at..]);
        // Between two closed tags a single line end is no game boundary, so the scanner need not be asked.
        let is_plain = is_closed && matches!(&text[at..at + gap], b"\n" | b"\r\n");
        let begin = at;
        at += gap;
        if text.get(at) != Some(&b'[') {
            match text.get(at) {
                Some(&byte) if is_remark(byte) => {}
                _ => break,
            }
            let Some(bytes) = remarks_before_tag(text, at) else {
                break;
            };
            at += bytes;
            if begins_game(text, at) {
                return TagSection {
                    tags,
                    bytes: at,
                    is_followed_by_tags: true,
                    has_inner_quote,
                };
            }
        }
        if begin > 0 && !is_plain && begins_game(text, at) {
            return TagSection {
                tags,
                bytes: at,
                is_followed_by_tags: true,
                has_inner_quote,
            };
        }
        let Some((name, value, bytes)) = tag(&text[at..]) else {
            break;
        };
        is_closed = text[at..at + bytes].ends_with(b"\"]");
        has_inner_quote |= memchr::memchr(b'"', value).is_some();
        if name == b"Event" {
            // `Event` is the first tag of a game, so a second one belongs to the next game.
            if has_event {
                return TagSection {
                    tags,
                    bytes: at,
                    is_followed_by_tags: true,
                    has_inner_quote,
                };
            }
            has_event = true;
        } else {
            tags.set(TagName::of(name), value);
        }
        at += bytes;
    }
    TagSection {
        tags,
        bytes: at,
        is_followed_by_tags: false,
        has_inner_quote,
    }
}

/// Fast path: reads lines of the usual form, a line end and `[Name "value"]` with a known name other than `Event`, and
/// returns their length. At the first line of another form it stops, and [`read`] goes on.
///
/// It gives the same tags as the general path: the first quotation mark of the value is directly followed by the
/// bracket and the line end, so the value contains none and nothing else is on the line.
fn read_plain_lines<'t>(text: &'t [u8], tags: &mut Tags<'t>) -> usize {
    let mut at = 0;
    loop {
        let bytes = match &text[at..] {
            [b'\n', b'[', ..] => 2,
            [b'\r', b'\n', b'[', ..] => 3,
            _ => return at,
        };
        let line = &text[at + bytes..];
        let Some((tag, name_bytes)) = TagName::at_start(line) else {
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

/// The name of a tag that the program uses.
#[derive(Clone, Copy, Debug)]
pub enum TagName {
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
    /// Any other name.
    Other,
}

impl TagName {
    /// The tag of this name.
    pub fn of(name: &[u8]) -> TagName {
        match name {
            b"White" => TagName::White,
            b"Black" => TagName::Black,
            b"WhiteElo" => TagName::WhiteElo,
            b"BlackElo" => TagName::BlackElo,
            b"WhiteTitle" => TagName::WhiteTitle,
            b"BlackTitle" => TagName::BlackTitle,
            b"Result" => TagName::Result,
            b"Date" => TagName::Date,
            b"UTCDate" => TagName::UtcDate,
            b"TimeControl" => TagName::TimeControl,
            b"Termination" => TagName::Termination,
            b"Variant" => TagName::Variant,
            b"FEN" => TagName::Fen,
            _ => TagName::Other,
        }
    }

    /// The name at the start of a line whose bracket has been read, and the number of bytes before the value. `None`
    /// for names that are rare enough for the general path.
    #[inline(always)]
    fn at_start(line: &[u8]) -> Option<(TagName, usize)> {
        let known = |name: &[u8], tag| line.starts_with(name).then_some((tag, name.len()));
        match line.first()? {
            b'W' => known(b"White \"", TagName::White)
                .or_else(|| known(b"WhiteElo \"", TagName::WhiteElo))
                .or_else(|| known(b"WhiteRatingDiff \"", TagName::Other))
                .or_else(|| known(b"WhiteTitle \"", TagName::WhiteTitle)),
            b'B' => known(b"Black \"", TagName::Black)
                .or_else(|| known(b"BlackElo \"", TagName::BlackElo))
                .or_else(|| known(b"BlackRatingDiff \"", TagName::Other))
                .or_else(|| known(b"BlackTitle \"", TagName::BlackTitle)),
            b'R' => {
                known(b"Result \"", TagName::Result).or_else(|| known(b"Round \"", TagName::Other))
            }
            b'S' => {
                known(b"Site \"", TagName::Other).or_else(|| known(b"SetUp \"", TagName::Other))
            }
            b'U' => known(b"UTCDate \"", TagName::UtcDate)
                .or_else(|| known(b"UTCTime \"", TagName::Other)),
            b'T' => known(b"TimeControl \"", TagName::TimeControl)
                .or_else(|| known(b"Termination \"", TagName::Termination)),
            b'D' => known(b"Date \"", TagName::Date),
            b'F' => known(b"FEN \"", TagName::Fen),
            b'V' => known(b"Variant \"", TagName::Variant),
            b'E' => known(b"ECO \"", TagName::Other),
            b'O' => known(b"Opening \"", TagName::Other),
            _ => None,
        }
    }
}

impl<'t> Tags<'t> {
    /// Sets the value of a tag.
    #[inline(always)]
    pub(super) fn set(&mut self, name: TagName, value: &'t [u8]) {
        let field = match name {
            TagName::White => &mut self.white,
            TagName::Black => &mut self.black,
            TagName::WhiteElo => &mut self.white_elo,
            TagName::BlackElo => &mut self.black_elo,
            TagName::WhiteTitle => &mut self.white_title,
            TagName::BlackTitle => &mut self.black_title,
            TagName::Result => &mut self.result,
            TagName::Date => &mut self.date,
            TagName::UtcDate => &mut self.utc_date,
            TagName::TimeControl => &mut self.time_control,
            TagName::Termination => &mut self.termination,
            TagName::Variant => &mut self.variant,
            TagName::Fen => &mut self.fen,
            TagName::Other => return,
        };
        *field = value;
    }
}

/// Whether a tag line begins another game. The boundary scanner decides, as a thread that starts elsewhere in the file
/// sees nothing else.
fn begins_game(text: &[u8], at: usize) -> bool {
    let is_line = matches!(text[at - 1], b'\n' | b'\r');
    is_line && boundary_at_line(text, at) == Some(at)
}

/// The length of the remarks at an offset if a tag follows them. A `%` is a remark only at the beginning of a line.
#[cold]
fn remarks_before_tag(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    loop {
        match text.get(end)? {
            b'[' => return tag_name(&text[end..]).map(|_| end - at),
            b';' => {}
            b'%' if end == 0 || matches!(text[end - 1], b'\n' | b'\r') => {}
            _ => return None,
        }
        end += line_bytes(&text[end..]);
        end += leading_blanks(&text[end..]);
    }
}

/// The tag that the text begins with: its name, its value and its length.
#[inline]
pub fn tag(text: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let name = tag_name(text)?;
    let quote = name.len() + memchr::memchr(b'"', &text[name.len()..])?;
    let value = &text[quote + 1..];
    let line = line_bytes(value);
    // A tag that is never closed ends with its line.
    let (length, bytes) = closing_quote(&value[..line])
        .or_else(|| closing_quote_of_later_line(value, line))
        .unwrap_or((line, line));
    Some((name, &value[..length], quote + 1 + bytes))
}

/// The length of the first line of a text without its line end.
pub fn line_bytes(text: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// The length of the value, and its length with the quotation mark and the bracket that close it. A quotation mark
/// closes the value only if a bracket follows, as some programs do not escape the marks inside. An escaped one closes it
/// only if there is no other: paths end in backslashes.
#[inline]
fn closing_quote(line: &[u8]) -> Option<(usize, usize)> {
    match line {
        [value @ .., b'"', b']'] if !value.contains(&b'"') => Some((value.len(), line.len())),
        _ => closing_quote_among_others(line),
    }
}

fn closing_quote_among_others(line: &[u8]) -> Option<(usize, usize)> {
    let mut escaped = None;
    for quote in memchr::memchr_iter(b'"', line) {
        let rest = &line[quote + 1..];
        let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
        if rest.get(spaces) != Some(&b']') {
            continue;
        }
        let closed = (quote, quote + 1 + spaces + 1);
        let backslashes = line[..quote].iter().rev();
        let backslashes = backslashes.take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(closed);
        }
        escaped = Some(closed);
    }
    escaped
}

/// The most lines of a tag value.
const MAX_VALUE_LINES: usize = 4;

/// Like [`closing_quote`], for a value that goes on after its first line. It ends where a line ends with a quotation mark
/// and a bracket; a blank line or another tag comes after a value that was never closed.
#[cold]
fn closing_quote_of_later_line(value: &[u8], first_line: usize) -> Option<(usize, usize)> {
    let mut at = first_line;
    for _ in 1..MAX_VALUE_LINES {
        at += match &value[at..] {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => return None,
        };
        let line = &value[at..at + line_bytes(&value[at..])];
        let text = &line[..line.len() - trailing_blanks(line)];
        if text.is_empty() || text[leading_blanks(text)] == b'[' {
            return None;
        }
        if let Some((length, bytes)) = closing_quote(text)
            && bytes == text.len()
        {
            return Some((at + length, at + bytes));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_contain_quotation_marks() {
        let text = b"\xef\xbb\xbf[Event \"x\"]\r\n[White \"A \"B\" C\"]\n[Black \"]\\\" \"] [FEN  \"8/8\"  ]\n\n[Result \"1-0\"]\n\n1. e4";
        let section = read(text);
        assert_eq!(section.tags.white, b"A \"B\" C");
        assert_eq!(section.tags.black, b"]\\\" ");
        assert_eq!(section.tags.fen, b"8/8");
        assert_eq!(section.tags.result, b"1-0");
        assert_eq!(&text[section.bytes..], b"1. e4");
    }

    #[test]
    fn the_fast_path_reads_the_same_tags_as_the_general_one() {
        // A space before the closing bracket sends a tag through the general path.
        let names = "White Black WhiteElo BlackElo WhiteTitle BlackTitle Result Date UTCDate TimeControl Termination Variant FEN \
                     Site Round SetUp UTCTime WhiteRatingDiff BlackRatingDiff ECO Opening Other";
        let plain: String = (1..)
            .zip(names.split_ascii_whitespace())
            .map(|(number, name)| format!("[{name} \"{number}\"]\n"))
            .collect();
        let plain = format!("[Event \"x\"]\n{plain}\n1. e4");
        for plain in [plain.clone(), plain.replace('\n', "\r\n")] {
            let general = plain.replace("\"]", "\" ]");
            let (plain, general) = (read(plain.as_bytes()), read(general.as_bytes()));
            assert_eq!(plain.tags, general.tags);
            assert_eq!((plain.tags.white, plain.tags.fen), (&b"1"[..], &b"13"[..]));
            assert!(plain.bytes > 0 && !plain.is_followed_by_tags);
        }
    }

    #[test]
    fn a_value_may_go_on_in_the_next_line() {
        for line_end in ["\n", "\r\n", "\r"] {
            let text =
                "[Event \"x\"]\n[White \"A\n B\"]\n[Black \"C\"]\n\n*".replace('\n', line_end);
            let section = read(text.as_bytes());
            assert_eq!(section.tags.white, format!("A{line_end} B").as_bytes());
            assert_eq!(section.tags.black, b"C");
            assert_eq!(&text[section.bytes..], "*");
        }
        let unclosed = read(b"[White \"A\n\n1. e4 { \"]\n } *");
        assert_eq!(unclosed.tags.white, b"A");
    }

    #[test]
    fn an_escaped_quotation_mark_closes_no_value_unless_it_is_the_last() {
        let text = b"[Event \"x\"]\n[White \"the \\\"[A]\\\"] B\"]\n[Black \"C:\\\\\"]\n[Result \"C:\\\"]\n\n*";
        let section = read(text);
        assert_eq!(section.tags.white, b"the \\\"[A]\\\"] B");
        assert_eq!(section.tags.black, b"C:\\\\");
        assert_eq!(section.tags.result, b"C:\\");
        assert_eq!(&text[section.bytes..], b"*");
    }

    #[test]
    fn remarks_between_tags_are_skipped() {
        let text = "% head\n[Event \"a\"]\n% one\n; two [FEN \"x\"]\n\n[White \"A\"] ; by mail\n[Black \"B\"]\n% end\n\n1. e4 *";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let head = read(text.as_bytes());
            assert!(head.is_followed_by_tags && head.tags == Tags::default());
            let text = &text[head.bytes..];
            let section = read(text.as_bytes());
            assert_eq!(section.tags.white, b"A", "{text}");
            assert_eq!(section.tags.black, b"B");
            assert_eq!(section.tags.fen, b"");
            assert!(text[section.bytes..].starts_with("% end"));
        }
        let next = read(b"[Event \"a\"]\n\n% x\n[Event \"b\"]\n");
        assert!(next.is_followed_by_tags);
    }

    #[test]
    fn an_unclosed_tag_ends_with_its_line_and_its_game() {
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
    fn commands_in_comments_are_not_tags() {
        let text = b"[%clk 1] 1. e4";
        assert_eq!(read(text).bytes, 0);
    }
}
