//! From which start a game began.
//!
//! In walk the `Variant` and `FEN` tags of a game, in every spelling that databases have; out walks the start, or why it is
//! none of them. The castling rights of a start follow from where its pieces stand: where the FEN has them wrong, as
//! some months of large databases do, the start is still known and the FEN counts as repaired.

use std::collections::HashMap;

use crate::chess::Board;
use crate::start::{BackRank, DoubleStart, StartId};

/// Where a game began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub start: DoubleStart,
    pub rights: Rights,
    /// Whether it is a game of classical chess and not one of Chess960 that happens to begin like it.
    pub is_classical: bool,
}

/// What the FEN says about castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// What follows from the start.
    Right,
    /// Something else.
    Wrong,
    /// That nobody may castle.
    None,
}

/// Why a game is not of Chess960 from one of its starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    OtherVariant,
    NoFen,
    NotAStart,
}

/// What the tags say the game is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variant {
    Chess960,
    Unsaid,
    Classical,
    Other,
}

/// Tells origins, and remembers those it has told.
#[derive(Default)]
pub struct Origins {
    known: HashMap<Box<[u8]>, Option<(DoubleStart, Rights)>>,
}

/// There are 921,600 double starts, and any number of other positions that games were set up from.
const MOST_KNOWN: usize = 1 << 16;

const CLASSICAL: DoubleStart = DoubleStart {
    white: StartId::CLASSICAL,
    black: StartId::CLASSICAL,
};

impl Origins {
    /// Where a game with these tags began.
    pub fn of(&mut self, variant: &[u8], fen: &[u8]) -> Result<Origin, Refusal> {
        let variant = Variant::read(variant);
        let found = match fen {
            b"" | b"?" | b"-" => None,
            fen => Some(self.start_of(fen)),
        };
        let origin = |(start, rights), is_classical| Origin {
            start,
            rights,
            is_classical,
        };
        match (variant, found) {
            (Variant::Other, _) => Err(Refusal::OtherVariant),
            (Variant::Unsaid | Variant::Classical, None) => {
                Ok(origin((CLASSICAL, Rights::Right), true))
            }
            (Variant::Unsaid | Variant::Classical, Some(Some((CLASSICAL, Rights::Right)))) => {
                Ok(origin((CLASSICAL, Rights::Right), true))
            }
            (Variant::Classical, Some(_)) => Err(Refusal::OtherVariant),
            (Variant::Chess960, None) => Err(Refusal::NoFen),
            (_, Some(None)) => Err(Refusal::NotAStart),
            (_, Some(Some(found))) => Ok(origin(found, false)),
        }
    }

    fn start_of(&mut self, fen: &[u8]) -> Option<(DoubleStart, Rights)> {
        if let Some(&known) = self.known.get(fen) {
            return known;
        }
        let found = read_start(fen);
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        // A tag of any length must not be kept.
        if fen.len() < 256 {
            self.known.insert(fen.into(), found);
        }
        found
    }
}

impl Variant {
    fn read(text: &[u8]) -> Variant {
        let mut name = [0; 24];
        let letters = text.iter().filter(|byte| byte.is_ascii_alphanumeric());
        let mut length = 0;
        for letter in letters {
            let Some(place) = name.get_mut(length) else {
                return Variant::Other;
            };
            *place = letter.to_ascii_lowercase();
            length += 1;
        }
        match &name[..length] {
            b"" => Variant::Unsaid,
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
            | b"doublechess960" => Variant::Chess960,
            b"standard" | b"normal" | b"regular" | b"classical" | b"chess" | b"fromposition" => {
                Variant::Classical
            }
            _ => Variant::Other,
        }
    }
}

/// The start that a FEN shows, whatever it says about castling.
fn read_start(fen: &[u8]) -> Option<(DoubleStart, Rights)> {
    let fen = str::from_utf8(fen).ok()?;
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
    // From a start, these letters can mean no other rooks than the right ones.
    let is_usual = castling == "KQkq" && fields.eq(["-", "0", "1"]);
    let read = || fen.parse::<Board>().ok()?.double_start();
    let rights = if castling == "-" {
        Rights::None
    } else if is_usual || read() == Some(start) {
        Rights::Right
    } else {
        Rights::Wrong
    };
    Some((start, rights))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variant: &str, fen: &str) -> Result<(String, Rights), Refusal> {
        let mut origins = Origins::default();
        let origin = origins.of(variant.as_bytes(), fen.as_bytes())?;
        assert_eq!(Ok(origin), origins.of(variant.as_bytes(), fen.as_bytes()));
        Ok((origin.start.to_string(), origin.rights))
    }

    const FEN_11: &str = "qnnrbkrb/pppppppp/8/8/8/8/PPPPPPPP/QNNRBKRB w KQkq - 0 1";
    const FEN_518: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn chess960_is_known_by_all_its_names() {
        for variant in [
            "Chess960",
            "chess960",
            "chess 960",
            "chess-960",
            "fischerandom",
            "Fischerandom",
            "Fischer Random",
            "",
        ] {
            let expected = Ok(("11/11".to_owned(), Rights::Right));
            assert_eq!(of(variant, FEN_11), expected, "{variant}");
        }
        for other in ["Crazyhouse", "Standard", "From Position", "Atomic960x"] {
            assert_eq!(of(other, FEN_11), Err(Refusal::OtherVariant), "{other}");
        }
    }

    #[test]
    fn castling_is_read_in_every_dialect_and_repaired_from_the_start() {
        for (castling, rights) in [
            ("KQkq", Rights::Right),
            ("GDgd", Rights::Right),
            ("dgDG", Rights::Right),
            ("HAha", Rights::Wrong),
            ("KQ", Rights::Wrong),
            ("-", Rights::None),
        ] {
            let fen = FEN_11.replace("KQkq", castling);
            assert_eq!(
                of("Chess960", &fen),
                Ok(("11/11".to_owned(), rights)),
                "{fen}"
            );
        }
        let lichess = "rkrnnbbq/pppppppp/8/8/8/8/PPPPPPPP/RKRNNBBQ w HEhe - 0 1";
        assert_eq!(of("Chess960", lichess).unwrap().1, Rights::Wrong);
    }

    #[test]
    fn a_game_is_classical_only_where_nothing_says_chess960() {
        let is_classical = |variant: &str, fen: &str| {
            let origin = Origins::default().of(variant.as_bytes(), fen.as_bytes());
            origin.unwrap().is_classical
        };
        assert!(is_classical("", "") && is_classical("Standard", ""));
        assert!(is_classical("", FEN_518) && is_classical("normal", FEN_518));
        assert!(!is_classical("Chess960", FEN_518));
        assert_eq!(of("Chess960", ""), Err(Refusal::NoFen));
    }

    #[test]
    fn what_is_no_start_is_told_so() {
        for fen in [
            "qnnrbkrb/pppppppp/8/8/8/8/PPPPPPPP/QNNRBKRB b KQkq - 0 1",
            "qnnrbkrb/pppppppp/8/8/4P3/8/PPPP1PPP/QNNRBKRB w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQBKNR w KQkq - 0 1",
            "x",
        ] {
            assert_eq!(of("Chess960", fen), Err(Refusal::NotAStart), "{fen}");
        }
        let double = "nrnbkrbq/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w KQkq - 0 1";
        let (start, rights) = of("fischerandom", double).unwrap();
        assert_ne!(start.split('/').next(), start.split('/').nth(1));
        assert_eq!(rights, Rights::Right);
    }
}
