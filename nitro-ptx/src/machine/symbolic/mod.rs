//! Symbolic data: launches that carry beside each value a term of what it is computed from.
//!
//! The machine runs as ever, with data that somebody drew. What depends on data has a term beside it: a leaf for an
//! element of a buffer, or an opcode with its operands. Control and addresses must not depend on data, unless such
//! decisions are noted; then what a launch leaves is the same function of its data, of all with the same decisions, and
//! two programs that leave the same terms leave the same bits.

mod calls;
mod memory;
mod opcode;
mod symbols;
mod terms;
mod trace;

pub(crate) use self::calls::{Frame, Handed};
pub(crate) use self::opcode::{Fusion, NARROWED, Opcode, RoundedOnce, WIDENED};
pub use self::symbols::{Decisions, SymbolicBytes, Symbols};
pub(crate) use self::terms::{Operand, Term};
pub(crate) use self::trace::{Trace, operand};
