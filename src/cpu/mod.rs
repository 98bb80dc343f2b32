//! Instruction sets beyond the baseline of the architecture, detected at run time.
//!
//! One binary runs on every machine of its architecture. A hot loop is written once as a `Kernel`, which `Cpu::call` compiles
//! for each instruction set; [`Level::best`] is the fastest one that this machine supports. A value of an instruction
//! set's type proves that the machine supports it, so kernels need no further check.

mod instruction_set;

pub use instruction_set::Level;
#[cfg(target_arch = "x86_64")]
pub(crate) use instruction_set::{Avx2, Bmi2, Popcnt};
pub(crate) use instruction_set::{Baseline, Cpu, InstructionSet, Kernel};
