//! Representative samples of the 960 starts.
//!
//! A sample of a given size is always the same. The 960 numbers are divided into as many slices of equal length as
//! there are starts in the sample, and one start is taken from each slice. Its offset in the slice follows the golden
//! ratio, a low-discrepancy sequence: the bishops' squares repeat every 16 numbers, so with a fixed step of 16 all
//! starts would have the bishops on a1 and b1.

use std::str::FromStr;

use thiserror::Error;

use super::StartId;

/// A sample, given by its size, 1 to 960.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample(usize);

/// A text that is not the size of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a sample has 1 to 960 starts, not `{0}`")]
pub struct SampleError(String);

impl Sample {
    /// The starts of this sample in ascending order.
    pub fn starts(self) -> impl ExactSizeIterator<Item = StartId> {
        (0..self.0).map(move |slice| self.start_in(slice))
    }

    fn start_in(self, slice: usize) -> StartId {
        let first = slice * StartId::COUNT / self.0;
        let width = (slice + 1) * StartId::COUNT / self.0 - first;
        StartId::from_index(first + golden_offset(slice, width))
            .expect("the slices cover the 960 starts")
    }
}

impl FromStr for Sample {
    type Err = SampleError;

    fn from_str(text: &str) -> Result<Self, SampleError> {
        match text.parse() {
            Ok(size @ 1..=StartId::COUNT) => Ok(Sample(size)),
            _ => Err(SampleError(text.to_owned())),
        }
    }
}

/// The fractional part of `step` times the golden ratio, scaled to `width`.
fn golden_offset(step: usize, width: usize) -> usize {
    const GOLDEN: u32 = 0x9E37_79B9;
    let fraction = GOLDEN.wrapping_mul(step as u32);
    ((u64::from(fraction) * width as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::KingTableEntry;

    fn sample(size: usize) -> Vec<StartId> {
        Sample(size).starts().collect()
    }

    #[test]
    fn a_sample_of_960_is_every_start() {
        assert_eq!(sample(960), StartId::all().collect::<Vec<_>>());
    }

    #[test]
    fn every_sample_has_one_start_from_each_slice() {
        for size in 1..=960 {
            let starts = sample(size);
            assert_eq!(starts.len(), size);
            for (slice, id) in starts.into_iter().enumerate() {
                let place = id.index() * size;
                // Exact arithmetic in fractions of a slice, independent of the rounding in the code.
                assert!(
                    place + size > slice * 960 && place < (slice + 1) * 960,
                    "{size} {id}"
                );
            }
        }
    }

    #[test]
    fn a_sample_of_sixty_has_every_placement_of_the_bishops() {
        let mut codes: Vec<usize> = sample(60)
            .into_iter()
            .map(|id| KingTableEntry::from(id).bishop_code())
            .collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), 16);
    }

    #[test]
    fn a_sample_is_the_same_in_every_release() {
        let numbers: Vec<u16> = sample(6).into_iter().map(StartId::number).collect();
        // Fractions of 160: 0, .618, .236, .854, .472, .090.
        assert_eq!(
            numbers,
            [0, 160 + 98, 320 + 37, 480 + 136, 640 + 75, 800 + 14]
        );
    }

    #[test]
    fn a_size_outside_1_to_960_is_refused() {
        for text in ["0", "961", "-1", "", "ten", "99999999999999999999999"] {
            let message = text.parse::<Sample>().unwrap_err().to_string();
            assert_eq!(
                message,
                format!("a sample has 1 to 960 starts, not `{text}`")
            );
        }
        assert_eq!("96".parse(), Ok(Sample(96)));
    }
}
