//! The numbers that kernels compute and compare with: around them sizes make a difference.

use std::collections::BTreeSet;

use super::sites::Role;
use crate::text::constant::number;
use crate::text::module::{Function, Instruction, Module, Token};
use crate::text::reach::ReachableNames;
use crate::text::scan::lexemes;

impl Module {
    /// Returns the whole numbers that these kernels compute and compare with, and those that they call. A shift is
    /// listed as what it multiplies by. What is added to an address is left out.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".entry k() { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>; shl.b32 %r1, %r2, 10;\n\
    ///             add.s32 %r3, %r1, 128; setp.lt.s32 %p1, %r3, -7; st.global.u32 [%rd1+512], %r3; ret; }";
    /// assert!(Module::parse(text)?.numbers(&["k"]).into_iter().eq([7, 128, 1024]));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn numbers(&self, kernels: &[&str]) -> BTreeSet<u64> {
        let reached = ReachableNames::of(self, kernels);
        let bodies = self.bodies().filter(|body| reached.contains(&body.name));
        let instructions = bodies.flat_map(|body| body.instructions());
        instructions.flat_map(|(_, instruction)| instruction.numbers()).collect()
    }

    /// Returns the threads of a block that a kernel was compiled for, by `.reqntid`, or by `.maxntid` at most; none
    /// where it does not say.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let module = Module::parse(".entry k() .reqntid 16, 8 { ret; }\n.entry other() { ret; }")?;
    /// assert_eq!((module.block("k"), module.block("other")), (Some(vec![16, 8]), None));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn block(&self, kernel: &str) -> Option<Vec<u32>> {
        let body = self.bodies().find(|body| body.is_kernel() && body.name == kernel)?;
        body.threads(".reqntid").or_else(|| body.threads(".maxntid"))
    }
}

impl Function {
    /// Returns the one to three numbers behind a directive of the head.
    fn threads(&self, directive: &str) -> Option<Vec<u32>> {
        let words = lexemes(&self.head);
        let at = words.iter().position(|word| *word == directive)?;
        let listed = words[at + 1..].chunks(2).map_while(|pair| {
            let threads = u32::try_from(number(pair[0])?).ok()?;
            Some((threads, pair.get(1) == Some(&",")))
        });
        let mut threads = Vec::new();
        for (number, goes_on) in listed.take(3) {
            threads.push(number);
            if !goes_on {
                break;
            }
        }
        (!threads.is_empty() && !threads.contains(&0)).then_some(threads)
    }
}

impl Instruction {
    /// Returns the whole numbers among its operands, as sizes: without their signs.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let is_shift = self.opcode.starts_with("shl.") || self.opcode.starts_with("shr.");
        let sites = self.sites().into_iter().filter(|site| site.register.is_none() && site.role == Role::Use);
        sites.filter_map(move |site| {
            let Token::Word(word) = &self.operands[site.operand][site.token] else { return None };
            let number = number(word)?;
            match is_shift {
                true => 1_u64.checked_shl(u32::try_from(number).ok()?),
                false => Some(number),
            }
        })
    }
}
