//! A decided point: what became of each loop, and how loops lie.

use nitro_nest::Cache;

use super::space::DecidedSpace;
use crate::{LAYOUTS, Passing, Statement};

/// A space with one value for each of its choices.
pub(super) struct Point<'a> {
    pub space: &'a DecidedSpace,
    pub values: &'a [usize],
}

/// The kind of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Unrolled,
    Vector,
    Block,
    Thread,
}

/// Tiles that are loaded before they are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ahead {
    /// The loop of which each iteration has tiles of its own.
    pub along: usize,
    /// True where there are two of each, which iterations use in turn.
    pub has_two_tiles: bool,
}

/// The place of a value on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Registers,
    Shared { transposed: bool, padded: bool },
}

impl Point<'_> {
    pub fn size(&self, at: usize) -> i64 {
        let size = self.space.nesting.loops[at].size;
        let number = self.space.nesting.problem.number(size, self.values[size.position()]);
        number.expect("a size is a number") as i64
    }

    pub fn kind(&self, at: usize) -> Kind {
        let kind = self.space.nesting.loops[at].kind;
        let kinds = [Kind::Plain, Kind::Unrolled, Kind::Vector, Kind::Block, Kind::Thread];
        kinds[self.values[kind.position()]]
    }

    /// Returns true if an object is a statement, or a loop around it.
    pub fn holds(&self, object: usize, statement: usize) -> bool {
        let loops = self.space.nesting.loops.len();
        object == loops + statement || (object < loops && self.lies(object, "outer", loops + statement))
    }

    /// Returns true if an object lies so to another: loops come first, then statements.
    pub fn lies(&self, one: usize, order: &str, other: usize) -> bool {
        let within = self.space.nesting.order(one, other, &[order]).expect("it is the name of an order");
        within.values.has(self.values[within.choice.position()])
    }

    /// Returns the objects that lie within another, or in none, but in no other in between.
    ///
    /// They are in the order of the program.
    pub fn inside(&self, parent: Option<usize>) -> Vec<usize> {
        let objects = self.space.nesting.loops.len() + self.space.kernel.statements.len();
        let depth = parent.map_or(0, |parent| self.depth(parent) + 1);
        let mut found = Vec::new();
        for at in 0..objects {
            let is_inside = parent.is_none_or(|parent| parent != at && self.lies(parent, "outer", at));
            if is_inside && self.depth(at) == depth {
                found.push(at);
            }
        }
        let here = found.clone();
        found.sort_by_key(|&at| {
            here.iter().filter(|&&other| other != at && self.lies(other, "before", at)).count()
        });
        found
    }

    /// Counts the loops around an object.
    fn depth(&self, at: usize) -> usize {
        let loops = 0..self.space.nesting.loops.len();
        loops.filter(|&other| other != at && self.lies(other, "outer", at)).count()
    }

    /// Returns the loops around a statement, from the outside in.
    pub fn around(&self, statement: &Statement) -> Vec<usize> {
        let mut own = self.space.nesting.own(statement);
        let all = own.clone();
        own.sort_by_key(|&at| {
            all.iter().filter(|&&other| other != at && self.lies(other, "outer", at)).count()
        });
        own
    }

    pub fn is_shared(&self, at: usize) -> bool {
        self.space.nesting.is_shared(&self.space.kernel, at)
    }

    /// Returns the place of a value.
    pub fn place(&self, value: usize) -> Place {
        let Some(array) = self.space.values[value].array else { return Place::Registers };
        if self.values[self.space.nesting.memory[array].position()] == 0 {
            return Place::Registers;
        }
        let layout = self.space.nesting.layouts[array].map_or(0, |layout| self.values[layout.position()]);
        let name = LAYOUTS[layout];
        Place::Shared { transposed: name.starts_with("transposed"), padded: name.ends_with("padded") }
    }

    /// Returns the way of loading tiles ahead, if they are.
    pub fn ahead(&self) -> Option<Ahead> {
        let loading = self.space.nesting.loading?;
        let value = self.values[loading.choice.position()];
        (value > 0).then_some(Ahead { along: loading.along, has_two_tiles: value == 2 })
    }

    /// Returns the caches of what a statement loads or stores.
    pub fn cache(&self, statement: usize) -> Cache {
        let caches = [Cache::Usual, Cache::Device, Cache::Streaming];
        self.space.caches[statement].map_or(Cache::Usual, |choice| caches[self.values[choice.position()]])
    }

    /// Returns true if the threads of both sides of a dependence are the same.
    pub fn has_same_threads(&self, passing: Passing) -> bool {
        match passing {
            Passing::Array(array) => {
                self.space.nesting.threads[array].is_none_or(|threads| self.values[threads.position()] == 0)
            }
            _ => passing == Passing::Registers,
        }
    }
}
