//! The lines of an answer, in memory that the size limit bounds.

/// What a program printed, as one text: a list of lines would need many times the memory of short lines.
pub struct Answer {
    text: String,
    most_bytes: usize,
}

/// The answer is longer than its limit.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

impl Answer {
    pub fn new(most_bytes: usize) -> Answer {
        Answer {
            text: String::new(),
            most_bytes,
        }
    }

    /// Adds a line.
    pub fn push(&mut self, line: &str) -> Result<(), TooLong> {
        if self.text.len() + line.len() + 1 > self.most_bytes {
            return Err(TooLong);
        }
        self.text += line;
        self.text.push('\n');
        Ok(())
    }

    /// The lines, each with a line feed at its end.
    pub fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_count_too() {
        let mut answer = Answer::new(7);
        assert_eq!(answer.push("abc"), Ok(()));
        assert!((0..3).all(|_| answer.push("") == Ok(())));
        assert_eq!(answer.push(""), Err(TooLong));
        assert_eq!(answer.into_text(), "abc\n\n\n\n");
    }
}
