//! The opening of one game as a record of fixed size, which sorts in the order of the lines.

use super::line_cache::MAX_PLIES;
use super::tag_values::GameOutcome;
use crate::chess::PackedMove;

/// A group of games, its first moves, and what is counted about the game.
///
/// The fields are packed into a string of bits, most significant first: group, moves, outcome, White's rating, Black's
/// rating. So records sort by group and then by line, and games that share their first moves are neighbours. A line
/// that ends early is filled up with zeros, which are no move: the squares of a move differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRecord([u64; WORDS]);

/// The group of a record: its start, and the group that `--by` puts the game into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupCode(pub u64);

/// What is counted about a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineGame {
    /// How it ended.
    pub outcome: GameOutcome,
    /// White's rating and Black's.
    pub ratings: [Option<u16>; 2],
}

const WORDS: usize = 6;

/// The bits of the fields. A packed move has 15: two squares and a promotion.
const GROUP_BITS: usize = 46;
const MOVE_BITS: usize = 15;
const OUTCOME_BITS: usize = 2;
const RATING_BITS: usize = 14;

const OUTCOME_AT: usize = GROUP_BITS + MAX_PLIES * MOVE_BITS;
const RATINGS_AT: usize = OUTCOME_AT + OUTCOME_BITS;
const _: () = assert!(RATINGS_AT + 2 * RATING_BITS <= 64 * WORDS);

impl LineRecord {
    /// The number of bytes of a stored record.
    pub const BYTES: usize = 8 * WORDS;

    /// The record of a game.
    pub fn new(group: GroupCode, moves: &[PackedMove], game: LineGame) -> LineRecord {
        let mut record = LineRecord::default();
        record.put(0, GROUP_BITS, group.0);
        for (ply, mv) in moves.iter().take(MAX_PLIES).enumerate() {
            record.put(GROUP_BITS + ply * MOVE_BITS, MOVE_BITS, u64::from(mv.0));
        }
        record.put(OUTCOME_AT, OUTCOME_BITS, game.outcome as u64);
        for (player, rating) in game.ratings.iter().enumerate() {
            let at = RATINGS_AT + player * RATING_BITS;
            record.put(at, RATING_BITS, rating.map_or(0, u64::from));
        }
        record
    }

    /// The group.
    pub fn group(&self) -> GroupCode {
        GroupCode(self.get(0, GROUP_BITS))
    }

    /// The move at a ply, counted from 0; `None` after the end of the line.
    #[inline]
    pub fn mv(&self, ply: usize) -> Option<PackedMove> {
        let code = self.get(GROUP_BITS + ply * MOVE_BITS, MOVE_BITS);
        (ply < MAX_PLIES && code != 0).then_some(PackedMove(code as u16))
    }

    /// The outcome and the ratings.
    #[inline]
    pub fn game(&self) -> LineGame {
        let rating = |player| match self.get(RATINGS_AT + player * RATING_BITS, RATING_BITS) {
            0 => None,
            rating => Some(rating as u16),
        };
        LineGame {
            outcome: GameOutcome::ALL[self.get(OUTCOME_AT, OUTCOME_BITS) as usize],
            ratings: [rating(0), rating(1)],
        }
    }

    /// The number of plies that two lines of the same group have in common, zeros at their ends included.
    #[inline]
    pub fn common_plies(&self, other: &LineRecord) -> usize {
        let pairs = self.0.iter().zip(&other.0);
        let mut bits = 0;
        for (here, there) in pairs {
            let equal = (here ^ there).leading_zeros() as usize;
            bits += equal;
            if equal < 64 {
                break;
            }
        }
        (bits.saturating_sub(GROUP_BITS) / MOVE_BITS).min(MAX_PLIES)
    }

    /// The stored form, whose bytes sort like the records.
    pub fn to_bytes(self) -> [u8; LineRecord::BYTES] {
        let mut bytes = [0; LineRecord::BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// The record of a stored form.
    pub fn from_bytes(bytes: &[u8; LineRecord::BYTES]) -> LineRecord {
        let mut record = LineRecord::default();
        for (word, chunk) in record.0.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_be_bytes(*chunk);
        }
        record
    }

    #[inline]
    fn put(&mut self, at: usize, bits: usize, value: u64) {
        debug_assert!(value < 1 << bits);
        let (word, shift) = (at / 64, at % 64);
        // The field in the upper bits of two words.
        let field = u128::from(value) << (128 - bits - shift);
        self.0[word] |= (field >> 64) as u64;
        if shift + bits > 64 {
            self.0[word + 1] |= field as u64;
        }
    }

    #[inline(always)]
    fn get(&self, at: usize, bits: usize) -> u64 {
        let (word, shift) = (at / 64, at % 64);
        let next = self.0.get(word + 1).copied().unwrap_or(0);
        let pair = u128::from(self.0.get(word).copied().unwrap_or(0)) << 64 | u128::from(next);
        ((pair << shift) >> (128 - bits)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(group: u64, moves: &[u16], rating: Option<u16>) -> LineRecord {
        let moves: Vec<PackedMove> = moves.iter().copied().map(PackedMove).collect();
        let game = LineGame {
            outcome: GameOutcome::BlackWins,
            ratings: [rating, Some(9_999)],
        };
        LineRecord::new(GroupCode(group), &moves, game)
    }

    #[test]
    fn every_field_survives_packing_and_storing() {
        let moves: Vec<u16> = (0..20).map(|ply| 0x7fff - 7 * ply).collect();
        let packed = record((1 << 46) - 1, &moves, None);
        let stored = LineRecord::from_bytes(&packed.to_bytes());
        assert_eq!(stored, packed);
        assert_eq!(packed.group(), GroupCode((1 << 46) - 1));
        let read: Vec<u16> = (0..)
            .map_while(|ply| packed.mv(ply))
            .map(|mv| mv.0)
            .collect();
        assert_eq!(read, moves);
        assert_eq!(packed.game().ratings, [None, Some(9_999)]);
        assert_eq!(packed.game().outcome, GameOutcome::BlackWins);
        assert_eq!(record(0, &[5], Some(1)).mv(1), None);
    }

    #[test]
    fn records_sort_by_group_and_line_also_when_stored() {
        let ordered = [
            record(0, &[9, 9, 9], Some(1)),
            record(1, &[], Some(3_000)),
            record(1, &[1], Some(3_000)),
            record(1, &[1, 2], Some(1)),
            record(1, &[1, 3], None),
            record(1, &[2, 1], None),
        ];
        assert!(ordered.is_sorted());
        assert!(ordered.map(LineRecord::to_bytes).is_sorted());
    }

    #[test]
    fn common_plies_count_equal_moves_from_the_start() {
        let one = record(7, &[1, 2, 3, 4, 5, 6], None);
        assert_eq!(one.common_plies(&record(7, &[1, 2, 3, 4, 5, 7], None)), 5);
        assert_eq!(one.common_plies(&record(7, &[2], None)), 0);
        assert_eq!(one.common_plies(&record(7, &[1, 2, 3], Some(1))), 3);
        assert_eq!(
            one.common_plies(&record(7, &[1, 2, 3, 4, 5, 6], Some(1))),
            MAX_PLIES
        );
    }
}
