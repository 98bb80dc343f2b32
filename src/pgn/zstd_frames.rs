//! The frames of a zstd file, located without decoding them.
//!
//! `pzstd` writes a skippable frame of twelve bytes before each compressed frame, which holds the compressed size of
//! that frame. [`find`] follows these sizes from the start of the file to its end and returns the position of every
//! frame, so that threads can decode them independently. Files written by other programs give `None`.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A compressed frame: its position in the file and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub at: u64,
    pub bytes: u64,
}

/// The magic number of the skippable frames that `pzstd` writes.
const SKIPPABLE_MAGIC: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
const HEADER_BYTES: u64 = 12;

/// The frames of a file that `pzstd` wrote. `None` if any header differs from `pzstd`'s layout, or if there are fewer
/// than two frames.
pub fn find(file: &File, length: u64) -> io::Result<Option<Vec<Frame>>> {
    let mut frames = Vec::new();
    let mut at = 0;
    while at < length {
        let mut header = [0; HEADER_BYTES as usize];
        if length - at <= HEADER_BYTES {
            return Ok(None);
        }
        file.read_exact_at(&mut header, at)?;
        let [a, b, c, d, payload_bytes, 0, 0, 0, size @ ..] = header else {
            return Ok(None);
        };
        let bytes = u64::from(u32::from_le_bytes(size));
        at += HEADER_BYTES;
        let is_pzstd = [a, b, c, d] == SKIPPABLE_MAGIC && payload_bytes == 4;
        if !is_pzstd || bytes == 0 || bytes > length - at {
            return Ok(None);
        }
        frames.push(Frame { at, bytes });
        at += bytes;
    }
    Ok((frames.len() > 1).then_some(frames))
}
