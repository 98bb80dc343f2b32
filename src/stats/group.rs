//! The groups that games are counted in.

use super::line_record::GroupCode;
use crate::start::{DoubleNumbering, DoubleStart};

/// The bits of a [`GroupCode`] below the number of the start.
const KEY_BITS: usize = 26;

impl GroupCode {
    /// The code of the games from a start. Codes sort like the starts.
    pub fn of(start: DoubleStart) -> GroupCode {
        GroupCode(u64::from(DoubleNumbering::WhiteFirst.number(start)) << KEY_BITS)
    }

    /// The start; `None` if the code is not one that [`of`](GroupCode::of) gives.
    pub fn start(self) -> Option<DoubleStart> {
        let number = u32::try_from(self.0 >> KEY_BITS).ok()?;
        DoubleNumbering::WhiteFirst.double_start(number).ok()
    }
}
