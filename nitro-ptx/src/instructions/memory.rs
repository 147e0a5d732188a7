//! Loads, stores and asynchronous copies ("Data Movement and Conversion Instructions: ld, st, cp.async").

use std::sync::Arc;

use super::effect::{self, Kind, is_ordered};
use super::entry::Entry;
use super::operand::words;
use super::reading::Reading;
use crate::machine::control::Nothing;
use crate::machine::race::Touch;
use crate::machine::source::{Address, Area, Source};
use crate::machine::state::Action;
use crate::machine::transfer::{Copy, Load, Part, Store};
use crate::text::constant::integer;
use crate::text::module::{Class, Token};
use crate::text::types::{Space, Type};

pub(super) const FAMILY: &[Entry] = &[
    Entry::action(
        "ld{.weak}{.SPACE}{.CACHE}{.v2/.v4}.TYPE         D, [a]
         ld{.weak}{.global}{.CACHE/.KEEP}{.AHEAD}{.v2/.v4}.TYPE  D, [a]
         ld.volatile{.SHARED}{.v2/.v4}.TYPE              D, [a]
         ld.volatile{.global}{.AHEAD}{.v2/.v4}.TYPE      D, [a]
         ld.relaxed/.acquire.SCOPE{.SHARED}{.v2/.v4}.TYPE  D, [a]
         ld.relaxed/.acquire.SCOPE{.global}{.KEEP}{.AHEAD}{.v2/.v4}.TYPE  D, [a]
         ld.mmio.relaxed.sys{.global}.TYPE               D, [a]
         ld.global{.ca/.cg/.cs}.nc{.AHEAD}{.v2/.v4}.TYPE  D, [a]
         ld.global.nc.KEEP{.AHEAD}{.v2/.v4}.TYPE         D, [a]
         ld.global{.nc}{.KEEP}{.AHEAD}.v8.b32/.u32/.s32/.f32  D, [a]
         ldu{.global}{.v2/.v4}.TYPE                      D, [a]",
        |parts| if is_ordered(parts) { (Kind::Frozen, 1) } else { (Kind::Load, 1) },
        load,
    ),
    Entry::action(
        "st{.weak}{.TO}{.BACK}{.v2/.v4}.TYPE             [a], A
         st{.weak}{.global}{.BACK/.KEEP}{.v2/.v4}.TYPE   [a], A
         st.volatile{.global/.SHARED}{.v2/.v4}.TYPE      [a], A
         st.relaxed/.release.SCOPE{.SHARED}{.v2/.v4}.TYPE  [a], A
         st.relaxed/.release.SCOPE{.global}{.KEEP}{.v2/.v4}.TYPE  [a], A
         st.mmio.relaxed.sys{.global}.TYPE               [a], A
         st.global{.KEEP}.v8.b32/.u32/.s32/.f32          [a], A",
        store_effect,
        store,
    ),
    Entry::not_emulated("suld", |_| (Kind::Load, 1)),
    Entry::not_emulated("sust", store_effect),
    Entry::action(
        "cp.async.ca/.cg.shared/.shared::cta.global{.AHEAD}  [a], [a], n{, b}
         cp.async.ca/.cg.shared/.shared::cta.global{.AHEAD}  [a], [a], n, !P",
        copy_effect,
        copy,
    ),
    // Copies have ended where they began.
    Entry::action(
        "cp.async.commit_group/.wait_all
         cp.async.wait_group  n",
        copy_effect,
        |_| Ok(Arc::new(Nothing)),
    ),
];

fn store_effect(parts: &[&str]) -> (Kind, usize) {
    if is_ordered(parts) || parts.contains(&"param") { (Kind::Frozen, 0) } else { (Kind::Store, 0) }
}

fn copy_effect(parts: &[&str]) -> (Kind, usize) {
    if parts.first() == Some(&"async") { effect::frozen(parts) } else { (Kind::Unknown, 0) }
}

fn is_strong(op: &Reading) -> bool {
    ["volatile", "relaxed", "acquire", "release", "mmio"].into_iter().any(|part| op.has(part))
}

fn load(op: &Reading) -> Result<Action, String> {
    let address = op.address(1, op.space())?;
    let to = op.registers(0, op.lanes())?;
    // The read-only path does not see what the launch writes ("ld.global.nc").
    let how = match (is_strong(op), op.has("nc")) {
        (true, _) => Touch::StrongRead,
        (_, true) => Touch::Constant,
        _ => Touch::Read,
    };
    Ok(Arc::new(Load { address, to, bytes: op.kind.bytes(), is_signed: op.kind.is_signed(), how }))
}

fn store(op: &Reading) -> Result<Action, String> {
    let address = op.address(0, op.space())?;
    let from = op.list(1, op.kind, op.lanes())?.into();
    // `.release` orders as a fence before it does ("Memory Consistency Model: Release and Acquire Patterns").
    let (bytes, is_strong, releases) = (op.kind.bytes(), is_strong(op), op.has("release"));
    Ok(Arc::new(Store { address, from, bytes, is_strong, releases }))
}

/// Decodes a copy, which is made at once: nothing may read or write its bytes before they are waited for.
fn copy(op: &Reading) -> Result<Action, String> {
    let to = op.address(0, Space::Shared)?;
    let from = Address { area: Area::Global, ..op.address(1, Space::Global)? };
    let Source::Constant(bytes @ (4 | 8 | 16)) = op.source(2, Type::Unsigned(4))? else {
        return Err("it copies 4, 8 or 16 bytes".to_owned());
    };
    // `.cg` caches in the second level alone, for whole 16 bytes ("cp.async").
    if op.has("cg") && bytes != 16 {
        return Err("it copies 16 bytes in this form".to_owned());
    }
    Ok(Arc::new(Copy { to, from, bytes: bytes as u8, read: read_part(op)? }))
}

/// Returns the part that the fourth operand says: a size, or a predicate under which nothing is read.
fn read_part(op: &Reading) -> Result<Part, String> {
    let is_size = match op.instruction.operands.get(3).map(Vec::as_slice) {
        None => return Ok(Part::Whole),
        Some([Token::Register(register, _)]) => {
            op.context.function.registers[*register].class != Class::Predicate
        }
        // A number is a size, as the assembler reads it.
        Some(tokens) => integer(&words(tokens)).is_some(),
    };
    if is_size {
        return Ok(Part::Bytes(op.source(3, Type::Unsigned(4))?));
    }
    let (predicate, is_negated) = op.predicate(3)?;
    Ok(Part::NotIf(predicate, is_negated))
}
