//! The serialised form of a move: its UCI text.
//!
//! A move is only meaningful in its position, so there is no `Deserialize`: the texts are read back with
//! [`Board::parse_line`](super::Board::parse_line), which checks that they are legal.

use serde::{Serialize, Serializer};

use super::moves::Move;

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
