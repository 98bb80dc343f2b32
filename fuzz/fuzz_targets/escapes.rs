//! Writes any text in a table: no text format passes on control characters or breaks a row.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ninesixty::table::{Format, Table, write};

fuzz_target!(|text: &str| {
    let mut table = Table::new("ninesixty.fuzz/1", text, ["text", "fen"]);
    table.push(vec![text.into(), text.into()]);
    for &format in Format::ALL {
        let mut bytes = Vec::new();
        // EPD cannot hold some texts and returns an error.
        if write(&table, format, &mut bytes).is_err() {
            continue;
        }
        let written = String::from_utf8(bytes).expect("tables are UTF-8");
        assert!(written.chars().all(|c| c == '\n' || !c.is_control()), "{format}");
        if matches!(format, Format::Csv | Format::Jsonl) {
            assert_eq!(written.lines().count(), 2, "{format}");
        }
    }
});
