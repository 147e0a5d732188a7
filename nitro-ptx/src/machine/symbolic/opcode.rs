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
}

impl Opcode {
    pub(crate) fn of(opcode: &str) -> Self {
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
        }
    }
}
