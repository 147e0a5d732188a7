//! The machine code (SASS) of the kernels before and after a patch.

mod change;
mod disassembler;
mod listing;
mod opcodes;

pub(crate) use self::change::{MachineCode, MachineCodeChange};
pub use self::disassembler::Disassembler;
pub(crate) use self::opcodes::InstructionCounts;
