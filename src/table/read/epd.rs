//! EPD suites: a position per line, with the counts that a perft of it should give.
//!
//! In walks a file with lines like `FEN ;D1 20 ;D2 400 ;id "518"`, or in the older layout, where
//! the semicolon ends a field instead: `FEN D1 20; D2 400;`. Out walk [`EpdLine`]s. Blank lines and
//! lines that begin with `#` are skipped, fields of other kinds are passed over; quoted text may
//! hold semicolons. A field that begins with a capital `D` is meant as a count, so a malformed one
//! is an error and not some other field.

use std::path::Path;

use super::{Flaw, ReadError, decode, excerpt, flawed, load, number};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EpdLine {
    /// Counted from 1.
    pub line: usize,
    /// Four to six fields, parted by single spaces, unchecked.
    pub fen: String,
    /// Depths and nodes in the order of the line, no depth twice.
    pub counts: Vec<(u32, u128)>,
    pub id: Option<String>,
}

pub fn read_epd(path: &Path) -> Result<Vec<EpdLine>, ReadError> {
    parse_epd(path, &load(path)?)
}

/// Reads what was loaded from `path`, which only serves to name it in errors.
pub fn parse_epd(path: &Path, bytes: &[u8]) -> Result<Vec<EpdLine>, ReadError> {
    let text = decode(path, bytes)?;
    let lines = text.lines().map(str::trim).zip(1..);
    lines
        .filter(|(text, _)| !text.is_empty() && !text.starts_with('#'))
        .map(|(text, line)| EpdLine::parse(text, line).map_err(|flaw| flawed(path, line, flaw)))
        .collect()
}

impl EpdLine {
    fn parse(text: &str, line: usize) -> Result<Self, Flaw> {
        let mut fields = fields(text)?.into_iter();
        let (fen, first) = split_fen(fields.next().unwrap_or_default())?;
        let mut epd = Self {
            line,
            fen,
            ..Self::default()
        };
        epd.take(&first)?;
        for field in fields {
            epd.take(field.trim())?;
        }
        Ok(epd)
    }

    fn take(&mut self, field: &str) -> Result<(), Flaw> {
        let (opcode, operand) = field.split_once(char::is_whitespace).unwrap_or((field, ""));
        if opcode == "id" {
            self.id = Some(operand.trim().trim_matches('"').to_owned());
        } else if let Some(depth) = depth_digits(opcode) {
            let (depth, nodes) =
                depth_count(depth, operand).ok_or_else(|| Flaw::NotADepth(excerpt(field)))?;
            self.add(depth, nodes)?;
        }
        Ok(())
    }

    fn add(&mut self, depth: u32, nodes: u128) -> Result<(), Flaw> {
        if self.counts.iter().any(|&(known, _)| known == depth) {
            return Err(Flaw::DepthTwice(depth));
        }
        self.counts.push((depth, nodes));
        Ok(())
    }
}

/// Splits at the semicolons outside quotation marks.
fn fields(text: &str) -> Result<Vec<&str>, Flaw> {
    let mut quoted = false;
    let fields = text
        .split(|c| {
            quoted ^= c == '"';
            c == ';' && !quoted
        })
        .collect();
    if quoted {
        Err(Flaw::OpenQuote)
    } else {
        Ok(fields)
    }
}

/// Parts the position from a field that follows it without a semicolon.
///
/// Opcodes begin with a letter, so the two move counters of a FEN cannot be mistaken for one.
fn split_fen(text: &str) -> Result<(String, String), Flaw> {
    const POSITION_FIELDS: usize = 4;
    let words: Vec<_> = text.split_whitespace().collect();
    if words.len() < POSITION_FIELDS {
        return Err(Flaw::ShortFen(words.len()));
    }
    let counters = words[POSITION_FIELDS..]
        .iter()
        .take(2)
        .take_while(|word| number(word).is_some())
        .count();
    let (fen, field) = words.split_at(POSITION_FIELDS + counters);
    Ok((fen.join(" "), field.join(" ")))
}

/// What stands behind the `D` of an opcode that is meant as a depth.
fn depth_digits(opcode: &str) -> Option<&str> {
    opcode.strip_prefix('D').or_else(|| {
        opcode
            .strip_prefix('d')
            .filter(|digits| number(digits).is_some())
    })
}

fn depth_count(depth: &str, nodes: &str) -> Option<(u32, u128)> {
    let depth = u32::try_from(number(depth)?).ok()?;
    (depth > 0).then_some((depth, number(nodes.trim())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<EpdLine>, ReadError> {
        parse_epd(Path::new("t.epd"), text.as_bytes())
    }

    fn only(text: &str) -> EpdLine {
        let mut lines = parse(text).unwrap();
        assert_eq!(lines.len(), 1);
        lines.remove(0)
    }

    fn refusal(text: &str) -> String {
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
    fn the_published_suites_read_whole() {
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
        assert_eq!(tricky.len(), 63);
        assert!(
            tricky
                .iter()
                .all(|line| line.counts.len() >= 5 && line.id.is_none())
        );
    }

    #[test]
    fn both_layouts_read_alike() {
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
    fn other_fields_are_passed_over_and_quotes_may_hold_semicolons() {
        let line = only("8/8 w - - ;c0 \"a ;D1 9 ; b\" ;dm 4 ;draw_offer ;D1 20 ;bm Nf3");
        assert_eq!(line.counts, [(1, 20)]);
    }

    #[test]
    fn a_malformed_count_is_refused_with_line_and_field() {
        for field in [
            "D1", "D1 x", "D1 -20", "D1 1,000", "D1 20 30", "D1=20", "D 20", "Dx 20", "D0 1",
            "d0 1",
        ] {
            assert_eq!(
                refusal(&format!("8/8 w - - ;D7 1\n8/8 w - - ;{field} ;D2 400")),
                format!("t.epd, line 2: {field:?} is not a depth and a count such as \"D3 8902\"")
            );
        }
        assert_eq!(
            refusal("8/8 w - - ;D2 400 ;D1 20 ;d2 400"),
            "t.epd, line 1: depth 2 is given twice"
        );
    }

    #[test]
    fn a_line_without_a_position_is_refused() {
        assert_eq!(
            refusal(";D1 20"),
            "t.epd, line 1: a position needs four fields (pieces, side, castling, en passant), this one has 0"
        );
        assert!(refusal("8/8 w - ;D1 20").ends_with("has 3"));
    }

    #[test]
    fn a_quote_left_open_is_refused() {
        assert_eq!(
            refusal("8/8 w - - ;c0 \"cut ;D1 20"),
            "t.epd, line 1: a quotation mark is not closed"
        );
    }
}
