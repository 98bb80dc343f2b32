//! A fast hasher for maps whose keys come from the program.

use std::hash::Hasher;

/// Hashes by folded multiplication. An attacker who chooses the keys could make them collide.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoldHasher(pub u64);

impl Hasher for FoldHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = fold(self.0 ^ number);
    }
}

/// Multiplies and adds the two halves of the product.
#[inline(always)]
pub fn fold(number: u64) -> u64 {
    // 2^64 divided by the golden ratio: odd, and without a pattern in its bits.
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(number) * FACTOR;
    (product ^ product >> 64) as u64
}
