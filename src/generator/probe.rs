//! Tells a counter that fails on some positions from one that never works.

use std::error::Error;

use super::{CountRequest, Counter, CounterError};
use crate::chess::Board;
use crate::perft::CountOptions;
use crate::run::Cancel;

/// Positions that every working generator can count: bare kings, and the start of classical chess.
const PROBE_FENS: [&str; 2] = [
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
];

/// What a counter that never works said last.
#[derive(Debug, thiserror::Error)]
#[error("it does not work at all; it fails even on bare kings and on the start of classical chess")]
struct NeverWorks {
    source: Box<dyn Error + Send + Sync>,
}

/// Fails with [`CounterError::Unusable`] if the counter also fails on the simplest positions. A wrong path in a script or a
/// crash at the start is then not reported as a finding about some position.
pub fn ensure_working(counter: &dyn Counter, cancel: &Cancel) -> Result<(), CounterError> {
    let request = CountRequest {
        options: CountOptions {
            cancel,
            ..CountOptions::default()
        },
        ..CountRequest::default()
    };
    let mut failure = None;
    for fen in PROBE_FENS {
        let board: Board = fen.parse().expect("the position is legal");
        match counter.count(&board, 1, &request) {
            Err(CounterError::Failed { source, .. }) => failure = Some(source),
            Ok(_) | Err(CounterError::Refused { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    failure.map_or(Ok(()), |source| {
        Err(CounterError::Unusable {
            counter: counter.name().to_owned(),
            source: NeverWorks { source }.into(),
        })
    })
}
