//! Which instructions the counter is compiled with.
//!
//! A [`Machine`] is a way to find slider attacks plus a shell that compiles code with the instructions of
//! the processors it is for. A [`Path`] is a machine that was chosen at run time.

#[cfg(target_arch = "x86_64")]
use crate::chess::attacks::Pext;
use crate::chess::attacks::{Hyperbola, Sliders};
#[cfg(target_arch = "x86_64")]
use crate::chess::{Bitboard, Square};

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

    /// The way that [`perft`](super::perft) goes.
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

    #[inline(always)]
    pub(in crate::perft) fn run<T: Task>(self, task: T) -> T::Output {
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
pub(in crate::perft) trait Machine: Sliders {
    /// Runs a task in a function of its own, compiled with this machine's instructions.
    ///
    /// A function that is neither inlined into such a one nor called through here is compiled for any
    /// machine, without them.
    fn call<T: Task>(self, task: T) -> T::Output;
}

/// Something to do on whatever machine there is.
pub(in crate::perft) trait Task {
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
