//! The careful path: one game as [pgn-reader](https://docs.rs/pgn-reader) reads it.
//!
//! The scanner ([`super::movetext`]) is fast because it takes the usual for granted. A game that gives it reason to doubt
//! ([`super::Tokens::is_doubtful`], or a move that cannot be played) is read by an independent parser instead, and the
//! option `--reader pgn-reader` reads every game with it, so that the two can be compared.
//!
//! pgn-reader ends a game at a blank line, ends the tags at a quotation mark that lacks its escape, and drops tokens that
//! it does not know. It gets a copy of the text in which there is none of this: exactly one game, one tag per line,
//! escapes where they are missing, `\n` as the only line end, moves and results in the spelling of the standard. What
//! remains unknown is remembered, so that it is not dropped silently.

use std::ops::ControlFlow;

use pgn_reader::{Outcome, RawTag, Reader, SanPlus, Skip, Visitor};

use super::bytes::{BYTE_ORDER_MARK, leading_blanks, readable};
use super::movetext::is_token_byte;
use super::result::standard_result;
use super::san_text::{SanText, is_annotation, is_annotation_after_move};
use super::tags::{self, TagName, Tags};

/// The tags and the main line of one game.
#[derive(Debug, Default)]
pub struct CarefulGame {
    tags: Vec<(TagName, Vec<u8>)>,
    /// The moves of the main line in SAN or in UCI's coordinate notation, without signs of check and mate.
    pub moves: Vec<String>,
    /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`; `None` if the movetext has none.
    pub result: Option<&'static [u8]>,
    /// Whether the movetext ends inside a comment or a variation.
    pub is_unterminated: bool,
    /// The first token of the main line that is neither a move nor an annotation.
    pub unknown: Option<UnknownToken>,
}

/// A token that is neither a move nor an annotation.
#[derive(Clone, Debug)]
pub struct UnknownToken {
    /// The number of moves before it.
    pub plies: usize,
    /// The token.
    pub text: String,
}

impl CarefulGame {
    /// Reads a game. `section` is its tag section and `movetext` the text after it.
    pub fn read(section: &[u8], movetext: &[u8]) -> CarefulGame {
        let mut text = Vec::with_capacity(section.len() + movetext.len() + 64);
        let longest_line = write_tags(section, &mut text);
        let mut rewriter = MovetextRewriter::new(movetext, &mut text);
        rewriter.run();
        let unknown = rewriter.unknown;
        let mut game = CarefulGame {
            unknown,
            ..CarefulGame::default()
        };
        let mut visitor = GameVisitor {
            game: &mut game,
            is_in_variation: false,
        };
        let read = Reader::build(&text[..])
            .set_supported_tag_line_length(longest_line)
            .finish()
            .read_game(&mut visitor);
        // The text is in memory, so the only error is a comment without an end.
        let is_unterminated = read.is_err() || visitor.is_in_variation;
        game.is_unterminated = is_unterminated;
        game
    }

    /// The tags that the program uses.
    pub fn tags(&self) -> Tags<'_> {
        let mut tags = Tags::default();
        for (name, value) in &self.tags {
            tags.set(*name, value);
        }
        tags
    }
}

/// Writes the tags of a section, one per line, and returns the length of the longest line. Quotation marks and
/// backslashes are escaped, so that the value is read back as it is written in the file.
fn write_tags(section: &[u8], out: &mut Vec<u8>) -> usize {
    let mut longest = 0;
    let mut rest = section.strip_prefix(BYTE_ORDER_MARK).unwrap_or(section);
    loop {
        rest = &rest[leading_blanks(rest)..];
        if rest.is_empty() {
            return longest;
        }
        let Some((name, value, bytes)) = tags::tag(rest) else {
            // A remark; there is nothing else between tags.
            rest = &rest[tags::line_bytes(rest)..];
            continue;
        };
        let begin = out.len();
        out.push(b'[');
        out.extend_from_slice(name);
        out.extend_from_slice(b" \"");
        for &byte in value {
            match byte {
                b'"' | b'\\' => out.extend([b'\\', byte]),
                b'\n' | b'\r' => out.push(b' '),
                _ => out.push(byte),
            }
        }
        out.extend_from_slice(b"\"]\n");
        longest = longest.max(out.len() - begin);
        rest = &rest[bytes..];
    }
}

/// Writes movetext in the spelling of the standard.
struct MovetextRewriter<'t> {
    text: &'t [u8],
    at: usize,
    out: &'t mut Vec<u8>,
    /// The number of variations around the current position.
    depth: usize,
    /// The number of moves written.
    plies: usize,
    unknown: Option<UnknownToken>,
    has_ended: bool,
}

impl<'t> MovetextRewriter<'t> {
    fn new(text: &'t [u8], out: &'t mut Vec<u8>) -> MovetextRewriter<'t> {
        out.push(b'\n');
        MovetextRewriter {
            text,
            at: 0,
            out,
            depth: 0,
            plies: 0,
            unknown: None,
            has_ended: false,
        }
    }

    /// Rewrites the text up to the result of the game; what comes after it is not part of the game.
    fn run(&mut self) {
        while !self.has_ended
            && let Some(&byte) = self.text.get(self.at)
        {
            match byte {
                b'{' => self.copy_comment(),
                b';' => self.skip_line(),
                b'%' if self.is_at_line_start() => self.skip_line(),
                b'(' => {
                    self.depth += 1;
                    self.copy_byte();
                }
                b')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.copy_byte();
                }
                b'\n' | b'\r' => {
                    // Never two in a row: a blank line would end the game.
                    if self.out.last() != Some(&b'\n') {
                        self.out.push(b'\n');
                    }
                    self.at += 1;
                }
                b'$' => self.copy_glyph(),
                b'.' | b'!' | b'?' => self.copy_byte(),
                b'*' => self.write_word(b"*"),
                _ => self.copy_word(),
            }
        }
        self.out.push(b'\n');
    }

    fn is_at_line_start(&self) -> bool {
        self.at == 0 || matches!(self.text[self.at - 1], b'\n' | b'\r')
    }

    fn copy_byte(&mut self) {
        self.out.push(self.text[self.at]);
        self.at += 1;
    }

    fn copy_comment(&mut self) {
        let rest = &self.text[self.at..];
        let length = memchr::memchr(b'}', rest).map_or(rest.len(), |at| at + 1);
        self.out.extend_from_slice(&rest[..length]);
        self.at += length;
    }

    fn skip_line(&mut self) {
        self.at += tags::line_bytes(&self.text[self.at..]);
    }

    /// A numeric annotation glyph, `$1`.
    fn copy_glyph(&mut self) {
        let rest = &self.text[self.at + 1..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.out.push(b' ');
        self.out
            .extend_from_slice(&self.text[self.at..=self.at + digits]);
        self.out.push(b' ');
        self.at += 1 + digits;
    }

    fn copy_word(&mut self) {
        let rest = &self.text[self.at..];
        let is_word = |byte: u8| is_token_byte(byte) || !byte.is_ascii();
        let length = rest.iter().position(|&byte| !is_word(byte));
        let word = &rest[..length.unwrap_or(rest.len())];
        if word.is_empty() {
            // White space, or a character that has no meaning in movetext, such as a bracket.
            self.out.push(b' ');
            self.at += 1;
        } else {
            self.write_word(word);
        }
    }

    fn write_word(&mut self, word: &[u8]) {
        self.at += word.len();
        // Nothing in a variation is part of the main line.
        if self.depth > 0 {
            self.out.push(b' ');
            return;
        }
        if let Some(result) = standard_result(word) {
            self.write_token(result);
            self.has_ended = true;
            return;
        }
        if word.is_ascii() {
            return self.write_ascii_word(word);
        }
        // Figurines are pieces. Any other character beyond ASCII is an annotation, such as `±`.
        let text = with_letters_for_figurines(word);
        for part in text.split(|byte| !byte.is_ascii()) {
            self.write_ascii_word(part);
        }
    }

    fn write_ascii_word(&mut self, word: &[u8]) {
        if word.is_empty() || is_annotation(word) {
            self.out.push(b' ');
            return;
        }
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && !word.starts_with(b"0-0") {
            let (number, rest) = word.split_at(digits);
            self.write_token(number);
            return self.write_ascii_word(rest);
        }
        if let Some(san) = SanText::read(word)
            && is_annotation_after_move(&word[san.bytes..])
        {
            self.plies += 1;
            return self.write_token(&san.standard);
        }
        let plies = self.plies;
        self.unknown.get_or_insert_with(|| UnknownToken {
            plies,
            text: readable(word),
        });
    }

    fn write_token(&mut self, token: &[u8]) {
        self.out.push(b' ');
        self.out.extend_from_slice(token);
        self.out.push(b' ');
    }
}

/// A word with the letters of English notation in the place of figurines, U+2654 to U+265F.
fn with_letters_for_figurines(word: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&first, after)) = rest.split_first() {
        if let [0xe2, 0x99, figurine @ 0x94..=0x9f, after @ ..] = rest {
            // King, queen, rook, bishop, knight and pawn, White's and then Black's. A pawn has no letter.
            let letters = b"KQRBN";
            let piece = usize::from(figurine - 0x94) % 6;
            text.extend(letters.get(piece));
            rest = after;
        } else {
            text.push(first);
            rest = after;
        }
    }
    text
}

struct GameVisitor<'g> {
    game: &'g mut CarefulGame,
    is_in_variation: bool,
}

impl Visitor for GameVisitor<'_> {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let value = value.decode().into_owned();
        self.game.tags.push((TagName::of(name), value));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        self.game.moves.push(san.san.to_string());
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        self.is_in_variation = true;
        ControlFlow::Continue(Skip(true))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        self.is_in_variation = false;
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        self.game.result = standard_result(outcome.to_string().as_bytes());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}
