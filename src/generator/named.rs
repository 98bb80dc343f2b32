//! Counters by their names on the command line.

use super::Counter;
use super::{Cozy, Own, Script, Shakmaty, UciCounter};
use crate::uci::{CommandError, EngineLimits};

/// Why a text does not name a generator.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// There is no generator of this name.
    #[error(
        "there is no generator {0:?}: use own, shakmaty, cozy-chess, uci:COMMAND or script:COMMAND"
    )]
    Unknown(String),
    /// A list of generators has an empty name.
    #[error("the list {0:?} has an empty name")]
    Empty(String),
    /// The command of an engine or a script is malformed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// The counter of this name. The limits apply to programs.
pub fn named(name: &str, limits: &EngineLimits) -> Result<Box<dyn Counter>, NameError> {
    if let Some(command) = name.strip_prefix("uci:") {
        return Ok(Box::new(UciCounter::new(name, command.parse()?, *limits)));
    }
    if let Some(command) = name.strip_prefix("script:") {
        return Ok(Box::new(Script::new(name, command.parse()?, *limits)));
    }
    match name {
        "own" => Ok(Box::new(Own)),
        "shakmaty" => Ok(Box::new(Shakmaty)),
        "cozy-chess" => Ok(Box::new(Cozy)),
        _ => Err(NameError::Unknown(name.to_owned())),
    }
}

/// Splits a list of names at its commas, except those inside quotation marks.
pub fn split_names(list: &str) -> Result<Vec<String>, NameError> {
    let mut quote = None;
    let names = list.split(|c| {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
        c == ',' && quote.is_none()
    });
    let names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err(NameError::Empty(list.to_owned()));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_has_the_name_that_made_it() {
        for name in [
            "own",
            "shakmaty",
            "cozy-chess",
            "uci:./engine -x",
            "script:'a b' c",
        ] {
            assert_eq!(named(name, &EngineLimits::default()).unwrap().name(), name);
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_a_list_of_the_known_ones() {
        let refusal = |name: &str| {
            named(name, &EngineLimits::default())
                .err()
                .unwrap()
                .to_string()
        };
        assert!(refusal("stockfish").contains("uci:COMMAND"));
        assert!(refusal("uci:").contains("no program"));
        assert!(refusal("script:a 'b").contains("not closed"));
    }

    #[test]
    fn a_comma_inside_quotation_marks_does_not_split() {
        let names = split_names("own, uci:engine 'a,b',shakmaty").unwrap();
        assert_eq!(names, ["own", "uci:engine 'a,b'", "shakmaty"]);
        assert!(split_names("own,,shakmaty").is_err());
    }
}
