//! Parses any bytes as an EPD suite and as a CSV table: an error, or lines with a FEN and records with all columns.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use ninesixty::table::read::{Sheet, parse_epd};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(lines) = parse_epd(Path::new("fuzz.epd"), bytes) {
        assert!(lines.iter().all(|line| line.line > 0));
    }
    if let Ok(sheet) = Sheet::parse(Path::new("fuzz.csv"), bytes) {
        for record in sheet.records() {
            assert_eq!(record.fields.len(), sheet.columns().len());
        }
    }
});
