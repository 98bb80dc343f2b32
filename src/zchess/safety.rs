//! King safety: checks, and the pieces that may be pinned.
//!
//! A rook may attack along two paths that bend, so the legal moves of a pinned piece are not a line as in chess. The
//! generator tests the moves of every piece that is the only blocker on a path to its king; all other pieces move
//! freely.

use super::board::Board;
use super::circle::{Circle, Circles};
use super::geometry::{Geometry, geometry};
use crate::chess::{Color, Role};

impl Board {
    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.is_in_check(self.turn)
    }

    pub(super) fn is_in_check(&self, color: Color) -> bool {
        let king = self.king_of(color);
        let enemies = self.pieces_of(!color);
        is_attacked(geometry(), self, !color, king, self.occupied(), enemies)
    }
}

/// Whether the side to move is in check, and which of its pieces may be pinned.
pub struct KingSafety {
    pub is_check: bool,
    /// Own pieces that are the only blockers on a path from an enemy slider to the king.
    pub blockers: Circles,
}

impl KingSafety {
    #[inline(always)]
    pub fn of<const WHITE: bool>(geometry: &Geometry, board: &Board, king: Circle) -> KingSafety {
        let (own, enemies) = board.sides::<WHITE>();
        let occupied = own | enemies;
        let mut safety = KingSafety {
            is_check: is_attacked_by_leaper(geometry, board, enemy(WHITE), king, enemies),
            blockers: Circles::EMPTY,
        };
        let mut add_path = |path: Circles| {
            let blockers = path & occupied;
            if !blockers.has_several() {
                safety.is_check |= blockers.is_empty();
                safety.blockers |= blockers & own;
            }
        };
        for slider in aligned_sliders(geometry, board, king, enemies) {
            add_path(geometry.between(king, slider));
        }
        for rook in board.with_role(Role::Rook) & enemies {
            for path in geometry.rook_paths(king, rook) {
                add_path(path);
            }
        }
        safety
    }
}

/// Whether one of `enemies`, which are of this colour, attacks a circle, given the occupied circles.
#[inline(always)]
pub fn is_attacked(
    geometry: &Geometry,
    board: &Board,
    color: Color,
    circle: Circle,
    occupied: Circles,
    enemies: Circles,
) -> bool {
    let is_open = |path: Circles| (path & occupied).is_empty();
    is_attacked_by_leaper(geometry, board, color, circle, enemies)
        || aligned_sliders(geometry, board, circle, enemies)
            .any(|slider| is_open(geometry.between(circle, slider)))
        || (board.with_role(Role::Rook) & enemies)
            .any(|rook| geometry.rook_paths(circle, rook).into_iter().any(is_open))
}

/// Whether a pawn, knight or king attacks a circle. Such an attack cannot be blocked.
#[inline(always)]
fn is_attacked_by_leaper(
    geometry: &Geometry,
    board: &Board,
    color: Color,
    circle: Circle,
    enemies: Circles,
) -> bool {
    let attackers = geometry.pawns_attacking(color, circle) & board.with_role(Role::Pawn)
        | geometry.knight(circle) & board.with_role(Role::Knight)
        | geometry.king(circle) & board.with_role(Role::King);
    !(attackers & enemies).is_empty()
}

/// The bishops and queens that would attack a circle on an empty board.
#[inline(always)]
fn aligned_sliders(
    geometry: &Geometry,
    board: &Board,
    circle: Circle,
    enemies: Circles,
) -> Circles {
    let bishops = geometry.bishop_lines(circle) & board.with_role(Role::Bishop);
    let queens = geometry.queen_lines(circle) & board.with_role(Role::Queen);
    (bishops | queens) & enemies
}

#[inline(always)]
const fn enemy(is_white: bool) -> Color {
    if is_white { Color::Black } else { Color::White }
}
