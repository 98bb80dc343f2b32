//! A bounded queue of decoded spans between one decoding thread and the threads that parse.
//!
//! A compressed stream can only be decoded from its beginning. [`SpanQueue`] takes such a stream and hands out its
//! spans, numbered in the order of the text, to any number of threads. There is no dedicated decoder thread: the thread
//! that calls [`SpanQueue::take`] while the stream is idle decodes spans until the queue is full, then parses one
//! itself, and the next thread that finds free capacity goes on decoding. While the other threads keep up, the same
//! thread goes on decoding and the decoder's state stays in the cache of one core. No thread waits while there is work,
//! and a single thread alternates between decoding and parsing.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::buffer::Buffer;
use super::read_full::read_until_failure;

/// Decoded spans that may wait to be parsed: enough that a thread which is slow to wake up does not stall the decoder.
const MAX_SPANS: usize = 8;

/// A stream and its decoded spans that no thread has taken yet.
pub struct SpanQueue {
    capacity: usize,
    state: Mutex<QueueState>,
    /// Signalled when a span is added and when the stream becomes idle.
    changed: Condvar,
}

struct QueueState {
    spans: VecDeque<(u64, Buffer)>,
    /// Buffers that have been parsed and can be decoded into again.
    free_buffers: Vec<Buffer>,
    /// The number of threads that wait for a span.
    waiting: usize,
    /// `None` while a thread decodes.
    stream: Option<TextStream>,
}

/// Text as a decoder produces it.
pub struct TextStream {
    text: Box<dyn Read + Send>,
    /// The number of bytes decoded so far.
    bytes: u64,
    spans: u64,
    has_ended: bool,
    /// The error that ended the stream. It is reported after all spans before it have been taken.
    failure: Option<io::Error>,
}

/// The stream while one thread decodes it. Dropping the guard, also in a panic, returns the stream to the queue.
struct StreamGuard<'q> {
    queue: &'q SpanQueue,
    stream: Option<TextStream>,
}

impl SpanQueue {
    pub fn new(stream: TextStream) -> SpanQueue {
        SpanQueue {
            capacity: MAX_SPANS,
            state: Mutex::new(QueueState {
                spans: VecDeque::new(),
                free_buffers: Vec::new(),
                waiting: 0,
                stream: Some(stream),
            }),
            changed: Condvar::new(),
        }
    }

    /// The same queue for a single thread that wants the spans in the order of the text: with a capacity of one, each
    /// span is taken before the next is decoded.
    pub fn into_sequential(mut self) -> SpanQueue {
        self.capacity = 1;
        self
    }

    /// Moves a span into `buffer` and returns its number; `None` at the end of the stream. A failure is returned
    /// together with the number of bytes decoded before it.
    pub fn take(
        &self,
        buffer: &mut Buffer,
        span_bytes: usize,
    ) -> Result<Option<u64>, (u64, io::Error)> {
        let mut state = self.lock();
        let mut has_decoded = false;
        loop {
            let is_full = state.spans.len() >= self.capacity;
            let can_decode = |stream: &mut TextStream| !stream.has_ended && !is_full;
            if let Some(stream) = state.stream.take_if(can_decode) {
                drop(state);
                self.decode(stream, span_bytes);
                has_decoded = true;
                state = self.lock();
            } else if let Some((index, text)) = state.take_span(has_decoded) {
                state.free_buffers.push(mem::replace(buffer, text));
                return Ok(Some(index));
            } else if let Some(stream) = &mut state.stream {
                let bytes = stream.bytes;
                let failure = stream.failure.take();
                return failure.map_or(Ok(None), |failure| Err((bytes, failure)));
            } else {
                state.waiting += 1;
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.waiting -= 1;
            }
        }
    }

    /// Decodes spans until the queue is full or the stream ends.
    fn decode(&self, stream: TextStream, span_bytes: usize) {
        let mut guard = StreamGuard {
            queue: self,
            stream: Some(stream),
        };
        let mut buffer = self.lock().free_buffers.pop().unwrap_or_default();
        while let Some(stream) = &mut guard.stream
            && let Some(index) = stream.decode(&mut buffer, span_bytes)
        {
            let mut state = self.lock();
            state.spans.push_back((index, mem::take(&mut buffer)));
            if state.waiting > 0 {
                self.changed.notify_one();
            }
            if state.spans.len() >= self.capacity {
                return;
            }
            buffer = state.free_buffers.pop().unwrap_or_default();
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// The thread that has just decoded takes the newest span, which is still in its core's cache; other threads take
    /// the oldest.
    fn take_span(&mut self, has_decoded: bool) -> Option<(u64, Buffer)> {
        match has_decoded {
            true => self.spans.pop_back(),
            false => self.spans.pop_front(),
        }
    }
}

impl Drop for StreamGuard<'_> {
    fn drop(&mut self) {
        self.queue.lock().stream = self.stream.take();
        self.queue.changed.notify_all();
    }
}

impl TextStream {
    /// A text, and the error to report at its end if it is known to be incomplete.
    pub fn new(text: Box<dyn Read + Send>, failure: Option<io::Error>) -> TextStream {
        TextStream {
            text,
            bytes: 0,
            spans: 0,
            has_ended: false,
            failure,
        }
    }

    /// Fills the buffer with the next span and returns its number; `None` at the end.
    fn decode(&mut self, buffer: &mut Buffer, span_bytes: usize) -> Option<u64> {
        if self.has_ended {
            return None;
        }
        buffer.clear();
        let (filled, failure) = read_until_failure(&mut self.text, buffer.spare(span_bytes));
        buffer.add(filled);
        self.bytes += filled as u64;
        self.failure = self.failure.take().or(failure);
        self.has_ended = filled < span_bytes;
        if filled == 0 {
            return None;
        }
        self.spans += 1;
        Some(self.spans - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn queue(text: impl Read + Send + 'static, failure: Option<io::Error>) -> SpanQueue {
        SpanQueue::new(TextStream::new(Box::new(text), failure))
    }

    #[test]
    fn threads_take_every_span_once() {
        let text: Vec<u8> = (0..10_007_u32).map(|byte| (byte % 251) as u8).collect();
        for threads in [1, 2, 5] {
            let queue = queue(Cursor::new(text.clone()), None);
            let begin = Barrier::new(threads);
            let take_all = || {
                let mut spans = Vec::new();
                let mut buffer = Buffer::default();
                begin.wait();
                while let Some(index) = queue.take(&mut buffer, 100).unwrap() {
                    spans.push((index, buffer.text().to_vec()));
                }
                spans
            };
            let mut spans: Vec<(u64, Vec<u8>)> = thread::scope(|scope| {
                let takers: Vec<_> = (0..threads).map(|_| scope.spawn(take_all)).collect();
                let spans = takers.into_iter().map(|taker| taker.join().unwrap());
                spans.flatten().collect()
            });
            spans.sort();
            let numbers: Vec<u64> = spans.iter().map(|(index, _)| *index).collect();
            assert!(numbers.into_iter().eq(0..101), "{threads} threads");
            let texts: Vec<Vec<u8>> = spans.into_iter().map(|(_, text)| text).collect();
            assert!(texts.concat() == text, "{threads} threads");
        }
    }

    #[test]
    fn a_sequential_queue_returns_spans_in_text_order() {
        let queue = queue(Cursor::new(vec![b'x'; 1_005]), None).into_sequential();
        let mut buffer = Buffer::default();
        let next = || queue.take(&mut buffer, 10).unwrap();
        let numbers: Vec<u64> = std::iter::from_fn(next).collect();
        assert!(numbers.into_iter().eq(0..101));
    }

    /// Text that each `read` returns only after the test has released it.
    struct BlockedText {
        text: Cursor<Vec<u8>>,
        released: mpsc::Receiver<()>,
    }

    impl Read for BlockedText {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let is_released = self.released.recv_timeout(Duration::from_secs(60));
            is_released.expect("the first span is taken while the second is decoded");
            self.text.read(buffer)
        }
    }

    #[test]
    fn a_span_can_be_taken_while_the_next_is_decoded() {
        let (sender, released) = mpsc::channel();
        let text = Cursor::new(vec![b'x'; 10]);
        let queue = queue(BlockedText { text, released }, None);
        let take_one = |sender: mpsc::Sender<()>| {
            let taken = queue.take(&mut Buffer::default(), 10).unwrap();
            if taken.is_some() {
                sender.send(()).unwrap();
            }
            taken
        };
        let taken = thread::scope(|scope| {
            let takers =
                [sender.clone(), sender.clone()].map(|sender| scope.spawn(|| take_one(sender)));
            while queue.lock().waiting == 0 {
                thread::yield_now();
            }
            sender.send(()).unwrap();
            let mut taken = takers.map(|taker| taker.join().unwrap());
            taken.sort();
            taken
        });
        assert_eq!(taken, [None, Some(0)]);
    }

    /// Endless text that counts the bytes read from it.
    struct EndlessText(Arc<AtomicUsize>);

    impl Read for EndlessText {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.fetch_add(buffer.len(), Ordering::Relaxed);
            Ok(buffer.len())
        }
    }

    #[test]
    fn decoding_stops_at_the_capacity_of_the_queue() {
        let decoded = Arc::new(AtomicUsize::new(0));
        let queue = queue(EndlessText(Arc::clone(&decoded)), None);
        for taken in 1..10 {
            queue.take(&mut Buffer::default(), 100).unwrap();
            let ahead = decoded.load(Ordering::Relaxed) - 100 * taken;
            assert!(ahead <= 100 * MAX_SPANS, "{ahead}");
        }
    }

    #[test]
    fn a_failure_is_reported_once_and_after_every_span_before_it() {
        let failure = io::Error::other("truncated");
        let queue = queue(Cursor::new(vec![b'x'; 25]), Some(failure));
        let mut buffer = Buffer::default();
        let mut lengths = [(); 3].map(|()| {
            let index = queue.take(&mut buffer, 10).unwrap();
            (index, buffer.text().len())
        });
        lengths.sort();
        assert_eq!(lengths, [(Some(0), 10), (Some(1), 10), (Some(2), 5)]);
        let (bytes, failure) = queue.take(&mut buffer, 10).unwrap_err();
        assert_eq!((bytes, failure.to_string().as_str()), (25, "truncated"));
        assert_eq!(queue.take(&mut buffer, 10).unwrap(), None);
    }
}
