//! The instructions of PTX: one table, from which edits take what an instruction reads and writes, and the emulator its
//! meaning.
//!
//! Each family of instructions is a file with a constant `FAMILY`, a list of entries. An
//! entry has the forms of its opcodes, the effect, and a function that decodes an instruction of such a form to what
//! the [`machine`](crate::machine) executes.

mod arithmetic;
mod atomic;
mod barrier;
mod bits;
mod call;
mod carry;
mod compare;
pub(crate) mod context;
mod control;
mod convert;
mod double;
pub(crate) mod effect;
mod entry;
mod float;
pub(crate) mod form;
mod half;
mod integer;
mod memory;
mod moves;
mod numbers;
pub(crate) mod operand;
mod others;
mod reading;
pub(crate) mod sites;
pub(crate) mod table;
mod video;
mod warp;

use self::entry::Entry;

/// All families of instructions. A new family is a file, and a line here beside its `mod`.
const FAMILIES: &[&[Entry]] = &[
    integer::FAMILY,
    bits::FAMILY,
    carry::FAMILY,
    float::FAMILY,
    double::FAMILY,
    half::FAMILY,
    compare::FAMILY,
    moves::FAMILY,
    convert::FAMILY,
    memory::FAMILY,
    atomic::FAMILY,
    control::FAMILY,
    call::FAMILY,
    barrier::FAMILY,
    warp::FAMILY,
    video::FAMILY,
    others::FAMILY,
];
