//! Entries of the table of instructions.

use super::effect::{self, Effects};
use super::reading::Reading;
use crate::machine::compute::Function;
use crate::machine::state::Action;

/// The time of a function that few units compute, and of one that is a sequence of instructions, in instructions.
pub(super) const SPECIAL: u8 = 4;
const SEQUENCE: u8 = 16;

/// One or several instructions: their names and types, what they read and write, and their meaning.
///
/// A name may have several entries, as `add` has for integers and for floats. Its effect is that of the first.
pub(crate) struct Entry {
    /// The forms, one a line, in the notation of the PTX manual's syntax lists ([`Form`](super::form::Form)). What has
    /// no form exactly is refused by the emulator.
    pub(super) forms: &'static str,
    pub(super) effect: Effects,
    pub(super) meaning: Meaning,
    /// The modelled time of a [`Meaning::Value`], in instructions.
    pub(super) cost: u8,
    /// Numbers may stand where it reads registers.
    pub(super) takes_numbers: bool,
}

/// The meaning of an instruction, once its operands are known.
pub(super) enum Meaning {
    /// A function of what it reads, lane by lane; none for a type that it does not have.
    Value(fn(&Reading) -> Option<Function>),
    /// Anything else.
    Action(fn(&Reading) -> Result<Action, String>),
    /// Edits know what it reads and writes, and the emulator refuses it.
    NotEmulated,
}

impl Entry {
    /// Makes an entry of an instruction that writes its first operand, as a function of the others.
    pub(super) const fn value(forms: &'static str, function: fn(&Reading) -> Option<Function>) -> Self {
        Self::new(forms, effect::pure, Meaning::Value(function))
    }

    /// Makes an entry of such an instruction that few units compute.
    pub(super) const fn special(forms: &'static str, function: fn(&Reading) -> Option<Function>) -> Self {
        Self { cost: SPECIAL, ..Self::value(forms, function) }
    }

    /// Makes an entry of such an instruction that is a sequence of others on a device.
    pub(super) const fn sequence(forms: &'static str, function: fn(&Reading) -> Option<Function>) -> Self {
        Self { cost: SEQUENCE, ..Self::value(forms, function) }
    }

    /// Makes an entry of an instruction that writes its first operand, and reads others in its own way.
    pub(super) const fn pure(forms: &'static str, action: fn(&Reading) -> Result<Action, String>) -> Self {
        Self::new(forms, effect::pure, Meaning::Action(action))
    }

    /// Makes an entry of any other instruction.
    pub(super) const fn action(
        forms: &'static str,
        effect: Effects,
        action: fn(&Reading) -> Result<Action, String>,
    ) -> Self {
        Self::new(forms, effect, Meaning::Action(action))
    }

    /// Makes an entry of names that only edits know.
    pub(super) const fn not_emulated(names: &'static str, effect: Effects) -> Self {
        Self::new(names, effect, Meaning::NotEmulated)
    }

    const fn new(forms: &'static str, effect: Effects, meaning: Meaning) -> Self {
        Self { forms, effect, meaning, cost: 1, takes_numbers: false }
    }

    /// Says that numbers may stand where the instruction reads registers.
    pub(super) const fn with_numbers(self) -> Self {
        Self { takes_numbers: true, ..self }
    }

    /// Decodes an instruction of one of the forms.
    pub(crate) fn decode(&self, reading: &Reading) -> Result<Action, String> {
        match self.meaning {
            Meaning::Value(function) => reading.compute(function(reading), self.cost),
            Meaning::Action(action) => action(reading),
            Meaning::NotEmulated => Err("it is not known".to_owned()),
        }
    }

    /// Returns true if the emulator executes it.
    pub(super) fn is_emulated(&self) -> bool {
        !matches!(self.meaning, Meaning::NotEmulated)
    }
}
