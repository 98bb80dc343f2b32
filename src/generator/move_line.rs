//! What a counter is asked about: a position and moves played from it.
//!
//! A [`Board`] keeps an en passant square only if a capture there is legal. A counter that is given the FEN of such a board
//! is never asked whether the capture is legal, and a generator that captures although its king is then in check would
//! pass. So a FEN with an en passant square that the board drops is read as the position before the double push, and the
//! push: every generator then knows the square by itself, whatever it expects of the en passant field of a FEN.

use std::str::FromStr;

use crate::chess::{Board, Color, FenError, Move, Role, Setup, Square};

/// A position and legal moves played from it.
///
/// This is not the same question as the position at its end: a generator may also make the moves wrongly, for example
/// keep a castling right whose rook was captured.
#[derive(Clone, Copy, Debug)]
pub struct MoveLine<'a> {
    /// The position to begin with.
    pub board: &'a Board,
    /// The moves to play from it.
    pub moves: &'a [Move],
}

impl<'a> MoveLine<'a> {
    /// A position and no moves.
    pub fn at(board: &'a Board) -> MoveLine<'a> {
        MoveLine { board, moves: &[] }
    }

    /// The position after the moves.
    pub fn end(&self) -> Board {
        let play = |board: Board, &mv: &Move| board.play(mv);
        self.moves.iter().fold(*self.board, play)
    }
}

/// A [`MoveLine`] that owns its position and moves.
///
/// ```
/// use ninesixty::generator::MoveLineBuf;
///
/// // The pawn on e4 is pinned, so the board has no en passant square.
/// let line: MoveLineBuf = "4k3/8/8/8/3Pp3/8/8/4R1K1 b - d3 0 1".parse()?;
/// assert_eq!(line.board.x_fen(), "4k3/8/8/8/4p3/8/3P4/4R1K1 w - - 0 1");
/// assert_eq!(line.moves[0].to_string(), "d2d4");
/// # Ok::<(), ninesixty::chess::FenError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveLineBuf {
    /// The position to begin with.
    pub board: Board,
    /// The moves to play from it.
    pub moves: Vec<Move>,
}

impl MoveLineBuf {
    /// The line, borrowed.
    pub fn as_line(&self) -> MoveLine<'_> {
        MoveLine {
            board: &self.board,
            moves: &self.moves,
        }
    }
}

impl From<Board> for MoveLineBuf {
    fn from(board: Board) -> MoveLineBuf {
        MoveLineBuf {
            board,
            moves: Vec::new(),
        }
    }
}

impl FromStr for MoveLineBuf {
    type Err = FenError;

    /// Reads a FEN. The line has a move only if a pawn stands where it could capture en passant, but may not, and if the
    /// position before the double push is legal.
    fn from_str(fen: &str) -> Result<MoveLineBuf, FenError> {
        let setup: Setup = fen.parse()?;
        let board = Board::try_from(setup.clone())?;
        let dropped = setup.en_passant.filter(|_| board.en_passant().is_none());
        let line = dropped.and_then(|passed| before_double_push(setup, passed));
        Ok(line.unwrap_or_else(|| board.into()))
    }
}

/// The position before the double push over this square, and the push. `None` if no pawn could capture, or if the position
/// cannot be reached in this way.
fn before_double_push(mut setup: Setup, passed: Square) -> Option<MoveLineBuf> {
    let pusher = !setup.turn;
    let forward = match pusher {
        Color::White => 8,
        Color::Black => -8,
    };
    let (from, to) = (passed.offset(-forward), passed.offset(forward));
    let has_neighbour = Square::all().any(|square| {
        square.rank() == to.rank()
            && square.file().abs_diff(to.file()) == 1
            && setup.piece_at(square) == Some((setup.turn, Role::Pawn))
    });
    if !has_neighbour {
        return None;
    }
    setup.remove(to);
    setup.place(pusher, Role::Pawn, from);
    setup.turn = pusher;
    setup.en_passant = None;
    if pusher == Color::Black {
        setup.fullmove_number = setup.fullmove_number.saturating_sub(1).max(1);
    }
    let board = Board::try_from(setup).ok()?;
    let mut moves = board.legal_moves().into_iter();
    let push = moves.find(|mv| (mv.from, mv.to) == (from, to))?;
    Some(MoveLineBuf {
        board,
        moves: vec![push],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_en_passant_square_becomes_the_double_push() {
        for (fen, before, push) in [
            // Pinned on the file, on the rank and on the diagonal, by either colour.
            (
                "4k3/8/8/8/3Pp3/8/8/4R1K1 b - d3 0 1",
                "4k3/8/8/8/4p3/8/3P4/4R1K1 w - - 0 1",
                "d2d4",
            ),
            (
                "8/8/8/K1Pp3r/8/8/8/4k3 w - d6 0 2",
                "8/3p4/8/K1P4r/8/8/8/4k3 b - - 0 1",
                "d7d5",
            ),
            (
                "7b/8/8/3pP3/8/8/1K6/4k3 w - d6 0 9",
                "7b/3p4/8/4P3/8/8/1K6/4k3 b - - 0 8",
                "d7d5",
            ),
        ] {
            let line: MoveLineBuf = fen.parse().unwrap();
            let board: Board = fen.parse().unwrap();
            assert_eq!(line.board.x_fen(), before, "{fen}");
            let moves: Vec<String> = line.moves.iter().map(Move::to_string).collect();
            assert_eq!(moves, [push], "{fen}");
            assert_eq!(line.as_line().end(), board, "{fen}");
        }
    }

    #[test]
    fn a_position_without_a_pawn_that_could_capture_stays_as_it_is() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "8/8/8/4k3/3Pp3/8/8/7K b - d3 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        ] {
            let line: MoveLineBuf = fen.parse().unwrap();
            assert_eq!(line.moves, [], "{fen}");
            assert_eq!(line.board, fen.parse().unwrap(), "{fen}");
        }
        assert!("8/8/8/8/8/8/8/8 w - - 0 1".parse::<MoveLineBuf>().is_err());
    }

    #[test]
    fn a_position_that_no_double_push_leads_to_stays_as_it_is() {
        // Before the push, the king that waits would be in check from the queen.
        let fen = "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1";
        let line: MoveLineBuf = fen.parse().unwrap();
        assert_eq!(line, fen.parse::<Board>().unwrap().into());
    }
}
