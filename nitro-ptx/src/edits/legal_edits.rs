//! The edits that an instruction takes.

use crate::instructions::effect::Kind;
use crate::instructions::sites::{Role, Site};
use crate::instructions::table;
use crate::text::module::{Class, Instruction, Token};

/// The edits that an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LegalEdits {
    pub(crate) delete: bool,
    pub(crate) copy: bool,
    pub(crate) move_: bool,
    pub(crate) operand: bool,
    /// A jump, or an end, that only some threads take may be left out.
    pub(crate) leave: bool,
    /// It may be done whatever its guard says.
    pub(crate) unguard: bool,
}

impl LegalEdits {
    const NONE: Self =
        Self { delete: false, copy: false, move_: false, operand: false, leave: false, unguard: false };
    const ALL: Self = Self { delete: true, copy: true, move_: true, operand: true, ..Self::NONE };

    pub(crate) fn of(instruction: &Instruction, scope: usize, is_kernel: bool) -> Self {
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

/// Returns true if it names something that may be declared in its scope alone, such as the argument of a call.
pub(crate) fn names_symbol(instruction: &Instruction) -> bool {
    instruction.operands.iter().flatten().any(|token| match token {
        Token::Word(word) => {
            word.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'))
        }
        Token::Register(..) | Token::Mark(_) => false,
    })
}

/// Returns true if a number may stand where a register of this class is.
pub(crate) fn is_number_at(instruction: &Instruction, site: &Site, class: Class) -> bool {
    let has_value = !matches!(class, Class::Predicate | Class::Other);
    has_value && site.is_alone && site.role == Role::Use && table::one(&instruction.opcode).is_some()
}
