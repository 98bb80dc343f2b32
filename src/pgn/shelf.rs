//! Decoded text between the one thread that decodes and those that parse.
//!
//! In walks a stream, which can only be decoded from its beginning on; out walk its spans, to any number of threads. One of
//! them decodes, span after span, and puts them on a shelf; the others take them from there. The stream stays with that
//! thread, and its memory in the cache of that core, for as long as the others keep up. When the shelf is full, they do not:
//! then it takes a span like they do, and whoever finds room on the shelf next goes on decoding. So nobody waits while there
//! is something to do, and a single thread does both by turns.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::source::fill_until_failure;

/// Spans that are decoded and wait to be parsed: enough that who is slow to wake does not hold up the decoding.
const MOST_SPANS: usize = 8;

/// A stream and the spans of it that nobody has taken.
pub struct Shelf {
    state: Mutex<State>,
    /// There is a span more, or the stream has come back.
    has_changed: Condvar,
}

struct State {
    spans: VecDeque<(u64, Room)>,
    /// Memory that has been parsed, to be decoded into again.
    rooms: Vec<Room>,
    /// Who waits for a span.
    waiting: usize,
    /// `None` while somebody decodes.
    stream: Option<Stream>,
}

/// Memory for one span. It is decoded into again and again, and therefore never shortened.
#[derive(Default)]
pub struct Room {
    memory: Vec<u8>,
    filled: usize,
}

/// Text as it comes out of a decoder.
pub struct Stream {
    text: Box<dyn Read + Send>,
    /// How much text has come out of it.
    bytes: u64,
    spans: u64,
    has_ended: bool,
    /// What is to be told when all that came before it has been taken.
    failure: Option<io::Error>,
}

/// Somebody's turn to decode. However it ends, the stream comes back.
struct Turn<'s> {
    shelf: &'s Shelf,
    stream: Option<Stream>,
}

impl Shelf {
    pub fn new(stream: Stream) -> Shelf {
        Shelf {
            state: Mutex::new(State {
                spans: VecDeque::new(),
                rooms: Vec::new(),
                waiting: 0,
                stream: Some(stream),
            }),
            has_changed: Condvar::new(),
        }
    }

    /// Puts the next span into the room and gives its number. A failure comes with the number of bytes before it.
    pub fn take(
        &self,
        room: &mut Room,
        span_bytes: usize,
    ) -> Result<Option<u64>, (u64, io::Error)> {
        let mut state = self.lock();
        let mut has_decoded = false;
        loop {
            let is_full = state.spans.len() >= MOST_SPANS;
            let can_decode = |stream: &mut Stream| !stream.has_ended && !is_full;
            if let Some(stream) = state.stream.take_if(can_decode) {
                drop(state);
                self.decode(stream, span_bytes);
                has_decoded = true;
                state = self.lock();
            } else if let Some((index, text)) = state.take_span(has_decoded) {
                state.rooms.push(mem::replace(room, text));
                return Ok(Some(index));
            } else if let Some(stream) = &mut state.stream {
                let bytes = stream.bytes;
                let failure = stream.failure.take();
                return failure.map_or(Ok(None), |failure| Err((bytes, failure)));
            } else {
                state.waiting += 1;
                state = self
                    .has_changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.waiting -= 1;
            }
        }
    }

    /// Fills the shelf until there is no room on it, or nothing more to decode.
    fn decode(&self, stream: Stream, span_bytes: usize) {
        let mut turn = Turn {
            shelf: self,
            stream: Some(stream),
        };
        let mut room = self.lock().rooms.pop().unwrap_or_default();
        while let Some(stream) = &mut turn.stream
            && let Some(index) = stream.decode(&mut room, span_bytes)
        {
            let mut state = self.lock();
            state.spans.push_back((index, mem::take(&mut room)));
            if state.waiting > 0 {
                self.has_changed.notify_one();
            }
            if state.spans.len() >= MOST_SPANS {
                return;
            }
            room = state.rooms.pop().unwrap_or_default();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whoever has decoded takes the last span, which is still in the cache of this core; the others take the first.
    fn take_span(&mut self, has_decoded: bool) -> Option<(u64, Room)> {
        match has_decoded {
            true => self.spans.pop_back(),
            false => self.spans.pop_front(),
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.shelf.lock().stream = self.stream.take();
        self.shelf.has_changed.notify_all();
    }
}

impl Room {
    pub fn text(&self) -> &[u8] {
        &self.memory[..self.filled]
    }
}

impl Stream {
    /// A text, and why there is no more when it ends.
    pub fn new(text: Box<dyn Read + Send>, failure: Option<io::Error>) -> Stream {
        Stream {
            text,
            bytes: 0,
            spans: 0,
            has_ended: false,
            failure,
        }
    }

    /// Fills the room with the next span and gives its number; `None` at the end.
    fn decode(&mut self, room: &mut Room, span_bytes: usize) -> Option<u64> {
        if self.has_ended {
            return None;
        }
        room.memory.resize(span_bytes, 0);
        let (filled, failure) = fill_until_failure(&mut self.text, &mut room.memory);
        room.filled = filled;
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

    fn shelf(text: impl Read + Send + 'static, failure: Option<io::Error>) -> Shelf {
        Shelf::new(Stream::new(Box::new(text), failure))
    }

    #[test]
    fn threads_take_every_span_once() {
        let text: Vec<u8> = (0..10_007_u32).map(|byte| (byte % 251) as u8).collect();
        for threads in [1, 2, 5] {
            let shelf = shelf(Cursor::new(text.clone()), None);
            let begin = Barrier::new(threads);
            let take_all = || {
                let mut spans = Vec::new();
                let mut room = Room::default();
                begin.wait();
                while let Some(index) = shelf.take(&mut room, 100).unwrap() {
                    spans.push((index, room.text().to_vec()));
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

    /// Text that comes only when it is let go, read by read.
    struct Held {
        text: Cursor<Vec<u8>>,
        let_go: mpsc::Receiver<()>,
    }

    impl Read for Held {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let is_let_go = self.let_go.recv_timeout(Duration::from_secs(60));
            is_let_go.expect("the first span is given away while the second is decoded");
            self.text.read(room)
        }
    }

    #[test]
    fn a_span_is_given_away_while_the_next_is_decoded() {
        let (sender, let_go) = mpsc::channel();
        let text = Cursor::new(vec![b'x'; 10]);
        let shelf = shelf(Held { text, let_go }, None);
        let take_one = |sender: mpsc::Sender<()>| {
            let taken = shelf.take(&mut Room::default(), 10).unwrap();
            if taken.is_some() {
                sender.send(()).unwrap();
            }
            taken
        };
        let taken = thread::scope(|scope| {
            let takers =
                [sender.clone(), sender.clone()].map(|sender| scope.spawn(|| take_one(sender)));
            while shelf.lock().waiting == 0 {
                thread::yield_now();
            }
            sender.send(()).unwrap();
            let mut taken = takers.map(|taker| taker.join().unwrap());
            taken.sort();
            taken
        });
        assert_eq!(taken, [None, Some(0)]);
    }

    /// Counts how often it is read.
    struct Counting(Arc<AtomicUsize>);

    impl Read for Counting {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            self.0.fetch_add(room.len(), Ordering::Relaxed);
            Ok(room.len())
        }
    }

    #[test]
    fn no_more_is_decoded_than_the_shelf_holds() {
        let decoded = Arc::new(AtomicUsize::new(0));
        let shelf = shelf(Counting(Arc::clone(&decoded)), None);
        for taken in 1..10 {
            shelf.take(&mut Room::default(), 100).unwrap();
            let ahead = decoded.load(Ordering::Relaxed) - 100 * taken;
            assert!(ahead <= 100 * MOST_SPANS, "{ahead}");
        }
    }

    #[test]
    fn a_failure_is_told_once_and_after_all_that_came_before_it() {
        let failure = io::Error::other("torn");
        let shelf = shelf(Cursor::new(vec![b'x'; 25]), Some(failure));
        let mut room = Room::default();
        let mut lengths = [(); 3].map(|()| {
            let index = shelf.take(&mut room, 10).unwrap();
            (index, room.text().len())
        });
        lengths.sort();
        assert_eq!(lengths, [(Some(0), 10), (Some(1), 10), (Some(2), 5)]);
        let (bytes, failure) = shelf.take(&mut room, 10).unwrap_err();
        assert_eq!((bytes, failure.to_string().as_str()), (25, "torn"));
        assert_eq!(shelf.take(&mut room, 10).unwrap(), None);
    }
}
