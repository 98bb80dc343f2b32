//! Reading the games of a [`Source`], on one thread or many.
//!
//! [`for_each_game`] visits the games of a file in order. [`GameReader`] shares a source among threads: each takes a
//! span, splits it into games and visits them, in no particular order. A thread holds a few hundred kilobytes of text
//! at a time, however large the file is, and none of a mapped file, whose games are visited where they are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::buffer::Buffer;
use super::error::ReadError;
use super::raw_game::{GameOffset, RawGame};
use super::source::{Source, SourceOptions};
use super::splitter::{Splitter, split_span};
use super::stitcher::{SpanEdges, StitchedText, Stitcher};
use super::visit::{GameText, visit_games};

/// The text that a thread reads at once: it fits into the cache of one core.
const CHUNK_BYTES: usize = 256 << 10;

/// Visits every game of a PGN file on this thread, in the order of the file, and returns the number of games. The file
/// may be compressed with zstd, gzip or bzip2.
///
/// Nothing is filtered: games of other variants and damaged ones are visited, too. If the file cannot be read to its
/// end, the games before the error have been visited.
///
/// ```
/// use std::path::Path;
///
/// use ninesixty::chess::Board;
/// use ninesixty::pgn;
///
/// let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pgn/mainz-2009.pgn");
/// let mut wins = Vec::new();
/// let games = pgn::for_each_game(&path, |game| {
///     // Games of another variant, or from a position that is not one of the 960 starts, are errors.
///     let Ok(began) = game.start() else { return };
///     // Only in Double Chess960 do the two sides have different starts.
///     let Some(start) = began.start.single() else { return };
///     if game.result() == "1-0" {
///         let moves = game.moves(start).expect("the games of this file are legal");
///         let first = Board::from_start(start).san(moves[0]);
///         wins.push(format!("{} beat {} from start {start} with {first}", game.white(), game.black()));
///     }
/// })?;
/// assert_eq!(games, 20);
/// assert_eq!(wins[0], "Aronian, Levon beat Bologan, Viktor from start 910 with e4");
/// # Ok::<(), pgn::ReadError>(())
/// ```
pub fn for_each_game(path: &Path, mut visit: impl FnMut(&RawGame)) -> Result<u64, ReadError> {
    // Not mapped: the caller's `visit` may rely on text that does not change while it is looked at.
    let options = SourceOptions {
        in_order: true,
        map: false,
    };
    let source = Source::open(path, options)?;
    let mut games = 0;
    visit_in_order(source, &mut |game| {
        games += 1;
        visit(&game);
    })?;
    Ok(games)
}

/// Visits the games of a source in order. One splitter sees all spans, so no game has to be stitched together.
fn visit_in_order(source: Source, visit: &mut impl FnMut(RawGame)) -> Result<(), ReadError> {
    let source = source.into_sequential();
    let ReadBuffers {
        mut decoded,
        mut text,
    } = ReadBuffers::default();
    let mut splitter = Splitter::at_start(source.layout(), &mut text);
    while let Some(mut span) = source.next_span(&mut decoded)? {
        while span.read(splitter.text, CHUNK_BYTES)? > 0 {
            splitter.split(visit);
        }
    }
    if let SpanEdges::Split {
        tail, tail_offset, ..
    } = splitter.finish()
    {
        let last = StitchedText {
            span: 0,
            offset: tail_offset,
            text: tail,
        };
        visit_stitched(&source, &last, visit);
    }
    source.check_unchanged()
}

/// A source that threads read together, and the edges of its spans.
pub struct GameReader {
    source: Source,
    state: Mutex<ReaderState>,
}

struct ReaderState {
    stitcher: Stitcher,
    /// The length of each span, known once it has been read. A mapped file counts as one span.
    lengths: BTreeMap<u64, u64>,
}

/// Memory that a thread reads into, reused for every span.
#[derive(Default)]
pub struct ReadBuffers {
    decoded: Buffer,
    text: Buffer,
}

impl GameReader {
    /// A reader of the games of a source.
    pub fn new(source: Source) -> GameReader {
        let mapped = source.mapped_bytes().into_iter();
        let state = ReaderState {
            stitcher: Stitcher::new(source.layout()),
            lengths: mapped.map(|bytes| (0, bytes)).collect(),
        };
        GameReader {
            source,
            state: Mutex::new(state),
        }
    }

    /// The source that is read.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Takes a span that no thread has taken and visits its games; `false` if there is none left. Games that cross the
    /// edge of a span are visited by the thread that reads the last part of them.
    pub fn read_span(
        &self,
        buffers: &mut ReadBuffers,
        visit: &mut impl FnMut(RawGame),
    ) -> Result<bool, ReadError> {
        let ReadBuffers { decoded, text } = buffers;
        let Some(mut span) = self.source.next_span(decoded)? else {
            return Ok(false);
        };
        if let Some((bytes, range)) = span.mapped() {
            let text = GameText {
                layout: self.source.layout(),
                begin: GameOffset { span: 0, offset: 0 },
                bytes,
            };
            visit_games(text, range.clone(), visit);
            self.source.add_read_bytes(range.len());
            self.source.check_map()?;
            return Ok(true);
        }
        let layout = self.source.layout();
        let (length, edges) = if let Some(text) = span.decoded() {
            let edges = split_span(layout, span.index, text, visit);
            (text.len() as u64, edges)
        } else {
            let mut splitter = Splitter::new(layout, span.index, text);
            let chunk_bytes = (self.source.span_bytes() / 4).clamp(1, CHUNK_BYTES);
            while span.read(splitter.text, chunk_bytes)? > 0 {
                splitter.split(visit);
            }
            (splitter.length(), splitter.finish())
        };
        let complete = {
            let mut state = self.lock();
            state.lengths.insert(span.index, length);
            state.stitcher.add(span.index, edges)
        };
        for text in complete {
            visit_stitched(&self.source, &text, visit);
        }
        Ok(true)
    }

    /// Visits the last games when all spans have been read. Fails if the file changed meanwhile.
    pub fn finish(self, visit: &mut impl FnMut(RawGame)) -> Result<SpanOffsets, ReadError> {
        let GameReader { source, state } = self;
        let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        for text in state.stitcher.finish() {
            visit_stitched(&source, &text, visit);
        }
        source.check_unchanged()?;
        Ok(SpanOffsets::new(&state.lengths))
    }

    /// Stops reading a damaged source. All games before the damage have been visited, except for the one that the
    /// damage truncated.
    pub fn abandon(self) -> SpanOffsets {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        SpanOffsets::new(&state.lengths)
    }

    fn lock(&self) -> MutexGuard<'_, ReaderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn visit_stitched(source: &Source, stitched: &StitchedText, visit: &mut impl FnMut(RawGame)) {
    let begin = GameOffset {
        span: stitched.span,
        offset: stitched.offset,
    };
    stitched.text.visit_games(source.layout(), begin, visit);
}

/// The offsets of the spans in the text, which turn a [`GameOffset`] into a byte offset. They are known only after all
/// spans have been read, as the length of a compressed span is.
#[derive(Debug)]
pub struct SpanOffsets {
    /// Where each span begins, and where the last one ends.
    begins: Vec<u64>,
}

impl SpanOffsets {
    fn new(lengths: &BTreeMap<u64, u64>) -> SpanOffsets {
        let mut begins = vec![0];
        for (span, (&index, length)) in (0..).zip(lengths) {
            // The offsets after a span that was never read are unknown.
            if index != span {
                break;
            }
            begins.push(begins[begins.len() - 1] + length);
        }
        SpanOffsets { begins }
    }

    /// The byte offset of a game in the text of the file; 0 if it is unknown.
    pub fn byte(&self, game: GameOffset) -> u64 {
        let begin = self.begins.get(game.span as usize);
        begin.map_or(0, |begin| begin + game.offset)
    }

    /// The length of the text.
    pub fn total_bytes(&self) -> u64 {
        self.begins[self.begins.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn stream(text: &[u8]) -> Source {
        Source::stream(Path::new("text"), Cursor::new(text.to_vec())).unwrap()
    }

    fn games_by_span(source: Source) -> Vec<(u64, Vec<u8>)> {
        let reader = GameReader::new(source);
        let mut games = Vec::new();
        let mut visit = |game: RawGame| games.push((game.offset, game.text.to_vec()));
        let mut buffers = ReadBuffers::default();
        while reader.read_span(&mut buffers, &mut visit).unwrap() {}
        let offsets = reader.finish(&mut visit).unwrap();
        games.sort();
        let games = games.into_iter();
        games
            .map(|(offset, text)| (offsets.byte(offset), text))
            .collect()
    }

    fn games_in_order(source: Source) -> Vec<(u64, Vec<u8>)> {
        let mut games = Vec::new();
        let mut visit = |game: RawGame| games.push((game.offset.offset, game.text.to_vec()));
        visit_in_order(source, &mut visit).unwrap();
        games
    }

    #[test]
    fn reading_in_order_gives_the_games_and_offsets_of_reading_by_spans() {
        let sample = include_bytes!("../../data/pgn/mainz-2009.pgn");
        let short_games = "[Event \"x\"]\n\n1. e4 *\n\n".repeat(200);
        let overlong = format!(
            "{short_games}1. e4 {{{}}}\n{short_games}",
            "x".repeat(17 << 20)
        );
        for text in [
            &sample[..],
            b"",
            b"\n\n",
            b"1. e4 1-0\n\n1. d4 0-1\n",
            short_games.as_bytes(),
            overlong.as_bytes(),
        ] {
            let expected = games_by_span(stream(text));
            // Every span searches the text of the unfinished game again, so short ones take long in a long game.
            let shortest = text.len() / 100;
            for span_bytes in [700, 4_096, 1 << 20]
                .into_iter()
                .filter(|&bytes| bytes > shortest)
            {
                let found = games_in_order(stream(text).in_spans_of(span_bytes));
                assert!(found == expected, "{} bytes", text.len());
            }
        }
    }
}
