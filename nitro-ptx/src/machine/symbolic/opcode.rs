//! Properties of opcodes that terms depend on.

use crate::text::types::Type;

/// The part that an opcode may have in a product and a sum that the assembler makes one instruction of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fusion {
    None,
    Product,
    Sign,
    Sum,
}

/// The conversions from a float of 32 bits to one of 64, and back.
pub(crate) const WIDENED: &str = "cvt.f64.f32";
pub(crate) const NARROWED: &str = "cvt.rn.f32.f64";

/// One step of arithmetic of 64 bits between floats of 32 bits that is converted back: the result is the same as with
/// 32 bits. It is rounded twice, but 53 bits are enough for the second time to make no difference (Figueroa, "When is
/// double rounding innocuous?", 1995).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundedOnce {
    /// The opcode of 32 bits, which says its rounding: nothing is fused with the step in between.
    pub(crate) opcode: &'static str,
    pub(crate) operands: usize,
    /// Set if it adds a product: then that has to fit in 32 bits, as by a power of two.
    pub(crate) adds_product: bool,
}

impl RoundedOnce {
    pub(crate) fn of(opcode: &str) -> Option<Self> {
        let (opcode, operands) = match opcode {
            "add.f64" | "add.rn.f64" => ("add.rn.f32", 2),
            "sub.f64" | "sub.rn.f64" => ("sub.rn.f32", 2),
            "mul.f64" | "mul.rn.f64" => ("mul.rn.f32", 2),
            "div.rn.f64" => ("div.rn.f32", 2),
            "rcp.rn.f64" => ("rcp.rn.f32", 1),
            "sqrt.rn.f64" => ("sqrt.rn.f32", 1),
            "fma.rn.f64" => ("fma.rn.f32", 3),
            _ => return None,
        };
        Some(Self { opcode, operands, adds_product: operands == 3 })
    }

    /// Returns a number as one of 32 bits that is the same.
    pub(crate) fn exact(number: f64) -> Option<f32> {
        let narrow = number as f32;
        (f64::from(narrow).to_bits() == number.to_bits()).then_some(narrow)
    }

    /// Tells whether a product with this has the digits of the other factor.
    pub(crate) fn is_power(number: f64) -> bool {
        number.is_normal() && number.to_bits() << 12 == 0
    }
}

/// The properties of an opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opcode {
    /// Its first two operands may be exchanged: the bits of its result are the same, up to the payload of NaN.
    pub(crate) commutes: bool,
    /// It hands its first operand on as it is.
    pub(crate) is_move: bool,
    /// A device may give another result than the emulator.
    pub(super) is_approximate: bool,
    /// It is its first operand where a predicate, the third, holds, and else the second.
    pub(super) is_select: bool,
    /// It is one of its first two operands.
    pub(super) chooses: bool,
    /// The bytes that its results fit in, with zeros above.
    pub(super) fits: u8,
    pub(crate) fusion: Fusion,
    /// It converts a float of 32 bits to one of 64, or back.
    pub(super) is_widening: bool,
    pub(super) is_narrowing: bool,
    pub(super) rounded_once: Option<RoundedOnce>,
}

impl Opcode {
    pub(crate) fn of(opcode: &str) -> Self {
        let (is_widening, is_narrowing) = (opcode == WIDENED, opcode == NARROWED);
        let rounded_once = RoundedOnce::of(opcode);
        let mut parts = opcode.split('.');
        let name = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.collect();
        let kinds: Vec<Type> = parts.iter().filter_map(|part| Type::parse(part)).collect();
        let kind = kinds.first().copied();
        // Operands of two types, and predicates that may be negated, have places of their own.
        let is_uniform = kinds.len() == 1 && kind != Some(Type::Predicate);
        let commutes = matches!(name, "add" | "mul" | "fma" | "mad" | "min" | "max" | "and" | "or" | "xor");
        let rounds = parts.iter().any(|part| matches!(*part, "rn" | "rz" | "rm" | "rp"));
        let is_float = kinds.iter().any(|kind| kind.is_float() || matches!(kind, Type::F16x2 | Type::Bf16x2));
        // Only what says no rounding may be fused ("add", "mul").
        let fusion = match name {
            "mul" if is_float && !rounds => Fusion::Product,
            "add" | "sub" if is_float && !rounds => Fusion::Sum,
            "neg" if is_float => Fusion::Sign,
            _ => Fusion::None,
        };
        Self {
            commutes: commutes && is_uniform,
            is_move: name == "mov" && kind != Some(Type::Predicate),
            is_approximate: parts.iter().any(|part| matches!(*part, "approx" | "full")),
            is_select: name == "selp",
            chooses: name == "slct",
            fits: match (name, kind) {
                ("setp" | "testp", _) | (_, Some(Type::Predicate)) => 1,
                (_, Some(Type::F16 | Type::Bf16)) => 2,
                (_, Some(Type::F32 | Type::F16x2 | Type::Bf16x2)) => 4,
                _ => 8,
            },
            fusion,
            is_widening,
            is_narrowing,
            rounded_once,
        }
    }
}
