//! EPD suites: one position per line, with its perft counts.
//!
//! A line is `FEN ;D1 20 ;D2 400 ;id "518"`, or in the older layout, where the semicolon ends a field,
//! `FEN D1 20; D2 400;`. Each becomes an [`EpdLine`]. Blank lines and lines that begin with `#` are skipped, and so are
//! other operations; quoted text may contain semicolons. A field that begins with a capital `D` must be a count, so a
//! malformed one is an error and not another operation.

use std::path::Path;

use super::{LineError, TableReadError, decode, excerpt, line_error, load, parse_digits};

/// A position of a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EpdLine {
    /// The line number, counted from 1.
    pub line: usize,
    /// Four to six fields, separated by single spaces, not validated.
    pub fen: String,
    /// Depths and nodes in the order of the line, each depth at most once.
    pub counts: Vec<(u32, u128)>,
    /// The `id` operation.
    pub id: Option<String>,
}

/// Reads a suite from a file.
pub fn read_epd(path: &Path) -> Result<Vec<EpdLine>, TableReadError> {
    parse_epd(path, &load(path)?)
}

/// Parses the content of a suite. `path` is only used in errors.
pub fn parse_epd(path: &Path, bytes: &[u8]) -> Result<Vec<EpdLine>, TableReadError> {
    let text = decode(path, bytes)?;
    let lines = text.lines().map(str::trim).zip(1..);
    lines
        .filter(|(text, _)| !text.is_empty() && !text.starts_with('#'))
        .map(|(text, line)| {
            EpdLine::parse(text, line).map_err(|error| line_error(path, line, error))
        })
        .collect()
}

impl EpdLine {
    fn parse(text: &str, line: usize) -> Result<Self, LineError> {
        let mut fields = fields(text)?.into_iter();
        let (fen, first) = split_fen(fields.next().unwrap_or_default())?;
        let mut epd = Self {
            line,
            fen,
            ..Self::default()
        };
        epd.read_field(&first)?;
        for field in fields {
            epd.read_field(field.trim())?;
        }
        Ok(epd)
    }

    fn read_field(&mut self, field: &str) -> Result<(), LineError> {
        let (opcode, operand) = field.split_once(char::is_whitespace).unwrap_or((field, ""));
        if opcode == "id" {
            self.id = Some(operand.trim().trim_matches('"').to_owned());
        } else if let Some(depth) = depth_digits(opcode) {
            let (depth, nodes) =
                depth_count(depth, operand).ok_or_else(|| LineError::NotADepth(excerpt(field)))?;
            self.add_count(depth, nodes)?;
        }
        Ok(())
    }

    fn add_count(&mut self, depth: u32, nodes: u128) -> Result<(), LineError> {
        if self.counts.iter().any(|&(known, _)| known == depth) {
            return Err(LineError::DepthTwice(depth));
        }
        self.counts.push((depth, nodes));
        Ok(())
    }
}

/// Splits at the semicolons outside quotation marks.
fn fields(text: &str) -> Result<Vec<&str>, LineError> {
    let mut quoted = false;
    let fields = text
        .split(|c| {
            quoted ^= c == '"';
            c == ';' && !quoted
        })
        .collect();
    if quoted {
        Err(LineError::OpenQuote)
    } else {
        Ok(fields)
    }
}

/// Separates the position from an operation that follows it without a semicolon.
///
/// Opcodes begin with a letter, so the two move counters of a FEN are not opcodes.
fn split_fen(text: &str) -> Result<(String, String), LineError> {
    const POSITION_FIELDS: usize = 4;
    let words: Vec<_> = text.split_whitespace().collect();
    if words.len() < POSITION_FIELDS {
        return Err(LineError::ShortFen(words.len()));
    }
    let counters = words[POSITION_FIELDS..]
        .iter()
        .take(2)
        .take_while(|word| parse_digits::<u128>(word).is_some())
        .count();
    let (fen, field) = words.split_at(POSITION_FIELDS + counters);
    Ok((fen.join(" "), field.join(" ")))
}

/// The text after the `D` of an opcode that is a depth.
fn depth_digits(opcode: &str) -> Option<&str> {
    opcode.strip_prefix('D').or_else(|| {
        opcode
            .strip_prefix('d')
            .filter(|digits| parse_digits::<u128>(digits).is_some())
    })
}

fn depth_count(depth: &str, nodes: &str) -> Option<(u32, u128)> {
    let depth = parse_digits(depth).filter(|&depth| depth > 0)?;
    Some((depth, parse_digits(nodes.trim())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<EpdLine>, TableReadError> {
        parse_epd(Path::new("t.epd"), text.as_bytes())
    }

    fn only(text: &str) -> EpdLine {
        let mut lines = parse(text).unwrap();
        assert_eq!(lines.len(), 1);
        lines.remove(0)
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    fn suite(name: &str) -> Vec<EpdLine> {
        read_epd(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("data")
                .join(name),
        )
        .unwrap()
    }

    #[test]
    fn the_published_suites_are_read() {
        let fischer = suite("fischer.epd");
        assert_eq!(fischer.len(), 960);
        assert!(fischer.iter().all(|line| line.counts.len() == 6));
        assert_eq!(
            fischer[0].fen,
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
        );
        assert_eq!(fischer[0].counts[5], (6, 227_689_589));
        assert_eq!(fischer[959].line, 960);

        let tricky = suite("tricky.epd");
        assert_eq!(tricky.len(), 75);
        assert!(
            tricky
                .iter()
                .all(|line| line.counts.len() >= 5 && line.id.is_none())
        );
    }

    #[test]
    fn both_layouts_give_the_same_line() {
        let expected = EpdLine {
            line: 1,
            fen: "8/8/8/8 w - -".to_owned(),
            counts: vec![(1, 20), (2, 400)],
            id: Some("518".to_owned()),
        };
        for text in [
            "8/8/8/8 w - - ;D1 20 ;D2 400 ;id \"518\"",
            "8/8/8/8 w - -;D1 20;D2 400;id 518;",
            "8/8/8/8 w - - D1 20; D2 400; id \"518\";",
            "\u{feff}  8/8/8/8  w -\t- ; d1  20 ;; d2 400 ; id \"518\" \r\n",
        ] {
            assert_eq!(only(text), expected, "{text:?}");
        }
        assert_eq!(only("8/8 w - - 0 1 D1 20;").fen, "8/8 w - - 0 1");
    }

    #[test]
    fn blank_lines_and_comments_are_skipped_but_counted() {
        let lines = parse("# suite\r\n\r\n8/8 w - - ;D1 1\r\n  # ;D0\r\n8/8 b - - ;D1 2").unwrap();
        let numbers: Vec<_> = lines.iter().map(|line| line.line).collect();
        assert_eq!(numbers, [3, 5]);
    }

    #[test]
    fn other_operations_are_skipped_and_quotes_may_contain_semicolons() {
        let line = only("8/8 w - - ;c0 \"a ;D1 9 ; b\" ;dm 4 ;draw_offer ;D1 20 ;bm Nf3");
        assert_eq!(line.counts, [(1, 20)]);
    }

    #[test]
    fn a_malformed_count_is_an_error_with_line_and_field() {
        for field in [
            "D1", "D1 x", "D1 -20", "D1 1,000", "D1 20 30", "D1=20", "D 20", "Dx 20", "D0 1",
            "d0 1",
        ] {
            assert_eq!(
                error(&format!("8/8 w - - ;D7 1\n8/8 w - - ;{field} ;D2 400")),
                format!("t.epd, line 2: {field:?} is not a depth and a count such as \"D3 8902\"")
            );
        }
        assert_eq!(
            error("8/8 w - - ;D2 400 ;D1 20 ;d2 400"),
            "t.epd, line 1: depth 2 is given twice"
        );
    }

    #[test]
    fn a_line_without_a_position_is_an_error() {
        assert_eq!(
            error(";D1 20"),
            "t.epd, line 1: a position needs four fields (pieces, side, castling, en passant), this one has 0"
        );
        assert!(error("8/8 w - ;D1 20").ends_with("has 3"));
    }

    #[test]
    fn an_open_quote_is_an_error() {
        assert_eq!(
            error("8/8 w - - ;c0 \"cut ;D1 20"),
            "t.epd, line 1: a quotation mark is not closed"
        );
    }
}
