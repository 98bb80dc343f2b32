//! Characters that nobody sees but a terminal obeys.
//!
//! In walks text that may come out of somebody's PGN. Out walks the same text with these characters
//! spelt out as `\u{1b}`. Line breaks are among them, so what walks out is one line.

/// Controls (C0, DEL, C1), line and paragraph separators, and the marks that turn the direction of
/// writing so that a line reads differently from what it says.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with what is hidden spelt out.
pub fn reveal(text: &str) -> String {
    let mut revealed = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            revealed.extend(c.escape_unicode());
        } else {
            revealed.push(c);
        }
    }
    revealed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_drives_a_terminal_is_spelt_out() {
        assert_eq!(
            reveal("\u{1b}[2J\r\n\t\0\u{7f}\u{9b}1m"),
            r"\u{1b}[2J\u{d}\u{a}\u{9}\u{0}\u{7f}\u{9b}1m"
        );
        assert_eq!(
            reveal("a\u{202e}b\u{2069}c\u{2028}"),
            r"a\u{202e}b\u{2069}c\u{2028}"
        );
    }

    #[test]
    fn names_stay_as_they_are() {
        let names = r#"Ø. Þórsson "O'Brien" \ 棋 e\u0301 😀"#;
        assert_eq!(reveal(names), names);
    }
}
