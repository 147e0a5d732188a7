//! Barriers: all threads of a block wait for each other between writing a tile and reading it.

use std::collections::BTreeSet;

use nitro_nest::Assignment;

use super::point::{Place, Point};

/// The shared memory that is touched: values by index.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    pub written: BTreeSet<usize>,
    pub read: BTreeSet<usize>,
}

impl Touched {
    /// Returns the shared memory that an object touches, with all that is in it.
    pub fn by(point: &Point<'_>, object: usize) -> Self {
        let loops = point.space.nesting.loops.len();
        let statements = (0..point.space.kernel.statements.len()).filter(|&at| {
            object == loops + at || (object < loops && point.lies(object, "outer", loops + at))
        });
        let mut touched = Self::default();
        statements.for_each(|at| touched.add_statement(point, &point.space.meanings[at]));
        touched
    }

    fn add_statement(&mut self, point: &Point<'_>, meaning: &Assignment) {
        let value = |array: usize| {
            let value = array.checked_sub(point.space.nest.arrays().len());
            value.filter(|&value| point.place(value) != Place::Registers)
        };
        self.written.extend(value(meaning.target.array));
        self.read.extend(meaning.value.reads().iter().filter_map(|access| value(access.array)));
    }

    /// Returns true if what comes after this has to wait for it.
    pub fn delays(&self, next: &Self) -> bool {
        let meet = |one: &BTreeSet<usize>, other| !one.is_disjoint(other);
        meet(&self.written, &next.read)
            || meet(&self.read, &next.written)
            || meet(&self.written, &next.written)
    }

    pub fn add(&mut self, other: Self) {
        self.written.extend(other.written);
        self.read.extend(other.read);
    }
}
