//! The moves of a game, as they are written.
//!
//! In walks movetext; out walk its moves and what else counts, without comments, variations, annotations and
//! escapes. Nothing is played here. What is asked of a whole game is answered without walking all of it: its length is
//! read off its last move's number, and castling is looked for as letters and walked to only where there are some.

use memchr::memmem;

/// Something in the movetext that is not a comment, a variation or an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'t> {
    /// `12.` or `12...`.
    Number(u32),
    /// A move as it is written, without `+`, `#`, `!` and `?`.
    Move(&'t [u8]),
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'t [u8]),
}

/// A way through movetext.
#[derive(Clone, Debug)]
pub struct Walk<'t> {
    text: &'t [u8],
    at: usize,
    /// Whether a comment or a variation was open when the text ended.
    is_torn: bool,
}

/// Castling in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Castled {
    /// From 1.
    pub ply: u32,
    pub is_h_side: bool,
}

/// What a byte begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Digit,
    Letter,
    Comment,
    LineComment,
    Variation,
    Annotation,
    Escape,
    Star,
    Other,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' | 0 | b'.' => Class::Blank,
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' | b'A'..=b'Z' | b'-' => Class::Letter,
            b'{' => Class::Comment,
            b';' => Class::LineComment,
            b'(' => Class::Variation,
            b'$' | b'!' | b'?' => Class::Annotation,
            b'%' => Class::Escape,
            b'*' => Class::Star,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

impl<'t> Walk<'t> {
    pub fn new(movetext: &'t [u8]) -> Walk<'t> {
        Walk {
            text: movetext,
            at: 0,
            is_torn: false,
        }
    }

    /// Whether a comment or a variation was open when the text ended.
    pub fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// What has not been walked through.
    pub fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    /// The token from `begin` to where no more of it is.
    fn token(&mut self, begin: usize) -> &'t [u8] {
        let rest = &self.text[begin..];
        let length = rest.iter().position(|&byte| !is_of_token(byte));
        self.at = begin + length.unwrap_or(rest.len());
        &self.text[begin..self.at]
    }

    /// A number, a result, or castling written with zeros.
    fn digits(&mut self, begin: usize) -> Item<'t> {
        let rest = &self.text[begin..];
        let (mut digits, mut number) = (0, 0_u32);
        while let Some(digit @ b'0'..=b'9') = rest.get(digits) {
            number = number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'));
            digits += 1;
        }
        match rest.get(digits) {
            Some(b'-' | b'/') => {
                let token = self.token(begin);
                if token.starts_with(b"0-0") {
                    Item::Move(bare(token))
                } else {
                    Item::Result(token)
                }
            }
            _ => {
                self.at = begin + digits;
                Item::Number(number)
            }
        }
    }

    /// Goes past what is seldom there.
    #[cold]
    fn skip(&mut self, class: Class, at: usize) {
        match class {
            Class::LineComment => self.skip_line(at),
            Class::Variation => self.skip_variation(at),
            Class::Annotation => {
                let digits = self.text[at + 1..].iter();
                let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
                self.at = at + 1 + digits;
            }
            Class::Escape if self.is_at_line_start(at) => self.skip_line(at),
            _ => self.at = at + 1,
        }
    }

    #[inline]
    fn skip_comment(&mut self, begin: usize) {
        match memchr::memchr(b'}', &self.text[begin..]) {
            Some(length) => self.at = begin + length + 1,
            None => self.tear(),
        }
    }

    fn skip_line(&mut self, begin: usize) {
        let length = memchr::memchr2(b'\n', b'\r', &self.text[begin..]);
        self.at = length.map_or(self.text.len(), |length| begin + length);
    }

    /// Variations stand inside variations, as deep as somebody likes.
    fn skip_variation(&mut self, begin: usize) {
        let mut depth = 1_usize;
        self.at = begin + 1;
        while depth > 0 {
            let rest = &self.text[self.at..];
            let Some(length) = rest
                .iter()
                .position(|byte| matches!(byte, b'(' | b')' | b'{' | b';'))
            else {
                return self.tear();
            };
            let at = self.at + length;
            match self.text[at] {
                b'{' => self.skip_comment(at),
                b';' => self.skip_line(at),
                b'(' => {
                    depth += 1;
                    self.at = at + 1;
                }
                _ => {
                    depth -= 1;
                    self.at = at + 1;
                }
            }
            if self.is_torn {
                return;
            }
        }
    }

    fn tear(&mut self) {
        self.at = self.text.len();
        self.is_torn = true;
    }

    fn is_at_line_start(&self, at: usize) -> bool {
        at == 0 || matches!(self.text[at - 1], b'\n' | b'\r')
    }
}

impl<'t> Iterator for Walk<'t> {
    type Item = Item<'t>;

    fn next(&mut self) -> Option<Item<'t>> {
        loop {
            // Blanks, moves, numbers and comments are nearly all there is.
            let rest = &self.text[self.at..];
            let blank = rest.iter().position(|&byte| class(byte) != Class::Blank);
            let Some(blank) = blank else {
                self.at = self.text.len();
                return None;
            };
            let at = self.at + blank;
            let class = class(self.text[at]);
            if class == Class::Letter {
                let token = self.token(at);
                if token != b"e" && token != b"p" && token != b"ep" {
                    return Some(Item::Move(bare(token)));
                }
                // The letters of `e.p.`.
            } else if class == Class::Digit {
                return Some(self.digits(at));
            } else if class == Class::Comment {
                self.skip_comment(at);
            } else if class == Class::Star {
                self.at = at + 1;
                return Some(Item::Result(&self.text[at..=at]));
            } else {
                self.skip(class, at);
            }
        }
    }
}

#[inline(always)]
fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

#[inline(always)]
fn is_of_token(byte: u8) -> bool {
    OF_TOKEN[byte as usize]
}

static OF_TOKEN: [bool; 256] = {
    let mut of_token = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        of_token[byte] = letter.is_ascii_alphanumeric()
            || matches!(letter, b'-' | b'+' | b'#' | b'=' | b'/' | b':' | b'@');
        byte += 1;
    }
    of_token
};

/// A move without its signs of check and mate.
fn bare(token: &[u8]) -> &[u8] {
    let signs = token
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'+' | b'#'));
    &token[..token.len() - signs.count()]
}

/// The castling that a move as it is written stands for; whether it is to the h-side.
pub fn castling(text: &[u8]) -> Option<bool> {
    match text {
        b"O-O" | b"0-0" => Some(true),
        b"O-O-O" | b"0-0-0" => Some(false),
        _ => None,
    }
}

/// When White and Black castled, in a game of which `plies` have been walked with this outcome.
///
/// The rest of the game is searched for the letters of castling, and walked as far as there are any.
pub fn castles(walk: &mut Walk, plies: &mut u32, castled: &mut [Option<Castled>; 2]) {
    while castled.iter().any(Option::is_none) && holds_castling(walk.rest()) {
        loop {
            match walk.next() {
                Some(Item::Move(text)) => {
                    *plies += 1;
                    if note_castling(text, *plies, castled) {
                        break;
                    }
                }
                Some(Item::Number(_)) => {}
                Some(Item::Result(_)) | None => return,
            }
        }
    }
}

/// Writes down a castling move; `false` if the move is none.
pub fn note_castling(text: &[u8], ply: u32, castled: &mut [Option<Castled>; 2]) -> bool {
    let Some(is_h_side) = castling(text) else {
        return false;
    };
    let player = &mut castled[(ply as usize + 1) % 2];
    player.get_or_insert(Castled { ply, is_h_side });
    true
}

fn holds_castling(text: &[u8]) -> bool {
    memmem::find(text, b"O-O").is_some() || memmem::find(text, b"0-0").is_some()
}

/// The number of plies of a game: of a game that numbers its moves from `first`, read off its last move, otherwise
/// counted.
pub fn length(movetext: &[u8], walk: &Walk, plies: u32, first: Option<u32>) -> u32 {
    let numbered = first.and_then(|first| length_by_number(movetext, first));
    let is_plausible = |length: &u32| {
        // A move is at least two letters and a blank.
        *length >= plies && u64::from(*length) * 3 <= movetext.len() as u64 + 3
    };
    numbered.filter(is_plausible).unwrap_or_else(|| {
        let moves = walk
            .clone()
            .take_while(|item| !matches!(item, Item::Result(_)));
        let moves = moves.filter(|item| matches!(item, Item::Move(_))).count();
        plies.saturating_add(moves as u32)
    })
}

/// Reads the end of the movetext backwards: a result, a move, perhaps another one, and a number, with comments between
/// them. Anything else gives nothing.
fn length_by_number(movetext: &[u8], first: u32) -> Option<u32> {
    let mut rest = movetext;
    let mut moves = 0;
    let mut result_seen = false;
    loop {
        rest = trim_blank(rest);
        let (&last, _) = rest.split_last()?;
        if last == b'}' {
            rest = &rest[..memchr::memrchr(b'{', rest)?];
            continue;
        }
        let dots = rest.iter().rev().take_while(|byte| **byte == b'.').count();
        if dots > 0 {
            let number = number_at_end(&rest[..rest.len() - dots])?;
            let full = number.checked_sub(first)?.checked_mul(2)?;
            return match (dots, moves) {
                (3, 1) => full.checked_add(2),
                (1, 1 | 2) => full.checked_add(moves),
                _ => None,
            };
        }
        let token = token_at_end(rest);
        match token {
            b"1-0" | b"0-1" | b"1/2-1/2" | b"*" if moves == 0 && !result_seen => result_seen = true,
            _ if is_move(token) && moves < 2 => moves += 1,
            _ => return None,
        }
        rest = &rest[..rest.len() - token.len()];
    }
}

fn trim_blank(text: &[u8]) -> &[u8] {
    let blank = text
        .iter()
        .rev()
        .take_while(|&&byte| super::cut::is_blank(byte));
    &text[..text.len() - blank.count()]
}

fn token_at_end(text: &[u8]) -> &[u8] {
    let of_token = text
        .iter()
        .rev()
        .take_while(|&&byte| is_of_token(byte) || matches!(byte, b'*' | b'!' | b'?'));
    &text[text.len() - of_token.count()..]
}

fn number_at_end(text: &[u8]) -> Option<u32> {
    let digits = text
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (before, digits) = text.split_at(text.len() - digits);
    let is_apart = before
        .last()
        .is_none_or(|&byte| super::cut::is_blank(byte) || byte == b'}');
    let number = str::from_utf8(digits).ok()?.parse().ok();
    number.filter(|_| is_apart)
}

/// Whether a token looks like a move and like nothing else.
fn is_move(token: &[u8]) -> bool {
    let begins = token
        .first()
        .is_some_and(|byte| matches!(byte, b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N' | b'O'));
    begins && token.len() >= 2 || token.starts_with(b"0-0")
}

/// The last word of a movetext, which should be its result.
pub fn last_token(movetext: &[u8]) -> &[u8] {
    token_at_end(trim_blank(movetext))
}

/// Whether a comment of this movetext is never closed.
pub fn unfinished_comment(movetext: &[u8]) -> bool {
    let open = memchr::memrchr(b'{', movetext);
    open.is_some_and(|open| memchr::memchr(b'}', &movetext[open..]).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<&str> {
        let items = Walk::new(text.as_bytes());
        let moves = items.filter_map(|item| match item {
            Item::Move(text) => Some(str::from_utf8(text).unwrap()),
            _ => None,
        });
        moves.collect()
    }

    fn whole_length(text: &str) -> u32 {
        length(text.as_bytes(), &Walk::new(text.as_bytes()), 0, None)
    }

    #[test]
    fn only_moves_are_moves() {
        let text = "{a {b} 1.e4! $1 e5?? (1... c5 (1... c6 {)} ) 2. Nf3) 2.Nf3+!? ; 3. Bb5 (\n\
                    % 4. x\nNc6# 3. exd6 e.p. 0-0 4. O-O-O+ e8=Q {%} 1/2-1/2";
        assert_eq!(
            moves(text),
            ["e4", "e5", "Nf3", "Nc6", "exd6", "0-0", "O-O-O", "e8=Q"]
        );
        let results: Vec<Item> = Walk::new(text.as_bytes())
            .filter(|item| matches!(item, Item::Result(_)))
            .collect();
        assert_eq!(results, [Item::Result(b"1/2-1/2")]);
    }

    #[test]
    fn what_is_not_closed_is_torn_and_deep_variations_are_no_matter() {
        for torn in ["1. e4 {", "1. e4 (", "1. e4 (d4 {)", "1. e4 ((("] {
            let mut walk = Walk::new(torn.as_bytes());
            assert_eq!(walk.by_ref().count(), 2, "{torn}");
            assert!(walk.is_torn(), "{torn}");
        }
        let deep = format!(
            "1. e4 {}{} e5",
            "(".repeat(1_000_000),
            ")".repeat(1_000_000)
        );
        assert_eq!(moves(&deep), ["e4", "e5"]);
    }

    #[test]
    fn the_last_number_tells_the_length_where_the_end_is_plain() {
        let by_number = |text: &str| length_by_number(text.as_bytes(), 1);
        for (text, plies) in [
            ("1. e4 1-0", 1),
            ("1. e4 e5 1-0\n\n", 2),
            ("1. e4 { x } 1... e5 { [%clk 0:01] } 1/2-1/2", 2),
            ("1. e4 e5 2. Nf3", 3),
            ("1.e4 e5 2.Nf3 Nc6#\n*", 4),
            ("40. O-O O-O-O+ {a} {b} 0-1", 80),
        ] {
            assert_eq!(by_number(text), Some(plies), "{text}");
        }
        for odd in [
            "e4 e5",
            "1. e4 (1. d4 d5) 1-0",
            "1. e4 e5 Nf3 1-0",
            "",
            "*",
            "1... 1. x",
        ] {
            assert_eq!(by_number(odd), None, "{odd}");
        }
        assert_eq!(whole_length("e4 e5 Nf3 (x) 1-0 d4"), 3);
        assert_eq!(
            length(b"1. e4 99. d4", &Walk::new(b"1. e4 99. d4"), 0, Some(1)),
            2
        );
    }

    #[test]
    fn castling_is_found_anywhere_outside_comments() {
        let text = b"1. e4 { O-O } e5 (O-O) 2. Nf3 Nc6 3. 0-0 { O-O-O } Nf6 4. Re1 O-O-O+ 1-0";
        let (mut plies, mut castled) = (0, [None; 2]);
        castles(&mut Walk::new(text), &mut plies, &mut castled);
        let [white, black] = castled.map(Option::unwrap);
        assert_eq!((white.ply, white.is_h_side), (5, true));
        assert_eq!((black.ply, black.is_h_side), (8, false));
    }
}
