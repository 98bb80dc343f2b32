//! A command line as the user typed it, split into words without a shell.

use std::fmt;
use std::str::FromStr;

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    words: Vec<String>,
}

/// Why a text is not a command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The command is empty.
    #[error("there is no program in the command {0:?}")]
    NoProgram(String),
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed in the command {0:?}")]
    OpenQuote(String),
    /// The command ends with a backslash.
    #[error("the command {0:?} ends with a backslash")]
    TrailingBackslash(String),
    /// The command contains a zero byte.
    #[error("the command {0:?} contains a zero byte")]
    ZeroByte(String),
}

impl CommandLine {
    /// The program, as a path or as a name to look up in `PATH`.
    pub fn program(&self) -> &str {
        &self.words[0]
    }

    /// The words after the program.
    pub fn arguments(&self) -> &[String] {
        &self.words[1..]
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

impl FromStr for CommandLine {
    type Err = CommandError;

    /// Splits words as a POSIX shell does: quotation marks, backslashes and comments (`#` at the start of a word) have
    /// their usual meaning. Nothing is expanded.
    fn from_str(text: &str) -> Result<CommandLine, CommandError> {
        if text.contains('\0') {
            return Err(CommandError::ZeroByte(text.to_owned()));
        }
        let words = shell_words::split(text);
        let words = words.map_err(|_| CommandError::OpenQuote(text.to_owned()))?;
        if escapes_its_end(text) {
            return Err(CommandError::TrailingBackslash(text.to_owned()));
        }
        match words.first() {
            Some(program) if !program.is_empty() => Ok(CommandLine { words }),
            _ => Err(CommandError::NoProgram(text.to_owned())),
        }
    }
}

/// Whether the last character is a backslash that is not itself escaped.
fn escapes_its_end(text: &str) -> bool {
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.parse::<CommandLine>().unwrap().words
    }

    #[test]
    fn quotes_and_backslashes_keep_words_together() {
        assert_eq!(words("stockfish"), ["stockfish"]);
        assert_eq!(words("  ./my engine\t-x "), ["./my", "engine", "-x"]);
        assert_eq!(words("'my engine' \"a b\"c"), ["my engine", "a bc"]);
        assert_eq!(words(r"my\ engine 'a\b' \'"), ["my engine", r"a\b", "'"]);
        assert_eq!(words("engine ''"), ["engine", ""]);
        assert_eq!(words(r#"engine "it's \"so\"""#), ["engine", "it's \"so\""]);
        assert_eq!(words(r"engine \\"), ["engine", r"\"]);
    }

    #[test]
    fn nothing_is_expanded() {
        assert_eq!(
            words("engine $HOME `ls` *; rm | x > y"),
            ["engine", "$HOME", "`ls`", "*;", "rm", "|", "x", ">", "y"]
        );
    }

    #[test]
    fn malformed_commands_are_refused() {
        let refusal = |text: &str| text.parse::<CommandLine>().unwrap_err().to_string();
        assert!(refusal("").contains("no program"));
        assert!(refusal(" ").contains("no program"));
        assert!(refusal("'' x").contains("no program"));
        assert!(refusal("a 'b").contains("not closed"));
        assert!(refusal("a \\").contains("backslash"));
        assert!(refusal("a\0").contains("zero byte"));
    }
}
