//! Barriers: all threads of a block wait for each other between writing a tile and reading it.

use std::collections::BTreeSet;

use nitro_nest::Assignment;

use super::point::{Place, Point};

/// The shared memory that is touched: values by index.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedAccess {
    pub written: BTreeSet<usize>,
    pub read: BTreeSet<usize>,
}

impl SharedAccess {
    /// Returns the shared memory that an object touches, with all that is in it.
    pub fn by(point: &Point<'_>, object: usize) -> Self {
        let mut touched = Self::default();
        for (at, meaning) in point.space.meanings.iter().enumerate() {
            if point.holds(object, at) {
                touched.add_statement(point, meaning);
            }
        }
        touched
    }

    fn add_statement(&mut self, point: &Point<'_>, meaning: &Assignment) {
        self.written.extend(shared_value(point, meaning.target.array));
        let reads = meaning.value.reads();
        self.read.extend(reads.iter().filter_map(|access| shared_value(point, access.array)));
    }

    /// Returns true if what comes after this has to wait for it.
    pub fn delays(&self, next: &Self) -> bool {
        let touched: BTreeSet<usize> = next.read.union(&next.written).copied().collect();
        !self.written.is_disjoint(&touched) || !self.read.is_disjoint(&next.written)
    }

    pub fn add(&mut self, other: Self) {
        self.written.extend(other.written);
        self.read.extend(other.read);
    }
}

/// Returns the value that an array stands for, if it is in shared memory.
fn shared_value(point: &Point<'_>, array: usize) -> Option<usize> {
    let value = array.checked_sub(point.space.nest.arrays().len())?;
    (point.place(value) != Place::Registers).then_some(value)
}
