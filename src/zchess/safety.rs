//! Is a king attacked, and which pieces must not simply leave their circles?
//!
//! In walks a board and the circle of a king. Out walks whether it is in check and, if not, the pieces that
//! stand alone between it and a slider. A rook that turns may come two ways, so what such a piece may do is not a
//! line: its moves are tried one by one. All other pieces move as they like.

use super::board::Board;
use super::circle::{Circle, Circles};
use super::geometry::Geometry;
use crate::chess::{Color, Role};

/// What the player to move has to heed.
pub struct Safety {
    pub is_check: bool,
    /// Own pieces that stand alone between the king and a slider.
    pub shields: Circles,
}

impl Safety {
    #[inline(always)]
    pub fn of<const WHITE: bool>(geometry: &Geometry, board: &Board, king: Circle) -> Safety {
        let (own, enemies) = board.sides::<WHITE>();
        let occupied = own | enemies;
        let mut safety = Safety {
            is_check: is_leapt_at(geometry, board, enemy(WHITE), king, enemies),
            shields: Circles::EMPTY,
        };
        let mut look_at = |way: Circles| {
            let in_the_way = way & occupied;
            if !in_the_way.has_several() {
                safety.is_check |= in_the_way.is_empty();
                safety.shields |= in_the_way & own;
            }
        };
        for slider in lines_to(geometry, board, king, enemies) {
            look_at(geometry.between(king, slider));
        }
        for rook in board.with_role(Role::Rook) & enemies {
            for way in geometry.rook_ways(king, rook) {
                look_at(way);
            }
        }
        safety
    }
}

/// Whether any of `enemies`, who are of this colour, attacks a circle, with `occupied` standing in the way.
#[inline(always)]
pub fn is_attacked(
    geometry: &Geometry,
    board: &Board,
    color: Color,
    circle: Circle,
    occupied: Circles,
    enemies: Circles,
) -> bool {
    let is_open = |way: Circles| (way & occupied).is_empty();
    is_leapt_at(geometry, board, color, circle, enemies)
        || lines_to(geometry, board, circle, enemies)
            .any(|slider| is_open(geometry.between(circle, slider)))
        || (board.with_role(Role::Rook) & enemies)
            .any(|rook| geometry.rook_ways(circle, rook).into_iter().any(is_open))
}

/// Whether a piece attacks a circle that nobody can stand in the way of.
#[inline(always)]
fn is_leapt_at(
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

/// The bishops and queens on whose lines a circle lies.
#[inline(always)]
fn lines_to(geometry: &Geometry, board: &Board, circle: Circle, enemies: Circles) -> Circles {
    let bishops = geometry.bishop_lines(circle) & board.with_role(Role::Bishop);
    let queens = geometry.queen_lines(circle) & board.with_role(Role::Queen);
    (bishops | queens) & enemies
}

#[inline(always)]
const fn enemy(is_white: bool) -> Color {
    if is_white { Color::Black } else { Color::White }
}
