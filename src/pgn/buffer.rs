//! Memory for text, reused for every span.

/// Text at the front of a piece of memory. The memory is never shortened, so it is cleared only when it grows.
#[derive(Default)]
pub struct Buffer {
    memory: Vec<u8>,
    filled: usize,
}

impl Buffer {
    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.memory[..self.filled]
    }

    /// Memory for this many bytes after the text. [`Buffer::add`] makes what was written there text.
    pub fn spare(&mut self, bytes: usize) -> &mut [u8] {
        let end = self.filled + bytes;
        if self.memory.len() < end {
            self.memory.resize(end, 0);
        }
        &mut self.memory[self.filled..end]
    }

    /// Adds bytes that were written to [`Buffer::spare`] to the text.
    pub fn add(&mut self, bytes: usize) {
        self.filled = (self.filled + bytes).min(self.memory.len());
    }

    /// Removes bytes from the front of the text.
    pub fn drop_front(&mut self, bytes: usize) {
        self.memory.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
    }

    /// Removes all text.
    pub fn clear(&mut self) {
        self.filled = 0;
    }
}
