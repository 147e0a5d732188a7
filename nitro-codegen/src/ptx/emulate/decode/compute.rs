//! Instructions that compute registers from registers.

use super::operands::{Reading, window};
use crate::ptx::emulate::arithmetic::round::{Rounding, mode};
use crate::ptx::emulate::arithmetic::{Function, bits, carry, compare, convert, float, half, integer};
use crate::ptx::emulate::op::{CARRY, Compute, SINK, Source, Two, What};
use crate::ptx::emulate::types::Type;
use crate::ptx::opcode::Space;

/// Parts of opcodes that functions ask for themselves, or that change nothing here.
const KNOWN: &str = "rn rz rm rp ftz sat lo hi wide approx full cc clamp wrap l r NaN relu shiftamt f4e b4e rc8 ecl ecr rc16 \
    eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan and or xor finite infinite number notanumber normal subnormal";

/// Costs in instructions: of what is done on few units, and of what is a sequence of instructions.
const SPECIAL: u8 = 4;
const SEQUENCE: u8 = 16;

impl Reading<'_, '_> {
    pub(super) fn compute(&self) -> Result<What, String> {
        // Its mode comes last.
        let kind = if self.name == "prmt" { Type::Bits(4) } else { self.kind()? };
        let is_known =
            |part: &&str| KNOWN.split(' ').any(|known| known == *part) || Type::parse(part).is_some();
        if let Some(part) = self.parts.iter().find(|part| !is_known(part)) {
            return Err(format!("`.{part}` is not known here"));
        }
        if self.has("cc") || matches!(self.name, "addc" | "subc" | "madc") {
            return self.carrying(kind);
        }
        match self.name {
            "selp" => return Ok(one(compare::select, self.target(0)?, self.selected(kind)?, 1)),
            "slct" => {
                let function = compare::choose(kind).ok_or_else(|| self.unknown())?;
                let of_values = self
                    .parts
                    .iter()
                    .rev()
                    .nth(1)
                    .and_then(|part| Type::parse(part))
                    .ok_or_else(|| self.unknown())?;
                let [a, b] = self.sources(1, 2, of_values)?;
                return Ok(one(function, self.target(0)?, [a, b, self.source(3, kind)?, self.mode(kind)], 1));
            }
            "testp" => {
                let function = float::test(&self.parts, kind).ok_or_else(|| self.unknown())?;
                return Ok(one(function, self.target(0)?, self.sources(1, 1, kind)?, 1));
            }
            _ => {}
        }
        let (function, sources) = self.function(kind).ok_or_else(|| self.unknown())?;
        let mut from = self.sources(1, sources, kind)?;
        self.own_types(kind, &mut from)?;
        if sources < 4 {
            from[3] = self.mode(kind);
        }
        Ok(one(function, self.target(0)?, from, self.cost(kind)))
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
        let flags =
            [("ftz", mode::FLUSH), ("sat", mode::SATURATE), ("NaN", mode::NAN), ("relu", mode::RECTIFY)];
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
        if self.name.ends_with('c') {
            from[3] = Source::Register(CARRY);
        }
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
        let result = self
            .parts
            .iter()
            .rev()
            .nth(1)
            .and_then(|part| Type::parse(part))
            .ok_or_else(|| self.unknown())?;
        let function = compare::set(result, kind).ok_or_else(|| self.unknown())?;
        Ok(one(function, self.target(0)?, self.compared(kind)?, 1))
    }

    pub(super) fn convert(&self) -> Result<What, String> {
        let from = self.kind()?;
        let to = self
            .parts
            .iter()
            .rev()
            .nth(1)
            .and_then(|part| Type::parse(part))
            .ok_or_else(|| self.unknown())?;
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
        let space = crate::ptx::opcode::effect(&self.instruction.opcode).space;
        if self.kind()? != Type::Unsigned(8) {
            return Err("addresses have 64 bits here".to_owned());
        }
        let window = window(space);
        let by = if self.has("to") { window.wrapping_neg() } else { window };
        let [a] = self.sources(1, 1, Type::Unsigned(8))?;
        let zero = Source::Constant(0);
        Ok(one(|a, b, _, _| a.wrapping_add(b), self.target(0)?, [a, Source::Constant(by), zero, zero], 1))
    }

    pub(super) fn is_space(&self) -> Result<What, String> {
        let space = crate::ptx::opcode::effect(&self.instruction.opcode).space;
        let [a] = self.sources(1, 1, Type::Unsigned(8))?;
        let (zero, first) = (Source::Constant(0), Source::Constant(window(space)));
        let function: Function = match space {
            Space::Global => |a, _, _, _| u64::from(a < super::SHARED),
            Space::Constant => return Err(self.unknown()),
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
            use crate::ptx::module::Token;
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
            (0, 0) => {
                let [a] = self.sources(1, 1, kind)?;
                let zero = Source::Constant(0);
                Ok(one(|a, _, _, _| a, self.target(0)?, [a, zero, zero, zero], 1))
            }
            _ if kind.bytes() > 8 => Err(self.unknown()),
            (count @ 2..=4, 0) => {
                Ok(What::Unpack(self.source(1, kind)?, self.registers(0, count)?, bits(count)))
            }
            (0, count @ 2..=4) => {
                Ok(What::Pack(self.list(1, Type::Bits(8), count)?.into(), self.target(0)?, bits(count)))
            }
            _ => Err(self.unknown()),
        }
    }
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
