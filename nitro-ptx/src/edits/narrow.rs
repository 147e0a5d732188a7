//! Arithmetic of 64 bits between floats of 32 bits, made one of 32 bits.
//!
//! A literal without `f` in a source, such as `2.0 * t`, makes a compiler convert floats, compute with 64 bits and
//! convert back. Conversions are slow on every GPU, and 64 bits on most.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::edit::Reach;
use crate::machine::symbolic::{NARROWED, RoundedOnce, WIDENED};
use crate::text::module::{Class, Content, Function, Instruction, InstructionId, Register, Token};

/// Arithmetic that is the same for both widths but for its type.
const ARITHMETIC: [&str; 15] = [
    "abs", "add", "div", "fma", "mad", "max", "min", "mov", "mul", "neg", "rcp", "selp", "setp", "sqrt",
    "sub",
];

impl Function {
    /// Makes arithmetic of 64 bits one of 32, where it begins with floats of 32 bits or numbers and goes into floats of
    /// 32 bits, integers or comparisons alone. Returns the conversions to 32 bits, by which places are named.
    pub(crate) fn narrow(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let chains = self.chains();
        let (mut narrowed, mut rounded_once) = (BTreeMap::new(), BTreeSet::new());
        let mut done = Vec::new();
        for Chain { registers, ends } in chains {
            if !ends.iter().any(|id| reach.covers(*id, &self.name)) {
                continue;
            }
            if self.is_rounded_once(&registers) {
                rounded_once.extend(&registers);
            }
            done.extend(ends);
            for wide in registers {
                let Register { name, class, .. } = &self.registers[wide];
                let class = if let Class::Float(_) = class { Class::Float(32) } else { Class::Bits(32) };
                let name = format!("{name}_narrow");
                narrowed.insert(wide, self.registers.len());
                self.registers.push(Register { name, class, lanes: 1, declared_as: Some(class.to_string()) });
            }
        }
        for item in &mut self.items {
            let Content::Instruction(_, instruction) = &mut item.content else { continue };
            if let Some(narrow) = instruction.narrowed(&narrowed, &rounded_once) {
                *instruction = Arc::new(narrow);
            }
        }
        done
    }

    /// Returns what can be narrowed, in the smallest parts that are to be narrowed as one.
    fn chains(&self) -> Vec<Chain> {
        let mut fixed = HashSet::new();
        loop {
            let before = fixed.len();
            for (_, instruction) in self.instructions() {
                let wide = self.wide(instruction);
                if !instruction.can_be_narrow() || wide.iter().any(|register| fixed.contains(register)) {
                    fixed.extend(wide);
                }
            }
            if fixed.len() == before {
                break;
            }
        }
        let mut chains: Vec<Chain> = Vec::new();
        for (id, instruction) in self.instructions() {
            let mut registers: BTreeSet<usize> = self.wide(instruction).into_iter().collect();
            if registers.is_empty() || registers.iter().any(|register| fixed.contains(register)) {
                continue;
            }
            let mut ends = Vec::new();
            ends.extend(instruction.opcode.starts_with("cvt.rn.f32.f64").then_some(id));
            let (joined, others): (Vec<Chain>, Vec<Chain>) =
                chains.into_iter().partition(|chain| !chain.registers.is_disjoint(&registers));
            for mut chain in joined {
                registers.append(&mut chain.registers);
                ends.append(&mut chain.ends);
            }
            ends.sort_unstable();
            chains = others;
            chains.push(Chain { registers, ends });
        }
        chains.retain(|chain| !chain.ends.is_empty());
        chains
    }

    /// Tells whether all that is computed with these registers is one step between floats of 32 bits, which leaves the
    /// same bits as one of 32 bits.
    fn is_rounded_once(&self, registers: &BTreeSet<usize>) -> bool {
        let of_chain = |instruction: &Instruction| {
            self.wide(instruction).iter().any(|register| registers.contains(register))
        };
        let all = || self.instructions().map(|(_, own)| own).filter(|own| of_chain(own));
        let computed = all().filter(|own| own.opcode != WIDENED).flat_map(Instruction::definitions);
        let computed: HashSet<usize> = computed.collect();
        all().all(|own| {
            if matches!(&*own.opcode, WIDENED | NARROWED) {
                return true;
            }
            let Some(step) = RoundedOnce::of(&own.opcode) else { return false };
            let number = |operand: &Vec<Token>| match &operand[..] {
                [Token::Word(word)] => wide_number(word),
                _ => None,
            };
            let is_exact = |operand: &Vec<Token>| match &operand[..] {
                [Token::Register(register, _)] => !computed.contains(register),
                _ => number(operand).and_then(RoundedOnce::exact).is_some(),
            };
            let mut factors = own.operands.iter().skip(1).take(2);
            let is_product_exact =
                !step.adds_product || factors.any(|own| number(own).is_some_and(RoundedOnce::is_power));
            is_product_exact && own.operands.iter().skip(1).all(is_exact)
        })
    }

    /// Returns the registers of an instruction that hold floats of 64 bits, or may do so.
    fn wide(&self, instruction: &Instruction) -> Vec<usize> {
        let sites = instruction.sites().into_iter().filter_map(|site| site.register);
        let is_wide =
            |register: &usize| matches!(self.registers[*register].class, Class::Float(64) | Class::Bits(64));
        sites.filter(is_wide).collect()
    }
}

/// Arithmetic of 64 bits that is to be narrowed as one.
struct Chain {
    registers: BTreeSet<usize>,
    /// The conversions to 32 bits.
    ends: Vec<InstructionId>,
}

impl Instruction {
    /// Tells whether this could compute with 32 bits instead, as far as its opcode says.
    fn can_be_narrow(&self) -> bool {
        let parts: Vec<&str> = self.opcode.split('.').collect();
        match parts[..] {
            ["cvt", "f64", "f32"] => true,
            ["cvt", "rn", "f32", "f64"] => true,
            ["cvt", "rn", "f64", from] => is_integer(from),
            ["cvt", "rzi" | "rni" | "rmi" | "rpi", to, "f64"] => is_integer(to),
            [first, .., "f64"] => {
                // Who rounds in a direction wants it.
                ARITHMETIC.contains(&first) && !parts.iter().any(|part| matches!(*part, "rz" | "rm" | "rp"))
            }
            _ => false,
        }
    }

    /// Returns the same with registers of 32 bits; none where it touches none of the wide ones. Nothing is fused with
    /// what is rounded once.
    fn narrowed(&self, registers: &BTreeMap<usize, usize>, rounded_once: &BTreeSet<usize>) -> Option<Self> {
        let mut narrow = self.clone();
        let (mut is_touched, mut is_rounded_once) = (false, false);
        for token in narrow.operands.iter_mut().flatten() {
            match token {
                Token::Register(register, _) => {
                    is_rounded_once |= rounded_once.contains(register);
                    if let Some(new) = registers.get(register) {
                        (*register, is_touched) = (*new, true);
                    }
                }
                Token::Word(word) => {
                    if let Some(shorter) = shorter(word) {
                        *word = shorter;
                    }
                }
                Token::Mark(_) => {}
            }
        }
        let parts: Vec<&str> = self.opcode.split('.').collect();
        narrow.opcode = match (&parts[..], RoundedOnce::of(&self.opcode).filter(|_| is_rounded_once)) {
            (["cvt", "f64", "f32"] | ["cvt", "rn", "f32", "f64"], _) => "mov.f32".to_owned(),
            (_, Some(step)) => step.opcode.to_owned(),
            (_, None) => self.opcode.replace("f64", "f32"),
        };
        is_touched.then_some(narrow)
    }
}

fn is_integer(kind: &str) -> bool {
    // Those of 64 bits may be in the registers that floats of 64 bits are in.
    matches!(kind, "s8" | "u8" | "s16" | "u16" | "s32" | "u32")
}

/// Returns the number of 64 bits that a word is, if it is one.
fn wide_number(word: &str) -> Option<f64> {
    let bits = word.strip_prefix("0d").or_else(|| word.strip_prefix("0D"))?;
    Some(f64::from_bits(u64::from_str_radix(bits, 16).ok()?))
}

/// Returns a number of 64 bits as one of 32; none for what is no such number.
fn shorter(word: &str) -> Option<String> {
    Some(format!("0f{:08X}", (wide_number(word)? as f32).to_bits()))
}
