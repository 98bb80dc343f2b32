//! Which circles the pieces reach, computed once from rows and numbers when it is first asked for.
//!
//! A circle walks in, and where other pieces stand; the circles that a piece reaches from it walk out. For the
//! safety of a king it is asked the other way round: which circles lie between it and a slider. Between a king
//! and a rook there are up to two ways, as a rook may turn.

use std::sync::LazyLock;

use super::circle::{BITS, Circle, Circles};
use crate::chess::Color;

/// A table with an entry for every circle.
type PerCircle<T> = [T; BITS];

pub struct Geometry {
    king: PerCircle<Circles>,
    knight: PerCircle<Circles>,
    /// For White and Black: where the pawns stand that attack a circle.
    pawns: [PerCircle<Circles>; 2],
    /// The row and the two diagonals through a circle.
    lines: PerCircle<[Line; 3]>,
    /// What bishops and queens reach on an empty board.
    bishop: PerCircle<Circles>,
    queen: PerCircle<Circles>,
    between: Box<PerCircle<PerCircle<Circles>>>,
    ways: Box<PerCircle<PerCircle<[Circles; 2]>>>,
}

/// The circles of a line on both sides of one of them.
#[derive(Clone, Copy, Default)]
struct Line {
    lower: Circles,
    upper: Circles,
}

/// Rows up and numbers on.
type Step = (i8, i8);

const DIAGONALS: [Step; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const ALONG_ROW: [Step; 2] = [(0, 2), (0, -2)];
const KNIGHT: [Step; 8] = [
    (0, 2),
    (0, -2),
    (1, 3),
    (1, -3),
    (-1, 3),
    (-1, -3),
    (2, 0),
    (-2, 0),
];

/// Stands for a way that does not exist: there are always more pieces in it than one.
const NO_WAY: Circles = Circles::BOARD;

/// The geometry of the board.
pub fn geometry() -> &'static Geometry {
    static GEOMETRY: LazyLock<Geometry> = LazyLock::new(Geometry::new);
    &GEOMETRY
}

impl Geometry {
    #[inline(always)]
    pub fn king(&self, from: Circle) -> Circles {
        self.king[from.index()]
    }

    #[inline(always)]
    pub fn knight(&self, from: Circle) -> Circles {
        self.knight[from.index()]
    }

    /// Where pawns of this colour attack the circle from.
    #[inline(always)]
    pub fn pawns_attacking(&self, color: Color, circle: Circle) -> Circles {
        self.pawns[color as usize][circle.index()]
    }

    #[inline(always)]
    pub fn bishop(&self, from: Circle, occupied: Circles) -> Circles {
        let [_, rising, falling] = &self.lines[from.index()];
        rising.reach(occupied) | falling.reach(occupied)
    }

    #[inline(always)]
    pub fn queen(&self, from: Circle, occupied: Circles) -> Circles {
        self.lines[from.index()][0].reach(occupied) | self.bishop(from, occupied)
    }

    #[inline(always)]
    pub fn rook(&self, from: Circle, occupied: Circles) -> Circles {
        let turns = self.bishop(from, occupied) & !occupied;
        let row = self.lines[from.index()][0].reach(occupied);
        if turns.is_empty() {
            return row;
        }
        row | along_rows(turns, !occupied)
    }

    /// The circles that a bishop, or a queen, would reach if there were no other pieces.
    #[inline(always)]
    pub fn bishop_lines(&self, from: Circle) -> Circles {
        self.bishop[from.index()]
    }

    #[inline(always)]
    pub fn queen_lines(&self, from: Circle) -> Circles {
        self.queen[from.index()]
    }

    /// The circles between two that lie on one row or diagonal.
    #[inline(always)]
    pub fn between(&self, one: Circle, other: Circle) -> Circles {
        self.between[one.index()][other.index()]
    }

    /// What has to be empty so that a rook reaches a circle, for each of its ways. A way that does not exist
    /// is the whole board.
    #[inline(always)]
    pub fn rook_ways(&self, target: Circle, rook: Circle) -> [Circles; 2] {
        self.ways[target.index()][rook.index()]
    }

    /// The circles on which a rook may turn on its way to a circle, empty or not.
    pub fn rook_turns(&self, from: Circle, to: Circle) -> Circles {
        let row = Circles::row(to.row());
        if row.has(from) {
            return Circles::EMPTY;
        }
        self.bishop_lines(from) & row & !to.bit()
    }

    fn new() -> Geometry {
        let leaps = |steps: &[Step]| {
            per_circle(|from| {
                steps
                    .iter()
                    .filter_map(|&(r, n)| from.towards(r, n))
                    .collect()
            })
        };
        let rays = |steps: &[Step]| {
            per_circle(|from| steps.iter().flat_map(|&step| ray(from, step)).collect())
        };
        let all_ways = [&ALONG_ROW[..], &DIAGONALS].concat();
        let bishop = rays(&DIAGONALS);
        Geometry {
            king: leaps(&all_ways),
            knight: leaps(&KNIGHT),
            pawns: [leaps(&[(-1, 1), (-1, -1)]), leaps(&[(1, 1), (1, -1)])],
            lines: per_circle(|from| {
                [(0, 2), (1, 1), (1, -1)].map(|(rows, numbers)| Line {
                    lower: ray(from, (-rows, -numbers)).collect(),
                    upper: ray(from, (rows, numbers)).collect(),
                })
            }),
            bishop,
            queen: rays(&all_ways),
            between: per_pair(between),
            ways: per_pair(rook_ways),
        }
    }
}

impl Line {
    /// The circles of the line up to the first piece on both sides, that piece's circle included.
    #[inline(always)]
    fn reach(&self, occupied: Circles) -> Circles {
        let lower = (self.lower & occupied).0 | 1;
        let upper = (self.upper & occupied).0;
        let highest_below = 1 << (127 - lower.leading_zeros());
        // The subtraction borrows through all bits from the piece below to the piece above.
        let reached = upper ^ u128::wrapping_sub(upper, highest_below);
        Circles(reached) & (self.lower | self.upper)
    }
}

/// Where pieces on these empty circles get to along their rows, all at once.
#[inline(always)]
fn along_rows(from: Circles, empty: Circles) -> Circles {
    let right = from.shifted(1);
    // The carry of an addition runs through empty circles to the first piece, or to the end of the row.
    let carried = (empty.0 + (right & empty).0) ^ empty.0;
    let left = from.shifted(-1);
    let mut filled = left & empty;
    let mut way = empty;
    for distance in [1, 2, 4] {
        filled |= way & Circles(filled.0 >> distance);
        way &= Circles(way.0 >> distance);
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

/// The circles from one onwards in one direction.
fn ray(from: Circle, (rows, numbers): Step) -> impl Iterator<Item = Circle> {
    std::iter::successors(from.towards(rows, numbers), move |circle| {
        circle.towards(rows, numbers)
    })
}

/// The circles between two on one row or diagonal; nothing if they are on none.
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

/// What has to be empty so that a rook comes to a target, for each way.
fn rook_ways(target: Circle, rook: Circle) -> [Circles; 2] {
    let mut ways = [NO_WAY; 2];
    if target.row() == rook.row() {
        if target != rook {
            ways[0] = between(target, rook);
        }
        return ways;
    }
    let turns = DIAGONALS.iter().filter_map(|&step| {
        ray(rook, step).find(|turn| turn.row() == target.row() && *turn != target)
    });
    for (way, turn) in ways.iter_mut().zip(turns) {
        *way = between(rook, turn) | turn.bit() | between(turn, target);
    }
    ways
}
