//! The command line that a table is the result of, rebuilt from typed settings.

use std::fmt;

/// A command with the flags that decide a result, and none that do not.
///
/// ```
/// use ninesixty::table::CommandText;
///
/// let command = CommandText::new("perft").word("0-9").flag("--depth", 6).switch("--unique", true);
/// assert_eq!(command.to_string(), "perft 0-9 --depth 6 --unique");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandText(String);

impl CommandText {
    /// Starts with a verb.
    pub fn new(verb: &str) -> CommandText {
        CommandText(verb.to_owned())
    }

    /// Appends an argument as it is, unless it is empty.
    pub fn word(mut self, word: impl fmt::Display) -> CommandText {
        let word = word.to_string();
        if !word.is_empty() {
            self.0 += &format!(" {word}");
        }
        self
    }

    /// Appends an argument in quotes.
    pub fn quoted(self, word: impl fmt::Display) -> CommandText {
        self.word(format!("'{word}'"))
    }

    /// Appends a flag with its value.
    pub fn flag(self, flag: &str, value: impl fmt::Display) -> CommandText {
        self.word(flag).word(value)
    }

    /// Appends a flag with its value in quotes, if there is a value.
    pub fn quoted_flag(self, flag: &str, value: Option<impl fmt::Display>) -> CommandText {
        match value {
            Some(value) => self.word(flag).quoted(value),
            None => self,
        }
    }

    /// Appends a flag with its value, if there is one.
    pub fn optional_flag(self, flag: &str, value: Option<impl fmt::Display>) -> CommandText {
        match value {
            Some(value) => self.flag(flag, value),
            None => self,
        }
    }

    /// Appends a flag if it is set.
    pub fn switch(self, flag: &str, is_set: bool) -> CommandText {
        if is_set { self.word(flag) } else { self }
    }
}

impl fmt::Display for CommandText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<CommandText> for String {
    fn from(command: CommandText) -> String {
        command.0
    }
}
