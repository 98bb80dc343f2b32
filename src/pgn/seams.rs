//! Spans of a text, read apart, stitched together.
//!
//! In walks what hangs over the edges of each span, in any order: the end of a game that began in a span before, and
//! the beginning of one that ends in a span after. Out walk stretches of text that are whole games.
//!
//! A game may be as long as [`LONGEST_GAME`]; of a longer one only its beginning, its length and its last bytes are kept,
//! the last ones because the next game may begin among them.

use std::collections::BTreeMap;

use super::cut::{LOOK_AHEAD, LOOK_BACK, Layout};

/// The most bytes of one game that are ever held.
pub const LONGEST_GAME: usize = 16 << 20;

/// The text between two places where it was cut.
#[derive(Debug, Default)]
pub struct Stretch {
    pub bytes: Vec<u8>,
    /// How much more there was, of a game beyond the limit.
    pub dropped: u64,
    /// The end of what was dropped.
    end: Vec<u8>,
}

/// A little more than the limit, so that the places of games near its end do not decide.
const MOST_KEPT: usize = LONGEST_GAME + (1 << 16);

/// So much of what was dropped shows whether a game begins where it ends.
const END_BYTES: usize = LOOK_BACK + LOOK_AHEAD;

/// What a span leaves to its neighbours.
#[derive(Debug)]
pub enum Edge {
    /// No game begins in the span.
    Through(Stretch),
    Ends {
        /// What is before the first game that begins in it.
        head: Stretch,
        /// The last game that begins in it, and where.
        tail: Stretch,
        tail_offset: u64,
    },
}

/// Whole games, and where they begin: in which span, and how many bytes after its beginning.
#[derive(Debug)]
pub struct Region {
    pub span: u64,
    pub offset: u64,
    pub text: Stretch,
}

/// The edges of all spans that have not found their neighbours.
#[derive(Debug)]
pub struct Seams {
    layout: Layout,
    /// By the span in which they go on.
    open: BTreeMap<u64, Region>,
    /// By the span that begins with them.
    waiting: BTreeMap<u64, Waiting>,
}

#[derive(Debug)]
enum Waiting {
    Head(Stretch),
    Through(Stretch),
}

impl Stretch {
    /// Adds text; what is beyond the limit is only counted.
    pub fn extend(&mut self, bytes: &[u8]) {
        let room = match self.dropped {
            0 => MOST_KEPT.saturating_sub(self.bytes.len()).min(bytes.len()),
            _ => 0,
        };
        self.bytes.extend_from_slice(&bytes[..room]);
        let rest = &bytes[room..];
        if rest.is_empty() {
            return;
        }
        if self.dropped == 0 {
            self.end = last_bytes(&self.bytes).to_vec();
        }
        self.dropped += rest.len() as u64;
        self.end.extend_from_slice(last_bytes(rest));
        self.end = last_bytes(&self.end).to_vec();
    }

    fn length(&self) -> u64 {
        self.bytes.len() as u64 + self.dropped
    }

    /// Adds what follows. If a game begins where both meet, or after it in what had to be dropped, gives the text from there
    /// on and keeps what is before.
    fn join(&mut self, other: Stretch, layout: Layout) -> Option<Stretch> {
        if self.length() + other.length() <= MOST_KEPT as u64 {
            self.bytes.extend_from_slice(&other.bytes);
            return None;
        }
        let (mut text, from) = if self.dropped == 0 {
            let text = std::mem::take(&mut self.bytes);
            let from = text.len().saturating_sub(END_BYTES).max(1);
            (text, from)
        } else {
            (std::mem::take(&mut self.end), LOOK_BACK)
        };
        let before = text.len();
        text.extend_from_slice(&other.bytes);
        let cut = layout.next_cut(&text, from, text.len());
        let kept = cut.unwrap_or(text.len());
        if self.dropped == 0 {
            self.extend(&text[..kept]);
        } else {
            self.dropped = (self.dropped + kept as u64).saturating_sub(before as u64);
            self.end = last_bytes(&text[..kept]).to_vec();
        }
        match cut {
            Some(cut) => Some(Stretch {
                bytes: text[cut..].to_vec(),
                dropped: other.dropped,
                end: other.end,
            }),
            None => {
                if other.dropped > 0 {
                    self.dropped += other.dropped;
                    self.end = other.end;
                }
                None
            }
        }
    }
}

fn last_bytes(text: &[u8]) -> &[u8] {
    &text[text.len().saturating_sub(END_BYTES)..]
}

impl Seams {
    /// The seams of a text that begins with span 0.
    pub fn new(layout: Layout) -> Seams {
        let beginning = Region {
            span: 0,
            offset: 0,
            text: Stretch::default(),
        };
        Seams {
            layout,
            open: BTreeMap::from([(0, beginning)]),
            waiting: BTreeMap::new(),
        }
    }

    /// Takes the edges of a span, and gives what has become whole.
    pub fn take(&mut self, span: u64, edge: Edge) -> Vec<Region> {
        let mut whole = Vec::new();
        match edge {
            Edge::Through(text) => {
                self.waiting.insert(span, Waiting::Through(text));
            }
            Edge::Ends {
                head,
                tail,
                tail_offset,
            } => {
                self.waiting.insert(span, Waiting::Head(head));
                let open = Region {
                    span,
                    offset: tail_offset,
                    text: tail,
                };
                self.open.insert(span + 1, open);
                self.close(span + 1, &mut whole);
            }
        }
        self.close(span, &mut whole);
        whole
    }

    /// What is still open when there is no more text.
    pub fn finish(self) -> impl Iterator<Item = Region> {
        self.open.into_values()
    }

    fn close(&mut self, mut span: u64, whole: &mut Vec<Region>) {
        while self.open.contains_key(&span)
            && let Some(next) = self.waiting.remove(&span)
            && let Some(mut region) = self.open.remove(&span)
        {
            let (text, is_end) = match next {
                Waiting::Head(text) => (text, true),
                Waiting::Through(text) => (text, false),
            };
            if let Some(rest) = region.text.join(text, self.layout) {
                let rest = Region {
                    span: region.span,
                    offset: region.offset + region.text.length(),
                    text: rest,
                };
                whole.push(std::mem::replace(&mut region, rest));
            }
            if is_end {
                whole.push(region);
                return;
            }
            span += 1;
            self.open.insert(span, region);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(text: &str) -> Stretch {
        Stretch {
            bytes: text.as_bytes().to_vec(),
            ..Stretch::default()
        }
    }

    fn edge(text: &str) -> Edge {
        match text.split_once('|') {
            None => Edge::Through(stretch(text)),
            Some((head, tail)) => Edge::Ends {
                head: stretch(head),
                tail: stretch(tail),
                tail_offset: head.len() as u64,
            },
        }
    }

    #[test]
    fn spans_in_any_order_give_the_same_games() {
        let spans = ["ab|c", "d", "e|f", "|g", "h"];
        let mut orders = vec![vec![]];
        for span in 0..spans.len() {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<usize>| {
                    (0..=order.len()).map(move |at| {
                        let mut longer = order.clone();
                        longer.insert(at, span);
                        longer
                    })
                })
                .collect();
        }
        assert_eq!(orders.len(), 120);
        for order in orders {
            let mut seams = Seams::new(Layout::Lines);
            let mut whole: Vec<Region> = Vec::new();
            for &span in &order {
                whole.extend(seams.take(span as u64, edge(spans[span])));
            }
            whole.extend(seams.finish());
            let mut games: Vec<_> = whole
                .into_iter()
                .map(|region| {
                    let text = String::from_utf8(region.text.bytes).unwrap();
                    (region.span, region.offset, text)
                })
                .collect();
            games.sort();
            let expected = [(0, 0, "ab"), (0, 2, "cde"), (2, 1, "f"), (3, 0, "gh")];
            let expected = expected.map(|(span, offset, text)| (span, offset, text.to_owned()));
            assert_eq!(games, expected, "{order:?}");
        }
    }

    #[test]
    fn a_game_beyond_the_limit_is_counted_and_not_kept() {
        let mut text = Stretch::default();
        for _ in 0..20 {
            text.extend(&vec![b'x'; 1 << 20]);
        }
        assert!(text.bytes.len() <= LONGEST_GAME + (1 << 16));
        assert_eq!(text.bytes.len() as u64 + text.dropped, 20 << 20);
    }
}
