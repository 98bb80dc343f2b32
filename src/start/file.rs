//! The eight files of the board, a to h.

use std::fmt;

/// One of the eight files of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum File {
    /// The first file.
    A,
    /// The second file.
    B,
    /// The third file.
    C,
    /// The fourth file.
    D,
    /// The fifth file.
    E,
    /// The sixth file.
    F,
    /// The seventh file.
    G,
    /// The eighth file.
    H,
}

impl File {
    /// The files from White's left to right.
    pub const ALL: [File; 8] = [
        File::A,
        File::B,
        File::C,
        File::D,
        File::E,
        File::F,
        File::G,
        File::H,
    ];

    /// The index of the file: 0 for the a-file, 7 for the h-file.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of the file, `a` to `h`.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// Whether White's back-rank square on this file is light, as b1 is.
    pub const fn is_light(self) -> bool {
        self.index() % 2 == 1
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_lettered_and_counted_from_the_left() {
        let letters: String = File::ALL.iter().map(File::to_string).collect();
        assert_eq!(letters, "abcdefgh");
        for (index, file) in File::ALL.into_iter().enumerate() {
            assert_eq!(file.index(), index);
        }
    }

    #[test]
    fn a1_is_dark_and_h1_is_light() {
        assert!(!File::A.is_light());
        assert!(File::H.is_light());
    }
}
