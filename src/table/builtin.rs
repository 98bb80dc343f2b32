//! The suites, tables and games that come with the program.
//!
//! A path that begins with `@` names one of them, so that an installed program needs no other files: `@tricky`. This is
//! the one place that knows the names. A file whose own name begins with `@` is given as `./@name`.

use std::path::Path;

/// A file that is compiled into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name with the `@`.
    pub name: &'static str,
    /// One line that says what it holds.
    pub description: &'static str,
    /// Its layout, as the extension of a file would say it: `epd`, `csv` or `pgn`.
    pub extension: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// A path that begins with `@` but is not the name of a [`Builtin`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name} is not built in; there are {} (a file of that name is given as ./{name})",
    names()
)]
pub struct UnknownBuiltin {
    name: String,
}

impl Builtin {
    /// Everything that is built in.
    pub const ALL: [Builtin; 5] = [
        Builtin {
            name: "@tricky",
            description: "75 positions with counts: castling, en passant and pins of Chess960",
            extension: "epd",
            bytes: include_bytes!("../../data/tricky.epd"),
        },
        Builtin {
            name: "@fischer",
            description: "960 positions with counts, one per start",
            extension: "epd",
            bytes: include_bytes!("../../data/fischer.epd"),
        },
        Builtin {
            name: "@perft960",
            description: "the perft table of all 960 starts",
            extension: "csv",
            bytes: include_bytes!("../../data/perft960.csv"),
        },
        Builtin {
            name: "@stockfish18",
            description: "the score and best move of all 960 starts, by Stockfish 15.1 at depth 18",
            extension: "csv",
            bytes: include_bytes!("../../data/stockfish18.csv"),
        },
        Builtin {
            name: "@mainz2009",
            description: "20 games of the Chess960 Rapid World Championship, Mainz 2009",
            extension: "pgn",
            bytes: include_bytes!("../../data/pgn/mainz-2009.pgn"),
        },
    ];

    /// What a path names: `None` if it is the path of a file.
    ///
    /// ```
    /// use ninesixty::table::Builtin;
    ///
    /// let tricky = Builtin::find("@tricky".as_ref())?.expect("it begins with @");
    /// assert_eq!(tricky.extension, "epd");
    /// assert_eq!(Builtin::find("./@tricky".as_ref())?, None);
    /// assert!(Builtin::find("@nothing".as_ref()).is_err());
    /// # Ok::<(), ninesixty::table::UnknownBuiltin>(())
    /// ```
    pub fn find(path: &Path) -> Result<Option<&'static Builtin>, UnknownBuiltin> {
        if !path.as_os_str().as_encoded_bytes().starts_with(b"@") {
            return Ok(None);
        }
        const { &Builtin::ALL }
            .iter()
            .find(|builtin| path.as_os_str() == builtin.name)
            .map(Some)
            .ok_or_else(|| UnknownBuiltin {
                name: path.display().to_string(),
            })
    }
}

fn names() -> String {
    Builtin::ALL.map(|builtin| builtin.name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::read::{Sheet, read_epd};

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = Builtin::find(Path::new("@nothing")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "@nothing is not built in; there are @tricky, @fischer, @perft960, @stockfish18, @mainz2009 \
             (a file of that name is given as ./@nothing)"
        );
    }

    #[test]
    fn every_suite_and_table_is_read_by_its_name() {
        assert_eq!(read_epd(Path::new("@tricky")).unwrap().len(), 75);
        assert_eq!(read_epd(Path::new("@fischer")).unwrap().len(), 960);
        for name in ["@perft960", "@stockfish18"] {
            let sheet = Sheet::read(Path::new(name)).unwrap();
            assert_eq!(sheet.records().len(), 960, "{name}");
        }
    }

    #[test]
    fn a_name_in_a_directory_is_a_file() {
        for path in ["./@tricky", "/tmp/@tricky", "tricky", ""] {
            assert_eq!(Builtin::find(Path::new(path)), Ok(None), "{path}");
        }
    }
}
