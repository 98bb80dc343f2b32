//! Tags, players, dates, and movetext in lines of 80 columns.

use std::io::Write;

use rand::{Rng, RngExt};

/// Appends a tag. Formatting into a vector never fails.
macro_rules! tag {
    ($out:expr, $name:literal, $($value:tt)*) => {
        _ = writeln!($out, "[{} \"{}\"]", $name, format_args!($($value)*))
    };
}
pub(crate) use tag;

/// A user name of two to four syllables and often a number.
pub fn player(random: &mut impl Rng) -> String {
    const SYLLABLES: [&str; 24] = [
        "an", "bor", "che", "da", "el", "fi", "gam", "ho", "iv", "jo", "kas", "lu", "mat", "nor",
        "ot", "pe", "qui", "ra", "sha", "tal", "ur", "vi", "wol", "zu",
    ];
    let mut name = String::new();
    for _ in 0..random.random_range(2..=4) {
        name.push_str(any(&SYLLABLES, random));
    }
    if random.random_bool(0.6) {
        name.push_str(&random.random_range(1..3_000).to_string());
    }
    name
}

/// A name as tournament databases write it.
pub fn full_name(random: &mut impl Rng) -> String {
    let [last, first] = [(); 2].map(|()| {
        let name = player(random);
        let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        letters[..1].to_uppercase() + &letters[1..]
    });
    format!("{last}, {first}")
}

/// A day of the years 2015 to 2024, as in a tag.
pub fn date(random: &mut impl Rng) -> String {
    format!(
        "{}.{:02}.{:02}",
        random.random_range(2015..=2024),
        random.random_range(1..=12),
        random.random_range(1..=28)
    )
}

/// A time of the day, as in a tag.
pub fn time(random: &mut impl Rng) -> String {
    let [hours, minutes, seconds] = [24, 60, 60].map(|end| random.random_range(0..end));
    format!("{hours:02}:{minutes:02}:{seconds:02}")
}

/// The identifier of a game on Lichess.
pub fn game_id(random: &mut impl Rng) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let digits = (0..8).map(|_| char::from(DIGITS[random.random_range(0..DIGITS.len())]));
    digits.collect()
}

/// A rating between 600 and 2900, most of them near the middle.
pub fn rating(random: &mut impl Rng) -> u32 {
    600 + (0..4).map(|_| random.random_range(0..=575)).sum::<u32>()
}

/// One of the choices.
pub fn any<'a>(choices: &[&'a str], random: &mut impl Rng) -> &'a str {
    choices[random.random_range(0..choices.len())]
}

/// Words separated by spaces, or by line ends so that no line has more than 80 columns.
pub struct Wrapped<'a> {
    out: &'a mut Vec<u8>,
    column: usize,
    word: Vec<u8>,
}

impl<'a> Wrapped<'a> {
    /// Begins at the start of a line.
    pub fn new(out: &'a mut Vec<u8>) -> Wrapped<'a> {
        Wrapped {
            out,
            column: 0,
            word: Vec::new(),
        }
    }

    /// Appends a word.
    pub fn push(&mut self, word: &[u8]) {
        if self.column > 0 && self.column + 1 + word.len() > 80 {
            self.out.push(b'\n');
            self.column = 0;
        } else if self.column > 0 {
            self.out.push(b' ');
            self.column += 1;
        }
        self.out.extend_from_slice(word);
        self.column += word.len();
    }

    /// Appends a formatted word.
    pub fn push_formatted(&mut self, word: std::fmt::Arguments) {
        let mut text = std::mem::take(&mut self.word);
        text.clear();
        _ = text.write_fmt(word);
        self.push(&text);
        self.word = text;
    }
}
