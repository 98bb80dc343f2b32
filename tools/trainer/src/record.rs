//! A training position with the teacher's evaluation, as it is stored.

use std::io::{self, Write};

use ninesixty::chess::{Board, Color};

/// A position with White to move; positions with Black to move are flipped.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub board: Board,
    /// The teacher's evaluation, in centipawns for the side to move.
    pub value: i16,
    /// Plies from the start.
    pub ply: u16,
    /// The number of the game. All positions of a game are in the training set, or all in the validation set.
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
                u64::from_le_bytes(bytes.expect("a word has eight bytes"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_the_file() {
        let white: Board = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
            .parse()
            .unwrap();
        let black = white.flipped();
        let mut bytes = Vec::new();
        for board in [white, black] {
            let record = Record::new(&board, -31, 17, u32::MAX);
            record.write(&mut bytes).unwrap();
        }
        let records: Vec<Record> = Record::read(&bytes).collect();
        assert_eq!(records.len(), 2);
        for record in records {
            assert_eq!(record.board, white);
            assert_eq!((record.value, record.ply, record.game), (-31, 17, u32::MAX));
        }
    }
}
