//! From text to what is executed: everything that can be decided before anything runs.

mod collective;
mod compute;
mod control;
mod function;
mod layout;
mod memory;
mod operands;
mod video;

use std::sync::Arc;

pub(super) use self::control::fit;
pub(crate) use self::layout::of_head;
pub(super) use self::operands::words;
use super::error::Unsupported;
use super::op::{Op, Place};
use super::types::Type;
use crate::module::{InstructionId, Module};

/// A module that can be run.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Op>,
    pub(super) ids: Vec<InstructionId>,
    pub(super) opcodes: Vec<Arc<str>>,
    pub(super) functions: Vec<Function>,
    pub(super) variables: Vec<ModuleVariable>,
}

/// What a function takes of a thread, and where it begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) is_kernel: bool,
    pub(super) entry: u32,
    pub(super) registers: u32,
    /// Where each register of the text begins among them.
    pub(super) places: Vec<u32>,
    pub(super) frame_bytes: u32,
    /// Of a kernel, offset and size in bytes of each parameter.
    pub(super) parameters: Vec<(u32, u32)>,
    /// Of others, where callers put what they hand over and find what they get.
    pub(super) arguments: Vec<Place>,
    /// The type of each of these.
    pub(super) kinds: Vec<Type>,
    pub(super) results: Vec<Place>,
    /// The ranges of shared memory that its variables take.
    pub(super) shared: Vec<(u32, u32)>,
    /// Where a launch's own shared memory is aligned to.
    pub(super) required_block: Option<[u32; 3]>,
    pub(super) most_threads: Option<u32>,
}

/// A variable of the module that all threads share, at an address of its own.
#[derive(Clone, Debug)]
pub(super) struct ModuleVariable {
    pub(super) name: String,
    pub(super) length_bytes: usize,
    /// What it begins with; the rest is zero.
    pub(super) initial: Vec<u8>,
    pub(super) is_constant: bool,
}

/// What a name of the module means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// A variable, or a function to be called by its address.
    Address(u64),
    Shared(u32),
}

/// Where variables of a module begin, and how far they are apart; buffers are below.
pub(super) const VARIABLES: u64 = 1 << 60;
pub(super) const APART: u32 = 36;
/// Addresses of functions.
pub(super) const FUNCTIONS: u64 = 1 << 59;
/// Windows of generic addresses.
pub(super) const SHARED: u64 = 1 << 61;
pub(super) const LOCAL: u64 = 1 << 61 | 1 << 60;
pub(super) const PARAMETERS: u64 = 1 << 62;
/// Where the shared memory begins whose size the launch says; what is declared is below.
pub(super) const DYNAMIC: u32 = 1 << 20;

/// What is not known, and who has to do with it.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) unsupported: Unsupported,
    /// Whoever needs none of these names needs nothing of it; none: everybody does.
    pub(super) names: Vec<String>,
}

impl Program {
    /// Decodes a module; what is not known is listed, and traps if it is run all the same.
    pub(super) fn new(module: &Module) -> (Self, Vec<Refused>) {
        let mut program = Self::default();
        let mut refused = Vec::new();
        let names = layout::module(module, &mut program, &mut refused);
        for (index, function) in module.bodies().enumerate() {
            function::decode(module, function, index, &names, &mut program, &mut refused);
        }
        (program, refused)
    }

    /// The kernel of this name.
    pub(super) fn kernel(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.is_kernel && function.name == name)
    }
}
