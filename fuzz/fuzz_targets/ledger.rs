//! Reads any bytes as a ledger and as an opening tree: an error or a value, never a panic.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use ninesixty::job::merge_ledgers;
use ninesixty::stats::{GroupBy, OpeningTree, TreeError, TreeOptions};

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let _ = merge_ledgers(&[file.path().to_owned()]);
    let mut tree = OpeningTree::default();
    if tree.absorb_from(&mut &*bytes).is_ok() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let options = TreeOptions {
            min_games: 1,
            by: GroupBy::default(),
            pool: &pool,
        };
        let visited = tree.visit_moves(options, |_: &mut (), _| (), |()| Ok::<(), TreeError>(()));
        visited.unwrap();
    }
});
