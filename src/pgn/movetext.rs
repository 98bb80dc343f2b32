//! The movetext of a game as tokens.
//!
//! [`Tokens`] takes movetext and yields move numbers, moves and results, as they are written; comments, variations,
//! annotations and escapes are skipped. No move is played here. Two questions about a whole game are answered without
//! tokenising all of it: [`count_plies`] reads the number of the last move, and [`find_castling`] searches for the
//! letters of castling.
//!
//! The scanner is made for the movetext that programs write. It notices what it would have to guess about
//! ([`Tokens::is_doubtful`]), and such a game is read again with care.

use super::bytes::{is_blank, trailing_blanks};
use super::result::standard_result;
use super::san_text::{SanText, is_annotation_after_move};
use crate::table::read::parse_digits;

/// A token of the movetext's main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// A move number, `12.` or `12...`.
    Number(u32),
    /// A move as it is written, without `+`, `#`, `!` and `?`.
    Move(&'t [u8]),
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'t [u8]),
}

/// An iterator over the tokens of movetext.
#[derive(Clone, Debug)]
pub struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
    is_unterminated: bool,
    /// Whether something was skipped or returned that may not be what it was taken for.
    is_odd: bool,
}

/// A castling move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Castled {
    /// The ply of the move, from 1.
    pub ply: u32,
    /// Whether the king castled to the h-side.
    pub is_h_side: bool,
}

/// What a token or a skipped part that begins with a byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
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

static BYTE_CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            // The periods of move numbers separate tokens like white space.
            b'.' => ByteClass::Blank,
            blank if is_blank(blank) => ByteClass::Blank,
            b'0'..=b'9' => ByteClass::Digit,
            b'a'..=b'z' | b'A'..=b'Z' | b'-' => ByteClass::Letter,
            b'{' => ByteClass::Comment,
            b';' => ByteClass::LineComment,
            b'(' => ByteClass::Variation,
            b'$' | b'!' | b'?' => ByteClass::Annotation,
            b'%' => ByteClass::Escape,
            b'*' => ByteClass::Star,
            _ => ByteClass::Other,
        };
        byte += 1;
    }
    classes
};

impl<'t> Tokens<'t> {
    /// The tokens of this movetext.
    pub fn new(movetext: &'t [u8]) -> Tokens<'t> {
        Tokens {
            text: movetext,
            at: 0,
            is_unterminated: false,
            is_odd: false,
        }
    }

    /// Whether the text ended inside a comment or a variation.
    pub fn is_unterminated(&self) -> bool {
        self.is_unterminated
    }

    /// Whether the tokens so far are reason to read the game again with care: a comment or variation is not
    /// closed, there are characters that do not belong into movetext, a token is neither a move nor a result, or
    /// castling is written with lower-case letters. A move that cannot be played is another reason, which only the board
    /// shows.
    pub fn is_doubtful(&self) -> bool {
        self.is_unterminated || self.is_odd
    }

    /// The text after the last token.
    pub fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    /// The longest token that begins at an offset.
    fn token(&mut self, begin: usize) -> &'t [u8] {
        let rest = &self.text[begin..];
        let length = rest.iter().position(|&byte| !is_token_byte(byte));
        self.at = begin + length.unwrap_or(rest.len());
        &self.text[begin..self.at]
    }

    /// The token that begins with a digit: a move number, a result, or castling written with zeros.
    fn number_or_result(&mut self, begin: usize) -> Token<'t> {
        let rest = &self.text[begin..];
        // Length and value in one pass, as every move number comes through here.
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
                    Token::Move(without_check_sign(token))
                } else {
                    self.is_odd |= !matches!(token, b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2");
                    Token::Result(token)
                }
            }
            _ => {
                self.at = begin + digits;
                Token::Number(number)
            }
        }
    }

    /// Skips what is rare in movetext.
    #[cold]
    fn skip(&mut self, class: ByteClass, at: usize) {
        match class {
            ByteClass::LineComment => self.skip_line(at),
            ByteClass::Variation => self.skip_variation(at),
            ByteClass::Annotation => {
                let digits = self.text[at + 1..].iter();
                let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
                self.at = at + 1 + digits;
            }
            ByteClass::Escape if self.is_at_line_start(at) => self.skip_line(at),
            _ => {
                self.is_odd = true;
                self.at = at + 1;
            }
        }
    }

    #[inline]
    fn skip_comment(&mut self, begin: usize) {
        match memchr::memchr(b'}', &self.text[begin..]) {
            Some(length) => self.at = begin + length + 1,
            None => self.end_unterminated(),
        }
    }

    fn skip_line(&mut self, begin: usize) {
        let length = memchr::memchr2(b'\n', b'\r', &self.text[begin..]);
        self.at = length.map_or(self.text.len(), |length| begin + length);
    }

    /// Skips a variation and those nested in it. A counter and no recursion, as files may nest them to any depth.
    fn skip_variation(&mut self, begin: usize) {
        let mut depth = 1_usize;
        self.at = begin + 1;
        while depth > 0 {
            let rest = &self.text[self.at..];
            let Some(length) = rest
                .iter()
                .position(|byte| matches!(byte, b'(' | b')' | b'{' | b';' | b'%'))
            else {
                return self.end_unterminated();
            };
            let at = self.at + length;
            match self.text[at] {
                b'{' => self.skip_comment(at),
                b';' => self.skip_line(at),
                b'%' if self.is_at_line_start(at) => self.skip_line(at),
                b'%' => self.at = at + 1,
                b'(' => {
                    depth += 1;
                    self.at = at + 1;
                }
                _ => {
                    depth -= 1;
                    self.at = at + 1;
                }
            }
            if self.is_unterminated {
                return;
            }
        }
    }

    fn end_unterminated(&mut self) {
        self.at = self.text.len();
        self.is_unterminated = true;
    }

    fn is_at_line_start(&self, at: usize) -> bool {
        at == 0 || matches!(self.text[at - 1], b'\n' | b'\r')
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            // White space, moves, numbers and comments make up nearly all movetext, so they are tested first.
            let rest = &self.text[self.at..];
            let blank = rest
                .iter()
                .position(|&byte| class(byte) != ByteClass::Blank);
            let Some(blank) = blank else {
                self.at = self.text.len();
                return None;
            };
            let at = self.at + blank;
            let class = class(self.text[at]);
            if class == ByteClass::Letter {
                let token = self.token(at);
                if token != b"e" && token != b"p" && token != b"ep" {
                    return Some(Token::Move(without_check_sign(token)));
                }
                // `e.p.` after an en passant capture is not a move.
            } else if class == ByteClass::Digit {
                return Some(self.number_or_result(at));
            } else if class == ByteClass::Comment {
                self.skip_comment(at);
            } else if class == ByteClass::Star {
                self.at = at + 1;
                return Some(Token::Result(&self.text[at..=at]));
            } else {
                self.skip(class, at);
            }
        }
    }
}

#[inline(always)]
fn class(byte: u8) -> ByteClass {
    BYTE_CLASSES[byte as usize]
}

/// Whether a byte may be part of a move or a result.
#[inline(always)]
pub fn is_token_byte(byte: u8) -> bool {
    TOKEN_BYTES[byte as usize]
}

static TOKEN_BYTES: [bool; 256] = {
    let mut token_bytes = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        token_bytes[byte] = letter.is_ascii_alphanumeric()
            || matches!(letter, b'-' | b'+' | b'#' | b'=' | b'/' | b':' | b'@');
        byte += 1;
    }
    token_bytes
};

/// A move without the signs of check and mate at its end.
fn without_check_sign(token: &[u8]) -> &[u8] {
    let signs = token
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'+' | b'#'));
    &token[..token.len() - signs.count()]
}

/// Whether a token may not be a move: it is too short, or ends as no move does. An annotation, `N` or `+-`, looks like
/// this. Only tokens that are not played are tested, as the board knows better.
#[inline(always)]
fn is_odd_move(text: &[u8]) -> bool {
    let Some(last) = text.last().filter(|_| text.len() > 1) else {
        return true;
    };
    !matches!(
        last,
        b'1'..=b'8' | b'O' | b'0' | b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n'
    )
}

/// Whether a move as it is written is castling to the h-side (`true`) or to the a-side (`false`); `None` for other
/// moves.
fn castling_side(text: &[u8]) -> Option<bool> {
    match text {
        b"O-O" | b"0-0" => Some(true),
        b"O-O-O" | b"0-0-0" => Some(false),
        _ => None,
    }
}

impl Castled {
    /// Records the move for the player who made it, unless that player has castled before. White moves at odd plies and
    /// comes first.
    pub fn record(self, castled: &mut [Option<Castled>; 2]) {
        let player = &mut castled[(self.ply as usize + 1) % 2];
        player.get_or_insert(self);
    }

    /// Records the move at a ply if it is castling, by its letters.
    pub fn record_text(text: &[u8], ply: u32, castled: &mut [Option<Castled>; 2]) {
        if let Some(is_h_side) = castling_side(text) {
            Castled { ply, is_h_side }.record(castled);
        }
    }
}

/// Records when White and Black castled in the rest of a game. `plies` is the number of moves before the next token,
/// and `castled` what is known about them.
///
/// SAN cannot express castling without the letters `O-O` or `0-0`. If the rest of the game does not contain them, it is
/// not tokenised. If it does, the tokens show whether they are a move or part of a comment or variation. A game in UCI
/// notation has to be played instead.
pub fn find_castling(tokens: &mut Tokens, plies: &mut u32, castled: &mut [Option<Castled>; 2]) {
    while castled.iter().any(Option::is_none) && contains_castling(tokens.rest()) {
        loop {
            match tokens.next() {
                Some(Token::Move(text)) => {
                    *plies += 1;
                    tokens.is_odd |= is_odd_move(text);
                    if let Some(is_h_side) = castling_side(text) {
                        let ply = *plies;
                        Castled { ply, is_h_side }.record(castled);
                        break;
                    }
                }
                Some(Token::Number(_)) => {}
                Some(Token::Result(_)) | None => return,
            }
        }
    }
}

/// Searches for the letters of castling. Lower-case ones make the game doubtful once their token is reached.
///
/// All spellings have a hyphen in the middle, and movetext has few others, so one search finds them all.
fn contains_castling(text: &[u8]) -> bool {
    memchr::memchr_iter(b'-', text).any(|at| {
        let around = text.get(at.wrapping_sub(1)..at + 2);
        matches!(around, Some(b"O-O" | b"0-0" | b"o-o"))
    })
}

/// The number of plies of a game, of which `plies` are before the next of the `tokens`. `first` is the first move
/// number of the game.
///
/// Moves are numbered consecutively, so the last number and the moves after it give the length. Where the end of the
/// movetext has no such form, or the number is implausible, the rest of the tokens is counted.
pub fn count_plies(movetext: &[u8], tokens: &Tokens, plies: u32, first: Option<u32>) -> u32 {
    let mut tokens = tokens.clone();
    count_rest(movetext, &mut tokens, plies, first)
}

/// Like [`count_plies`]. Where the rest of the tokens is counted, they show whether the game is doubtful.
pub fn count_rest(movetext: &[u8], tokens: &mut Tokens, plies: u32, first: Option<u32>) -> u32 {
    let numbered = first.and_then(|first| plies_by_last_number(movetext, first));
    let is_plausible = |length: &u32| {
        // A move takes at least two letters and a space, so a larger number cannot be true.
        *length >= plies && u64::from(*length) * 3 <= movetext.len() as u64 + 3
    };
    numbered.filter(is_plausible).unwrap_or_else(|| {
        let mut plies = plies;
        loop {
            match tokens.next() {
                Some(Token::Move(text)) => {
                    plies = plies.saturating_add(1);
                    tokens.is_odd |= is_odd_move(text);
                }
                Some(Token::Number(_)) => {}
                Some(Token::Result(_)) | None => return plies,
            }
        }
    })
}

/// Reads the end of the movetext backwards: a result, one or two moves and a move number, with comments between them.
/// Any other form gives `None`.
///
/// One period and one or two moves (`12. e4 e5`), or three periods and one move (`12... e5`), are the only forms in
/// which the number determines the ply of the last move. The end of a variation is another form because of its
/// parenthesis.
fn plies_by_last_number(movetext: &[u8], first: u32) -> Option<u32> {
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
            if has_remark(movetext, rest.len()) {
                return None;
            }
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

/// Whether there may be escapes or line comments after an offset of a movetext, or on the same line before it. A line
/// that is longer than the part that is searched is not a comment: it would contain half of the game.
fn has_remark(movetext: &[u8], at: usize) -> bool {
    const MAX_LINE_BYTES: usize = 128;
    let floor = at.saturating_sub(MAX_LINE_BYTES);
    memchr::memchr2_iter(b';', b'%', &movetext[floor..]).any(|at| {
        let at = floor + at;
        movetext[at] == b';' || at == 0 || matches!(movetext[at - 1], b'\n' | b'\r')
    })
}

fn trim_blank(text: &[u8]) -> &[u8] {
    &text[..text.len() - trailing_blanks(text)]
}

fn token_at_end(text: &[u8]) -> &[u8] {
    let token = text
        .iter()
        .rev()
        .take_while(|&&byte| is_token_byte(byte) || matches!(byte, b'*' | b'!' | b'?'));
    &text[text.len() - token.count()..]
}

fn number_at_end(text: &[u8]) -> Option<u32> {
    let digits = text
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (before, digits) = text.split_at(text.len() - digits);
    let is_token = before
        .last()
        .is_none_or(|&byte| is_blank(byte) || byte == b'}');
    parse_digits(digits).filter(|_| is_token)
}

/// Whether a token can only be a move.
fn is_move(token: &[u8]) -> bool {
    let begins = token
        .first()
        .is_some_and(|byte| matches!(byte, b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N' | b'O'));
    begins && token.len() >= 2 || token.starts_with(b"0-0")
}

/// The result of a movetext; `None` if there is none or the movetext is doubtful.
pub fn find_result(movetext: &[u8]) -> Option<&[u8]> {
    let mut tokens = Tokens::new(movetext);
    let result = tokens.find_map(|token| match token {
        Token::Result(text) => Some(text),
        Token::Number(_) | Token::Move(_) => None,
    });
    result.filter(|_| !tokens.is_doubtful())
}

/// Whether a text begins with a move or a result, as a game without tags does.
pub fn begins_with_moves(text: &[u8]) -> bool {
    let mut tokens = Tokens::new(text).filter(|token| !matches!(token, Token::Number(_)));
    match tokens.next() {
        Some(Token::Move(text)) => {
            let san = SanText::read(text);
            san.is_some_and(|san| is_annotation_after_move(&text[san.bytes..]))
        }
        Some(Token::Result(text)) => standard_result(text).is_some(),
        Some(Token::Number(_)) | None => false,
    }
}

/// Whether a comment of this movetext seems never to be closed.
///
/// A comment that lacks its `}` reaches to the end of the movetext, so no `}` follows the last `{`. A lone `{` in a
/// line comment or an escape looks the same.
pub fn has_unterminated_comment(movetext: &[u8]) -> bool {
    let open = memchr::memrchr(b'{', movetext);
    open.is_some_and(|open| memchr::memchr(b'}', &movetext[open..]).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<&str> {
        let tokens = Tokens::new(text.as_bytes());
        let moves = tokens.filter_map(|token| match token {
            Token::Move(text) => Some(str::from_utf8(text).unwrap()),
            _ => None,
        });
        moves.collect()
    }

    fn plies_by_counting(text: &str) -> u32 {
        count_plies(text.as_bytes(), &Tokens::new(text.as_bytes()), 0, None)
    }

    #[test]
    fn comments_variations_and_annotations_are_not_moves() {
        let text = "{a {b} 1.e4! $1 e5?? (1... c5 (1... c6 {)} ) 2. Nf3) 2.Nf3+!? ; 3. Bb5 (\n\
                    % 4. x\nNc6# 3. exd6 e.p. 0-0 4. O-O-O+ e8=Q {%} 1/2-1/2";
        assert_eq!(
            moves(text),
            ["e4", "e5", "Nf3", "Nc6", "exd6", "0-0", "O-O-O", "e8=Q"]
        );
        let results: Vec<Token> = Tokens::new(text.as_bytes())
            .filter(|token| matches!(token, Token::Result(_)))
            .collect();
        assert_eq!(results, [Token::Result(b"1/2-1/2")]);
    }

    #[test]
    fn unclosed_comments_and_variations_are_unterminated_and_nesting_is_unlimited() {
        for text in ["1. e4 {", "1. e4 (", "1. e4 (d4 {)", "1. e4 ((("] {
            let mut tokens = Tokens::new(text.as_bytes());
            assert_eq!(tokens.by_ref().count(), 2, "{text}");
            assert!(tokens.is_unterminated(), "{text}");
        }
        let deep = format!(
            "1. e4 {}{} e5",
            "(".repeat(1_000_000),
            ")".repeat(1_000_000)
        );
        assert_eq!(moves(&deep), ["e4", "e5"]);
    }

    #[test]
    fn the_last_move_number_gives_the_length_of_a_regular_game() {
        let by_number = |text: &str| plies_by_last_number(text.as_bytes(), 1);
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
        for irregular in [
            "e4 e5",
            "1. e4 (1. d4 d5) 1-0",
            "1. e4 e5 Nf3 1-0",
            "",
            "*",
            "1... 1. x",
        ] {
            assert_eq!(by_number(irregular), None, "{irregular}");
        }
        assert_eq!(plies_by_counting("e4 e5 Nf3 (x) 1-0 d4"), 3);
        assert_eq!(
            count_plies(b"1. e4 99. d4", &Tokens::new(b"1. e4 99. d4"), 0, Some(1)),
            2
        );
    }

    #[test]
    fn castling_is_found_anywhere_outside_comments() {
        let text = b"1. e4 { O-O } e5 (O-O) 2. Nf3 Nc6 3. 0-0 { O-O-O } Nf6 4. Re1 O-O-O+ 1-0";
        let (mut plies, mut castled) = (0, [None; 2]);
        find_castling(&mut Tokens::new(text), &mut plies, &mut castled);
        let [white, black] = castled.map(Option::unwrap);
        assert_eq!((white.ply, white.is_h_side), (5, true));
        assert_eq!((black.ply, black.is_h_side), (8, false));
    }
}
