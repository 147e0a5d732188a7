//! Arithmetic of 64 bits between floats of 32 bits, made one of 32 bits.
//!
//! A literal without `f` in a source, such as `2.0 * t`, makes a compiler convert floats, compute with 64 bits and
//! convert back. Conversions are slow on every GPU, and 64 bits on most.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::edit::Reach;
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
        let mut narrowed = BTreeMap::new();
        let mut done = Vec::new();
        for Chain { registers, ends } in chains {
            if !ends.iter().any(|id| reach.covers(*id, &self.name)) {
                continue;
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
            if let Some(narrow) = instruction.narrowed(&narrowed) {
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

    /// Returns the same with registers of 32 bits; none where it touches none of the wide ones.
    fn narrowed(&self, registers: &BTreeMap<usize, usize>) -> Option<Self> {
        let mut narrow = self.clone();
        let mut is_touched = false;
        for token in narrow.operands.iter_mut().flatten() {
            match token {
                Token::Register(register, _) => {
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
        narrow.opcode = match parts[..] {
            ["cvt", "f64", "f32"] | ["cvt", "rn", "f32", "f64"] => "mov.f32".to_owned(),
            _ => self.opcode.replace("f64", "f32"),
        };
        is_touched.then_some(narrow)
    }
}

fn is_integer(kind: &str) -> bool {
    // Those of 64 bits may be in the registers that floats of 64 bits are in.
    matches!(kind, "s8" | "u8" | "s16" | "u16" | "s32" | "u32")
}

/// Returns a number of 64 bits as one of 32; none for what is no such number.
fn shorter(word: &str) -> Option<String> {
    let bits = word.strip_prefix("0d").or_else(|| word.strip_prefix("0D"))?;
    let wide = f64::from_bits(u64::from_str_radix(bits, 16).ok()?);
    Some(format!("0f{:08X}", (wide as f32).to_bits()))
}
