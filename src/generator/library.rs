//! Perft over the positions of a chess library, written once for all of them.

use super::{
    Branches, CountMethod, CountRequest, Counter, CounterError, CounterHost, MoveLine, Profile,
};
use crate::chess::Board;
use crate::perft::{CountError, MoveTree, naive_perft};

/// A position of a chess library.
pub trait LibraryPosition: MoveTree {
    /// The move in UCI notation, castling written as king takes rook.
    fn uci(mv: Self::Move) -> String;

    /// The number of sequences of `depth` plies, the moves of the last ply counted and not made.
    fn bulk_perft(&self, depth: u32) -> u64;
}

/// A tree of this depth takes a library less than a second. The cancel flag is checked between two of them.
const SUBTREE_DEPTH: u32 = 4;

pub fn profile(identity: &str) -> Profile {
    Profile {
        identity: identity.to_owned(),
        protocol: "calls",
        methods: Some(&[CountMethod::EveryMove, CountMethod::Bulk]),
        uses_hash: Some(false),
        supports_chess960: true,
        host: CounterHost::ThisProcess,
    }
}

pub fn count<P: LibraryPosition>(
    position: &P,
    depth: u32,
    request: &CountRequest,
) -> Result<u128, CountError> {
    if request.options.cancel.is_set() {
        return Err(CountError::Cancelled);
    }
    if depth <= SUBTREE_DEPTH {
        return Ok(u128::from(match request.method {
            CountMethod::EveryMove => naive_perft(position, depth),
            CountMethod::Bulk | CountMethod::TwoPly => position.bulk_perft(depth),
        }));
    }
    moves_of(position)
        .into_iter()
        .try_fold(0_u128, |total, mv| {
            let nodes = count(&position.play(mv), depth - 1, request)?;
            total.checked_add(nodes).ok_or(CountError::TooLarge)
        })
}

/// The branches after a line. The moves of the line are looked up among the library's own, so that the library has to
/// know and make them itself.
pub fn branches<P: LibraryPosition>(
    counter: &impl Counter,
    root: P,
    line: &MoveLine,
    depth: u32,
    request: &CountRequest,
) -> Result<Branches, CounterError> {
    let position = play_line(counter, root, line)?;
    let Some(below) = depth.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let branch = |mv| Ok((P::uci(mv), count(&position.play(mv), below, request)?));
    let branches = moves_of(&position).into_iter().map(branch);
    let mut branches = branches.collect::<Result<Branches, CountError>>()?;
    branches.sort();
    Ok(branches)
}

pub fn refused(counter: &impl Counter, board: &Board, reason: impl ToString) -> CounterError {
    CounterError::Refused {
        counter: counter.name().to_owned(),
        fen: board.x_fen(),
        reason: reason.to_string(),
    }
}

fn play_line<P: LibraryPosition>(
    counter: &impl Counter,
    root: P,
    line: &MoveLine,
) -> Result<P, CounterError> {
    let mut position = root;
    for mv in line.moves {
        let name = mv.to_string();
        let mut known = moves_of(&position).into_iter();
        let mv = known.find(|&mv| P::uci(mv) == name).ok_or_else(|| {
            let reason = format!("it does not know the move {name} that leads to it");
            refused(counter, &line.end(), reason)
        })?;
        position = position.play(mv);
    }
    Ok(position)
}

fn moves_of<P: LibraryPosition>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.for_each_move(|mv| moves.push(mv));
    moves
}
