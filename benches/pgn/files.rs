//! The files that are read: made once, and kept in the target directory.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::write::GzEncoder;

/// The kinds of `scripts/make-pgn`, with their letters and the flags of `stats` that count their games.
pub const KINDS: [(&str, char, &[&str]); 5] = [
    ("zipf", 'Z', &[]),
    ("lichess", 'L', &["--doubles"]),
    ("comments", 'C', &["--doubles"]),
    ("classical", 'T', &["--include-standard"]),
    ("mixed", 'X', &[]),
];

/// How a file is compressed.
#[derive(Clone, Copy)]
pub enum Compression {
    /// One zstd frame.
    Zstd,
    Gzip,
    /// Many zstd frames, each preceded by a skippable frame that holds its size, as `pzstd` writes them.
    ZstdFrames,
}

impl Compression {
    pub const ALL: [Compression; 3] = [
        Compression::Zstd,
        Compression::Gzip,
        Compression::ZstdFrames,
    ];

    fn suffix(self) -> &'static str {
        match self {
            Compression::Zstd => "pgn.zst",
            Compression::Gzip => "pgn.gz",
            Compression::ZstdFrames => "frames.pgn.zst",
        }
    }
}

/// The level at which zstd compresses.
const ZSTD_LEVEL: i32 = 6;

/// The text of a frame. `pzstd` uses four windows, which is as much at this level.
const FRAME_BYTES: usize = 8 << 20;

/// A file of a kind with about this size, such as `100M`.
pub fn pgn(kind: &str, size: &str) -> PathBuf {
    let path = directory().join(format!("{kind}-{size}.pgn"));
    make(&path, |path| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/make-pgn");
        let mut command = Command::new(script);
        command.args(["--kind", kind, "--size", size]).arg(path);
        let status = command.status()?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("{command:?}: {status}")))
        }
    });
    path
}

/// The same file, compressed.
pub fn compressed(pgn: &Path, compression: Compression) -> PathBuf {
    let path = pgn.with_extension(compression.suffix());
    make(&path, |path| {
        let mut text = File::open(pgn)?;
        let mut out = File::create(path)?;
        match compression {
            Compression::Zstd => zstd::stream::copy_encode(text, out, ZSTD_LEVEL),
            Compression::Gzip => {
                let mut encoder = GzEncoder::new(out, flate2::Compression::default());
                io::copy(&mut text, &mut encoder)?;
                encoder.finish().map(drop)
            }
            Compression::ZstdFrames => write_frames(&mut text, &mut out),
        }
    });
    path
}

fn write_frames(text: &mut File, out: &mut File) -> io::Result<()> {
    const SKIPPABLE: [u8; 8] = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0];
    let mut part = Vec::new();
    loop {
        part.clear();
        text.take(FRAME_BYTES as u64).read_to_end(&mut part)?;
        if part.is_empty() {
            return Ok(());
        }
        let frame = zstd::bulk::compress(&part, ZSTD_LEVEL)?;
        out.write_all(&SKIPPABLE)?;
        out.write_all(&(frame.len() as u32).to_le_bytes())?;
        out.write_all(&frame)?;
    }
}

/// Makes a file unless it is there. It gets its name when it is complete.
fn make(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) {
    if path.exists() {
        return;
    }
    let part = path.with_extension("part");
    let made = write(&part).and_then(|()| fs::rename(&part, path));
    made.unwrap_or_else(|error| panic!("cannot make {}: {error}", path.display()));
}

/// Where files are made, and where the tables of a run are written.
pub fn directory() -> &'static Path {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(directory).expect("the target directory is writable");
    directory
}
