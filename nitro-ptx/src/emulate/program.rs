//! Decoding: from text to what is executed. Everything is decided here that can be before anything runs.

use super::refusal::Refusal;
use super::{function, layout};
use crate::machine::image::Image;
use crate::machine::state::Op;
use crate::text::module::Module;

/// A module that can be run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) code: Vec<Op>,
    pub(crate) image: Image,
}

impl Program {
    /// Decodes a module. What is not known is listed, and traps if it is run all the same.
    pub(super) fn new(module: &Module) -> (Self, Vec<Refusal>) {
        let mut program = Self::default();
        let mut refused = Vec::new();
        let symbols = layout::module(module, &mut program.image, &mut refused);
        for (index, function) in module.bodies().enumerate() {
            let decoded = function::decode(module, function, index, &symbols, &program.image, &mut refused);
            program.image.functions[index] = decoded.function;
            for (op, id, opcode) in decoded.code {
                program.code.push(op);
                program.image.ids.push(id);
                program.image.opcodes.push(opcode);
            }
        }
        (program, refused)
    }
}
