//! Standard error.

use std::io::{self, Write};

/// Writes a line to standard error.
pub fn print_line(line: &str) {
    // A job goes on when its messages cannot be written: standard error may be closed, or its disk full.
    let _ = writeln!(io::stderr(), "{line}");
}
