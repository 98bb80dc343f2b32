//! The Stockfish that the variable `STOCKFISH` names, or `stockfish` on the PATH, or Debian's in `/usr/games`.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

/// Its name as a generator; `None` if there is no Stockfish, which is an error if `CI` is `true`.
pub fn stockfish() -> Option<String> {
    let Some(program) = find() else {
        let message = "no Stockfish: set STOCKFISH to one, or install it (Debian: apt-get install stockfish); \
                       nothing was compared with it";
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "{message}");
        // Not by `eprintln`, which is not shown for a test that passes.
        let line = format!("{message}\n");
        io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    };
    Some(format!("uci:'{}'", program.display()))
}

fn find() -> Option<PathBuf> {
    let named = env::var_os("STOCKFISH").filter(|program| !program.is_empty());
    if let Some(program) = named {
        return Some(program.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|directory| directory.join("stockfish"))
        .find(|program| program.is_file())
}
