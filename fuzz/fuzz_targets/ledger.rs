//! Any bytes as a ledger: refused, or results of tasks of its plan.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use ninesixty::run::merge;
use ninesixty::stats::{Tally, Tree};

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    if let Ok(merged) = merge([file.path()]) {
        for task in merged.plan().tasks() {
            if let Some(tally) = merged.result(task).and_then(|value| Tally::from_json(value).ok()) {
                assert_eq!(Tally::from_json(&tally.to_json()), Ok(tally));
            }
        }
    }
    if let Ok(text) = str::from_utf8(bytes) {
        let mut tree = Tree::default();
        if tree.absorb_text(text).is_ok() {
            tree.branches(1).unwrap();
        }
    }
});
