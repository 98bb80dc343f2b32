//! A command as somebody typed it, split into words without a shell.

use std::fmt;
use std::str::FromStr;

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    words: Vec<String>,
}

/// Why a text is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("there is no program in the command {0:?}")]
    NoProgram(String),
    #[error("a quotation mark is not closed in the command {0:?}")]
    OpenQuote(String),
    #[error("the command {0:?} ends with a backslash that protects nothing")]
    Backslash(String),
    #[error("the command {0:?} holds a zero byte")]
    Zero(String),
}

impl CommandLine {
    pub fn program(&self) -> &str {
        &self.words[0]
    }

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

    /// Splits at spaces. Quotation marks of both kinds keep spaces in a word, a backslash outside of single
    /// quotes protects the character that follows it; nothing else has a meaning.
    fn from_str(text: &str) -> Result<CommandLine, CommandError> {
        if text.contains('\0') {
            return Err(CommandError::Zero(text.to_owned()));
        }
        let words = split(text)?;
        match words.first() {
            Some(program) if !program.is_empty() => Ok(CommandLine { words }),
            _ => Err(CommandError::NoProgram(text.to_owned())),
        }
    }
}

fn split(text: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => {
                let protected = chars.next();
                let protected =
                    protected.ok_or_else(|| CommandError::Backslash(text.to_owned()))?;
                word.get_or_insert_default().push(protected);
            }
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(CommandError::OpenQuote(text.to_owned()));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.parse::<CommandLine>().unwrap().words
    }

    #[test]
    fn words_are_split_as_people_who_quote_expect() {
        assert_eq!(words("stockfish"), ["stockfish"]);
        assert_eq!(words("  ./my engine\t-x "), ["./my", "engine", "-x"]);
        assert_eq!(words("'my engine' \"a b\"c"), ["my engine", "a bc"]);
        assert_eq!(words(r"my\ engine 'a\b' \'"), ["my engine", r"a\b", "'"]);
        assert_eq!(words("engine ''"), ["engine", ""]);
        assert_eq!(words(r#"engine "it's \"so\"""#), ["engine", "it's \"so\""]);
    }

    #[test]
    fn nothing_is_left_to_a_shell() {
        assert_eq!(
            words("engine $HOME `ls` *; rm | x > y"),
            ["engine", "$HOME", "`ls`", "*;", "rm", "|", "x", ">", "y"]
        );
    }

    #[test]
    fn what_is_no_command_is_refused() {
        let refusal = |text: &str| text.parse::<CommandLine>().unwrap_err().to_string();
        assert!(refusal("").contains("no program"));
        assert!(refusal(" ").contains("no program"));
        assert!(refusal("'' x").contains("no program"));
        assert!(refusal("a 'b").contains("not closed"));
        assert!(refusal("a \\").contains("backslash"));
        assert!(refusal("a\0").contains("zero byte"));
    }
}
