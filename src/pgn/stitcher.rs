//! Stitching together the games that cross the edges of spans.
//!
//! Threads read spans independently, so the first bytes of a span usually belong to a game that began in an earlier
//! span, and its last game usually ends in a later one. [`Stitcher`] takes these [`SpanEdges`] in any order and returns
//! text that consists of whole games, as soon as all parts of it have arrived.
//!
//! Text without a boundary is kept up to [`MAX_KEPT_BYTES`]: of longer text only its beginning, its length and its last
//! bytes remain. The last bytes are needed because the next game may begin among them.

use std::collections::BTreeMap;

use super::boundary::{LOOK_AHEAD, LOOK_BACK, TextLayout};
use super::raw_game::{GameOffset, RawGame};
use super::visit::{GameText, MAX_SEGMENT_BYTES, visit_games};

/// A part of the text between two game boundaries or edges of spans.
#[derive(Debug, Default)]
pub struct Fragment {
    pub bytes: Vec<u8>,
    /// The number of bytes that followed and were not kept.
    dropped: u64,
    /// The last of the dropped bytes.
    end: Vec<u8>,
}

/// The most bytes that a fragment keeps. It exceeds what is read of a segment, as one or two short games may come before
/// the segment in a fragment.
const MAX_KEPT_BYTES: usize = MAX_SEGMENT_BYTES + (1 << 15);

/// The number of bytes on either side of a joint that are needed to find a boundary that its neighbours could not decide:
/// those up to which they have decided, and what is before and behind these.
const END_BYTES: usize = 2 * LOOK_BACK + LOOK_AHEAD;

/// The parts of a span that cannot be read without its neighbours.
#[derive(Debug)]
pub enum SpanEdges {
    /// No game begins in the span: all of it continues an earlier game.
    Continuation(Fragment),
    /// At least one game begins in the span.
    Split {
        /// The text before the first game that begins in the span.
        head: Fragment,
        /// The last game that begins in the span, and its offset in the span.
        tail: Fragment,
        tail_offset: u64,
    },
}

/// Text of one or more whole games, and where it begins: the number of the span and the offset in that span.
#[derive(Debug)]
pub struct StitchedText {
    pub span: u64,
    pub offset: u64,
    pub text: Fragment,
}

/// The edges whose neighbours have not arrived yet.
#[derive(Debug)]
pub struct Stitcher {
    layout: TextLayout,
    /// Games whose end is missing, by the number of the span that continues them.
    open: BTreeMap<u64, StitchedText>,
    /// Continuations whose beginning is missing, by the number of their span.
    pending: BTreeMap<u64, PendingEdge>,
}

#[derive(Debug)]
enum PendingEdge {
    Head(Fragment),
    Continuation(Fragment),
}

impl Fragment {
    /// Appends text. Bytes beyond the limit are counted and dropped.
    pub fn extend(&mut self, bytes: &[u8]) {
        let kept = match self.dropped {
            0 => MAX_KEPT_BYTES
                .saturating_sub(self.bytes.len())
                .min(bytes.len()),
            _ => 0,
        };
        self.bytes.extend_from_slice(&bytes[..kept]);
        let rest = &bytes[kept..];
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

    /// Visits the games of a fragment that begins and ends at a boundary.
    pub fn visit_games(
        &self,
        layout: TextLayout,
        begin: GameOffset,
        visit: &mut impl FnMut(RawGame),
    ) {
        let text = GameText {
            layout,
            begin,
            bytes: &self.bytes,
        };
        visit_games(text, 0..self.bytes.len(), visit);
    }

    /// The length of the text, dropped bytes included.
    pub fn length(&self) -> u64 {
        self.bytes.len() as u64 + self.dropped
    }

    /// Appends the fragment that follows. If a game begins near the joint, splits there: keeps the text before the boundary
    /// and returns the rest.
    fn join(&mut self, mut other: Fragment, layout: TextLayout) -> Option<Fragment> {
        let mut window = self.last_bytes().to_vec();
        let joint = window.len();
        window.extend_from_slice(&other.bytes[..other.bytes.len().min(END_BYTES)]);
        // A fragment begins with a game, and nothing before it decides a boundary.
        let from = if self.length() > END_BYTES as u64 {
            LOOK_BACK
        } else {
            1
        };
        let Some(boundary) = layout.next_boundary(&window, from, window.len()) else {
            self.extend(&other.bytes);
            if other.dropped > 0 {
                self.dropped += other.dropped;
                self.end = other.end;
            }
            return None;
        };
        if boundary >= joint {
            let rest = other.bytes.split_off(boundary - joint);
            self.extend(&other.bytes);
            other.bytes = rest;
        } else {
            self.truncate_by(joint - boundary);
            window.truncate(joint);
            other.bytes.splice(..0, window.drain(boundary..));
        }
        Some(other)
    }

    /// The last [`END_BYTES`] of the text, or all of it.
    fn last_bytes(&self) -> &[u8] {
        match self.dropped {
            0 => last_bytes(&self.bytes),
            _ => &self.end,
        }
    }

    /// Removes bytes from the end, at most [`END_BYTES`].
    fn truncate_by(&mut self, bytes: usize) {
        let dropped = self.dropped.min(bytes as u64);
        self.dropped -= dropped;
        let kept = self.bytes.len() - (bytes - dropped as usize);
        self.bytes.truncate(kept);
        self.end.truncate(self.end.len().saturating_sub(bytes));
    }
}

fn last_bytes(text: &[u8]) -> &[u8] {
    &text[text.len().saturating_sub(END_BYTES)..]
}

impl Stitcher {
    /// A stitcher for a text that begins with span 0.
    pub fn new(layout: TextLayout) -> Stitcher {
        let beginning = StitchedText {
            span: 0,
            offset: 0,
            text: Fragment::default(),
        };
        Stitcher {
            layout,
            open: BTreeMap::from([(0, beginning)]),
            pending: BTreeMap::new(),
        }
    }

    /// Takes the edges of a span and returns the texts that this completes.
    pub fn add(&mut self, span: u64, edges: SpanEdges) -> Vec<StitchedText> {
        let mut complete = Vec::new();
        match edges {
            SpanEdges::Continuation(text) => {
                self.pending.insert(span, PendingEdge::Continuation(text));
            }
            SpanEdges::Split {
                head,
                tail,
                tail_offset,
            } => {
                self.pending.insert(span, PendingEdge::Head(head));
                let open = StitchedText {
                    span,
                    offset: tail_offset,
                    text: tail,
                };
                self.open.insert(span + 1, open);
                self.join(span + 1, &mut complete);
            }
        }
        self.join(span, &mut complete);
        complete
    }

    /// The games that were still open when the text ended.
    pub fn finish(self) -> impl Iterator<Item = StitchedText> {
        self.open.into_values()
    }

    /// Joins the open game that continues in `span` with the spans that have arrived.
    fn join(&mut self, mut span: u64, complete: &mut Vec<StitchedText>) {
        while self.open.contains_key(&span)
            && let Some(next) = self.pending.remove(&span)
            && let Some(mut open) = self.open.remove(&span)
        {
            let (text, is_end) = match next {
                PendingEdge::Head(text) => (text, true),
                PendingEdge::Continuation(text) => (text, false),
            };
            if let Some(rest) = open.text.join(text, self.layout) {
                let rest = StitchedText {
                    span: open.span,
                    offset: open.offset + open.text.length(),
                    text: rest,
                };
                complete.push(std::mem::replace(&mut open, rest));
            }
            if is_end {
                complete.push(open);
                return;
            }
            span += 1;
            self.open.insert(span, open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(text: &str) -> Fragment {
        Fragment {
            bytes: text.as_bytes().to_vec(),
            ..Fragment::default()
        }
    }

    /// The edges of a span in which `|` marks the boundary.
    fn edges(text: &str) -> SpanEdges {
        match text.split_once('|') {
            None => SpanEdges::Continuation(fragment(text)),
            Some((head, tail)) => SpanEdges::Split {
                head: fragment(head),
                tail: fragment(tail),
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
            let mut stitcher = Stitcher::new(TextLayout::LineFeeds);
            let mut complete: Vec<StitchedText> = Vec::new();
            for &span in &order {
                complete.extend(stitcher.add(span as u64, edges(spans[span])));
            }
            complete.extend(stitcher.finish());
            let mut games: Vec<_> = complete
                .into_iter()
                .map(|stitched| {
                    let text = String::from_utf8(stitched.text.bytes).unwrap();
                    (stitched.span, stitched.offset, text)
                })
                .collect();
            games.sort();
            let expected = [(0, 0, "ab"), (0, 2, "cde"), (2, 1, "f"), (3, 0, "gh")];
            let expected = expected.map(|(span, offset, text)| (span, offset, text.to_owned()));
            assert_eq!(games, expected, "{order:?}");
        }
    }

    #[test]
    fn bytes_beyond_the_limit_are_counted_and_dropped() {
        let mut text = Fragment::default();
        for _ in 0..20 {
            text.extend(&vec![b'x'; 1 << 20]);
        }
        assert_eq!(text.bytes.len(), MAX_KEPT_BYTES);
        assert_eq!(text.bytes.len() as u64 + text.dropped, 20 << 20);
    }
}
