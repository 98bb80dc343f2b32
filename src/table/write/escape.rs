//! Escaping of control characters in untrusted text.
//!
//! Text from a PGN file or an engine may contain characters that a terminal interprets and does not show.
//! [`escape_control`] replaces them by escapes such as `\u{1b}`. Line breaks are among them, so the result is one line.

/// Whether a character is a control character (C0, DEL, C1), a line or paragraph separator, or a bidirectional control,
/// which makes a line display in another order than it is stored.
pub fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with every control character escaped.
pub fn escape_control(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_control(c) {
            escaped.extend(c.escape_unicode());
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            escape_control("\u{1b}[2J\r\n\t\0\u{7f}\u{9b}1m"),
            r"\u{1b}[2J\u{d}\u{a}\u{9}\u{0}\u{7f}\u{9b}1m"
        );
        assert_eq!(
            escape_control("a\u{202e}b\u{2069}c\u{2028}"),
            r"a\u{202e}b\u{2069}c\u{2028}"
        );
    }

    #[test]
    fn other_characters_are_kept() {
        let names = r#"Ø. Þórsson "O'Brien" \ 棋 e\u0301 😀"#;
        assert_eq!(escape_control(names), names);
    }
}
