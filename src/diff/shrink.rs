//! A position made smaller, as long as it still shows what is wrong.
//!
//! Pieces are taken off one at a time, then two at a time, castling rights and en passant are taken away, queens become
//! rooks or bishops, the clocks go back to zero: whatever keeps the position legal and the disagreement alive, until
//! nothing does.

use super::{Difference, Fault, Outcome, Pair, Scene};
use crate::chess::{Bitboard, Board, Move, Role, Setup, Square};
use crate::generator::{Ask, CounterError, Line};
use crate::uci::EngineError;

/// Beyond so many pieces it is worth the time to try every two of them together.
const FEW_MEN: u32 = 4;

/// The smallest scene found for a fault at the end of a path, and the fault as it shows there.
pub fn shrink(
    pair: &Pair,
    board: &Board,
    path: &[Move],
    fault: Fault,
    ask: &Ask,
) -> Result<(Scene, Fault), CounterError> {
    let same = |scene: &Scene| shows(pair, scene, &fault, ask);
    if !is_quick(&fault) {
        let moves = path.to_vec();
        return Ok((
            Scene {
                board: *board,
                moves,
            },
            fault,
        ));
    }
    let mut scene = shortest(board, path, &same)?;
    while let Some(smaller) = smaller(&scene, &same)? {
        scene = smaller;
    }
    let fault = match (pair.compare(&scene.line(), depth_of(&fault), ask)?, fault) {
        (Outcome::Differ(difference), Fault::Moves(_)) => Fault::Moves(difference),
        (Outcome::Differ(difference), Fault::Counts { depth, .. }) => {
            Fault::Counts { depth, difference }
        }
        (Outcome::Failed(error), Fault::Failure { depth, .. }) => Fault::Failure { depth, error },
        // Somebody changed his mind; what was found first stands.
        (_, fault) => fault,
    };
    Ok((scene, fault))
}

/// Whether the fault shows at once: that somebody hangs or babbles could only be seen again after the same long wait.
fn is_quick(fault: &Fault) -> bool {
    let Fault::Failure {
        error: CounterError::Failed { source, .. },
        ..
    } = fault
    else {
        return true;
    };
    !matches!(
        source.downcast_ref(),
        Some(EngineError::Silent { .. } | EngineError::LongAnswer { .. })
    )
}

fn depth_of(fault: &Fault) -> u32 {
    match *fault {
        Fault::Moves(_) => 1,
        Fault::Counts { depth, .. } | Fault::Failure { depth, .. } => depth,
    }
}

/// Whether a scene shows a fault of this kind.
fn shows(pair: &Pair, scene: &Scene, fault: &Fault, ask: &Ask) -> Result<bool, CounterError> {
    let outcome = pair.compare(&scene.line(), depth_of(fault), ask)?;
    Ok(match fault {
        Fault::Moves(_) => {
            matches!(outcome, Outcome::Differ(difference) if difference.is_of_moves())
        }
        Fault::Counts { .. } => {
            matches!(outcome, Outcome::Differ(difference) if difference != Difference::default())
        }
        Fault::Failure { .. } => matches!(outcome, Outcome::Failed(_)),
    })
}

type Same<'a> = dyn Fn(&Scene) -> Result<bool, CounterError> + 'a;

/// The end of the path with as few of its last moves as it takes.
fn shortest(board: &Board, path: &[Move], same: &Same) -> Result<Scene, CounterError> {
    for kept in 0..path.len() {
        let (before, moves) = path.split_at(path.len() - kept);
        let scene = Scene {
            board: Line {
                board,
                moves: before,
            }
            .end(),
            moves: moves.to_vec(),
        };
        if same(&scene)? {
            return Ok(scene);
        }
    }
    Ok(Scene {
        board: *board,
        moves: path.to_vec(),
    })
}

/// The first smaller scene that still shows the fault.
fn smaller(scene: &Scene, same: &Same) -> Result<Option<Scene>, CounterError> {
    for setup in candidates(&scene.board) {
        let Ok(board) = Board::try_from(setup) else {
            continue;
        };
        let candidate = Scene {
            board,
            moves: scene.moves.clone(),
        };
        if is_playable(&candidate) && same(&candidate)? {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

fn is_playable(scene: &Scene) -> bool {
    let mut board = scene.board;
    scene.moves.iter().all(|&mv| {
        let is_legal = board.legal_moves().contains(&mv);
        if is_legal {
            board = board.play(mv);
        }
        is_legal
    })
}

/// Every setup that is one step smaller, the largest steps first.
fn candidates(board: &Board) -> Vec<Setup> {
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
    if pieces.count() > FEW_MEN {
        for one in pieces {
            let others = pieces.filter(|other| *other > one);
            smaller.extend(others.map(|other| without(&setup, &[one, other])));
        }
    }
    smaller
}

/// The setup without some pieces, and without what depends on them.
fn without(setup: &Setup, pieces: &[Square]) -> Setup {
    let mut setup = setup.clone();
    for &square in pieces {
        setup.remove(square);
    }
    let gone: Bitboard = pieces.iter().copied().collect();
    setup.castling_rooks &= !gone;
    let is_passed_pawn_there = |target: Square| {
        let pawn = Square::at(target.file(), if target.rank() == 5 { 4 } else { 3 });
        setup.piece_at(pawn).is_some()
    };
    setup.en_passant = setup
        .en_passant
        .filter(|&target| is_passed_pawn_there(target));
    setup
}
