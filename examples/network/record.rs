//! A position to learn from, and what the teacher says of it.

use std::io::{self, Write};

use ninesixty::chess::{Board, Color};

/// A position with White to move: one of Black's is turned round.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub board: Board,
    /// What the side to move has, in centipawns.
    pub value: i16,
    /// Plies from the start.
    pub ply: u16,
    /// Positions of one game are learned from together or not at all.
    pub game: u32,
}

const BYTES: usize = 40;

impl Record {
    pub fn new(board: &Board, value: i16, ply: u16, game: u32) -> Record {
        let board = match board.turn() {
            Color::White => *board,
            Color::Black => board.flipped(),
        };
        Record {
            board,
            value,
            ply,
            game,
        }
    }

    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        for word in self.board.pack() {
            to.write_all(&word.to_le_bytes())?;
        }
        to.write_all(&self.value.to_le_bytes())?;
        to.write_all(&self.ply.to_le_bytes())?;
        to.write_all(&self.game.to_le_bytes())
    }

    /// All records of a file's bytes.
    pub fn read(bytes: &[u8]) -> impl Iterator<Item = Record> {
        bytes.chunks_exact(BYTES).map(|bytes| {
            let word = |index: usize| {
                let bytes = bytes[8 * index..][..8].try_into();
                u64::from_le_bytes(bytes.expect("eight of them"))
            };
            let packed = [word(0), word(1), word(2), word(3)];
            let last = word(4);
            Record {
                board: Board::unpack(packed, Color::White),
                value: last as i16,
                ply: (last >> 16) as u16,
                game: (last >> 32) as u32,
            }
        })
    }
}
