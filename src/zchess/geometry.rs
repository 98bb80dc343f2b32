//! Attack sets: the circles that a piece attacks from a circle, given the occupied circles.
//!
//! The tables are computed from rows and numbers on first use. For king safety there are also tables of the circles
//! between a king and a slider. A rook may turn, so there are up to two paths between a king and a rook.

use std::sync::LazyLock;

use super::circle::{BITS, Circle, Circles};
use crate::chess::Color;

/// A table with an entry for every circle.
type PerCircle<T> = [T; BITS];

/// The attack tables.
pub struct Geometry {
    king: PerCircle<Circles>,
    knight: PerCircle<Circles>,
    /// For White and Black: the circles from which a pawn attacks a circle.
    pawns: [PerCircle<Circles>; 2],
    /// The row and the two diagonals through a circle.
    lines: PerCircle<[OpposedRays; 3]>,
    /// The attacks of bishops and queens on an empty board.
    bishop: PerCircle<Circles>,
    queen: PerCircle<Circles>,
    between: Box<PerCircle<PerCircle<Circles>>>,
    rook_paths: Box<PerCircle<PerCircle<[Circles; 2]>>>,
}

/// The two rays of a line from a circle.
#[derive(Clone, Copy, Default)]
struct OpposedRays {
    lower: Circles,
    upper: Circles,
}

/// A step: rows up and the change of the number.
type StepVector = (i8, i8);

const DIAGONALS: [StepVector; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const ALONG_ROW: [StepVector; 2] = [(0, 2), (0, -2)];
const KNIGHT: [StepVector; 8] = [
    (0, 2),
    (0, -2),
    (1, 3),
    (1, -3),
    (-1, 3),
    (-1, -3),
    (2, 0),
    (-2, 0),
];

/// Stands for a path that does not exist: the whole board, which always has more than one piece on it.
const NO_PATH: Circles = Circles::BOARD;

/// The attack tables of the board.
pub fn geometry() -> &'static Geometry {
    static GEOMETRY: LazyLock<Geometry> = LazyLock::new(Geometry::new);
    &GEOMETRY
}

impl Geometry {
    /// The circles that a king attacks.
    #[inline(always)]
    pub fn king(&self, from: Circle) -> Circles {
        self.king[from.index()]
    }

    /// The circles that a knight attacks.
    #[inline(always)]
    pub fn knight(&self, from: Circle) -> Circles {
        self.knight[from.index()]
    }

    /// The circles from which pawns of this colour attack a circle.
    #[inline(always)]
    pub fn pawns_attacking(&self, color: Color, circle: Circle) -> Circles {
        self.pawns[color as usize][circle.index()]
    }

    /// The circles that a bishop attacks.
    #[inline(always)]
    pub fn bishop(&self, from: Circle, occupied: Circles) -> Circles {
        let [_, rising, falling] = &self.lines[from.index()];
        rising.attacks(occupied) | falling.attacks(occupied)
    }

    /// The circles that a queen attacks.
    #[inline(always)]
    pub fn queen(&self, from: Circle, occupied: Circles) -> Circles {
        self.lines[from.index()][0].attacks(occupied) | self.bishop(from, occupied)
    }

    /// The circles that a rook attacks.
    #[inline(always)]
    pub fn rook(&self, from: Circle, occupied: Circles) -> Circles {
        let turns = self.bishop(from, occupied) & !occupied;
        let row = self.lines[from.index()][0].attacks(occupied);
        if turns.is_empty() {
            return row;
        }
        row | along_rows(turns, !occupied)
    }

    /// The circles that a bishop attacks on an empty board.
    #[inline(always)]
    pub fn bishop_lines(&self, from: Circle) -> Circles {
        self.bishop[from.index()]
    }

    /// The circles that a queen attacks on an empty board.
    #[inline(always)]
    pub fn queen_lines(&self, from: Circle) -> Circles {
        self.queen[from.index()]
    }

    /// The circles strictly between two circles on the same row or diagonal; none for other pairs.
    #[inline(always)]
    pub fn between(&self, one: Circle, other: Circle) -> Circles {
        self.between[one.index()][other.index()]
    }

    /// For each of the two paths of a rook to a circle, the circles that must be empty. A path that does not exist is
    /// the whole board.
    #[inline(always)]
    pub fn rook_paths(&self, target: Circle, rook: Circle) -> [Circles; 2] {
        self.rook_paths[target.index()][rook.index()]
    }

    /// The circles on which a rook can turn on its path to a circle, whether they are empty or not.
    pub fn rook_turns(&self, from: Circle, to: Circle) -> Circles {
        let row = Circles::row(to.row());
        if row.has(from) {
            return Circles::EMPTY;
        }
        self.bishop_lines(from) & row & !to.bit()
    }

    fn new() -> Geometry {
        let leaps = |steps: &[StepVector]| {
            per_circle(|from| {
                steps
                    .iter()
                    .filter_map(|&(r, n)| from.neighbour(r, n))
                    .collect()
            })
        };
        let rays = |steps: &[StepVector]| {
            per_circle(|from| steps.iter().flat_map(|&step| ray(from, step)).collect())
        };
        let all_directions = [&ALONG_ROW[..], &DIAGONALS].concat();
        let bishop = rays(&DIAGONALS);
        Geometry {
            king: leaps(&all_directions),
            knight: leaps(&KNIGHT),
            pawns: [leaps(&[(-1, 1), (-1, -1)]), leaps(&[(1, 1), (1, -1)])],
            lines: per_circle(|from| {
                [(0, 2), (1, 1), (1, -1)].map(|(rows, numbers)| OpposedRays {
                    lower: ray(from, (-rows, -numbers)).collect(),
                    upper: ray(from, (rows, numbers)).collect(),
                })
            }),
            bishop,
            queen: rays(&all_directions),
            between: per_pair(between),
            rook_paths: per_pair(rook_paths),
        }
    }
}

impl OpposedRays {
    /// The circles of both rays up to the first occupied circle, which is included.
    #[inline(always)]
    fn attacks(&self, occupied: Circles) -> Circles {
        let lower = (self.lower & occupied).0 | 1;
        let upper = (self.upper & occupied).0;
        let highest_below = 1 << (127 - lower.leading_zeros());
        // Obstruction difference: the subtraction borrows through all bits from the blocker below to the blocker above.
        let attacked = upper ^ u128::wrapping_sub(upper, highest_below);
        Circles(attacked) & (self.lower | self.upper)
    }
}

/// The circles that rooks on these empty circles attack along their rows (a fill of all rows at once).
#[inline(always)]
fn along_rows(from: Circles, empty: Circles) -> Circles {
    let right = from.shifted(1);
    // The carry of an addition runs through empty circles to the first blocker, or to the padding bit of the row.
    let carried = (empty.0 + (right & empty).0) ^ empty.0;
    let left = from.shifted(-1);
    let mut filled = left & empty;
    let mut open = empty;
    for distance in [1, 2, 4] {
        filled |= open & Circles(filled.0 >> distance);
        open &= Circles(open.0 >> distance);
    }
    right | Circles(carried & Circles::BOARD.0) | left | filled.shifted(-1)
}

fn per_circle<T: Default + Copy>(entry: impl Fn(Circle) -> T) -> PerCircle<T> {
    let mut table = [T::default(); BITS];
    for circle in Circle::all() {
        table[circle.index()] = entry(circle);
    }
    table
}

fn per_pair<T: Copy + Default>(
    entry: impl Fn(Circle, Circle) -> T,
) -> Box<PerCircle<PerCircle<T>>> {
    let mut table = vec![[T::default(); BITS]; BITS].into_boxed_slice();
    for one in Circle::all() {
        table[one.index()] = per_circle(|other| entry(one, other));
    }
    table
        .try_into()
        .unwrap_or_else(|_| unreachable!("the table has a row for every bit"))
}

/// The circles from one circle, excluded, in one direction.
fn ray(from: Circle, (rows, numbers): StepVector) -> impl Iterator<Item = Circle> {
    std::iter::successors(from.neighbour(rows, numbers), move |circle| {
        circle.neighbour(rows, numbers)
    })
}

fn between(one: Circle, other: Circle) -> Circles {
    line_between(one, other).unwrap_or_default()
}

fn line_between(one: Circle, other: Circle) -> Option<Circles> {
    ALONG_ROW.iter().chain(&DIAGONALS).find_map(|&step| {
        ray(one, step).any(|circle| circle == other).then(|| {
            ray(one, step)
                .take_while(|&circle| circle != other)
                .collect()
        })
    })
}

fn rook_paths(target: Circle, rook: Circle) -> [Circles; 2] {
    let mut paths = [NO_PATH; 2];
    if target.row() == rook.row() {
        if target != rook {
            paths[0] = between(target, rook);
        }
        return paths;
    }
    let turns = DIAGONALS.iter().filter_map(|&step| {
        ray(rook, step).find(|turn| turn.row() == target.row() && *turn != target)
    });
    for (path, turn) in paths.iter_mut().zip(turns) {
        *path = between(rook, turn) | turn.bit() | between(turn, target);
    }
    paths
}
