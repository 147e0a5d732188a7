//! Instructions that compute registers from registers.

use super::operands::{Reading, window};
use crate::emulate::arithmetic::round::{Rounding, mode};
use crate::emulate::arithmetic::{Function, bits, carry, compare, convert, float, half, integer};
use crate::emulate::op::{CARRY, Compute, Logic, SINK, Source, Two, What};
use crate::emulate::types::Type;
use crate::opcode::Space;

/// Costs in instructions: of what is done on few units, and of what is a sequence of instructions.
const SPECIAL: u8 = 4;
const SEQUENCE: u8 = 16;

impl Reading<'_, '_> {
    pub(super) fn compute(&self) -> Result<What, String> {
        // Its mode comes last.
        let kind = if self.name == "prmt" { Type::Bits(4) } else { self.kind()? };
        if self.has("cc") || matches!(self.name, "addc" | "subc" | "madc") {
            return self.carrying(kind);
        }
        match self.name {
            "selp" => return Ok(one(compare::select, self.target(0)?, self.selected(kind)?, 1)),
            "slct" => {
                let function = compare::choose(kind).ok_or_else(|| self.unknown())?;
                let of_values = self.first_kind()?;
                let [a, b] = self.sources(1, 2, of_values)?;
                return Ok(one(function, self.target(0)?, [a, b, self.source(3, kind)?, self.mode(kind)], 1));
            }
            "add" | "sub" | "fma" if kind.bytes() == 2 && self.has("f32") => return self.mixed(kind),
            "and" | "or" | "xor" | "not" if kind == Type::Predicate => return self.logic_of_predicates(),
            "testp" => {
                let function = float::test(&self.parts, kind).ok_or_else(|| self.unknown())?;
                return Ok(one(function, self.target(0)?, self.sources(1, 1, kind)?, 1));
            }
            _ => {}
        }
        let is_three = matches!(self.name, "min" | "max") && self.instruction.operands.len() == 4;
        let (function, sources) = match is_three {
            true => (float::of_three(self.name).ok_or_else(|| self.unknown())?, 3),
            false => self.function(kind).ok_or_else(|| self.unknown())?,
        };
        let mut from = self.sources(1, sources, kind)?;
        self.own_types(kind, &mut from)?;
        if sources < 4 {
            from[3] = self.mode(kind);
        }
        Ok(one(function, self.target(0)?, from, self.cost(kind)))
    }

    /// The type before the last, as of what a conversion gives.
    fn first_kind(&self) -> Result<Type, String> {
        let first = self.parts.iter().rev().nth(1).and_then(|part| Type::parse(part));
        first.ok_or_else(|| self.unknown())
    }

    /// A sum, difference or product of halves, to a sum of 32 bits; the last source has 32.
    fn mixed(&self, kind: Type) -> Result<What, String> {
        let function = float::mixed(self.name).ok_or_else(|| self.unknown())?;
        let halves = if self.name == "fma" { 2 } else { 1 };
        let mut from = self.sources(1, halves, kind)?;
        from[halves] = self.source(1 + halves, Type::F32)?;
        from[3] = self.mode(kind);
        Ok(one(function, self.target(0)?, from, 1))
    }

    /// Logic of predicates, of which each source may be negated.
    fn logic_of_predicates(&self) -> Result<What, String> {
        let function = bits::logic_of_predicates(self.name).ok_or_else(|| self.unknown())?;
        let (a, negates_a) = self.predicate(1)?;
        let (b, negates_b) =
            if self.name == "not" { (Source::Constant(0), false) } else { self.predicate(2)? };
        let negated = u64::from(negates_a) | u64::from(negates_b) << 1;
        Ok(one(function, self.target(0)?, [a, b, Source::Constant(negated), Source::Constant(0)], 1))
    }

    /// Logic of three words by a table, and whether anything comes of it, joined with a predicate.
    pub(super) fn logic(&self) -> Result<What, String> {
        let from = self.sources(1, 3, Type::Bits(4))?;
        let Source::Constant(table) = self.source(4, Type::Unsigned(4))? else { return Err(self.unknown()) };
        let (with, is_negated) = self.predicate(5)?;
        let is_and = self.has("and");
        Ok(What::Logic(Box::new(Logic {
            from,
            table: table as u8,
            with,
            is_negated,
            is_and,
            to: self.targets(0)?,
        })))
    }

    fn unknown(&self) -> String {
        "it is not known with this type".to_owned()
    }

    fn function(&self, kind: Type) -> Option<(Function, usize)> {
        match kind {
            Type::F32 | Type::F64 => float::float(self.name, &self.parts, kind),
            Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => half::half(self.name),
            _ => integer::integer(self.name, &self.parts, kind)
                .or_else(|| bits::bits(self.name, &self.parts, kind)),
        }
    }

    /// Sources that have a type of their own: a third one that is wide, and amounts.
    fn own_types(&self, kind: Type, from: &mut [Source; 4]) -> Result<(), String> {
        if self.name == "mad" && self.has("wide") {
            let bytes = kind.bytes() * 2;
            let wide = if kind.is_signed() { Type::Signed(bytes) } else { Type::Unsigned(bytes) };
            from[2] = self.source(3, wide)?;
        }
        Ok(())
    }

    fn mode(&self, kind: Type) -> Source {
        if matches!(self.name, "dp4a" | "dp2a") {
            let is_signed = |at: usize| self.parts.len() >= at && self.parts[self.parts.len() - at] == "s32";
            let signs = u64::from(is_signed(2)) | u64::from(is_signed(1)) << 1;
            return Source::Constant(signs | u64::from(self.has("hi")) << 2);
        }
        let mut mode = Rounding::parse(&self.parts).map_or(0, |(rounding, _)| rounding as u64);
        let flags = [
            ("ftz", mode::FLUSH),
            ("sat", mode::SATURATE),
            ("NaN", mode::NAN),
            ("relu", mode::RECTIFY),
            ("abs", mode::MAGNITUDE),
            ("xorsign", mode::SIGN),
        ];
        for (part, bit) in flags {
            mode |= if self.has(part) { bit } else { 0 };
        }
        mode |= of_halves(kind);
        Source::Constant(mode)
    }

    fn cost(&self, kind: Type) -> u8 {
        match self.name {
            "div" | "rem" if kind != Type::F32 || !self.has("approx") => SEQUENCE,
            "sqrt" | "rcp" if kind == Type::F64 => SEQUENCE,
            "sqrt" | "rcp" | "rsqrt" | "sin" | "cos" | "ex2" | "lg2" | "tanh" | "div" => SPECIAL,
            "popc" | "brev" | "bfind" | "clz" => SPECIAL,
            _ => 1,
        }
    }

    fn carrying(&self, kind: Type) -> Result<What, String> {
        let (function, sources) = carry::carry(self.name, &self.parts, kind).ok_or_else(|| self.unknown())?;
        let mut from = self.sources(1, sources, kind)?;
        from[3] = match self.name {
            "addc" | "subc" | "madc" => Source::Register(CARRY),
            // Nothing has been borrowed.
            "sub" => Source::Constant(1),
            _ => Source::Constant(0),
        };
        let to = [self.target(0)?, if self.has("cc") { CARRY } else { SINK }];
        Ok(What::Two(Box::new(Two { function, to, from })))
    }

    fn selected(&self, kind: Type) -> Result<[Source; 4], String> {
        let [a, b] = self.sources(1, 2, kind)?;
        let (predicate, negated) = self.predicate(3)?;
        let (a, b) = if negated { (b, a) } else { (a, b) };
        Ok([a, b, predicate, Source::Constant(0)])
    }

    pub(super) fn set_predicate(&self) -> Result<What, String> {
        let kind = self.kind()?;
        let function = compare::set_predicate(kind).ok_or_else(|| self.unknown())?;
        let from = self.compared(kind)?;
        Ok(What::Two(Box::new(Two { function, to: self.targets(0)?, from })))
    }

    fn compared(&self, kind: Type) -> Result<[Source; 4], String> {
        let (mode, is_joined) = compare::mode_of(&self.parts, kind).ok_or_else(|| self.unknown())?;
        let [a, b] = self.sources(1, 2, kind)?;
        let joined = is_joined.then(|| self.predicate(3)).transpose()?;
        let (third, negated) = joined.unwrap_or((Source::Constant(0), false));
        let negated = if negated { compare::JOINED_NEGATED } else { 0 };
        Ok([a, b, third, Source::Constant(mode | negated | of_halves(kind))])
    }

    pub(super) fn set(&self) -> Result<What, String> {
        let kind = self.kind()?;
        let result = self.first_kind()?;
        let function = compare::set(result, kind).ok_or_else(|| self.unknown())?;
        Ok(one(function, self.target(0)?, self.compared(kind)?, 1))
    }

    pub(super) fn convert(&self) -> Result<What, String> {
        let from = self.kind()?;
        let to = self.first_kind()?;
        let cost = if from.bytes() == 8 || to.bytes() == 8 || from.is_float() || to.is_float() {
            SPECIAL
        } else {
            1
        };
        if let Type::F16x2 | Type::Bf16x2 = to {
            let one_of_two = if to == Type::F16x2 { Type::F16 } else { Type::Bf16 };
            let parts: Vec<&str> = self.parts[..self.parts.len() - 2].to_vec();
            let (_, mode) = convert::convert(&parts, one_of_two, from).ok_or_else(|| self.unknown())?;
            let [a, b] = self.sources(1, 2, from)?;
            let zero = Source::Constant(0);
            return Ok(one(convert::packed, self.target(0)?, [a, b, zero, Source::Constant(mode)], cost));
        }
        let (function, mode) = convert::convert(&self.parts, to, from).ok_or_else(|| self.unknown())?;
        let [a] = self.sources(1, 1, from)?;
        let zero = Source::Constant(0);
        Ok(one(function, self.target(0)?, [a, zero, zero, Source::Constant(mode)], cost))
    }

    /// From an address of a space to a generic one, or back.
    pub(super) fn convert_address(&self) -> Result<What, String> {
        let space = crate::opcode::effect(&self.instruction.opcode).space;
        let window = window(space);
        let by = if self.has("to") { window.wrapping_neg() } else { window };
        let [a] = self.sources(1, 1, Type::Unsigned(8))?;
        let zero = Source::Constant(0);
        Ok(one(|a, b, _, _| a.wrapping_add(b), self.target(0)?, [a, Source::Constant(by), zero, zero], 1))
    }

    pub(super) fn is_space(&self) -> Result<What, String> {
        let space = crate::opcode::effect(&self.instruction.opcode).space;
        let [a] = self.sources(1, 1, Type::Unsigned(8))?;
        let (zero, first) = (Source::Constant(0), Source::Constant(window(space)));
        let function: Function = match space {
            Space::Global => |a, _, _, _| u64::from(a < super::SHARED),
            _ => |a, b, _, _| u64::from(a >> 60 == b >> 60),
        };
        Ok(one(function, self.target(0)?, [a, first, zero, zero], 1))
    }

    pub(super) fn moved(&self) -> Result<What, String> {
        let kind = self.kind()?;
        let lanes = if self.has("v2") { 2 } else { usize::from(self.has("v4")) * 4 };
        if lanes > 0 {
            let from = self.list(1, kind, lanes)?;
            return Ok(What::Move(from.into_iter().zip(self.registers(0, lanes)?).collect()));
        }
        let values = |at: usize| -> Result<usize, String> {
            use crate::module::Token;
            let tokens = self.operand(at)?;
            let is_list = tokens.first() == Some(&Token::Mark('{'));
            Ok(if is_list {
                tokens.iter().filter(|token| **token == Token::Mark(',')).count() + 1
            } else {
                0
            })
        };
        let bits = |values: usize| u32::from(kind.bytes()) * 8 / values as u32;
        match (values(0)?, values(1)?) {
            (0, 0) if kind == Type::Predicate => {
                let (a, negated) = self.predicate(1)?;
                let (zero, negated) = (Source::Constant(0), Source::Constant(negated.into()));
                Ok(one(|a, negated, _, _| (a ^ negated) & 1, self.target(0)?, [a, negated, zero, zero], 1))
            }
            (0, 0) => {
                let [a] = self.sources(1, 1, kind)?;
                let zero = Source::Constant(0);
                Ok(one(|a, _, _, _| a, self.target(0)?, [a, zero, zero, zero], 1))
            }
            (2 | 4, 0) | (0, 2 | 4) if !is_whole(kind, values(0)?.max(values(1)?)) => Err(self.unknown()),
            (count @ (2 | 4), 0) => {
                Ok(What::Unpack(self.source(1, kind)?, self.registers(0, count)?, bits(count)))
            }
            (0, count @ (2 | 4)) => {
                let part = Type::Bits(kind.bytes() / count as u8);
                Ok(What::Pack(self.list(1, part, count)?.into(), self.target(0)?, bits(count)))
            }
            _ => Err(self.unknown()),
        }
    }
}

/// Returns true where a value is made of so many registers: none has 8 bits.
fn is_whole(kind: Type, count: usize) -> bool {
    usize::from(kind.bytes()) / count >= 2
}

fn of_halves(kind: Type) -> u64 {
    match kind {
        Type::F16x2 => mode::PAIR,
        Type::Bf16 => mode::BF16,
        Type::Bf16x2 => mode::BF16 | mode::PAIR,
        _ => 0,
    }
}

fn one(function: Function, to: u32, from: [Source; 4], cost: u8) -> What {
    What::Compute(Compute { function, to, from, cost })
}
