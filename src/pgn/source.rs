//! A file or a stream as spans of text that threads read independently.
//!
//! [`Source`] takes a path or any reader and hands out spans, numbered in the order of the text. The compression is
//! recognised by the first bytes of the file, not by its name:
//!
//! - plain text: the file is mapped into memory, and each thread visits the games that begin in its range of the map.
//!   Nothing is copied. A file that cannot be mapped, or is not to be ([`SourceOptions::map`]), is read range by range
//!   into memory of the thread;
//! - a zstd file of many frames, as `pzstd` writes it: each thread decodes frames;
//! - any other stream, and standard input: one thread decodes into a [`SpanQueue`], the others parse.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Cursor, Read};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

use super::boundary::{HEAD_BYTES, TextLayout};
use super::buffer::Buffer;
use super::error::ReadError;
use super::foreign_text::ForeignText;
use super::map_guard::GuardedMap;
use super::ratio::{LimitedDecoder, RatioExceeded, RatioLimit};
use super::read_full::{read_full, read_until_failure};
use super::span_queue::{SpanQueue, TextStream};
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

/// How a file is read. The games are the same in every way.
#[derive(Clone, Copy, Debug, Default)]
pub struct SourceOptions {
    /// Whether a compressed file is decoded from its beginning even if it consists of many frames, so that all text
    /// before a damaged part is read.
    pub in_order: bool,
    /// Whether a plain file may be mapped into memory, which is fastest.
    ///
    /// The text of its games is then the file itself. If another process writes to the file, the text changes while it
    /// is looked at, or becomes zeros. That is an error at the end, but until then a visitor must not rely on it: it
    /// copies bytes before it makes a `str` of them, and has no `unsafe` code that trusts them.
    pub map: bool,
}

/// The text of one file or stream, shared by the threads that read it.
pub struct Source {
    path: PathBuf,
    compression: Compression,
    layout: TextLayout,
    supply: Supply,
    /// Bytes of the file read so far; for a compressed file, compressed bytes.
    read_bytes: Arc<AtomicU64>,
    ratio_limit: Arc<RatioLimit>,
    /// The number of the next range or frame.
    next_span: AtomicU64,
    span_bytes: usize,
}

/// Where the spans come from.
enum Supply {
    /// Ranges of a plain file in memory.
    Map {
        map: GuardedMap,
        file: File,
        opened: Metadata,
    },
    /// Ranges of a plain file that is read piece by piece.
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
    Mapped {
        map: &'s GuardedMap,
        range: Range<usize>,
    },
    Range {
        file: &'s File,
        at: u64,
        end: u64,
    },
    Frame(Box<dyn Read + 's>),
    Decoded(&'s [u8]),
}

/// The length of the ranges of a plain file, mapped or not.
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

    fn decoder(
        self,
        stream: impl Read + Send + 'static,
        limit: &Arc<RatioLimit>,
    ) -> io::Result<Box<dyn Read + Send>> {
        let stream = BufReader::with_capacity(1 << 18, stream);
        let text: Box<dyn Read + Send> = match self {
            Compression::None => return Ok(Box::new(stream)),
            Compression::Zstd => Box::new(zstd_decoder(stream)?),
            Compression::Gzip => Box::new(MultiGzDecoder::new(stream)),
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(stream)),
        };
        Ok(Box::new(LimitedDecoder::new(text, limit)))
    }
}

fn zstd_decoder<R: io::BufRead>(stream: R) -> io::Result<zstd::Decoder<'static, R>> {
    let mut decoder = zstd::Decoder::with_buffer(stream)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}

impl Source {
    /// Opens a file.
    pub fn open(path: &Path, options: SourceOptions) -> Result<Source, ReadError> {
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
            let map = options.map.then(|| GuardedMap::new(&file, opened.len()));
            let supply = match map {
                Some(Ok(map)) => Supply::Map { map, file, opened },
                _ => Supply::Ranges { file, opened },
            };
            let layout = text_layout(path, &head)?;
            return Ok(Source::new(path, compression, layout, supply));
        }
        if compression == Compression::Zstd
            && !options.in_order
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
        let ratio_limit = Arc::new(RatioLimit::new(Arc::clone(&read_bytes)));
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
            .decoder(Cursor::new(magic).chain(stream), &ratio_limit)
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
        source.ratio_limit = ratio_limit;
        Ok(source)
    }

    fn new(path: &Path, compression: Compression, layout: TextLayout, supply: Supply) -> Source {
        let span_bytes = match &supply {
            Supply::Map { .. } | Supply::Ranges { .. } => RANGE_BYTES,
            Supply::Frames { .. } | Supply::Stream(_) => STREAM_SPAN_BYTES,
        };
        let read_bytes: Arc<AtomicU64> = Arc::default();
        Source {
            path: path.to_owned(),
            compression,
            layout,
            supply,
            ratio_limit: Arc::new(RatioLimit::new(Arc::clone(&read_bytes))),
            read_bytes,
            next_span: AtomicU64::new(0),
            span_bytes,
        }
    }

    /// The same text, however much longer it is than the compressed file. Otherwise text of more than a thousand times
    /// that size is an error.
    pub fn with_any_ratio(self) -> Source {
        self.ratio_limit.remove();
        self
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

    pub(super) fn add_read_bytes(&self, bytes: usize) {
        self.read_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
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
            Supply::Map { map, opened, .. } => {
                let next = self.next_range(opened.len());
                Ok(next.and_then(|(index, range)| {
                    let range = range.start as usize..range.end as usize;
                    span(index, SpanText::Mapped { map, range })
                }))
            }
            Supply::Ranges { file, opened } => {
                let next = self.next_range(opened.len());
                Ok(next.and_then(|(index, range)| {
                    let Range { start: at, end } = range;
                    span(index, SpanText::Range { file, at, end })
                }))
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
                let decoder = LimitedDecoder::new(decoder, &self.ratio_limit);
                Ok(span(index, SpanText::Frame(Box::new(decoder))))
            }
            Supply::Stream(queue) => match queue.take(buffer, self.span_bytes) {
                Ok(Some(index)) => Ok(span(index, SpanText::Decoded(buffer.text()))),
                Ok(None) => Ok(None),
                Err((bytes, source)) => Err(self.read_error(bytes, source)),
            },
        }
    }

    /// The number of the next range of a file of this length that no thread has taken, and the range.
    fn next_range(&self, length: u64) -> Option<(u64, Range<u64>)> {
        let index = self.next_span.fetch_add(1, Ordering::Relaxed);
        let bytes = self.span_bytes as u64;
        let at = index.saturating_mul(bytes);
        (at < length).then(|| (index, at..length.min(at.saturating_add(bytes))))
    }

    /// The length of the text, where it is known before it is read.
    pub(super) fn mapped_bytes(&self) -> Option<u64> {
        match &self.supply {
            Supply::Map { opened, .. } => Some(opened.len()),
            _ => None,
        }
    }

    /// Fails if the file changed after it was opened, by its size and modification time, or lost a part of its map.
    pub(super) fn check_unchanged(&self) -> Result<(), ReadError> {
        let (Supply::Map { file, opened, .. }
        | Supply::Ranges { file, opened }
        | Supply::Frames { file, opened, .. }) = &self.supply
        else {
            return Ok(());
        };
        self.check_map()?;
        let found = file
            .metadata()
            .map_err(|source| self.read_error(0, source))?;
        let version =
            |metadata: &Metadata| (metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        if version(&found) == version(opened) {
            return Ok(());
        }
        Err(self.change_error(&found, opened))
    }

    /// Fails if a part of the map was not there when it was read.
    pub(super) fn check_map(&self) -> Result<(), ReadError> {
        let Supply::Map { map, file, opened } = &self.supply else {
            return Ok(());
        };
        let Some(lost) = map.lost_at() else {
            return Ok(());
        };
        // Either the file is shorter now, or it can still not be read there, or it was replaced meanwhile.
        let found = file.metadata();
        let found = found.map_err(|source| self.read_error(lost, source))?;
        if found.len() == opened.len() {
            file.read_at(&mut [0], lost)
                .map_err(|source| self.read_error(lost, source))?;
        }
        Err(self.change_error(&found, opened))
    }

    fn change_error(&self, found: &Metadata, opened: &Metadata) -> ReadError {
        let path = self.path.clone();
        match found.len() < opened.len() && self.compression == Compression::None {
            true => ReadError::Shrunk {
                path,
                bytes: found.len(),
            },
            false => ReadError::Changed { path },
        }
    }

    fn read_error(&self, bytes: u64, source: io::Error) -> ReadError {
        let path = self.path.clone();
        if let Some(exceeded) = RatioExceeded::of(&source) {
            return ReadError::Ratio {
                path,
                bytes: exceeded.text_bytes,
                compressed_bytes: exceeded.compressed_bytes,
            };
        }
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

impl<'s> Span<'s> {
    /// The text of the whole file and the range that is this span, if the file is mapped. There is nothing to
    /// [`Span::read`] then.
    pub fn mapped(&self) -> Option<(&'s [u8], Range<usize>)> {
        match &self.text {
            SpanText::Mapped { map, range } => Some((map.text(), range.clone())),
            _ => None,
        }
    }

    /// The text of the span, if it has been decoded already.
    pub fn decoded(&self) -> Option<&'s [u8]> {
        match self.text {
            SpanText::Decoded(text) => Some(text),
            _ => None,
        }
    }

    /// Appends up to `bytes` bytes of text and returns how many; 0 at the end of the span.
    pub fn read(&mut self, text: &mut Buffer, bytes: usize) -> Result<usize, ReadError> {
        let filled = match &mut self.text {
            SpanText::Mapped { .. } => 0,
            SpanText::Range { file, at, end } => {
                let bytes = bytes.min((*end - *at) as usize);
                let read = |buffer: &mut [u8], done| file.read_at(buffer, *at + done);
                let filled = read_full(read, text.spare(bytes))
                    .map_err(|source| self.source.read_error(*at, source))?;
                *at += filled as u64;
                self.source
                    .read_bytes
                    .fetch_add(filled as u64, Ordering::Relaxed);
                if filled < bytes {
                    self.source.check_unchanged()?;
                    // It was restored after this read.
                    let path = self.source.path.clone();
                    return Err(ReadError::Changed { path });
                }
                filled
            }
            SpanText::Frame(decoder) => {
                read_full(|buffer, _| decoder.read(buffer), text.spare(bytes))
                    .map_err(|source| self.source.read_error(self.bytes, source))?
            }
            SpanText::Decoded(decoded) => {
                let (part, rest) = decoded.split_at(bytes.min(decoded.len()));
                text.spare(part.len()).copy_from_slice(part);
                *decoded = rest;
                part.len()
            }
        };
        text.add(filled);
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
