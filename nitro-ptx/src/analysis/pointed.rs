//! What kernels access through their parameters.

use std::collections::{BTreeSet, HashSet};

use crate::instructions::effect::Kind;
use crate::instrument::bounds::address;
use crate::text::module::{Function, Instruction, Module, Token};
use crate::text::types::Space;

/// What a kernel accesses through a parameter, as far as its text shows that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointed {
    /// The types of the accesses, such as `f32`.
    pub types: BTreeSet<String>,
    /// True if something is loaded.
    pub is_loaded: bool,
    /// True if something is stored.
    pub is_stored: bool,
}

impl Module {
    /// Returns what a kernel accesses through a parameter of 64 bits; none if that is a number, since others are made
    /// pointers of global memory and this is not.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".visible .entry k(.param .u64 to, .param .u64 n) { .reg .b64 %rd<5>; .reg .pred %p;\n\
    ///             ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [n]; cvta.to.global.u64 %rd3, %rd1;\n\
    ///             setp.eq.u64 %p, %rd2, 0; @%p st.global.u32 [%rd3+4], 1; ret; }";
    /// let module = Module::parse(text)?;
    /// let to = module.pointed("k", "to").unwrap();
    /// assert!(to.is_stored && !to.is_loaded && to.types.contains("u32"));
    /// assert_eq!(module.pointed("k", "n"), None);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn pointed(&self, kernel: &str, parameter: &str) -> Option<Pointed> {
        let body = self.bodies().find(|body| body.is_kernel() && body.name == kernel)?;
        let is_pointer = |own: &Instruction| own.opcode.starts_with("cvta.to.global");
        let of_parameter = body.loaded(parameter);
        let converts = |own: &Instruction| {
            is_pointer(own)
                && own.sites().iter().any(|site| site.register.is_some_and(|it| of_parameter.contains(&it)))
        };
        let mut pointed = Pointed::default();
        let has_pointers = body.instructions().any(|(_, own)| is_pointer(own));
        let pointers = body.instructions().filter(|(_, own)| converts(own));
        let pointers: HashSet<usize> = pointers.flat_map(|(_, own)| own.definitions()).collect();
        if has_pointers && pointers.is_empty() {
            return None;
        }
        let begins = if has_pointers { pointers } else { of_parameter.clone() };
        let makes = |own: &Instruction| own.definitions().iter().any(|register| begins.contains(register));
        let through = body.derived(makes, |_| true);
        for (_, own) in body.instructions() {
            let effect = own.effect();
            let at = own.operands.iter().find_map(|operand| address(operand));
            let is_access = matches!(effect.space, Space::Global | Space::Generic)
                && at.is_some_and(|(register, _)| through.contains(&register));
            if is_access && matches!(effect.kind, Kind::Load | Kind::Store | Kind::Atomic) {
                pointed.types.extend(own.opcode.rsplit('.').next().map(str::to_owned));
                pointed.is_loaded |= effect.kind != Kind::Store;
                pointed.is_stored |= effect.kind != Kind::Load;
            }
        }
        Some(pointed)
    }
}

impl Function {
    /// Returns the registers into which a parameter is loaded.
    fn loaded(&self, parameter: &str) -> HashSet<usize> {
        let is_it = |token: &Token| matches!(token, Token::Word(word) if word == parameter);
        let loads = self
            .instructions()
            .filter(|(_, own)| own.effect().loads_parameter() && own.operands.iter().flatten().any(is_it));
        loads.flat_map(|(_, own)| own.definitions()).collect()
    }
}
