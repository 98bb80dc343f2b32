//! The fast counter for chess: the last ply is counted, not played.
//!
//! The recursion is written once, over the colour and over the `Machine` that it runs on. A machine is
//! a way to find slider attacks plus a shell that compiles the recursion with the instructions of that
//! machine; which one is used is decided once, when the program first counts.

mod replies;

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use crate::chess::attacks::Pext;
use crate::chess::attacks::{Hyperbola, Sliders};
use crate::chess::moves::{self, Visitor};
use crate::chess::{Bitboard, Board, Color, Role, Square};

/// The number of legal move sequences of `depth` plies.
pub fn perft(board: &Board, depth: u32) -> u64 {
    path().perft(board, depth)
}

/// Calls `visit` with the position after every legal move.
pub fn for_each_child(board: &Board, visit: impl FnMut(&Board)) {
    match board.turn() {
        Color::White => path().run(Children::<_, true> { board, visit }),
        Color::Black => path().run(Children::<_, false> { board, visit }),
    }
}

fn path() -> Path {
    static PATH: OnceLock<Path> = OnceLock::new();
    *PATH.get_or_init(Path::fastest)
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
        match (depth, board.turn()) {
            (0, _) => 1,
            (_, Color::White) => self.run(Tree::<true> { board, depth }),
            (_, Color::Black) => self.run(Tree::<false> { board, depth }),
        }
    }

    #[inline(always)]
    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Path::Pext(machine) => machine.call(task),
            #[cfg(target_arch = "x86_64")]
            Path::Popcnt(machine) => machine.call(task),
            Path::Portable => Hyperbola.call(task),
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

/// A way to find slider attacks, with a shell that compiles code for the machine it needs.
pub(super) trait Machine: Sliders {
    /// Runs a task in a function of its own, compiled with this machine's instructions.
    ///
    /// What a function of the compiler's choosing would be compiled for every machine, so whatever the
    /// recursion does is either inlined or called through here.
    fn call<T: Task>(self, task: T) -> T::Output;
}

/// Something to do on whatever machine there is.
pub(super) trait Task {
    type Output;
    fn run(self, machine: impl Machine) -> Self::Output;
}

impl Machine for Hyperbola {
    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[inline(never)]
        fn shell<T: Task>(machine: Hyperbola, task: T) -> T::Output {
            task.run(machine)
        }
        shell(self, task)
    }
}

#[cfg(target_arch = "x86_64")]
impl Machine for Pext {
    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[inline(never)]
        #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
        fn shell<T: Task>(machine: Pext, task: T) -> T::Output {
            task.run(machine)
        }
        // SAFETY: a `Pext` is only made where the machine has these instructions.
        unsafe { shell(self, task) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Machine for Popcnt {
    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        #[inline(never)]
        #[target_feature(enable = "bmi1,lzcnt,popcnt")]
        fn shell<T: Task>(machine: Popcnt, task: T) -> T::Output {
            task.run(machine)
        }
        // SAFETY: a `Popcnt` is only made where the machine has these instructions.
        unsafe { shell(self, task) }
    }
}

/// The tree below a position, at least one ply deep.
struct Tree<'a, const WHITE: bool> {
    board: &'a Board,
    depth: u32,
}

impl<const WHITE: bool> Task for Tree<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> u64 {
        match self.depth {
            1 => machine.call(Leaves::<WHITE>(self.board)),
            2 => replies::count_replies::<WHITE>(machine, self.board),
            _ => count_below::<WHITE>(machine, self.board, self.depth),
        }
    }
}

/// The moves in a position.
pub(super) struct Leaves<'a, const WHITE: bool>(pub &'a Board);

impl<const WHITE: bool> Task for Leaves<'_, WHITE> {
    type Output = u64;

    #[inline(always)]
    fn run(self, machine: impl Machine) -> u64 {
        moves::count_moves::<WHITE>(self.0, machine)
    }
}

/// Plays every move and adds up what is counted below.
#[inline(always)]
fn count_below<const WHITE: bool>(machine: impl Machine, board: &Board, depth: u32) -> u64 {
    let depth = depth - 1;
    let mut total = 0;
    let add = |board: &Board| {
        total += if WHITE {
            machine.call(Tree::<false> { board, depth })
        } else {
            machine.call(Tree::<true> { board, depth })
        };
    };
    let mut playing = Playing::<_, _, WHITE> {
        machine,
        board,
        visit: add,
    };
    moves::visit_moves::<WHITE>(board, machine, &mut playing);
    total
}

/// The positions after every move.
struct Children<'a, F, const WHITE: bool> {
    board: &'a Board,
    visit: F,
}

impl<F: FnMut(&Board), const WHITE: bool> Task for Children<'_, F, WHITE> {
    type Output = ();

    #[inline(always)]
    fn run(self, machine: impl Machine) {
        let Children { board, visit } = self;
        let mut playing = Playing::<_, _, WHITE> {
            machine,
            board,
            visit,
        };
        moves::visit_moves::<WHITE>(board, machine, &mut playing);
    }
}

/// Plays each move and hands on the position after it.
struct Playing<'a, M, F, const WHITE: bool> {
    machine: M,
    board: &'a Board,
    visit: F,
}

impl<M: Machine, F: FnMut(&Board), const WHITE: bool> Visitor for Playing<'_, M, F, WHITE> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            (self.visit)(&self.board.after_plain::<WHITE>(role, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-step);
            (self.visit)(&self.board.after_plain::<WHITE>(Role::Pawn, from, to));
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            let from = to.offset(-2 * step);
            (self.visit)(
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
                (self.visit)(&self.board.after_promotion::<WHITE>(role, from, to));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, to: Square) {
        (self.visit)(&self.board.after_en_passant::<WHITE>(from, to));
    }

    #[inline(always)]
    fn castling(&mut self, king: Square, rook: Square) {
        (self.visit)(&self.board.after_castling::<WHITE>(king, rook));
    }
}
