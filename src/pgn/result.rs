//! Results of games in the spellings that files use.

/// A result as PGN writes it, `1-0`, `0-1`, `1/2-1/2` or `*`, for any common spelling of it; `None` if the text is not a
/// result.
///
/// Other spellings come from word processors and from other notations: dashes of any length, `1:0`, `½-½`, `1/2`.
pub fn standard_result(text: &[u8]) -> Option<&'static [u8]> {
    match text {
        b"1-0" => Some(b"1-0"),
        b"0-1" => Some(b"0-1"),
        b"1/2-1/2" => Some(b"1/2-1/2"),
        b"*" => Some(b"*"),
        _ => other_spelling(text),
    }
}

#[cold]
fn other_spelling(text: &[u8]) -> Option<&'static [u8]> {
    let mut plain = Vec::with_capacity(16);
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        // Both sides of the longest spelling fit, so anything longer is not a result.
        if plain.len() > 8 {
            return None;
        }
        let (written, after): (&[u8], &[u8]) = match rest {
            // The dashes U+2010 to U+2015, the minus sign U+2212, and `½`, in UTF-8.
            [0xe2, 0x80, 0x90..=0x95, after @ ..] | [0xe2, 0x88, 0x92, after @ ..] => (b"-", after),
            [0xc2, 0xbd, after @ ..] => (b"1/2", after),
            // The same in Windows-1252.
            [0x96 | 0x97 | b':', ..] => (b"-", after),
            [0xbd, ..] => (b"1/2", after),
            [b' ', ..] => (b"", after),
            _ => (std::slice::from_ref(&first), after),
        };
        plain.extend_from_slice(written);
        rest = after;
    }
    match &plain[..] {
        b"1-0" => Some(b"1-0"),
        b"0-1" => Some(b"0-1"),
        b"1/2-1/2" | b"1/2" => Some(b"1/2-1/2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_recognised_in_every_spelling() {
        for (standard, spellings) in [
            ("1-0", &["1-0", "1–0", "1—0", "1−0", "1:0", "1 - 0"][..]),
            ("0-1", &["0-1", "0–1", "0:1"]),
            (
                "1/2-1/2",
                &["1/2-1/2", "1/2", "½-½", "½–½", "1/2:1/2", "½:½", "½"],
            ),
            ("*", &["*"]),
        ] {
            for spelling in spellings {
                let found = standard_result(spelling.as_bytes());
                assert_eq!(found, Some(standard.as_bytes()), "{spelling}");
            }
        }
        assert_eq!(standard_result(b"\xbd-\xbd"), Some(&b"1/2-1/2"[..]));
        assert_eq!(standard_result(b"1\x960"), Some(&b"1-0"[..]));
        for other in ["", "1", "-", "0-0", "2-0", "1-01", "1/2-1/2-1/2", "e4"] {
            assert_eq!(standard_result(other.as_bytes()), None, "{other}");
        }
    }
}
