//! The fast counter for chess: the last ply is counted, not played.
//!
//! The recursion is written once, over the colour and over the `Machine` that it runs on. A machine is
//! a way to find slider attacks plus a shell that compiles the recursion with the instructions of that
//! machine; which one is used is decided once, when the program first counts.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use crate::chess::attacks::Pext;
use crate::chess::attacks::{Hyperbola, Sliders};
use crate::chess::moves::{self, Visitor};
use crate::chess::{Bitboard, Board, Color, Role, Square};

/// The number of legal move sequences of `depth` plies.
pub fn perft(board: &Board, depth: u32) -> u64 {
    static PATH: OnceLock<Path> = OnceLock::new();
    PATH.get_or_init(Path::fastest).perft(board, depth)
}

/// A way through the counter, fit for some machines.
#[derive(Clone, Copy, Debug)]
pub enum Path {
    /// Slider look-ups by `PEXT`, bit counting in hardware.
    #[cfg(target_arch = "x86_64")]
    Pext(Pext),
    /// Slider arithmetic, bit counting in hardware.
    #[cfg(target_arch = "x86_64")]
    Popcnt(Popcnt),
    /// Nothing that the architecture does not promise.
    Portable,
}

impl Path {
    /// The ways that this machine can go, fastest first.
    pub fn all() -> Vec<Path> {
        let mut paths = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            paths.extend(Pext::if_supported().map(Path::Pext));
            paths.extend(Popcnt::if_supported().map(Path::Popcnt));
        }
        paths.push(Path::Portable);
        paths
    }

    /// The way that [`perft`] goes.
    pub fn fastest() -> Path {
        Path::all()[0]
    }

    pub fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Path::Pext(_) => "PEXT",
            #[cfg(target_arch = "x86_64")]
            Path::Popcnt(_) => "POPCNT",
            Path::Portable => "portable",
        }
    }

    pub fn perft(self, board: &Board, depth: u32) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Path::Pext(machine) => begin(machine, board, depth),
            #[cfg(target_arch = "x86_64")]
            Path::Popcnt(machine) => begin(machine, board, depth),
            Path::Portable => begin(Hyperbola, board, depth),
        }
    }
}

/// A processor with `POPCNT` and BMI1, but without a `PEXT` worth using.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Popcnt(());

#[cfg(target_arch = "x86_64")]
impl Popcnt {
    pub fn if_supported() -> Option<Popcnt> {
        let supported = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        supported.then_some(Popcnt(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Sliders for Popcnt {
    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        Hyperbola.bishop(from, occupied)
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        Hyperbola.rook(from, occupied)
    }
}

/// A way to find slider attacks, with a shell that compiles the recursion for the machine it needs.
trait Machine: Sliders {
    /// [`count`], compiled with this machine's instructions; `depth` is at least 1.
    fn descend<const WHITE: bool>(self, board: &Board, depth: u32) -> u64;
}

impl Machine for Hyperbola {
    fn descend<const WHITE: bool>(self, board: &Board, depth: u32) -> u64 {
        count::<WHITE>(self, board, depth)
    }
}

#[cfg(target_arch = "x86_64")]
impl Machine for Pext {
    #[inline(always)]
    fn descend<const WHITE: bool>(self, board: &Board, depth: u32) -> u64 {
        #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
        fn shell<const WHITE: bool>(machine: Pext, board: &Board, depth: u32) -> u64 {
            count::<WHITE>(machine, board, depth)
        }
        // SAFETY: a `Pext` is only made where the machine has these instructions.
        unsafe { shell::<WHITE>(self, board, depth) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Machine for Popcnt {
    #[inline(always)]
    fn descend<const WHITE: bool>(self, board: &Board, depth: u32) -> u64 {
        #[target_feature(enable = "bmi1,lzcnt,popcnt")]
        fn shell<const WHITE: bool>(machine: Popcnt, board: &Board, depth: u32) -> u64 {
            count::<WHITE>(machine, board, depth)
        }
        // SAFETY: a `Popcnt` is only made where the machine has these instructions.
        unsafe { shell::<WHITE>(self, board, depth) }
    }
}

fn begin(machine: impl Machine, board: &Board, depth: u32) -> u64 {
    match (depth, board.turn()) {
        (0, _) => 1,
        (_, Color::White) => machine.descend::<true>(board, depth),
        (_, Color::Black) => machine.descend::<false>(board, depth),
    }
}

#[inline(always)]
fn count<const WHITE: bool>(machine: impl Machine, board: &Board, depth: u32) -> u64 {
    if depth == 1 {
        return moves::count_moves::<WHITE>(board, machine);
    }
    let mut below = Below::<_, WHITE> {
        machine,
        board,
        depth: depth - 1,
        total: 0,
    };
    moves::visit_moves::<WHITE>(board, machine, &mut below);
    below.total
}

/// Plays each move and counts below it.
struct Below<'a, M, const WHITE: bool> {
    machine: M,
    board: &'a Board,
    depth: u32,
    total: u64,
}

impl<M: Machine, const WHITE: bool> Below<'_, M, WHITE> {
    #[inline(always)]
    fn add(&mut self, after: &Board) {
        self.total += if WHITE {
            self.machine.descend::<false>(after, self.depth)
        } else {
            self.machine.descend::<true>(after, self.depth)
        };
    }
}

impl<M: Machine, const WHITE: bool> Visitor for Below<'_, M, WHITE> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.add(&self.board.after_plain::<WHITE>(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-step);
            self.add(&self.board.after_plain::<WHITE>(Role::Pawn, from, to));
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-2 * step);
            self.add(
                &self
                    .board
                    .after_double_push::<WHITE>(self.machine, from, to),
            );
        }
    }

    #[inline(always)]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            for role in Role::PROMOTIONS {
                let from = to.offset(-step);
                self.add(&self.board.after_promotion::<WHITE>(role, from, to));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.add(&self.board.after_en_passant::<WHITE>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        self.add(&self.board.after_castling::<WHITE>(king, rook));
    }
}
