//! Files that look like PGN to a person and are something else: UTF-16 text and HTML pages.
//!
//! They are recognised by their first bytes, before any game is read. Read as PGN they would be one long game of
//! classical chess without moves.

use std::fmt;

use super::bytes::{BYTE_ORDER_MARK, leading_blanks};

/// What a file is instead of PGN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignText {
    /// UTF-16 with a byte order mark.
    Utf16,
    /// UTF-16 without a byte order mark, the less significant byte first.
    Utf16LittleEndian,
    /// UTF-16 without a byte order mark, the more significant byte first.
    Utf16BigEndian,
    /// An HTML page.
    Html,
}

impl ForeignText {
    /// Recognises text that begins with `head`; `None` if it may be PGN.
    pub fn of(head: &[u8]) -> Option<ForeignText> {
        if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            return Some(ForeignText::Utf16);
        }
        // Four letters of the Latin alphabet are enough: PGN contains no NUL, and NULs that pad a file come in a row.
        let text = head.get(..8).unwrap_or_default();
        let pairs = || text.chunks_exact(2).map(|pair| (pair[0], pair[1]));
        if !text.is_empty() && pairs().all(|(low, high)| low != 0 && high == 0) {
            return Some(ForeignText::Utf16LittleEndian);
        }
        if !text.is_empty() && pairs().all(|(high, low)| high == 0 && low != 0) {
            return Some(ForeignText::Utf16BigEndian);
        }
        let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        let text = &text[leading_blanks(text)..];
        let begins_with = |tag: &[u8]| {
            let begin = text.get(..tag.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(tag))
        };
        (begins_with(b"<!doctype") || begins_with(b"<html")).then_some(ForeignText::Html)
    }
}

impl fmt::Display for ForeignText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoding = match self {
            ForeignText::Utf16 => "UTF-16",
            ForeignText::Utf16LittleEndian => "UTF-16LE",
            ForeignText::Utf16BigEndian => "UTF-16BE",
            ForeignText::Html => return f.write_str("an HTML page: download the PGN file itself"),
        };
        write!(
            f,
            "UTF-16 text: convert it with `iconv -f {encoding} -t UTF-8`"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf16_is_recognised_with_and_without_a_byte_order_mark() {
        let text = "[Event \"x\"]";
        let marked = format!("\u{feff}{text}");
        for (bytes, kind) in [
            (utf16(&marked, u16::to_le_bytes), ForeignText::Utf16),
            (utf16(&marked, u16::to_be_bytes), ForeignText::Utf16),
            (
                utf16(text, u16::to_le_bytes),
                ForeignText::Utf16LittleEndian,
            ),
            (utf16(text, u16::to_be_bytes), ForeignText::Utf16BigEndian),
        ] {
            assert_eq!(ForeignText::of(&bytes), Some(kind));
        }
        for pgn in [&b""[..], b"[E", b"\0\0\0\0\0\0\0\0[Event", b"1. e4", b"*"] {
            assert_eq!(ForeignText::of(pgn), None, "{pgn:?}");
        }
    }

    #[test]
    fn html_is_recognised_in_any_case_after_white_space() {
        for html in [
            "<!DOCTYPE html><html>",
            "\u{feff}\n <html lang=en>",
            "<!doctype HTML>",
        ] {
            assert_eq!(ForeignText::of(html.as_bytes()), Some(ForeignText::Html));
        }
        assert_eq!(ForeignText::of(b"<Event> 1. e4"), None);
    }
}
