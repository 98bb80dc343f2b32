//! The shape of a move in algebraic notation, as files write it, whatever the position.
//!
//! [`SanText::read`] separates a move from what is glued to it, such as `e4!?`, `Nf3+-` or `e4N`, and turns the spellings
//! of other programs into those of the standard: `o-o`, `e8Q`, `e2-e4`, `N:f3`.

/// A move at the beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SanText {
    /// The move as the standard writes it, without `+` and `#`.
    pub standard: Vec<u8>,
    /// The length of the move in the text, without `+` and `#`.
    pub bytes: usize,
}

/// Annotations that stand after a move, alone or glued to it: evaluations, novelty and diagram, en passant, check and
/// mate in words.
const ANNOTATIONS: [&[u8]; 26] = [
    b"+", b"++", b"#", b"=", b"+-", b"-+", b"+=", b"=+", b"+/-", b"-/+", b"+/=", b"=/+", b"+--",
    b"--+", b"=/=", b"N", b"TN", b"D", b"RR", b"e", b"p", b"ep", b"ch", b"dbl", b"dblch", b"mate",
];

/// Whether a token is an annotation and not a move. A null move, `--`, is a move.
pub fn is_annotation(token: &[u8]) -> bool {
    ANNOTATIONS.contains(&token)
}

/// Whether what is glued to a move is an annotation: `+` for check and one of the list, or either of them.
pub fn is_annotation_after_move(suffix: &[u8]) -> bool {
    let is_known = |text: &[u8]| text.is_empty() || is_annotation(text);
    is_known(suffix)
        || suffix.strip_prefix(b"+").is_some_and(is_known)
        || suffix.strip_prefix(b"#").is_some_and(is_known)
}

impl SanText {
    /// The move that a text begins with; `None` if it does not begin with one.
    pub fn read(text: &[u8]) -> Option<SanText> {
        read_castling(text)
            .or_else(|| read_null_move(text))
            .or_else(|| read_normal_move(text))
    }
}

fn read_castling(text: &[u8]) -> Option<SanText> {
    let is_side = |pattern: &[u8]| text.starts_with(pattern);
    let (standard, bytes): (&[u8], usize) =
        if is_side(b"O-O-O") || is_side(b"0-0-0") || is_side(b"o-o-o") {
            (b"O-O-O", 5)
        } else if is_side(b"O-O") || is_side(b"0-0") || is_side(b"o-o") {
            (b"O-O", 3)
        } else {
            return None;
        };
    let standard = standard.to_vec();
    Some(SanText { standard, bytes })
}

fn read_null_move(text: &[u8]) -> Option<SanText> {
    let is_null = text == b"--" || text.starts_with(b"Z0");
    is_null.then(|| SanText {
        standard: b"--".to_vec(),
        bytes: 2,
    })
}

/// A piece letter, the origin, a sign of capture, the destination and a promotion.
fn read_normal_move(text: &[u8]) -> Option<SanText> {
    let mut standard = Vec::with_capacity(8);
    let mut at = 0;
    if let Some(&letter @ (b'K' | b'Q' | b'R' | b'B' | b'N' | b'P')) = text.first() {
        standard.push(letter);
        at = 1;
    }
    let (origin, separator, square) = origin_and_destination(&text[at..])?;
    standard.extend_from_slice(origin);
    at += origin.len();
    if let Some(separator) = separator {
        // A hyphen between two squares is long notation and means nothing.
        if separator != b'-' {
            standard.push(b'x');
        }
        at += 1;
    }
    standard.extend_from_slice(square);
    at += 2;
    let is_promotion_rank = matches!(square[1], b'1' | b'8');
    let (equals, letter) = match &text[at..] {
        [b'=', letter, ..] => (1, Some(letter)),
        [letter, ..] => (0, Some(letter)),
        [] => (0, None),
    };
    let is_pawn = !matches!(standard[0], b'K' | b'Q' | b'R' | b'B' | b'N');
    if let Some(letter) = letter.map(u8::to_ascii_uppercase)
        && matches!(letter, b'Q' | b'R' | b'B' | b'N')
        && is_pawn
        && is_promotion_rank
    {
        standard.extend([b'=', letter]);
        at += equals + 1;
    }
    Some(SanText {
        standard,
        bytes: at,
    })
}

/// The origin, of which files write any part or nothing, a sign between the squares, and the destination.
fn origin_and_destination(text: &[u8]) -> Option<(&[u8], Option<u8>, &[u8])> {
    // The longest origin first: `e2e4` is not `e2` with something behind it.
    for length in [2, 1, 0] {
        let Some((origin, rest)) = text.split_at_checked(length) else {
            continue;
        };
        let is_origin = match origin {
            [file, rank] => is_square(&[*file, *rank]),
            [file_or_rank] => matches!(file_or_rank, b'a'..=b'h' | b'1'..=b'8'),
            _ => true,
        };
        if !is_origin {
            continue;
        }
        let (separator, rest) = match rest {
            [sign @ (b'x' | b':'), rest @ ..] => (Some(*sign), rest),
            [b'-', rest @ ..] if length == 2 => (Some(b'-'), rest),
            _ => (None, rest),
        };
        if let Some(square) = rest.get(..2).filter(|square| is_square(square)) {
            return Some((origin, separator, square));
        }
    }
    None
}

fn is_square(text: &[u8]) -> bool {
    matches!(text, [b'a'..=b'h', b'1'..=b'8'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_every_spelling() {
        for (text, standard, bytes) in [
            ("e4", "e4", 2),
            ("Nf3+", "Nf3", 3),
            ("Nbd7", "Nbd7", 4),
            ("N1xd2!?", "N1xd2", 5),
            ("Qa1xb2#", "Qa1xb2", 6),
            ("exd6", "exd6", 4),
            ("e:d6", "exd6", 4),
            ("e2e4", "e2e4", 4),
            ("e2-e4", "e2e4", 5),
            ("Ng1-f3", "Ng1f3", 6),
            ("N:f3", "Nxf3", 4),
            ("e8Q+", "e8=Q", 3),
            ("e8=Q", "e8=Q", 4),
            ("e7e8q", "e7e8=Q", 5),
            ("bxa1=n", "bxa1=N", 6),
            ("e4=", "e4", 2),
            ("e4N", "e4", 2),
            ("Nf1N", "Nf1", 3),
            ("e4+-", "e4", 2),
            ("O-O+", "O-O", 3),
            ("0-0-0", "O-O-O", 5),
            ("o-o", "O-O", 3),
            ("o-o-o#", "O-O-O", 5),
            ("--", "--", 2),
            ("Z0", "--", 2),
        ] {
            let found = SanText::read(text.as_bytes()).expect(text);
            assert_eq!(found.standard, standard.as_bytes(), "{text}");
            assert_eq!(found.bytes, bytes, "{text}");
        }
        for other in [
            "", "N", "D", "e", "e9", "i4", "Ne", "May", "B2B", "-", "+-", "-+", "=", "x", "--+",
        ] {
            assert_eq!(SanText::read(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn annotations_are_known_alone_and_behind_a_move() {
        for text in ["+-", "-+", "N", "D", "=", "+/=", "ep", "--+"] {
            assert!(is_annotation(text.as_bytes()), "{text}");
            assert!(is_annotation_after_move(format!("+{text}").as_bytes()));
        }
        for text in ["", "+", "#", "++", "#N"] {
            assert!(is_annotation_after_move(text.as_bytes()), "{text}");
        }
        for text in ["--", "x", "e5", "NN"] {
            assert!(!is_annotation(text.as_bytes()), "{text}");
            assert!(!is_annotation_after_move(text.as_bytes()), "{text}");
        }
    }
}
