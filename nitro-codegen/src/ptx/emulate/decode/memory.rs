//! Instructions that read and write memory.

use super::operands::Reading;
use crate::ptx::emulate::op::{Address, Area, Atomic, Change, Copy, Load, SINK, Source, Store, What};
use crate::ptx::emulate::race::Touch;
use crate::ptx::emulate::types::Type;
use crate::ptx::module::Token;
use crate::ptx::opcode::{Space, effect};

/// Parts that say how caches are used or for whom an order holds, which makes no difference here.
const HINTS: &str = "ca cg cs lu cv wb wt nc weak cta cluster gpu sys gl global shared local const param \
    shared::cta shared::cluster param::entry param::func volatile relaxed acquire release acq_rel sc mmio noftz v2 v4 v8 sync aligned async";

impl Reading<'_, '_> {
    fn space(&self) -> Space {
        effect(&self.instruction.opcode).space
    }

    fn check_parts(&self, more: &[&str]) -> Result<(), String> {
        let is_known = |part: &str| {
            HINTS.split_whitespace().any(|known| known == part)
                || more.contains(&part)
                || Type::parse(part).is_some()
                || part.starts_with("L1::")
                || part.starts_with("L2::")
        };
        match self.parts.iter().find(|part| !is_known(part)) {
            Some(part) => Err(format!("`.{part}` is not known here")),
            None if self.has("L2::cache_hint") => Err("cache policies are not known here".to_owned()),
            None => Ok(()),
        }
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
        self.check_parts(&[])?;
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
        self.check_parts(&[])?;
        let kind = self.value_kind()?;
        let address = self.address(0, self.space())?;
        let from = self.list(1, kind, self.lanes())?.into();
        let (is_strong, releases) = (self.is_strong(), self.has("release"));
        Ok(What::Store(Box::new(Store { address, from, bytes: kind.bytes(), is_strong, releases })))
    }

    pub(super) fn atomic(&self) -> Result<What, String> {
        const OPERATIONS: [&str; 11] =
            ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec", "b128"];
        self.check_parts(&OPERATIONS[..10])?;
        let kind = self.value_kind()?;
        let is_reduction = self.name == "red";
        let first = usize::from(!is_reduction);
        let operation =
            self.parts.iter().find(|part| OPERATIONS.contains(part)).ok_or("it has no operation")?;
        let change =
            change(operation, kind).ok_or_else(|| format!("`.{operation}` is not known with this type"))?;
        if self.lanes() > 1 {
            return Err("atomics of vectors are not known here".to_owned());
        }
        let to = if is_reduction { SINK } else { self.target(0)? };
        let values = if *operation == "cas" { 2 } else { 1 };
        let from = self.sources(first + 1, values, kind)?;
        let address = self.address(first, self.space())?;
        let releases = self.has("release") || self.has("acq_rel");
        Ok(What::Atomic(Box::new(Atomic { address, change, from, to, bytes: kind.bytes(), releases })))
    }

    /// What is copied without waiting is copied at once here.
    pub(super) fn copy(&self) -> Result<What, String> {
        if self.has("commit_group") || self.has("wait_group") || self.has("wait_all") {
            return Ok(What::Nothing);
        }
        self.check_parts(&[])?;
        if !self.has("async") || self.has("bulk") || self.has("cluster") {
            return Err("it is not known".to_owned());
        }
        let to = self.address(0, Space::Shared)?;
        let from = Address { area: Area::Global, ..self.address(1, Space::Global)? };
        let Source::Constant(bytes @ (4 | 8 | 16)) = self.source(2, Type::Unsigned(4))? else {
            return Err("it copies 4, 8 or 16 bytes".to_owned());
        };
        let given = self.instruction.operands.get(3).map(|tokens| match tokens.as_slice() {
            [Token::Mark('!'), ..] => Err("a predicate".to_owned()),
            tokens => self.value(tokens, Type::Unsigned(4)),
        });
        let read = given.transpose()?;
        Ok(What::Copy(Box::new(Copy { to, from, bytes: bytes as u8, read })))
    }
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
            |old, value, _| u64::from((f32::from_bits(old as u32) + f32::from_bits(value as u32)).to_bits())
        }
        ("add", Type::F64) => |old, value, _| (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
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
