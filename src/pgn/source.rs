//! A file or a stream as spans of text that threads read independently.
//!
//! [`Source`] takes a path or any reader and hands out spans, numbered in the order of the text. The compression is
//! recognised by the first bytes of the file, not by its name:
//!
//! - plain text: each thread reads ranges of the file into memory of its own. Measurements showed this to be as fast as
//!   a memory map, which costs page faults; and a file that shrinks gives a short read instead of a signal;
//! - a zstd file of many frames, as `pzstd` writes it: each thread decodes frames;
//! - any other stream, and standard input: one thread decodes into a [`SpanQueue`], the others parse.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Cursor, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

use super::boundary::{HEAD_BYTES, TextLayout};
use super::error::ReadError;
use super::foreign_text::ForeignText;
use super::read_full::{read_full, read_until_failure};
use super::span_queue::{Buffer, SpanQueue, TextStream};
use super::zstd_frames::{self, Frame};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Plain text.
    None,
    /// Zstandard, in one frame or many.
    Zstd,
    /// gzip, in one member or many.
    Gzip,
    /// bzip2, in one stream or many.
    Bzip2,
}

/// The text of one file or stream, shared by the threads that read it.
pub struct Source {
    path: PathBuf,
    compression: Compression,
    layout: TextLayout,
    supply: Supply,
    /// Bytes of the file read so far; for a compressed file, compressed bytes.
    read_bytes: Arc<AtomicU64>,
    /// The number of the next range or frame.
    next_span: AtomicU64,
    span_bytes: usize,
}

/// Where the spans come from.
enum Supply {
    /// Byte ranges of a plain file.
    Ranges { file: File, opened: Metadata },
    /// Frames of a zstd file.
    Frames {
        file: File,
        opened: Metadata,
        frames: Vec<Frame>,
    },
    /// A stream that one thread decodes.
    Stream(SpanQueue),
}

/// A part of the text, read by one thread.
pub struct Span<'s> {
    /// The number of the span, from 0 in the order of the text.
    pub index: u64,
    source: &'s Source,
    /// The number of bytes of text read from the span so far.
    bytes: u64,
    text: SpanText<'s>,
}

enum SpanText<'s> {
    Range { file: &'s File, at: u64, end: u64 },
    Frame(Box<dyn Read + 's>),
    Decoded(&'s [u8]),
}

/// The length of the ranges of a plain file.
const RANGE_BYTES: usize = 8 << 20;

/// The length of the spans of a stream: short enough to stay in a shared cache until it is parsed, and long enough to
/// be worth waking a thread for.
const STREAM_SPAN_BYTES: usize = 512 << 10;

/// The binary logarithm of the largest window that a zstd stream may request. It is the default limit of the `zstd`
/// program. Without a limit, a file could make the decoder allocate any amount of memory.
const MAX_WINDOW_LOG: u32 = 27;

impl Compression {
    /// Recognises the compression of a file by the magic number in its first bytes. Plain PGN cannot be mistaken for a
    /// compressed file: it begins with a tag, a move, a comment or an escape, and none of these has such a beginning.
    pub fn of(head: &[u8]) -> Compression {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            // A skippable frame, as at the start of a file that `pzstd` wrote.
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
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}

impl Source {
    /// Opens a file. With `in_order`, compressed files are decoded from the beginning even if they consist of many
    /// frames, so that all text before a damaged part is read.
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
        let filled = read_full(|buffer, at| file.read_at(buffer, at), &mut head).map_err(failed)?;
        head.truncate(filled);
        let compression = Compression::of(&head);
        if compression == Compression::None {
            let supply = Supply::Ranges { file, opened };
            let layout = text_layout(path, &head)?;
            return Ok(Source::new(path, compression, layout, supply));
        }
        if compression == Compression::Zstd
            && !in_order
            && let Some(frames) = zstd_frames::find(&file, opened.len()).map_err(failed)?
        {
            let mut first =
                zstd_decoder(BufReader::new(FilePart::new(&file, frames[0]))).map_err(failed)?;
            // A failure here is ignored: it is reported when a thread decodes this frame for its games.
            let (head, _) = read_head(&mut first);
            let supply = Supply::Frames {
                file,
                opened,
                frames,
            };
            let layout = text_layout(path, &head)?;
            return Ok(Source::new(path, compression, layout, supply));
        }
        Source::stream(path, file)
    }

    /// Reads standard input or any other stream; `path` names it in errors.
    pub fn stream(path: &Path, stream: impl Read + Send + 'static) -> Result<Source, ReadError> {
        let read_bytes = Arc::default();
        let mut stream = CountedReader {
            stream,
            bytes: Arc::clone(&read_bytes),
        };
        let failed = |source| ReadError::Open {
            path: path.to_owned(),
            source,
        };
        let mut magic = [0; 4];
        let filled = read_full(|buffer, _| stream.read(buffer), &mut magic).map_err(failed)?;
        let magic = magic[..filled].to_vec();
        let compression = Compression::of(&magic);
        let mut text = compression
            .decoder(Cursor::new(magic).chain(stream))
            .map_err(failed)?;
        let (head, failure) = read_head(&mut text);
        let layout = text_layout(path, &head)?;
        let text: Box<dyn Read + Send> = match failure {
            None => Box::new(Cursor::new(head).chain(text)),
            Some(_) => Box::new(Cursor::new(head)),
        };
        let supply = Supply::Stream(SpanQueue::new(TextStream::new(text, failure)));
        let mut source = Source::new(path, compression, layout, supply);
        source.read_bytes = read_bytes;
        Ok(source)
    }

    fn new(path: &Path, compression: Compression, layout: TextLayout, supply: Supply) -> Source {
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
            next_span: AtomicU64::new(0),
            span_bytes,
        }
    }

    /// The same text in spans of another length. The frames of a zstd file keep their length.
    pub fn in_spans_of(mut self, bytes: usize) -> Source {
        self.span_bytes = bytes.max(1);
        self
    }

    /// The same text for a single thread, which gets the spans in the order of the text.
    pub(super) fn into_sequential(mut self) -> Source {
        self.supply = match self.supply {
            Supply::Stream(queue) => Supply::Stream(queue.into_sequential()),
            // A counter numbers ranges and frames, so one thread gets them in order.
            supply => supply,
        };
        self
    }

    pub(super) fn span_bytes(&self) -> usize {
        self.span_bytes
    }

    /// The path of the file, or the name that was given to the stream.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the file is compressed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    pub(super) fn layout(&self) -> TextLayout {
        self.layout
    }

    /// The number of bytes of the file that have been read so far; for a compressed file, compressed bytes.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    /// The next span that no thread has taken. `buffer` holds its text if the span is decoded from a stream.
    pub(super) fn next_span<'s>(
        &'s self,
        buffer: &'s mut Buffer,
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
                let index = self.next_span.fetch_add(1, Ordering::Relaxed);
                let range = self.span_bytes as u64;
                let at = index.saturating_mul(range);
                if at >= opened.len() {
                    return Ok(None);
                }
                let end = opened.len().min(at + range);
                Ok(span(index, SpanText::Range { file, at, end }))
            }
            Supply::Frames { file, frames, .. } => {
                let index = self.next_span.fetch_add(1, Ordering::Relaxed);
                let Some(&frame) = frames.get(index as usize) else {
                    return Ok(None);
                };
                let part = CountedReader {
                    stream: FilePart::new(file, frame),
                    bytes: Arc::clone(&self.read_bytes),
                };
                let decoder = zstd_decoder(BufReader::with_capacity(1 << 18, part))
                    .map_err(|source| self.read_error(0, source))?;
                Ok(span(index, SpanText::Frame(Box::new(decoder))))
            }
            Supply::Stream(queue) => match queue.take(buffer, self.span_bytes) {
                Ok(Some(index)) => Ok(span(index, SpanText::Decoded(buffer.text()))),
                Ok(None) => Ok(None),
                Err((bytes, source)) => Err(self.read_error(bytes, source)),
            },
        }
    }

    /// Fails if the size or the modification time of the file changed after it was opened.
    pub(super) fn check_unchanged(&self) -> Result<(), ReadError> {
        let (Supply::Ranges { file, opened } | Supply::Frames { file, opened, .. }) = &self.supply
        else {
            return Ok(());
        };
        let found = file
            .metadata()
            .map_err(|source| self.read_error(0, source))?;
        let version =
            |metadata: &Metadata| (metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        if version(&found) == version(opened) {
            return Ok(());
        }
        Err(ReadError::Changed {
            path: self.path.clone(),
        })
    }

    fn read_error(&self, bytes: u64, source: io::Error) -> ReadError {
        let path = self.path.clone();
        match self.compression {
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
}

impl Span<'_> {
    /// Appends up to `bytes` bytes of text and returns how many; 0 at the end of the span.
    pub fn read(&mut self, text: &mut Vec<u8>, bytes: usize) -> Result<usize, ReadError> {
        let begin = text.len();
        let filled = match &mut self.text {
            SpanText::Range { file, at, end } => {
                let bytes = bytes.min((*end - *at) as usize);
                text.resize(begin + bytes, 0);
                let read = |buffer: &mut [u8], done| file.read_at(buffer, *at + done);
                let filled = read_full(read, &mut text[begin..])
                    .map_err(|source| self.source.read_error(*at, source))?;
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
                read_full(|buffer, _| decoder.read(buffer), &mut text[begin..])
                    .map_err(|source| self.source.read_error(self.bytes, source))?
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

/// The layout of a text that begins with `head`. Text that is not PGN is an error.
fn text_layout(path: &Path, head: &[u8]) -> Result<TextLayout, ReadError> {
    match ForeignText::of(head) {
        None => Ok(TextLayout::of(head)),
        Some(found) => Err(ReadError::NotPgn {
            path: path.to_owned(),
            found,
        }),
    }
}

/// The first [`HEAD_BYTES`] of a text, from which its layout is recognised, and the error that ended it early.
fn read_head(text: &mut impl Read) -> (Vec<u8>, Option<io::Error>) {
    let mut head = vec![0; HEAD_BYTES];
    let (filled, failure) = read_until_failure(text, &mut head);
    head.truncate(filled);
    (head, failure)
}

/// A reader that adds the bytes read from it to a shared counter.
struct CountedReader<R> {
    stream: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for CountedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.stream.read(buffer)?;
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// A part of a file, read without moving the file's cursor, which all threads share.
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
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end - self.at;
        let bytes = buffer.len().min(left as usize);
        let filled = self.file.read_at(&mut buffer[..bytes], self.at)?;
        self.at += filled as u64;
        Ok(filled)
    }
}
