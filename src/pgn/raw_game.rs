//! One game of a PGN file, of which only the tags have been read.
//!
//! [`RawGame`] borrows its text from the reader's buffer. Everything beyond the tags is read on request: the start
//! ([`RawGame::start`]), the moves ([`RawGame::moves`]) or single tokens ([`Tokens`]).

use std::borrow::Cow;

use super::bytes::{BYTE_ORDER_MARK, leading_blanks, readable};
use super::careful::CarefulGame;
use super::game_start::{GameStart, GameStartError, resolve_start};
use super::movetext::{Token, Tokens, begins_with_moves};
use super::tags::Tags;
use crate::chess::{Board, Move, MoveError};
use crate::start::DoubleStart;

/// A game as it is written in the file. Tags and moves are bytes, as PGN files come in many encodings.
#[derive(Clone, Copy, Debug)]
pub struct RawGame<'t> {
    /// Where the game begins.
    pub offset: GameOffset,
    /// The whole game, tags included.
    pub text: &'t [u8],
    /// The tags that the program uses.
    pub tags: Tags<'t>,
    /// The text after the tags: moves, comments, variations and the result.
    pub movetext: &'t [u8],
    /// Whether the game is longer than 16 MiB, so that its text is incomplete.
    pub is_overlong: bool,
}

/// Where a game begins in the text: the number of the span and the offset in that span. Offsets of the same text
/// compare in the order of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GameOffset {
    pub(super) span: u64,
    pub(super) offset: u64,
}

/// Why the moves of a game cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameMovesError {
    /// The text of the game is incomplete.
    #[error("the game is longer than 16 MiB")]
    Overlong,
    /// The movetext ends inside a comment or variation.
    #[error("a comment or variation is never closed")]
    Unterminated,
    /// A move is malformed, illegal or ambiguous. Plies count from 1.
    #[error("ply {ply} cannot be played")]
    Move {
        /// The ply of the move, counted from 1.
        ply: u32,
        /// What is wrong with the move.
        source: MoveError,
    },
}

impl<'t> RawGame<'t> {
    /// The player with the white pieces; invalid UTF-8 is replaced, and the name is empty if there is no such tag.
    pub fn white(&self) -> String {
        readable(self.tags.white)
    }

    /// The player with the black pieces, like [`RawGame::white`].
    pub fn black(&self) -> String {
        readable(self.tags.black)
    }

    /// The `Result` tag: `1-0`, `0-1`, `1/2-1/2` or `*`, or whatever the file says.
    pub fn result(&self) -> String {
        readable(self.tags.result)
    }

    /// The `Variant` tag, empty if there is none.
    pub fn variant(&self) -> String {
        readable(self.tags.variant)
    }

    /// The start that the game began from, by its `Variant` and `FEN` tags. To resolve the starts of many games, a
    /// [`StartResolver`](super::StartResolver) is faster: it remembers the FENs that it has read.
    pub fn start(&self) -> Result<GameStart, GameStartError> {
        resolve_start(self.tags.variant, self.tags.fen)
    }

    /// Whether this is not a game but other text, such as a title or a mail header before the first game: it has no
    /// tags and does not begin with moves.
    pub fn is_other_text(&self) -> bool {
        // The first byte of nearly every game is the bracket of its first tag.
        if self.text.first() == Some(&b'[') {
            return false;
        }
        let text = self.unmarked_text();
        text.get(leading_blanks(text)) != Some(&b'[') && !begins_with_moves(text)
    }

    /// Whether there is nothing but escapes and comments, as there may be before the first game.
    pub(crate) fn is_remark(&self) -> bool {
        let mut tokens = Tokens::new(self.unmarked_text());
        tokens.next().is_none() && !tokens.is_doubtful()
    }

    /// The text without a byte order mark.
    fn unmarked_text(&self) -> &'t [u8] {
        self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(self.text)
    }

    /// The moves of the main line from this start, each checked to be legal. They may be written in SAN or in UCI's
    /// coordinate notation.
    pub fn moves(&self, start: impl Into<DoubleStart>) -> Result<Vec<Move>, GameMovesError> {
        if self.is_overlong {
            return Err(GameMovesError::Overlong);
        }
        let board = Board::from_double_start(start.into());
        let mut tokens = Tokens::new(self.movetext);
        let texts = tokens
            .by_ref()
            .take_while(|token| !matches!(token, Token::Result(_)));
        let texts = texts.filter_map(|token| match token {
            Token::Move(text) => Some(readable(text).into()),
            Token::Number(_) | Token::Result(_) => None,
        });
        match play(board, texts) {
            Ok(moves) if !tokens.is_doubtful() => Ok(moves),
            _ => self.moves_with_care(board),
        }
    }

    fn moves_with_care(&self, board: Board) -> Result<Vec<Move>, GameMovesError> {
        let game = self.read_carefully();
        if game.is_unterminated {
            return Err(GameMovesError::Unterminated);
        }
        let moves = play(board, game.moves.iter().map(|text| text.as_str().into()))?;
        match game.unknown {
            None => Ok(moves),
            Some(unknown) => Err(GameMovesError::Move {
                ply: unknown.plies as u32 + 1,
                source: MoveError::Syntax(unknown.text),
            }),
        }
    }

    /// The game as pgn-reader reads it.
    pub(crate) fn read_carefully(&self) -> CarefulGame {
        let (section, movetext) = self.text.split_at(self.text.len() - self.movetext.len());
        CarefulGame::read(section, movetext)
    }
}

/// Plays moves one after the other.
fn play<'t>(
    mut board: Board,
    texts: impl Iterator<Item = Cow<'t, str>>,
) -> Result<Vec<Move>, GameMovesError> {
    let mut moves = Vec::new();
    for (ply, text) in (1..).zip(texts) {
        let mv = board
            .parse_san_or_uci(&text)
            .map_err(|source| GameMovesError::Move { ply, source })?;
        board = board.play(mv);
        moves.push(mv);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::super::tags;
    use super::*;
    use crate::start::StartId;

    fn game(text: &str) -> RawGame<'_> {
        let section = tags::read(text.as_bytes());
        RawGame {
            offset: GameOffset { span: 0, offset: 0 },
            text: text.as_bytes(),
            tags: section.tags,
            movetext: &text.as_bytes()[section.bytes..],
            is_overlong: false,
        }
    }

    fn moves(movetext: &str) -> Result<Vec<String>, GameMovesError> {
        let moves = game(movetext).moves(StartId::CLASSICAL)?;
        Ok(moves.iter().map(Move::to_string).collect())
    }

    #[test]
    fn moves_are_those_of_the_main_line_in_either_notation() {
        let expected = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1h1"];
        for text in [
            "1. e4 e5 2. Nf3 (2. f4 exf4) Nc6 {Spanish} 3. Bb5 a6 4. O-O 1-0 5. Zz9",
            "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 a7a6 4. e1g1",
        ] {
            assert_eq!(moves(text).unwrap(), expected, "{text}");
        }
        assert_eq!(moves("*"), Ok(Vec::new()));
    }

    #[test]
    fn the_ply_that_cannot_be_played_is_named() {
        for (text, ply) in [("1. e4 e4", 2), ("1. e5", 1), ("1. e4 e5 2. Nd2", 3)] {
            let error = moves(text).unwrap_err();
            assert!(
                matches!(error, GameMovesError::Move { ply: found, .. } if found == ply),
                "{text}: {error}"
            );
        }
        assert_eq!(moves("1. e4 { e5"), Err(GameMovesError::Unterminated));
        let overlong = RawGame {
            is_overlong: true,
            ..game("1. e4 *")
        };
        assert_eq!(
            overlong.moves(StartId::CLASSICAL),
            Err(GameMovesError::Overlong)
        );
    }

    #[test]
    fn names_in_another_encoding_are_readable() {
        let game = game("[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n1. e4 1-0");
        let latin = Tags {
            black: b"Andr\xe9",
            ..game.tags
        };
        let game = RawGame {
            tags: latin,
            ..game
        };
        assert_eq!(
            (game.white(), game.black()),
            ("Ann".into(), "Andr\u{fffd}".into())
        );
        assert_eq!((game.result(), game.variant()), ("1-0".into(), "".into()));
        assert_eq!(
            game.start().unwrap().start.single(),
            Some(StartId::CLASSICAL)
        );
    }
}
