//! Parts of arrays in shared memory.

use crate::nest::Condition;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};

/// The part of an array that a tile reads.
#[derive(Clone, Debug)]
pub(crate) struct StagedPart {
    pub(crate) array: usize,
    /// The subscripts without their constants: accesses that differ in nothing else share a part.
    pub(super) linear: Vec<Affine>,
    /// The first element along each dimension, and how many there are.
    pub(crate) origin: Vec<Affine>,
    pub(crate) extents: Vec<i64>,
    /// The dimension whose elements are neighbours in shared memory.
    pub(super) last: usize,
    /// Its index once it is an array of the kernel.
    pub(super) local: usize,
    /// The value that is kept of an element, which stands there as [`STAGED`].
    ///
    /// It is the element, or what a statement makes of it and nothing else.
    pub(super) value: Expression,
    /// The pipeline stage, where there are several.
    pub(crate) stage: Option<Affine>,
    /// The conditions for copying several elements at once, where that may be.
    pub(crate) wide: Option<Vec<Condition>>,
    /// Elements beyond the array are 0, and those from these ends on.
    pub(super) fill: Option<Ends>,
}

/// A dimension, and the subscripts along it from the least of which on elements do not count.
pub(super) type Ends = (usize, Vec<Affine>);

/// Stands for the element in what is kept of it.
pub(super) const STAGED: Access = Access { array: usize::MAX, subscripts: Vec::new() };

impl StagedPart {
    /// Returns where a value is, if it is here.
    pub(super) fn access(&self, value: &Expression) -> Option<Access> {
        let (value, access) = of_one_element(value)?;
        if access.array != self.array || linear(access) != self.linear || value != self.value {
            return None;
        }
        let mut within = Vec::new();
        for (subscript, origin) in access.subscripts.iter().zip(&self.origin) {
            within.push(subscript.clone() - origin.clone());
        }
        Some(self.element(within))
    }

    /// Returns an element of the kernel's array.
    pub(crate) fn element(&self, mut within: Vec<Affine>) -> Access {
        let last = within.remove(self.last);
        within.push(last);
        Access { array: self.local, subscripts: self.stage.iter().cloned().chain(within).collect() }
    }

    /// Returns `true` if other elements are neighbours in shared memory than in the array.
    pub(crate) fn is_transposed(&self) -> bool {
        self.last + 1 < self.extents.len()
    }

    /// Returns `true` if what is kept of an element is the element.
    pub(crate) fn keeps_element(&self) -> bool {
        matches!(self.value, Expression::Load(_))
    }

    /// Returns what is kept of an element.
    pub(crate) fn value_of(&self, element: &Access) -> Expression {
        let mut value = self.value.clone();
        value.map_loads(&|_| element.clone());
        value
    }

    /// Moves the part to the tile that begins at `start`, instead of where an iterator is.
    pub(crate) fn at(self, iterator: usize, start: &Affine) -> Self {
        let variable = Variable::Iterator(iterator);
        let origin = self.origin.iter().map(|origin| origin.substitute(variable, start)).collect();
        Self { origin, ..self }
    }

    /// Moves the part to a pipeline stage.
    pub(crate) fn in_stage(self, stage: Affine) -> Self {
        Self { stage: Some(stage), ..self }
    }
}

/// Returns the subscripts of an access without their constants.
pub(super) fn linear(access: &Access) -> Vec<Affine> {
    access.subscripts.iter().map(|subscript| subscript.clone() - subscript.constant()).collect()
}

/// Splits a value that reads one element, and otherwise scalars and numbers alone.
///
/// Gives what is made of the element, and the element.
fn of_one_element(value: &Expression) -> Option<(Expression, &Access)> {
    let [access] = value.reads()[..] else { return None };
    let mut is_plain = true;
    value.visit(&mut |part| {
        is_plain &= !matches!(
            part,
            Expression::Integer(_) | Expression::Quasi(_) | Expression::Select(_) | Expression::Gather(_)
        );
    });
    let mut kept = value.clone();
    kept.map_loads(&|_| STAGED);
    is_plain.then_some((kept, access))
}

/// Returns the largest parts of a value that read one element.
pub(super) fn parts_of_one_element(value: &Expression) -> Vec<(Expression, &Access)> {
    match of_one_element(value) {
        Some(found) => vec![found],
        None => value.parts().into_iter().flat_map(parts_of_one_element).collect(),
    }
}
