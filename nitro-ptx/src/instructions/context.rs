//! Names in the body of a function.

use std::collections::HashMap;
use std::ops::Range;

use crate::machine::image;
use crate::text::module::Function;

/// The meaning of a name of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Symbol {
    /// A variable, or a function to be called by its address.
    Address(u64),
    Shared(u32),
}

/// The meaning of a name of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    Frame {
        offset: u32,
        bytes: u32,
    },
    Shared(u32),
    Parameter(u32),
    /// A parameter that is a register, or a vector of so many.
    Register {
        first: u32,
        lanes: u32,
    },
}

/// The names of a function while its body is decoded. Those of bodies have a scope.
pub(crate) struct Context<'a> {
    pub(crate) function: &'a Function,
    /// The first place of each register of the text.
    pub(crate) registers: Vec<u32>,
    pub(crate) locals: HashMap<(usize, String), Local>,
    pub(crate) labels: HashMap<(usize, &'a str), u32>,
    pub(crate) lists: HashMap<(usize, &'a str), &'a [String]>,
    pub(crate) symbols: &'a HashMap<String, Symbol>,
    pub(crate) functions: &'a [image::Function],
}

impl Context<'_> {
    /// Returns the places of a register of the text: one, or as many as the vector has.
    pub(crate) fn lanes(&self, register: usize) -> Range<u32> {
        let first = self.registers[register];
        first..first + u32::from(self.function.registers[register].lanes)
    }

    pub(crate) fn local(&self, scope: usize, name: &str) -> Option<Local> {
        self.function.outwards(scope, |scope| self.locals.get(&(scope, name.to_owned())).copied())
    }

    pub(crate) fn label(&self, scope: usize, name: &str) -> Result<u32, String> {
        let found = self.function.outwards(scope, |scope| self.labels.get(&(scope, name)).copied());
        found.ok_or_else(|| format!("there is no label `{name}`"))
    }

    /// Returns the places of a list of labels.
    pub(crate) fn list(&self, scope: usize, name: &str) -> Result<Vec<u32>, String> {
        let found = self.function.outwards(scope, |scope| self.lists.get(&(scope, name)).copied());
        let labels = found.ok_or_else(|| format!("there is no list of labels `{name}`"))?;
        labels.iter().map(|label| self.label(scope, label)).collect()
    }
}
