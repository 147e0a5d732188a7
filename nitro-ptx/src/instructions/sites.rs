//! The places of an instruction where a register or a number is.

use super::effect::{Effect, Kind};
use super::table;
use crate::text::module::{Class, Instruction, Register, Token};

/// The number of a place: counted through all operands from 0.
pub(crate) type Slot = u8;
/// The place of the guard.
pub(crate) const GUARD: Slot = u8::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Definition,
    Use,
    /// A use as an address.
    Address,
    /// Of an instruction that is not known: one or the other.
    Either,
}

/// One place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) slot: Slot,
    pub(crate) operand: usize,
    pub(crate) token: usize,
    /// None for a number.
    pub(crate) register: Option<usize>,
    pub(crate) role: Role,
    /// Set where the operand is this alone.
    pub(crate) is_alone: bool,
}

impl Instruction {
    pub(crate) fn effect(&self) -> Effect {
        table::effect(&self.opcode)
    }

    /// All places but the guard; what comes after as many as can be counted has none.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let effect = self.effect();
        let mut sites = Vec::new();
        for (at, operand) in self.operands.iter().enumerate() {
            // Registers in brackets are read, even where what is written stands first, as in `st` and `red`.
            let is_address = operand.first() == Some(&Token::Mark('['));
            let role = match effect.kind {
                // Of what is not known every operand may be written.
                Kind::Unknown => Role::Either,
                _ if is_address => Role::Address,
                _ if at < effect.definitions => Role::Definition,
                _ => Role::Use,
            };
            let number = number(operand).filter(|_| role == Role::Use);
            for (index, token) in operand.iter().enumerate() {
                let register = match token {
                    Token::Register(register, _) => Some(*register),
                    _ if number == Some(index) => None,
                    _ => continue,
                };
                let Some(slot) = Slot::try_from(sites.len()).ok().filter(|slot| *slot < GUARD) else {
                    return sites;
                };
                let is_alone = operand.len() == 1 || register.is_none();
                sites.push(Site { slot, operand: at, token: index, register, role, is_alone });
            }
        }
        sites
    }

    /// The registers that it writes, or may write.
    pub(crate) fn definitions(&self) -> Vec<usize> {
        let written =
            |site: Site| site.register.filter(|_| matches!(site.role, Role::Definition | Role::Either));
        self.sites().into_iter().filter_map(written).collect()
    }

    /// The classes of what it writes.
    pub(crate) fn result(&self, registers: &[Register]) -> Vec<Class> {
        self.definitions().into_iter().map(|register| registers[register].class).collect()
    }

    /// Returns true if it names a component of a vector, or has more tokens than can be counted.
    pub(crate) fn is_unusual(&self) -> bool {
        let tokens = || self.operands.iter().flatten();
        let component =
            tokens().any(|token| matches!(token, Token::Register(_, component) if !component.is_empty()));
        component || tokens().count() >= usize::from(GUARD)
    }
}

fn is_number(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.starts_with(|digit: char| digit.is_ascii_digit()),
        Token::Register(..) | Token::Mark(_) => false,
    }
}

/// Returns the place of the number in an operand that is one: `5`, `-5`.
fn number(operand: &[Token]) -> Option<usize> {
    match operand {
        [token] if is_number(token) => Some(0),
        [Token::Mark('-'), token] if is_number(token) => Some(1),
        _ => None,
    }
}
