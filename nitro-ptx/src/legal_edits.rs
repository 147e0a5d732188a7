//! The edits that an instruction takes.

use super::module::{Class, Instruction, Token};
use super::opcode::{self, Kind};
use super::sites::{Role, Site};

/// The edits that an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LegalEdits {
    pub(super) delete: bool,
    pub(super) copy: bool,
    pub(super) move_: bool,
    pub(super) operand: bool,
    /// A jump, or an end, that only some threads take may be left out.
    pub(super) leave: bool,
    /// It may be done whatever its guard says.
    pub(super) unguard: bool,
}

impl LegalEdits {
    const NONE: Self =
        Self { delete: false, copy: false, move_: false, operand: false, leave: false, unguard: false };
    const ALL: Self = Self { delete: true, copy: true, move_: true, operand: true, ..Self::NONE };

    pub(super) fn of(instruction: &Instruction, scope: usize, is_kernel: bool) -> Self {
        let effect = instruction.effect();
        let is_parameter = effect.loads_parameter();
        let is_pointer = instruction.opcode.ends_with("64");
        let is_guarded = instruction.guard.is_some() && !instruction.is_unusual();
        let legal = match effect.kind {
            Kind::Branch | Kind::End => Self { leave: is_guarded, unguard: is_guarded, ..Self::NONE },
            Kind::Frozen | Kind::Unknown => Self::NONE,
            _ if instruction.is_unusual() || scope != 0 && names_symbol(instruction) => Self::NONE,
            _ if is_parameter && (is_pointer || !is_kernel) => Self::NONE,
            _ if instruction.opcode.starts_with("cvta") => Self { delete: true, ..Self::NONE },
            Kind::Barrier => Self { delete: true, move_: true, ..Self::NONE },
            _ => Self::ALL,
        };
        Self { unguard: legal.unguard || is_guarded && legal.operand, ..legal }
    }
}

/// Whether it names something that may be declared in its scope alone, such as the argument of a call.
pub(super) fn names_symbol(instruction: &Instruction) -> bool {
    let is_name = |token: &Token| matches!(token, Token::Word(word) if word.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$')));
    instruction.operands.iter().flatten().any(is_name)
}

/// Whether a number may be where a register of this class is.
pub(super) fn is_number_at(instruction: &Instruction, site: &Site, class: Class) -> bool {
    let has_value = !matches!(class, Class::Predicate | Class::Other);
    has_value && site.is_alone && site.role == Role::Use && opcode::one(&instruction.opcode).is_some()
}
