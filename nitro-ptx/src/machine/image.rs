//! The parts of a program that its instructions need while they run: functions, variables, and names for messages.

use std::sync::Arc;

use super::source::{FUNCTION_BYTES, FUNCTIONS, Place};
use crate::text::module::InstructionId;
use crate::text::types::Type;

/// A program without its instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    /// Number and opcode of each instruction, by its place in the program.
    pub(crate) ids: Vec<InstructionId>,
    pub(crate) opcodes: Vec<Arc<str>>,
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<ModuleVariable>,
}

/// The beginning of a function, and what it takes of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) is_kernel: bool,
    pub(crate) entry: u32,
    pub(crate) registers: u32,
    /// The first place of each register of the text among them.
    pub(crate) places: Vec<u32>,
    pub(crate) frame_bytes: u32,
    /// Of a kernel, offset and size in bytes of each parameter.
    pub(crate) parameters: Vec<(u32, u32)>,
    /// Of others, the places where callers put arguments and find results.
    pub(crate) arguments: Vec<Place>,
    pub(crate) results: Vec<Place>,
    /// The type of each argument.
    pub(crate) kinds: Vec<Type>,
    /// The ranges of shared memory that its variables take.
    pub(crate) shared: Vec<(u32, u32)>,
    /// The block that a launch must have (`.reqntid`), and the most threads of one (`.maxntid`).
    pub(crate) required_block: Option<[u32; 3]>,
    pub(crate) most_threads: Option<u32>,
}

/// A variable of the module that all threads share, at an address of its own.
#[derive(Clone, Debug)]
pub(crate) struct ModuleVariable {
    pub(crate) name: String,
    pub(crate) length_bytes: usize,
    /// Its first bytes at the beginning; the rest is zero.
    pub(crate) initial: Vec<u8>,
    pub(crate) is_constant: bool,
}

impl Image {
    /// Returns the kernel of this name.
    pub(crate) fn kernel(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.is_kernel && function.name == name)
    }

    /// Returns the function that an instruction is in.
    pub(crate) fn function_at(&self, pc: u32) -> &Function {
        let after = self.functions.partition_point(|function| function.entry <= pc);
        &self.functions[after.saturating_sub(1)]
    }

    /// Returns the function at an address, as pointers to functions hold it.
    pub(crate) fn function_of(&self, address: u64) -> Option<&Function> {
        let offset = address.wrapping_sub(FUNCTIONS);
        self.functions
            .get((offset / FUNCTION_BYTES) as usize)
            .filter(|_| offset.is_multiple_of(FUNCTION_BYTES))
    }
}
