//! Where the frames of a zstd file are, without decoding them.
//!
//! `pzstd` puts a skippable frame of twelve bytes before each frame, which holds the compressed size of it. In walks a
//! file; out walk the places of its frames, or nothing if it was not made like that.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A compressed frame: where it begins in the file, and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub at: u64,
    pub bytes: u64,
}

const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
const HEADER_BYTES: u64 = 12;

/// The frames of a file that `pzstd` made, from its first byte to its last.
pub fn find(file: &File, length: u64) -> io::Result<Option<Vec<Frame>>> {
    let mut frames = Vec::new();
    let mut at = 0;
    while at < length {
        let mut header = [0; HEADER_BYTES as usize];
        if length - at <= HEADER_BYTES {
            return Ok(None);
        }
        file.read_exact_at(&mut header, at)?;
        let [a, b, c, d, four, 0, 0, 0, size @ ..] = header else {
            return Ok(None);
        };
        let bytes = u64::from(u32::from_le_bytes(size));
        at += HEADER_BYTES;
        if [a, b, c, d] != SKIPPABLE || four != 4 || bytes == 0 || bytes > length - at {
            return Ok(None);
        }
        frames.push(Frame { at, bytes });
        at += bytes;
    }
    Ok((frames.len() > 1).then_some(frames))
}
