//! The effect of an instruction, as far as edits and analyses need it.

use crate::text::types::Space;

/// A kind of instruction: what may be done with it, and what others must know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Computes registers from registers.
    Pure,
    Load,
    Store,
    /// Reads and writes memory at once.
    Atomic,
    /// All threads of a block wait for each other.
    Barrier,
    /// Threads of a warp exchange values.
    Collective,
    /// Changes nothing that a program sees, such as prefetching.
    Hint,
    Branch,
    /// Ends the thread, or the function.
    End,
    /// Understood as far as analyses need it, and never touched.
    Frozen,
    /// Not known: it may read and write all its registers, and is never touched.
    Unknown,
}

/// The effect of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) kind: Kind,
    /// The number of operands, from the first, that are written.
    pub(crate) definitions: usize,
    pub(crate) space: Space,
}

impl Effect {
    pub(crate) fn loads_parameter(self) -> bool {
        (self.kind, self.space) == (Kind::Load, Space::Parameter)
    }
}

/// A function from the modifiers of an opcode to its kind and the number of operands that it writes.
pub(crate) type Effects = fn(&[&str]) -> (Kind, usize);

/// Computes one operand from others.
pub(crate) fn pure(parts: &[&str]) -> (Kind, usize) {
    unless_carry(parts, Kind::Pure, 1)
}

/// Gives one operand that depends on other threads of the warp.
pub(crate) fn collective(parts: &[&str]) -> (Kind, usize) {
    unless_carry(parts, Kind::Collective, 1)
}

/// Meets other threads of the warp, and writes no register.
pub(crate) fn collective_store(_: &[&str]) -> (Kind, usize) {
    (Kind::Collective, 0)
}

pub(crate) fn hint(parts: &[&str]) -> (Kind, usize) {
    unless_carry(parts, Kind::Hint, 0)
}

/// Writes no register, and stays where it is.
pub(crate) fn frozen(parts: &[&str]) -> (Kind, usize) {
    unless_carry(parts, Kind::Frozen, 0)
}

/// Writes one register, and stays where it is.
pub(crate) fn frozen_value(_: &[&str]) -> (Kind, usize) {
    (Kind::Frozen, 1)
}

pub(crate) fn branch(_: &[&str]) -> (Kind, usize) {
    (Kind::Branch, 0)
}

pub(crate) fn end(_: &[&str]) -> (Kind, usize) {
    (Kind::End, 0)
}

/// Is a name that the table has, and whose effect is not known.
pub(crate) fn unknown(parts: &[&str]) -> (Kind, usize) {
    unless_carry(parts, Kind::Unknown, 0)
}

/// Returns this effect, but for `.cc`: carries go from one instruction to the next without a name.
fn unless_carry(parts: &[&str], kind: Kind, definitions: usize) -> (Kind, usize) {
    if parts.contains(&"cc") { (Kind::Frozen, 1) } else { (kind, definitions) }
}

/// Returns true for an access that has an order, or that nobody waits for.
pub(crate) fn is_ordered(parts: &[&str]) -> bool {
    ["acquire", "release", "relaxed", "mmio", "async", "bulk"].iter().any(|part| parts.contains(part))
}
