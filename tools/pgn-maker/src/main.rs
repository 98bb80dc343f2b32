//! Makes large PGN files for benchmarks: generated games, and the real games of `data/corpus` repeated with other players.
//!
//! The same kind and size give the same bytes on every machine, whatever the number of threads: games are made in batches,
//! and each batch has a random generator of its own. `scripts/make-pgn` builds and runs this program.

mod corpus;
mod play;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use corpus::Corpus;

const USAGE: &str = "usage: pgn-maker [--kind KIND] [--size SIZE] OUTPUT

KIND is one of
  zipf       (default) generated Chess960 games, tags as on Lichess, no comments
  lichess    real Chess960 games, repeated with other players and dates, with clocks as on Lichess
  comments   the same games with long engine comments, as TCEC publishes them
  classical  generated games of classical chess with few openings, tags as in tournament databases
  mixed      classical, with 3 % Chess960
SIZE is in bytes, or such as 300M or 2G (default 100M)";

/// Batches that are made in parallel and written together. It bounds the memory.
const BATCHES_AT_ONCE: u64 = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zipf,
    Lichess,
    Comments,
    Classical,
    Mixed,
}

struct Request {
    kind: Kind,
    bytes: u64,
    output: PathBuf,
}

/// Games one after the other, and the offset at which each of them ends.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    ends: Vec<usize>,
}

fn main() -> ExitCode {
    let Some(request) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match make(&request) {
        Ok((bytes, games)) => {
            eprintln!("{}: {bytes} bytes, {games} games", request.output.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot make {}: {error}", request.output.display());
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<Request> {
    let (mut kind, mut bytes, mut output) = (Kind::Zipf, 100_000_000, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--kind" => kind = Kind::parse(&args.next()?)?,
            "--size" => bytes = parse_size(&args.next()?)?,
            path if !path.starts_with('-') && output.is_none() => output = Some(path.into()),
            _ => return None,
        }
    }
    Some(Request {
        kind,
        bytes,
        output: output?,
    })
}

/// A number of bytes: `300M` is 300 million.
fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1_000),
        (at, 'M') => (&text[..at], 1_000_000),
        (at, 'G') => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Writes whole games until the file has the requested size, and returns its bytes and games.
fn make(request: &Request) -> io::Result<(u64, u64)> {
    let corpus = match request.kind {
        Kind::Lichess | Kind::Comments => Corpus::load()?,
        Kind::Zipf | Kind::Classical | Kind::Mixed => Corpus::default(),
    };
    let mut out = BufWriter::new(File::create(&request.output)?);
    let (mut bytes, mut games) = (0, 0);
    for first in (0..).step_by(BATCHES_AT_ONCE as usize) {
        let numbers: Vec<u64> = (first..first + BATCHES_AT_ONCE).collect();
        let batches: Vec<Batch> = numbers
            .par_iter()
            .map(|&number| request.kind.batch(number, &corpus))
            .collect();
        for batch in &batches {
            let wanted = request.bytes.saturating_sub(bytes) as usize;
            // The first game that ends behind the requested size is the last.
            let last = batch.ends.partition_point(|&end| end < wanted);
            let last = last.min(batch.ends.len() - 1);
            out.write_all(&batch.text[..batch.ends[last]])?;
            bytes += batch.ends[last] as u64;
            games += last as u64 + 1;
            if bytes >= request.bytes {
                out.flush()?;
                return Ok((bytes, games));
            }
        }
    }
    unreachable!("the batches never end")
}

impl Kind {
    fn parse(name: &str) -> Option<Kind> {
        Some(match name {
            "zipf" => Kind::Zipf,
            "lichess" => Kind::Lichess,
            "comments" => Kind::Comments,
            "classical" => Kind::Classical,
            "mixed" => Kind::Mixed,
            _ => return None,
        })
    }

    /// The games of a batch. At least one.
    fn batch(self, number: u64, corpus: &Corpus) -> Batch {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(960 << 32 | number);
        match self {
            Kind::Zipf => play::batch(&mut random, 100),
            Kind::Classical => play::batch(&mut random, 0),
            Kind::Mixed => play::batch(&mut random, 3),
            Kind::Lichess => corpus.batch(number, &mut random, corpus::lichess_layout),
            Kind::Comments => corpus.batch(number, &mut random, corpus::tcec_layout),
        }
    }
}

impl Batch {
    fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.text);
        self.ends.push(self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const KINDS: [&str; 5] = ["zipf", "lichess", "comments", "classical", "mixed"];

    fn made(kind: &str, bytes: u64, threads: usize) -> Vec<u8> {
        let name = format!("pgn-maker-{}-{kind}-{bytes}-{threads}", std::process::id());
        let request = Request {
            kind: Kind::parse(kind).unwrap(),
            bytes,
            output: std::env::temp_dir().join(name),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (written, games) = pool.build().unwrap().install(|| make(&request)).unwrap();
        let text = fs::read(&request.output).unwrap();
        fs::remove_file(&request.output).unwrap();
        let events = text.windows(8).filter(|window| window == b"[Event \"");
        assert_eq!((text.len() as u64, events.count() as u64), (written, games));
        text
    }

    #[test]
    fn the_same_request_gives_the_same_bytes_on_any_number_of_threads() {
        for kind in KINDS {
            let text = made(kind, 300_000, 1);
            assert!(text == made(kind, 300_000, 3), "{kind}");
            assert!(text.ends_with(b"\n\n"), "{kind}");
            assert!((300_000..500_000).contains(&text.len()), "{kind}");
            assert!(made(kind, 100_000, 2)[..] == text[..made(kind, 100_000, 2).len()]);
        }
    }

    #[test]
    fn copies_of_real_games_have_other_tags() {
        let text = String::from_utf8(made("lichess", 60_000_000, 2)).unwrap();
        let mut games: Vec<&str> = text.split("\n\n[Event ").collect();
        let all = games.len();
        assert!(all > 2 * 5_228);
        games.sort_unstable();
        games.dedup();
        assert_eq!(games.len(), all);
    }

    #[test]
    fn sizes_have_decimal_units() {
        for (text, bytes) in [
            ("5", Some(5)),
            ("300M", Some(300_000_000)),
            ("2G", Some(2_000_000_000)),
            ("k", None),
            ("", None),
            ("99999999999G", None),
        ] {
            assert_eq!(parse_size(text), bytes, "{text}");
        }
    }
}
