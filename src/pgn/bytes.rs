//! What every part of the PGN reader shares about bytes: blank ones, the byte order mark, and text as a string.

/// The UTF-8 byte order mark, which begins some files, and some games where files were concatenated.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a byte is white space. NUL counts as white space: some programs pad their files with it.
pub const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' | 0)
}

/// The number of blank bytes at the start of a text.
pub fn leading_blanks(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_blank(byte)).count()
}

/// The number of blank bytes at the end of a text.
pub fn trailing_blanks(text: &[u8]) -> usize {
    let from_end = text.iter().rev();
    from_end.take_while(|&&byte| is_blank(byte)).count()
}

/// Text with invalid UTF-8 replaced. It is copied first, because the text of a mapped file may change after it was found
/// to be valid.
pub fn readable(text: &[u8]) -> String {
    let copy = text.to_vec();
    String::from_utf8_lossy(&copy).into_owned()
}
