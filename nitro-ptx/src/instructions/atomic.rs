//! Atomic operations ("Parallel Synchronization and Communication Instructions: atom, red").

use std::sync::Arc;

use super::arithmetic::round::mode;
use super::effect::{self, Kind, is_ordered};
use super::entry::Entry;
use super::float::flushed;
use super::half::half_sum;
use super::reading::Reading;
use crate::machine::source::SINK;
use crate::machine::state::Action;
use crate::machine::transfer::{Atomic, Change};
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::action(
        "atom{.SEM}{.SCOPE}{.ATOM}.and/.or/.xor/.exch.b32/.b64  d, [a], b
         atom{.SEM}{.SCOPE}{.ATOM}.cas.b16/.b32/.b64     d, [a], b, c
         atom{.SEM}{.SCOPE}{.ATOM}.add.u32/.s32/.u64/.f32/.f64  d, [a], b
         atom{.SEM}{.SCOPE}{.ATOM}.inc/.dec.u32          d, [a], b
         atom{.SEM}{.SCOPE}{.ATOM}.min/.max.u32/.s32/.u64/.s64  d, [a], b
         atom{.SEM}{.SCOPE}{.ATOM}.add.noftz.f16/.f16x2/.bf16/.bf16x2  d, [a], b",
        |_| (Kind::Atomic, 1),
        |op| atomic(op, op.target(0)?, 1),
    ),
    Entry::action(
        "red{.relaxed/.release}{.SCOPE}{.ATOM}.and/.or/.xor.b32/.b64  [a], b
         red{.relaxed/.release}{.SCOPE}{.ATOM}.add.u32/.s32/.u64/.f32/.f64  [a], b
         red{.relaxed/.release}{.SCOPE}{.ATOM}.inc/.dec.u32  [a], b
         red{.relaxed/.release}{.SCOPE}{.ATOM}.min/.max.u32/.s32/.u64/.s64  [a], b
         red{.relaxed/.release}{.SCOPE}{.ATOM}.add.noftz.f16/.f16x2/.bf16/.bf16x2  [a], b",
        |parts| if is_ordered(parts) { effect::unknown(parts) } else { (Kind::Atomic, 0) },
        |op| atomic(op, SINK, 0),
    ),
];

/// Decodes an atomic operation, whose address is the operand `at`.
fn atomic(op: &Reading, to: u32, at: usize) -> Result<Action, String> {
    const OPERATIONS: [&str; 10] = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];
    let operation = op.parts.iter().find(|part| OPERATIONS.contains(part)).ok_or("it has no operation")?;
    let change =
        change(operation, op.kind).ok_or_else(|| format!("`.{operation}` is not known with this type"))?;
    // `cas` compares with one value, and puts another there ("atom").
    let values = if *operation == "cas" { 2 } else { 1 };
    let from = op.sources(at + 1, values, op.kind)?;
    let address = op.address(at, op.space())?;
    let releases = op.has("release") || op.has("acq_rel");
    // Sums of 32 bits in global memory have no subnormals, unlike those in shared memory ("atom").
    let is_flushed = *operation == "add" && op.kind == Type::F32;
    let in_global = if is_flushed { flushed_sum } else { change };
    let is_integer = matches!(op.kind, Type::Unsigned(_) | Type::Signed(_) | Type::Bits(_));
    let is_reduction = matches!(*operation, "add" | "min" | "max" | "and" | "or" | "xor") && is_integer;
    let reduction = is_reduction.then_some((*operation, op.kind));
    let bytes = op.kind.bytes();
    Ok(Arc::new(Atomic { address, change, in_global, from, to, bytes, releases, reduction }))
}

/// Returns a sum whose operands and result are zero where they are subnormal.
fn flushed_sum(old: u64, value: u64, _: u64) -> u64 {
    let [old, value] = [old, value].map(|bits| flushed(f32::from_bits(bits as u32), mode::FLUSH));
    single(flushed(old + value, mode::FLUSH))
}

/// Returns the bits of a float; what is no number has all but the sign.
fn single(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

/// Returns the function from the value in memory to the value there then.
fn change(operation: &str, kind: Type) -> Option<Change> {
    macro_rules! ordered {
        ($bits:ty, $own:ty, $choose:ident) => {
            |old, value, _| u64::from((old as $own).$choose(value as $own) as $bits)
        };
    }
    Some(match (operation, kind) {
        ("add", Type::Unsigned(4) | Type::Signed(4)) => {
            |old, value, _| u64::from((old as u32).wrapping_add(value as u32))
        }
        ("add", Type::Unsigned(8) | Type::Signed(8)) => |old, value, _| old.wrapping_add(value),
        ("add", Type::F32) => {
            |old, value, _| single(f32::from_bits(old as u32) + f32::from_bits(value as u32))
        }
        ("add", Type::F64) => |old, value, _| (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
        ("add", Type::F16) => |old, value, _| half_sum(old, value, 0),
        ("add", Type::F16x2) => |old, value, _| half_sum(old, value, mode::PAIR),
        ("add", Type::Bf16) => |old, value, _| half_sum(old, value, mode::BF16),
        ("add", Type::Bf16x2) => |old, value, _| half_sum(old, value, mode::BF16 | mode::PAIR),
        ("min", Type::Unsigned(4)) => ordered!(u32, u32, min),
        ("min", Type::Signed(4)) => ordered!(u32, i32, min),
        ("min", Type::Unsigned(8)) => ordered!(u64, u64, min),
        ("min", Type::Signed(8)) => ordered!(u64, i64, min),
        ("max", Type::Unsigned(4)) => ordered!(u32, u32, max),
        ("max", Type::Signed(4)) => ordered!(u32, i32, max),
        ("max", Type::Unsigned(8)) => ordered!(u64, u64, max),
        ("max", Type::Signed(8)) => ordered!(u64, i64, max),
        ("and", Type::Bits(4 | 8)) => |old, value, _| old & value,
        ("or", Type::Bits(4 | 8)) => |old, value, _| old | value,
        ("xor", Type::Bits(4 | 8)) => |old, value, _| old ^ value,
        ("exch", Type::Bits(4 | 8) | Type::Unsigned(4 | 8) | Type::Signed(4 | 8)) => |_, value, _| value,
        ("cas", Type::Bits(bytes) | Type::Unsigned(bytes) | Type::Signed(bytes)) => match bytes {
            2 => |old, expected, value| if old as u16 == expected as u16 { value } else { old },
            4 => |old, expected, value| if old as u32 == expected as u32 { value } else { old },
            8 => |old, expected, value| if old == expected { value } else { old },
            _ => return None,
        },
        // Both count within a range from 0 to the operand, and wrap around there ("atom").
        ("inc", Type::Unsigned(4)) => |old, most, _| if old as u32 >= most as u32 { 0 } else { old + 1 },
        ("dec", Type::Unsigned(4)) => |old, most, _| {
            let (old, most) = (old as u32, most as u32);
            u64::from(if old == 0 || old > most { most } else { old - 1 })
        },
        _ => return None,
    })
}
