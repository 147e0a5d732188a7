//! What instructions touch: registers, and places in memory.

use crate::instrument::bounds::{access, address};
use crate::text::module::Instruction;
use crate::text::types::Space;

/// Returns all registers that an instruction reads or writes.
pub(super) fn touched(instruction: &Instruction) -> Vec<usize> {
    let guard = instruction.guard.map(|guard| guard.register);
    instruction.sites().into_iter().filter_map(|site| site.register).chain(guard).collect()
}

/// Returns the register of an access's address, and the bytes beyond it that it touches.
pub(super) fn accessed(instruction: &Instruction) -> Option<(usize, std::ops::Range<i64>)> {
    let (register, offset) = instruction.operands.iter().find_map(|operand| address(operand))?;
    let (offset, (_, length)) = (offset.parse::<i64>().ok()?, access(&instruction.opcode)?);
    Some((register, offset..offset + i64::from(length)))
}

/// Returns `true` if two accesses may be to one kind of memory.
pub(super) fn may_share_space(one: &Instruction, other: &Instruction) -> bool {
    let spaces = [one.effect().space, other.effect().space];
    spaces[0] == spaces[1] || spaces.contains(&Space::Generic)
}

/// Returns true if two accesses touch the same bytes for all that their operands say.
pub(super) fn overlap(one: &Instruction, other: &Instruction) -> bool {
    if !may_share_space(one, other) {
        return false;
    }
    match (accessed(one), accessed(other)) {
        (Some((register, own)), Some((of_other, others))) if register == of_other => {
            own.start < others.end && others.start < own.end
        }
        (Some(_), Some(_)) => false,
        // A variable by its name, or something unusual.
        _ => true,
    }
}
