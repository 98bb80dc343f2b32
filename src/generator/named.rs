//! Names of generators, as people type them: the one place that knows them all.

use super::Counter;
use super::{Cozy, Own, Script, Shakmaty, UciCounter};
use crate::uci::{CommandError, Limits};

/// Why a text names no generator.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    #[error(
        "there is no generator {0:?}: use own, shakmaty, cozy-chess, uci:COMMAND or script:COMMAND"
    )]
    Unknown(String),
    #[error("a generator has no name in {0:?}")]
    Empty(String),
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// The generator of this name. Programs get no more than these limits.
pub fn named(name: &str, limits: &Limits) -> Result<Box<dyn Counter>, NameError> {
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

/// The names in a list parted by commas; a comma inside quotation marks parts nothing.
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
    fn every_name_makes_the_counter_of_that_name() {
        for name in [
            "own",
            "shakmaty",
            "cozy-chess",
            "uci:./engine -x",
            "script:'a b' c",
        ] {
            assert_eq!(named(name, &Limits::default()).unwrap().name(), name);
        }
    }

    #[test]
    fn a_name_that_nobody_has_is_refused_with_those_there_are() {
        let refusal = |name: &str| named(name, &Limits::default()).err().unwrap().to_string();
        assert!(refusal("stockfish").contains("uci:COMMAND"));
        assert!(refusal("uci:").contains("no program"));
        assert!(refusal("script:a 'b").contains("not closed"));
    }

    #[test]
    fn a_comma_inside_quotation_marks_is_part_of_a_command() {
        let names = split_names("own, uci:engine 'a,b',shakmaty").unwrap();
        assert_eq!(names, ["own", "uci:engine 'a,b'", "shakmaty"]);
        assert!(split_names("own,,shakmaty").is_err());
    }
}
