//! Instructions that read and write memory.

use super::operands::{Reading, words};
use crate::emulate::arithmetic::float::flushed;
use crate::emulate::arithmetic::half::half_sum;
use crate::emulate::arithmetic::round::mode;
use crate::emulate::constant::integer;
use crate::emulate::op::{Address, Area, Atomic, Change, Copy, Load, Part, SINK, Source, Store, What};
use crate::emulate::race::Touch;
use crate::emulate::types::Type;
use crate::module::{Class, Token};
use crate::opcode::{Space, effect};

impl Reading<'_, '_> {
    fn space(&self) -> Space {
        effect(&self.instruction.opcode).space
    }

    fn is_strong(&self) -> bool {
        ["volatile", "relaxed", "acquire", "release", "mmio"].into_iter().any(|part| self.has(part))
    }

    fn lanes(&self) -> usize {
        [("v2", 2), ("v4", 4), ("v8", 8)]
            .into_iter()
            .find(|(part, _)| self.has(part))
            .map_or(1, |(_, lanes)| lanes)
    }

    /// The type, of at most 64 bits.
    fn value_kind(&self) -> Result<Type, String> {
        let kind = self.kind()?;
        if kind.bytes() > 8 { Err("values of more than 64 bits".to_owned()) } else { Ok(kind) }
    }

    pub(super) fn load(&self) -> Result<What, String> {
        let kind = self.value_kind()?;
        let address = self.address(1, self.space())?;
        let to = self.registers(0, self.lanes())?;
        let (bytes, is_signed) = (kind.bytes(), kind.is_signed());
        let how = match (self.is_strong(), self.has("nc")) {
            (true, _) => Touch::StrongRead,
            (_, true) => Touch::Constant,
            _ => Touch::Read,
        };
        Ok(What::Load(Box::new(Load { address, to, bytes, is_signed, how })))
    }

    pub(super) fn store(&self) -> Result<What, String> {
        let kind = self.value_kind()?;
        let address = self.address(0, self.space())?;
        let from = self.list(1, kind, self.lanes())?.into();
        let (is_strong, releases) = (self.is_strong(), self.has("release"));
        Ok(What::Store(Box::new(Store { address, from, bytes: kind.bytes(), is_strong, releases })))
    }

    pub(super) fn atomic(&self) -> Result<What, String> {
        const OPERATIONS: [&str; 10] = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];
        let kind = self.value_kind()?;
        let is_reduction = self.name == "red";
        let first = usize::from(!is_reduction);
        let operation =
            self.parts.iter().find(|part| OPERATIONS.contains(part)).ok_or("it has no operation")?;
        let change =
            change(operation, kind).ok_or_else(|| format!("`.{operation}` is not known with this type"))?;
        let to = if is_reduction { SINK } else { self.target(0)? };
        let values = if *operation == "cas" { 2 } else { 1 };
        let from = self.sources(first + 1, values, kind)?;
        let address = self.address(first, self.space())?;
        let releases = self.has("release") || self.has("acq_rel");
        // Sums of 32 bits in global memory have no subnormals, unlike those in shared memory.
        let is_flushed = *operation == "add" && kind == Type::F32;
        let in_global = if is_flushed { flushed_sum } else { change };
        let bytes = kind.bytes();
        Ok(What::Atomic(Box::new(Atomic { address, change, in_global, from, to, bytes, releases })))
    }

    /// What is copied without waiting is copied at once here.
    pub(super) fn copy(&self) -> Result<What, String> {
        if self.has("commit_group") || self.has("wait_group") || self.has("wait_all") {
            return Ok(What::Nothing);
        }
        let to = self.address(0, Space::Shared)?;
        let from = Address { area: Area::Global, ..self.address(1, Space::Global)? };
        let Source::Constant(bytes @ (4 | 8 | 16)) = self.source(2, Type::Unsigned(4))? else {
            return Err("it copies 4, 8 or 16 bytes".to_owned());
        };
        if self.has("cg") && bytes != 16 {
            return Err("it copies 16 bytes in this form".to_owned());
        }
        let read = match self.instruction.operands.get(3).map(Vec::as_slice) {
            None => Part::Whole,
            Some([Token::Register(register, _)]) if !self.is_predicate_register(*register) => {
                Part::Bytes(self.source(3, Type::Unsigned(4))?)
            }
            // A number is a size, as the assembler reads it.
            Some(tokens) if integer(&words(tokens)).is_some() => {
                Part::Bytes(self.source(3, Type::Unsigned(4))?)
            }
            Some(_) => {
                let (predicate, negated) = self.predicate(3)?;
                Part::NotIf(predicate, negated)
            }
        };
        Ok(What::Copy(Box::new(Copy { to, from, bytes: bytes as u8, read })))
    }

    fn is_predicate_register(&self, register: usize) -> bool {
        self.decoder.function.registers[register].class == Class::Predicate
    }
}

/// A sum whose operands and result are zero where they are subnormal.
fn flushed_sum(old: u64, value: u64, _: u64) -> u64 {
    let of = |bits: u64| flushed(f32::from_bits(bits as u32), mode::FLUSH);
    single(flushed(of(old) + of(value), mode::FLUSH))
}

/// The bits of a float; what is no number has all but the sign.
fn single(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

/// What becomes of a value in memory.
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
        ("inc", Type::Unsigned(4)) => |old, most, _| if old as u32 >= most as u32 { 0 } else { old + 1 },
        ("dec", Type::Unsigned(4)) => |old, most, _| {
            let (old, most) = (old as u32, most as u32);
            u64::from(if old == 0 || old > most { most } else { old - 1 })
        },
        _ => return None,
    })
}
