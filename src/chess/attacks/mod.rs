//! Attack sets: the squares that a piece attacks from a square.
//!
//! The attacks of kings, knights and pawns are tables that are filled at compile time. Those of sliding pieces depend
//! on the occupied squares. The trait [`Sliders`] has two implementations: [`Hyperbola`] (hyperbola quintessence),
//! arithmetic that runs on every machine, and [`Pext`] (PEXT bitboards), one table lookup on machines with a fast
//! `PEXT` instruction. Hot loops are written once over `impl Sliders` and compiled for each of them.

mod hyperbola;
#[cfg(target_arch = "x86_64")]
mod pext;

pub use hyperbola::{HYPERBOLA, Hyperbola};
#[cfg(target_arch = "x86_64")]
pub use pext::Pext;

use std::sync::OnceLock;

use super::bitboard::Bitboard;
use super::square::{Role, Square};
use crate::cpu::{Cpu, InstructionSet, Kernel, Level};

/// An implementation of slider attacks. A value of such a type is a token without data: it proves that this machine
/// supports the instructions that the implementation needs.
pub trait Sliders: Copy {
    /// The instruction set that the implementation is compiled for.
    type Cpu: Cpu;

    /// The token for that instruction set.
    fn cpu(self) -> Self::Cpu;

    /// The squares that a bishop attacks, the first occupied square in each direction included.
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard;

    /// The squares that a rook attacks, the first occupied square in each direction included.
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard;

    /// Runs a kernel in a separate function that is compiled for [`cpu`](Sliders::cpu).
    #[inline(always)]
    fn call<K: SliderKernel>(self, kernel: K) -> K::Output {
        self.cpu().call(WithSliders {
            sliders: self,
            kernel,
        })
    }
}

/// One of the implementations of slider attacks, chosen at run time.
#[derive(Clone, Copy, Debug)]
pub enum AnySliders {
    /// PEXT bitboards.
    #[cfg(target_arch = "x86_64")]
    Pext(Pext),
    /// Hyperbola quintessence, compiled with `POPCNT`.
    #[cfg(target_arch = "x86_64")]
    Popcnt(Hyperbola<crate::cpu::Popcnt>),
    /// Hyperbola quintessence, compiled for every machine of the architecture.
    Portable(Hyperbola),
}

impl AnySliders {
    /// The implementation for an instruction set.
    pub fn for_level(level: Level) -> AnySliders {
        match level.instruction_set() {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Bmi2(cpu) => AnySliders::Pext(Pext::new(cpu)),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Popcnt(cpu) => AnySliders::Popcnt(Hyperbola(cpu)),
            InstructionSet::Baseline => AnySliders::Portable(HYPERBOLA),
        }
    }

    /// The fastest implementation that this machine supports.
    #[inline]
    pub fn best() -> AnySliders {
        static BEST: OnceLock<AnySliders> = OnceLock::new();
        *BEST.get_or_init(|| AnySliders::for_level(Level::best()))
    }

    /// Runs a kernel with this implementation.
    #[inline(always)]
    pub fn call<K: SliderKernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            AnySliders::Pext(sliders) => sliders.call(kernel),
            #[cfg(target_arch = "x86_64")]
            AnySliders::Popcnt(sliders) => sliders.call(kernel),
            AnySliders::Portable(sliders) => sliders.call(kernel),
        }
    }
}

/// Code that is compiled once for each implementation of slider attacks.
pub trait SliderKernel {
    /// What the kernel computes.
    type Output;

    /// Does the work with the given slider attacks.
    fn run(self, sliders: impl Sliders) -> Self::Output;
}

/// A kernel and the sliders that it is given.
struct WithSliders<S, K> {
    sliders: S,
    kernel: K,
}

impl<S: Sliders, K: SliderKernel> Kernel for WithSliders<S, K> {
    type Output = K::Output;

    #[inline(always)]
    fn run(self, _: impl Cpu) -> K::Output {
        self.kernel.run(self.sliders)
    }
}

/// The squares that a king on `from` attacks.
#[inline(always)]
pub fn king(from: Square) -> Bitboard {
    KING[from.index()]
}

/// The squares that a knight on `from` attacks.
#[inline(always)]
pub fn knight(from: Square) -> Bitboard {
    KNIGHT[from.index()]
}

/// The squares that a pawn on `from` attacks.
#[inline(always)]
pub fn pawn<const WHITE: bool>(from: Square) -> Bitboard {
    if WHITE {
        WHITE_PAWN[from.index()]
    } else {
        BLACK_PAWN[from.index()]
    }
}

/// The squares that at least one of these pawns attacks.
#[inline(always)]
pub const fn pawns<const WHITE: bool>(pawns: Bitboard) -> Bitboard {
    let towards_a = pawns.0 & !Bitboard::FILE_A.0;
    let towards_h = pawns.0 & !Bitboard::FILE_H.0;
    Bitboard(if WHITE {
        towards_a << 7 | towards_h << 9
    } else {
        towards_a >> 9 | towards_h >> 7
    })
}

/// The squares that a piece of side `WHITE` attacks from a square.
#[inline(always)]
pub fn of_piece<const WHITE: bool>(
    sliders: impl Sliders,
    role: Role,
    from: Square,
    occupied: Bitboard,
) -> Bitboard {
    match role {
        Role::Pawn => pawn::<WHITE>(from),
        Role::Knight => knight(from),
        Role::Bishop => sliders.bishop(from, occupied),
        Role::Rook => sliders.rook(from, occupied),
        Role::Queen => sliders.bishop(from, occupied) | sliders.rook(from, occupied),
        Role::King => king(from),
    }
}

/// The squares that a bishop attacks on an empty board.
#[inline(always)]
pub fn bishop_rays(from: Square) -> Bitboard {
    BISHOP_RAYS[from.index()]
}

/// The squares that a rook attacks on an empty board.
#[inline(always)]
pub fn rook_rays(from: Square) -> Bitboard {
    ROOK_RAYS[from.index()]
}

/// The squares strictly between two squares on the same rank, file or diagonal; none for other pairs.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The squares behind `b` as seen from `a` along their common rank, file or diagonal; none for other pairs.
#[inline(always)]
pub fn beyond(a: Square, b: Square) -> Bitboard {
    BEYOND[a.index()][b.index()]
}

/// Files to the right and ranks up.
type Direction = (i8, i8);

const ORTHOGONAL: [Direction; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [Direction; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT_JUMPS: [Direction; 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

static KING: [Bitboard; 64] = {
    let orthogonal = for_each_square(&ORTHOGONAL, 1);
    let diagonal = for_each_square(&DIAGONAL, 1);
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = Bitboard(orthogonal[index].0 | diagonal[index].0);
        index += 1;
    }
    table
};
static WHITE_PAWN: [Bitboard; 64] = for_each_square(&[(-1, 1), (1, 1)], 1);
static BLACK_PAWN: [Bitboard; 64] = for_each_square(&[(-1, -1), (1, -1)], 1);
static KNIGHT: [Bitboard; 64] = for_each_square(&KNIGHT_JUMPS, 1);
static ROOK_RAYS: [Bitboard; 64] = for_each_square(&ORTHOGONAL, 7);
static BISHOP_RAYS: [Bitboard; 64] = for_each_square(&DIAGONAL, 7);
static BETWEEN: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut index = 0;
    while index < 64 {
        fill_between(&mut table[index], index, &ORTHOGONAL);
        fill_between(&mut table[index], index, &DIAGONAL);
        index += 1;
    }
    table
};
static BEYOND: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut index = 0;
    while index < 64 {
        fill_beyond(&mut table[index], index, &ORTHOGONAL);
        fill_beyond(&mut table[index], index, &DIAGONAL);
        index += 1;
    }
    table
};

const fn for_each_square<const N: usize>(directions: &[Direction; N], steps: u8) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = ray_walk(index, directions, steps, Bitboard::EMPTY);
        index += 1;
    }
    table
}

/// The squares reached from `index` by up to `steps` steps in each direction; each ray ends with its first occupied
/// square. It is slow and simple: the tables are filled with it, and the fast implementations tested against it.
const fn ray_walk<const N: usize>(
    index: usize,
    directions: &[Direction; N],
    steps: u8,
    occupied: Bitboard,
) -> Bitboard {
    let mut reached = 0;
    let mut direction = 0;
    while direction < N {
        let mut at = neighbour(index, directions[direction]);
        let mut step = 0;
        while let (true, Some(square)) = (step < steps, at) {
            reached |= 1 << square;
            if occupied.0 & 1 << square != 0 {
                break;
            }
            at = neighbour(square, directions[direction]);
            step += 1;
        }
        direction += 1;
    }
    Bitboard(reached)
}

const fn fill_between(row: &mut [Bitboard; 64], index: usize, directions: &[Direction; 4]) {
    let mut direction = 0;
    while direction < 4 {
        let mut passed = 0;
        let mut at = neighbour(index, directions[direction]);
        while let Some(square) = at {
            row[square] = Bitboard(passed);
            passed |= 1 << square;
            at = neighbour(square, directions[direction]);
        }
        direction += 1;
    }
}

const fn fill_beyond(row: &mut [Bitboard; 64], index: usize, directions: &[Direction; 4]) {
    let mut direction = 0;
    while direction < 4 {
        let ray = [directions[direction]];
        let mut at = neighbour(index, ray[0]);
        while let Some(square) = at {
            row[square] = ray_walk(square, &ray, 7, Bitboard::EMPTY);
            at = neighbour(square, ray[0]);
        }
        direction += 1;
    }
}

const fn neighbour(index: usize, (files, ranks): Direction) -> Option<usize> {
    let file = (index % 8) as i8 + files;
    let rank = (index / 8) as i8 + ranks;
    if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        Some((rank * 8 + file) as usize)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::SplitMix64;

    use super::*;

    fn squares(names: &str) -> Bitboard {
        names
            .split_whitespace()
            .map(|name| name.parse::<Square>().unwrap())
            .collect()
    }

    #[test]
    fn leapers_stay_on_the_board() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        assert_eq!(knight(square("a1")), squares("b3 c2"));
        assert_eq!(knight(square("g7")), squares("e8 e6 f5 h5"));
        assert_eq!(king(square("h4")), squares("h5 g5 g4 g3 h3"));
        assert_eq!(pawn::<true>(square("a2")), squares("b3"));
        assert_eq!(pawn::<false>(square("h7")), squares("g6"));
    }

    #[test]
    fn between_excludes_both_ends() {
        let between = |a: &str, b: &str| super::between(a.parse().unwrap(), b.parse().unwrap());
        assert_eq!(between("a1", "d4"), squares("b2 c3"));
        assert_eq!(between("h1", "e1"), squares("f1 g1"));
        assert_eq!(between("e4", "e5"), Bitboard::EMPTY);
        assert_eq!(between("a1", "b3"), Bitboard::EMPTY);
    }

    fn agrees_with_ray_walk(sliders: impl Sliders) {
        let mut random = SplitMix64::seed_from_u64(960);
        for round in 0..20_000 {
            let from = Square::from_index(round % 64);
            let occupied = Bitboard(random.next_u64() & random.next_u64());
            let rook = ray_walk(from.index(), &ORTHOGONAL, 7, occupied);
            let bishop = ray_walk(from.index(), &DIAGONAL, 7, occupied);
            assert_eq!(sliders.rook(from, occupied), rook, "{from} {occupied:?}");
            assert_eq!(
                sliders.bishop(from, occupied),
                bishop,
                "{from} {occupied:?}"
            );
        }
    }

    #[test]
    fn hyperbola_agrees_with_ray_walk() {
        agrees_with_ray_walk(HYPERBOLA);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn pext_agrees_with_ray_walk() {
        if let Some(bmi2) = crate::cpu::Bmi2::detect() {
            agrees_with_ray_walk(Pext::new(bmi2));
        }
    }
}
