//! A file, or standard input, as spans of text that threads can read on their own.
//!
//! In walks a path; out walk spans, numbered in the order of the text. What a file is compressed with is told by its
//! first bytes and not by its name:
//!
//! - plain text: each thread reads ranges of the file into memory of its own. That is as fast as a memory map where it was
//!   measured (a map costs its page faults), and a file that shrinks is a short read instead of a signal;
//! - `pzstd`'s many frames: each thread decodes frames;
//! - any other stream, and standard input: one thread decodes, the others parse what it puts on a shelf.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Cursor, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

use super::cut::{HEAD_BYTES, Layout};
use super::error::ReadError;
use super::frames::{self, Frame};
use super::shelf::{Room, Shelf, Stream};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    Zstd,
    Gzip,
    Bzip2,
}

/// Text that is there to be read, by as many threads as like to.
pub struct Source {
    path: PathBuf,
    compression: Compression,
    layout: Layout,
    supply: Supply,
    /// Of the file as it lies there, compressed or not.
    read_bytes: Arc<AtomicU64>,
    next: AtomicU64,
    span_bytes: usize,
}

enum Supply {
    Ranges {
        file: File,
        opened: Metadata,
    },
    Frames {
        file: File,
        opened: Metadata,
        frames: Vec<Frame>,
    },
    Stream(Shelf),
}

/// A part of the text.
pub struct Span<'s> {
    /// Its number, from 0.
    pub index: u64,
    source: &'s Source,
    /// How much of its text has been read.
    bytes: u64,
    text: SpanText<'s>,
}

enum SpanText<'s> {
    Range { file: &'s File, at: u64, end: u64 },
    Frame(Box<dyn Read + 's>),
    Decoded(&'s [u8]),
}

/// Each thread reads so much of a plain file before it takes another part.
const RANGE_BYTES: usize = 8 << 20;

/// So much is decoded before it is handed to a thread that parses it: little enough to be still in a cache there, and
/// enough to be worth waking somebody for.
const STREAM_SPAN_BYTES: usize = 512 << 10;

/// The longest window that a zstd stream may ask for, as its binary logarithm: what `zstd` itself allows unless it is told
/// otherwise. A stream that wants more could take any amount of memory.
const LONGEST_WINDOW_LOG: u32 = 27;

impl Compression {
    /// What a file that begins like this is compressed with.
    pub fn of(head: &[u8]) -> Compression {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            // A skippable frame.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
            _ => Compression::None,
        }
    }

    fn decoder(self, stream: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        let stream = BufReader::with_capacity(1 << 18, stream);
        Ok(match self {
            Compression::None => Box::new(stream),
            Compression::Zstd => Box::new(zstd_decoder(stream)?),
            Compression::Gzip => Box::new(MultiGzDecoder::new(stream)),
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(stream)),
        })
    }
}

fn zstd_decoder<R: io::BufRead>(stream: R) -> io::Result<zstd::Decoder<'static, R>> {
    let mut decoder = zstd::Decoder::with_buffer(stream)?;
    decoder.window_log_max(LONGEST_WINDOW_LOG)?;
    Ok(decoder)
}

impl Source {
    /// Opens a file. `in_order` gives the text of compressed files from the beginning on, and so keeps what is before a
    /// damaged place.
    pub fn open(path: &Path, in_order: bool) -> Result<Source, ReadError> {
        let failed = |source| ReadError::Open {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(failed)?;
        let opened = file.metadata().map_err(failed)?;
        if opened.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        if !opened.is_file() {
            return Source::stream(path, file);
        }
        let mut head = vec![0; HEAD_BYTES];
        let filled = fill(|room, at| file.read_at(room, at), &mut head).map_err(failed)?;
        head.truncate(filled);
        let compression = Compression::of(&head);
        if compression == Compression::None {
            let supply = Supply::Ranges { file, opened };
            return Ok(Source::new(path, compression, Layout::of(&head), supply));
        }
        if compression == Compression::Zstd
            && !in_order
            && let Some(frames) = frames::find(&file, opened.len()).map_err(failed)?
        {
            let mut first =
                zstd_decoder(BufReader::new(FilePart::new(&file, frames[0]))).map_err(failed)?;
            // Whoever decodes the frame for its games finds out that it is damaged.
            let (head, _) = head_of(&mut first);
            let supply = Supply::Frames {
                file,
                opened,
                frames,
            };
            return Ok(Source::new(path, compression, Layout::of(&head), supply));
        }
        Source::stream(path, file)
    }

    /// Standard input, or any other stream.
    pub fn stream(path: &Path, stream: impl Read + Send + 'static) -> Result<Source, ReadError> {
        let read_bytes = Arc::default();
        let mut stream = Counted {
            stream,
            bytes: Arc::clone(&read_bytes),
        };
        let failed = |source| ReadError::Open {
            path: path.to_owned(),
            source,
        };
        let mut magic = [0; 4];
        let filled = fill(|room, _| stream.read(room), &mut magic).map_err(failed)?;
        let magic = magic[..filled].to_vec();
        let compression = Compression::of(&magic);
        let mut text = compression
            .decoder(Cursor::new(magic).chain(stream))
            .map_err(failed)?;
        let (head, failure) = head_of(&mut text);
        let layout = Layout::of(&head);
        let text: Box<dyn Read + Send> = match failure {
            None => Box::new(Cursor::new(head).chain(text)),
            Some(_) => Box::new(Cursor::new(head)),
        };
        let supply = Supply::Stream(Shelf::new(Stream::new(text, failure)));
        let mut source = Source::new(path, compression, layout, supply);
        source.read_bytes = read_bytes;
        Ok(source)
    }

    fn new(path: &Path, compression: Compression, layout: Layout, supply: Supply) -> Source {
        let span_bytes = match &supply {
            Supply::Ranges { .. } => RANGE_BYTES,
            Supply::Frames { .. } | Supply::Stream(_) => STREAM_SPAN_BYTES,
        };
        Source {
            path: path.to_owned(),
            compression,
            layout,
            supply,
            read_bytes: Arc::default(),
            next: AtomicU64::new(0),
            span_bytes,
        }
    }

    /// The same text in spans of another length. Frames stay as they are.
    pub fn in_spans_of(mut self, bytes: usize) -> Source {
        self.span_bytes = bytes.max(1);
        self
    }

    pub(super) fn span_bytes(&self) -> usize {
        self.span_bytes
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn compression(&self) -> Compression {
        self.compression
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    /// How much of the file has been read so far, as it lies there.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    /// The next span that nobody has taken. Text that is decoded for it goes to `room`.
    pub(super) fn next_span<'s>(
        &'s self,
        room: &'s mut Room,
    ) -> Result<Option<Span<'s>>, ReadError> {
        let span = |index, text| {
            Some(Span {
                index,
                source: self,
                bytes: 0,
                text,
            })
        };
        match &self.supply {
            Supply::Ranges { file, opened } => {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                let range = self.span_bytes as u64;
                let at = index.saturating_mul(range);
                if at >= opened.len() {
                    return Ok(None);
                }
                let end = opened.len().min(at + range);
                Ok(span(index, SpanText::Range { file, at, end }))
            }
            Supply::Frames { file, frames, .. } => {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                let Some(&frame) = frames.get(index as usize) else {
                    return Ok(None);
                };
                let part = Counted {
                    stream: FilePart::new(file, frame),
                    bytes: Arc::clone(&self.read_bytes),
                };
                let decoder = zstd_decoder(BufReader::with_capacity(1 << 18, part))
                    .map_err(|source| self.reading(0, source))?;
                Ok(span(index, SpanText::Frame(Box::new(decoder))))
            }
            Supply::Stream(shelf) => match shelf.take(room, self.span_bytes) {
                Ok(Some(index)) => Ok(span(index, SpanText::Decoded(room.text()))),
                Ok(None) => Ok(None),
                Err((bytes, source)) => Err(self.reading(bytes, source)),
            },
        }
    }

    /// Fails if the file is no longer what it was when it was opened.
    pub(super) fn check_unchanged(&self) -> Result<(), ReadError> {
        let (Supply::Ranges { file, opened } | Supply::Frames { file, opened, .. }) = &self.supply
        else {
            return Ok(());
        };
        let found = file.metadata().map_err(|source| self.reading(0, source))?;
        let facts = |metadata: &Metadata| (metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        if facts(&found) == facts(opened) {
            return Ok(());
        }
        Err(ReadError::Changed {
            path: self.path.clone(),
        })
    }

    fn reading(&self, bytes: u64, source: io::Error) -> ReadError {
        reading(&self.path, self.compression, bytes, source)
    }
}

fn reading(path: &Path, compression: Compression, bytes: u64, source: io::Error) -> ReadError {
    let path = path.to_owned();
    match compression {
        Compression::None => ReadError::Read {
            path,
            bytes,
            source,
        },
        _ => ReadError::Damaged {
            path,
            bytes,
            source,
        },
    }
}

impl Span<'_> {
    /// Adds up to so many bytes of text; none at the end of the span.
    pub fn read(&mut self, text: &mut Vec<u8>, bytes: usize) -> Result<usize, ReadError> {
        let begin = text.len();
        let filled = match &mut self.text {
            SpanText::Range { file, at, end } => {
                let bytes = bytes.min((*end - *at) as usize);
                text.resize(begin + bytes, 0);
                let read = |room: &mut [u8], done| file.read_at(room, *at + done);
                let filled = fill(read, &mut text[begin..])
                    .map_err(|source| self.source.reading(*at, source))?;
                *at += filled as u64;
                self.source
                    .read_bytes
                    .fetch_add(filled as u64, Ordering::Relaxed);
                if filled < bytes {
                    return Err(ReadError::Shrunk {
                        path: self.source.path.clone(),
                        bytes: *at,
                    });
                }
                filled
            }
            SpanText::Frame(decoder) => {
                text.resize(begin + bytes, 0);
                fill(|room, _| decoder.read(room), &mut text[begin..])
                    .map_err(|source| self.source.reading(self.bytes, source))?
            }
            SpanText::Decoded(decoded) => {
                let (part, rest) = decoded.split_at(bytes.min(decoded.len()));
                text.extend_from_slice(part);
                *decoded = rest;
                part.len()
            }
        };
        text.truncate(begin + filled);
        self.bytes += filled as u64;
        Ok(filled)
    }
}

/// The beginning of a text, as much as tells its layout, and why there is no more.
fn head_of(text: &mut impl Read) -> (Vec<u8>, Option<io::Error>) {
    let mut head = vec![0; HEAD_BYTES];
    let (filled, failure) = fill_until_failure(text, &mut head);
    head.truncate(filled);
    (head, failure)
}

pub(super) fn fill_until_failure(
    text: &mut impl Read,
    room: &mut [u8],
) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    let read = |part: &mut [u8], _| {
        let bytes = text.read(part)?;
        filled += bytes;
        Ok(bytes)
    };
    let failure = fill(read, room).err();
    (filled, failure)
}

/// Reads until there is no room or nothing more to read; `read` is told how much is there.
fn fill(
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    room: &mut [u8],
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < room.len() {
        match read(&mut room[filled..], filled as u64) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A stream that tells how much has been read of it.
struct Counted<R> {
    stream: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let bytes = self.stream.read(room)?;
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// A part of a file, read without moving the file's own place.
struct FilePart<'f> {
    file: &'f File,
    at: u64,
    end: u64,
}

impl FilePart<'_> {
    fn new(file: &File, frame: Frame) -> FilePart<'_> {
        FilePart {
            file,
            at: frame.at,
            end: frame.at + frame.bytes,
        }
    }
}

impl Read for FilePart<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let left = self.end - self.at;
        let bytes = room.len().min(left as usize);
        let filled = self.file.read_at(&mut room[..bytes], self.at)?;
        self.at += filled as u64;
        Ok(filled)
    }
}
