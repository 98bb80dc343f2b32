//! Counts any bytes as a PGN file: no panic, every game counted once, and the same sums for any span length.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use ninesixty::pgn::Source;
use ninesixty::stats::{FileOptions, StatsSettings, Tally, count_file};

fn count(text: &[u8], span_bytes: usize) -> Option<(Tally, String)> {
    let settings = StatsSettings::everything(8);
    // Bytes that begin like a compressed file but are not one give an error.
    let source = Source::stream(Path::new("fuzz"), Cursor::new(text.to_vec())).ok()?;
    let source = source.in_spans_of(span_bytes);
    let counted = count_file(source, &settings, &FileOptions::default()).ok()??;
    Some((counted.tally, counted.tree.to_text().ok()?))
}

fuzz_target!(|text: &[u8]| {
    let Some((whole, tree)) = count(text, 1 << 20) else {
        return;
    };
    let summary = &whole.summary;
    let rejected: u64 = summary.rejected.values().map(|rejected| rejected.games).sum();
    assert_eq!(summary.read, summary.counted + rejected);
    for span_bytes in [700, 1_000] {
        assert!(count(text, span_bytes) == Some((whole.clone(), tree.clone())));
    }
});
