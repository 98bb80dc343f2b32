//! The start that a game began from.
//!
//! [`StartResolver`] takes the `Variant` and `FEN` tags of a game, in every spelling that databases use, and returns
//! the start or the reason why there is none. The castling rights of a start follow from the placement of its pieces:
//! where the FEN has them wrong, as some months of large databases do, the start is still known and the rights count as
//! repaired.

use std::collections::HashMap;

use crate::chess::Board;
use crate::start::{BackRank, DoubleStart, StartId};

/// The start of a game, and what the tags say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameStart {
    /// The start. [`DoubleStart::single`] gives the ordinary start where both sides have the same.
    pub start: DoubleStart,
    /// Whether the FEN has the castling rights of the start.
    pub rights: FenRights,
    /// Whether it is a game of classical chess, as opposed to a Chess960 game from start 518.
    pub is_classical: bool,
}

/// The castling rights of a FEN, compared with those of the start that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenRights {
    /// The rights of the start.
    Correct,
    /// Other rights.
    Wrong,
    /// No rights at all (`-`).
    Missing,
}

/// Why a game does not begin from one of the starts of Chess960.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameStartError {
    /// The tags name a variant that is neither Chess960 nor classical chess.
    #[error("the game is of another variant")]
    OtherVariant,
    /// The tags name Chess960 and have no FEN.
    #[error("a Chess960 game without a FEN")]
    NoFen,
    /// The FEN is not the position of a start.
    #[error("the game does not begin from one of the 960 starts")]
    NotAStart,
}

/// The meaning of a `Variant` tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VariantTag {
    Chess960,
    Absent,
    Classical,
    Other,
}

/// Finds the starts of games, and caches the FENs that it has read: most games of a database share theirs with others.
#[derive(Default)]
pub struct StartResolver {
    cache: HashMap<Box<[u8]>, Option<(DoubleStart, FenRights)>>,
}

/// The number of FENs in the cache. There are 921,600 double starts, and games may begin from any other position, so
/// the cache is cleared when it is full.
const MAX_CACHED: usize = 1 << 16;

/// The longest FEN that is cached, as a tag may have any length.
const MAX_CACHED_BYTES: usize = 256;

const CLASSICAL: DoubleStart = DoubleStart {
    white: StartId::CLASSICAL,
    black: StartId::CLASSICAL,
};

/// The start of a game with these tags.
pub fn resolve_start(variant: &[u8], fen: &[u8]) -> Result<GameStart, GameStartError> {
    resolve_with(variant, fen, read_start)
}

impl StartResolver {
    /// The start of a game with these tags.
    pub fn resolve(&mut self, variant: &[u8], fen: &[u8]) -> Result<GameStart, GameStartError> {
        resolve_with(variant, fen, |fen| self.start_of(fen))
    }

    fn start_of(&mut self, fen: &[u8]) -> Option<(DoubleStart, FenRights)> {
        if let Some(&cached) = self.cache.get(fen) {
            return cached;
        }
        let found = read_start(fen);
        if self.cache.len() >= MAX_CACHED {
            self.cache.clear();
        }
        if fen.len() < MAX_CACHED_BYTES {
            self.cache.insert(fen.into(), found);
        }
        found
    }
}

fn resolve_with(
    variant: &[u8],
    fen: &[u8],
    read_start: impl FnOnce(&[u8]) -> Option<(DoubleStart, FenRights)>,
) -> Result<GameStart, GameStartError> {
    let variant = VariantTag::read(variant);
    let found = match fen {
        b"" | b"?" | b"-" => None,
        fen => Some(read_start(fen)),
    };
    let game_start = |(start, rights), is_classical| GameStart {
        start,
        rights,
        is_classical,
    };
    match (variant, found) {
        (VariantTag::Other, _) => Err(GameStartError::OtherVariant),
        (VariantTag::Absent | VariantTag::Classical, None) => {
            Ok(game_start((CLASSICAL, FenRights::Correct), true))
        }
        (
            VariantTag::Absent | VariantTag::Classical,
            Some(Some((CLASSICAL, FenRights::Correct))),
        ) => Ok(game_start((CLASSICAL, FenRights::Correct), true)),
        (VariantTag::Classical, Some(_)) => Err(GameStartError::OtherVariant),
        (VariantTag::Chess960, None) => Err(GameStartError::NoFen),
        (_, Some(None)) => Err(GameStartError::NotAStart),
        (_, Some(Some(found))) => Ok(game_start(found, false)),
    }
}

impl VariantTag {
    /// Compares letters and digits only, as databases differ in case, spaces and hyphens.
    fn read(text: &[u8]) -> VariantTag {
        let mut name = [0; 24];
        let letters = text.iter().filter(|byte| byte.is_ascii_alphanumeric());
        let mut length = 0;
        for letter in letters {
            // The buffer holds the longest of the usual names.
            let Some(slot) = name.get_mut(length) else {
                return VariantTag::read_words(text);
            };
            *slot = letter.to_ascii_lowercase();
            length += 1;
        }
        match &name[..length] {
            b"" => VariantTag::Absent,
            b"chess960"
            | b"960"
            | b"fischerandom"
            | b"fischerrandom"
            | b"fischerandomchess"
            | b"fischerrandomchess"
            | b"chess960frc"
            | b"frc"
            | b"dfrc"
            | b"wildfr"
            | b"chess9lx"
            | b"freestyle"
            | b"freestylechess"
            | b"doublefischerandom"
            | b"doublefischerrandom"
            | b"doublechess960" => VariantTag::Chess960,
            b"standard" | b"normal" | b"regular" | b"classical" | b"chess" | b"fromposition" => {
                VariantTag::Classical
            }
            _ => VariantTag::read_words(text),
        }
    }

    /// Reads a name of several words, such as `Chess960 (Fischer Random)`, or in another language. Every word has to be
    /// known, as `Atomic 960` is another game.
    #[cold]
    fn read_words(text: &[u8]) -> VariantTag {
        let words = text.split(|byte| !byte.is_ascii_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        let mut is_chess960 = false;
        let mut last = Vec::new();
        for word in words {
            let word = word.to_ascii_lowercase();
            // The number of a start, as in `Chess960 SP 518`.
            if word.iter().all(u8::is_ascii_digit) {
                is_chess960 |= word == b"960";
                continue;
            }
            is_chess960 |= last == b"fischer" && word == b"random";
            let mut rest = &word[..];
            while !rest.is_empty() {
                let Some((part, names_chess960)) = VARIANT_WORDS
                    .iter()
                    .find(|(part, _)| rest.starts_with(part.as_bytes()))
                else {
                    return VariantTag::Other;
                };
                is_chess960 |= names_chess960;
                rest = &rest[part.len()..];
            }
            last = word;
        }
        match is_chess960 {
            true => VariantTag::Chess960,
            false => VariantTag::Other,
        }
    }
}

/// Parts of words in names of Chess960, the longest first, and whether they name it. The others are chess in several
/// languages, without letters beyond ASCII, and words that do not name another game.
const VARIANT_WORDS: [(&str, bool); 27] = [
    ("fischerrandom", true),
    ("fischerandom", true),
    ("freestyle", true),
    ("variante", false),
    ("scacchi", false),
    ("variant", false),
    ("ajedrez", false),
    ("schaken", false),
    ("fischer", false),
    ("xadrez", false),
    ("szachy", false),
    ("double", false),
    ("random", false),
    ("schach", false),
    ("echecs", false),
    ("checs", false),
    ("chess", false),
    ("sjakk", false),
    ("schack", false),
    ("skak", false),
    ("sakk", false),
    ("960", true),
    ("9lx", true),
    ("frc", true),
    ("sp", false),
    ("id", false),
    ("d", false),
];

/// The start whose placement a FEN shows, whatever its castling field says.
fn read_start(fen: &[u8]) -> Option<(DoubleStart, FenRights)> {
    // A copy, because the text of a mapped file may change after it was found to be valid UTF-8.
    let fen = String::from_utf8(fen.to_vec()).ok()?;
    let mut fields = fen.split_ascii_whitespace();
    let (placement, turn) = (fields.next()?, fields.next()?);
    let castling = fields.next().unwrap_or("-");
    let (black, rest) = placement.split_once('/')?;
    let white = rest.strip_prefix("pppppppp/8/8/8/8/PPPPPPPP/")?;
    let is_start = turn == "w"
        && black.bytes().all(|byte| byte.is_ascii_lowercase())
        && white.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_start {
        return None;
    }
    let back_rank = |text: &str| text.to_ascii_uppercase().parse::<BackRank>().ok();
    let start = DoubleStart {
        white: back_rank(white)?.id(),
        black: back_rank(black)?.id(),
    };
    // `KQkq` means the outermost rooks. A start has one rook on each side of the king, so these are the right ones, and
    // the FEN need not be parsed.
    let is_standard = castling == "KQkq" && fields.eq(["-", "0", "1"]);
    let read = || fen.parse::<Board>().ok()?.double_start();
    let rights = if castling == "-" {
        FenRights::Missing
    } else if is_standard || read() == Some(start) {
        FenRights::Correct
    } else {
        FenRights::Wrong
    };
    Some((start, rights))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start and its rights, the same from the tags, from an empty cache and from a filled one.
    fn resolve(variant: &str, fen: &str) -> Result<(String, FenRights), GameStartError> {
        let (variant, fen) = (variant.as_bytes(), fen.as_bytes());
        let mut resolver = StartResolver::default();
        let found = resolve_start(variant, fen);
        assert_eq!(found, resolver.resolve(variant, fen));
        assert_eq!(found, resolver.resolve(variant, fen));
        found.map(|found| (found.start.to_string(), found.rights))
    }

    const FEN_11: &str = "qnnrbkrb/pppppppp/8/8/8/8/PPPPPPPP/QNNRBKRB w KQkq - 0 1";
    const FEN_518: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn chess960_is_recognised_by_every_name() {
        for variant in [
            "Chess960",
            "chess960",
            "chess 960",
            "chess-960",
            "fischerandom",
            "Fischerandom",
            "Fischer Random",
            "Schach960",
            "Schach 960",
            "Chess960 (Fischer Random)",
            "Fischer Random / Chess960",
            "Chess960 SP 11",
            "Échecs 960",
            "Шахматы 960",
            "wild/fr",
            "Freestyle Chess (Chess960)",
            "",
        ] {
            let expected = Ok(("11/11".to_owned(), FenRights::Correct));
            assert_eq!(resolve(variant, FEN_11), expected, "{variant}");
        }
        for other in [
            "Crazyhouse",
            "Standard",
            "From Position",
            "Atomic960x",
            "Atomic 960",
            "Crazyhouse (Chess960)",
            "Fischer",
            "Random Chess",
            "518",
        ] {
            assert_eq!(
                resolve(other, FEN_11),
                Err(GameStartError::OtherVariant),
                "{other}"
            );
        }
    }

    #[test]
    fn castling_rights_are_read_in_every_notation_and_repaired_from_the_start() {
        for (castling, rights) in [
            ("KQkq", FenRights::Correct),
            ("GDgd", FenRights::Correct),
            ("dgDG", FenRights::Correct),
            ("HAha", FenRights::Wrong),
            ("KQ", FenRights::Wrong),
            ("-", FenRights::Missing),
        ] {
            let fen = FEN_11.replace("KQkq", castling);
            assert_eq!(
                resolve("Chess960", &fen),
                Ok(("11/11".to_owned(), rights)),
                "{fen}"
            );
        }
        let lichess = "rkrnnbbq/pppppppp/8/8/8/8/PPPPPPPP/RKRNNBBQ w HEhe - 0 1";
        assert_eq!(resolve("Chess960", lichess).unwrap().1, FenRights::Wrong);
    }

    #[test]
    fn a_game_is_classical_only_if_no_tag_says_chess960() {
        let is_classical = |variant: &str, fen: &str| {
            let found = resolve_start(variant.as_bytes(), fen.as_bytes());
            found.unwrap().is_classical
        };
        assert!(is_classical("", "") && is_classical("Standard", ""));
        assert!(is_classical("", FEN_518) && is_classical("normal", FEN_518));
        assert!(!is_classical("Chess960", FEN_518));
        assert_eq!(resolve("Chess960", ""), Err(GameStartError::NoFen));
    }

    #[test]
    fn other_positions_are_not_starts() {
        for fen in [
            "qnnrbkrb/pppppppp/8/8/8/8/PPPPPPPP/QNNRBKRB b KQkq - 0 1",
            "qnnrbkrb/pppppppp/8/8/4P3/8/PPPP1PPP/QNNRBKRB w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQBKNR w KQkq - 0 1",
            "x",
        ] {
            assert_eq!(
                resolve("Chess960", fen),
                Err(GameStartError::NotAStart),
                "{fen}"
            );
        }
        let double = "nrnbkrbq/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w KQkq - 0 1";
        let (start, rights) = resolve("fischerandom", double).unwrap();
        assert_ne!(start.split('/').next(), start.split('/').nth(1));
        assert_eq!(rights, FenRights::Correct);
    }
}
