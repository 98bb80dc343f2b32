//! Delta debugging of a position: makes it smaller for as long as it still shows the disagreement.
//!
//! Each step removes a piece or two, a castling right or the en passant square, replaces a queen by a rook or bishop, or
//! resets the clocks. A step is kept if the position stays legal and the counters still disagree in the same way. The
//! result is a position in which no step can be kept.

use super::{BranchDifference, Cause, CounterPair, PairOutcome, Reproduction};
use crate::chess::{Bitboard, Board, Move, Role, Setup, Square};
use crate::generator::{CountRequest, CounterError, MoveLine};
use crate::uci::EngineError;

/// With more pieces than this (kings not counted), pairs of pieces are removed too.
const FEW_PIECES: u32 = 4;

/// The smallest reproduction found for the cause at the end of a path, and the cause as it shows there.
pub fn minimize(
    pair: &CounterPair,
    board: &Board,
    path: &[Move],
    cause: Cause,
    request: &CountRequest,
) -> Result<(Reproduction, Cause), CounterError> {
    if !shows_quickly(&cause) {
        let moves = path.to_vec();
        return Ok((
            Reproduction {
                board: *board,
                moves,
            },
            cause,
        ));
    }
    let shows_cause = |candidate: &Reproduction| shows(pair, candidate, &cause, request);
    let mut reproduction = shorten_path(board, path, &shows_cause)?;
    while let Some(smaller) = make_smaller(&reproduction, &shows_cause)? {
        reproduction = smaller;
    }
    let outcome = pair.compare(&reproduction.line(), depth_of(&cause), request)?;
    let cause = match (outcome, cause) {
        (PairOutcome::Differ(difference), Cause::Moves(_)) => Cause::Moves(difference),
        (PairOutcome::Differ(difference), Cause::Counts { depth, .. }) => {
            Cause::Counts { depth, difference }
        }
        (PairOutcome::Failed(error), Cause::Failure { depth, .. }) => {
            Cause::Failure { depth, error }
        }
        // A counter changed its answer; the first one stands.
        (_, cause) => cause,
    };
    Ok((reproduction, cause))
}

/// Whether the cause shows at once. A time-out, or output without end, could be seen again only after the same long
/// wait.
fn shows_quickly(cause: &Cause) -> bool {
    let Cause::Failure {
        error: CounterError::Failed { source, .. },
        ..
    } = cause
    else {
        return true;
    };
    !matches!(
        source.downcast_ref(),
        Some(EngineError::TimedOut { .. } | EngineError::AnswerTooLong { .. })
    )
}

fn depth_of(cause: &Cause) -> u32 {
    match *cause {
        Cause::Moves(_) => 1,
        Cause::Counts { depth, .. } | Cause::Failure { depth, .. } => depth,
    }
}

/// Whether a candidate shows a cause of this kind.
fn shows(
    pair: &CounterPair,
    candidate: &Reproduction,
    cause: &Cause,
    request: &CountRequest,
) -> Result<bool, CounterError> {
    let outcome = pair.compare(&candidate.line(), depth_of(cause), request)?;
    Ok(match cause {
        Cause::Moves(_) => {
            matches!(outcome, PairOutcome::Differ(difference) if difference.has_different_moves())
        }
        Cause::Counts { .. } => {
            matches!(outcome, PairOutcome::Differ(difference) if difference != BranchDifference::default())
        }
        Cause::Failure { .. } => matches!(outcome, PairOutcome::Failed(_)),
    })
}

type ShowsCause<'a> = dyn Fn(&Reproduction) -> Result<bool, CounterError> + 'a;

/// The end of the path, reached with as few of its last moves as possible.
fn shorten_path(
    board: &Board,
    path: &[Move],
    shows_cause: &ShowsCause,
) -> Result<Reproduction, CounterError> {
    for kept in 0..path.len() {
        let (before, moves) = path.split_at(path.len() - kept);
        let start = MoveLine {
            board,
            moves: before,
        };
        let candidate = Reproduction {
            board: start.end(),
            moves: moves.to_vec(),
        };
        if shows_cause(&candidate)? {
            return Ok(candidate);
        }
    }
    Ok(Reproduction {
        board: *board,
        moves: path.to_vec(),
    })
}

/// The first position one step smaller that still shows the cause.
fn make_smaller(
    reproduction: &Reproduction,
    shows_cause: &ShowsCause,
) -> Result<Option<Reproduction>, CounterError> {
    for setup in smaller_setups(&reproduction.board) {
        let Ok(board) = Board::try_from(setup) else {
            continue;
        };
        let candidate = Reproduction {
            board,
            moves: reproduction.moves.clone(),
        };
        if is_playable(&candidate) && shows_cause(&candidate)? {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

fn is_playable(reproduction: &Reproduction) -> bool {
    let mut board = reproduction.board;
    reproduction.moves.iter().all(|&mv| {
        let is_legal = board.legal_moves().contains(&mv);
        if is_legal {
            board = board.play(mv);
        }
        is_legal
    })
}

/// All setups one step smaller. Pairs of pieces come last: they are many, and rarely needed.
fn smaller_setups(board: &Board) -> Vec<Setup> {
    let setup = Setup::from(board);
    let changed = |change: &dyn Fn(&mut Setup)| {
        let mut setup = setup.clone();
        change(&mut setup);
        setup
    };
    let pieces = board.occupied() & !board.with_role(Role::King);
    let mut smaller: Vec<Setup> = pieces.map(|square| without(&setup, &[square])).collect();
    for rook in board.castling_rooks() {
        smaller.push(changed(&|setup| setup.castling_rooks &= !rook.bit()));
    }
    if setup.en_passant.is_some() {
        smaller.push(changed(&|setup| setup.en_passant = None));
    }
    for queen in board.with_role(Role::Queen) {
        let (color, _) = setup.piece_at(queen).expect("the queen stands there");
        for role in [Role::Rook, Role::Bishop] {
            smaller.push(changed(&|setup| setup.place(color, role, queen)));
        }
    }
    if (setup.halfmove_clock, setup.fullmove_number) != (0, 1) {
        smaller.push(changed(&|setup| {
            setup.halfmove_clock = 0;
            setup.fullmove_number = 1;
        }));
    }
    if pieces.count() > FEW_PIECES {
        for one in pieces {
            let others = pieces.filter(|other| *other > one);
            smaller.extend(others.map(|other| without(&setup, &[one, other])));
        }
    }
    smaller
}

/// The setup without these pieces, and without the castling rights and the en passant square that need them.
fn without(setup: &Setup, pieces: &[Square]) -> Setup {
    let mut setup = setup.clone();
    for &square in pieces {
        setup.remove(square);
    }
    let removed: Bitboard = pieces.iter().copied().collect();
    setup.castling_rooks &= !removed;
    let has_pushed_pawn = |target: Square| {
        let pawn = Square::at(target.file(), if target.rank() == 5 { 4 } else { 3 });
        setup.piece_at(pawn).is_some()
    };
    setup.en_passant = setup.en_passant.filter(|&target| has_pushed_pawn(target));
    setup
}
