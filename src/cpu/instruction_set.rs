//! Compiles a kernel for several instruction sets and chooses one of them at run time.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "calls functions with target features that were detected before"
    )
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__cpuid;
use std::fmt;
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

/// An instruction set that code can be compiled for.
pub trait Cpu: Copy + fmt::Debug {
    /// Runs a kernel in a separate function that is compiled with these instructions.
    ///
    /// A function that the kernel calls must be inlined into it or called through here again; otherwise it is
    /// compiled for the baseline.
    fn call<K: Kernel>(self, kernel: K) -> K::Output;
}

/// Code that is compiled once per instruction set.
pub trait Kernel {
    /// What the kernel computes.
    type Output;

    /// Does the work, with the instruction set that it is compiled for.
    fn run(self, cpu: impl Cpu) -> Self::Output;
}

/// An instruction set that perft is compiled for and that this machine supports.
#[derive(Clone, Copy, Debug)]
pub struct Level(InstructionSet);

/// The instruction sets that perft is compiled for, fastest first.
#[derive(Clone, Copy, Debug)]
pub enum InstructionSet {
    /// `PEXT` and `POPCNT`.
    #[cfg(target_arch = "x86_64")]
    Bmi2(Bmi2),
    /// `POPCNT` without a fast `PEXT`.
    #[cfg(target_arch = "x86_64")]
    Popcnt(Popcnt),
    /// What the architecture guarantees.
    Baseline,
}

impl Level {
    /// The levels that this machine supports, fastest first.
    pub fn all() -> Vec<Level> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(Bmi2::detect().map(InstructionSet::Bmi2));
            levels.extend(Popcnt::detect().map(InstructionSet::Popcnt));
        }
        levels.push(InstructionSet::Baseline);
        levels.into_iter().map(Level).collect()
    }

    /// The fastest level that this machine supports.
    #[inline]
    pub fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            static BEST: OnceLock<Level> = OnceLock::new();
            *BEST.get_or_init(|| Level::all()[0])
        }
        #[cfg(not(target_arch = "x86_64"))]
        Level(InstructionSet::Baseline)
    }

    /// The usual name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Bmi2(_) => "PEXT",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Popcnt(_) => "POPCNT",
            InstructionSet::Baseline => "portable",
        }
    }

    /// The instruction set with the token that proves its support.
    #[inline(always)]
    pub fn instruction_set(self) -> InstructionSet {
        self.0
    }

    /// Runs a kernel at this level.
    #[inline(always)]
    pub fn call<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Bmi2(cpu) => cpu.call(kernel),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Popcnt(cpu) => cpu.call(kernel),
            InstructionSet::Baseline => Baseline.call(kernel),
        }
    }
}

/// What the architecture guarantees.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Cpu for Baseline {
    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        #[inline(never)]
        fn compiled<K: Kernel>(cpu: Baseline, kernel: K) -> K::Output {
            kernel.run(cpu)
        }
        compiled(self, kernel)
    }
}

/// Defines an instruction set: its name, the CPU features that it is compiled with, and a further condition for its
/// use.
macro_rules! instruction_set {
    ($(#[$doc:meta])* $name:ident, $enable:literal, [$($feature:tt),+], $condition:expr) => {
        $(#[$doc])*
        #[cfg(target_arch = "x86_64")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        #[cfg(target_arch = "x86_64")]
        impl $name {
            /// The token for this instruction set, if the machine supports it and the instructions are fast.
            pub fn detect() -> Option<$name> {
                let is_supported = $(is_x86_feature_detected!($feature))&&+;
                (is_supported && $condition).then_some($name(()))
            }
        }

        #[cfg(target_arch = "x86_64")]
        impl Cpu for $name {
            #[inline(always)]
            fn call<K: Kernel>(self, kernel: K) -> K::Output {
                #[inline(never)]
                #[target_feature(enable = $enable)]
                fn compiled<K: Kernel>(cpu: $name, kernel: K) -> K::Output {
                    kernel.run(cpu)
                }
                // SAFETY: a value of this type exists only if `detect` has found these instructions.
                unsafe { compiled(self, kernel) }
            }
        }
    };
}

instruction_set!(
    /// `PEXT`, `POPCNT`, `LZCNT` and BMI1.
    Bmi2,
    "bmi1,bmi2,lzcnt,popcnt",
    ["bmi1", "bmi2", "lzcnt", "popcnt"],
    !is_pext_microcoded()
);

instruction_set!(
    /// `POPCNT`, `LZCNT` and BMI1.
    Popcnt,
    "bmi1,lzcnt,popcnt",
    ["bmi1", "lzcnt", "popcnt"],
    true
);

instruction_set!(
    /// Integer vectors of 256 bits.
    Avx2,
    "avx2",
    ["avx2"],
    true
);

/// AMD's processors before Zen 3 (family 19h) execute `PEXT` in microcode, an order of magnitude slower than
/// arithmetic without it.
#[cfg(target_arch = "x86_64")]
fn is_pext_microcoded() -> bool {
    let vendor = __cpuid(0);
    let is_amd = vendor.ebx == u32::from_le_bytes(*b"Auth");
    let signature = __cpuid(1).eax;
    let family = ((signature >> 8) & 0xF) + ((signature >> 20) & 0xFF);
    is_amd && family < 0x19
}
