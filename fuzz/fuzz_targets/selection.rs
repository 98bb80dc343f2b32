//! Parses any text as a selection of starts in every language: an error, or starts in ascending order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ninesixty::start::{Letters, Selection};

fuzz_target!(|text: &str| {
    for letters in Letters::ALL {
        match Selection::read(text, letters) {
            Ok(Selection::Singles(starts)) => assert!(starts.is_sorted_by(|a, b| a < b)),
            Ok(Selection::Doubles(starts)) => assert!(starts.is_sorted_by(|a, b| a < b)),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
