//! A back rank under construction.
//!
//! Scharnagl's formula and the dice method both place pieces on the n-th free square, and both leave the last three
//! squares to rook, king and rook.

use super::{File, Piece};

/// A back rank with some of its squares still free.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PartialBackRank([Option<Piece>; 8]);

impl PartialBackRank {
    pub(super) fn put(&mut self, piece: Piece, file: File) {
        self.0[file.index()] = Some(piece);
    }

    /// Puts a piece on the free square that has `skipped` free squares to its left.
    pub(super) fn put_on_free(&mut self, piece: Piece, skipped: usize) -> File {
        let file = File::ALL
            .into_iter()
            .filter(|file| self.0[file.index()].is_none())
            .nth(skipped)
            .expect("more squares are free than are skipped");
        self.put(piece, file);
        file
    }

    /// Puts rook, king and rook on the last three free squares, the king between the rooks.
    pub(super) fn finish(mut self) -> [Piece; 8] {
        for piece in [Piece::Rook, Piece::King, Piece::Rook] {
            self.put_on_free(piece, 0);
        }
        self.0
            .map(|square| square.expect("five pieces were placed before the last three"))
    }
}
