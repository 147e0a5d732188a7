//! Registers whose values come of others.

use std::collections::HashSet;

use crate::instructions::effect::Kind;
use crate::text::module::{Function, Instruction};

impl Function {
    /// Returns the registers that some instructions write, and all that is computed from these.
    pub(crate) fn derived(
        &self,
        begins: impl Fn(&Instruction) -> bool,
        is_kept: impl Fn(usize) -> bool,
    ) -> HashSet<usize> {
        let mut found = HashSet::new();
        loop {
            let before = found.len();
            for (_, instruction) in self.instructions() {
                let sites = instruction.sites();
                let mut touched = sites.iter().filter_map(|site| site.register);
                let continues = instruction.effect().kind == Kind::Pure
                    && touched.any(|register| found.contains(&register));
                if continues || begins(instruction) {
                    found.extend(instruction.definitions().into_iter().filter(|&register| is_kept(register)));
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }
}
