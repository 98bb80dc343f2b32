//! One game of a PGN file, of which only the tags have been read.
//!
//! [`RawGame`] borrows its text from the reader's buffer. Everything beyond the tags is read on request: the start
//! ([`RawGame::start`]), the moves ([`RawGame::moves`]) or single tokens ([`Tokens`]).

use super::game_start::{GameStart, GameStartError, resolve_start};
use super::movetext::{Token, Tokens};
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

impl RawGame<'_> {
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

    /// The moves of the main line from this start, each checked to be legal. They may be written in SAN or in UCI's
    /// coordinate notation.
    pub fn moves(&self, start: impl Into<DoubleStart>) -> Result<Vec<Move>, GameMovesError> {
        if self.is_overlong {
            return Err(GameMovesError::Overlong);
        }
        let mut board = Board::from_double_start(start.into());
        let mut tokens = Tokens::new(self.movetext);
        let mut moves = Vec::new();
        for token in tokens.by_ref() {
            match token {
                Token::Number(_) => {}
                Token::Result(_) => break,
                Token::Move(text) => {
                    let text = readable(text);
                    let mv = board.parse_san_or_uci(&text).map_err(|source| {
                        let ply = moves.len() as u32 + 1;
                        GameMovesError::Move { ply, source }
                    })?;
                    board = board.play(mv);
                    moves.push(mv);
                }
            }
        }
        if tokens.is_unterminated() {
            return Err(GameMovesError::Unterminated);
        }
        Ok(moves)
    }
}

/// Text with invalid UTF-8 replaced. It is copied first, because the text of a mapped file may change after it was found
/// to be valid.
fn readable(text: &[u8]) -> String {
    let copy = text.to_vec();
    String::from_utf8_lossy(&copy).into_owned()
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
