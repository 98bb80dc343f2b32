//! Chess libraries as counters. A [`Library`] says how its positions are made, a [`LibraryPosition`] how its moves are
//! written; perft over them is written once for all libraries.

use super::{
    Branches, CountMethod, CountRequest, Counter, CounterError, CounterHost, MoveLine, Profile,
};
use crate::chess::Board;
use crate::perft::{CountError, MoveTree, naive_perft};
use crate::run::Cancel;

/// A chess library. It supports every move made and bulk counting.
pub trait Library: Send + Sync {
    /// Its name on the command line.
    const NAME: &'static str;

    /// Its name and version.
    const IDENTITY: &'static str;

    /// Its type for positions.
    type Position: LibraryPosition;

    /// The position in the library's own form, or the reason why the library does not accept it.
    fn position(board: &Board) -> Result<Self::Position, String>;
}

/// A position of a chess library.
pub trait LibraryPosition: MoveTree {
    /// The move in UCI notation, castling written as king takes rook.
    fn uci(mv: Self::Move) -> String;

    /// The number of sequences of `depth` plies, the moves of the last ply counted and not made.
    fn bulk_perft(&self, depth: u32) -> u64;
}

/// A tree of this depth takes a library less than a second. The cancel flag is checked between two of them.
const SUBTREE_DEPTH: u32 = 4;

impl<L: Library> Counter for L {
    fn name(&self) -> &str {
        L::NAME
    }

    fn profile(&self, _: &Cancel) -> Result<Profile, CounterError> {
        Ok(Profile {
            identity: L::IDENTITY.to_owned(),
            protocol: "calls",
            methods: Some(&[CountMethod::EveryMove, CountMethod::Bulk]),
            uses_hash: Some(false),
            supports_chess960: true,
            host: CounterHost::ThisProcess,
        })
    }

    fn count(
        &self,
        board: &Board,
        depth: u32,
        request: &CountRequest,
    ) -> Result<u128, CounterError> {
        Ok(count(&root::<L>(board)?, depth, request)?)
    }

    fn branches(
        &self,
        line: &MoveLine,
        depth: u32,
        request: &CountRequest,
    ) -> Result<Branches, CounterError> {
        let position = play_line::<L>(line)?;
        let Some(below) = depth.checked_sub(1) else {
            return Ok(Vec::new());
        };
        let branch = |mv| {
            let nodes = count(&position.play(mv), below, request)?;
            Ok((L::Position::uci(mv), nodes))
        };
        let branches = moves_of(&position).into_iter().map(branch);
        let mut branches = branches.collect::<Result<Branches, CountError>>()?;
        branches.sort();
        Ok(branches)
    }
}

fn count<P: LibraryPosition>(
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

fn root<L: Library>(board: &Board) -> Result<L::Position, CounterError> {
    L::position(board).map_err(|reason| refused::<L>(board, reason))
}

/// The position after a line. The moves are looked up among the library's own, so that the library has to know and make
/// them itself.
fn play_line<L: Library>(line: &MoveLine) -> Result<L::Position, CounterError> {
    let mut position = root::<L>(line.board)?;
    for mv in line.moves {
        let name = mv.to_string();
        let mut known = moves_of(&position).into_iter();
        let mv = known.find(|&mv| L::Position::uci(mv) == name);
        let mv = mv.ok_or_else(|| {
            let reason = format!("it does not know the move {name} that leads to it");
            refused::<L>(&line.end(), reason)
        })?;
        position = position.play(mv);
    }
    Ok(position)
}

fn refused<L: Library>(board: &Board, reason: String) -> CounterError {
    CounterError::Refused {
        counter: L::NAME.to_owned(),
        fen: board.x_fen(),
        reason,
    }
}

fn moves_of<P: LibraryPosition>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.for_each_move(|mv| moves.push(mv));
    moves
}
