//! Any bytes as a ledger or as an opening tree: refused, or read without a panic.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use ninesixty::job::merge_ledgers;
use ninesixty::stats::Tree;

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let _ = merge_ledgers(&[file.path().to_owned()]);
    let mut tree = Tree::default();
    if tree.absorb_from(&mut &*bytes).is_ok() {
        tree.branches(1).unwrap();
    }
});
