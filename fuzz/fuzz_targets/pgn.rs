//! Counts any bytes as a PGN file: no panic, every game counted once, and the same sums for any span length. Both
//! readers find the same games.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use ninesixty::pgn::Source;
use ninesixty::stats::{FileOptions, StatsSettings, Tally, TextReader, count_file};

fn count(text: &[u8], span_bytes: usize, reader: TextReader) -> Option<(Tally, Vec<u8>)> {
    let settings = StatsSettings::everything(8);
    // Bytes that begin like a compressed file but are not one give an error.
    let source = Source::stream(Path::new("fuzz"), Cursor::new(text.to_vec())).ok()?;
    let source = source.in_spans_of(span_bytes);
    let options = FileOptions { reader, ..FileOptions::default() };
    let counted = count_file(source, &settings, &options).ok()??;
    let mut tree = Vec::new();
    counted.tree.write_to(&mut tree).ok()?;
    Some((counted.tally, tree))
}

fuzz_target!(|text: &[u8]| {
    let Some((whole, tree)) = count(text, 1 << 20, TextReader::Scanner) else {
        return;
    };
    let summary = &whole.summary;
    assert_eq!(summary.read, summary.counted + summary.rejected_games());
    for span_bytes in [700, 1_000] {
        assert!(count(text, span_bytes, TextReader::Scanner) == Some((whole.clone(), tree.clone())));
    }
    let careful = count(text, 1 << 20, TextReader::PgnReader).map(|(tally, _)| tally.summary.read);
    assert_eq!(careful, Some(summary.read));
});
