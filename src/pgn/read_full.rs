//! Reading until a buffer is full.
//!
//! A single `read` may return fewer bytes than asked for. Both `source` and `span_queue` need full buffers, so the loop
//! is a module of its own, which neither of them owns.

use std::io::{self, Read};

/// Calls `read` until the buffer is full or the input ends, and returns the number of bytes read. `read` also gets the
/// number of bytes that are already in the buffer, for reads at a file position.
pub fn read_full(
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    buffer: &mut [u8],
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(&mut buffer[filled..], filled as u64) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Like [`read_full`], but keeps what was read before an error and returns the error next to the number of bytes.
pub fn read_until_failure(text: &mut impl Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    let read = |part: &mut [u8], _| {
        let bytes = text.read(part)?;
        filled += bytes;
        Ok(bytes)
    };
    let failure = read_full(read, buffer).err();
    (filled, failure)
}
